//! h(z) = sum of w_j z_j. Its conjugate is the indicator of the single point w.

use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Alias, Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::error::{DataError, check_finite};

const KIND: &str = "weighted sum";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "weighted_sum",
        aliases: &[Alias::of_problem_files("sum")],
        formula: "sum of w_j z_j",
        about: "A sum of the rows, each with a multiplier of its own. Rows of negative weight must be affine.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: "",
    },
    rows: RowsTaken::Any,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(WeightedSum::new(row_weights(values, rows)?)?)),
};

/// A weighted sum of the rows: the multipliers are the weights.
///
/// Rows of nonnegative weight may hold curved components; rows of negative weight only affine ones.
///
/// ```
/// use ufcm::composer::WeightedSum;
/// use ufcm::oracle::Composer;
///
/// let h = WeightedSum::new(vec![2.0, -1.0])?;
/// assert_eq!(h.value(&[3.0, 1.0]), 5.0);
/// assert!(h.is_nondecreasing(0) && !h.is_nondecreasing(1));
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedSum {
    weights: Vec<f64>,
}

impl WeightedSum {
    /// sum of w_j z_j, one weight for each row; no rows are allowed.
    ///
    /// # Errors
    /// A weight that is NaN or infinite.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_finite(KIND, "weights", &weights)?;
        Ok(Self { weights })
    }

    /// The plain sum of `rows` rows.
    #[must_use]
    pub fn ones(rows: usize) -> Self {
        Self { weights: vec![1.0; rows] }
    }
}

impl Rowwise for WeightedSum {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn law(&self, row: usize) -> ConjugateTerm {
        ConjugateTerm::interval(self.weights[row], self.weights[row])
    }

    /// Multipliers of a half-space are t w: the t that comes nearest.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        let size = self.weights.iter().fold(0.0f64, |largest, w| largest.max(w.abs()));
        let scaled = || self.weights.iter().map(|w| w / size);
        let square: f64 = scaled().map(|w| w * w).sum();
        let product: f64 = scaled().zip(multipliers).map(|(w, l)| w * l).sum();
        Some(if size == 0.0 { 0.0 } else { (product / square / size).max(0.0) })
    }
}
