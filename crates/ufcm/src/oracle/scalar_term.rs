//! The scalar law behind coordinatewise regularisers, and behind the conjugates of most rowwise composers.

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
