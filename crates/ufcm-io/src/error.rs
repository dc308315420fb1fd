//! Why a file could not be read: where, what was expected, and what came.

use crate::paths::similar;
use std::fmt;
use std::path::Path;
use ufcm::budget::Stop;
use ufcm::error::DataError;

/// A place in a file, as precise as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name, as it was given.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The field, column or array.
    pub field: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match &self.field {
            Some(field) => write!(f, ", {field}"),
            None => Ok(()),
        }
    }
}

/// A file that cannot be read.
///
/// ```
/// use ufcm_io::{Source, matrix_market};
///
/// let source = Source::from_bytes("a.mtx", b"%%MatrixMarket matrix array real general\n1 1\nx\n".to_vec())?;
/// let error = matrix_market::read(&source).unwrap_err();
/// assert_eq!(error.to_string(), "a.mtx, line 3, value: expected a number, found `x`");
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What is wrong there.
    #[source]
    pub fault: Box<Fault>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be opened, read or unpacked.
    #[error("{0}")]
    Io(std::io::Error),
    /// Nothing has that name.
    #[error("there is no such file{near}")]
    NoFile {
        /// What was probably meant, as a continuation of the sentence.
        near: String,
    },
    /// Something else stands where the format asks for one thing.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the format asks for.
        expected: String,
        /// What came.
        found: String,
    },
    /// A thing that may be given once.
    #[error("{what} is given twice")]
    Repeated {
        /// Which thing.
        what: String,
    },
    /// A name that was not declared.
    #[error("{what} is unknown; {known}")]
    Unknown {
        /// Which name.
        what: String,
        /// What there is instead.
        known: String,
    },
    /// A lawful thing that this reader does not take.
    #[error("{what} is not supported; {instead}")]
    Unsupported {
        /// Which thing.
        what: String,
        /// What can be done.
        instead: String,
    },
    /// Sizes that no honest file of this length declares; nothing was allocated for them.
    #[error("{what} is {size}; for a file of this length at most {limit} is accepted{advice}")]
    TooLarge {
        /// Which size.
        what: String,
        /// The size.
        size: u128,
        /// The largest that is accepted.
        limit: u128,
        /// What can be done, as a continuation of the sentence.
        advice: &'static str,
    },
    /// The budget did not allow to read on.
    #[error("{0} while it was being read")]
    Stopped(Stop),
    /// Parts of a file that contradict each other.
    #[error("{0}")]
    Inconsistent(String),
    /// Numbers that cannot make a matrix.
    #[error("{0}")]
    Data(DataError),
}

impl Fault {
    pub(crate) fn expected(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Expected { expected: expected.into(), found: found.into() }
    }

    /// Why a name leads to no bytes.
    pub(crate) fn of_opening(path: &Path, error: std::io::Error) -> Self {
        if error.kind() != std::io::ErrorKind::NotFound {
            return Self::Io(error);
        }
        let near = similar(path).map_or(String::new(), |near| format!("; did you mean {near}?"));
        Self::NoFile { near }
    }

    /// What kept a reader from its bytes: the system, or the budget.
    pub(crate) fn of_reading(error: std::io::Error) -> Self {
        error.downcast::<Stop>().map_or_else(Self::Io, Self::Stopped)
    }

    pub(crate) fn unsupported(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), instead: instead.into() }
    }
}

/// A piece of a file in a message: quoted, short, on one line.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "nothing".into();
    }
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    format!("`{shown}{more}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_on_one_line_and_short() {
        assert_eq!(quoted(""), "nothing");
        assert_eq!(quoted("a\nb"), "`a\\nb`");
        assert_eq!(quoted(&"x".repeat(100)), format!("`{}...`", "x".repeat(40)));
        let place = Place { file: "f".into(), line: Some(3), field: Some("value".into()) };
        assert_eq!(place.to_string(), "f, line 3, value");
    }
}
