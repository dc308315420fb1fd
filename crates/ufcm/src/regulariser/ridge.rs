//! u(x) = sum of w_i/2 x_i^2.

use super::ScalarTerm;
use super::fields::WEIGHTS;
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::error::{DataError, check_all_nonnegative};
use crate::oracle::Grounds;

const KIND: &str = "ridge";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "ridge",
        aliases: &[],
        formula: "sum of w_i x_i^2 / 2",
        about: "Half squares.",
        fields: &[WEIGHTS],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(Ridge::new(values.per_coordinate("weight")?)?)),
};

/// Half a weighted sum of squares.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Ridge;
///
/// let u = Ridge::new(3.0)?;
/// let mut x = [4.0, -8.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, -2.0]);
/// assert_eq!(u.strong_convexity(), 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ridge {
    weights: PerCoordinate,
}

impl Ridge {
    /// sum of w_i/2 x_i^2; one weight for all coordinates, or one for each.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weights: impl Into<PerCoordinate>) -> Result<Self, DataError> {
        let weights = weights.into();
        check_all_nonnegative(KIND, "weights", weights.values())?;
        Ok(Self { weights })
    }
}

impl Separable for Ridge {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.weights.dimension()
    }

    fn term(&self, i: usize) -> ScalarTerm {
        ScalarTerm { ridge: self.weights.at(i), ..ScalarTerm::ZERO }
    }

    fn strong_convexity(&self) -> f64 {
        self.weights.smallest()
    }
}
