//! u(x) = w max_i |x_i|.

use super::fields::WEIGHT;
use super::{SLOPE_ROUNDING, check_fit, min_linear_at_zero};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_nonnegative};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection::{identity_jacobian, threshold};

const KIND: &str = "linf norm";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "linf",
        aliases: &[],
        formula: "w max |x_i|",
        about: "The largest absolute value.",
        fields: &[WEIGHT],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(LinfNorm::new(values.number("weight")?)?)),
};

/// The largest absolute entry, times a weight: large entries are levelled.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::LinfNorm;
///
/// let u = LinfNorm::new(2.0)?;
/// let mut x = [5.0, -5.0, 1.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [4.0, -4.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinfNorm {
    weight: f64,
}

impl LinfNorm {
    /// weight max |x_i|.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weight: f64) -> Result<Self, DataError> {
        check_nonnegative(KIND, "weight", weight)?;
        Ok(Self { weight })
    }

    /// The level at which the prox clips v.
    ///
    /// By Moreau x = v - W^-1 p, with p the projection of W v onto the l1 ball of radius `weight` in |.|_{W^-1}:
    /// |p_i| = w_i max(|v_i| - level, 0), whose sum is the weight; or p = W v and level 0, inside the ball.
    fn level(&self, weight: Weight<'_>, v: &[f64]) -> f64 {
        let pulls = v.iter().enumerate().map(|(i, v)| (weight.at(i) * v.abs(), weight.at(i)));
        if self.weight == 0.0 {
            return f64::INFINITY;
        }
        if pulls.clone().map(|(pull, _)| pull).sum::<f64>() <= self.weight {
            return 0.0;
        }
        threshold(pulls, self.weight).max(0.0)
    }
}

impl Regulariser for LinfNorm {
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
        self.weight * x.iter().fold(0.0f64, |largest, x| largest.max(x.abs()))
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        let level = self.level(weight, x);
        x.iter_mut().for_each(|x| *x = x.abs().min(level).copysign(*x));
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let size: f64 = slope.iter().map(|s| s.abs()).sum();
        min_linear_at_zero(size <= self.weight * (1.0 + SLOPE_ROUNDING), minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        Some(form.largest_size(x).times(self.weight))
    }
}

impl NewtonRegulariser for LinfNorm {
    /// The clipped coordinates move together, x_i = sign(v_i) level: sign sign' / (sum of their w_i).
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let level = self.level(weight, point);
        if level == 0.0 {
            return Ok(());
        }
        identity_jacobian(weight, out);
        let mut total = 0.0;
        for (i, (d, v)) in out.diagonal().iter_mut().zip(point).enumerate() {
            if v.abs() > level {
                *d = 0.0;
                total += weight.at(i);
            }
        }
        if total > 0.0 {
            let sign = |v: &f64| if v.abs() > level { 1f64.copysign(*v) } else { 0.0 };
            out.rank_one(1.0 / total, 0, point.iter().map(sign));
        }
        Ok(())
    }
}
