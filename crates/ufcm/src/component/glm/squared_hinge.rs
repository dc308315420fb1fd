//! max(1 - y t, 0)^2 for labels y = -1, 1.

use super::fields::{LABELS, MATRIX, OFFSET, REDUCTION, WEIGHTS, samples, weighed};
use super::labels::signs;
use super::{Glm, Loss, Reduction};
use crate::catalogue::{Alias, ComponentEntry, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "squared_hinge_loss",
        aliases: &[Alias::of_problem_files("squared_hinge")],
        formula: "mean of max(1 - y_i a_i.x, 0)^2",
        about: "The squared hinge loss.",
        fields: &[MATRIX, LABELS, OFFSET, WEIGHTS, REDUCTION],
        example: r#">>> ufcm.squared_hinge_loss([[1.0]], [1])([0.5])
0.25"#,
    },
    build: |values| {
        let (matrix, labels) = samples(values, "target")?;
        weighed(SquaredHinge::new(matrix, &labels), values)
    },
};

/// The squared hinge loss, mean over the samples unless told otherwise.
///
/// ```
/// use ufcm::component::SquaredHinge;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let loss = SquaredHinge::new(Matrix::row_major(1, 1, vec![1.0])?, &[-1.0])?;
/// assert_eq!(loss.evaluate(&[1.0], None)?, 4.0);
/// assert_eq!(loss.evaluate(&[-1.0], None)?, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SquaredHinge = Glm<SquaredHingeLoss>;

/// The scalar loss of [`SquaredHinge`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SquaredHingeLoss;

impl SquaredHinge {
    /// Mean of max(1 - y_i a_i.x, 0)^2 over the rows a_i of `data`; `labels` are all -1/1 or all 0/1.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or a label that is neither.
    pub fn new(data: impl Into<Arc<Matrix>>, labels: &[f64]) -> Result<Self, DataError> {
        let labels = signs(SquaredHingeLoss::KIND, labels)?;
        Self::from_parts(SquaredHingeLoss, data.into(), labels, Reduction::Mean)
    }
}

impl Loss for SquaredHingeLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const IS_PIECEWISE_QUADRATIC: bool = true;
    const KIND: &'static str = "squared hinge loss";
    const TARGETS: &'static str = "labels";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        self.value_and_derivative(t, y).0
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        // Not `max`, which would turn a NaN into a perfect margin.
        let miss = if y * t > 1.0 { 0.0 } else { 1.0 - y * t };
        (miss * miss, -2.0 * y * miss)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, y: f64) -> Option<f64> {
        Some(if y * t < 1.0 { 2.0 } else { 0.0 })
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 2.0, exponent: 1.0 })
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        let miss = t.clone().times(-y).shifted(1.0);
        form.scaled(2.0, |form| Some(form.half_positive_square(&miss)))
    }
}
