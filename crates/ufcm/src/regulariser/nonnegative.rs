//! X = {x >= 0}.

use super::ScalarTerm;
use super::separable::Separable;
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::oracle::Grounds;

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "nonnegative",
        aliases: &[],
        formula: "x >= 0",
        about: "No entry below 0.",
        fields: &[],
        example: "",
    },
    needs_dimension: false,
    build: |_, _| Ok(Box::new(Nonnegative)),
};

/// The nonnegative vectors.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Nonnegative;
///
/// let mut x = [1.0, -2.0];
/// Nonnegative.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 0.0]);
/// # Ok::<(), ufcm::oracle::OracleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nonnegative;

impl Separable for Nonnegative {
    fn kind(&self) -> &'static str {
        "nonnegative vectors"
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn term(&self, _i: usize) -> ScalarTerm {
        ScalarTerm { lower: 0.0, ..ScalarTerm::ZERO }
    }
}
