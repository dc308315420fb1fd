//! The best point of a run, and the most interior one.

use super::ladder::Standing;
use super::start::origin;
use super::tuning::{CANCELLED_SIZE, SMALL_SHARE, WORTHWHILE};
use crate::certificate::{Repaired, Upper, margin, repair};
use crate::kernel::sums::largest;
use crate::method::{Candidate, Residuals};
use crate::problem::Problem;
use crate::settings::Settings;

/// A point with what is known of it.
#[derive(Clone)]
pub(super) struct Incumbent {
    pub(super) x: Vec<f64>,
    /// g(x); `None` where the run was stopped before it was known.
    row_values: Option<Vec<f64>>,
    pub(super) multipliers: Vec<f64>,
    pub(super) objective: f64,
    pub(super) violation: f64,
    /// The objective with violations charged by the multipliers: a violated point must not pass for a good one.
    pub(super) charged: f64,
    /// The largest |objective| so far, of all best points; where its terms cancel, their size.
    size: f64,
    /// The least error of the optimality conditions so far, where a method measures them.
    least_error: f64,
}

impl Incumbent {
    pub(super) fn new(problem: &Problem, candidate: &Candidate<'_>) -> Self {
        let mut incumbent = Self::unknown(candidate.x.to_vec(), candidate.multipliers.to_vec());
        incumbent.set(problem, candidate);
        incumbent
    }

    /// A point at which the rows could not be evaluated.
    pub(super) fn unknown(x: Vec<f64>, multipliers: Vec<f64>) -> Self {
        let (objective, violation, charged) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let (size, least_error) = (0.0, f64::INFINITY);
        Self { x, row_values: None, multipliers, objective, violation, charged, size, least_error }
    }

    /// What gaps are relative to at least: 1 in the user's units; a tenth of the size of the objective where that is small beside 1.
    pub(super) fn unit(&self, problem: &Problem) -> f64 {
        let one = problem.units().map_or(1.0, |units| units.factors.objective);
        if self.size == 0.0 {
            // Nothing to be relative to but the slopes of the objective, which are near 1 in other units than the user's.
            return one.min(1.0);
        }
        if self.size < SMALL_SHARE * one { SMALL_SHARE * self.size } else { one }
    }

    /// Takes in the size of the objective at the default start, where a start that was given has a small one: what a gap is
    /// relative to must not depend on where a run begins. Answers whether the rows were evaluated for that.
    pub(super) fn note_size_at_origin(&mut self, problem: &Problem) -> bool {
        if self.unit(problem) >= problem.units().map_or(1.0, |units| units.factors.objective) {
            return false;
        }
        let mut row_values = vec![0.0; problem.rows()];
        let Ok(origin) = origin(problem) else { return false };
        if problem.mapping().values(&origin, &mut row_values).is_ok() {
            let objective = problem.objective_part(&row_values) + problem.regulariser().value(&origin);
            self.size = if objective.is_finite() { self.size.max(objective.abs()) } else { self.size };
        }
        true
    }

    /// What the point shows; `None` where its rows are not known.
    pub(super) fn upper(&self, problem: &Problem) -> Option<Upper> {
        self.row_values.as_ref().map(|values| Upper::of(problem, &self.x, values))
    }

    pub(super) fn row_values(&self) -> Option<&[f64]> {
        self.row_values.as_deref()
    }

    /// Takes in the answer of a step. Where all optimality conditions are measured, the least error is the best; a point that
    /// the bound proves to be good enough always is.
    pub(super) fn take(
        &mut self,
        problem: &Problem,
        settings: &Settings,
        lower_bound: f64,
        candidate: &Candidate<'_>,
        residuals: &Residuals,
    ) {
        let Residuals::Kkt(kkt) = residuals else {
            self.offer(problem, settings, lower_bound, candidate);
            return;
        };
        let error = kkt.error();
        if error < self.least_error || self.is_proven(problem, settings, lower_bound, candidate) {
            self.set(problem, candidate);
            self.least_error = error.min(self.least_error);
        }
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
        let unit = settings.gap_tolerance(self.unit(problem), self.charged);
        let merit = |values, violation| merit(settings, lower_bound, unit, values, violation);
        let better =
            merit([objective, charged], violation) < merit([self.objective, self.charged], self.violation);
        if better {
            self.copy(candidate);
            (self.objective, self.violation, self.charged) = (objective, violation, charged);
            self.note_size(problem);
        }
        better
    }

    /// Takes the candidate's place.
    pub(super) fn set(&mut self, problem: &Problem, candidate: &Candidate<'_>) {
        self.copy(candidate);
        [self.objective, self.violation, self.charged] = assess(problem, candidate);
        self.note_size(problem);
    }

    /// Evaluates the rows at the point itself, where a method had them from elsewhere.
    pub(super) fn reevaluate(&mut self, problem: &Problem) {
        let (x, multipliers) = (self.x.clone(), self.multipliers.clone());
        let mut row_values = vec![0.0; problem.rows()];
        if problem.mapping().values(&x, &mut row_values).is_ok() {
            let (x, row_values, multipliers) = (&x[..], &row_values[..], &multipliers[..]);
            self.set(problem, &Candidate { x, row_values, multipliers, slope: None });
        }
    }

    /// Terms of the objective that cancel leave a number that says nothing of its size (min y - x over x + y = 10, x <= 5 is 0 at the
    /// start and at the optimum, and something like 1e-11 in between): its slopes count then.
    fn note_size(&mut self, problem: &Problem) {
        if self.objective.is_finite() {
            self.size = self.size.max(self.objective.abs());
        }
        if self.size < CANCELLED_SIZE && largest(&self.x) > 0.0 {
            self.size = self.size.max(size_by_slopes(problem, &self.x, &self.multipliers));
        }
    }

    fn copy(&mut self, candidate: &Candidate<'_>) {
        self.x.copy_from_slice(candidate.x);
        self.multipliers.copy_from_slice(candidate.multipliers);
        let values = self.row_values.get_or_insert_with(|| vec![0.0; candidate.row_values.len()]);
        values.copy_from_slice(candidate.row_values);
    }

    /// Takes the candidate's place unless that violates the constraints too much, or is worse than what is known already; answers
    /// whether it did.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        settings: &Settings,
        candidate: &Candidate<'_>,
    ) -> bool {
        let [objective, violation, _] = assess(problem, candidate);
        let tolerance = settings.gap_tolerance(self.unit(problem), objective);
        let worse = self.violation <= settings.eps_feas && self.charged < objective - tolerance;
        let holds = violation <= settings.eps_feas && !worse;
        if holds {
            self.set(problem, candidate);
        }
        holds
    }

    /// Whether `lower_bound` proves the candidate to be good enough.
    pub(super) fn is_proven(
        &self,
        problem: &Problem,
        settings: &Settings,
        lower_bound: f64,
        candidate: &Candidate<'_>,
    ) -> bool {
        let [objective, violation, _] = assess(problem, candidate);
        violation <= settings.eps_feas && is_closed(settings, self.unit(problem), objective, lower_bound)
    }

    /// What there is to improve.
    pub(super) fn standing(&self, settings: &Settings, lower_bound: f64, residuals: &Residuals) -> Standing {
        let violation = if self.violation > settings.eps_feas { self.violation } else { 0.0 };
        let error = matches!(residuals, Residuals::Kkt(_)).then_some(self.least_error);
        Standing { gap: (self.charged - lower_bound).max(0.0), violation, objective: self.charged, error }
    }
}

/// Whether objective and bound differ by no more than the tolerance, either way: an objective below the bound is that of a point whose
/// violation is worth more than the tolerance.
pub(super) fn is_closed(settings: &Settings, unit: f64, objective: f64, lower_bound: f64) -> bool {
    let gap = (objective - lower_bound).abs();
    // The tolerance grows with the objective: an infinite one would pass.
    gap.is_finite() && gap <= settings.gap_tolerance(unit, objective)
}

/// The largest slope of the affine rows of the objective, times the largest entry of x; 0 where that is no number.
fn size_by_slopes(problem: &Problem, x: &[f64], multipliers: &[f64]) -> f64 {
    let mut mapping = problem.mapping();
    let mut own: Vec<f64> = multipliers.to_vec();
    for (rows, _) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
        own[rows].fill(0.0);
    }
    own.iter_mut().enumerate().filter(|(j, _)| !mapping.is_affine(*j)).for_each(|(_, l)| *l = 0.0);
    let wanted: Vec<bool> = own.iter().map(|l| *l != 0.0).collect();
    let (mut values, mut slope) = (vec![0.0; problem.rows()], vec![0.0; x.len()]);
    if mapping.linearise_some(x, &wanted, &mut values).is_err() {
        return 0.0;
    }
    mapping.apply_transpose(&own, &mut slope);
    let size = largest(&slope) * largest(x);
    if size.is_finite() { size } else { 0.0 }
}

/// (objective, violation, the larger of the objective and the Lagrangian).
fn assess(problem: &Problem, candidate: &Candidate<'_>) -> [f64; 3] {
    let Candidate { x, row_values, multipliers, .. } = *candidate;
    let u = problem.regulariser().value(x);
    let objective = problem.objective_part(row_values) + u;
    let dualised: f64 = multipliers.iter().zip(row_values).map(|(l, g)| l * g).sum();
    let charged = objective.max(dualised - problem.composer().conjugate(multipliers) + u);
    [objective, problem.violation_of(row_values), charged]
}

/// How far a point is from being certified, in units of the tolerances (`unit` for gaps): (what exceeds 1 first, the
/// objective).
/// Without a bound the violation comes first and the objective decides among feasible points. An objective below the bound counts as
/// much as one above it: it belongs to a point whose violation is worth that.
fn merit(
    settings: &Settings,
    lower_bound: f64,
    unit: f64,
    [objective, charged]: [f64; 2],
    violation: f64,
) -> (f64, f64) {
    // Outside X, where gap and tolerance are infinite both.
    if !charged.is_finite() {
        return (f64::INFINITY, f64::INFINITY);
    }
    let off = (charged - lower_bound).max(lower_bound - objective);
    let gap = if lower_bound.is_finite() { off / unit } else { 0.0 };
    ((violation / settings.eps_feas).max(gap).max(1.0), charged)
}

/// The most interior point that has been met: the best points are moved towards it until they are feasible.
pub(super) struct Interior {
    x: Vec<f64>,
    /// The least -g_j over the constraints there; 0 while there is no such point.
    margin: f64,
}

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
