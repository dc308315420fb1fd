//! exp(t) - y t: the Poisson likelihood with the log link, without its constant.

use super::fields::{MATRIX, OFFSET, REDUCTION, TARGETS, WEIGHTS, samples, weighed};
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Field, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_all_nonnegative};
use crate::kernel::math::exp;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "poisson",
        aliases: &[],
        formula: "mean of exp(a_i.x) - y_i a_i.x",
        about: "The Poisson loss with the log link.",
        fields: &[MATRIX, COUNTS, OFFSET, WEIGHTS, REDUCTION],
        example: r#">>> ufcm.poisson([[1.0]], [2.0])([0.0])
1.0"#,
    },
    build: |values| {
        let (matrix, counts) = samples(values, "target")?;
        weighed(Poisson::new(matrix, counts), values)
    },
};

const COUNTS: Field =
    TARGETS.symbol("y").about("the counts").bounds("nonnegative").sample("[1, 0, 3]").blamed_as(&["counts"]);

/// The Poisson loss with log link, mean over the samples unless told otherwise.
///
/// ```
/// use ufcm::component::Poisson;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::{Component, OracleError};
///
/// let loss = Poisson::new(Matrix::row_major(1, 1, vec![1.0])?, vec![2.0])?;
/// assert_eq!(loss.evaluate(&[0.0], None)?, 1.0);
/// // e^1000 is no f64: the oracle says which sample, instead of answering inf
/// assert_eq!(loss.evaluate(&[1e3], None), Err(OracleError::Overflow { term: 0, argument: 1e3 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Poisson = Glm<PoissonLoss>;

/// The scalar loss of [`Poisson`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoissonLoss;

impl Poisson {
    /// Mean of exp(a_i.x) - y_i a_i.x over the rows a_i of `data`; `counts` y_i >= 0.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or a count that is negative or not finite.
    pub fn new(data: impl Into<Arc<Matrix>>, counts: Vec<f64>) -> Result<Self, DataError> {
        check_all_nonnegative(PoissonLoss::KIND, PoissonLoss::TARGETS, &counts)?;
        Self::from_parts(PoissonLoss, data.into(), counts, Reduction::Mean)
    }
}

impl Loss for PoissonLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const KIND: &'static str = "Poisson loss";
    const TARGETS: &'static str = "counts";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        exp(t) - y * t
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        let rate = exp(t);
        (rate - y * t, rate - y)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, _y: f64) -> Option<f64> {
        Some(exp(t))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        None
    }

    fn infimum(&self, y: f64) -> f64 {
        if y == 0.0 { 0.0 } else { y - y * y.ln() }
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.exponential(t.clone()).plus(-y, t))
    }
}
