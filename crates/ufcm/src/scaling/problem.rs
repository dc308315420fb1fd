//! The problem in other units.

use super::perspective::Perspective;
use super::{Factors, Units};
use crate::certificate::implied_bounds;
use crate::composer;
use crate::oracle::{Composer, Regulariser, ScalarTerm};
use crate::problem::Problem;
use crate::regulariser;
use std::sync::Arc;

/// `problem` in the units of `factors`; `None` where a part of it cannot be had in them.
pub(super) fn in_units(problem: &Problem, factors: Factors) -> Option<Problem> {
    let mapping = problem.mapping().in_units(&factors.rows, &factors.columns)?;
    let mut composers: Vec<Box<dyn Composer>> = Vec::new();
    for (range, composer) in problem.shared_parts() {
        composers.push(composer_in_units(composer, factors.objective, &factors.rows[range])?);
    }
    let regulariser = regulariser_in_units(problem, &factors)?;
    // What cannot be evaluated here cannot in the run, which tells of it.
    let bounds = implied_bounds(problem).ok()?;
    Some(problem.replaced(mapping, composer::Stacked::new(composers), regulariser, factors, bounds))
}

/// s times the composer, of rows that are so many times as large. Where a composer does not say what it is row by row, all must be alike.
fn composer_in_units(composer: Arc<dyn Composer>, s: f64, factors: &[f64]) -> Option<Box<dyn Composer>> {
    if let Some(scaled) = composer.with_rows_scaled(factors) {
        return Some(scaled);
    }
    if let Some(stack) = composer.shared_stack() {
        // What a stack holds of constraints stays apart from what it holds of the objective.
        let parts = stack.into_iter().map(|(range, part)| composer_in_units(part, s, &factors[range]));
        return Some(Box::new(composer::Stacked::new(parts.collect::<Option<_>>()?)));
    }
    let first = *factors.first()?;
    let alike = factors.iter().all(|factor| *factor == first);
    alike.then(|| Box::new(Perspective::new(s, first, composer)) as Box<dyn Composer>)
}

/// x^ -> s u(D x^).
fn regulariser_in_units(problem: &Problem, factors: &Factors) -> Option<Arc<dyn Regulariser>> {
    let (s, u) = (factors.objective, problem.shared_regulariser());
    if let Some(d) = factors.uniform() {
        return Some(Arc::new(regulariser::Scaled::of_shared(u, s, d).ok()?));
    }
    let term = |(i, d): (usize, &f64)| {
        let ScalarTerm { above, below, ridge, lower, upper } = u.scalar_term(i)?;
        let (above, below, ridge) = (s * d * above, s * d * below, s * d * d * ridge);
        Some(ScalarTerm { above, below, ridge, lower: lower / d, upper: upper / d })
    };
    let terms = factors.columns.iter().enumerate().map(term).collect::<Option<Vec<_>>>()?;
    Some(Arc::new(regulariser::Combined::of_terms(terms, u.grounds())))
}

impl Problem {
    /// The violation at rows of these values: in the run's units and in the user's, whichever is larger.
    pub(crate) fn violation_of(&self, row_values: &[f64]) -> f64 {
        let own = self.composer().domain_distance(row_values);
        self.units().map_or(own, |units: &Units| own.max(units.violation(row_values)))
    }
}
