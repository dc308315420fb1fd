//! Bounds on the variables that follow from constraints and from X: x >= 0 and sum x <= 1 bound every x_i. With them a lower bound
//! is finite where X alone would leave it at -inf, and tighter where X is very wide. Decision 0022.
//!
//! ```text
//! lo <= a.x + b <= hi                    x_i <= (hi - b - min of the other terms) / a_i   for a_i > 0, and so on
//! g(x) <= hi, g mu-strongly convex       |x + grad g(0)/mu|^2 <= 2 (hi - g(0))/mu + |grad g(0)|^2/mu^2
//! ```
//!
//! A few rounds over the rows; every bound is moved outwards by what rounding may have done to it.

use super::minorant::strong_convexity;
use super::tuning::{IMPLIED_GAIN, IMPLIED_INFLATION, IMPLIED_ROUNDS, WIDE};
use crate::linalg::norm;
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;

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
    let own = own_bounds(problem);
    let wide = |x: &f64| x.abs() >= WIDE;
    let intervals = intervals(problem);
    let useful = |(row, _): &(usize, [f64; 2])| {
        problem.is_affine(*row) || problem.component(*row).is_some_and(|g| g.convexity().is_some())
    };
    if !own[0].iter().chain(&own[1]).any(wide) || !intervals.iter().any(useful) {
        return Ok(None);
    }
    let mut mapping = problem.mapping();
    if !mapping.has_rows() {
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
    let [lower, upper] = own.clone();
    let mut found = Propagation { lower, upper, used: vec![false; problem.rows()], scratch: Vec::new() };
    for round in 0..IMPLIED_ROUNDS {
        let mut gained = false;
        for (row, [low, high]) in &intervals {
            problem.budget().component()?;
            let interval = [low - values[*row], high - values[*row]];
            let size = values[*row].abs();
            if problem.is_affine(*row) {
                gained |= found.take_row(&*mapping, *row, interval, size);
            } else if round == 0 {
                gained |= found.take_ball(&*mapping, *row, interval[1], size);
            }
        }
        if !gained {
            break;
        }
    }
    Ok(found.finish(&own))
}

/// The bounds that X itself says of each variable.
fn own_bounds(problem: &Problem) -> [Vec<f64>; 2] {
    let n = problem.dimension();
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    let ball = problem.regulariser().as_ball();
    for i in 0..n {
        if let Some(term) = problem.regulariser().scalar_term(i) {
            (lower[i], upper[i]) = (term.lower, term.upper);
        } else if let Some(ball) = ball {
            let centre = ball.centre.map_or(0.0, |c| c[i]);
            let reach = ball.radius * (1.0 + IMPLIED_INFLATION);
            (lower[i], upper[i]) = (centre - reach, centre + reach);
        }
    }
    [lower, upper]
}

/// The rows that must be in an interval, each with it: those of constraints, and those outside of which a term is infinite.
fn intervals(problem: &Problem) -> Vec<(usize, [f64; 2])> {
    let mut intervals = Vec::new();
    for (range, composer) in problem.parts() {
        let domains = range.enumerate().filter_map(|(k, row)| Some((row, composer.row_domain(k)?)));
        intervals.extend(domains.filter(|(_, [low, high])| low.is_finite() || high.is_finite()));
    }
    intervals
}

/// Bounds in the making.
struct Propagation {
    lower: Vec<f64>,
    upper: Vec<f64>,
    used: Vec<bool>,
    /// The entries of a row.
    scratch: Vec<f64>,
}

/// Sums of the smallest (or largest) that the terms of a row can be.
#[derive(Default)]
struct Activity {
    sum: f64,
    size: f64,
    infinite: usize,
}

impl Activity {
    fn add(&mut self, term: f64) {
        if term.is_finite() {
            self.sum += term;
            self.size += term.abs();
        } else {
            self.infinite += 1;
        }
    }

    /// The sum without `term`, if that is finite.
    fn without(&self, term: f64) -> Option<f64> {
        match (self.infinite, term.is_finite()) {
            (0, true) => Some(self.sum - term),
            (1, false) => Some(self.sum),
            _ => None,
        }
    }
}

impl Propagation {
    /// Tightens by low <= a.x <= high, whose ends carry rounding of numbers of size `size`; whether anything was gained.
    fn take_row(&mut self, mapping: &dyn Mapping, row: usize, [low, high]: [f64; 2], size: f64) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut gained = false;
        mapping.with_row(row, &mut scratch, &mut |view| {
            let (mut least, mut most, mut terms) = (Activity::default(), Activity::default(), 0);
            view.for_each(|i, a| {
                if a != 0.0 {
                    let [small, large] = self.ends(i, a);
                    least.add(small);
                    most.add(large);
                    terms += 1;
                }
            });
            let unit = (terms + 8) as f64 * f64::EPSILON;
            view.for_each(|i, a| {
                if a == 0.0 {
                    return;
                }
                let [small, large] = self.ends(i, a);
                // a x_i <= high - the least of the others, and a x_i >= low - the most of the others.
                let top = least
                    .without(small)
                    .filter(|_| high < f64::INFINITY)
                    .map(|others| (high - others) + unit * (size + high.abs() + least.size));
                let bottom = most
                    .without(large)
                    .filter(|_| low > f64::NEG_INFINITY)
                    .map(|others| (low - others) - unit * (size + low.abs() + most.size));
                let [below, above] = if a > 0.0 { [bottom, top] } else { [top, bottom] };
                gained |= self.tighten(i, below.map(|b| b / a), above.map(|b| b / a));
            });
        });
        self.scratch = scratch;
        self.used[row] |= gained;
        gained
    }

    /// Tightens by g(x) - g(0) <= `high` for a strongly convex g that is linearised at 0.
    fn take_ball(&mut self, mapping: &dyn Mapping, row: usize, high: f64, size: f64) -> bool {
        let mu = strong_convexity(mapping, row) * (1.0 - IMPLIED_INFLATION);
        if mu <= 0.0 || !high.is_finite() {
            return false;
        }
        let mut gradient = vec![0.0; self.lower.len()];
        mapping.jacobian_row(row, &mut gradient);
        let slope = norm(&gradient) / mu;
        let rounding = IMPLIED_INFLATION * ((high.abs() + size) / mu + slope * slope);
        let square = 2.0 * (high / mu) + slope * slope + rounding;
        if !(square >= 0.0 && square.is_finite()) {
            return false;
        }
        let radius = square.sqrt();
        let mut gained = false;
        for (i, g) in gradient.iter().enumerate() {
            let centre = -g / mu;
            gained |= self.tighten(i, Some(centre - radius), Some(centre + radius));
        }
        self.used[row] |= gained;
        gained
    }

    /// The smallest and largest that a x_i can be.
    fn ends(&self, i: usize, a: f64) -> [f64; 2] {
        let (at_lower, at_upper) = (a * self.lower[i], a * self.upper[i]);
        if a > 0.0 { [at_lower, at_upper] } else { [at_upper, at_lower] }
    }

    /// Takes bounds of x_i, moved outwards, where they cut off a good part of what was there.
    fn tighten(&mut self, i: usize, below: Option<f64>, above: Option<f64>) -> bool {
        let (low, high) = (self.lower[i], self.upper[i]);
        let outwards = |b: &f64| IMPLIED_INFLATION * b.abs();
        let gains = |b: f64, old: f64| {
            let least = IMPLIED_GAIN * (high - low);
            b.is_finite() && (!old.is_finite() || (b - old).abs() > least.min(f64::MAX))
        };
        let mut gained = false;
        if let Some(b) = below.map(|b| b - outwards(&b)).filter(|b| *b > low && gains(*b, low)) {
            self.lower[i] = b.min(high);
            gained = true;
        }
        if let Some(b) = above.map(|b| b + outwards(&b)).filter(|b| *b < high && gains(*b, high)) {
            self.upper[i] = b.max(self.lower[i]);
            gained = true;
        }
        gained
    }

    /// What is worth telling: `None` where no variable has gained.
    fn finish(self, [lower, upper]: &[Vec<f64>; 2]) -> Option<ImpliedBounds> {
        let gained = *lower != self.lower || *upper != self.upper;
        let rows = self.used.iter().enumerate().filter(|(_, used)| **used).map(|(row, _)| row).collect();
        gained.then_some(ImpliedBounds { lower: self.lower, upper: self.upper, rows })
    }
}
