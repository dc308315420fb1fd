//! u(x) = sum of w_i |x_i| on {lower <= x <= upper}.

use super::ScalarTerm;
use super::bounds::Bounds;
use super::fields::{LOWER, UPPER, WEIGHTS};
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::error::{DataError, check_all_nonnegative};
use crate::oracle::Grounds;

const KIND: &str = "l1 norm in a box";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "l1_box",
        aliases: &[],
        formula: "sum of w_i |x_i| over lo <= x <= hi",
        about: "The l1 norm in a box.",
        fields: &[WEIGHTS, LOWER, UPPER],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| {
        let [weight, lower, upper] = ["weight", "lower", "upper"].map(|field| values.per_coordinate(field));
        Ok(Box::new(L1Box::new(weight?, lower?, upper?)?))
    },
};

/// A weighted l1 norm within bounds.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::L1Box;
///
/// let u = L1Box::new(0.5, 0.0, 1.0)?;
/// let mut x = [-2.0, 1.25, 4.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [0.0, 0.75, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L1Box {
    weights: PerCoordinate,
    bounds: Bounds,
    dimension: Option<usize>,
}

impl L1Box {
    /// sum of w_i |x_i| where lower <= x <= upper; each one for all coordinates, or one for each.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite; bounds as [`Bounds::new`] refuses them; different lengths.
    pub fn new(
        weights: impl Into<PerCoordinate>,
        lower: impl Into<PerCoordinate>,
        upper: impl Into<PerCoordinate>,
    ) -> Result<Self, DataError> {
        let (weights, lower, upper) = (weights.into(), lower.into(), upper.into());
        check_all_nonnegative(KIND, "weights", weights.values())?;
        let with_lower = weights.common_dimension(KIND, "lower", &lower)?;
        let with_upper = weights.common_dimension(KIND, "upper", &upper)?;
        let bounds = Bounds::of(KIND, lower, upper)?;
        Ok(Self { weights, bounds, dimension: with_lower.or(with_upper) })
    }
}

impl Separable for L1Box {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    fn term(&self, i: usize) -> ScalarTerm {
        let w = self.weights.at(i);
        ScalarTerm { above: w, below: w, ..self.bounds.term(i) }
    }
}
