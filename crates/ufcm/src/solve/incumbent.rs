//! The best point of a run, and the most interior one.

use super::patience::Standing;
use crate::certificate::{Repaired, margin, repair};
use crate::problem::Problem;
use crate::settings::Settings;

/// A point with what is known of it.
pub(super) struct Incumbent {
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    pub(super) objective: f64,
    pub(super) violation: f64,
    /// The objective with violations charged by the multipliers: a violated point must not pass for a good one.
    pub(super) charged: f64,
}

/// A point to compare with the best: x, its row values, and multipliers to charge violations with.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) x: &'a [f64],
    pub(super) row_values: &'a [f64],
    pub(super) multipliers: &'a [f64],
}

impl Incumbent {
    pub(super) fn new(problem: &Problem, candidate: &Candidate<'_>) -> Self {
        let [objective, violation, charged] = assess(problem, candidate);
        let (x, multipliers) = (candidate.x.to_vec(), candidate.multipliers.to_vec());
        Self { x, multipliers, objective, violation, charged }
    }

    /// Takes the candidate's place if that is better; `lower_bound` is what it is measured from.
    pub(super) fn offer(
        &mut self,
        problem: &Problem,
        settings: &Settings,
        lower_bound: f64,
        candidate: &Candidate<'_>,
    ) -> bool {
        let [objective, violation, charged] = assess(problem, candidate);
        // One unit for both: a tolerance that grew with the objective would favour large ones.
        let unit = settings.gap_tolerance(self.charged);
        let merit = |charged, violation| merit(settings, lower_bound, unit, charged, violation);
        let better = merit(charged, violation) < merit(self.charged, self.violation);
        if better {
            self.x.copy_from_slice(candidate.x);
            self.multipliers.copy_from_slice(candidate.multipliers);
            (self.objective, self.violation, self.charged) = (objective, violation, charged);
        }
        better
    }

    /// Takes the candidate's place.
    pub(super) fn set(&mut self, problem: &Problem, candidate: &Candidate<'_>) {
        self.x.copy_from_slice(candidate.x);
        self.multipliers.copy_from_slice(candidate.multipliers);
        [self.objective, self.violation, self.charged] = assess(problem, candidate);
    }

    /// Takes the candidate's place unless that violates the constraints too much; answers whether it did.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        settings: &Settings,
        candidate: &Candidate<'_>,
    ) -> bool {
        let holds = assess(problem, candidate)[1] <= settings.eps_feas;
        if holds {
            self.set(problem, candidate);
        }
        holds
    }

    /// Whether `lower_bound` proves the candidate to be good enough.
    pub(super) fn is_proven(
        problem: &Problem,
        settings: &Settings,
        lower_bound: f64,
        candidate: &Candidate<'_>,
    ) -> bool {
        let [objective, violation, _] = assess(problem, candidate);
        let gap = objective - lower_bound;
        violation <= settings.eps_feas && gap.is_finite() && gap <= settings.gap_tolerance(objective)
    }

    /// What there is to improve.
    pub(super) fn standing(&self, settings: &Settings, lower_bound: f64) -> Standing {
        let violation = if self.violation > settings.eps_feas { self.violation } else { 0.0 };
        Standing { gap: self.charged - lower_bound, violation, objective: self.charged }
    }
}

/// (objective, violation, the larger of the objective and the Lagrangian).
fn assess(problem: &Problem, candidate: &Candidate<'_>) -> [f64; 3] {
    let Candidate { x, row_values, multipliers } = *candidate;
    let u = problem.regulariser().value(x);
    let objective = problem.objective_part(row_values) + u;
    let dualised: f64 = multipliers.iter().zip(row_values).map(|(l, g)| l * g).sum();
    let charged = objective.max(dualised - problem.composer().conjugate(multipliers) + u);
    [objective, problem.composer().domain_distance(row_values), charged]
}

/// How far a point is from being certified, in units of the tolerances (`unit` for gaps): (what exceeds 1 first, the
/// objective).
/// Without a bound the violation comes first and the objective decides among feasible points.
fn merit(settings: &Settings, lower_bound: f64, unit: f64, charged: f64, violation: f64) -> (f64, f64) {
    // Outside X, where gap and tolerance are infinite both.
    if !charged.is_finite() {
        return (f64::INFINITY, f64::INFINITY);
    }
    let gap = if lower_bound.is_finite() { (charged - lower_bound) / unit } else { 0.0 };
    ((violation / settings.eps_feas).max(gap).max(1.0), charged)
}

/// The most interior point that has been met: the best points are moved towards it until they are feasible.
pub(super) struct Interior {
    x: Vec<f64>,
    /// The least -g_j over the constraints there; 0 while there is no such point.
    margin: f64,
}

/// A new point must be this much further inside to be worth copying.
const WORTHWHILE: f64 = 1.5;

impl Interior {
    pub(super) fn none() -> Self {
        Self { x: Vec::new(), margin: 0.0 }
    }

    pub(super) fn offer(&mut self, problem: &Problem, x: &[f64], row_values: &[f64]) {
        let margin = margin(problem, row_values).filter(|margin| margin.is_finite());
        if let Some(margin) = margin.filter(|margin| *margin > WORTHWHILE * self.margin) {
            self.x.clear();
            self.x.extend_from_slice(x);
            self.margin = margin;
        }
    }

    /// `x` moved until all constraints hold, where an interior point is known and the rows can be evaluated.
    pub(super) fn repair(&self, problem: &Problem, x: &[f64]) -> Option<Repaired> {
        (self.margin > 0.0).then_some(())?;
        repair(problem, x, &self.x).ok().flatten()
    }
}
