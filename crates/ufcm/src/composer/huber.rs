//! h(z) = w times the sum of z_j^2/2 where |z_j| <= delta, delta |z_j| - delta^2/2 beyond. Its conjugate is
//! |l|^2 / (2 w) on |l_j| <= w delta.

use super::check_scale;
use super::fields::{REDUCTION, WEIGHT, weight};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Alias, Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::error::DataError;
use crate::oracle::ScalarTerm;

const KIND: &str = "huber";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "sum_huber",
        aliases: &[Alias::of_problem_files("huber")],
        formula: "sum of z_j^2 / 2 where |z_j| <= delta, of delta (|z_j| - delta / 2) beyond",
        about: "The Huber function of affine rows.",
        fields: &[
            Field::new("delta", FieldType::Number, "where squares end").bounds("positive").sample("0.5"),
            REDUCTION,
            WEIGHT,
        ],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(Huber::new(rows, values.number("delta")?, weight(values, rows)?)?)),
};

/// Huber's penalty of affine rows: quadratic near 0, linear beyond delta; L_h is its weight.
///
/// ```
/// use ufcm::composer::Huber;
/// use ufcm::oracle::Composer;
///
/// let h = Huber::new(2, 1.0, 2.0)?;
/// assert_eq!(h.value(&[0.5, -3.0]), 2.0 * (0.125 + 2.5));
/// assert_eq!(h.smoothness(), 2.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Huber {
    rows: usize,
    delta: f64,
    weight: f64,
}

impl Huber {
    /// `weight` times Huber's function of width `delta`, summed over `rows` rows, possibly none.
    ///
    /// # Errors
    /// A `delta` or `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, delta: f64, weight: f64) -> Result<Self, DataError> {
        check_scale(KIND, "delta", delta)?;
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, delta, weight })
    }
}

impl Rowwise for Huber {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> ConjugateTerm {
        let steepest = self.weight * self.delta;
        let ridge = 1.0 / self.weight;
        ConjugateTerm(ScalarTerm { ridge, lower: -steepest, upper: steepest, ..ScalarTerm::ZERO })
    }
}
