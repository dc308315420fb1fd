//! The coordinatewise regularisers: one scalar law serves l1, ridge, elastic net, boxes and their combinations.

use super::{check_fit, fits};
use crate::error::{DataError, check_length};
use crate::jacobian::JacobianBlock;
use crate::oracle::{OracleError, Regulariser, Weight};

/// A parameter that is the same for all coordinates (any number of them), or given for each.
#[derive(Debug, Clone, PartialEq)]
pub enum PerCoordinate {
    /// One value for all.
    Uniform(f64),
    /// One value for each.
    Each(Vec<f64>),
}

impl PerCoordinate {
    /// The value for coordinate `i`.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::Each(values) => values[i],
        }
    }

    /// The number of coordinates, if given for each.
    #[must_use]
    pub fn dimension(&self) -> Option<usize> {
        match self {
            Self::Uniform(_) => None,
            Self::Each(values) => Some(values.len()),
        }
    }

    /// The distinct values as a slice, for checks.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Uniform(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }

    /// The smallest value.
    #[must_use]
    pub fn smallest(&self) -> f64 {
        self.values().iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The number of coordinates of two parameters together; an error, naming `other`, where they do not agree.
    pub(super) fn common_dimension(
        &self,
        object: &'static str,
        field: &'static str,
        other: &Self,
    ) -> Result<Option<usize>, DataError> {
        match (self.dimension(), other.dimension()) {
            (Some(n), Some(m)) => check_length(object, field, n, m).map(|()| Some(n)),
            (n, m) => Ok(n.or(m)),
        }
    }
}

impl From<f64> for PerCoordinate {
    fn from(value: f64) -> Self {
        Self::Uniform(value)
    }
}

impl From<Vec<f64>> for PerCoordinate {
    fn from(values: Vec<f64>) -> Self {
        Self::Each(values)
    }
}

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

/// A regulariser that is a sum of [`ScalarTerm`]s, one for each coordinate.
///
/// Implementing this is all it takes: every `Separable` is a [`Regulariser`].
pub trait Separable: Send + Sync {
    /// As [`Regulariser::kind`].
    fn kind(&self) -> &'static str;

    /// As [`Regulariser::dimension`].
    fn dimension(&self) -> Option<usize>;

    /// The term of coordinate `i`.
    fn term(&self, i: usize) -> ScalarTerm;

    /// The smallest ridge of any coordinate.
    fn strong_convexity(&self) -> f64 {
        0.0
    }
}

impl<T: Separable> Regulariser for T {
    fn kind(&self) -> &'static str {
        Separable::kind(self)
    }

    fn dimension(&self) -> Option<usize> {
        Separable::dimension(self)
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        x.iter().enumerate().map(|(i, &x)| self.term(i).value(x)).sum()
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.term(i).prox(weight.at(i), *x);
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        for (i, (d, &v)) in out.diagonal().iter_mut().zip(point).enumerate() {
            *d = self.term(i).prox_jacobian(weight.at(i), v);
        }
        Ok(())
    }

    fn min_linear(&self, slope: &[f64], mut minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        let mut minimum = 0.0;
        for (i, &s) in slope.iter().enumerate() {
            let term = self.term(i);
            let x = term.minimiser_of_linear(s);
            if x.is_infinite() {
                return f64::NEG_INFINITY;
            }
            minimum += s * x + term.value(x);
            if let Some(minimiser) = minimiser.as_deref_mut() {
                minimiser[i] = x;
            }
        }
        minimum
    }

    fn scalar_term(&self, i: usize) -> Option<ScalarTerm> {
        Some(self.term(i))
    }

    fn strong_convexity(&self) -> f64 {
        Separable::strong_convexity(self)
    }
}
