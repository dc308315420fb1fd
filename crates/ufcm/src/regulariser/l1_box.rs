//! u(x) = sum of w_i |x_i| on {lower <= x <= upper}.

use super::ScalarTerm;
use super::bounds::Bounds;
use super::separable::{PerCoordinate, Separable};
use crate::error::{DataError, check_all_nonnegative};

const KIND: &str = "l1 norm in a box";

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

    fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    fn term(&self, i: usize) -> ScalarTerm {
        let w = self.weights.at(i);
        ScalarTerm { above: w, below: w, ..self.bounds.term(i) }
    }
}
