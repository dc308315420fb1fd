//! The weights of the best combination, by proximal steps on the small problem.

use super::LowerModel;
use crate::certificate::floor::Floor;
use crate::certificate::tuning::lower_model::{ENOUGH, FIRST, GROWTH, NEWTON_STEPS, PROXIMAL_STEPS, STALLED};
use crate::linalg::{dot, norm};
use crate::oracle::{OracleError, Weight};
use crate::subproblem::{Accuracy, Subproblem};

impl LowerModel {
    /// Proximal steps on the small problem, from the newest y.
    pub(super) fn combine(&mut self, floor: &mut Floor<'_>, upper: f64) {
        let newest = (self.pushed - 1) % self.offsets.len();
        self.centre.copy_from_slice(&self.y[newest * self.n..][..self.n]);
        self.fill_up(newest);
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
            let highest = (0..self.count).map(|k| self.height(k, &self.w)).fold(f64::NEG_INFINITY, f64::max);
            let missed = highest + floor.regulariser().value(&self.w) - self.best.lower;
            let stalled = step > 2 && self.best.lower - before <= STALLED * missed;
            if stalled || missed <= ENOUGH * (upper.min(f64::MAX) - self.best.lower) {
                return;
            }
            self.centre.copy_from_slice(&self.w);
            a *= GROWTH;
        }
    }

    /// m_k(x)
    fn height(&self, k: usize, x: &[f64]) -> f64 {
        let square = |y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        let curved = match self.curvatures[k] {
            0.0 => 0.0,
            mu => 0.5 * mu * square(&self.y[k * self.n..][..self.n]),
        };
        self.offsets[k] + dot(self.slopes.row(k), x) + curved
    }

    /// Slots that are still empty repeat the newest minorant a step lower: they never count.
    fn fill_up(&mut self, newest: usize) {
        let n = self.n;
        for slot in self.count..self.offsets.len() {
            self.slopes.values.copy_within(newest * n..(newest + 1) * n, slot * n);
            self.y.copy_within(newest * n..(newest + 1) * n, slot * n);
            self.curvatures[slot] = self.curvatures[newest];
            self.offsets[slot] = self.offsets[newest] - (1.0 + self.offsets[newest].abs());
        }
    }

    /// theta and w of the small problem with a proximal term 1/(2a) |w - centre|^2, the minorants replaced by what they are
    /// at least: their tangents at the centre plus the least mu/2 |w - centre|^2.
    fn proximal_step(&mut self, floor: &Floor<'_>, a: f64) -> Result<(), OracleError> {
        let n = self.n;
        let mu = self.curvatures.iter().copied().fold(f64::INFINITY, f64::min);
        // theta does not feel a common constant, but rounding does: heights at the centre are measured from the highest.
        for k in 0..self.offsets.len() {
            self.shifted[k] = self.height(k, &self.centre);
        }
        let highest = self.shifted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = self.shifted[..self.count].iter().copied().fold(f64::INFINITY, f64::min);
        for k in 0..self.offsets.len() {
            let (curvature, y) = (self.curvatures[k], &self.y[k * n..][..n]);
            let tangent = self.tangents.row_mut(k);
            tangent.copy_from_slice(self.slopes.row(k));
            if curvature > 0.0 {
                let away = self.centre.iter().zip(y).map(|(c, y)| c - y);
                tangent.iter_mut().zip(away).for_each(|(t, away)| *t += curvature * away);
            }
            self.shifted[k] -= highest + dot(tangent, &self.centre);
        }
        let subproblem = Subproblem {
            mapping: &self.tangents,
            offset: &self.shifted,
            centre: &self.centre,
            weight: Weight::scalar(1.0 / a + mu),
            composer: &self.max,
            regulariser: floor.regulariser(),
            budget: floor.budget(),
        };
        let tolerance = 1e-9 * (highest - lowest);
        self.solver.solve(
            &subproblem,
            Accuracy::exact(tolerance),
            NEWTON_STEPS,
            &mut self.theta,
            &mut self.w,
        )?;
        Ok(())
    }
}
