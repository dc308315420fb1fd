//! u(x) = sum of w_i |x_i|, and its one-sided forms.

use super::ScalarTerm;
use super::fields::WEIGHTS;
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::error::{DataError, check_all_nonnegative};
use crate::oracle::Grounds;

const KIND: &str = "l1 norm";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "l1",
        aliases: &[],
        formula: "sum of w_i |x_i|",
        about: "The l1 norm.",
        fields: &[WEIGHTS],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(L1::new(values.per_coordinate("weight")?)?)),
};

/// The entry of the one-sided form.
pub(crate) const POSITIVE_PART: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "positive_part",
        aliases: &[],
        formula: "sum of w_i max(x_i, 0)",
        about: "The l1 norm of the positive part.",
        fields: &[WEIGHTS],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(L1::positive_part(values.per_coordinate("weight")?)?)),
};

/// A weighted l1 norm, possibly with different weights on the two sides of 0.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::L1;
///
/// let u = L1::new(0.5)?;
/// let mut x = [2.0, -0.1, -3.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.5, 0.0, -2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L1 {
    above: PerCoordinate,
    below: PerCoordinate,
}

impl L1 {
    /// sum of w_i |x_i|; one weight for all coordinates, or one for each.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weights: impl Into<PerCoordinate>) -> Result<Self, DataError> {
        let weights = weights.into();
        check_all_nonnegative(KIND, "weights", weights.values())?;
        Ok(Self { above: weights.clone(), below: weights })
    }

    /// sum of w_i max(x_i, 0): only the positive part is penalised.
    ///
    /// # Errors
    /// As [`L1::new`].
    pub fn positive_part(weights: impl Into<PerCoordinate>) -> Result<Self, DataError> {
        Ok(Self { below: PerCoordinate::Uniform(0.0), ..Self::new(weights)? })
    }
}

impl Separable for L1 {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.above.dimension()
    }

    fn term(&self, i: usize) -> ScalarTerm {
        ScalarTerm { above: self.above.at(i), below: self.below.at(i), ..ScalarTerm::ZERO }
    }
}
