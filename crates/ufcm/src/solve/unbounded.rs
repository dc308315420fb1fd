//! Unboundedness. Where there is no solution, differences of iterates tend to rays; the objective may fall to -inf along one.

use super::Run;
use super::claim::Claim;
use super::tuning::{
    BALANCED, CLEANINGS, DUST, FAR, HEAVY, INFEASIBILITY_STEPS, NEARLY, ON_THE_MOVE, OUT, RAY_STEPS, RAY_SWEEPS,
};
use crate::certificate::{Premise, Unboundedness};
use crate::linalg::norm;
use crate::method::{Aim, Displacement, Kkt, Method, PrimalDual, StepError};
use crate::oracle::{OracleError, Weight};

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
            let falls = |run: &mut Self, finder: &PrimalDual<'_>| run.ray_from(x[0], finder.x());
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
        if *self.bounds.premise() != Premise::None || !feasible || !due {
            return None;
        }
        let ways = [&self.start.x, &self.last_look].map(|from| difference([&self.best.x, from]));
        self.last_look.copy_from_slice(&self.best.x);
        let far = norm(&ways[0]) > FAR * (1.0 + norm(&self.start.x));
        ways.iter().filter(|_| far).find_map(|way| self.ray_from(&self.best.x, way).ok().flatten())
    }

    /// A verified proof that the objective falls for ever from `x` in a direction near this one, if it is one. `x` must be within the
    /// tolerance on violation for a claim.
    fn ray_from(&self, x: &[f64], direction: &[f64]) -> Result<Option<Unboundedness>, OracleError> {
        let Some(ray) = self.cleaned(x, direction)? else { return Ok(None) };
        let mut values = vec![0.0; self.problem.rows()];
        self.problem.mapping().values(x, &mut values)?;
        let violation = self.problem.composer().domain_distance(&values);
        let proof = Unboundedness { x: x.to_vec(), ray, violation };
        Ok(proof.verify(self.problem).is_ok().then_some(proof))
    }

    /// The direction without what rounding and iterations that have not converged left in it: what leads out of X, and what changes
    /// rows that may not change by little.
    fn cleaned(&self, x: &[f64], direction: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
        let size = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        let length = size(direction);
        if !(length > 0.0 && length.is_finite()) {
            return Ok(None);
        }
        let mut ray: Vec<f64> = direction.iter().map(|d| d / length).collect();
        let (problem, out) = (self.problem, OUT * size(x).max(1.0));
        for _ in 0..CLEANINGS {
            let mut far: Vec<f64> = x.iter().zip(&ray).map(|(x, d)| x + out * d).collect();
            problem.regulariser().prox(Weight::scalar(HEAVY), &mut far)?;
            ray.iter_mut().zip(&far).zip(x).for_each(|((d, far), x)| *d = (far - x) / out);
            let least = DUST * size(&ray);
            ray.iter_mut().filter(|d| d.abs() <= least).for_each(|d| *d = 0.0);
            self.project_on_rows(x, &mut ray)?;
        }
        Ok(Some(ray))
    }

    /// Moves `ray`, within the variables in which it leads anywhere, until affine rows that it changes by little do not change.
    fn project_on_rows(&self, x: &[f64], ray: &mut [f64]) -> Result<(), OracleError> {
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; self.problem.rows()]);
        mapping.linearise(x, &mut values)?;
        let mut tight = Vec::new();
        let mut scratch = Vec::new();
        for (rows, composer) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in rows.enumerate().filter(|(_, row)| self.problem.is_affine(*row)) {
                let (mut change, mut terms) = (0.0, 0.0);
                mapping.with_row(row, &mut scratch, &mut |view| {
                    view.for_each(|i, a| {
                        change += a * ray[i];
                        terms += (a * ray[i]).abs();
                    });
                });
                let [low, high] = composer.row_domain(k).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                let leaves = (high.is_finite() && change > 0.0) || (low.is_finite() && change < 0.0);
                if (leaves || low == high) && change.abs() <= NEARLY * terms && terms > 0.0 {
                    tight.push(row);
                }
            }
        }
        let free: Vec<bool> = ray.iter().map(|d| *d != 0.0).collect();
        for _ in 0..RAY_SWEEPS {
            let mut moved = 0.0f64;
            for &row in &tight {
                mapping.with_row(row, &mut scratch, &mut |view| {
                    let (mut change, mut terms, mut square) = (0.0, 0.0f64, 0.0);
                    view.for_each(|i, a| {
                        change += a * ray[i];
                        terms += (a * ray[i]).abs();
                        square += if free[i] { a * a } else { 0.0 };
                    });
                    if square > 0.0 {
                        view.for_each(|i, a| ray[i] -= if free[i] { change / square * a } else { 0.0 });
                        moved = moved.max(change.abs() / terms.max(f64::MIN_POSITIVE));
                    }
                });
            }
            if moved <= f64::EPSILON {
                break;
            }
        }
        Ok(())
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
