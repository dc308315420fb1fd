//! Runs of the primal-dual method: batches of cheap steps, bounds and statuses after each batch.

use super::aside::Aside;
use super::incumbent::{Candidate, Incumbent};
use super::polish::Polished;
use super::{End, INFEASIBILITY_STEPS, Observer, Run};
use crate::certificate::{Floor, LowerModel, Premise};
use crate::error::DataError;
use crate::method::{Aim, Kkt, PrimalDual, StepError};
use crate::report::{Control, Progress, Record, Report, Status, Trouble};
use crate::settings::MethodRule;
use crate::solve::stopping::{self, Standing};

/// Rows from which on products with the matrix are all that a step should cost: where it is sparse, and in any case.
const MANY_ROWS: (usize, usize) = (1000, 20_000);
/// The share of stored entries up to which a matrix counts as sparse.
const SPARSE: f64 = 0.2;
/// Where a bound is finite, optimality conditions that hold this much better than asked for end a run without it, ...
const CLEARLY: f64 = 0.1;
/// ... once the run is this many times as long as it took them to hold: the slopes that a bound needs come last.
const WAIT: usize = 4;
/// Iterations, and the share of all, without improvement after which a run gives up.
const PATIENCE: (usize, usize) = (500_000, 2);
/// The factor by which the error must fall to count as improvement.
const IMPROVEMENT: f64 = 0.99;
/// What the batches of a run work on.
pub(super) struct Workings<'a, 'p> {
    pub(super) method: PrimalDual<'a>,
    pub(super) polish: Aside<'a>,
    pub(super) ray: Aside<'a>,
    pub(super) multipliers: Aside<'a>,
    pub(super) model: LowerModel,
    pub(super) floor: Floor<'p>,
    /// The least error so far, and the iteration of the last improvement that counted.
    least: f64,
    improved: (f64, usize),
    batches: usize,
    /// The iteration from which on optimality conditions hold, though no bound proves it.
    solved_since: Option<usize>,
}

impl<'a> Run<'a> {
    /// Whether the primal-dual method is to solve the problem.
    pub(super) fn is_primal_dual(&self) -> bool {
        match self.settings.method {
            MethodRule::Adaptive | MethodRule::Sliding | MethodRule::Ufcm | MethodRule::Restarted => false,
            MethodRule::PrimalDual => true,
            MethodRule::Auto => {
                let problem = self.problem;
                let (m, n) = (problem.rows(), problem.dimension());
                // Two operations for each stored entry.
                let stored = || problem.mapping().operations().map_or(f64::INFINITY, |ops| 0.5 * ops as f64);
                let many = m > MANY_ROWS.1 || (m > MANY_ROWS.0 && stored() <= SPARSE * (m * n) as f64);
                many && self.may_change_over()
            }
        }
    }

    /// Whether the primal-dual method may take over by itself: where everything is affine. Model steps are the whole problem
    /// there, but for the proximal term, and where a kinked composer of many rows keeps them from being solved to the end,
    /// more of them do not help.
    pub(super) fn may_change_over(&self) -> bool {
        let problem = self.problem;
        self.settings.method == MethodRule::Auto
            && problem.composer().has_diagonal_prox()
            && (0..problem.rows()).all(|row| problem.is_affine(row))
    }

    pub(super) fn drive_primal_dual(mut self, observer: Observer<'_>) -> Result<Report, DataError> {
        let premise = self.premise()?;
        let mut workings = Workings {
            method: PrimalDual::new(self.problem, &self.start.0, &self.start.1)?,
            polish: Aside::aiming_at(Aim::Feasibility),
            ray: Aside::aiming_at(Aim::Ray),
            multipliers: Aside::aiming_at(Aim::Multipliers),
            // The last minorant alone: iterates that are averages already gain little from combinations.
            model: LowerModel::new(self.problem, 1)?,
            floor: Floor::new(self.problem, &premise),
            least: f64::INFINITY,
            improved: (f64::INFINITY, 0),
            batches: 0,
            solved_since: None,
        };
        let end = loop {
            let outcome = self.batch(&mut workings, &premise, observer);
            if let Some(end) = outcome.unwrap_or_else(|error| Some(End::trouble(&error))) {
                break end;
            }
        };
        let jacobian = workings.method.linearisation().mapping;
        Ok(self.report(end, &workings.model, &premise, Some(jacobian)))
    }

    /// A batch of iterations with all that follows from it; how the run ends, if it does.
    fn batch(
        &mut self,
        workings: &mut Workings<'a, '_>,
        premise: &Premise,
        observer: Observer<'_>,
    ) -> Result<Option<End>, StepError> {
        let (record, kkt) = self.iterate(workings)?;
        let method = &workings.method;
        let (multipliers, row_values) = (method.multipliers(), method.row_values());
        let progress = Progress { record, x: &self.best.x, multipliers, row_values, prelude: false };
        if observer(&progress) == Control::Stop {
            return Ok(Some(End::new(Status::Interrupted)));
        }
        let last_chance = self.ends_without_proof(&kkt, workings);
        let polished = match self.polish(workings, &kkt, last_chance, premise)? {
            Polished::Infeasible(proof) => return Ok(Some(End::infeasible(proof))),
            Polished::Point(record, kkt) => Some((record, kkt)),
            Polished::Nothing => None,
        };
        let (record, kkt) = polished.unwrap_or((record, kkt));
        let solved = self.ends_without_proof(&kkt, workings);
        let method = &workings.method;
        let seconds = self.settings.time_limit.map(|_| self.seconds());
        let standing =
            Standing { stationarity: f64::INFINITY, movement: f64::INFINITY, premised: true, seconds };
        let decided = stopping::decide(self.settings, &record, &standing);
        if solved && decided != Some(Status::Certified) {
            if polished.is_none() {
                self.best.set(self.problem, &candidate(method));
            }
            return Ok(Some(End::new(Status::Solved)));
        }
        if let Some(status) = decided {
            return Ok(Some(End::new(status)));
        }
        if workings.batches.is_multiple_of(INFEASIBILITY_STEPS)
            && let Some(end) = self.look_for_rays(workings, &kkt, premise)?
        {
            return Ok(Some(end));
        }
        let (idle, total) = (record.counts.steps - workings.improved.1, record.counts.steps);
        Ok((idle > PATIENCE.0.max(total / PATIENCE.1)).then(|| {
            let trouble = Trouble::NoConvergence { iterations: idle };
            End { trouble: Some(trouble), ..End::new(Status::NumericalError) }
        }))
    }

    /// The iterations of a batch, the bound and the best point.
    fn iterate(&mut self, workings: &mut Workings<'a, '_>) -> Result<(Record, Kkt), StepError> {
        let (settings, before) = (self.settings, self.counts.gradients);
        let stop = |gradients: usize| self.is_at_a_limit(before + gradients);
        let step = workings.method.step_unless(&stop)?;
        self.counts.gradients += step.iterations;
        self.counts.values += step.iterations;
        self.counts.steps += step.iterations;
        self.counts.restarts += step.restarts;
        workings.model.push(&workings.method.linearisation())?;
        self.lower_bound = workings.model.bound(&mut workings.floor, f64::INFINITY);
        self.tighten(workings, &step.kkt)?;
        let Workings { method, least, improved, batches, .. } = workings;
        *batches += 1;
        let candidate = candidate(method);
        self.interior.offer(self.problem, candidate.x, candidate.row_values);
        let error = step.kkt.error();
        let proven = Incumbent::is_proven(self.problem, settings, self.lower_bound, &candidate);
        if error < *least || proven {
            self.best.set(self.problem, &candidate);
            *least = error.min(*least);
        }
        if *least < IMPROVEMENT * improved.0 {
            *improved = (*least, self.counts.steps);
        }
        let record = self.record(method.scales()[0], step.restarts > 0);
        self.history.push(record);
        self.last = Some(record);
        Ok((record, step.kkt))
    }

    /// Whether the optimality conditions hold, and did so long enough for a bound to follow if one is finite.
    fn ends_without_proof(&self, kkt: &Kkt, workings: &mut Workings<'_, '_>) -> bool {
        if !self.is_solved(kkt) {
            return false;
        }
        let steps = self.counts.steps;
        let since = *workings.solved_since.get_or_insert(steps);
        self.required_share() == 1.0 || steps >= WAIT * since
    }

    /// Whether the optimality conditions hold within tolerance; clearly so where a finite bound has not proven it yet,
    /// unless all that is missing is a violation that is small beside the data only.
    fn is_solved(&self, kkt: &Kkt) -> bool {
        kkt.primal <= self.required_share() * self.settings.eps_feas && self.is_optimal(kkt)
    }

    /// As [`Run::is_solved`], feasibility left aside.
    pub(super) fn is_optimal(&self, kkt: &Kkt) -> bool {
        kkt.dual.max(kkt.gap) <= self.required_share() * self.settings.eps_rel
    }

    /// The share of the tolerances that the optimality conditions must meet.
    fn required_share(&self) -> f64 {
        let (objective, bound) = (self.best.objective, self.lower_bound);
        let close = objective - bound <= self.settings.gap_tolerance(objective);
        if bound == f64::NEG_INFINITY || close { 1.0 } else { CLEARLY }
    }
}

fn candidate<'c>(method: &'c PrimalDual<'_>) -> Candidate<'c> {
    Candidate { x: method.x(), row_values: method.row_values(), multipliers: method.multipliers() }
}
