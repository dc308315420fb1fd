//! How far a variable can go against its slope.

use crate::oracle::ScalarTerm;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Below,
    Above,
}

/// Whether a variable between bounds, without a slope, counts as held: if rows hold it, then far better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    Hold,
    DoNotCount,
}

/// Beyond this, nothing holds a variable.
const FAR: f64 = 1e30;
/// Halvings that make a way, known within a factor of 2, exact to a percent.
const HALVINGS: usize = 7;
/// What rounding does to a few operations on numbers of one sign.
const ROUNDING: f64 = 1e-14;

impl ScalarTerm {
    /// The term without its bounds.
    pub(super) fn unbounded_value(&self, x: f64) -> f64 {
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, ..*self }.value(x)
    }

    /// Whether s x + the term grows by no more than `growth` on a side that has no end; or, where bounds do not count as ends, on
    /// both sides.
    pub(super) fn is_let_go(&self, s: f64, growth: f64, bounds: Bounds) -> bool {
        let [left, right] = [self.below - s, self.above + s];
        let flat = |rise: f64| self.ridge == 0.0 && rise <= growth;
        let between = bounds == Bounds::DoNotCount && self.lower < self.upper;
        (self.upper.is_infinite() && flat(right))
            || (self.lower.is_infinite() && flat(left))
            || (between && flat(left) && flat(right))
    }

    /// A subgradient of s x + the term, that nearest to 0.
    pub(super) fn slope_at(&self, x: f64, s: f64) -> f64 {
        let s = s + self.ridge * x;
        match x {
            x if x > 0.0 => s + self.above,
            x if x < 0.0 => s - self.below,
            _ => (s - self.below).max(0.0) + (s + self.above).min(0.0),
        }
    }
}

/// A way from the minimiser `from` of s x + the term after which that has grown by more than `gap`, whatever rounding did, in which
/// s is off by `blur`: or the way to the bound there. `None` where nothing ends it.
pub(super) fn way(law: &ScalarTerm, [s, blur]: [f64; 2], from: f64, gap: f64, side: Side) -> Option<f64> {
    let (sign, end) = match side {
        Side::Above => (1.0, law.upper - from),
        Side::Below => (-1.0, from - law.lower),
    };
    let exceeds = |t: f64| {
        let x = from + sign * t;
        let [there, here] = [x, from].map(|x| law.unbounded_value(x));
        let sizes = t * s.abs() + there.abs() + here.abs() + s.abs() * f64::EPSILON * from.abs();
        sign * s * t + (there - here) - blur * t - ROUNDING * sizes > gap
    };
    let mut t = (gap + f64::MIN_POSITIVE).min(1.0).max(f64::EPSILON * from.abs());
    while t < end && !exceeds(t) {
        t *= 2.0;
        if t > FAR {
            return end.is_finite().then_some(end);
        }
    }
    if t >= end {
        return Some(end);
    }
    let (mut low, mut high) = (0.5 * t, t);
    for _ in 0..HALVINGS {
        let middle = low.midpoint(high);
        if exceeds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_a_kink_and_a_ridge_each_hold_a_variable() {
        let nonnegative = ScalarTerm { lower: 0.0, ..ScalarTerm::ZERO };
        let t = way(&nonnegative, [2.0, 0.0], 0.0, 1.0, Side::Above).unwrap();
        assert!((0.5..0.51).contains(&t), "1/2, not {t}");
        assert_eq!(way(&nonnegative, [2.0, 0.0], 0.0, 1.0, Side::Below), Some(0.0));
        assert_eq!(way(&nonnegative, [0.0, 0.0], 0.0, 1.0, Side::Above), None);
        let kink = ScalarTerm { above: 3.0, below: 3.0, ..ScalarTerm::ZERO };
        let t = way(&kink, [1.0, 0.0], 0.0, 1.0, Side::Below).unwrap();
        assert!((0.5..0.51).contains(&t), "1 / (3 - 1), not {t}");
        let ridge = ScalarTerm { ridge: 2.0, ..ScalarTerm::ZERO };
        let t = way(&ridge, [0.0, 0.0], 0.0, 4.0, Side::Above).unwrap();
        assert!((2.0..2.03).contains(&t), "2, not {t}");
        assert!(
            way(&nonnegative, [2.0, 1.0], 0.0, 1.0, Side::Above).unwrap() >= 1.0,
            "a slope of 1 at least"
        );
    }

    #[test]
    fn what_lets_a_variable_go() {
        let nonnegative = ScalarTerm { lower: 0.0, ..ScalarTerm::ZERO };
        assert!(
            nonnegative.is_let_go(1e-12, 1e-9, Bounds::Hold)
                && nonnegative.is_let_go(-1.0, 1e-9, Bounds::Hold)
        );
        assert!(!nonnegative.is_let_go(1.0, 1e-9, Bounds::Hold));
        assert!(ScalarTerm::ZERO.is_let_go(1.0, 1e-9, Bounds::Hold), "it falls for ever on the other side");
        let boxed = ScalarTerm { upper: 1.0, ..nonnegative };
        assert!(!boxed.is_let_go(0.0, 1e-9, Bounds::Hold) && boxed.is_let_go(0.0, 1e-9, Bounds::DoNotCount));
        assert!(!boxed.is_let_go(1.0, 1e-9, Bounds::DoNotCount), "its slope holds it at 0");
        let kink = ScalarTerm { above: 3.0, below: 3.0, ..ScalarTerm::ZERO };
        assert!(!kink.is_let_go(1.0, 1e-9, Bounds::Hold) && kink.is_let_go(3.0, 1e-9, Bounds::Hold));
        assert_eq!(
            [kink.slope_at(0.0, 1.0), kink.slope_at(0.0, 4.0), kink.slope_at(2.0, 1.0)],
            [0.0, 1.0, 4.0]
        );
    }
}
