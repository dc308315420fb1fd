//! The scalar law behind coordinatewise regularisers, and behind the conjugates of most rowwise composers.

use crate::conic::{Expression, Form};

/// x -> above max(x, 0) + below max(-x, 0) + ridge/2 x^2 on [lower, upper].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalarTerm {
    /// Slope for x > 0.
    pub above: f64,
    /// Slope of the descent for x < 0; above + below >= 0.
    pub below: f64,
    /// Curvature, >= 0.
    pub ridge: f64,
    /// Lower bound, possibly -inf.
    pub lower: f64,
    /// Upper bound, possibly +inf.
    pub upper: f64,
}

impl ScalarTerm {
    /// x -> 0.
    pub const ZERO: Self =
        Self { above: 0.0, below: 0.0, ridge: 0.0, lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    pub(crate) fn value(&self, x: f64) -> f64 {
        if !(x >= self.lower && x <= self.upper) {
            return f64::INFINITY;
        }
        // Only the side x is on is multiplied: 0 times an infinite slope never arises, and 0 is exact at 0.
        let kink = if x > 0.0 { self.above * x } else { -self.below * x };
        kink + 0.5 * self.ridge * x * x
    }

    /// Whether a way in this direction ends at a bound.
    pub(crate) fn ends_towards(&self, direction: f64) -> bool {
        (direction > 0.0 && self.upper < f64::INFINITY) || (direction < 0.0 && self.lower > f64::NEG_INFINITY)
    }

    /// The term of `x`, as part of a conic program.
    pub(crate) fn conic(&self, form: &mut Form, x: &Expression) -> Expression {
        if self.lower == self.upper {
            form.zero(x.clone().shifted(-self.lower));
        } else {
            if self.lower.is_finite() {
                form.nonnegative(x.clone().shifted(-self.lower));
            }
            if self.upper.is_finite() {
                form.nonnegative(x.clone().times(-1.0).shifted(self.upper));
            }
        }
        let kink = form.slopes(x, self.above, self.below);
        if self.ridge == 0.0 {
            return kink;
        }
        let squares = form.scaled(self.ridge, |form| Some(form.half_squares(vec![x.clone()])));
        kink.plus(1.0, &squares.unwrap_or_default())
    }

    /// The unconstrained minimiser of the term + w/2 (x - v)^2, and whether it lies on the kink at 0.
    fn shrink(&self, w: f64, v: f64) -> (f64, bool) {
        let (right, left) = (self.above / w, -self.below / w);
        let shifted = if v > right {
            v - right
        } else if v < left {
            v - left
        } else {
            return (0.0, right > left);
        };
        (if self.ridge == 0.0 { shifted } else { shifted * (w / (w + self.ridge)) }, false)
    }

    pub(crate) fn prox(&self, w: f64, v: f64) -> f64 {
        // In one dimension the constrained minimiser is the unconstrained one, clipped.
        self.shrink(w, v).0.max(self.lower).min(self.upper)
    }

    pub(crate) fn prox_jacobian(&self, w: f64, v: f64) -> f64 {
        let (x, on_kink) = self.shrink(w, v);
        // A fixed coordinate does not move, not even where v meets it exactly.
        let fixed = self.lower == self.upper || x < self.lower || x > self.upper;
        if on_kink || fixed { 0.0 } else { 1.0 / (w + self.ridge) }
    }

    /// The least t >= 0 beyond which s x / t + the term has a minimum; `None` where a larger t may not do.
    pub(crate) fn dual_norm(&self, s: f64) -> Option<f64> {
        if self.ridge > 0.0 || s == 0.0 || self.ends_towards(-s) {
            return Some(0.0);
        }
        let slope = if s < 0.0 { self.above } else { self.below };
        (slope >= 0.0).then(|| s.abs() / slope)
    }

    /// A minimiser of s x + the term; infinite where the minimum is not attained.
    pub(crate) fn minimiser_of_linear(&self, s: f64) -> f64 {
        let free = if s + self.above < 0.0 {
            -(s + self.above) / self.ridge // +inf without curvature
        } else if s - self.below > 0.0 {
            -(s - self.below) / self.ridge
        } else {
            0.0
        };
        free.max(self.lower).min(self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dual_norm_is_where_the_minimum_becomes_finite() {
        let l1 = ScalarTerm { above: 2.0, below: 0.5, ..ScalarTerm::ZERO };
        let laws = [
            l1,
            ScalarTerm { lower: -1.0, ..l1 },
            ScalarTerm { ridge: 1.0, ..l1 },
            ScalarTerm { upper: 3.0, ..ScalarTerm::ZERO },
        ];
        for law in laws {
            for s in [-3.0, -0.1, 0.0, 0.7, 5.0] {
                let norm = law.dual_norm(s).unwrap();
                let finite = |t: f64| law.minimiser_of_linear(s / t).is_finite();
                assert!(norm == f64::INFINITY || finite(norm * (1.0 + 1e-12) + 1e-300), "{law:?} {s}");
                assert!(norm == 0.0 || !finite(norm.min(1e6) * (1.0 - 1e-12)), "{law:?} {s}");
            }
        }
        assert_eq!(ScalarTerm { above: -1.0, below: 2.0, ..ScalarTerm::ZERO }.dual_norm(-1.0), None);
    }
}
