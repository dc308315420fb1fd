//! What the library refuses, told at the key that is to blame.

use super::error::ProblemFileError;
use super::node::Section;
use ufcm::error::DataError;

impl Section<'_> {
    /// An error of the library at the key it speaks of, or at the section.
    pub(super) fn blame(&self, error: &DataError) -> ProblemFileError {
        let field = error.field().unwrap_or_default();
        match self.named().into_iter().find(|(key, _)| key == field) {
            Some((_, node)) => node.error(error.to_string()),
            None => self.error(error.to_string()),
        }
    }
}
