//! K = closure of {(a, b, c) : b > 0, b exp(a/b) <= c}. Its polar is the closure of {(a, b, c) : a > 0, a exp(b/a) <= -e c}.

use super::{ROUNDING, normalised, root_between};
use std::f64::consts::E;

/// Beyond this exponentials overflow, or are nothing beside 1.
const FAR: f64 = 700.0;
/// Smaller numbers are nothing beside 1, and lose digits in products.
const SMALLEST: f64 = 1e-250;
/// Where exponentials have overflown.
const FARTHEST: f64 = 1500.0;

pub(super) fn contains(a: f64, b: f64, c: f64) -> bool {
    if b > 0.0 { b * (a / b).exp() <= c } else { b == 0.0 && a <= 0.0 && c >= 0.0 }
}

pub(super) fn polar_contains(a: f64, b: f64, c: f64) -> bool {
    if a > 0.0 {
        // The exponent carries the rounding of b/a.
        let rounding = ROUNDING * (1.0 + (b / a).abs());
        return a * (b / a).exp() <= -E * c * (1.0 + rounding);
    }
    a == 0.0 && b <= 0.0 && c <= 0.0
}

/// The projection of `v` onto the polar.
///
/// Off the cones and the faces, v = k (t, 1, exp(t)) + m (1, 1 - t, -exp(-t)) with k, m > 0: a point of the boundary of K and a normal
/// there. The first two equations give k and m for each t, the third is monotone in t where both are positive
/// (Friberg, Projection onto the exponential cone: a univariate root-finding problem, 2023).
pub(super) fn polar_part(v: [f64; 3]) -> [f64; 3] {
    let ([a, b, c], size) = normalised(v);
    if size == 0.0 || contains(a, b, c) {
        return [0.0; 3];
    }
    if polar_contains(a, b, c) {
        return v;
    }
    if a <= 0.0 && b <= 0.0 {
        return [0.0, b, c.min(0.0)].map(|l| l * size);
    }
    let square = |t: f64| t * t - t + 1.0;
    let outward = |t: f64| (a - t * b) / square(t);
    let along = |t: f64| ((t - 1.0) * a + b) / square(t);
    let low = if a > 0.0 { 1.0 - b / a } else { -FARTHEST };
    let high = if b > 0.0 { a / b } else { FARTHEST };
    // The point of K is (0, 0, c), or all but its third entry is v.
    if low > FAR {
        return on_boundary([a, b, -(a * (b / a).exp() / E)], size);
    }
    if high < -FAR {
        return [0.0, 0.0, c.min(0.0) * size];
    }
    let t = root_between(low.max(-FARTHEST), high.min(FARTHEST), |t| {
        along(t) * t.exp() - outward(t) * (-t).exp() - c
    });
    // Left of 0 the third equation has the multiple of the normal without cancellation, right of it the first two have.
    let down = if t < 0.0 { (along(t) * t.exp() - c).max(0.0) } else { outward(t).max(0.0) * (-t).exp() };
    let m = if t < 0.0 { down * t.exp() } else { outward(t).max(0.0) };
    on_boundary([m, m * (1.0 - t), -down], size)
}

/// A point of the boundary, `size` times as large. Its last entry is kept off the numbers that have few digits.
fn on_boundary([a, b, c]: [f64; 3], size: f64) -> [f64; 3] {
    let c = if a > 0.0 && c > -SMALLEST { c - SMALLEST } else { c };
    [a * size, b * size, c * size]
}
