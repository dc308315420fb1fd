//! Runs of the primal-dual method: batches of cheap steps, bounds and statuses after each batch.

use super::incumbent::{Candidate, Incumbent};
use super::polish::Polish;
use super::{End, INFEASIBILITY_STEPS, Observer, Run};
use crate::certificate::{Floor, Infeasibility, LowerModel, Premise, Witness};
use crate::error::DataError;
use crate::method::{Displacement, Kkt, PrimalDual, StepError};
use crate::oracle::{OracleError, Weight};
use crate::projection::norm;
use crate::report::{Control, Progress, Record, Report, Status};
use crate::settings::MethodRule;
use crate::stopping::{self, Standing};

/// Rows from which on products with the matrix are all that a step should cost: where it is sparse, and in any case.
const MANY_ROWS: (usize, usize) = (1000, 20_000);
/// The share of stored entries up to which a matrix counts as sparse.
const SPARSE: f64 = 0.2;
/// Where a bound is finite, optimality conditions that hold this much better than asked for end a run without it, ...
const CLEARLY: f64 = 0.1;
/// ... once the run is this many times as long as it took them to hold: the slopes that a bound needs come last.
const WAIT: usize = 8;
/// Iterations, and the share of all, without improvement after which a run gives up.
const PATIENCE: (usize, usize) = (500_000, 2);
/// The factor by which the error must fall to count as improvement.
const IMPROVEMENT: f64 = 0.99;
/// Heavy enough that a prox only projects.
const HEAVY: f64 = 1e30;
/// Along a ray of unboundedness violations grow by no more than this share of what the objective falls by.
const RAY_VIOLATION: f64 = 1e-9;
/// In an unbounded domain a proof of infeasibility speaks of this many times the size of the iterates.
const REACH: f64 = 1e8;

/// What the batches of a run work on.
pub(super) struct Workings<'a, 'p> {
    pub(super) method: PrimalDual<'a>,
    pub(super) polish: Polish<'a>,
    model: LowerModel,
    floor: Floor<'p>,
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
            MethodRule::Adaptive => false,
            MethodRule::PrimalDual => true,
            MethodRule::Auto => {
                let problem = self.problem;
                let (m, n) = (problem.rows(), problem.dimension());
                let linear = || (0..m).all(|row| problem.is_affine(row));
                // Two operations for each stored entry.
                let stored = || problem.mapping().operations().map_or(f64::INFINITY, |ops| 0.5 * ops as f64);
                let many = m > MANY_ROWS.1 || (m > MANY_ROWS.0 && stored() <= SPARSE * (m * n) as f64);
                many && problem.composer().has_diagonal_prox() && linear()
            }
        }
    }

    pub(super) fn drive_primal_dual(mut self, observer: Observer<'_>) -> Result<Report, DataError> {
        let premise = self.premise()?;
        let mut workings = Workings {
            method: PrimalDual::new(self.problem, &self.start.0, &self.start.1)?,
            polish: Polish::new(),
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
        Ok(self.report(end, &workings.model, &premise))
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
        let progress = Progress { record, x: &self.best.x, multipliers, row_values };
        if observer(&progress) == Control::Stop {
            return Ok(Some(End::new(Status::Interrupted)));
        }
        let last_chance = self.ends_without_proof(&kkt, workings);
        let polished = self.polish(workings, &kkt, last_chance)?;
        let (record, kkt) = polished.unwrap_or((record, kkt));
        let solved = self.ends_without_proof(&kkt, workings);
        let method = &workings.method;
        let seconds = self.settings.time_limit.map(|_| self.seconds());
        let standing = Standing { stationarity: f64::INFINITY, movement: f64::INFINITY, seconds };
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
            && let Some(end) = self.look_for_rays(method, &kkt, premise)?
        {
            return Ok(Some(end));
        }
        let (idle, total) = (record.counts.steps - workings.improved.1, record.counts.steps);
        Ok((idle > PATIENCE.0.max(total / PATIENCE.1)).then(|| {
            let trouble = format!("no improvement in {idle} iterations: the problem may have no solution");
            End { trouble: Some(trouble), ..End::new(Status::NumericalError) }
        }))
    }

    /// The iterations of a batch, the bound and the best point.
    fn iterate(&mut self, workings: &mut Workings<'_, '_>) -> Result<(Record, Kkt), StepError> {
        let Workings { method, model, floor, least, improved, batches, .. } = workings;
        let (settings, before) = (self.settings, self.counts.gradients);
        let stop = |gradients: usize| self.is_at_a_limit(before + gradients);
        let step = method.step_unless(&stop)?;
        *batches += 1;
        self.counts.gradients += step.iterations;
        self.counts.values += step.iterations;
        self.counts.steps += step.iterations;
        self.counts.restarts += step.restarts;
        model.push(&method.linearisation())?;
        self.lower_bound = model.bound(floor, f64::INFINITY);
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

    /// Differences of iterates tend to rays where there is no solution: proofs of infeasibility, or ways to -inf.
    fn look_for_rays(
        &self,
        method: &PrimalDual<'_>,
        kkt: &Kkt,
        premise: &Premise,
    ) -> Result<Option<End>, OracleError> {
        let feasible = kkt.primal <= self.settings.eps_feas;
        for ray in method.displacements() {
            if feasible && self.falls_along(&ray)? {
                return Ok(Some(End::new(Status::Unbounded)));
            }
            let proof = if feasible { None } else { self.infeasibility_of(&ray, premise)? };
            if proof.is_some() {
                return Ok(Some(End { infeasibility: proof, ..End::new(Status::Infeasible) }));
            }
        }
        Ok(None)
    }

    /// A verified proof from the multipliers' displacement, if it is one.
    fn infeasibility_of(
        &self,
        ray: &Displacement<'_>,
        premise: &Premise,
    ) -> Result<Option<Infeasibility>, OracleError> {
        let mut multipliers: Vec<f64> = ray.l[0].iter().zip(ray.l[1]).map(|(a, b)| a - b).collect();
        let largest = multipliers.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return Ok(None);
        }
        multipliers.iter_mut().for_each(|l| *l /= largest);
        self.problem.composer().prox_conjugate(Weight::scalar(HEAVY), &mut multipliers)?;
        let objective = self.problem.parts().filter(|(_, composer)| !composer.is_constraint());
        objective.for_each(|(rows, _)| multipliers[rows].fill(0.0));
        let size: f64 = multipliers.iter().map(|l| l.abs()).sum();
        if size == 0.0 {
            return Ok(None);
        }
        multipliers.iter_mut().for_each(|l| *l /= size);
        let witnesses = vec![Witness { weight: 1.0, y: ray.x[0].to_vec(), multipliers }];
        let near = Premise::Radius { centre: ray.x[0].to_vec(), radius: REACH * (1.0 + norm(ray.x[0])) };
        let premises = match premise {
            Premise::Radius { .. } => vec![premise.clone()],
            Premise::BoundedDomain => vec![Premise::None],
            // Rounding keeps slopes from vanishing where X is unbounded.
            _ => vec![Premise::None, near],
        };
        let proofs =
            premises.into_iter().map(|premise| Infeasibility { premise, witnesses: witnesses.clone() });
        Ok(proofs.into_iter().find(|proof| proof.verify(self.problem).is_ok()))
    }

    /// Whether the objective falls below the floor along the displacement of x while constraints hold, up to a tiny share of
    /// the fall.
    fn falls_along(&self, ray: &Displacement<'_>) -> Result<bool, OracleError> {
        let problem = self.problem;
        let x = ray.x[0];
        let mut values = vec![0.0; problem.rows()];
        problem.mapping().values(x, &mut values)?;
        let here = problem.objective_part(&values) + problem.regulariser().value(x);
        let moved = |t: f64| -> Vec<f64> { x.iter().zip(ray.x[1]).map(|(a, b)| a + t * (a - b)).collect() };
        let ahead = moved(1.0);
        problem.mapping().values(&ahead, &mut values)?;
        let rate = here - problem.objective_part(&values);
        if !(rate > 0.0 && self.settings.objective_floor.is_finite()) {
            return Ok(false);
        }
        let mut far = moved(10.0 * (here - self.settings.objective_floor) / rate);
        problem.regulariser().prox(Weight::scalar(HEAVY), &mut far)?;
        problem.mapping().values(&far, &mut values)?;
        let there = problem.objective_part(&values) + problem.regulariser().value(&far);
        let violation = problem.composer().domain_distance(&values);
        Ok(there < self.settings.objective_floor && violation <= RAY_VIOLATION * (here - there))
    }
}

fn candidate<'c>(method: &'c PrimalDual<'_>) -> Candidate<'c> {
    Candidate { x: method.x(), row_values: method.row_values(), multipliers: method.multipliers() }
}
