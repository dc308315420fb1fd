//! A coordinatewise regulariser over a ball: u(x) = sum_i u_i(x_i) on {|x - c| <= radius}.
//!
//! With a multiplier mu for the ball, everything is coordinatewise again: the prox in W is that of u in W + mu at
//! (W v + mu c) / (W + mu), and |x(mu) - c| falls as mu grows, for it is the derivative of a concave dual function. So there
//! is one root to find.

use super::ScalarTerm;
use super::{check_fit, fits};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::linalg::{norm, norm_of};
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};

const KIND: &str = "regulariser in a ball";
/// Evaluations for a root; bisection alone would find any in fewer.
const EVALUATIONS: usize = 300;
/// How near to the ball's surface a root is.
const ON_THE_SURFACE: f64 = 4.0 * f64::EPSILON;

/// A sum of [`ScalarTerm`]s, boxes included, over a [`Ball`](super::Ball).
pub struct InBall {
    terms: Vec<ScalarTerm>,
    centre: Vec<f64>,
    radius: f64,
    grounds: Grounds,
}

/// Coordinate i under a multiplier: x_i, and -dx_i/dmu over x_i - c_i.
type Law<'a> = dyn Fn(usize, f64) -> (f64, f64) + 'a;

impl InBall {
    /// `first` + `second` over `n` variables, where one is a ball and the other coordinatewise; `None` where they are not.
    #[must_use]
    pub fn new(first: &dyn Regulariser, second: &dyn Regulariser, n: usize) -> Option<Self> {
        let (ball, other) = match (first.as_ball(), second.as_ball()) {
            (Some(ball), None) => (ball, second),
            (None, Some(ball)) => (ball, first),
            _ => return None,
        };
        let terms = (0..n).map(|i| other.scalar_term(i)).collect::<Option<Vec<_>>>()?;
        let centre = ball.centre.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let grounds = first.grounds().weaker(second.grounds());
        Some(Self { terms, centre, radius: ball.radius, grounds })
    }

    /// Checks that the ball and the box of u meet in more than a point.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self) -> Result<(), DataError> {
        let nearest =
            self.terms.iter().zip(&self.centre).map(|(term, c)| c.max(term.lower).min(term.upper) - c);
        if norm_of(nearest) < self.radius {
            return Ok(());
        }
        Err(DataError::structure(KIND, "the box and the ball do not meet, or in a point alone"))
    }

    /// The mu > 0 with |x(mu) - c| = radius; `None` where x(0) is inside already. `guess` is a size to begin with.
    fn multiplier(&self, law: &Law<'_>, guess: f64) -> Option<f64> {
        // |x(mu) - c| / radius, and the step of Newton's method on its reciprocal, which is nearly straight.
        let look = |mu: f64| {
            let (mut square, mut fall) = (0.0, 0.0);
            for (i, c) in self.centre.iter().enumerate() {
                let (x, rate) = law(i, mu);
                let part = ((x - c) / self.radius).powi(2);
                square += part;
                fall += part * rate;
            }
            let size = square.sqrt();
            (size, (1.0 - 1.0 / size) * square * size / fall)
        };
        let (size, mut step) = look(0.0);
        if size <= 1.0 {
            return None;
        }
        let (mut low, mut high) = (0.0, if guess > 0.0 && guess.is_finite() { guess } else { 1.0 });
        while look(high).0 > 1.0 && high < f64::MAX / 8.0 {
            (low, high) = (high, 8.0 * high);
            step = f64::NAN;
        }
        for _ in 0..EVALUATIONS {
            let newton = low + step;
            let mu = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if mu <= low || mu >= high {
                break;
            }
            let (size, next) = look(mu);
            if (size - 1.0).abs() <= ON_THE_SURFACE {
                return Some(mu);
            }
            if size > 1.0 {
                (low, step) = (mu, next);
            } else {
                // From the right the reciprocal's tangent leads to the left of the root.
                high = mu;
                step = mu + next - low;
            }
        }
        Some(high)
    }

    /// Coordinate i of the prox of v under a multiplier.
    fn moved(&self, weight: Weight<'_>, i: usize, v: f64, mu: f64) -> (f64, f64) {
        let (w, c) = (weight.at(i), self.centre[i]);
        // From c, for v may be so far out that c is nothing beside it; but without a multiplier v is not touched.
        let point = if mu > 0.0 { c + (w / (w + mu)) * (v - c) } else { v };
        (self.terms[i].prox(w + mu, point), self.terms[i].prox_jacobian(w + mu, point))
    }

    fn multiplier_at(&self, weight: Weight<'_>, v: &[f64]) -> Option<f64> {
        let far = |(i, (v, c)): (usize, (&f64, &f64))| weight.at(i) * ((v - c).abs() / self.radius - 1.0);
        let guess = v.iter().zip(&self.centre).enumerate().map(far).fold(0.0, f64::max);
        self.multiplier(&|i, mu| self.moved(weight, i, v[i], mu), guess)
    }
}

impl Regulariser for InBall {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.grounds
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.terms.len())
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        let distance = norm_of(x.iter().zip(&self.centre).map(|(x, c)| x - c));
        // A point of a ball far from 0 is rounded to the size of its centre.
        if distance > self.radius + MEMBERSHIP * (self.radius + norm(&self.centre)) {
            return f64::INFINITY;
        }
        self.terms.iter().zip(x).map(|(term, &x)| term.value(x)).sum()
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        let mu = self.multiplier_at(weight, x).unwrap_or(0.0);
        x.iter_mut().enumerate().for_each(|(i, x)| *x = self.moved(weight, i, *x, mu).0);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    /// The dual function of the ball at its best multiplier, which is below the minimum whatever the multiplier.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        let law = |i: usize, mu: f64| match mu {
            0.0 => (self.terms[i].minimiser_of_linear(slope[i]), 0.0),
            _ => {
                let point = self.centre[i] - slope[i] / mu;
                (self.terms[i].prox(mu, point), self.terms[i].prox_jacobian(mu, point))
            }
        };
        let mu = self.multiplier(&law, norm(slope) / self.radius).unwrap_or(0.0);
        let (mut value, mut square) = (0.0, 0.0);
        for (i, (term, s)) in self.terms.iter().zip(slope).enumerate() {
            let x = law(i, mu).0;
            value += term.value(x) + s * x;
            square += ((x - self.centre[i]) / self.radius).powi(2);
        }
        if let Some(minimiser) = minimiser {
            minimiser.iter_mut().enumerate().for_each(|(i, x)| *x = law(i, mu).0);
        }
        // Nothing is added where mu is 0, wherever x is.
        if mu > 0.0 { value + 0.5 * mu * self.radius * (self.radius * (square - 1.0)) } else { value }
    }

    fn strong_convexity(&self) -> f64 {
        self.terms.iter().map(|term| term.ridge).fold(f64::INFINITY, f64::min)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let tail = x.iter().zip(&self.centre).map(|(x, c)| x.clone().shifted(-c));
        form.second_order(Expression::constant(self.radius), tail);
        let mut sum = Expression::default();
        self.terms.iter().zip(x).for_each(|(term, x)| sum.add(1.0, &term.conic(form, x)));
        Some(sum)
    }

    fn interval(&self, i: usize) -> [f64; 2] {
        let (term, centre) = (&self.terms[i], self.centre[i]);
        [term.lower.max(centre - self.radius), term.upper.min(centre + self.radius)]
    }
}

impl NewtonRegulariser for InBall {
    /// D - D r r'D / r'D r with r = x - c, D the Jacobian in W + mu: on the surface r'dx = 0.
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let mu = self.multiplier_at(weight, point);
        let at = |i: usize| self.moved(weight, i, point[i], mu.unwrap_or(0.0));
        out.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = at(i).1);
        // Relative to the radius, so that the energy does not underflow.
        let turned = |i: usize| {
            let (x, rate) = at(i);
            [(x - self.centre[i]) / self.radius, rate]
        };
        let energy = |[r, rate]: [f64; 2]| r * r * rate;
        let energy: f64 = (0..point.len()).map(turned).map(energy).sum();
        if mu.is_some() && energy > 0.0 {
            out.rank_one(-1.0 / energy, 0, (0..point.len()).map(turned).map(|[r, rate]| r * rate));
        }
        Ok(())
    }

    fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        let diagonal = out.diagonal().iter_mut().zip(&self.terms).enumerate();
        diagonal.for_each(|(i, (d, term))| *d = 1.0 / (weight.at(i) + term.ridge));
    }
}
