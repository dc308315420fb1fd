//! The coordinatewise regularisers: one scalar law serves l1, ridge, elastic net, boxes and their combinations.

use super::{check_fit, fits};
use crate::error::{DataError, check_length};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, ScalarTerm, Weight};

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

    /// As [`Regulariser::grounds`].
    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    /// The smallest ridge of any coordinate.
    fn strong_convexity(&self) -> f64 {
        0.0
    }
}

impl<T: Separable> Regulariser for T {
    fn kind(&self) -> &'static str {
        Separable::kind(self)
    }

    fn grounds(&self) -> Grounds {
        Separable::grounds(self)
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

    fn dual_norm(&self, slope: &[f64]) -> Option<f64> {
        let mut norm = 0.0f64;
        for (i, &s) in slope.iter().enumerate() {
            norm = norm.max(self.term(i).dual_norm(s)?);
        }
        Some(norm)
    }

    fn scalar_term(&self, i: usize) -> Option<ScalarTerm> {
        Some(self.term(i))
    }

    fn strong_convexity(&self) -> f64 {
        Separable::strong_convexity(self)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }
}

impl<T: Separable> NewtonRegulariser for T {
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
}
