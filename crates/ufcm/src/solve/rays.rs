//! Differences of iterates tend to rays where there is no solution: proofs of infeasibility, or ways to -inf.

use super::primal_dual::Workings;
use super::{End, Run};
use crate::certificate::{Infeasibility, Premise, Witness};
use crate::linalg::norm;
use crate::method::{Displacement, Kkt, PrimalDual, StepError};
use crate::oracle::{OracleError, Weight};
use crate::report::Status;

/// Heavy enough that a prox only projects.
const HEAVY: f64 = 1e30;
/// Along a ray of unboundedness violations grow by no more than this share of what the objective falls by.
const RAY_VIOLATION: f64 = 1e-9;
/// In an unbounded domain a proof of infeasibility speaks of this many times the size of the iterates.
const REACH: f64 = 1e6;
/// Iterates that went this share of their size since the anchor may be on their way to infinity.
const ON_THE_MOVE: f64 = 0.25;
/// Steps between two looks along the way from the start, and how far that must be.
const RAY_STEPS: usize = 50;
const FAR: f64 = 1e3;
/// The primal weight where neither points nor multipliers have a size to go by.
const BALANCED: f64 = 1.0;

impl<'a> Run<'a> {
    /// How the run ends if there is no solution and the last differences show it.
    pub(super) fn look_for_rays(
        &mut self,
        workings: &mut Workings<'a, '_>,
        kkt: &Kkt,
        premise: &Premise,
    ) -> Result<Option<End>, StepError> {
        let feasible = kkt.primal <= self.settings.eps_feas;
        for Displacement { x, l } in workings.method.displacements() {
            let proof = if feasible { None } else { self.infeasibility_by(x[0], &difference(l), premise)? };
            if let Some(proof) = proof {
                return Ok(Some(End::infeasible(proof)));
            }
            if feasible && self.falls_along(x[0], &difference(x))? {
                return Ok(Some(End::new(Status::Unbounded)));
            }
        }
        self.polish_rays(workings, premise)
    }

    /// Looks near the ways since the anchor, the objective set aside, for a direction in which it falls forever and for
    /// multipliers that prove infeasibility: one after the other, for both together would be near neither.
    fn polish_rays(
        &mut self,
        workings: &mut Workings<'a, '_>,
        premise: &Premise,
    ) -> Result<Option<End>, StepError> {
        let Workings { method, ray, .. } = workings;
        if self.counts.steps < ray.due {
            return Ok(None);
        }
        let [_, Displacement { x, l }] = method.displacements();
        let (point, x_way, l_way) = (x[0].to_vec(), on_the_move(x), on_the_move(l));
        if x_way.is_none() && l_way.is_none() {
            return Ok(None);
        }
        let finder = ray.begin(method, self.counts.steps);
        if x_way.is_some() {
            finder.restart_from(x_way.as_deref(), None, BALANCED)?;
            let falls = |run: &mut Self, finder: &PrimalDual<'a>| {
                Ok(run.falls_along(&point, finder.x())?.then_some(()))
            };
            if self.iterate_aside(finder, falls)?.is_some() {
                return self.unbounded_or_infeasible(workings, premise);
            }
        }
        l_way.map_or(Ok(None), |way| self.prove_infeasible_near(finder, &point, &way, premise))
    }

    /// A ray means that there is no solution, and a feasible point tells which way; it is looked for near the start, for the
    /// iterates are far out. Where there is none, the multipliers tend to a proof.
    fn unbounded_or_infeasible(
        &mut self,
        workings: &mut Workings<'a, '_>,
        premise: &Premise,
    ) -> Result<Option<End>, StepError> {
        let Workings { method, polish, ray, .. } = workings;
        let finder = polish.begin(method, self.counts.steps);
        finder.restart_from(Some(&self.start.0), None, BALANCED)?;
        let feasible = |run: &mut Self, finder: &PrimalDual<'a>| {
            Ok((finder.violation()[1] <= run.settings.eps_feas).then_some(()))
        };
        if self.iterate_aside(finder, feasible)?.is_some() {
            return Ok(Some(End::new(Status::Unbounded)));
        }
        let [_, Displacement { x, l }] = finder.displacements();
        let (point, way) = (x[0].to_vec(), on_the_move(l));
        let finder = ray.begin(method, self.counts.steps);
        way.map_or(Ok(None), |way| self.prove_infeasible_near(finder, &point, &way, premise))
    }

    /// Looks for multipliers in a direction near `way` that prove infeasibility.
    fn prove_infeasible_near(
        &mut self,
        finder: &mut PrimalDual<'a>,
        point: &[f64],
        way: &[f64],
        premise: &Premise,
    ) -> Result<Option<End>, StepError> {
        finder.restart_from(None, Some(way), BALANCED)?;
        self.iterate_aside(finder, |run, finder| {
            Ok(run.infeasibility_by(point, finder.multipliers(), premise)?.map(End::infeasible))
        })
    }

    /// Whether a run without a premise, which has come far from its start, is on its way to -inf: along the way from there,
    /// or from where it was at the last look. It is only looked at now and then; a row that cannot be evaluated so far
    /// out tells nothing.
    pub(super) fn runs_away(&mut self, premise: &Premise) -> bool {
        let feasible = self.best.violation <= self.settings.eps_feas;
        if *premise != Premise::None || !feasible || !self.counts.steps.is_multiple_of(RAY_STEPS) {
            return false;
        }
        let ways = [&self.start.0, &self.last_look].map(|from| difference([&self.best.x, from]));
        self.last_look.copy_from_slice(&self.best.x);
        norm(&ways[0]) > FAR * (1.0 + norm(&self.start.0))
            && ways.iter().any(|way| self.falls_along(&self.best.x, way).unwrap_or(false))
    }

    /// A verified proof from multipliers of the constraints, rows linearised at `x`, if it is one.
    pub(super) fn infeasibility_by(
        &self,
        x: &[f64],
        multipliers: &[f64],
        premise: &Premise,
    ) -> Result<Option<Infeasibility>, OracleError> {
        let mut multipliers = multipliers.to_vec();
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
        let witnesses = vec![Witness { weight: 1.0, y: x.to_vec(), multipliers }];
        let mut proofs = premises_near(x, premise)
            .into_iter()
            .map(|premise| Infeasibility { premise, witnesses: witnesses.clone() });
        Ok(proofs.find(|proof| proof.verify(self.problem).is_ok()))
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

/// What proofs of infeasibility by linearisations at `x` may rest on, where lower bounds rest on `premise`.
pub(super) fn premises_near(x: &[f64], premise: &Premise) -> Vec<Premise> {
    match premise {
        Premise::Radius { .. } => vec![premise.clone()],
        Premise::BoundedDomain => vec![Premise::None],
        // Rounding keeps slopes from vanishing where X is unbounded.
        _ => {
            let radius = REACH * (1.0 + norm(x));
            vec![Premise::None, Premise::Radius { centre: x.to_vec(), radius }]
        }
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
