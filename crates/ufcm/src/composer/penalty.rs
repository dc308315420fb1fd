//! h(z) = w times the sum of max(z_j, 0). Its conjugate is the indicator of 0 <= l_j <= w.

use super::check_scale;
use super::fields::{AT_MOST, REDUCTION, WEIGHT, minus_bounds, weight};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::error::DataError;

const KIND: &str = "penalty";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "penalty",
        aliases: &[],
        formula: "sum of max(z_j - at_most_j, 0)",
        about: "An exact penalty on rows above their bounds: with a weight above the multipliers of the constraints it has the same \
                solutions as the constraints. Hinge losses are penalties of affine rows.",
        fields: &[AT_MOST, REDUCTION, WEIGHT],
        example: "",
    },
    rows: RowsTaken::Any,
    bound: Bound::Whole,
    prepare: Some(minus_bounds),
    build: |values, rows| Ok(Box::new(Penalty::new(rows, weight(values, rows)?)?)),
};

/// An exact penalty on rows above 0: the sum of what is above.
///
/// ```
/// use ufcm::composer::Penalty;
/// use ufcm::oracle::Composer;
///
/// let h = Penalty::new(2, 3.0)?;
/// assert_eq!(h.value(&[1.0, -3.0]), 3.0);
/// assert_eq!((h.conjugate(&[3.0, 0.0]), h.conjugate(&[3.0, -1.0])), (0.0, f64::INFINITY));
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    rows: usize,
    weight: f64,
}

impl Penalty {
    /// `weight` times the sum of max(z_j, 0) over `rows` rows, possibly none.
    ///
    /// # Errors
    /// A `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, weight: f64) -> Result<Self, DataError> {
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, weight })
    }
}

impl Rowwise for Penalty {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> ConjugateTerm {
        ConjugateTerm::interval(0.0, self.weight)
    }
}
