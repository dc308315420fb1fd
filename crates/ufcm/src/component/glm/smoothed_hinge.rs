//! The hinge max(1 - y t, 0), rounded over a width gamma below its kink.

use super::fields::{LABELS, MATRIX, OFFSET, REDUCTION, WEIGHTS, samples, weighed};
use super::labels::signs;
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
        name: "smoothed_hinge",
        aliases: &[],
        formula: "mean of max(1 - y_i a_i.x, 0), rounded by a parabola over the width gamma",
        about: "The smoothed hinge loss.",
        fields: &[
            MATRIX,
            LABELS,
            Field::new("gamma", FieldType::Number, "the width of the parabola")
                .bounds("positive")
                .sample("0.5"),
            OFFSET,
            WEIGHTS,
            REDUCTION,
        ],
        example: r#">>> ufcm.smoothed_hinge([[1.0]], [1], 0.5)([-1.0])
1.75"#,
    },
    build: |values| {
        let (matrix, labels) = samples(values, "target")?;
        weighed(SmoothedHinge::new(matrix, &labels, values.number("gamma")?), values)
    },
};

/// The smoothed hinge loss, mean over the samples unless told otherwise: 0 above margin 1, quadratic with curvature
/// 1/gamma for margins in [1 - gamma, 1], linear below. It stays within gamma/2 of the hinge.
///
/// ```
/// use ufcm::component::SmoothedHinge;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let loss = SmoothedHinge::new(Matrix::row_major(1, 1, vec![1.0])?, &[1.0], 0.5)?;
/// assert_eq!(loss.evaluate(&[1.0], None)?, 0.0);
/// assert_eq!(loss.evaluate(&[0.5], None)?, 0.25);
/// assert_eq!(loss.evaluate(&[-1.0], None)?, 1.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SmoothedHinge = Glm<SmoothedHingeLoss>;

/// The scalar loss of [`SmoothedHinge`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothedHingeLoss {
    gamma: f64,
}

impl SmoothedHinge {
    /// Mean over the rows of `data` of the hinge smoothed over the width `gamma` > 0; `labels` are all -1/1 or all 0/1.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, a label that is neither, or a `gamma` that is not positive.
    pub fn new(data: impl Into<Arc<Matrix>>, labels: &[f64], gamma: f64) -> Result<Self, DataError> {
        check_positive(SmoothedHingeLoss::KIND, "gamma", gamma)?;
        let labels = signs(SmoothedHingeLoss::KIND, labels)?;
        Self::from_parts(SmoothedHingeLoss { gamma }, data.into(), labels, Reduction::Mean)
    }
}

impl Loss for SmoothedHingeLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const IS_PIECEWISE_QUADRATIC: bool = true;
    const KIND: &'static str = "smoothed hinge loss";
    const TARGETS: &'static str = "labels";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        self.value_and_derivative(t, y).0
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        // With d the miss clipped to [0, gamma], d/gamma (miss - d/2) is all three branches at once; dividing first
        // keeps a large miss times a large gamma in range.
        let miss = 1.0 - y * t;
        let clipped = miss.clamp(0.0, self.gamma);
        let slope = clipped / self.gamma;
        (slope * (miss - 0.5 * clipped), -y * slope)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, y: f64) -> Option<f64> {
        let miss = 1.0 - y * t;
        Some(if miss > 0.0 && miss < self.gamma { 1.0 / self.gamma } else { 0.0 })
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 1.0 / self.gamma, exponent: 1.0 })
    }

    fn parameters(&self) -> Vec<f64> {
        vec![self.gamma]
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        // The least of w^2 / (2 gamma) + the part of the miss beyond w.
        let near = form.variable();
        let miss = t.clone().times(-y).shifted(1.0);
        let far = form.positive_part(&miss.plus(-1.0, &near));
        let squares = form.scaled(self.gamma.recip(), |form| Some(form.half_squares(vec![near])))?;
        Some(squares.plus(1.0, &far))
    }
}
