//! Unboundedness. Where there is no solution, differences of iterates tend to rays; the objective may fall to -inf along one.

use super::Run;
use super::claim::Claim;
use super::tuning::{BALANCED, FAR, HEAVY, INFEASIBILITY_STEPS, ON_THE_MOVE, RAY_STEPS, RAY_VIOLATION};
use crate::certificate::Premise;
use crate::linalg::norm;
use crate::method::{Aim, Displacement, Kkt, Method, PrimalDual, StepError};
use crate::oracle::{OracleError, Weight};
use crate::report::Status;

impl Run<'_> {
    /// How the run ends if there is no solution and the last differences show it. It is only looked at now and then.
    pub(super) fn look_for_rays(
        &mut self,
        method: &dyn Method,
        kkt: &Kkt,
    ) -> Result<Option<Claim>, StepError> {
        let Some(displacements) = method.displacements() else { return Ok(None) };
        if !self.steps_taken.is_multiple_of(INFEASIBILITY_STEPS) {
            return Ok(None);
        }
        let feasible = kkt.primal <= self.settings.eps_feas;
        for Displacement { x, l } in displacements {
            let proof = if feasible { None } else { self.infeasibility_by(x[0], &difference(l))? };
            if let Some(proof) = proof {
                return Ok(Some(Claim::infeasible(proof)));
            }
            if feasible && self.falls_along(x[0], &difference(x))? {
                return Ok(Some(Claim::new(Status::Unbounded)));
            }
        }
        self.polish_rays(method, displacements[1])
    }

    /// Looks near the ways since the anchor, the objective set aside, for a direction in which it falls forever and for
    /// multipliers that prove infeasibility: one after the other, for both together would be near neither.
    fn polish_rays(
        &mut self,
        method: &dyn Method,
        since_anchor: Displacement<'_>,
    ) -> Result<Option<Claim>, StepError> {
        let Displacement { x, l } = since_anchor;
        let (x_way, l_way) = (on_the_move(x), on_the_move(l));
        if self.counts.steps < self.schedule.rays || (x_way.is_none() && l_way.is_none()) {
            return Ok(None);
        }
        let Some(mut finder) = method.aiming_at(Aim::Ray) else { return Ok(None) };
        self.schedule.rays = self.next_attempt();
        if x_way.is_some() {
            finder.restart_from(x_way.as_deref(), None, Some(BALANCED))?;
            let falls = |run: &mut Self, finder: &PrimalDual<'_>| {
                Ok(run.falls_along(x[0], finder.x())?.then_some(()))
            };
            if self.search(&mut finder, falls)?.is_some() {
                return self.unbounded_or_infeasible(method, &mut finder);
            }
        }
        l_way.map_or(Ok(None), |way| self.prove_infeasible_near(&mut finder, x[0], &way))
    }

    /// A ray means that there is no solution, and a feasible point tells which way; it is looked for near the start, for the
    /// iterates are far out. Where there is none, the multipliers tend to a proof.
    fn unbounded_or_infeasible(
        &mut self,
        method: &dyn Method,
        ray: &mut PrimalDual<'_>,
    ) -> Result<Option<Claim>, StepError> {
        let Some(mut finder) = method.aiming_at(Aim::Feasibility) else { return Ok(None) };
        self.schedule.feasibility = self.next_attempt();
        finder.restart_from(Some(&self.start.x), None, Some(BALANCED))?;
        let feasible = |run: &mut Self, finder: &PrimalDual<'_>| {
            Ok((finder.violation()[1] <= run.settings.eps_feas).then_some(()))
        };
        if self.search(&mut finder, feasible)?.is_some() {
            return Ok(Some(Claim::new(Status::Unbounded)));
        }
        let [_, Displacement { x, l }] = finder.displacements();
        on_the_move(l).map_or(Ok(None), |way| self.prove_infeasible_near(ray, x[0], &way))
    }

    /// Looks for multipliers in a direction near `way` that prove infeasibility.
    fn prove_infeasible_near(
        &mut self,
        finder: &mut PrimalDual<'_>,
        point: &[f64],
        way: &[f64],
    ) -> Result<Option<Claim>, StepError> {
        finder.restart_from(None, Some(way), Some(BALANCED))?;
        self.search(finder, |run, finder| {
            Ok(run.infeasibility_by(point, finder.multipliers())?.map(Claim::infeasible))
        })
    }

    /// Whether a run without a premise, which has come far from its start, is on its way to -inf: along the way from there,
    /// or from where it was at the last look. It is only looked at now and then; a row that cannot be evaluated so far
    /// out tells nothing.
    pub(super) fn runs_away(&mut self) -> bool {
        let feasible = self.best.violation <= self.settings.eps_feas;
        let due = self.counts.steps.is_multiple_of(RAY_STEPS);
        if *self.bounds.premise() != Premise::None || !feasible || !due {
            return false;
        }
        let ways = [&self.start.x, &self.last_look].map(|from| difference([&self.best.x, from]));
        self.last_look.copy_from_slice(&self.best.x);
        norm(&ways[0]) > FAR * (1.0 + norm(&self.start.x))
            && ways.iter().any(|way| self.falls_along(&self.best.x, way).unwrap_or(false))
    }

    /// Whether the objective falls below the floor in `direction` from `x` while constraints hold, up to a tiny share of the
    /// fall.
    fn falls_along(&self, x: &[f64], direction: &[f64]) -> Result<bool, OracleError> {
        let problem = self.problem;
        let mut values = vec![0.0; problem.rows()];
        problem.mapping().values(x, &mut values)?;
        let here = problem.objective_part(&values) + problem.regulariser().value(x);
        let moved = |t: f64| -> Vec<f64> { x.iter().zip(direction).map(|(x, d)| x + t * d).collect() };
        // As far as x is from 0, so that rounding does not drown the difference.
        let step = (1.0 + norm(x)) / norm(direction);
        if !step.is_finite() {
            return Ok(false);
        }
        problem.mapping().values(&moved(step), &mut values)?;
        let rate = (here - problem.objective_part(&values)) / step;
        if !(rate > 0.0 && self.settings.objective_floor.is_finite()) {
            return Ok(false);
        }
        // x may be far below the floor already, but not yet feasible.
        let fall = 10.0 * here.abs().max(here - self.settings.objective_floor);
        let mut far = moved(fall / rate);
        if far.iter().any(|x| !x.is_finite()) {
            return Ok(false);
        }
        problem.regulariser().prox(Weight::scalar(HEAVY), &mut far)?;
        problem.mapping().values(&far, &mut values)?;
        let there = problem.objective_part(&values) + problem.regulariser().value(&far);
        let violation = problem.composer().domain_distance(&values);
        Ok(there < self.settings.objective_floor && violation <= RAY_VIOLATION * (here - there))
    }
}

pub(super) fn difference([to, from]: [&[f64]; 2]) -> Vec<f64> {
    to.iter().zip(from).map(|(to, from)| to - from).collect()
}

/// The direction of the way between two points, the later first, where it is long enough to lead to infinity.
fn on_the_move(points: [&[f64]; 2]) -> Option<Vec<f64>> {
    let mut way = difference(points);
    let length = norm(&way);
    let moves = length.is_finite() && length > ON_THE_MOVE * norm(points[0]);
    way.iter_mut().for_each(|d| *d /= length);
    moves.then_some(way)
}
