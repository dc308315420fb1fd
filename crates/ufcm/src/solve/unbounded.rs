//! Unboundedness. Where there is no solution, differences of iterates tend to rays; the objective may fall to -inf along one.

use super::Run;
use super::claim::Claim;
use super::tuning::{BALANCED, FAR, INFEASIBILITY_STEPS, ON_THE_MOVE, RAY_STEPS};
use crate::certificate::Unboundedness;
use crate::linalg::norm;
use crate::method::{Aim, Displacement, Kkt, Method, PrimalDual, StepError};

impl Run<'_> {
    /// How the run ends if there is no solution and the last differences show it. It is only looked at now and then.
    pub(super) fn look_for_rays(
        &mut self,
        method: &dyn Method,
        kkt: &Kkt,
    ) -> Result<Option<Claim>, StepError> {
        let Some(displacements) = method.displacements() else { return Ok(None) };
        if !self.steps_taken.is_multiple_of(INFEASIBILITY_STEPS) && !method.shows_rays() {
            return Ok(None);
        }
        let feasible = kkt.primal <= self.settings.eps_feas;
        for Displacement { x, l } in displacements {
            let proof = if feasible { None } else { self.infeasibility_by(x[0], &difference(l))? };
            if let Some(proof) = proof.or_else(|| self.infeasibility_of_ray(method, l)) {
                return Ok(Some(Claim::infeasible(proof)));
            }
            if feasible && let Some(proof) = self.ray_from(x[0], &difference(x))? {
                return Ok(Some(Claim::unbounded(proof)));
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
            let falls = |run: &mut Self, finder: &PrimalDual<'_>| run.ray_at(x[0], finder.x());
            if let Some(proof) = self.search(&mut finder, falls)? {
                return self.unbounded_or_infeasible(method, &mut finder, &proof.ray);
            }
        }
        l_way.map_or(Ok(None), |way| self.prove_infeasible_near(&mut finder, x[0], &way))
    }

    /// A ray means that there is no solution, and a feasible point tells which way; it is looked for near the start, for the
    /// iterates are far out. Where there is none, the multipliers tend to a proof.
    fn unbounded_or_infeasible(
        &mut self,
        method: &dyn Method,
        finder_of_rays: &mut PrimalDual<'_>,
        ray: &[f64],
    ) -> Result<Option<Claim>, StepError> {
        let Some(mut finder) = method.aiming_at(Aim::Feasibility) else { return Ok(None) };
        self.schedule.feasibility = self.next_attempt();
        finder.restart_from(Some(&self.start.x), None, Some(BALANCED))?;
        let feasible = |run: &mut Self, finder: &PrimalDual<'_>| {
            let holds = finder.violation()[0] <= run.settings.eps_feas;
            if holds { run.ray_from(finder.x(), ray) } else { Ok(None) }
        };
        if let Some(proof) = self.search(&mut finder, feasible)? {
            return Ok(Some(Claim::unbounded(proof)));
        }
        let [_, Displacement { x, l }] = finder.displacements();
        on_the_move(l).map_or(Ok(None), |way| self.prove_infeasible_near(finder_of_rays, x[0], &way))
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

    /// A proof where a run without a premise, which has come far from its start, is on its way to -inf: along the way from there,
    /// or from where it was at the last look. It is only looked at now and then; a row that cannot be evaluated so far
    /// out tells nothing.
    pub(super) fn runs_away(&mut self) -> Option<Unboundedness> {
        let feasible = self.best.violation <= self.settings.eps_feas;
        let due = self.counts.steps.is_multiple_of(RAY_STEPS);
        if self.bounds.premise().is_complete() || !feasible || !due {
            return None;
        }
        let ways = [&self.start.x, &self.last_look].map(|from| difference([&self.best.x, from]));
        self.last_look.copy_from_slice(&self.best.x);
        let far = norm(&ways[0]) > FAR * (1.0 + norm(&self.start.x));
        ways.iter().filter(|_| far).find_map(|way| self.ray_from(&self.best.x, way).ok().flatten())
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
