//! Bounds on the variables that follow from constraints and from X: x >= 0 and sum x <= 1 bound every x_i. With them a lower bound
//! is finite where X alone would leave it at -inf, and tighter where X is very wide. Decision 0022.
//!
//! ```text
//! lo <= a.x + b <= hi                    x_i <= (hi - b - min of the other terms) / a_i   for a_i > 0, and so on
//! A x - b in a cone, h(A x - b) <= c     each row is in an interval, from those of the others: then as above
//! two rows with few entries in their sum that sum is a row as well: -t <= a.x <= t says t >= 0
//! g(x) <= hi, g mu-strongly convex       |x + grad g(0)/mu|^2 <= 2 (hi - g(0))/mu + |grad g(0)|^2/mu^2
//! ```
//!
//! A few rounds over the rows; every bound is moved outwards by what rounding may have done to it.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | which rows are taken, and in which order |
//! | `propagation` | bounds in the making: what affine rows say |
//! | `ball` | what curved rows say |
//! | `pairs` | sums of two rows |

mod ball;
mod pairs;
mod propagation;

use super::tuning::{IMPLIED_INFLATION, IMPLIED_ROUNDS, WIDE};
use crate::composer::narrow_below;
use crate::oracle::{Composer, Mapping, OracleError};
use crate::problem::Problem;
use propagation::Propagation;
use std::ops::Range;

/// Every feasible point of X has lower_i <= x_i <= upper_i.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImpliedBounds {
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// The rows that they follow from.
    pub(crate) rows: Vec<usize>,
}

/// The bounds that constraints imply; `None` where X is a box that is not wide, or where they add nothing to it.
///
/// # Errors
/// A row that cannot be evaluated at 0.
pub(crate) fn implied_bounds(problem: &Problem) -> Result<Option<ImpliedBounds>, OracleError> {
    if let Some(units) = problem.units() {
        return Ok(units.bounds.clone());
    }
    propagated(problem, None)
}

/// The box in which all x of X with F(x) <= `level` lie, as far as propagation shows one.
///
/// # Errors
/// A row that cannot be evaluated at 0.
pub(super) fn bounds_below(problem: &Problem, level: f64) -> Result<Option<[Vec<f64>; 2]>, OracleError> {
    if problem.units().is_some() {
        return Ok(None);
    }
    let found = propagated(problem, Some(level))?.map(|bounds| [bounds.lower, bounds.upper]);
    Ok(found.filter(|ends| ends.iter().flatten().all(|end| end.is_finite())))
}

fn propagated(problem: &Problem, level: Option<f64>) -> Result<Option<ImpliedBounds>, OracleError> {
    let own = own_bounds(problem);
    let sources = Sources::of(problem, level);
    let is_wide = own.iter().flatten().any(|x| x.abs() >= WIDE);
    let mut mapping = problem.mapping();
    if !is_wide || sources.are_useless(problem) || !mapping.has_rows() {
        return Ok(None);
    }
    let zero = vec![0.0; problem.dimension()];
    let values = match problem.linearised_values(&zero) {
        Some(values) => values.to_vec(),
        None => {
            let mut values = vec![0.0; problem.rows()];
            problem.budget().gradient()?;
            mapping.linearise(&zero, &mut values)?;
            values
        }
    };
    let rows = Rows { problem, mapping: &*mapping, values: &values };
    let pairs = pairs::of(&rows, &sources.apart, &sources.together);
    let mut found = Propagation::new(own.clone(), problem.rows());
    for round in 0..IMPLIED_ROUNDS {
        let mut gained = false;
        for (row, interval) in &sources.apart {
            problem.budget().component()?;
            if problem.is_affine(*row) || round == 0 {
                gained |= found.take(&rows, *row, *interval)?;
            }
        }
        for (range, composer) in &sources.together {
            problem.budget().component()?;
            gained |= found.take_narrowed(&rows, range.clone(), |z| composer.narrow(z))?;
        }
        for pair in &pairs {
            gained |= found.take_pair(pair);
        }
        if let Some(level) = &sources.level {
            gained |= level.take(&rows, &mut found)?;
        }
        if !gained {
            break;
        }
    }
    Ok(found.finish(&own))
}

/// The rows, linearised at 0.
struct Rows<'a> {
    problem: &'a Problem,
    mapping: &'a dyn Mapping,
    /// g(0)
    values: &'a [f64],
}

impl Rows<'_> {
    /// The entries of a row that are not 0.
    fn read(&self, row: usize, scratch: &mut Vec<f64>, entries: &mut Vec<(usize, f64)>) {
        entries.clear();
        self.mapping.with_row(row, scratch, &mut |view| {
            view.for_each(|i, a| entries.extend((a != 0.0).then_some((i, a))));
        });
    }
}

/// The bounds that X itself says of each variable.
fn own_bounds(problem: &Problem) -> [Vec<f64>; 2] {
    let u = problem.regulariser();
    let bounds = (0..problem.dimension()).map(|i| {
        let [low, high] = u.interval(i);
        // Ends that are worked out, as those of a ball are, may have been rounded inwards.
        let worked_out = [low, high].into_iter().filter(|end| end.is_finite() && u.scalar_term(i).is_none());
        let room = IMPLIED_INFLATION * worked_out.map(f64::abs).sum::<f64>();
        (low - room, high + room)
    });
    let (lower, upper) = bounds.unzip();
    [lower, upper]
}

/// What says something of rows.
struct Sources<'a> {
    /// Rows that must be in an interval, each with it: those of constraints, and those outside of which a term is infinite.
    apart: Vec<(usize, [f64; 2])>,
    /// Constraints that hold rows together.
    together: Vec<(Range<usize>, &'a dyn Composer)>,
    level: Option<Level<'a>>,
}

impl<'a> Sources<'a> {
    fn of(problem: &'a Problem, level: Option<f64>) -> Self {
        let (mut apart, mut together) = (Vec::new(), Vec::new());
        for (range, composer) in problem.parts() {
            let domains: Vec<_> =
                range.clone().enumerate().map(|(k, row)| (row, composer.row_domain(k))).collect();
            if composer.is_constraint() && domains.iter().any(|(_, domain)| domain.is_none()) {
                together.push((range, composer));
                continue;
            }
            let known = domains.into_iter().filter_map(|(row, domain)| Some((row, domain?)));
            apart.extend(known.filter(|(_, [low, high])| low.is_finite() || high.is_finite()));
        }
        Self { apart, together, level: level.and_then(|level| Level::of(problem, level)) }
    }

    /// Whether nothing here can bound a variable.
    fn are_useless(&self, problem: &Problem) -> bool {
        let useful = |(row, _): &(usize, [f64; 2])| problem.is_affine(*row) || ball::is_curved(problem, *row);
        self.together.is_empty() && self.level.is_none() && !self.apart.iter().any(useful)
    }
}

/// F(x) <= level.
struct Level<'a> {
    level: f64,
    /// The terms of F but for g_0, each with the least that it can be; what rounding may have done to their sum, and the least of u.
    terms: Vec<(Range<usize>, &'a dyn Composer, f64)>,
    least: f64,
    rounding: f64,
}

impl<'a> Level<'a> {
    /// `None` where g_0 is not the one row of its block, or a term, or u, has no least value.
    fn of(problem: &'a Problem, level: f64) -> Option<Self> {
        if problem.blocks().first() != Some(&(0..1)) {
            return None;
        }
        let least_u = problem.regulariser().min_linear(&vec![0.0; problem.dimension()], None);
        let mut terms = Vec::new();
        for (range, composer) in problem.parts().filter(|(range, h)| range.start > 0 && !h.is_constraint()) {
            let zero = vec![0.0; range.len()];
            terms.push((range, composer, -composer.conjugate(&zero)));
        }
        let least = least_u + terms.iter().map(|(_, _, least)| least).sum::<f64>();
        let sizes = level.abs() + least_u.abs() + terms.iter().map(|(_, _, least)| least.abs()).sum::<f64>();
        let rounding = (terms.len() + 8) as f64 * f64::EPSILON * sizes;
        (least.is_finite() && level.is_finite()).then_some(Self { level, terms, least, rounding })
    }

    /// Tightens by what is left for g_0 where the terms are least, and for each term where g_0 and the others are.
    fn take(&self, rows: &Rows<'_>, found: &mut Propagation) -> Result<bool, OracleError> {
        let left = self.level - self.least + self.rounding;
        let mut gained = found.take(rows, 0, [f64::NEG_INFINITY, left])?;
        let [of_objective, _] = found.interval(rows, 0);
        if !of_objective.is_finite() {
            return Ok(gained);
        }
        for (range, composer, least) in &self.terms {
            let own = left - of_objective + least + self.rounding;
            if own > *least {
                gained |= found.take_narrowed(rows, range.clone(), |z| narrow_below(*composer, own, z))?;
            }
        }
        Ok(gained)
    }
}
