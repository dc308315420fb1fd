//! h(z) = sum of max(z_j / eta, 0)^2. Its conjugate is eta^2/4 |l|^2 on l >= 0.

use super::check_scale;
use super::fields::{AT_MOST, REDUCTION, WEIGHT, minus_bounds, times, weight};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::error::DataError;
use crate::oracle::ScalarTerm;

const KIND: &str = "squared hinge";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "squared_hinge",
        aliases: &[],
        formula: "sum of max((z_j - at_most_j) / eta, 0)^2",
        about: "A smooth penalty on rows above their bounds.",
        fields: &[
            Field::new("eta", FieldType::Number, "the width").bounds("positive").sample("0.5"),
            AT_MOST,
            REDUCTION,
            WEIGHT,
        ],
        example: "",
    },
    rows: RowsTaken::Any,
    bound: Bound::Whole,
    prepare: Some(minus_bounds),
    build: |values, rows| times(weight(values, rows)?, SquaredHinge::new(rows, values.number("eta")?)?),
};

/// A smooth penalty on rows above 0, of width eta; L_h = 2 / eta^2.
///
/// ```
/// use ufcm::composer::SquaredHinge;
/// use ufcm::oracle::Composer;
///
/// let h = SquaredHinge::new(2, 0.5)?;
/// assert_eq!(h.value(&[1.0, -3.0]), 4.0);
/// assert_eq!(h.smoothness(), 8.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SquaredHinge {
    rows: usize,
    ridge: f64,
}

impl SquaredHinge {
    /// sum of max(z_j / eta, 0)^2 over `rows` rows, possibly none.
    ///
    /// # Errors
    /// An `eta` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, eta: f64) -> Result<Self, DataError> {
        check_scale(KIND, "eta", eta)?;
        Ok(Self { rows, ridge: eta * eta / 2.0 })
    }
}

impl Rowwise for SquaredHinge {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> ConjugateTerm {
        ConjugateTerm(ScalarTerm { ridge: self.ridge, lower: 0.0, ..ScalarTerm::ZERO })
    }
}
