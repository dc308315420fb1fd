//! One minorant of F - u.
//!
//! For l in the domain of h*, l_j >= 0 on curved rows: F(x) - u(x) >= <l, g(x)> - h*(l) >= offset + <slope, x> with
//! offset = <l, g(y) - J y> - h*(l) and slope = J'l, by the definition of h* and convexity. Where components claim strong
//! convexity mu_j, the minorant rises by mu/2 |x - y|^2 with mu = sum_j l_j mu_j.

use super::rounding::absolute_dot;
use crate::oracle::{Composer, Mapping, MinorantSums, OracleError, ScalarTerm, Weight};
use crate::problem::Problem;

/// Heavy enough that a prox of h* only projects onto the domain of h*.
const HEAVY: f64 = 1e30;
/// How far a projection may move multipliers that were in the domain up to rounding, relative to their size.
const DOMAIN_ROUNDING: f64 = 1e-9;

/// The rows linearised at y, with multipliers: all that a minorant is made of.
#[derive(Clone, Copy)]
pub struct Linearisation<'a> {
    /// Keeps the Jacobian J at y.
    pub mapping: &'a dyn Mapping,
    /// h.
    pub composer: &'a dyn Composer,
    /// y
    pub y: &'a [f64],
    /// g(y)
    pub values: &'a [f64],
    /// l
    pub multipliers: &'a [f64],
}

/// The numbers of a minorant that are no vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Offset {
    pub(super) value: f64,
    /// The sum of the absolute values of everything summed in it.
    pub(super) magnitude: f64,
    /// mu
    pub(super) curvature: f64,
}

/// The strong convexity that row `j` claims, 0 if none.
pub(super) fn strong_convexity(mapping: &dyn Mapping, j: usize) -> f64 {
    let claimed = mapping.component(j).and_then(|component| component.convexity());
    let strong = claimed.filter(|c| c.exponent == 1.0 && c.constant.is_finite());
    strong.map_or(0.0, |c| c.constant.max(0.0))
}

/// Writes multipliers into `out` that lie in the domain of h* to the last digits, and answers whether `multipliers` were
/// there up to rounding and nonnegative on curved rows.
///
/// h* forgives multipliers that left a simplex by 1e-10, which would raise a bound by 1e-10 of the largest row.
pub(super) fn project(
    mapping: &dyn Mapping,
    composer: &dyn Composer,
    multipliers: &[f64],
    out: &mut [f64],
) -> Result<bool, OracleError> {
    out.copy_from_slice(multipliers);
    if !multipliers.iter().all(|l| l.is_finite()) || !composer.conjugate(multipliers).is_finite() {
        return Ok(false);
    }
    // Twice: the first may leave rounding of the size of what it removed, and a verifier must find the same multipliers.
    for _ in 0..2 {
        composer.prox_conjugate(Weight::scalar(HEAVY), out)?;
    }
    let size = multipliers.iter().fold(0.0f64, |size, l| size.max(l.abs()));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= DOMAIN_ROUNDING * size;
    let sign = |j: usize| out[j] >= 0.0 || mapping.is_affine(j);
    Ok(out.iter().zip(multipliers).all(near)
        && composer.conjugate(out).is_finite()
        && (0..out.len()).all(sign))
}

/// Writes the slope and S_i = sum_j |l_j J_ji|; `scratch` is storage. `None` where a number is not finite.
pub(super) fn assemble(
    at: &Linearisation<'_>,
    slope: &mut [f64],
    magnitudes: &mut [f64],
    scratch: &mut Vec<f64>,
) -> Option<Offset> {
    let conjugate = at.composer.conjugate(at.multipliers);
    let magnitude = at.composer.conjugate_magnitude(at.multipliers);
    slope.fill(0.0);
    magnitudes.fill(0.0);
    let mut sums =
        MinorantSums { offset: -conjugate, offset_size: magnitude, slope, slope_sizes: magnitudes };
    at.mapping.add_minorant(at.y, at.values, at.multipliers, &mut sums, scratch);
    let (value, magnitude) = (sums.offset, sums.offset_size + absolute_dot(magnitudes, at.y));
    let claims = at.multipliers.iter().enumerate().filter(|(_, l)| **l > 0.0);
    let curvature = claims.map(|(j, l)| l * strong_convexity(at.mapping, j)).sum();
    let offset = Offset { value, magnitude, curvature };
    let finite = offset.magnitude.is_finite() && magnitudes.iter().all(|s| s.is_finite());
    (finite && offset.value.is_finite()).then_some(offset)
}

/// What a linearisation bounds F by at the points of X that are within `times` the size of y, variable by variable; not lowered for
/// rounding, for it proves nothing. `None` where u is no sum of laws of coordinates, or where the multipliers are none.
pub(crate) fn nearby_bound(problem: &Problem, at: &Linearisation<'_>, times: f64) -> Option<f64> {
    let n = at.y.len();
    let (mut slope, mut sizes, mut multipliers) = (vec![0.0; n], vec![0.0; n], at.multipliers.to_vec());
    if !project(at.mapping, at.composer, at.multipliers, &mut multipliers).ok()? {
        return None;
    }
    let at = Linearisation { multipliers: &multipliers, ..*at };
    let mut lower = assemble(&at, &mut slope, &mut sizes, &mut Vec::new())?.value;
    let mean = at.y.iter().map(|y| y.abs()).sum::<f64>() / n as f64;
    for (i, (s, y)) in slope.iter().zip(at.y).enumerate() {
        let (own, reach) = (problem.regulariser().scalar_term(i)?, times * (y.abs() + mean));
        let term = ScalarTerm { lower: own.lower.max(y - reach), upper: own.upper.min(y + reach), ..own };
        let x = term.minimiser_of_linear(*s);
        lower += s * x + own.value(x.max(own.lower).min(own.upper));
    }
    Some(lower)
}
