//! Intervals that the entries of a point of a cone are in, from intervals of the others: what bounds of variables follow from. Every
//! end is moved outwards by more than rounding may have done to it.

use crate::conic::Cone;
use crate::linalg::norm;
use std::f64::consts::E;

/// More than the rounding of a norm, an exponential or a power, relative to it.
const OUTWARDS: f64 = 1e-12;
/// The square root of what this is beside 1 is more than rounding can make of a difference of squares.
const DIFFERENCE: f64 = 1e-14;
/// Smaller exponents make large powers of rounding.
const LEAST_EXPONENT: f64 = 1e-3;

/// Narrows the intervals `z` of a point's entries, ends possibly infinite, by what the cone says of it.
pub(crate) fn narrow(cone: Cone, z: &mut [[f64; 2]]) {
    match (cone, z) {
        (Cone::SecondOrder, [head, tail @ ..]) => second_order(head, tail),
        (Cone::Exponential, [a, b, c]) => exponential(a, b, c),
        (Cone::Power(p), [a, b, c]) => power(p, a, b, c),
        _ => {}
    }
}

fn at_least(interval: &mut [f64; 2], low: f64) {
    if low.is_finite() {
        interval[0] = interval[0].max(low);
    }
}

fn at_most(interval: &mut [f64; 2], high: f64) {
    if high.is_finite() {
        interval[1] = interval[1].min(high);
    }
}

/// The smallest absolute value in an interval.
fn least_size([low, high]: [f64; 2]) -> f64 {
    if low > 0.0 { low } else { (-high).max(0.0) }
}

/// |tail| <= head
fn second_order(head: &mut [f64; 2], tail: &mut [[f64; 2]]) {
    let least: Vec<f64> = tail.iter().map(|z| least_size(*z)).collect();
    let (all, rounding) = (norm(&least), tail.len() as f64 * f64::EPSILON);
    at_least(head, all * (1.0 - OUTWARDS - rounding));
    let high = head[1];
    if !(high >= 0.0 && high.is_finite() && all.is_finite()) {
        return;
    }
    for (z, own) in tail.iter_mut().zip(&least) {
        // |z|^2 <= head^2 - what the others are at least.
        let others = if high > 0.0 { ((all - own) * (all + own)).max(0.0) / (high * high) } else { 0.0 };
        let share = (1.0 - others * (1.0 - OUTWARDS)).max(0.0) + DIFFERENCE + 4.0 * rounding;
        let size = high * share.min(1.0).sqrt() * (1.0 + OUTWARDS);
        at_least(z, -size);
        at_most(z, size);
    }
}

/// b exp(a/b) <= c, b > 0, and the limits of such points
fn exponential(a: &mut [f64; 2], b: &mut [f64; 2], c: &mut [f64; 2]) {
    at_least(b, 0.0);
    at_least(c, 0.0);
    let (most, least) = (c[1], a[0]);
    if most > 0.0 && most < f64::INFINITY {
        // b log(c/b) is largest at b = c/e, and b + a <= b exp(a/b).
        let at = (most / E).max(b[0]).min(b[1]);
        let top = if at > 0.0 { at * (most / at).ln() } else { 0.0 };
        at_most(a, top + OUTWARDS * (top.abs() + at));
        if least > f64::NEG_INFINITY {
            let sum = most - least;
            at_most(b, sum + OUTWARDS * (most + least.abs()));
        }
    }
    if least > f64::NEG_INFINITY {
        // b exp(a/b) is smallest at b = a, or at the least b where a is not positive.
        let at = least.max(b[0]).min(b[1]);
        if at > 0.0 {
            let exponent = least / at;
            at_least(c, at * exponent.exp() * (1.0 - OUTWARDS * (1.0 + exponent.abs())));
        }
    }
}

/// a^p b^(1-p) >= |c|, a, b >= 0
fn power(p: f64, a: &mut [f64; 2], b: &mut [f64; 2], c: &mut [f64; 2]) {
    at_least(a, 0.0);
    at_least(b, 0.0);
    if !(p > LEAST_EXPONENT && p < 1.0 - LEAST_EXPONENT) {
        return;
    }
    if a[1] >= 0.0 && b[1] >= 0.0 && a[1].max(b[1]) < f64::INFINITY {
        let size = a[1].powf(p) * b[1].powf(1.0 - p) * (1.0 + OUTWARDS);
        at_least(c, -size);
        at_most(c, size);
    }
    let least = least_size(*c);
    if least > 0.0 && least.is_finite() {
        let needed = |other: f64, p: f64| (least / other.powf(1.0 - p)).powf(1.0 / p) * (1.0 - OUTWARDS / p);
        let (most_a, most_b) = (a[1], b[1]);
        if most_b > 0.0 && most_b < f64::INFINITY {
            at_least(a, needed(most_b, p));
        }
        if most_a > 0.0 && most_a < f64::INFINITY {
            at_least(b, needed(most_a, 1.0 - p));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::contains;
    use crate::random::Random;

    const CONES: [Cone; 4] = [Cone::SecondOrder, Cone::Exponential, Cone::Power(0.3), Cone::Power(0.5)];

    /// No point of a cone is lost, on whatever intervals around it; ends may be the point itself.
    #[test]
    fn points_of_the_cone_stay_inside() {
        let mut random = Random::new(11);
        let mut narrowed = 0;
        for _ in 0..20_000 {
            let cone = CONES[random.below(4)];
            let size = 10f64.powf(6.0 * random.uniform() - 3.0);
            let point = onto(cone, [0; 3].map(|_| size * (2.0 * random.uniform() - 1.0)));
            if !contains(cone, &point) {
                continue;
            }
            let mut end = |sign: f64, z: f64| match random.below(3) {
                0 => sign * f64::INFINITY,
                1 => z,
                _ => z + 2.0 * sign * size * random.uniform(),
            };
            let mut ranges = point.map(|z| [end(-1.0, z), end(1.0, z)]);
            let before = ranges;
            narrow(cone, &mut ranges);
            narrowed += usize::from(before != ranges);
            for (z, [low, high]) in point.iter().zip(ranges) {
                assert!(low <= *z && *z <= high, "{cone:?}: {point:?} in {before:?} to {ranges:?}");
            }
        }
        assert!(narrowed > 5_000, "{narrowed}");
    }

    /// A point on the boundary of the cone, or inside, with the same first entries.
    fn onto(cone: Cone, [a, b, c]: [f64; 3]) -> [f64; 3] {
        match cone {
            Cone::SecondOrder => [norm(&[b, c]) * (1.0 + 4.0 * f64::EPSILON), b, c],
            Cone::Exponential => [a, b.abs(), b.abs() * (a / b.abs()).exp() * (1.0 + 4.0 * f64::EPSILON)],
            Cone::Power(p) => {
                let most = a.abs().powf(p) * b.abs().powf(1.0 - p) * (1.0 - 4.0 * f64::EPSILON);
                [a.abs(), b.abs(), c.signum() * most]
            }
        }
    }

    #[test]
    fn what_bounds_one_entry_bounds_the_others() {
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        let mut ball = [[1.0, 1.0], free, free];
        narrow(Cone::SecondOrder, &mut ball);
        assert!(ball[1..].iter().all(|[low, high]| (low + 1.0).abs() < 1e-9 && (high - 1.0).abs() < 1e-9));
        let mut corner = [[free[0], 5.0], [3.0, free[1]], free];
        narrow(Cone::SecondOrder, &mut corner);
        assert!((corner[2][1] - 4.0).abs() < 1e-6 && (corner[0][0] - 3.0).abs() < 1e-9, "{corner:?}");
        // log(c) >= a
        let mut logarithm = [free, [1.0, 1.0], [free[0], 7.0]];
        narrow(Cone::Exponential, &mut logarithm);
        assert!((logarithm[0][1] - 7f64.ln()).abs() < 1e-9 && logarithm[2][0] == 0.0);
        let mut exponential = [[2.0, free[1]], [1.0, 1.0], free];
        narrow(Cone::Exponential, &mut exponential);
        assert!((exponential[2][0] - 2f64.exp()).abs() < 1e-9);
        // sqrt(a b) >= |c|
        let mut mean = [[free[0], 4.0], [free[0], 9.0], free];
        narrow(Cone::Power(0.5), &mut mean);
        assert!((mean[2][1] - 6.0).abs() < 1e-9 && (mean[2][0] + 6.0).abs() < 1e-9);
        let mut other = [free, [free[0], 1.0], [3.0, free[1]]];
        narrow(Cone::Power(0.5), &mut other);
        assert!((other[0][0] - 9.0).abs() < 1e-8);
    }
}
