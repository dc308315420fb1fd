//! What g(x) <= c says of the variables where g is curved: those in which it is curved by mu lie in a ball.

use super::super::curved::strongest;
use super::super::minorant::strong_convexity;
use super::super::second::SecondDerivatives;
use super::super::tuning::curved::PROVEN;
use super::super::tuning::{IMPLIED_BALL, IMPLIED_INFLATION, WIDE};
use super::Rows;
use super::propagation::Propagation;
use crate::linalg::norm_of;
use crate::oracle::OracleError;
use crate::problem::Problem;
use std::cell::OnceCell;

/// Whether this row may bound the variables that it is curved in.
pub(super) fn is_curved(problem: &Problem, row: usize) -> bool {
    problem.component(row).is_some_and(|g| g.convexity().is_some() || g.curvature().is_some())
}

/// Tightens by g(x) - g(0) <= `high` for a g that is linearised at 0; whether anything was gained. With S the variables in which g is curved,
/// by mu at least, and a gradient that vanishes in the others, |x_S + grad/mu|^2 <= 2 high/mu + |grad/mu|^2.
pub(super) fn take(
    found: &mut Propagation,
    rows: &Rows<'_>,
    row: usize,
    high: f64,
    size: f64,
) -> Result<bool, OracleError> {
    if !high.is_finite() {
        return Ok(false);
    }
    let Some((variables, mu)) = curvature(found, rows, row)? else { return Ok(false) };
    let mu = mu * (1.0 - IMPLIED_INFLATION);
    let mut gradient = vec![0.0; found.lower.len()];
    rows.mapping.jacobian_row(row, &mut gradient);
    let inside = |i: &usize| variables.binary_search(i).is_ok();
    if (0..gradient.len()).any(|i| gradient[i] != 0.0 && !inside(&i)) {
        return Ok(false);
    }
    let slope = norm_of(variables.iter().map(|i| gradient[*i])) / mu;
    let rounding = IMPLIED_INFLATION * ((high.abs() + size) / mu + slope * slope);
    let square = 2.0 * (high / mu) + slope * slope + rounding;
    if !(square >= 0.0 && square.is_finite()) {
        return Ok(false);
    }
    let radius = square.sqrt();
    let mut gained = false;
    for i in variables {
        let centre = -gradient[i] / mu;
        gained |= found.tighten(i, Some(centre - radius), Some(centre + radius));
    }
    Ok(gained)
}

/// The variables in which a row is curved, in order, and by how much at least: what the component claims, or what its second derivatives
/// show where these are quickly factored and a variable is bounded by nothing else.
fn curvature(
    found: &Propagation,
    rows: &Rows<'_>,
    row: usize,
) -> Result<Option<(Vec<usize>, f64)>, OracleError> {
    let n = found.lower.len();
    let claimed = strong_convexity(rows.mapping, row);
    if claimed > 0.0 {
        return Ok(Some(((0..n).collect(), claimed)));
    }
    let Some(component) = rows.problem.component(row).filter(|g| g.link().is_none()) else { return Ok(None) };
    let Some(second) = component.curvature() else { return Ok(None) };
    let is_cheap =
        || n * n <= IMPLIED_BALL && second.hessian_operations().is_some_and(|o| o <= IMPLIED_BALL as u64);
    let entries = match second.sparse_floor(1.0) {
        Some(entries) => entries,
        None if !is_cheap() => return Ok(None),
        None => {
            let mut hessian = vec![0.0; n * n];
            let zero = vec![0.0; n];
            second.add_floor(&zero, f64::INFINITY, 1.0, &mut hessian, rows.problem.budget())?;
            let mut entries = Vec::new();
            let whole = SecondDerivatives::Dense(hessian);
            whole.for_each(|i, j, v| entries.extend((v != 0.0).then_some((i, j, v))));
            entries
        }
    };
    let mut variables: Vec<usize> = entries.iter().flat_map(|(i, j, _)| [*i, *j]).collect();
    variables.sort_unstable();
    variables.dedup();
    let is_wide = |i: &usize| found.lower[*i].abs() >= WIDE || found.upper[*i].abs() >= WIDE;
    if !variables.iter().any(is_wide) {
        return Ok(None);
    }
    let place = |k: usize| variables.partition_point(|own| *own < k);
    let own: Vec<_> = entries.iter().map(|(i, j, v)| (place(*i), place(*j), *v)).collect();
    Ok(least_curvature(variables.len(), own).map(|mu| (variables, mu)))
}

/// A mu with H - mu I positive definite, for the matrix with these entries in its lower triangle, some in parts: by its diagonal where
/// that outweighs the rest, else by a factorisation.
fn least_curvature(n: usize, entries: Vec<(usize, usize, f64)>) -> Option<f64> {
    let (mut diagonal, mut beside, mut sizes) = (vec![0.0; n], vec![0.0; n], 0.0f64);
    for (i, j, v) in &entries {
        sizes += v.abs();
        if i == j {
            diagonal[*i] += v;
        } else {
            beside[*i] += v.abs();
            beside[*j] += v.abs();
        }
    }
    let disc = diagonal.iter().zip(&beside).map(|(d, rest)| d - rest).fold(f64::INFINITY, f64::min);
    let rounding = PROVEN * diagonal.iter().fold(0.0f64, |largest, d| largest.max(*d));
    if disc > rounding && sizes.is_finite() {
        return Some(disc - rounding);
    }
    if 4 * entries.len() <= n * n {
        return strongest(&SecondDerivatives::Sparse { n, entries, ordered: OnceCell::new() });
    }
    let mut lower = vec![0.0; n * n];
    entries.iter().for_each(|(i, j, v)| lower[j * n + i] += v);
    strongest(&SecondDerivatives::Dense(lower))
}
