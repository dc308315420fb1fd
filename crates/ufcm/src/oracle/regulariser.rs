//! u and X.

use super::{Grounds, OracleError, ScalarTerm, Weight};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;

/// The Euclidean ball {|x - centre| <= radius}.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EuclideanBall<'a> {
    /// The centre; `None` stands for 0, in any number of variables.
    pub centre: Option<&'a [f64]>,
    /// The radius.
    pub radius: f64,
}

impl EuclideanBall<'_> {
    /// What the ball leaves of x_i.
    #[must_use]
    pub fn interval(&self, i: usize) -> [f64; 2] {
        let centre = self.centre.map_or(0.0, |centre| centre[i]);
        [centre - self.radius, centre + self.radius]
    }
}

/// u together with the set X: closed, convex, with a prox.
///
/// The first four methods are all that a method needs. The others have defaults that are right for any u: they say that
/// nothing more is known. What they tell makes steps cheaper ([`Regulariser::has_diagonal_prox`], [`Regulariser::newton`]),
/// sharpens bounds ([`Regulariser::strong_convexity`]) or lets u go together with a domain (the rest).
///
/// # Example
///
/// A user's own regulariser:
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::oracle::{OracleError, Regulariser, Weight};
/// use ufcm::problem::Problem;
///
/// /// x -> sum of max(x_i, 0)
/// struct PositiveParts;
///
/// impl Regulariser for PositiveParts {
///     fn kind(&self) -> &'static str { "positive parts" }
///     fn value(&self, x: &[f64]) -> f64 { x.iter().map(|x| x.max(0.0)).sum() }
///     fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
///         x.iter_mut().enumerate().for_each(|(i, x)| *x = x.min((*x - 1.0 / weight.at(i)).max(0.0)));
///         Ok(())
///     }
///     fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
///         if let Some(minimiser) = minimiser { minimiser.fill(0.0); }
///         if slope.iter().all(|s| (-1.0..=0.0).contains(s)) { 0.0 } else { f64::NEG_INFINITY }
///     }
/// }
///
/// // x^2 / 2 - 3 x + max(x, 0): the minimum is at 2.
/// let objective = Quadratic::diagonal(vec![1.0])?.with_linear(vec![-3.0])?;
/// let problem = Problem::minimise(objective).regularised_by(PositiveParts).build()?;
/// assert!((problem.solve(&Default::default())?.x[0] - 2.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Regulariser: Send + Sync {
    /// What this is, in words for messages: `l2 ball`.
    fn kind(&self) -> &'static str;

    /// u(x), `f64::INFINITY` outside X. Points within rounding of X (see [`MEMBERSHIP`](super::MEMBERSHIP)) count as inside.
    fn value(&self, x: &[f64]) -> f64;

    /// In place: argmin over w in X of u(w) + 1/2 |w - x|_W^2 (eq:prox-def).
    ///
    /// # Errors
    /// [`OracleError::Unsupported`] for a diagonal W where [`Regulariser::has_diagonal_prox`] says no.
    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError>;

    /// min over x in X of <slope, x> + u(x), `f64::NEG_INFINITY` where unbounded; and a minimiser, where asked
    /// for and the minimum is finite and attained. Otherwise the buffer's content is unspecified.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64;

    /// The least t >= 0 beyond which [`Regulariser::min_linear`] of `slope` / t is finite, of a norm its dual norm of the slope; `None` where
    /// nobody has worked that out. Infinite where there is no such t.
    fn dual_norm(&self, slope: &[f64]) -> Option<f64> {
        let _ = slope;
        None
    }

    /// n where the regulariser fixes it; `None` if it fits any number of variables.
    fn dimension(&self) -> Option<usize> {
        None
    }

    /// Data that is wrong, for the builder to report: for types that are made without a `Result`.
    ///
    /// # Errors
    /// What is wrong with the data.
    fn check(&self) -> Result<(), DataError> {
        Ok(())
    }

    /// On what it rests that u is convex and its answers are right: on a user's code, unless it says more. Combinations
    /// rest on the weakest of their parts.
    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    // What makes steps cheaper and bounds sharper.

    /// Whether [`Regulariser::prox`] takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool {
        false
    }

    /// What Newton's method on a model step needs, if it is known. A gradient method takes its place otherwise.
    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        None
    }

    /// mu, the strong convexity of u in the Euclidean norm; 0 if it has none.
    fn strong_convexity(&self) -> f64 {
        0.0
    }

    // Facts for combinations with a domain.

    /// The law of coordinate `i`, where u is a sum of such laws: two regularisers that both are can be had together.
    fn scalar_term(&self, i: usize) -> Option<ScalarTerm> {
        let _ = i;
        None
    }

    /// Whether u(t x) = t u(x) for all t > 0, as for norms and cones.
    fn is_homogeneous(&self) -> bool {
        false
    }

    /// The Euclidean ball, if that is what this is: it can be had together with coordinatewise and homogeneous ones.
    fn as_ball(&self) -> Option<EuclideanBall<'_>> {
        None
    }

    /// An interval in which x_i lies wherever u is finite: the bounds of X on one variable.
    fn interval(&self, i: usize) -> [f64; 2] {
        match (self.scalar_term(i), self.as_ball()) {
            (Some(term), _) => [term.lower, term.upper],
            (None, Some(ball)) => ball.interval(i),
            (None, None) => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Writes u and X down as part of a conic program, as [`Component::conic`](super::Component::conic) does. Where u is a sum
    /// of laws of the coordinates, those say it all.
    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for (i, x) in x.iter().enumerate() {
            sum.add(1.0, &self.scalar_term(i)?.conic(form, x));
        }
        Some(sum)
    }
}

/// What Newton's method on a model step needs of a [`Regulariser`].
pub trait NewtonRegulariser: Send + Sync {
    /// An element of the generalised Jacobian of [`Regulariser::prox`] at `point` (the argument of the prox, not
    /// its result), in the convention of [`ProxJacobian`](crate::jacobian::ProxJacobian).
    ///
    /// # Errors
    /// As [`Regulariser::prox`].
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;

    /// Writes a matrix that exceeds every Jacobian of [`Regulariser::prox`] in this metric, in the convention of
    /// [`ProxJacobian`](crate::jacobian::ProxJacobian): W^-1, or less where u is known to be curved.
    fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        out.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / weight.at(i));
    }
}

impl dyn Regulariser + '_ {
    /// As [`NewtonRegulariser::prox_jacobian`].
    ///
    /// # Errors
    /// As there; [`OracleError::Unsupported`] where [`Regulariser::newton`] knows nothing.
    pub fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let unsupported = OracleError::Unsupported { oracle: self.kind(), what: "Jacobians of its prox" };
        self.newton().ok_or(unsupported)?.prox_jacobian(weight, point, out)
    }

    /// As [`NewtonRegulariser::prox_jacobian_bound`]; (W + mu I)^-1 where [`Regulariser::newton`] knows nothing, with mu the
    /// strong convexity.
    pub fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        match self.newton() {
            Some(newton) => newton.prox_jacobian_bound(weight, out),
            None => {
                let mu = self.strong_convexity();
                out.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / (weight.at(i) + mu));
            }
        }
    }
}
