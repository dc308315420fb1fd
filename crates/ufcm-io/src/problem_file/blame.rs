//! What the library refuses, told at the key that is to blame.

use super::error::ProblemFileError;
use super::node::Section;
use ufcm::error::{DataError, DataProblem};

/// What the library calls a field, and the keys under which it may have come.
/// A structure that does not hold is that of Q.
const KEYS: [(&str, &[&str]); 11] = [
    ("labels", &["target", "data", "matrix"]),
    ("targets", &["target", "data", "matrix"]),
    ("counts", &["target", "data", "matrix"]),
    ("offsets", &["offset", "data", "matrix"]),
    ("Q", &["matrix", "diagonal"]),
    ("c", &["linear"]),
    ("slope", &["linear"]),
    ("exponent", &["p"]),
    ("level", &["q"]),
    ("the sum of weights", &["weights"]),
    ("l1 weights", &["l1"]),
];

impl Section<'_> {
    /// An error of the library at the key it speaks of, or at the section.
    pub(super) fn blame(&self, error: &DataError) -> ProblemFileError {
        let field = match &error.problem {
            DataProblem::NotFinite { field, .. }
            | DataProblem::OutOfRange { field, .. }
            | DataProblem::Length { field, .. }
            | DataProblem::Empty { field }
            | DataProblem::Index { field, .. } => *field,
            DataProblem::Structure(_) => "Q",
            _ => "",
        };
        let aliases = KEYS.iter().find(|(name, _)| *name == field).map_or(&[][..], |(_, keys)| keys);
        let to_blame =
            self.named().into_iter().find(|(key, _)| key == field || aliases.contains(&key.as_str()));
        match to_blame {
            Some((_, node)) => node.error(error.to_string()),
            None => self.error(error.to_string()),
        }
    }
}
