//! A norm, or another function with u(t x) = t u(x) for t > 0, over a ball around 0. Its subgradients are the same all along a
//! ray, so the prox of u, shortened to the radius, is the prox of both.

use super::check_fit;
use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm;
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;

const KIND: &str = "norm in a ball";

/// A homogeneous u on {|x| <= radius}; there is no prox in a diagonal metric.
pub struct NormInBall {
    u: Box<dyn Regulariser>,
    radius: f64,
    grounds: Grounds,
    pool: Pool,
}

impl NormInBall {
    /// `u` over `ball`.
    ///
    /// # Errors
    /// Gives `u` back where it is not homogeneous, or `ball` is no ball around 0.
    pub fn new(u: Box<dyn Regulariser>, ball: &dyn Regulariser) -> Result<Self, Box<dyn Regulariser>> {
        let grounds = u.grounds().weaker(ball.grounds());
        match ball.as_ball() {
            Some(ball) if u.is_homogeneous() && ball.centre.is_none_or(|c| c.iter().all(|c| *c == 0.0)) => {
                Ok(Self { u, radius: ball.radius, grounds, pool: Pool::default() })
            }
            _ => Err(u),
        }
    }
}

impl Regulariser for NormInBall {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.grounds
    }

    fn dimension(&self) -> Option<usize> {
        self.u.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        if norm(x) <= self.radius * (1.0 + MEMBERSHIP) { self.u.value(x) } else { f64::INFINITY }
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        weight.require_scalar(KIND)?;
        self.u.prox(weight, x)?;
        let excess = norm(x) / self.radius;
        if excess > 1.0 {
            x.iter_mut().for_each(|x| *x /= excess);
        }
        Ok(())
    }

    /// -radius times the distance from -slope to the subgradients at 0, which the prox of u leaves.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        self.pool.with(slope.len(), |p| {
            p.iter_mut().zip(slope).for_each(|(p, s)| *p = -s);
            if self.u.prox(Weight::scalar(1.0), p).is_err() {
                return f64::NEG_INFINITY;
            }
            let size = norm(p);
            if let Some(minimiser) = minimiser {
                let unit = |p: f64| if size > 0.0 { self.radius * (p / size) } else { 0.0 };
                minimiser.iter_mut().zip(&*p).for_each(|(x, p)| *x = unit(*p));
            }
            -self.radius * size
        })
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        self.u.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        form.second_order(Expression::constant(self.radius), x.iter().cloned());
        self.u.conic(form, x)
    }

    fn interval(&self, i: usize) -> [f64; 2] {
        let [low, high] = self.u.interval(i);
        [low.max(-self.radius), high.min(self.radius)]
    }
}

impl NewtonRegulariser for NormInBall {
    /// (radius/|p|) (S - p p' / (tau |p|^2)) with p and S the prox of u and its Jacobian: along p, S is 1/tau.
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let tau = weight.require_scalar(KIND)?;
        self.pool.with(point.len(), |p| {
            p.copy_from_slice(point);
            self.u.prox(weight, p)?;
            let size = norm(p);
            if size <= self.radius {
                return self.u.prox_jacobian(weight, point, out);
            }
            let share = self.radius / size;
            out.scaled(share, |out| self.u.prox_jacobian(weight, point, out))?;
            out.rank_one(-share / tau, 0, p.iter().map(|p| p / size));
            Ok(())
        })
    }
}
