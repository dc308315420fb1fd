//! X = {lower <= x <= upper}.

use super::ScalarTerm;
use super::fields::{LOWER, UPPER};
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::error::{DataError, DataProblem, Position};
use crate::oracle::Grounds;

const KIND: &str = "bounds";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "box",
        aliases: &[],
        formula: "lo <= x <= hi",
        about: "A box, coordinate by coordinate; sides may be infinite.",
        fields: &[LOWER, UPPER],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| {
        let lower = values.per_coordinate("lower")?;
        Ok(Box::new(Bounds::new(lower, values.per_coordinate("upper")?)?))
    },
};

/// A box; a side that is infinite is no bound. Its bounds are respected exactly.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Bounds;
///
/// let box_ = Bounds::new(0.0, vec![1.0, f64::INFINITY])?;
/// let mut x = [7.0, 7.0];
/// box_.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 7.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    lower: PerCoordinate,
    upper: PerCoordinate,
    dimension: Option<usize>,
}

impl Bounds {
    /// lower <= x <= upper; each one for all coordinates, or one for each.
    ///
    /// # Errors
    /// A bound that is NaN, or infinite on the wrong side; a lower bound above its upper bound; bounds of different
    /// lengths.
    pub fn new(lower: impl Into<PerCoordinate>, upper: impl Into<PerCoordinate>) -> Result<Self, DataError> {
        Self::of(KIND, lower.into(), upper.into())
    }

    /// The box inside another object, which errors name.
    pub(super) fn of(
        object: &'static str,
        lower: PerCoordinate,
        upper: PerCoordinate,
    ) -> Result<Self, DataError> {
        check_side(object, "lower", &lower, f64::INFINITY)?;
        check_side(object, "upper", &upper, f64::NEG_INFINITY)?;
        let dimension = lower.common_dimension(object, "upper", &upper)?;
        if let Some(i) = (0..dimension.unwrap_or(1)).find(|&i| lower.at(i) > upper.at(i)) {
            let position = dimension.map_or(Position::Scalar, |_| Position::Entry(i));
            let expected = "at most the upper bound";
            return Err(DataError::out_of_range(object, "lower", position, lower.at(i), expected));
        }
        Ok(Self { lower, upper, dimension })
    }
}

impl Separable for Bounds {
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
        ScalarTerm { lower: self.lower.at(i), upper: self.upper.at(i), ..ScalarTerm::ZERO }
    }
}

/// Refuses NaN and the infinity that would leave no room.
fn check_side(
    object: &'static str,
    field: &'static str,
    side: &PerCoordinate,
    refused: f64,
) -> Result<(), DataError> {
    match side.values().iter().position(|v| v.is_nan() || *v == refused) {
        None => Ok(()),
        Some(i) => Err(DataError::new(
            object,
            DataProblem::NotFinite { field, position: Position::Entry(i), value: side.values()[i] },
        )),
    }
}
