//! How far rounding can have moved a bound.
//!
//! A sum of k products, in whatever order, is off by at most k u/(1 - k u) times the sum of their absolute values, u half
//! of [`f64::EPSILON`]. A bound is such a sum: its terms are l_j g_j(y), l_j J_ji y_i, h*(l), and, inside the minimum
//! over x, s_i x_i. The slope s = J'l is itself rounded, which moves the minorant at x by up to u (m + 1) sum_i S_i |x_i|,
//! S_i = sum_j |l_j J_ji|; what counts is x at a solution, for which stand y, the minimiser of the linear
//! function, and the two ends of X (or of the premise's set) in the direction S. All of this is charged with one common factor,
//! (n + m + 32) EPSILON, which is more than twice the worst case of each sum and leaves as much for the components' own
//! rounding, which is assumed to be within that factor of |g_j(y)| + sum_i |J_ji y_i|.

use crate::kernel::sums;

/// The charge for each unit of absolute value summed, in `n` variables, with `m` rows.
pub(super) fn unit(n: usize, m: usize) -> f64 {
    (n + m + 32) as f64 * f64::EPSILON
}

/// How far outside the domain of u* a slope may be and still be taken by `min_linear`, relative to its size.
pub(super) const SLOPE_SLACK: f64 = 1e-12;

/// sum of |a_i b_i|
pub(super) fn absolute_dot(a: &[f64], b: &[f64]) -> f64 {
    sums::sum_of_pairs(a, b, |a, b| (a * b).abs())
}

/// Where X is unbounded, a minorant proves something only if the rounding of its slope is below this part of the slopes in the objective: what
/// multipliers of 1e20 leave after they have cancelled is no slope of anything.
const DROWNED: f64 = 1e-6;

/// Whether rounding drowns the slope of a minorant: `magnitude` is the largest S_i, `slope` the largest entry of the slope, `objective` that
/// of the objective's own rows in it.
pub(super) fn is_drowned(unit: f64, magnitude: f64, slope: f64, objective: f64) -> bool {
    unit * magnitude > DROWNED * slope.max(objective)
}

/// The largest absolute value.
pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest, v| v.abs().max(largest))
}
