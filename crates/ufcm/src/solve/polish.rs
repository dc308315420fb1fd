//! One side of the optimality conditions made much better than the rest: points that satisfy the constraints, judged by the
//! multipliers at hand, and multipliers whose lower bound is tight.

use super::Run;
use super::incumbent::{Candidate, Incumbent};
use super::primal_dual::Workings;
use super::rays::difference;
use crate::certificate::{Infeasibility, Premise};
use crate::method::{Displacement, Kkt, PrimalDual, StepError};
use crate::report::Record;

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
        polisher.restart_from(Some(method.x()), None, method.omega())?;
        let feasible = |run: &mut Self, polisher: &PrimalDual<'a>| {
            Ok((polisher.violation()[0] <= run.settings.eps_feas).then_some(()))
        };
        if self.iterate_aside(polisher, feasible)?.is_none() {
            for Displacement { x, l } in polisher.displacements() {
                if let Some(proof) = self.infeasibility_by(x[0], &difference(l), premise)? {
                    return Ok(Polished::Infeasible(proof));
                }
            }
            return Ok(Polished::Nothing);
        }
        let mut dual = kkt.dual;
        if method.is_curved() {
            if self.is_at_a_limit(self.counts.gradients) {
                return Ok(Polished::Nothing);
            }
            self.counts.gradients += 1;
            dual += polisher.slope_change(method)?;
        }
        let (x, row_values, multipliers) = (polisher.x(), polisher.row_values(), method.multipliers());
        let candidate = Candidate { x, row_values, multipliers };
        let objective = self.problem.objective_part(row_values) + self.problem.regulariser().value(x);
        let dual_objective = kkt.dual_objective;
        let gap = (objective - dual_objective).abs() / (1.0 + objective.abs() + dual_objective.abs());
        let judged = Kkt { primal: polisher.violation()[1], dual, gap, objective, dual_objective };
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

    /// Where the optimality conditions hold but the bound is not tight, looks for multipliers near the last ones for which it
    /// is: those under which the last x is stationary.
    pub(super) fn tighten(&mut self, workings: &mut Workings<'a, '_>, kkt: &Kkt) -> Result<(), StepError> {
        let Workings { method, multipliers, model, floor, .. } = workings;
        let optimal = kkt.dual.max(kkt.gap) <= self.settings.eps_rel;
        if self.counts.steps < multipliers.due || !optimal || self.is_bound_tight(kkt) {
            return Ok(());
        }
        let finder = multipliers.begin(method, self.counts.steps);
        finder.set_centre(method.x())?;
        finder.restart_from(None, Some(method.multipliers()), method.omega())?;
        self.iterate_aside(finder, |run, finder| {
            model.push(&finder.linearisation_at_centre())?;
            run.lower_bound = model.bound(floor, f64::INFINITY);
            Ok(run.is_bound_tight(kkt).then_some(()))
        })?;
        Ok(())
    }

    /// Whether the bound is as close to the objective at the last x as asked for, or there is none.
    fn is_bound_tight(&self, kkt: &Kkt) -> bool {
        let tolerance = self.settings.gap_tolerance(kkt.objective);
        self.lower_bound == f64::NEG_INFINITY || kkt.objective - self.lower_bound <= tolerance
    }
}
