//! Differences of iterates tend to rays where there is no solution: proofs of infeasibility, or ways to -inf.

use super::polish::budget;
use super::primal_dual::Workings;
use super::{End, Run};
use crate::certificate::{Infeasibility, Premise, Witness};
use crate::method::{Displacement, Kkt, StepError};
use crate::oracle::{OracleError, Weight};
use crate::projection::norm;
use crate::report::Status;

/// Heavy enough that a prox only projects.
const HEAVY: f64 = 1e30;
/// Along a ray of unboundedness violations grow by no more than this share of what the objective falls by.
const RAY_VIOLATION: f64 = 1e-9;
/// In an unbounded domain a proof of infeasibility speaks of this many times the size of the iterates.
const REACH: f64 = 1e8;
/// Iterates that went this share of their size since the anchor may be on their way to infinity.
const ON_THE_MOVE: f64 = 0.1;

impl<'a> Run<'a> {
    /// How the run ends if there is no solution and the last differences show it.
    pub(super) fn look_for_rays(
        &mut self,
        workings: &mut Workings<'a, '_>,
        kkt: &Kkt,
        premise: &Premise,
    ) -> Result<Option<End>, StepError> {
        let feasible = kkt.primal <= self.settings.eps_feas;
        for ray in workings.method.displacements() {
            let proof = if feasible { None } else { self.infeasibility_of(&ray, premise)? };
            if let Some(proof) = proof {
                return Ok(Some(End::infeasible(proof)));
            }
            if feasible && self.falls_along(ray.x[0], &direction(&ray))? {
                return Ok(Some(End::new(Status::Unbounded)));
            }
        }
        Ok(self.finds_ray(workings)?.then(|| End::new(Status::Unbounded)))
    }

    /// Looks near the way since the anchor for a direction in which the objective falls forever.
    fn finds_ray(&mut self, workings: &mut Workings<'a, '_>) -> Result<bool, StepError> {
        let Workings { method, ray, .. } = workings;
        let [_, since_anchor] = method.displacements();
        let mut way = direction(&since_anchor);
        let length = norm(&way);
        let moves = length.is_finite() && length > ON_THE_MOVE * norm(since_anchor.x[0]);
        if self.counts.steps < ray.due || !moves {
            return Ok(false);
        }
        way.iter_mut().for_each(|d| *d /= length);
        let (point, omega) = (since_anchor.x[0].to_vec(), method.omega());
        let finder = ray.begin(method, self.counts.steps);
        finder.restart_from(&way, omega)?;
        let (budget, mut spent) = (budget(self.counts.steps), 0);
        while spent < budget && !self.is_at_a_limit(self.counts.gradients) {
            let gradients = self.counts.gradients;
            let step = finder.step_unless(&|taken| self.is_at_a_limit(gradients + taken))?;
            spent += step.iterations;
            self.counts.gradients += step.iterations;
            self.counts.values += step.iterations;
            if self.falls_along(&point, finder.x())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A verified proof from the multipliers' displacement, if it is one.
    pub(super) fn infeasibility_of(
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
        let mut far = moved(10.0 * (here - self.settings.objective_floor) / rate);
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

/// The difference of two points.
fn direction(ray: &Displacement<'_>) -> Vec<f64> {
    ray.x[0].iter().zip(ray.x[1]).map(|(a, b)| a - b).collect()
}
