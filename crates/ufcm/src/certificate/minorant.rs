//! One minorant of F - u.
//!
//! For l in the domain of h*, l_j >= 0 on curved rows: F(x) - u(x) >= <l, g(x)> - h*(l) >= offset + <slope, x> with
//! offset = <l, g(y) - J y> - h*(l) and slope = J'l, by the definition of h* and convexity. Where components claim strong
//! convexity mu_j, the minorant rises by mu/2 |x - y|^2 with mu = sum_j l_j mu_j.

use super::rounding::absolute_dot;
use crate::oracle::{Composer, Mapping, OracleError, Weight};

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
    let mut offset = Offset { value: -conjugate, magnitude, curvature: 0.0 };
    slope.fill(0.0);
    magnitudes.fill(0.0);
    for (j, (&l, &g)) in at.multipliers.iter().zip(at.values).enumerate().filter(|(_, (l, _))| **l != 0.0) {
        // Only what is stored: a sparse block of many rows is passed over once.
        at.mapping.with_row(j, scratch, &mut |row| {
            offset.value += l * (g - row.dot(at.y));
            row.for_each(|i, a| {
                slope[i] += l * a;
                magnitudes[i] += (l * a).abs();
            });
        });
        offset.magnitude += (l * g).abs();
        offset.curvature += l.max(0.0) * strong_convexity(at.mapping, j);
    }
    offset.magnitude += absolute_dot(magnitudes, at.y);
    let finite = offset.magnitude.is_finite() && magnitudes.iter().all(|s| s.is_finite());
    (finite && offset.value.is_finite()).then_some(offset)
}
