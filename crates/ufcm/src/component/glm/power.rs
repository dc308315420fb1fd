//! |t - y|^p for 1 <= p <= 2: from the least absolute deviation to least squares.

use super::{Glm, Loss, Reduction};
use crate::error::DataError;
use crate::error::Position;
use crate::matrix::Matrix;
use crate::oracle::Smoothness;
use std::sync::Arc;

/// Powers of absolute residuals, mean over the samples unless told otherwise. For p < 2 a black box with Hölder
/// gradients; the same function as an affine block under
/// [`composer::PowerSum`](crate::composer) is solved faster.
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

impl Power {
    /// Mean of |a_i.x - b_i|^p over the rows a_i of `data`, with 1 <= `p` <= 2.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, a target that is not finite, or `p` out of range.
    pub fn new(data: impl Into<Arc<Matrix>>, targets: Vec<f64>, p: f64) -> Result<Self, DataError> {
        if !(1.0..=2.0).contains(&p) {
            let position = Position::Scalar;
            return Err(DataError::out_of_range(PowerLoss::KIND, "p", position, p, "between 1 and 2"));
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
    fn second_derivative(&self, _t: f64, _y: f64) -> Option<f64> {
        // Infinite at 0 or zero elsewhere for p < 2: nothing a metric could use.
        (self.p == 2.0).then_some(2.0)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        // |sgn(a)|a|^s - sgn(b)|b|^s| <= 2^(1-s) |a - b|^s for s in [0, 1], here s = p - 1.
        Some(Smoothness { constant: self.p * (2.0 - self.p).exp2(), exponent: self.p - 1.0 })
    }

    fn infimum(&self, _y: f64) -> f64 {
        0.0
    }
}
