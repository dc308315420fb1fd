//! h(z) = 0 where z <= 0, infinite elsewhere. Its conjugate is the indicator of l >= 0.

use super::rowwise::{ConjugateTerm, Rowwise};

const KIND: &str = "nonpositive";

/// Functional constraints: every row at most 0.
///
/// ```
/// use ufcm::composer::Nonpositive;
/// use ufcm::oracle::Composer;
///
/// let h = Nonpositive::new(3);
/// assert_eq!(h.value(&[-1.0, 0.0, -2.0]), 0.0);
/// assert_eq!(h.value(&[3.0, 4.0, -2.0]), f64::INFINITY);
/// assert_eq!(h.domain_distance(&[3.0, 4.0, -2.0]), 5.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonpositive {
    rows: usize,
}

impl Nonpositive {
    /// z_j <= 0 for each of `rows` rows, possibly none.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        Self { rows }
    }
}

impl Rowwise for Nonpositive {
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
        ConjugateTerm::interval(0.0, f64::INFINITY)
    }
}
