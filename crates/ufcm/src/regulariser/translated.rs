//! u(x - c), and what changes of variables share.

use super::{check_fit, fits};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_finite, check_length};
use crate::jacobian::JacobianBlock;
use crate::linalg::{dot, norm};
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;

const KIND: &str = "translated regulariser";

/// Another regulariser, moved: x -> u(x - c).
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::{L1, Translated};
///
/// let near = Translated::new(L1::new(1.0)?, vec![10.0, 20.0])?; // |x_0 - 10| + |x_1 - 20|
/// let mut x = [10.5, 25.0];
/// near.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [10.0, 24.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Translated {
    inner: Box<dyn Regulariser>,
    centre: Vec<f64>,
    pool: Pool,
}

impl Translated {
    /// x -> u(x - centre).
    ///
    /// # Errors
    /// A centre that is not finite or does not fit u; what is wrong with u's own data.
    pub fn new(inner: impl Into<Box<dyn Regulariser>>, centre: Vec<f64>) -> Result<Self, DataError> {
        let inner = inner.into();
        inner.check()?;
        check_finite(KIND, "centre", &centre)?;
        check_length(KIND, "centre", inner.dimension().unwrap_or(centre.len()), centre.len())?;
        Ok(Self { inner, centre, pool: Pool::default() })
    }

    /// x += sign c.
    fn shift(&self, sign: f64, x: &mut [f64]) {
        x.iter_mut().zip(&self.centre).for_each(|(x, c)| *x += sign * c);
    }
}

/// u(z) for a z that a change of variables made, rounding to a part of `size`. It may lie an ulp outside an exact set
/// that the other variables were inside of: if X has a point within rounding, z counts as that point.
pub(super) fn value_near(u: &dyn Regulariser, z: &[f64], size: f64, pool: &Pool) -> f64 {
    let value = u.value(z);
    if value.is_finite() {
        return value;
    }
    pool.with(z.len(), |nearest| {
        nearest.copy_from_slice(z);
        // A heavy weight: what u itself would move is below rounding.
        let projected = u.prox(Weight::scalar(1e30), nearest);
        let near = |(x, z): (&f64, &f64)| (x - z).abs() <= MEMBERSHIP * size;
        let inside = projected.is_ok() && nearest.iter().zip(z).all(near);
        if inside { u.value(nearest) } else { f64::INFINITY }
    })
}

impl Regulariser for Translated {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.inner.grounds()
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.centre.len())
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        self.pool.with(x.len(), |z| {
            z.copy_from_slice(x);
            self.shift(-1.0, z);
            value_near(self.inner.as_ref(), z, norm(x) + norm(&self.centre), &self.pool)
        })
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        self.shift(-1.0, x);
        self.inner.prox(weight, x)?;
        self.shift(1.0, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        self.inner.has_diagonal_prox()
    }

    fn min_linear(&self, slope: &[f64], mut minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        let minimum = self.inner.min_linear(slope, minimiser.as_deref_mut());
        if let Some(minimiser) = minimiser {
            self.shift(1.0, minimiser);
        }
        minimum + dot(slope, &self.centre)
    }

    fn strong_convexity(&self) -> f64 {
        self.inner.strong_convexity()
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        self.inner.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let x: Vec<_> = x.iter().zip(&self.centre).map(|(x, c)| x.clone().shifted(-c)).collect();
        self.inner.conic(form, &x)
    }

    fn interval(&self, i: usize) -> [f64; 2] {
        self.inner.interval(i).map(|end| end + self.centre[i])
    }
}

impl NewtonRegulariser for Translated {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        out.with_vector(point.iter().copied(), |z, out| {
            self.shift(-1.0, z);
            self.inner.prox_jacobian(weight, z, out)
        })
    }
}
