//! A regulariser and a domain together, where both work coordinate by coordinate.

use super::ScalarTerm;
use super::separable::Separable;
use crate::error::{DataError, Position};
use crate::oracle::{Grounds, Regulariser};

const KIND: &str = "regulariser with domain";

/// The sum of two coordinatewise regularisers: weights add up, boxes intersect.
pub struct Combined {
    terms: Vec<ScalarTerm>,
    grounds: Grounds,
}

impl Combined {
    /// `first` + `second` over `n` variables; `None` where one of them is not coordinatewise, for then no joint prox is
    /// known.
    #[must_use]
    pub fn new(first: &dyn Regulariser, second: &dyn Regulariser, n: usize) -> Option<Self> {
        let term = |i: usize| {
            let (a, b) = (first.scalar_term(i)?, second.scalar_term(i)?);
            Some(ScalarTerm {
                above: a.above + b.above,
                below: a.below + b.below,
                ridge: a.ridge + b.ridge,
                lower: a.lower.max(b.lower),
                upper: a.upper.min(b.upper),
            })
        };
        let grounds = first.grounds().weaker(second.grounds());
        (0..n).map(term).collect::<Option<Vec<_>>>().map(|terms| Self { terms, grounds })
    }

    /// The regulariser of these laws.
    pub(crate) fn of_terms(terms: Vec<ScalarTerm>, grounds: Grounds) -> Self {
        Self { terms, grounds }
    }

    /// Checks that the two domains meet.
    ///
    /// # Errors
    /// The first coordinate in which they do not.
    pub fn check(&self) -> Result<(), DataError> {
        let empty = self.terms.iter().position(|term| term.lower > term.upper);
        empty.map_or(Ok(()), |i| {
            let (position, upper) = (Position::Entry(i), self.terms[i].upper);
            let expected = "at least the joint lower bound: the two domains do not meet";
            Err(DataError::out_of_range(KIND, "the joint upper bound", position, upper, expected))
        })
    }
}

impl Separable for Combined {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.grounds
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.terms.len())
    }

    fn term(&self, i: usize) -> ScalarTerm {
        self.terms[i]
    }

    fn strong_convexity(&self) -> f64 {
        self.terms.iter().map(|term| term.ridge).fold(f64::INFINITY, f64::min)
    }
}
