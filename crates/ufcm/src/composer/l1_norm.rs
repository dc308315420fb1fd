//! h(z) = sum of w_j |z_j|. Its conjugate is the indicator of |l_j| <= w_j.

use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::rowwise::{ConjugateTerm, Rowwise};
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::error::{DataError, check_all_nonnegative};

const KIND: &str = "l1 norm of rows";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "norm1",
        aliases: &[],
        formula: "sum of w_j |z_j|",
        about: "The l1 norm of affine rows.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: r#">>> deviation = ufcm.norm1(ufcm.affine([[1.0], [1.0], [1.0]], [0.0, 1.0, 5.0]))
>>> r = ufcm.Problem(minimize=deviation, domain=ufcm.box(-10, 10)).solve()
>>> round(float(r.x[0]), 4)             # the median
1.0"#,
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(L1Norm::new(row_weights(values, rows)?)?)),
};

/// A weighted l1 norm of affine rows: least absolute deviations, total variation.
///
/// ```
/// use ufcm::composer::L1Norm;
/// use ufcm::oracle::Composer;
///
/// let h = L1Norm::new(vec![1.0, 2.0])?;
/// assert_eq!(h.value(&[3.0, -1.0]), 5.0);
/// assert_eq!(h.conjugate(&[-1.0, 2.0]), 0.0);
/// assert_eq!(h.conjugate(&[-1.5, 2.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L1Norm {
    weights: Vec<f64>,
}

impl L1Norm {
    /// sum of w_j |z_j|, one weight for each row; no rows are allowed, and a row of weight 0 is ignored.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_all_nonnegative(KIND, "weights", &weights)?;
        Ok(Self { weights })
    }
}

impl Rowwise for L1Norm {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn law(&self, row: usize) -> ConjugateTerm {
        ConjugateTerm::interval(-self.weights[row], self.weights[row])
    }
}
