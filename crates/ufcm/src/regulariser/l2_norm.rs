//! u(x) = w |x|, and what the norm of a group of coordinates shares with it.

use super::fields::WEIGHT;
use super::{SLOPE_ROUNDING, check_fit, min_linear_at_zero};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_nonnegative};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm_of;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection::ball_multiplier;

const KIND: &str = "l2 norm";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "l2",
        aliases: &[],
        formula: "w |x|",
        about: "The Euclidean norm itself, not its square.",
        fields: &[WEIGHT],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(L2Norm::new(values.number("weight")?)?)),
};

/// The Euclidean norm, times a weight: all coordinates vanish together.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::L2Norm;
///
/// let u = L2Norm::new(5.0)?;
/// let mut x = [6.0, 8.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L2Norm {
    weight: f64,
}

impl L2Norm {
    /// weight |x|.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weight: f64) -> Result<Self, DataError> {
        check_nonnegative(KIND, "weight", weight)?;
        Ok(Self { weight })
    }
}

impl Regulariser for L2Norm {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.weight * crate::linalg::norm(x)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        let shrinkage = Shrinkage::of(weight, self.weight, x, 0..x.len());
        for (i, x) in x.iter_mut().enumerate() {
            *x *= shrinkage.factor(weight.at(i));
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        min_linear_at_zero(slope_within(slope.iter().copied(), self.weight), minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        Some(form.norm(x.to_vec()).times(self.weight))
    }
}

impl NewtonRegulariser for L2Norm {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let shrinkage = Shrinkage::of(weight, self.weight, point, 0..point.len());
        if let Some((c, v)) = shrinkage.jacobian(weight, point, 0..point.len(), out) {
            out.rank_one(c, 0, v);
        }
        Ok(())
    }
}

/// Whether |slope| <= radius, up to rounding.
pub(super) fn slope_within(slope: impl Iterator<Item = f64> + Clone, radius: f64) -> bool {
    norm_of(slope) <= radius * (1.0 + SLOPE_ROUNDING)
}

/// What the prox of radius |x| does to v, in |.|_W, on some of the coordinates.
///
/// By Moreau x = v - W^-1 p, with p the projection of W v onto the ball of that radius in |.|_{W^-1}:
/// p_i = w_i v_i / (1 + mu w_i), so x_i = v_i mu w_i / (1 + mu w_i), and mu = |x| / radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shrinkage {
    /// x = v: the radius is 0.
    None,
    /// x = 0: |W v| <= radius.
    Complete,
    /// 0 < |x| < |v|.
    Partial { mu: f64, radius: f64 },
}

impl Shrinkage {
    pub(super) fn of(
        weight: Weight<'_>,
        radius: f64,
        v: &[f64],
        indices: impl Iterator<Item = usize> + Clone,
    ) -> Self {
        if radius == 0.0 {
            return Self::None;
        }
        let pulls = indices.clone().map(|i| weight.at(i) * v[i]);
        if norm_of(pulls) <= radius {
            return Self::Complete;
        }
        let mu = match weight.as_scalar() {
            Some(tau) => norm_of(indices.map(|i| v[i])) / radius - 1.0 / tau,
            None => ball_multiplier(indices.map(|i| (1.0 / weight.at(i), weight.at(i) * v[i])), radius),
        };
        Self::Partial { mu, radius }
    }

    /// x_i / v_i, where w_i = `w`.
    pub(super) fn factor(&self, w: f64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Complete => 0.0,
            // Not mu w / (1 + mu w): that is NaN where mu w overflows.
            Self::Partial { mu, .. } => 1.0 / (1.0 + 1.0 / (mu * w)),
        }
    }

    /// Writes the diagonal of the Jacobian on `indices`, and gives its rank-one term, if it has one.
    ///
    /// With κ = radius / |x| = 1 / mu and e = x / |x|, the curvature of the norm is κ (I - e e'). So
    /// S = (K - κ e e')^-1 with K = W + κ I, which is K^-1 + κ (K^-1 e)(K^-1 e)' / (1 - κ e' K^-1 e). That
    /// denominator is sum of e_i^2 w_i / (w_i + κ), without cancellation.
    pub(super) fn jacobian<'a>(
        &self,
        weight: Weight<'a>,
        v: &'a [f64],
        indices: impl Iterator<Item = usize> + Clone + 'a,
        out: &mut JacobianBlock<'_>,
    ) -> Option<(f64, impl Iterator<Item = f64> + 'a)> {
        let diagonal = out.diagonal();
        for i in indices.clone() {
            // factor / w = (1 / w) / (1 + κ / w) = 1 / (w + κ)
            diagonal[i] = self.factor(weight.at(i)) / weight.at(i);
        }
        let Self::Partial { mu, radius } = *self else { return None };
        let kappa = 1.0 / mu;
        let direction = move |i: usize| v[i] * (weight.at(i) / (1.0 + mu * weight.at(i))) / radius;
        let slack: f64 =
            indices.clone().map(|i| direction(i).powi(2) * weight.at(i) / (weight.at(i) + kappa)).sum();
        let v = indices.map(move |i| direction(i) / (weight.at(i) + kappa));
        Some((kappa / slack, v))
    }
}
