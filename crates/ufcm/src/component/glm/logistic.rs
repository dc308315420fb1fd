//! log(1 + exp(-y t)) for labels y = -1, 1.

use super::fields::{LABELS, MATRIX, OFFSET, REDUCTION, WEIGHTS, samples, weighed};
use super::labels::signs;
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::kernel::math::{exp, ln_1p_unit};
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "logistic",
        aliases: &[],
        formula: "mean of log(1 + exp(-y_i a_i.x))",
        about: "The logistic loss.",
        fields: &[MATRIX, LABELS, OFFSET, WEIGHTS, REDUCTION],
        example: r#">>> f = ufcm.logistic([[1.0, 0.5], [1.0, -2.0]], [1, -1])
>>> round(f([0.0, 0.0]), 12)          # log 2
0.69314718056
>>> ufcm.logistic([[1.0], [2.0]], [1, 2])
Traceback (most recent call last):
    ...
ValueError: logistic loss: labels[1] is 2; it must be -1 or 1 (or all 0 or 1)"#,
    },
    build: |values| {
        let (matrix, labels) = samples(values, "target")?;
        weighed(Logistic::new(matrix, &labels), values)
    },
};

/// The logistic loss, mean over the samples unless told otherwise.
///
/// ```
/// use ufcm::component::Logistic;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let data = Matrix::row_major(2, 1, vec![1.0, -1.0])?;
/// let loss = Logistic::new(data, &[1.0, 0.0])?; // labels 0/1 or -1/1
/// let mut gradient = [0.0];
/// let value = loss.evaluate(&[0.0], Some(&mut gradient))?;
/// assert!((value - 2f64.ln()).abs() < 1e-15);
/// assert_eq!(gradient, [-0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Logistic = Glm<LogisticLoss>;

/// The scalar loss of [`Logistic`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LogisticLoss;

impl Logistic {
    /// Mean of log(1 + exp(-y_i a_i.x)) over the rows a_i of `data`; `labels` are all -1/1 or all 0/1.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or a label that is neither.
    pub fn new(data: impl Into<Arc<Matrix>>, labels: &[f64]) -> Result<Self, DataError> {
        let labels = signs(LogisticLoss::KIND, labels)?;
        Self::from_parts(LogisticLoss, data.into(), labels, Reduction::Mean)
    }
}

impl Loss for LogisticLoss {
    const IS_LEAST_AT_ENDS: bool = true;
    const KIND: &'static str = "logistic loss";
    const TARGETS: &'static str = "labels";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        let margin = y * t;
        (-margin).max(0.0) + ln_1p_unit(exp(-margin.abs()))
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        // One exponential of a nonpositive number serves both: nothing overflows, nothing cancels.
        let margin = y * t;
        let e = exp(-margin.abs());
        let miss = if margin > 0.0 { e } else { 1.0 } / (1.0 + e);
        ((-margin).max(0.0) + ln_1p_unit(e), -y * miss)
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, _y: f64) -> Option<f64> {
        let e = exp(-t.abs());
        Some(e / ((1.0 + e) * (1.0 + e)))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 0.25, exponent: 1.0 })
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.log_sum_exp(&[Expression::default(), t.clone().times(-y)]))
    }
}
