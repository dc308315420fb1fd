//! The test that a step must pass.

use super::{Adaptive, StepError};
use crate::kernel::sums;
use crate::method::tuning::adaptive::{NEGLIGIBLE, NEWTON_ROOM, NOISE, NONCONVEX, ROUNDING, TINY};

/// What the test compares.
#[derive(Clone, Copy)]
pub(super) struct Test {
    /// sum_j l_j (g_j(x+) - g_j(y) - <J_j, x+ - y>) over the curved rows.
    pub(super) excess: f64,
    /// What rounding alone can make of that: it must not pass for curvature.
    pub(super) rounding: f64,
    /// |x+ - y|_D^2
    pub(super) square: f64,
    /// The excess with the multipliers of the step alone.
    pub(super) plain: f64,
}

/// Whether a step is longer than what rounding of the point would be: along a shorter one a row that is 0 up to rounding tells nothing of
/// convexity.
pub(in crate::method) fn is_plain_move(direction: &[f64], from: &[f64]) -> bool {
    sums::largest(direction) > TINY * (1.0 + sums::largest(from))
}

impl Adaptive<'_> {
    /// What the test compares.
    pub(super) fn test(&mut self) -> Result<Test, StepError> {
        for ((d, next), y) in self.direction.iter_mut().zip(&self.x_next).zip(&self.y) {
            *d = next - y;
        }
        self.mapping.apply(&self.direction, &mut self.change);
        let (mut excess, mut rounding, mut plain) = (0.0, 0.0, 0.0);
        let moved = is_plain_move(&self.direction, &self.y);
        for j in (0..self.values.len()).filter(|&j| !self.mapping.is_affine(j)) {
            let slack = if self.pinned[j] { 0.0 } else { self.r };
            let l = self.multipliers_next[j].min(self.ceiling[j]).max(self.peak[j]) + slack;
            let (next, value, change) = (self.values_next[j], self.values[j], self.change[j]);
            let size = next.abs() + value.abs() + change.abs();
            // A row near 0 may be the difference of large numbers: what it has been, and <J_j, y>, tell how large.
            self.size[j] = self.size[j].max(size).max((value - self.offset[j]).abs());
            let deficit = value + change - next;
            if deficit > NONCONVEX * self.size[j] && moved {
                return Err(StepError::NotConvex { row: j, deficit });
            }
            excess += l * (next - value - change);
            plain += self.multipliers_next[j] * (next - value - change);
            rounding += l * ROUNDING * size;
        }
        let square = self.choice.metric().inner(&self.direction, &self.direction);
        Ok(Test { excess, rounding, square, plain })
    }

    /// What a step may exceed the test by: a first step of an epoch under second derivatives is Newton's, which lowers F as long as
    /// the curvature along it is below twice that of the metric. To shorten it would cost the speed of Newton's method.
    pub(super) fn room(&self) -> f64 {
        let newton = self.a_sum == 0.0 && self.choice.is_trusted();
        if newton { NEWTON_ROOM } else { 1.0 }
    }

    /// How far the curvature along a step is from what the metric says, relative to that; `None` where rounding hides it, or where
    /// the next step is short enough whatever the metric.
    pub(super) fn mismatch_of(&self, test: &Test) -> Option<f64> {
        let Test { rounding, square, plain, .. } = *test;
        let mismatch = (2.0 * plain / square - 1.0).abs();
        let tells = 0.5 * square > NOISE * rounding && mismatch.is_finite();
        (tells && mismatch * mismatch * square > NEGLIGIBLE * self.accuracy).then_some(mismatch)
    }
}
