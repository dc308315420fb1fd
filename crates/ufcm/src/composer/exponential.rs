//! h(t, s, r) = 0 where t >= s exp(r / s) and s > 0, or s = 0, t >= 0 and r <= 0; infinite elsewhere. Its conjugate is the indicator of the polar cone.

use crate::conic::{Expression, Form};
use crate::linalg::norm_of;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, OracleError, Weight};

const KIND: &str = "exponential cone";
/// Exponents beyond this are cut: there exp is 0 or beyond any number that the rows have.
const LARGEST_EXPONENT: f64 = 700.0;

/// Three affine rows (t, s, r) in the exponential cone: t >= s exp(r / s), s > 0, and what that leaves out at its edge.
///
/// ```
/// use ufcm::composer::InExponentialCone;
/// use ufcm::oracle::Composer;
///
/// let h = InExponentialCone;
/// assert_eq!(h.value(&[3.0, 1.0, 1.0]), 0.0);
/// assert_eq!(h.value(&[2.0, 1.0, 1.0]), f64::INFINITY);
/// assert_eq!(h.conjugate(&[-1.0, -1.0, 0.0]), 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InExponentialCone;

fn is_inside([t, s, r]: [f64; 3]) -> bool {
    if s > 0.0 { t > 0.0 && s.ln() + r / s <= t.ln() } else { s == 0.0 && t >= 0.0 && r <= 0.0 }
}

/// -(u, v, w) is in the dual cone: -u >= w exp(v / w - 1) with w > 0, or w = 0 and u, v <= 0; within `slack` of the sizes.
fn is_polar([u, v, w]: [f64; 3], slack: f64) -> bool {
    let size = u.abs().max(v.abs()).max(w.abs());
    if w > slack * size {
        return u < 0.0 && w.ln() + v / w - 1.0 <= (-u).ln() + slack;
    }
    w >= -slack * size && u <= slack * size && v <= slack * size
}

/// The nearest point of the cone. Every point is a (e^p, 1, p) + b (-e^-p, 1 - p, 1) with a, b >= 0 unless it is in the cone, in its polar, or beyond its edge:
/// s = a + b (1 - p) and r = a p + b give a and b, and t = a e^p - b e^-p grows with p.
fn projected(z: [f64; 3]) -> [f64; 3] {
    let size = z.iter().fold(0.0f64, |size, z| size.max(z.abs()));
    if size == 0.0 || is_inside(z) {
        return z;
    }
    if is_polar(z, 0.0) {
        return [0.0; 3];
    }
    let [t, s, r] = z.map(|z| z / size);
    if s <= 0.0 && r <= 0.0 {
        return [t.max(0.0) * size, 0.0, r * size];
    }
    let parts = |p: f64| {
        let scale = p * p - p + 1.0;
        [(s - (1.0 - p) * r) / scale, (r - p * s) / scale]
    };
    // a >= 0 and b >= 0 bound p on one side each.
    let (mut low, mut high) = (-LARGEST_EXPONENT, LARGEST_EXPONENT);
    if r > 0.0 {
        low = low.max(1.0 - s / r);
    } else if r < 0.0 {
        high = high.min(1.0 - s / r);
    }
    if s > 0.0 {
        high = high.min(r / s);
    } else if s < 0.0 {
        low = low.max(r / s);
    }
    for _ in 0..200 {
        let p = low + (high - low) / 2.0;
        let [a, b] = parts(p);
        if a * p.exp() - b * (-p).exp() < t {
            low = p;
        } else {
            high = p;
        }
        if high - low <= f64::EPSILON * p.abs().max(1e-3) {
            break;
        }
    }
    let p = high;
    let a = parts(p)[0].max(0.0);
    [a * p.exp(), a, a * p].map(|z| z * size)
}

fn three(z: &[f64]) -> [f64; 3] {
    [0, 1, 2].map(|k| z.get(k).copied().unwrap_or(0.0))
}

impl Composer for InExponentialCone {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        3
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn value(&self, z: &[f64]) -> f64 {
        if is_inside(three(z)) { 0.0 } else { f64::INFINITY }
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        if is_polar(three(multipliers), MEMBERSHIP) { 0.0 } else { f64::INFINITY }
    }

    /// By Moreau: what the nearest point of the cone leaves.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        if weight.as_scalar().is_none() {
            return Err(OracleError::Unsupported { oracle: KIND, what: "diagonal weights" });
        }
        let z = three(multipliers);
        self.multipliers_at(&z, multipliers);
        Ok(())
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        let nearest = projected(three(z));
        multipliers.iter_mut().zip(z).zip(nearest).for_each(|((l, z), p)| *l = z - p);
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        if self.value(z) == 0.0 {
            return 0.0;
        }
        norm_of(projected(three(z)).iter().zip(z).map(|(p, z)| z - p)).max(f64::MIN_POSITIVE)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let [t, s, r] = z else { return None };
        form.exponential_cone([t.clone(), s.clone(), r.clone()]);
        Some(Expression::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_points_are_those_of_moreau() {
        let mut state = 11u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for k in 0..20_000 {
            let scale = [1e-3, 1.0, 10.0, 1e4][k % 4];
            let z = [scale * next(), next(), scale * next()];
            let size = z.iter().fold(0.0f64, |size, z| size.max(z.abs()));
            let p = projected(z);
            let rest = [z[0] - p[0], z[1] - p[1], z[2] - p[2]];
            let inner: f64 = p.iter().zip(&rest).map(|(p, r)| p * r).sum();
            assert!(inner.abs() <= 1e-9 * size * size, "{z:?}: {p:?} {inner}");
            let lifted = [p[0] * (1.0 + 1e-9) + 1e-12 * size, p[1], p[2]];
            assert!(is_inside(p) || is_inside(lifted), "{z:?}: {p:?}");
            let loosened = [rest[0] - 1e-9 * size, rest[1] - 1e-9 * size, rest[2]];
            assert!(is_polar(rest, 1e-9) || is_polar(loosened, 1e-9), "{z:?}: {rest:?}");
        }
    }

    #[test]
    fn edges_and_zero() {
        assert_eq!(projected([0.0; 3]), [0.0; 3]);
        assert_eq!(projected([2.0, -1.0, -3.0]), [2.0, 0.0, -3.0]);
        assert_eq!(projected([-2.0, -1.0, 0.0]), [0.0; 3]);
        assert!(is_inside([0.0, 0.0, -1.0]) && !is_inside([-1.0, 0.0, -1.0]) && !is_inside([1.0, -1.0, 0.0]));
    }
}
