//! On what it rests that an oracle is convex and answers rightly.

use serde::{Deserialize, Serialize};
use std::fmt;

/// On what it rests that an oracle is convex and that its gradient, prox or conjugate is right. What is weaker comes later.
///
/// ```
/// use ufcm::oracle::Grounds;
///
/// assert_eq!(Grounds::Construction.weaker(Grounds::Trusted), Grounds::Trusted);
/// assert!(Grounds::Trusted < Grounds::Function);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grounds {
    /// On its data and the library's own code: a loss over data, an affine row, a factored or proven quadratic.
    Construction,
    /// The answers are the library's own, from data; that they belong to a convex function is the user's word.
    Trusted,
    /// On a user's code: nothing of it is proven.
    Function,
}

impl Grounds {
    /// What rests on both rests on the weaker.
    #[must_use]
    pub fn weaker(self, other: Self) -> Self {
        self.max(other)
    }

    /// What rests on all of them; nothing rests on construction.
    #[must_use]
    pub fn weakest(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::Construction, Self::weaker)
    }
}

impl fmt::Display for Grounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Construction => "construction",
            Self::Trusted => "trusted",
            Self::Function => "function",
        })
    }
}
