//! h(z) = 0 where z = 0, infinite elsewhere. Its conjugate is 0.

use super::rowwise::{ConjugateTerm, Rowwise};
use crate::oracle::ScalarTerm;

const KIND: &str = "equality";

/// Equality constraints on affine rows: every row is 0.
///
/// ```
/// use ufcm::composer::Equality;
/// use ufcm::oracle::Composer;
///
/// let h = Equality::new(2);
/// assert_eq!(h.value(&[0.0, 0.0]), 0.0);
/// assert_eq!(h.domain_distance(&[3.0, -4.0]), 5.0);
/// assert_eq!(h.conjugate(&[7.0, -1.0]), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equality {
    rows: usize,
}

impl Equality {
    /// z_j = 0 for each of `rows` rows, possibly none.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        Self { rows }
    }
}

impl Rowwise for Equality {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> ConjugateTerm {
        ConjugateTerm(ScalarTerm::ZERO)
    }
}
