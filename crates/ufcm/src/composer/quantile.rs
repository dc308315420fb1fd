//! h(z) = w times the sum of (1 - q) max(z_j, 0) + q max(-z_j, 0). Its conjugate is the indicator of
//! -w q <= l_j <= w (1 - q).

use super::check_scale;
use super::fields::{REDUCTION, WEIGHT, weight};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::error::{DataError, Position, check_finite_scalar};

const KIND: &str = "quantile";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "quantile",
        aliases: &[],
        formula: "sum of max((1 - q) z_j, -q z_j)",
        about: "The pinball loss of affine rows: with the rows A x - b, it fits the q-quantile of b.",
        fields: &[
            Field::new("q", FieldType::Number, "the level")
                .bounds("strictly between 0 and 1")
                .sample("0.75")
                .blamed_as(&["level"]),
            REDUCTION,
            WEIGHT,
        ],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(Quantile::new(rows, values.number("q")?, weight(values, rows)?)?)),
};

/// The pinball loss of affine rows. With the rows A x - b, its minimisers fit the q-quantile of b: a share q of the b lies below A x. Until version 0.1 it was
/// the (1 - q)-quantile (decision 0047).
///
/// ```
/// use ufcm::composer::Quantile;
/// use ufcm::oracle::Composer;
///
/// let h = Quantile::new(2, 0.75, 4.0)?;
/// assert_eq!(h.value(&[1.0, -1.0]), 1.0 + 3.0);
/// assert_eq!(h.conjugate(&[1.0, -3.0]), 0.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Quantile {
    rows: usize,
    above: f64,
    below: f64,
}

impl Quantile {
    /// `weight` times the pinball loss at level q = `level`, summed over `rows` rows, possibly none.
    ///
    /// # Errors
    /// A `level` outside (0, 1), or a `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, level: f64, weight: f64) -> Result<Self, DataError> {
        check_finite_scalar(KIND, "level", level)?;
        if !(level > 0.0 && level < 1.0) {
            let expected = "strictly between 0 and 1";
            return Err(DataError::out_of_range(KIND, "level", Position::Scalar, level, expected));
        }
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, above: weight * (1.0 - level), below: weight * level })
    }
}

impl Rowwise for Quantile {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> ConjugateTerm {
        ConjugateTerm::interval(-self.below, self.above)
    }
}
