//! h(z) = w |z|_2. Its conjugate is the indicator of the ball |l|_2 <= w.

use super::check_scale;
use super::fields::WEIGHT;
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, NewtonComposer, OracleError, Weight};
use crate::projection;

const KIND: &str = "l2 norm of rows";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "norm2",
        aliases: &[],
        formula: "|z|",
        about: "The Euclidean norm of affine rows.",
        fields: &[WEIGHT],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::Norm,
    prepare: None,
    build: |values, rows| Ok(Box::new(L2Norm::new(rows, values.number("weight")?)?)),
};

/// The Euclidean norm of affine rows, times a weight; stacked, the norms of group penalties.
///
/// ```
/// use ufcm::composer::L2Norm;
/// use ufcm::oracle::Composer;
///
/// let h = L2Norm::new(2, 10.0)?;
/// assert_eq!(h.value(&[3.0, -4.0]), 50.0);
/// assert_eq!(h.conjugate(&[6.0, 8.0]), 0.0);
/// assert_eq!(h.conjugate(&[6.0, 9.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L2Norm {
    rows: usize,
    weight: f64,
}

impl L2Norm {
    /// `weight` times the Euclidean norm of `rows` rows, possibly none.
    ///
    /// # Errors
    /// A `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, weight: f64) -> Result<Self, DataError> {
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, weight })
    }
}

impl Composer for L2Norm {
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
        self.weight * crate::linalg::norm(z)
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let inside = crate::linalg::norm(multipliers) <= self.weight * (1.0 + MEMBERSHIP);
        if inside { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        projection::l2_ball(weight, self.weight, multipliers);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        let norm = crate::linalg::norm(z);
        for (l, z) in multipliers.iter_mut().zip(z) {
            *l = if norm == 0.0 { 0.0 } else { self.weight * (z / norm) };
        }
    }

    fn domain_distance(&self, _z: &[f64]) -> f64 {
        0.0
    }

    /// The least t with |l| / t in the ball.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        Some(crate::linalg::norm(multipliers) / self.weight)
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        Some(form.norm(z.to_vec()).times(self.weight))
    }
}

impl NewtonComposer for L2Norm {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        projection::l2_ball_jacobian(weight, self.weight, point, out);
        Ok(())
    }
}
