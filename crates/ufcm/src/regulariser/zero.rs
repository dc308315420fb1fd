//! u(x) = 0.

use super::ScalarTerm;
use super::separable::Separable;
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::oracle::Grounds;

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "zero",
        aliases: &[],
        formula: "0",
        about: "Nothing: all of R^n.",
        fields: &[],
        example: "",
    },
    needs_dimension: false,
    build: |_, _| Ok(Box::new(Zero)),
};

/// No regulariser and no bounds: the whole space.
///
/// ```
/// use ufcm::oracle::Regulariser;
/// use ufcm::regulariser::Zero;
///
/// assert_eq!(Zero.value(&[1.0, -2.0]), 0.0);
/// assert_eq!(Zero.min_linear(&[0.0, 1.0], None), f64::NEG_INFINITY);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zero;

impl Separable for Zero {
    fn kind(&self) -> &'static str {
        "zero"
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn term(&self, _i: usize) -> ScalarTerm {
        ScalarTerm::ZERO
    }
}
