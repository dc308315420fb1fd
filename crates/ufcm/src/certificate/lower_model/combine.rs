//! The weights of the best combination, by proximal steps on the small problem.

use super::LowerModel;
use crate::certificate::floor::Floor;
use crate::certificate::tuning::lower_model::{ENOUGH, FIRST, GROWTH, NEWTON_STEPS, PROXIMAL_STEPS, STALLED};
use crate::composer::Max;
use crate::kernel::simd::dot;
use crate::kernel::sums::sum_of_pairs;
use crate::linalg::norm;
use crate::oracle::{Mapping, OracleError, Weight};
use crate::subproblem::{Accuracy, Subproblem};

impl LowerModel {
    /// Proximal steps on the small problem, from the newest y.
    pub(super) fn combine(&mut self, floor: &mut Floor<'_>, upper: f64) {
        let newest = (self.pushed - 1) % self.offsets.len();
        self.centre.copy_from_slice(&self.y[newest * self.n..][..self.n]);
        let steepness = norm(self.slopes.row(newest)).max(f64::MIN_POSITIVE);
        let gap = upper - self.best.lower;
        // As long as it takes for a linear function of that slope to cross the gap.
        let length = if gap.is_finite() { gap / steepness } else { 1.0 + norm(&self.centre) };
        let mut a = (FIRST * length / steepness).clamp(1e-100, 1e100);
        self.theta.fill(0.0);
        self.theta[newest] = 1.0;
        for step in 0..PROXIMAL_STEPS {
            let before = self.best.lower;
            if self.proximal_step(floor, a).is_err() {
                return;
            }
            self.trial.copy_from_slice(&self.theta);
            self.evaluate(floor);
            // At any w the small problem's value is an upper bound of what can be proven.
            let (_, highest) = self.measure_heights(false);
            let missed = highest + floor.regulariser().value(&self.w) - self.best.lower;
            let stalled = step > 2 && self.best.lower - before <= STALLED * missed;
            if stalled || missed <= ENOUGH * (upper.min(f64::MAX) - self.best.lower) {
                return;
            }
            self.centre.copy_from_slice(&self.w);
            a *= GROWTH;
        }
    }

    /// Writes all m_k at the centre, or at w; answers the lowest and the highest.
    fn measure_heights(&mut self, at_centre: bool) -> (f64, f64) {
        let Self { n, count, slopes, offsets, curvatures, y, shifted, centre, w, .. } = self;
        let x = if at_centre { &centre[..] } else { &w[..] };
        let heights = &mut shifted[..*count];
        slopes.apply(x, heights);
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, height) in heights.iter_mut().enumerate() {
            let (mu, y) = (curvatures[k], &y[k * *n..][..*n]);
            let square = if mu > 0.0 { sum_of_pairs(x, y, |x, y| (x - y).powi(2)) } else { 0.0 };
            *height += offsets[k] + 0.5 * mu * square;
            (lowest, highest) = (height.min(lowest), height.max(highest));
        }
        (lowest, highest)
    }

    /// theta and w of the small problem with a proximal term 1/(2a) |w - centre|^2, the minorants replaced by what they are
    /// at least: their tangents at the centre plus the least mu/2 |w - centre|^2.
    fn proximal_step(&mut self, floor: &Floor<'_>, a: f64) -> Result<(), OracleError> {
        let (n, count) = (self.n, self.count);
        let mu = self.curvatures[..count].iter().copied().fold(f64::INFINITY, f64::min);
        // theta does not feel a common constant, but rounding does: heights at the centre are measured from the highest.
        let (lowest, highest) = self.measure_heights(true);
        // Minorants without curvature are their own tangents.
        let straight = self.curvatures[..count].iter().all(|mu| *mu == 0.0);
        for k in 0..count {
            if straight {
                self.shifted[k] = self.offsets[k] - highest;
                continue;
            }
            let (curvature, y) = (self.curvatures[k], &self.y[k * n..][..n]);
            let tangent = self.tangents.row_mut(k);
            let parts = tangent.iter_mut().zip(self.slopes.row(k)).zip(&self.centre).zip(y);
            parts.for_each(|(((t, s), c), y)| *t = s + curvature * (c - y));
            self.shifted[k] -= highest + dot(tangent, &self.centre);
        }
        let Ok(max) = Max::new(count) else { return Ok(()) };
        let subproblem = Subproblem {
            mapping: if straight { &self.slopes } else { &self.tangents },
            offset: &self.shifted[..count],
            centre: &self.centre,
            weight: Weight::scalar(1.0 / a + mu),
            composer: &max,
            regulariser: floor.regulariser(),
            budget: floor.budget(),
        };
        let tolerance = 1e-9 * (highest - lowest);
        let outcome = self.solver.solve(
            &subproblem,
            Accuracy::exact(tolerance),
            NEWTON_STEPS,
            &mut self.theta[..count],
            &mut self.w,
        )?;
        // Heights before and after, products of each step, and products of rows with rows.
        let rows = count as f64;
        self.operations += 2.0 * rows * n as f64 * (2.0 + 2.0 * outcome.steps as f64 + 0.5 * rows);
        Ok(())
    }
}
