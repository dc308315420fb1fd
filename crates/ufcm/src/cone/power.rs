//! K = {(a, b, c) : a, b >= 0, a^p b^(1-p) >= |c|}. Its polar is {(a, b, c) : a, b <= 0, (-a/p)^p (-b/(1-p))^(1-p) >= |c|}.

use super::{ROUNDING, normalised, root_between};

/// Smaller numbers are nothing beside 1, and lose digits in products.
const SMALLEST: f64 = 1e-250;

/// a^p b^(1-p)
fn mean(p: f64, a: f64, b: f64) -> f64 {
    a.powf(p) * b.powf(1.0 - p)
}

pub(super) fn contains(p: f64, a: f64, b: f64, c: f64) -> bool {
    a >= 0.0 && b >= 0.0 && mean(p, a, b) >= c.abs()
}

pub(super) fn polar_contains(p: f64, a: f64, b: f64, c: f64) -> bool {
    a <= 0.0 && b <= 0.0 && mean(p, -a / p, -b / (1.0 - p)) * (1.0 + ROUNDING) >= c.abs()
}

/// x + sqrt(x^2 + 4 s), s >= 0, without cancellation.
fn sum_with_root(x: f64, s: f64) -> f64 {
    let root = (x * x + 4.0 * s).sqrt();
    if x >= 0.0 {
        x + root
    } else if s > 0.0 {
        4.0 * s / (root - x)
    } else {
        0.0
    }
}

/// The projection of `v` onto the polar.
///
/// Off the cones, the projection onto K has the third entry r with 0 < r < |c|, and its first two are half of x + sqrt(x^2 + 4 w r (|c| - r))
/// with w = p and 1 - p; r is where their mean is r (Hien, Differential properties of Euclidean projection onto power cone, 2015).
pub(super) fn polar_part(p: f64, v: [f64; 3]) -> [f64; 3] {
    let ([a, b, c], size) = normalised(v);
    if size == 0.0 || contains(p, a, b, c) {
        return [0.0; 3];
    }
    if polar_contains(p, a, b, c) {
        return v;
    }
    let whole = c.abs();
    if whole == 0.0 {
        return [a.min(0.0), b.min(0.0), 0.0].map(|l| l * size);
    }
    let entries = |product: f64, sign: f64| {
        let entry = |x: f64, w: f64| 0.5 * sum_with_root(sign * x, w * product);
        [entry(a, p), entry(b, 1.0 - p)]
    };
    let excess = |r: f64, rest: f64| {
        let [x, y] = entries(r * rest, 1.0);
        mean(p, x, y) - r
    };
    // The smaller of r and |c| - r is looked for, so that both are known to the last digits.
    let half = 0.5 * whole;
    let (r, rest) = if excess(half, half) < 0.0 {
        let r = root_between(0.0, half, |r| -excess(r, whole - r));
        (r, whole - r)
    } else {
        let rest = root_between(0.0, half, |rest| excess(whole - rest, rest));
        (whole - rest, rest)
    };
    let [x, y] = entries(r * rest, -1.0);
    // Where r is so small that products with it lose digits, the boundary of the polar says what is left of the entry beside the
    // negative one.
    let short = r < rest && mean(p, x / p, y / (1.0 - p)) < rest;
    let [x, y] = match (short, a < 0.0, b < 0.0) {
        (true, true, _) => [x, (1.0 - p) * (rest / (x / p).powf(p)).powf(1.0 / (1.0 - p))],
        (true, false, true) => [p * (rest / (y / (1.0 - p)).powf(1.0 - p)).powf(1.0 / p), y],
        _ => [x, y],
    };
    let third = mean(p, x / p, y / (1.0 - p)).min(rest);
    let third = if third >= SMALLEST { third } else { 0.0 };
    [-x, -y, third.copysign(c)].map(|l| l * size)
}
