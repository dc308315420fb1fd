//! The model step of Newton's method.

use super::Newton;
use super::secants::Corrected;
use crate::linalg::dot;
use crate::method::tuning::adaptive::NEWTON_STEPS;
use crate::method::tuning::newton::{DEAR, GROWN};
use crate::metric::{CurvedRegulariser, Metric};
use crate::oracle::{OracleError, Weight};
use crate::subproblem::{Accuracy, Outcome, Subproblem};

impl Newton<'_> {
    /// w and l+.
    pub(super) fn solve_model(&mut self) -> Result<Outcome, OracleError> {
        self.multipliers_next.copy_from_slice(&self.multipliers);
        self.is_pulled = false;
        let size = self.offset.iter().fold(1.0f64, |size, b| size.max(b.abs()));
        let accuracy = Accuracy::exact(1e-12 * size);
        if let Some(outcome) = self.solve_inside(accuracy.tolerance)? {
            return Ok(outcome);
        }
        if self.sampling.inside {
            self.outside += 1;
            return Ok(Outcome { steps: 0, residual: f64::INFINITY, solved: false });
        }
        let budget = self.problem.budget();
        let metric = self.metric.as_ref().unwrap_or(&Metric::Scalar);
        let curved = metric.as_curvature().map(|metric| CurvedRegulariser {
            u: self.problem.regulariser(),
            metric,
            centre: &self.x,
            scale: 1.0,
            solver: &self.curved,
            budget,
        });
        let regulariser = curved.as_ref().map_or(self.problem.regulariser(), |curved| curved);
        let subproblem = Subproblem {
            mapping: &*self.mapping,
            offset: &self.offset,
            centre: &self.x,
            weight: metric.weight(1.0),
            composer: self.problem.composer(),
            regulariser,
            budget,
        };
        let (multipliers, w) = (&mut self.multipliers_next, &mut self.x_next);
        self.solver.solve(&subproblem, accuracy, NEWTON_STEPS, multipliers, w)
    }

    /// The same where u has no say; `None` where it has, as far as that can be told.
    fn solve_inside(&mut self, tolerance: f64) -> Result<Option<Outcome>, OracleError> {
        let (problem, budget) = (self.problem, self.problem.budget());
        let Some(interior) = &mut self.interior else { return Ok(None) };
        let Some(metric) = self.metric.as_ref().and_then(Metric::as_curvature) else { return Ok(None) };
        let weight = Weight::scalar(metric.delta());
        if !interior.is_at_rest(problem.regulariser(), weight, &self.x) {
            return Ok(None);
        }
        let Some(inverse) = self.curved.inverse(metric, budget) else { return Ok(None) };
        let subproblem = Subproblem {
            mapping: &*self.mapping,
            offset: &self.offset,
            centre: &self.x,
            weight,
            composer: problem.composer(),
            regulariser: problem.regulariser(),
            budget,
        };
        let inverse = Corrected { inverse, secants: &self.secants };
        let (multipliers, w) = (&mut self.multipliers_next, &mut self.x_next);
        let outcome = interior.solve(&subproblem, &inverse, (tolerance, NEWTON_STEPS), multipliers, w)?;
        self.is_pulled = outcome.is_some();
        if self.is_pulled {
            // Without u the model step has (H + delta I) (w - x) = -J'l+.
            self.mapping.apply_transpose(&self.multipliers_next, &mut self.pull);
            self.pull.iter_mut().for_each(|pull| *pull = -*pull);
        }
        Ok(outcome)
    }

    /// What the slopes before and after the step that led here tell of the curvature along it.
    pub(super) fn curvature_along(&self) -> f64 {
        dot(&self.direction, &self.slope) + dot(&self.direction, &self.pull)
    }

    /// Takes in what that step has shown.
    pub(super) fn learn(&mut self) {
        // J'l+ after the step, less that before it.
        let change = self.slope.iter().zip(&self.pull).map(|(after, pull)| after + pull);
        self.secants.take(&self.direction, change);
    }

    /// Whether H with its factors costs more than a read of the data or two.
    pub(super) fn is_dear(&self) -> bool {
        self.sampling.patience > DEAR
    }

    /// Takes in what an attempt that failed the test has shown; false where H is to be formed anew, or nothing was shown.
    pub(super) fn learn_from_failure(&mut self) -> bool {
        // Pairs do not make up for a row that H knows nothing of.
        let is_new = |j: usize, l: f64| self.counted[j] == 0.0 && l > 0.0;
        let has_grown = |j: usize, l: f64| self.age == 0 && l > GROWN * self.weights[j];
        let unknown =
            |(j, l): (usize, &f64)| !self.mapping.is_affine(j) && (is_new(j, *l) || has_grown(j, *l));
        let is_unknown = self.multipliers_next.iter().enumerate().any(unknown);
        if !self.is_pulled || !self.is_dear() || is_unknown {
            return false;
        }
        self.next.apply_transpose(&self.multipliers_next, &mut self.slope_next);
        let change = self.slope_next.iter().zip(&self.pull).map(|(after, pull)| after + pull);
        self.secants.take(&self.direction, change)
    }
}
