//! Auxiliary runs: the same loop with a method that improves one side of the optimality conditions, under a part of the budget.
//! They look for points that satisfy the constraints, for multipliers whose lower bound is tight, and for rays.

use super::judge::is_optimal;
use super::tuning::{AUXILIARY_BUDGET, AUXILIARY_GROWTH, RAY_BUDGET};
use super::{Run, iterate};
use crate::budget::Stop;
use crate::certificate::Infeasibility;
use crate::method::{Aim, Candidate, Kkt, Method, PrimalDual, Residuals, StepError};
use crate::oracle::OracleError;

/// Steps of the run from which on each kind of auxiliary run may try again.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub(super) feasibility: usize,
    pub(super) multipliers: usize,
    pub(super) rays: usize,
    pub(super) rounding: usize,
    pub(super) phase_one: usize,
}

/// What came of the search for a feasible point.
pub(super) enum Polished {
    /// It was not due, or not good enough.
    Nothing,
    /// A point that is the best from now on, with what is left of the optimality conditions.
    Point(Kkt),
    /// There is no feasible point, as the multipliers of the attempt prove.
    Infeasible(Infeasibility),
}

impl Run<'_> {
    /// Runs `finder` until there is an outcome; nothing where its part of the budget is spent before.
    pub(super) fn search<'f, T>(
        &mut self,
        finder: &mut PrimalDual<'f>,
        mut outcome: impl FnMut(&mut Self, &PrimalDual<'f>) -> Result<Option<T>, OracleError>,
    ) -> Result<Option<T>, StepError> {
        let (least, share) = if finder.aim() == Aim::Ray { RAY_BUDGET } else { AUXILIARY_BUDGET };
        let part = self.budget.part(least.max(self.counts.steps / share));
        let found = iterate(finder, &part, |finder, step| {
            self.counts.values += step.counts.values;
            Ok(outcome(self, finder)?)
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.stop() == Some(Stop::Gradients) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// When a kind of auxiliary run that begins now may try again.
    pub(super) fn next_attempt(&self) -> usize {
        AUXILIARY_GROWTH * self.counts.steps
    }

    /// Where the optimality conditions hold but the bound is not tight, looks for multipliers near the last ones for which it
    /// is: those under which the last x is stationary.
    pub(super) fn tighten(&mut self, method: &dyn Method) -> Result<(), StepError> {
        let Residuals::Kkt(kkt) = method.residuals() else { return Ok(()) };
        let optimal = kkt.dual.max(kkt.gap) <= self.settings.eps_rel;
        if self.counts.steps < self.schedule.multipliers || !optimal || self.is_bound_tight(&kkt) {
            return Ok(());
        }
        let Some(mut finder) = method.aiming_at(Aim::Multipliers) else { return self.straighten(method) };
        self.schedule.multipliers = self.next_attempt();
        let Candidate { x, multipliers, .. } = method.candidate();
        finder.set_centre(x)?;
        finder.restart_from(None, Some(multipliers), None)?;
        self.search(&mut finder, |run, finder| {
            run.bounds.take(&finder.linearisation_at_centre(), f64::INFINITY)?;
            Ok(run.is_bound_tight(&kkt).then_some(()))
        })?;
        Ok(())
    }

    /// Whether the bound is as close to the objective at the last x as asked for, or there is none.
    fn is_bound_tight(&self, kkt: &Kkt) -> bool {
        let (lower, tolerance) = (self.bounds.lower(), self.tolerance(kkt.objective));
        lower == f64::NEG_INFINITY || kkt.objective - lower <= tolerance
    }

    /// Looks for a feasible point near the last one where all but its violation is within tolerance; the `last_chance` is
    /// worth an attempt that is not due.
    pub(super) fn polish(
        &mut self,
        method: &dyn Method,
        kkt: &Kkt,
        last_chance: bool,
    ) -> Result<Polished, StepError> {
        let main = method.candidate();
        let target = self.violation_target();
        let violated = self.problem.violation_of(main.row_values) > target;
        let due = self.counts.steps >= self.schedule.feasibility || last_chance;
        if !(violated && due && is_optimal(&self.settings, &self.evidence(method.residuals()), kkt)) {
            return Ok(Polished::Nothing);
        }
        let Some(mut polisher) = method.aiming_at(Aim::Feasibility) else {
            return self.polish_by_moves(method, kkt, target);
        };
        self.schedule.feasibility = self.next_attempt();
        polisher.restart_from(Some(main.x), None, None)?;
        let feasible =
            |_: &mut Self, polisher: &PrimalDual<'_>| Ok((polisher.violation()[0] <= target).then_some(()));
        if self.search(&mut polisher, feasible)?.is_none() {
            let proof = self.infeasibility_of_displacements(&polisher.displacements())?;
            return Ok(proof.map_or(Polished::Nothing, Polished::Infeasible));
        }
        let mut dual = kkt.dual;
        if let Some(slope) = main.slope.filter(|_| !self.is_all_affine()) {
            self.budget.gradient()?;
            dual += polisher.slope_change(main.multipliers, slope)?;
        }
        let (x, row_values) = (polisher.x(), polisher.row_values());
        let feasible = Candidate { x, row_values, multipliers: main.multipliers, slope: None };
        Ok(self.adopt(&feasible, Kkt { primal: polisher.violation()[1], dual, ..*kkt }))
    }

    /// The same where the method has no such run: the least moves after which the rows hold. Only where all slopes stay as they are.
    fn polish_by_moves(
        &mut self,
        method: &dyn Method,
        kkt: &Kkt,
        target: f64,
    ) -> Result<Polished, StepError> {
        let main = method.candidate();
        let at = method.linearisation().filter(|at| at.mapping.has_rows() && self.is_all_affine());
        let Some(at) = at.filter(|_| self.violated_rows_are_affine(main.row_values)) else {
            return Ok(Polished::Nothing);
        };
        self.schedule.feasibility = self.next_attempt();
        let (mut x, mut row_values) = (main.x.to_vec(), main.row_values.to_vec());
        self.move_inside(at.mapping, target, &mut x, &mut row_values)?;
        let primal = self.problem.violation_of(&row_values);
        if primal > target {
            return Ok(Polished::Nothing);
        }
        let moved = Candidate { x: &x, row_values: &row_values, multipliers: main.multipliers, slope: None };
        Ok(self.adopt(&moved, Kkt { primal, ..*kkt }))
    }

    /// Makes the feasible point the best, if the multipliers at hand are good for it.
    fn adopt(&mut self, candidate: &Candidate<'_>, kkt: Kkt) -> Polished {
        let Candidate { x, row_values, .. } = *candidate;
        let objective = self.problem.objective_part(row_values) + self.problem.regulariser().value(x);
        let dual_objective = kkt.dual_objective;
        let gap = (objective - dual_objective).abs() / (1.0 + objective.abs() + dual_objective.abs());
        let judged = Kkt { gap, objective, ..kkt };
        let proven = self.best.is_proven(self.problem, &self.settings, self.bounds.lower(), candidate);
        let evidence = self.evidence(Residuals::Kkt(judged));
        if !(proven || is_optimal(&self.settings, &evidence, &judged)) {
            return Polished::Nothing;
        }
        self.best.set(self.problem, candidate);
        Polished::Point(judged)
    }

    fn is_all_affine(&self) -> bool {
        (0..self.problem.rows()).all(|row| self.problem.is_affine(row))
    }
}
