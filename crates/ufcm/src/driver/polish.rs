//! Feasibility polish: where the optimality conditions hold but for the violation, a point near the last one that satisfies
//! the constraints much better is looked for with the objective set aside, and judged by the multipliers at hand.

use super::Run;
use super::incumbent::{Candidate, Incumbent};
use super::primal_dual::Workings;
use crate::certificate::{Infeasibility, Premise};
use crate::method::{Aim, Kkt, PrimalDual, StepError};
use crate::report::Record;

/// An attempt takes at most this many iterations, or one in so many of all so far if that is more.
const BUDGET: (usize, usize) = (1024, 4);
/// After a failure the run must have grown by this factor before the next attempt.
const GROWTH: usize = 2;
/// Iterations between two looks at the violation.
const ITERATIONS: usize = 16;

/// The iterations that an attempt may take after so many of the run.
pub(super) fn budget(steps: usize) -> usize {
    BUDGET.0.max(steps / BUDGET.1)
}

/// A run beside the run, with the objective set aside, made when it is first needed.
pub(super) struct Side<'a> {
    aim: Aim,
    method: Option<PrimalDual<'a>>,
    /// Iterations of the run from which on to try.
    pub(super) due: usize,
}

impl<'a> Side<'a> {
    pub(super) fn aiming_at(aim: Aim) -> Self {
        Self { aim, method: None, due: 0 }
    }

    /// The method for another attempt after so many iterations of the run.
    pub(super) fn begin(&mut self, main: &PrimalDual<'a>, steps: usize) -> &mut PrimalDual<'a> {
        self.due = GROWTH * steps;
        self.method.get_or_insert_with(|| main.aiming_at(self.aim))
    }
}

/// What came of an attempt.
pub(super) enum Polished {
    /// It was not due, or not good enough.
    Nothing,
    /// A point that is the best from now on, with what is left of the optimality conditions.
    Point(Record, Kkt),
    /// There is no feasible point, as the multipliers of the attempt prove.
    Infeasible(Infeasibility),
}

impl<'a> Run<'a> {
    /// Polishes the last point where all but its violation is within tolerance; the `last_chance` is worth an attempt that
    /// is not due.
    pub(super) fn polish(
        &mut self,
        workings: &mut Workings<'a, '_>,
        kkt: &Kkt,
        last_chance: bool,
        premise: &Premise,
    ) -> Result<Polished, StepError> {
        let Workings { method, polish, .. } = workings;
        let violated = method.violation()[0] > self.settings.eps_feas;
        let due = self.counts.steps >= polish.due || last_chance;
        if !(violated && due && self.is_optimal(kkt)) {
            return Ok(Polished::Nothing);
        }
        let polisher = polish.begin(method, self.counts.steps);
        polisher.restart_from(method.x(), method.omega())?;
        if !self.reaches_feasibility(polisher)? {
            for ray in polisher.displacements() {
                if let Some(proof) = self.infeasibility_of(&ray, premise)? {
                    return Ok(Polished::Infeasible(proof));
                }
            }
            return Ok(Polished::Nothing);
        }
        let (x, row_values, multipliers) = (polisher.x(), polisher.row_values(), method.multipliers());
        let candidate = Candidate { x, row_values, multipliers };
        let objective = self.problem.objective_part(row_values) + self.problem.regulariser().value(x);
        let dual_objective = kkt.dual_objective;
        let gap = (objective - dual_objective).abs() / (1.0 + objective.abs() + dual_objective.abs());
        let judged = Kkt { primal: polisher.violation()[1], gap, ..*kkt };
        let proven = Incumbent::is_proven(self.problem, self.settings, self.lower_bound, &candidate);
        if !(proven || self.is_optimal(&judged)) {
            return Ok(Polished::Nothing);
        }
        self.best.set(self.problem, &candidate);
        let record = self.record(method.scales()[0], false);
        self.history.push(record);
        self.last = Some(record);
        Ok(Polished::Point(record, judged))
    }

    /// Iterates until the violation is within tolerance; `false` where the budget or a limit ends it before.
    fn reaches_feasibility(&mut self, polisher: &mut PrimalDual<'_>) -> Result<bool, StepError> {
        let (budget, mut spent) = (budget(self.counts.steps), 0);
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
