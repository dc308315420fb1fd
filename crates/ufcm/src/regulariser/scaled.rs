//! c u(a x).

use super::translated::value_near;
use super::{check_fit, fits};
use crate::conic::{Expression, Form};
use crate::error::{DataError, Position, check_finite_scalar, check_positive};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;
use std::sync::Arc;

const KIND: &str = "scaled regulariser";

/// Another regulariser, scaled: x -> c u(a x).
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::{Nonnegative, Scaled};
///
/// let nonpositive = Scaled::new(Nonnegative, 1.0, -1.0)?;
/// let mut x = [2.0, -3.0];
/// nonpositive.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [0.0, -3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Scaled {
    inner: Arc<dyn Regulariser>,
    weight: f64,
    argument: f64,
    pool: Pool,
}

impl Scaled {
    /// x -> weight u(argument x).
    ///
    /// # Errors
    /// A weight that is not positive and finite; an argument scale that is 0 or not finite, or whose square times the
    /// weight is; what is wrong with u's own data.
    pub fn new(
        inner: impl Into<Box<dyn Regulariser>>,
        weight: f64,
        argument: f64,
    ) -> Result<Self, DataError> {
        Self::of_shared(Arc::from(inner.into()), weight, argument)
    }

    /// As [`Scaled::new`], of a regulariser that others use as well.
    pub(crate) fn of_shared(
        inner: Arc<dyn Regulariser>,
        weight: f64,
        argument: f64,
    ) -> Result<Self, DataError> {
        inner.check()?;
        check_positive(KIND, "weight", weight)?;
        check_finite_scalar(KIND, "argument", argument)?;
        let scaled = Self { inner, weight, argument, pool: Pool::default() };
        if !scaled.factor().is_normal() || !scaled.factor().recip().is_normal() {
            let expected = "such that weight times argument squared is a positive number of usual size";
            return Err(DataError::out_of_range(KIND, "argument", Position::Scalar, argument, expected));
        }
        Ok(scaled)
    }

    /// c a^2: with z = a x, c u(a x) + 1/2 |x - v|_W^2 = c (u(z) + 1/2 |z - a v|_W^2 / (c a^2)).
    fn factor(&self) -> f64 {
        self.weight * self.argument * self.argument
    }
}

impl Regulariser for Scaled {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.inner.grounds()
    }

    fn dimension(&self) -> Option<usize> {
        self.inner.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let value = self.pool.with(x.len(), |z| {
            z.iter_mut().zip(x).for_each(|(z, x)| *z = self.argument * x);
            value_near(self.inner.as_ref(), z, norm(z), &self.pool)
        });
        self.weight * value
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        x.iter_mut().for_each(|x| *x *= self.argument);
        self.inner.prox(weight.times(self.factor().recip()), x)?;
        x.iter_mut().for_each(|x| *x /= self.argument);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        self.inner.has_diagonal_prox()
    }

    fn min_linear(&self, slope: &[f64], mut minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        // <s, x> + c u(a x) = c (<s / (c a), z> + u(z)); dividing twice, as c a may overflow where c a^2 does not.
        let minimum = self.pool.with(slope.len(), |inner_slope| {
            inner_slope.iter_mut().zip(slope).for_each(|(z, s)| *z = s / self.argument / self.weight);
            self.inner.min_linear(inner_slope, minimiser.as_deref_mut())
        });
        if let Some(minimiser) = minimiser {
            minimiser.iter_mut().for_each(|x| *x /= self.argument);
        }
        self.weight * minimum
    }

    fn strong_convexity(&self) -> f64 {
        self.factor() * self.inner.strong_convexity()
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        self.inner.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let x: Vec<_> = x.iter().map(|x| x.clone().times(self.argument)).collect();
        form.scaled(self.weight, |form| self.inner.conic(form, &x))
    }

    fn interval(&self, i: usize) -> [f64; 2] {
        let [a, b] = self.inner.interval(i).map(|end| end / self.argument);
        [a.min(b), a.max(b)]
    }
}

impl NewtonRegulariser for Scaled {
    /// The ordinary Jacobian P = S W is that of the inner prox, whose weight is W / (c a^2).
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let inverse = self.factor().recip();
        out.with_vector(point.iter().map(|x| self.argument * x), |z, out| {
            out.scaled(inverse, |out| self.inner.prox_jacobian(weight.times(inverse), z, out))
        })
    }
}
