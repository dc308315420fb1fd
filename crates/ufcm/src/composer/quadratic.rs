//! h(z) = sum of w_j/2 z_j^2. Its conjugate is the sum of l_j^2 / (2 w_j), the indicator of l_j = 0 where w_j = 0.

use super::SCALES;
use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Alias, Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::error::{DataError, Position, check_all_nonnegative};
use crate::oracle::ScalarTerm;

const KIND: &str = "quadratic of rows";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "half_squares",
        aliases: &[Alias::of_problem_files("squares")],
        formula: "sum of w_j z_j^2 / 2",
        about: "Half the squares of affine rows.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::Squares,
    prepare: None,
    build: |values, rows| Ok(Box::new(Quadratic::new(row_weights(values, rows)?)?)),
};

/// The entry of the catalogue for whole squares: twice the weights.
pub(crate) const WHOLE: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "sum_squares",
        aliases: &[],
        formula: "sum of w_j z_j^2",
        about: "The squares of affine rows.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: r#">>> ufcm.sum_squares(ufcm.affine([[1.0, 0.0], [0.0, 2.0]]))([3.0, 1.0])
13.0"#,
    },
    rows: RowsTaken::Affine,
    bound: Bound::WholeSquares,
    prepare: None,
    build: |values, rows| {
        let twice = row_weights(values, rows)?.into_iter().map(|weight| 2.0 * weight).collect();
        Ok(Box::new(Quadratic::new(twice)?))
    },
};

/// Weighted least squares of affine rows; L_h is the largest weight.
///
/// ```
/// use ufcm::composer::Quadratic;
/// use ufcm::oracle::Composer;
///
/// let h = Quadratic::new(vec![1.0, 4.0, 0.0])?;
/// assert_eq!(h.value(&[2.0, 1.0, 9.0]), 4.0);
/// assert_eq!(h.conjugate(&[2.0, 4.0, 0.0]), 4.0);
/// assert_eq!(h.conjugate(&[2.0, 4.0, 1.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    weights: Vec<f64>,
}

impl Quadratic {
    /// sum of w_j/2 z_j^2, one weight for each row; no rows are allowed, and a row of weight 0 is ignored.
    ///
    /// # Errors
    /// A weight that is neither 0 nor a number between 1e-100 and 1e100.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_all_nonnegative(KIND, "weights", &weights)?;
        match weights.iter().position(|w| *w != 0.0 && !SCALES.contains(w)) {
            None => Ok(Self { weights }),
            Some(j) => {
                let expected = "0 or between 1e-100 and 1e100";
                Err(DataError::out_of_range(KIND, "weights", Position::Entry(j), weights[j], expected))
            }
        }
    }
}

impl Rowwise for Quadratic {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn law(&self, row: usize) -> ConjugateTerm {
        let weight = self.weights[row];
        if weight == 0.0 {
            return ConjugateTerm::interval(0.0, 0.0);
        }
        ConjugateTerm(ScalarTerm { ridge: 1.0 / weight, ..ScalarTerm::ZERO })
    }
}
