//! The bounds of a step: what its minorant proves alone, and together with others when that can matter.

use super::Run;
use super::tuning::{AT_REST, BOUND_SHARE, ENOUGH_PROVEN, LONGEST_WAIT};
use crate::method::{Candidate, Method, StepError};

/// How the gap falls from one combination to the next.
pub(super) struct Pace {
    /// The objective at the last point of the method, whether that is the best or not.
    objective: f64,
    /// When the last combination was, and the gap that it left.
    step: usize,
    gap: f64,
    /// When the next one is due.
    next: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { objective: f64::INFINITY, step: 0, gap: f64::INFINITY, next: 0 }
    }
}

impl Run<'_> {
    /// Takes in what a step shows of the lower bound.
    pub(super) fn take_bounds(&mut self, method: &dyn Method) -> Result<(), StepError> {
        if let Some(at) = method.linearisation() {
            // What one minorant proves nearly to the last is not combined with others: each is read once more for the proof.
            let worthwhile = self.best.charged - ENOUGH_PROVEN * self.tolerance(self.best.objective);
            self.bounds.take_alone(&at)?;
            if self.is_combination_due(&method.candidate()) {
                self.bounds.combine(worthwhile);
                self.keep_pace();
            }
        }
        self.tighten(method)
    }

    /// Whether minorants are to be combined after this step. They always are while that takes a small share of the run's operations. Beyond
    /// it they wait for about half the steps in which the gap, falling as it has, would close, or until the objective rests. Decision 0037.
    fn is_combination_due(&mut self, candidate: &Candidate<'_>) -> bool {
        let u = self.problem.regulariser().value(candidate.x);
        let objective = self.problem.objective_part(candidate.row_values) + u;
        let before = std::mem::replace(&mut self.pace.objective, objective);
        let is_at_rest = (objective - before).abs() <= AT_REST * self.tolerance(objective);
        let is_affordable = self.bounds.operations() <= BOUND_SHARE * self.spent_on_products();
        is_affordable || is_at_rest || self.steps_taken >= self.pace.next
    }

    /// Says when combinations are due again, now that one has left this gap.
    fn keep_pace(&mut self) {
        let (steps, gap) = (self.steps_taken, self.best.charged - self.bounds.lower());
        let (since, fallen) = ((steps - self.pace.step.min(steps)) as f64, self.pace.gap / gap);
        // Steps until the gap is closed, if it goes on to fall by this factor in each.
        let needed = since * (gap / self.tolerance(self.best.objective)).ln() / fallen.ln();
        let wait = match fallen > 1.0 {
            true if needed.is_finite() => (0.5 * needed) as usize,
            _ => LONGEST_WAIT,
        };
        self.pace = Pace { next: steps + wait.clamp(1, LONGEST_WAIT), step: steps, gap, ..self.pace };
    }
}
