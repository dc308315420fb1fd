//! (t - y)^2 / 2 near the target, delta |t - y| - delta^2 / 2 beyond delta.

use super::fields::{MATRIX, OFFSET, REDUCTION, TARGETS, WEIGHTS, samples, weighed};
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Field, FieldType, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::error::check_positive;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "huber",
        aliases: &[],
        formula: "mean of r_i^2 / 2 where |r_i| <= delta, of delta (|r_i| - delta / 2) beyond, with r_i = a_i.x - b_i",
        about: "The Huber loss of residuals: squares of small ones, absolute values of large ones.",
        fields: &[
            MATRIX,
            TARGETS,
            Field::new("delta", FieldType::Number, "where squares end").bounds("positive").sample("0.5"),
            OFFSET,
            WEIGHTS,
            REDUCTION,
        ],
        example: r#">>> ufcm.huber([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([0.5])
2.125"#,
    },
    build: |values| {
        let (matrix, targets) = samples(values, "target")?;
        weighed(Huber::new(matrix, targets, values.number("delta")?), values)
    },
};

/// The Huber loss, mean over the samples unless told otherwise.
///
/// ```
/// use ufcm::component::Huber;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let loss = Huber::new(Matrix::row_major(1, 1, vec![1.0])?, vec![0.0], 1.0)?;
/// assert_eq!(loss.evaluate(&[0.5], None)?, 0.125);
/// assert_eq!(loss.evaluate(&[3.0], None)?, 2.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Huber = Glm<HuberLoss>;

/// The scalar loss of [`Huber`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuberLoss {
    delta: f64,
}

impl Huber {
    /// Mean of the Huber loss of a_i.x - b_i over the rows a_i of `data`; quadratic up to `delta` > 0.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, a target that is not finite, or a `delta` that is not positive.
    pub fn new(data: impl Into<Arc<Matrix>>, targets: Vec<f64>, delta: f64) -> Result<Self, DataError> {
        check_positive(HuberLoss::KIND, "delta", delta)?;
        Self::from_parts(HuberLoss { delta }, data.into(), targets, Reduction::Mean)
    }
}

impl Loss for HuberLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const IS_PIECEWISE_QUADRATIC: bool = true;
    const KIND: &'static str = "Huber loss";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        self.value_and_derivative(t, y).0
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        // With d the clipped residual, d (r - d/2) is both branches at once.
        let residual = t - y;
        let clipped = residual.clamp(-self.delta, self.delta);
        (clipped * (residual - 0.5 * clipped), clipped)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, y: f64) -> Option<f64> {
        Some(if (t - y).abs() <= self.delta { 1.0 } else { 0.0 })
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 1.0, exponent: 1.0 })
    }

    fn parameters(&self) -> Vec<f64> {
        vec![self.delta]
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.huber(&t.clone().shifted(-y), self.delta))
    }
}
