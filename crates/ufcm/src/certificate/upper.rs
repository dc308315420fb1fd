//! Upper bounds: F where the constraints hold, and moving a point until they do.

use super::rounding::unit;
use crate::linalg::RowView;
use crate::oracle::{Composer, Mapping, OracleError};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a point shows.
///
/// ```
/// use ufcm::certificate::Upper;
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
///
/// let problem = Problem::minimise(Quadratic::diagonal(vec![2.0])?)
///     .subject_to(Quadratic::diagonal(vec![2.0])?.at_most(1.0))
///     .build()?;
/// let upper = Upper::at(&problem, &[2.0])?;
/// assert_eq!((upper.objective, upper.violation), (4.0, 3.0));
/// assert_eq!(upper.value(), f64::INFINITY);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Upper {
    /// F(x) without the constraints that x violates.
    #[serde(with = "crate::serde_infinity")]
    pub objective: f64,
    /// The Euclidean distance from g(x) to the domain of h.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// How far rounding may have moved the objective.
    #[serde(with = "crate::serde_infinity")]
    pub rounding: f64,
}

impl Upper {
    /// Evaluates `problem` at `x`.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn at(problem: &Problem, x: &[f64]) -> Result<Self, OracleError> {
        Ok(Self::of(problem, x, &row_values(problem, x)?))
    }

    /// As [`Upper::at`], where the row values are known.
    pub(crate) fn of(problem: &Problem, x: &[f64], values: &[f64]) -> Self {
        let u = problem.regulariser().value(x);
        let (mut objective, mut magnitude, mut violation) = (u, u.abs(), 0.0f64);
        let mut multipliers = vec![0.0; values.len()];
        for (range, composer) in problem.parts() {
            let (z, l) = (&values[range.clone()], &mut multipliers[range]);
            violation = violation.hypot(composer.domain_distance(z));
            if !composer.is_constraint() {
                let h = composer.value(z);
                objective += h;
                composer.multipliers_at(z, l);
                magnitude += h.abs() + l.iter().zip(z).map(|(l, z)| (l * z).abs()).sum::<f64>();
            }
        }
        Self { objective, violation, rounding: unit(x.len(), values.len()) * magnitude }
    }

    /// F(x): infinite where a constraint is violated.
    #[must_use]
    pub fn value(&self) -> f64 {
        if self.violation == 0.0 { self.objective } else { f64::INFINITY }
    }
}

/// How far rounding may move the violation at `x`. The distance to the domain of h changes by no more than its argument, a
/// row of which is off by at most the charge for |g_j(x)| + sum_i |J_ji x_i|.
pub(crate) fn violation_rounding(problem: &Problem, x: &[f64]) -> Result<f64, OracleError> {
    let mut mapping = problem.mapping();
    let (mut values, mut scratch) = (vec![0.0; problem.rows()], Vec::new());
    mapping.linearise(x, &mut values)?;
    let mut magnitude = 0.0f64;
    for (range, _) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
        for j in range {
            let mut size = values[j].abs();
            let mut add = |row: RowView<'_>| row.for_each(|i, a| size += (a * x[i]).abs());
            mapping.with_row(j, &mut scratch, &mut add);
            // In the user's units, if those are larger.
            let factor = problem.units().map_or(1.0, |units| units.factors.rows[j].recip().max(1.0));
            magnitude = magnitude.hypot(factor * size);
        }
    }
    Ok(unit(x.len(), values.len()) * magnitude)
}

/// What it may be worth that constraints which hold at `x` as computed, but stand on their bounds, hold up to rounding only: their
/// multipliers times that rounding. `jacobian` is one near x.
pub(crate) fn rounding_worth(
    problem: &Problem,
    jacobian: &dyn Mapping,
    x: &[f64],
    multipliers: &[f64],
) -> Result<f64, OracleError> {
    let charged = |range: &Range<usize>| multipliers[range.clone()].iter().any(|l| *l != 0.0);
    let constraints = || problem.parts().filter(|(range, h)| h.is_constraint() && charged(range));
    if constraints().next().is_none() {
        return Ok(0.0);
    }
    let (values, mut scratch, mut worth) = (row_values(problem, x)?, Vec::new(), 0.0);
    let unit = unit(x.len(), values.len());
    for (range, composer) in constraints() {
        for (k, j) in range.enumerate().filter(|(_, j)| multipliers[*j] != 0.0) {
            let (g, l) = (values[j], multipliers[j].abs());
            let mut size = g.abs();
            let mut add = |row: RowView<'_>| row.for_each(|i, a| size += (a * x[i]).abs());
            jacobian.with_row(j, &mut scratch, &mut add);
            let inside = composer.row_domain(k).map_or(0.0, |[low, high]| (g - low).min(high - g));
            worth += if inside < unit * size { 2.0 * l * unit * size } else { 0.0 };
        }
    }
    Ok(worth)
}

/// A point moved until all constraints hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// x + t (interior - x)
    pub x: Vec<f64>,
    /// t
    pub step: f64,
    /// F there, a true upper bound.
    pub upper: Upper,
}

/// Moves `x` towards a strictly feasible point just as far as convexity asks for: a row with g_j(x) = v > 0 > s =
/// g_j(interior) is at most (1 - t) v + t s, so it holds from t = v / (v - s) on; two-sided constraints on affine rows likewise.
///
/// `None` where that is no proof: a violated row that is not strictly inside at `interior`, as those of equations never
/// are, or points outside X.
///
/// # Errors
/// A row that cannot be evaluated.
pub fn repair(problem: &Problem, x: &[f64], interior: &[f64]) -> Result<Option<Repaired>, OracleError> {
    let (at_x, at_interior) = (row_values(problem, x)?, row_values(problem, interior)?);
    let Some(Move { needed, rounding }) = needed_move(problem, &at_x, &at_interior) else { return Ok(None) };
    // Rounding may ask for a little more, and for the point itself at last. Each try reads all data: the first is to do.
    let mut extra = 1e-3 * needed + 64.0 * rounding;
    let mut step = (needed + extra).min(1.0);
    loop {
        let blend = |(x, s): (&f64, &f64)| if step < 1.0 { x + step * (s - x) } else { *s };
        let moved: Vec<f64> = x.iter().zip(interior).map(blend).collect();
        let upper = Upper::at(problem, &moved)?;
        if upper.value() < f64::INFINITY {
            return Ok(Some(Repaired { x: moved, step, upper }));
        }
        if step >= 1.0 {
            return Ok(None);
        }
        extra *= 8.0;
        step = (needed + extra).min(1.0);
    }
}

/// How far inside its constraints a point with these row values is: the least distance of a row from its bounds, +inf where
/// there are none. Rows that stand on a bound are left out: they hold. `None` where a constraint is violated.
pub(crate) fn margin(problem: &Problem, row_values: &[f64]) -> Option<f64> {
    let mut margin = f64::INFINITY;
    for (range, composer) in problem.parts() {
        let values = &row_values[range];
        if composer.domain_distance(values) > 0.0 {
            return None;
        }
        let slack = |(k, g): (usize, &f64)| composer.row_domain(k).map(|[low, high]| (g - low).min(high - g));
        let slacks = values.iter().enumerate().filter_map(slack);
        margin = slacks.filter(|slack| *slack > 0.0).fold(margin, f64::min);
    }
    Some(margin)
}

/// How far a point must be moved.
struct Move {
    /// The largest v / (v - s) over the violated rows, v above their bound and s below it.
    needed: f64,
    /// By how much more, where values are rounded to the last digit.
    rounding: f64,
}

fn needed_move(problem: &Problem, at_x: &[f64], at_interior: &[f64]) -> Option<Move> {
    let (mut needed, mut rounding) = (0.0f64, f64::EPSILON);
    for (range, composer) in problem.parts() {
        let (v, s) = (&at_x[range.clone()], &at_interior[range]);
        if composer.domain_distance(s) > 0.0 {
            return None;
        }
        if composer.domain_distance(v) == 0.0 {
            continue;
        }
        if (0..v.len()).any(|k| composer.row_domain(k).is_none()) {
            needed = needed.max(move_together(composer, v, s));
            continue;
        }
        for (k, (&v, &s)) in v.iter().zip(s).enumerate() {
            let [low, high] = composer.row_domain(k)?;
            // How far outside at x, how far inside at the other point, from the same bound.
            let (outside, inside) = if v > high { (v - high, high - s) } else { (low - v, s - low) };
            if outside > 0.0 {
                let apart = if inside > 0.0 { outside + inside } else { return None };
                needed = needed.max(outside / apart);
                rounding = rounding.max(f64::EPSILON * (v.abs() + s.abs()) / apart);
            }
        }
    }
    Some(Move { needed, rounding })
}

/// The least t, up to a thousandth, at which (1 - t) v + t s is in the domain of h, where v is not and s is. Rows of convex components are no larger there,
/// and h does not grow as they fall.
fn move_together(composer: &dyn Composer, v: &[f64], s: &[f64]) -> f64 {
    let holds = |t: f64| {
        let between: Vec<f64> = v.iter().zip(s).map(|(v, s)| v + t * (s - v)).collect();
        composer.domain_distance(&between) == 0.0
    };
    let (mut outside, mut inside) = (f64::EPSILON, 1.0);
    while inside > 1.001 * outside {
        let middle = f64::sqrt(outside * inside);
        if holds(middle) { inside = middle } else { outside = middle }
    }
    inside
}

pub(super) fn row_values(problem: &Problem, x: &[f64]) -> Result<Vec<f64>, OracleError> {
    OracleError::check_point(problem.dimension(), x, None)?;
    if let Some(values) = problem.linearised_values(x) {
        return Ok(values.to_vec());
    }
    let mut values = vec![0.0; problem.rows()];
    problem.mapping().values(x, &mut values)?;
    Ok(values)
}
