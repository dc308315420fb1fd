//! exp(t + b): sums of these are posynomials in log form.

use super::fields::{MATRIX, OFFSETS, REDUCTION, WEIGHTS, samples, weighed};
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Kind, Preset, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::kernel::math::exp;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "exponential_sum",
        aliases: &[],
        formula: "sum of exp(a_i.x + b_i)",
        about: "Exponentials of affine functions: a posynomial in log variables.",
        fields: &[MATRIX, OFFSETS, WEIGHTS, REDUCTION.preset(Preset::Word("sum"))],
        example: r#">>> ufcm.exponential_sum([[1.0], [-1.0]])([0.0])
2.0"#,
    },
    build: |values| {
        let (matrix, offsets) = samples(values, "offset")?;
        weighed(ExponentialSum::new(matrix, offsets), values)
    },
};

/// A sum of exponentials of affine functions: a posynomial after x = log of its variables (geometric programs).
///
/// ```
/// use ufcm::component::ExponentialSum;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// // 3 z + 1/z at z = e^x
/// let posynomial = ExponentialSum::new(Matrix::row_major(2, 1, vec![1.0, -1.0])?, vec![3f64.ln(), 0.0])?;
/// assert!((posynomial.evaluate(&[0.0], None)? - 4.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type ExponentialSum = Glm<ExponentialLoss>;

/// The scalar loss of [`ExponentialSum`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ExponentialLoss;

impl ExponentialSum {
    /// Sum of exp(a_i.x + b_i) over the rows a_i of `data`.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or an offset that is not finite.
    pub fn new(data: impl Into<Arc<Matrix>>, offsets: Vec<f64>) -> Result<Self, DataError> {
        Self::from_parts(ExponentialLoss, data.into(), offsets, Reduction::Sum)
    }
}

impl Loss for ExponentialLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const KIND: &'static str = "exponential sum";
    const TARGETS: &'static str = "offsets";

    #[inline(always)]
    fn value(&self, t: f64, b: f64) -> f64 {
        exp(t + b)
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, b: f64) -> (f64, f64) {
        let e = exp(t + b);
        (e, e)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, b: f64) -> Option<f64> {
        Some(exp(t + b))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        None
    }

    fn infimum(&self, _b: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.exponential(t.clone().shifted(y)))
    }
}
