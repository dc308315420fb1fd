//! Feasibility polish: where the optimality conditions hold but for the violation, a point near the last one that satisfies
//! the constraints much better is looked for with the objective set aside, and judged by the multipliers at hand.

use super::Run;
use super::incumbent::{Candidate, Incumbent};
use super::primal_dual::Workings;
use crate::method::{Kkt, PrimalDual, StepError};
use crate::report::Record;

/// An attempt takes at most this many iterations, or one in so many of all so far if that is more.
const BUDGET: (usize, usize) = (1024, 4);
/// After a failure the run must have grown by this factor before the next attempt.
const GROWTH: usize = 2;
/// Iterations between two looks at the violation.
const ITERATIONS: usize = 16;

/// The run with the objective set aside, once it was needed.
pub(super) struct Polish<'a> {
    method: Option<PrimalDual<'a>>,
    /// Iterations of the run from which on to try.
    due: usize,
}

impl Polish<'_> {
    pub(super) fn new() -> Self {
        Self { method: None, due: 0 }
    }
}

impl<'a> Run<'a> {
    /// A polished point with what is then left of the optimality conditions, where it was worth looking for and good enough;
    /// it is the best point from then on. The `last_chance` is worth another attempt.
    pub(super) fn polish(
        &mut self,
        workings: &mut Workings<'a, '_>,
        kkt: &Kkt,
        last_chance: bool,
    ) -> Result<Option<(Record, Kkt)>, StepError> {
        let Workings { method, polish, .. } = workings;
        let violated = method.violation()[0] > self.settings.eps_feas;
        let due = self.counts.steps >= polish.due || last_chance;
        if !(violated && due && self.is_optimal(kkt)) {
            return Ok(None);
        }
        polish.due = GROWTH * self.counts.steps;
        let polisher = polish.method.get_or_insert_with(|| method.with_objective_aside());
        polisher.look_for_feasibility_from(method.x(), method.omega())?;
        if !self.reaches_feasibility(polisher)? {
            return Ok(None);
        }
        let (x, row_values, multipliers) = (polisher.x(), polisher.row_values(), method.multipliers());
        let candidate = Candidate { x, row_values, multipliers };
        let objective = self.problem.objective_part(row_values) + self.problem.regulariser().value(x);
        let dual_objective = kkt.dual_objective;
        let gap = (objective - dual_objective).abs() / (1.0 + objective.abs() + dual_objective.abs());
        let judged = Kkt { primal: polisher.violation()[1], gap, ..*kkt };
        let proven = Incumbent::is_proven(self.problem, self.settings, self.lower_bound, &candidate);
        if !(proven || self.is_optimal(&judged)) {
            return Ok(None);
        }
        self.best.set(self.problem, &candidate);
        let record = self.record(method.scales()[0], false);
        self.history.push(record);
        self.last = Some(record);
        Ok(Some((record, judged)))
    }

    /// Iterates until the violation is within tolerance; `false` where the budget or a limit ends it before.
    fn reaches_feasibility(&mut self, polisher: &mut PrimalDual<'_>) -> Result<bool, StepError> {
        let budget = BUDGET.0.max(self.counts.steps / BUDGET.1);
        let mut spent = 0;
        while spent < budget && !self.is_at_a_limit(self.counts.gradients) {
            let gradients = self.counts.gradients;
            let stop = |taken: usize| taken >= ITERATIONS || self.is_at_a_limit(gradients + taken);
            let step = polisher.step_unless(&stop)?;
            spent += step.iterations;
            self.counts.gradients += step.iterations;
            self.counts.values += step.iterations;
            if polisher.violation()[0] <= self.settings.eps_feas {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
