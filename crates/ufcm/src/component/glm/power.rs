//! |t - y|^p for p >= 1: from the least absolute deviation by way of least squares towards the largest residual.

use super::fields::{MATRIX, OFFSET, REDUCTION, TARGETS, WEIGHTS, samples, weighed};
use super::{Glm, Loss, Reduction};
use crate::catalogue::{ComponentEntry, Field, FieldType, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::error::Position;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "power",
        aliases: &[],
        formula: "mean of |a_i.x - b_i|^p",
        about: "Powers of residuals. For p = 1, which has kinks, the term `sum_power` of an affine block is the better form.",
        fields: &[
            MATRIX,
            TARGETS,
            Field::new("p", FieldType::Number, "the exponent").bounds("at least 1").sample("1.5"),
            OFFSET,
            WEIGHTS,
            REDUCTION,
        ],
        example: r#">>> ufcm.power([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([1.0])
3.0"#,
    },
    build: |values| {
        let (matrix, targets) = samples(values, "target")?;
        weighed(Power::new(matrix, targets, values.number("p")?), values)
    },
};

/// Powers of absolute residuals, mean over the samples unless told otherwise. For p < 2 gradients are only Hölder continuous,
/// and the curvature given is that of the quadratic above the loss, as in iteratively reweighted least squares; Newton's method learns the rest
/// from its steps. For p = 1 the same function as an affine block under [`composer::PowerSum`](crate::composer) is the better form. For p > 2
/// gradients have no Lipschitz constant.
///
/// ```
/// use ufcm::component::{Power, Reduction};
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let data = Matrix::row_major(2, 1, vec![1.0, 1.0])?;
/// let loss = Power::new(data, vec![0.0, 3.0], 1.0)?.reduced_by(Reduction::Sum);
/// assert_eq!(loss.evaluate(&[1.0], None)?, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Power = Glm<PowerLoss>;

/// The scalar loss of [`Power`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLoss {
    p: f64,
}

/// Residuals below this, relative to t and y, count as this in the curvature, which has no bound at 0.
const NEAREST: f64 = 1e-6;

impl Power {
    /// Mean of |a_i.x - b_i|^p over the rows a_i of `data`, with `p` at least 1.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, a target that is not finite, or `p` out of range.
    pub fn new(data: impl Into<Arc<Matrix>>, targets: Vec<f64>, p: f64) -> Result<Self, DataError> {
        if !(1.0..f64::INFINITY).contains(&p) {
            let position = Position::Scalar;
            return Err(DataError::out_of_range(PowerLoss::KIND, "p", position, p, "finite and at least 1"));
        }
        Self::from_parts(PowerLoss { p }, data.into(), targets, Reduction::Mean)
    }
}

impl Loss for PowerLoss {
    const KIND: &'static str = "power loss";

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        self.value_and_derivative(t, y).0
    }

    #[inline(always)]
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64) {
        let residual = t - y;
        let size = residual.abs();
        if size == 0.0 {
            return (0.0, 0.0);
        }
        let slope = match self.p {
            1.0 => 1.0,
            2.0 => size,
            p => size.powf(p - 1.0),
        };
        (size * slope, (self.p * slope).copysign(residual))
    }

    #[inline(always)]
    fn second_derivative(&self, t: f64, y: f64) -> Option<f64> {
        if self.p > 2.0 {
            return Some(self.p * (self.p - 1.0) * (t - y).abs().powf(self.p - 2.0));
        }
        // For p < 2 the second derivative is too small to step by: the loss bends most where t is going to, at y. The
        // quadratic with this curvature touches the loss at t and at 2y - t, and lies above it everywhere.
        let floor = (NEAREST * t.abs().max(y.abs())).max(NEAREST * NEAREST);
        Some(self.p * (t - y).abs().max(floor).powf(self.p - 2.0))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        // |sgn(a)|a|^s - sgn(b)|b|^s| <= 2^(1-s) |a - b|^s for s in [0, 1], here s = p - 1.
        let known = self.p <= 2.0;
        known.then(|| Smoothness { constant: self.p * (2.0 - self.p).exp2(), exponent: self.p - 1.0 })
    }

    fn parameters(&self) -> Vec<f64> {
        vec![self.p]
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }

    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression> {
        Some(form.power(&t.clone().shifted(-y), self.p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curvature_is_that_of_a_quadratic_above_the_loss() {
        for p in [1.0, 1.1, 1.5, 1.9, 2.0] {
            let loss = PowerLoss { p };
            for (t, y) in [(2.0, 0.5), (-3.0, 0.25), (0.0, 1e-3)] {
                let (value, slope) = loss.value_and_derivative(t, y);
                let curvature = loss.second_derivative(t, y).unwrap();
                let above = |s: f64| value + slope * (s - t) + 0.5 * curvature * (s - t).powi(2);
                let mirrored = 2.0 * y - t;
                assert!((above(mirrored) - loss.value(mirrored, y)).abs() <= 1e-12 * value);
                for k in -200..=200 {
                    let s = y + f64::from(k) * 0.05;
                    assert!(above(s) >= loss.value(s, y) * (1.0 - 1e-12), "p = {p}, t = {t}, s = {s}");
                }
            }
            assert!(loss.second_derivative(0.0, 0.0).unwrap().is_finite());
        }
    }
}
