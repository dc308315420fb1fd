//! (t - y)^2 / 2.

use super::fields::{MATRIX, OFFSET, REDUCTION, TARGETS, WEIGHTS, samples, weighed};
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "least_squares",
        aliases: &[],
        formula: "mean of (a_i.x - b_i)^2 / 2",
        about: "Half squares of residuals.",
        fields: &[MATRIX, TARGETS, OFFSET, WEIGHTS, REDUCTION],
        example: r#">>> ufcm.least_squares([[1.0], [1.0]], [0.0, 2.0])([0.0])
1.0"#,
    },
    build: |values| {
        let (matrix, targets) = samples(values, "target")?;
        weighed(LeastSquares::new(matrix, targets), values)
    },
};

/// Half the squared residual, mean over the samples unless told otherwise.
///
/// ```
/// use ufcm::component::{LeastSquares, Reduction};
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let data = Matrix::row_major(2, 1, vec![1.0, 2.0])?;
/// let loss = LeastSquares::new(data, vec![0.0, 4.0])?.reduced_by(Reduction::Sum);
/// assert_eq!(loss.evaluate(&[1.0], None)?, 0.5 + 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LeastSquares = Glm<SquaredLoss>;

/// The scalar loss of [`LeastSquares`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SquaredLoss;

impl LeastSquares {
    /// Mean of (a_i.x - b_i)^2 / 2 over the rows a_i of `data`.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or a target that is not finite.
    pub fn new(data: impl Into<Arc<Matrix>>, targets: Vec<f64>) -> Result<Self, DataError> {
        Self::from_parts(SquaredLoss, data.into(), targets, Reduction::Mean)
    }
}

impl Loss for SquaredLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const KIND: &'static str = "least squares";
    const IS_SQUARE: bool = true;

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        0.5 * (t - y) * (t - y)
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        (0.5 * (t - y) * (t - y), t - y)
    }

    #[inline(always)]
    fn second_derivative(&self, _t: f64, _y: f64) -> Option<f64> {
        Some(1.0)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 1.0, exponent: 1.0 })
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.half_squares(vec![t.clone().shifted(-y)]))
    }
}
