//! Any regulariser with a ridge: u(x) + ridge/2 |x|^2. A square is absorbed by the prox of u: its weight grows by the ridge,
//! and its point shrinks towards 0.

use super::Ridge;
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::linalg::dot;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;

const KIND: &str = "regulariser with a ridge";

/// u plus the same ridge for all coordinates.
pub struct Ridged {
    ridge: f64,
    u: Box<dyn Regulariser>,
    pool: Pool,
}

impl Ridged {
    /// u(x) + ridge/2 |x|^2.
    ///
    /// # Errors
    /// A ridge that is negative or not finite, or wrong data of `u`.
    pub fn new(ridge: f64, u: Box<dyn Regulariser>) -> Result<Self, DataError> {
        Ridge::new(ridge)?;
        u.check()?;
        Ok(Self { ridge, u, pool: Pool::default() })
    }

    /// The share of v that is left.
    fn share(&self, weight: Weight<'_>, i: usize) -> f64 {
        let w = weight.at(i);
        w / (w + self.ridge)
    }
}

impl Regulariser for Ridged {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.u.grounds()
    }

    fn dimension(&self) -> Option<usize> {
        self.u.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.u.value(x) + 0.5 * self.ridge * dot(x, x)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        weight.check_length(x.len())?;
        x.iter_mut().enumerate().for_each(|(i, x)| *x *= self.share(weight, i));
        self.u.prox(weight.plus(self.ridge), x)
    }

    fn has_diagonal_prox(&self) -> bool {
        self.u.has_diagonal_prox()
    }

    /// A prox of u at the minimum of the rest.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if self.ridge == 0.0 {
            return self.u.min_linear(slope, minimiser);
        }
        self.pool.with(slope.len(), |x| {
            x.iter_mut().zip(slope).for_each(|(x, s)| *x = -s / self.ridge);
            if self.u.prox(Weight::scalar(self.ridge), x).is_err() {
                return f64::NEG_INFINITY;
            }
            if let Some(minimiser) = minimiser {
                minimiser.copy_from_slice(x);
            }
            self.value(x) + dot(slope, x)
        })
    }

    fn strong_convexity(&self) -> f64 {
        self.ridge + self.u.strong_convexity()
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        self.u.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let squares = form.scaled(self.ridge, |form| Some(form.half_squares(x.to_vec())))?;
        Some(self.u.conic(form, x)?.plus(1.0, &squares))
    }

    fn interval(&self, i: usize) -> [f64; 2] {
        self.u.interval(i)
    }
}

impl NewtonRegulariser for Ridged {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        weight.check_length(point.len())?;
        let shrunk = point.iter().enumerate().map(|(i, v)| v * self.share(weight, i));
        out.with_vector(shrunk, |point, out| self.u.prox_jacobian(weight.plus(self.ridge), point, out))
    }

    fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        self.u.prox_jacobian_bound(weight.plus(self.ridge), out);
    }
}
