//! Right regularisers, and the same with a fault planted.

use super::family::Rng;
use ufcm::jacobian::JacobianBlock;
use ufcm::oracle::{NewtonRegulariser, OracleError, Regulariser, Weight};
use ufcm::regulariser::{ScalarTerm, Separable};

/// Any sum of scalar terms.
pub struct Terms(Vec<ScalarTerm>);

impl Separable for Terms {
    fn kind(&self) -> &'static str {
        "terms"
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.0.len())
    }

    fn term(&self, i: usize) -> ScalarTerm {
        self.0[i]
    }

    fn strong_convexity(&self) -> f64 {
        self.0.iter().map(|term| term.ridge).fold(f64::INFINITY, f64::min)
    }
}

/// The indicator of |x| <= radius, with a prox in scalar weights only.
pub struct Ball(f64);

impl Regulariser for Ball {
    fn kind(&self) -> &'static str {
        "ball"
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn value(&self, x: &[f64]) -> f64 {
        if norm(x) <= self.0 * (1.0 + 1e-10) { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, _weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        let shrink = (self.0 / norm(x)).min(1.0);
        x.iter_mut().for_each(|x| *x *= shrink);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        false
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let length = norm(slope);
        if let Some(minimiser) = minimiser {
            minimiser
                .iter_mut()
                .zip(slope)
                .for_each(|(x, s)| *x = -self.0 * s / length.max(f64::MIN_POSITIVE));
        }
        -self.0 * length
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }
}

impl NewtonRegulariser for Ball {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let (length, inverse) = (norm(point), 1.0 / weight.at(0));
        let shrink = (self.0 / length).min(1.0);
        out.diagonal().fill(inverse * shrink);
        if shrink < 1.0 {
            out.rank_one(-inverse * shrink, 0, point.iter().map(|v| v / length));
        }
        Ok(())
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A box, an l1 norm (one-sided too), a ridge, an elastic net in a box, or a ball; scales from 1e-2 to 1e2.
pub fn right(family: usize, rng: &mut Rng) -> (Box<dyn Regulariser>, usize) {
    let n = rng.size(1, 30);
    if family % 6 == 5 {
        return (Box::new(Ball(rng.power(1.0))), n);
    }
    let scale = rng.power(1.0);
    let terms = (0..n).map(|_| {
        let (slope, ridge) = (scale * (0.1 + rng.uniform()), scale * (0.1 + rng.uniform()));
        let (lower, upper) = (-0.2 - rng.uniform(), 0.2 + rng.uniform());
        let zero = ScalarTerm::ZERO;
        match family % 6 {
            0 => ScalarTerm { lower, upper, ..zero },
            1 => ScalarTerm { above: slope, below: slope, ..zero },
            2 => ScalarTerm { above: slope, ridge, ..zero },
            3 => ScalarTerm { above: slope, below: slope, ridge, lower, upper },
            _ => ScalarTerm { lower: 0.0, above: slope, ..zero },
        }
    });
    (Box::new(Terms(terms.collect())), n)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// The weight divides where it should multiply.
    InverseWeight,
    /// The weight is taken to be 1.
    NoWeight,
    /// The prox leaves the domain.
    Unclipped,
    /// The prox jumps: small entries of its result become 0.
    HardThreshold,
    /// The minimum of a linear function is too high.
    MinimumTooHigh,
    /// It has the wrong sign of slope.
    MinimumMirrored,
    /// The minimiser is not one.
    WrongMinimiser,
    /// The Jacobian is P = S W instead of S.
    JacobianConvention,
    /// The Jacobian of the identity.
    JacobianIdentity,
    /// More strong convexity than there is.
    StrongConvexity,
    /// A value that is not convex.
    Nonconvex,
}

pub struct Planted {
    pub inner: Box<dyn Regulariser>,
    pub fault: Fault,
}

impl Planted {
    /// Gives `call` the weight that the fault makes of `weight`.
    fn with_weight<T>(&self, weight: Weight<'_>, n: usize, call: impl FnOnce(Weight<'_>) -> T) -> T {
        match self.fault {
            Fault::NoWeight => call(Weight::scalar(1.0)),
            Fault::InverseWeight => match weight.as_scalar() {
                Some(tau) => call(Weight::scalar(1.0 / tau)),
                None => {
                    let inverse: Vec<f64> = (0..n).map(|i| 1.0 / weight.at(i)).collect();
                    call(Weight::diagonal(1.0, &inverse))
                }
            },
            _ => call(weight),
        }
    }
}

impl Regulariser for Planted {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn dimension(&self) -> Option<usize> {
        self.inner.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let bump = if self.fault == Fault::Nonconvex { x.iter().map(|x| (4.0 * x).cos()).sum() } else { 0.0 };
        self.inner.value(x) + 10.0 * bump
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        let before = x.to_vec();
        self.with_weight(weight, x.len(), |weight| self.inner.prox(weight, x))?;
        match self.fault {
            Fault::Unclipped => x.iter_mut().zip(before).for_each(|(x, v)| *x = 0.5 * (*x + v)),
            Fault::HardThreshold => x.iter_mut().filter(|x| x.abs() < 0.2).for_each(|x| *x = 0.0),
            _ => {}
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        self.inner.has_diagonal_prox()
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        match (self.fault, minimiser) {
            (Fault::MinimumTooHigh, minimiser) => {
                let minimum = self.inner.min_linear(slope, minimiser);
                if minimum == f64::NEG_INFINITY { 0.0 } else { minimum + 0.05 * minimum.abs() + 0.01 }
            }
            (Fault::MinimumMirrored, minimiser) => {
                let mirrored: Vec<f64> = slope.iter().map(|s| -s).collect();
                self.inner.min_linear(&mirrored, minimiser)
            }
            (Fault::WrongMinimiser, Some(minimiser)) => {
                let minimum = self.inner.min_linear(slope, Some(minimiser));
                minimiser.iter_mut().for_each(|x| *x = 0.9 * *x + 0.01);
                minimum
            }
            (_, minimiser) => self.inner.min_linear(slope, minimiser),
        }
    }

    fn strong_convexity(&self) -> f64 {
        if self.fault == Fault::StrongConvexity {
            return 1.5 * self.inner.strong_convexity() + 0.5;
        }
        self.inner.strong_convexity()
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }
}

impl NewtonRegulariser for Planted {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        match self.fault {
            Fault::JacobianConvention => {
                out.scaled(weight.at(0), |out| self.inner.prox_jacobian(weight, point, out))
            }
            Fault::JacobianIdentity => {
                out.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / weight.at(i));
                Ok(())
            }
            _ => self.with_weight(weight, point.len(), |weight| self.inner.prox_jacobian(weight, point, out)),
        }
    }
}
