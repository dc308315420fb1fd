//! h(z) = max_j z_j. Its conjugate is the indicator of the unit simplex.

use super::fields::{WEIGHT, scaled};
use crate::catalogue::{Alias, Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, NewtonComposer, OracleError, Weight};
use crate::projection;

const KIND: &str = "max";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "maximum",
        aliases: &[Alias::of_problem_files("max")],
        formula: "max_j z_j",
        about: "The largest of the rows.",
        fields: &[WEIGHT],
        example: r#">>> worst = ufcm.maximum([ufcm.quadratic([1.0], [-1.0]), ufcm.quadratic([1.0], [1.0])])
>>> r = ufcm.Problem(minimize=worst, domain=ufcm.box(-5, 5)).solve()
>>> bool(abs(r.x[0]) < 1e-4), r.status
(True, 'Certified')"#,
    },
    rows: RowsTaken::Any,
    bound: Bound::EachRow,
    prepare: None,
    build: |values, rows| scaled(values, Max::new(rows)?),
};

/// The largest of its rows.
///
/// ```
/// use ufcm::composer::Max;
/// use ufcm::oracle::Composer;
///
/// let h = Max::new(3)?;
/// assert_eq!(h.value(&[1.0, 4.0, -2.0]), 4.0);
/// assert_eq!(h.conjugate(&[0.5, 0.5, 0.0]), 0.0);
/// assert_eq!(h.conjugate(&[0.5, 0.6, 0.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Max {
    rows: usize,
}

impl Max {
    /// The max of `rows` rows.
    ///
    /// # Errors
    /// No rows at all: the max of nothing is -inf.
    pub fn new(rows: usize) -> Result<Self, DataError> {
        if rows == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "rows" }));
        }
        Ok(Self { rows })
    }
}

/// Whether the multipliers are nonnegative and sum to 1, up to rounding.
pub(super) fn in_unit_simplex(multipliers: &[f64]) -> bool {
    let sum: f64 = multipliers.iter().sum();
    multipliers.iter().all(|&l| l >= -MEMBERSHIP) && (sum - 1.0).abs() <= MEMBERSHIP
}

impl Composer for Max {
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
        z.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        if in_unit_simplex(multipliers) { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        projection::simplex(weight, 1.0, multipliers);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        multipliers.fill(0.0);
        let mut largest = 0;
        for (j, value) in z.iter().enumerate() {
            if *value > z[largest] {
                largest = j;
            }
        }
        multipliers[largest] = 1.0;
    }

    fn smoothness(&self) -> f64 {
        // The max of one row is that row.
        if self.rows == 1 { 0.0 } else { f64::INFINITY }
    }

    fn is_nondecreasing(&self, _row: usize) -> bool {
        true
    }

    fn domain_distance(&self, _z: &[f64]) -> f64 {
        0.0
    }

    /// Multipliers add up to 1 where h* is finite.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        Some(multipliers.iter().sum::<f64>().max(0.0))
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        Some(form.largest(z))
    }
}

impl NewtonComposer for Max {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        projection::simplex_jacobian(weight, 1.0, point, out);
        Ok(())
    }
}
