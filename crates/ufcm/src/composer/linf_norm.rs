//! h(z) = w max_j |z_j|. Its conjugate is the indicator of the ball |l|_1 <= w.

use super::check_scale;
use super::fields::WEIGHT;
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, NewtonComposer, OracleError, Weight};
use crate::projection;

const KIND: &str = "linf norm of rows";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "norm_inf",
        aliases: &[],
        formula: "max_j |z_j|",
        about: "The largest absolute value of affine rows.",
        fields: &[WEIGHT],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::BothSides,
    prepare: None,
    build: |values, rows| Ok(Box::new(LinfNorm::new(rows, values.number("weight")?)?)),
};

/// The largest absolute value of affine rows, times a weight: Chebyshev approximation.
///
/// ```
/// use ufcm::composer::LinfNorm;
/// use ufcm::oracle::Composer;
///
/// let h = LinfNorm::new(3, 2.0)?;
/// assert_eq!(h.value(&[1.0, -4.0, 3.0]), 8.0);
/// assert_eq!(h.conjugate(&[1.0, -1.0, 0.0]), 0.0);
/// assert_eq!(h.conjugate(&[1.0, -1.0, 0.5]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinfNorm {
    rows: usize,
    weight: f64,
}

impl LinfNorm {
    /// `weight` times the largest absolute value of `rows` rows, possibly none.
    ///
    /// # Errors
    /// A `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, weight: f64) -> Result<Self, DataError> {
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, weight })
    }
}

impl Composer for LinfNorm {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.weight * z.iter().fold(0.0f64, |largest, z| largest.max(z.abs()))
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let sum: f64 = multipliers.iter().map(|l| l.abs()).sum();
        if sum <= self.weight * (1.0 + MEMBERSHIP) { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        projection::l1_ball(weight, self.weight, multipliers);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        multipliers.fill(0.0);
        let largest = (0..z.len()).fold(0, |best, j| if z[j].abs() > z[best].abs() { j } else { best });
        // All of it on one largest row; none where every row is 0.
        if let Some(&z) = z.get(largest).filter(|z| **z != 0.0) {
            multipliers[largest] = self.weight.copysign(z);
        }
    }

    fn domain_distance(&self, _z: &[f64]) -> f64 {
        0.0
    }

    /// The least t with l / t in the ball.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        Some(multipliers.iter().map(|l| l.abs()).sum::<f64>() / self.weight)
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        Some(form.largest_size(z).times(self.weight))
    }
}

impl NewtonComposer for LinfNorm {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        projection::l1_ball_jacobian(weight, self.weight, point, out);
        Ok(())
    }
}
