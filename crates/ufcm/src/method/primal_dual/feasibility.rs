//! The same iteration with the objective set aside: a point of X near a given one that satisfies the constraints.
//!
//! ```text
//! x+ = P_X(x - W^-1 J'l)       the projection in the norm of W
//! l+ as ever on constraints, 0 elsewhere
//! ```
//!
//! Without an objective to trade with, far fewer iterations make a violation tiny.

use super::{Point, PrimalDual};
use crate::oracle::OracleError;

/// Heavy enough beside any regulariser that its prox only projects.
pub(super) const HEAVY: f64 = 1e30;

impl PrimalDual<'_> {
    /// A second run on the same rows and constants that looks for feasible points only; see
    /// [`PrimalDual::look_for_feasibility_from`]. Its multipliers say nothing of the objective.
    #[must_use]
    pub fn with_objective_aside(&self) -> Self {
        let mut scaling = self.scaling.clone();
        scaling.curvature = 0.0;
        Self {
            problem: self.problem,
            mapping: self.mapping.fork(),
            terms: self.terms.clone(),
            pinned: self.pinned.clone(),
            curved: false,
            objective_aside: true,
            scaling,
            relaxation: 2.0,
            at: self.at.clone(),
            next: self.next.clone(),
            anchor: self.anchor.clone(),
            ..*self
        }
    }

    /// Starts anew from `x` in X, with multipliers 0.
    ///
    /// # Errors
    /// A row that cannot be evaluated there.
    pub fn look_for_feasibility_from(&mut self, x: &[f64], omega: f64) -> Result<(), OracleError> {
        let Point { x: start, l, .. } = &mut self.at;
        start.copy_from_slice(x);
        l.fill(0.0);
        self.omega = omega;
        self.iterations = 0;
        self.evaluate()?;
        self.begin_epoch();
        Ok(())
    }

    /// How far the last point is from satisfying the constraints, and that relative to the size of the rows.
    #[must_use]
    pub fn violation(&self) -> [f64; 2] {
        let distance = self.problem.composer().domain_distance(&self.next.values);
        [distance, distance / (1.0 + self.row_size)]
    }
}
