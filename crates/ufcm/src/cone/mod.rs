//! Cones of a few rows: who is in them, who is in their polars, and Moreau's decomposition v = z + l with z in the cone K, l in its
//! polar K° = {l : <l, z> <= 0 for all z in K}, and <l, z> = 0.
//!
//! Both parts are written down from the same root, each by a formula that puts it on the boundary of its cone whatever the rounding
//! of the root: a multiplier must lie in K° exactly, or the bound that it proves is worth nothing.

mod exponential;
mod narrow;
mod power;

pub(crate) use narrow::narrow;

use crate::conic::Cone;
use crate::linalg::norm;
use crate::oracle::{OracleError, Regulariser, Weight};
use crate::regulariser::SecondOrderCone;

/// By how much a multiplier may leave the polar through rounding, relative to its size.
const ROUNDING: f64 = 1e-13;

/// Whether `z` is in the cone, to the last bit.
pub(crate) fn contains(cone: Cone, z: &[f64]) -> bool {
    match (cone, z) {
        (Cone::SecondOrder, [head, tail @ ..]) => norm(tail) <= *head,
        (Cone::Exponential, &[a, b, c]) => exponential::contains(a, b, c),
        (Cone::Power(p), &[a, b, c]) => power::contains(p, a, b, c),
        _ => false,
    }
}

/// Whether `l` is in the polar cone, up to rounding.
pub(crate) fn polar_contains(cone: Cone, l: &[f64]) -> bool {
    match (cone, l) {
        (Cone::SecondOrder, [head, tail @ ..]) => norm(tail) <= -head * (1.0 + ROUNDING),
        (Cone::Exponential, &[a, b, c]) => exponential::polar_contains(a, b, c),
        (Cone::Power(p), &[a, b, c]) => power::polar_contains(p, a, b, c),
        _ => false,
    }
}

/// In place: the part of `v` in the polar cone, its projection there. Second-order cones take any metric, the others multiples of the
/// Euclidean one, in which the weight does not matter.
pub(crate) fn polar_part(cone: Cone, weight: Weight<'_>, v: &mut [f64]) -> Result<(), OracleError> {
    match (cone, &mut *v) {
        // The polar is the cone itself, mirrored.
        (Cone::SecondOrder, v) => {
            v.iter_mut().for_each(|v| *v = -*v);
            SecondOrderCone.prox(weight, v)?;
            v.iter_mut().for_each(|v| *v = -*v);
        }
        (Cone::Exponential, [a, b, c]) => [*a, *b, *c] = exponential::polar_part([*a, *b, *c]),
        (Cone::Power(p), [a, b, c]) => [*a, *b, *c] = power::polar_part(p, [*a, *b, *c]),
        _ => {}
    }
    Ok(())
}

/// Where an increasing function changes its sign between `low` and `high`, to the last bit.
fn root_between(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
}

/// `v` over its largest entry, and that entry; 0 stays.
fn normalised(v: [f64; 3]) -> ([f64; 3], f64) {
    let size = v.iter().fold(0.0f64, |size, v| size.max(v.abs()));
    if size == 0.0 { (v, 0.0) } else { (v.map(|v| v / size), size) }
}
