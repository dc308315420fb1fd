//! What may go wrong in an oracle.

use crate::budget::Stop;
use crate::error::first_not_finite;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An error of somebody else's, carried as a value: whoever meets it can downcast it to what it was.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// What went wrong inside an oracle during a run.
///
/// A user's own error travels as a value, through the whole solver:
///
/// ```
/// use ufcm::oracle::OracleError;
///
/// #[derive(Debug, PartialEq, thiserror::Error)]
/// #[error("licence {0} has expired")]
/// struct Expired(u32);
///
/// let error = OracleError::failed(Expired(7)).in_row(2);
/// assert_eq!(error.to_string(), "in row 2: the oracle failed: licence 7 has expired");
/// assert_eq!(error.cause().and_then(|cause| cause.downcast_ref()), Some(&Expired(7)));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OracleError {
    /// A vector of the wrong length was handed to an oracle.
    Length {
        /// Which vector.
        what: &'static str,
        /// The length that was expected.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A value or a gradient entry came back as NaN or infinite.
    NotFinite {
        /// Which quantity: `value`, `gradient`, ...
        what: &'static str,
        /// The entry, for a vector.
        index: Option<usize>,
        /// What came.
        value: f64,
    },
    /// A term grew beyond the range of f64 at a finite point, as the exponential in a Poisson loss can.
    Overflow {
        /// The sample or row.
        term: usize,
        /// The argument that is too large.
        argument: f64,
    },
    /// The oracle cannot do what was asked; ask for less.
    Unsupported {
        /// The oracle's kind.
        oracle: &'static str,
        /// What was asked.
        what: &'static str,
    },
    /// A user's oracle reported an error; [`OracleError::failed`] makes one.
    Failed {
        /// What it reported.
        cause: Cause,
    },
    /// A user's oracle panicked.
    Panicked {
        /// The panic message.
        message: String,
    },
    /// The budget does not allow to go on. This is no fault of the oracle.
    Stopped(Stop),
    /// What another rank has told of its error.
    Told {
        /// Whether a term grew beyond the range of f64.
        overflows: bool,
        /// Its words.
        message: String,
    },
    /// Any of the above, with the rank on which it happened.
    OnRank {
        /// The rank.
        rank: usize,
        /// What happened there.
        source: Box<OracleError>,
    },
    /// Any of the above, with the row in which it happened.
    InRow {
        /// The row of the mapping (0 is the objective g_0).
        row: usize,
        /// What happened there.
        source: Box<OracleError>,
    },
}

// Written out, because the chain of sources is to hold what was reported itself, and not the pointer to it: only so can
// whoever walks the chain downcast it.
impl Error for OracleError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed { cause } => Some(cause.as_ref()),
            Self::InRow { source, .. } | Self::OnRank { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, expected, got } => write!(f, "{what} has length {got}; expected {expected}"),
            Self::NotFinite { what, index: Some(i), value } => write!(f, "{what}[{i}] is {value}"),
            Self::NotFinite { what, index: None, value } => write!(f, "{what} is {value}"),
            Self::Overflow { term, argument } => {
                write!(f, "term {term} overflows: its argument is {argument:e}")
            }
            Self::Unsupported { oracle, what } => write!(f, "{oracle} does not support {what}"),
            Self::Failed { cause } => write!(f, "the oracle failed: {cause}"),
            Self::Panicked { message } => write!(f, "the oracle panicked: {message}"),
            Self::Stopped(stop) => stop.fmt(f),
            Self::Told { message, .. } => f.write_str(message),
            Self::OnRank { rank, source } => write!(f, "on rank {rank}: {source}"),
            Self::InRow { row, source } => write!(f, "in row {row}: {source}"),
        }
    }
}

impl From<Stop> for OracleError {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl OracleError {
    /// An oracle that reports an error of its own, or a text.
    pub fn failed(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed { cause: Arc::from(cause.into()) }
    }

    /// What the user's oracle reported, in whatever row.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Failed { cause } => Some(cause),
            Self::InRow { source, .. } | Self::OnRank { source, .. } => source.as_ref().cause(),
            _ => None,
        }
    }

    /// The same error, saying in which row of a mapping it happened.
    #[must_use]
    pub fn in_row(self, row: usize) -> Self {
        match self {
            Self::InRow { row: inner, source } => Self::InRow { row: row + inner, source },
            // Whoever is stopped, no row is to blame.
            Self::Stopped(stop) => Self::Stopped(stop),
            source => Self::InRow { row, source: Box::new(source) },
        }
    }

    /// The same error, saying on which rank it happened.
    pub(crate) fn on_rank(self, rank: usize) -> Self {
        match self {
            Self::InRow { row, source } => Self::InRow { row, source: Box::new(source.on_rank(rank)) },
            Self::Stopped(stop) => Self::Stopped(stop),
            source => Self::OnRank { rank, source: Box::new(source) },
        }
    }

    /// The row in which it happened.
    pub(crate) fn row(&self) -> Option<usize> {
        if let Self::InRow { row, .. } = self { Some(*row) } else { None }
    }

    /// What happened, wherever.
    pub(crate) fn without_row(&self) -> &Self {
        if let Self::InRow { source, .. } = self { source } else { self }
    }

    /// Whether a term grew beyond the range of f64, in whatever row.
    pub(crate) fn is_overflow(&self) -> bool {
        match self {
            Self::Overflow { .. } => true,
            Self::Told { overflows, .. } => *overflows,
            Self::InRow { source, .. } | Self::OnRank { source, .. } => source.is_overflow(),
            _ => false,
        }
    }

    pub(crate) fn check_length(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got { Ok(()) } else { Err(Self::Length { what, expected, got }) }
    }

    /// Checks what a component is handed: `n` finite numbers, and a gradient as long as that where one is wanted.
    pub(crate) fn check_point(n: usize, x: &[f64], gradient: Option<&[f64]>) -> Result<(), Self> {
        Self::check_length("x", n, x.len())?;
        if let Some(gradient) = gradient {
            Self::check_length("gradient", n, gradient.len())?;
        }
        Self::check_finite("x", x)
    }

    /// Checks what products with a Hessian of order `n` are handed.
    pub(crate) fn check_products(n: usize, vectors: &[f64], out: &[f64]) -> Result<(), Self> {
        let expected = vectors.len().next_multiple_of(n);
        Self::check_length("vectors", expected, vectors.len())?;
        Self::check_length("products", expected, out.len())?;
        Self::check_finite("vectors", vectors)
    }

    /// Checks that `values` are finite.
    pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Self> {
        match first_not_finite(values) {
            None => Ok(()),
            Some(i) => Err(Self::NotFinite { what, index: Some(i), value: values[i] }),
        }
    }

    /// The value of a component, if it is a number.
    pub(crate) fn check_value(value: f64) -> Result<f64, Self> {
        if value.is_finite() { Ok(value) } else { Err(Self::NotFinite { what: "value", index: None, value }) }
    }
}

/// Causes are the same where they are one object, or say the same.
impl PartialEq for OracleError {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Length { what, expected, got },
                Self::Length { what: other_what, expected: other_expected, got: other_got },
            ) => (what, expected, got) == (other_what, other_expected, other_got),
            (
                Self::NotFinite { what, index, value },
                Self::NotFinite { what: other_what, index: other_index, value: other_value },
            ) => (what, index, value) == (other_what, other_index, other_value),
            (
                Self::Overflow { term, argument },
                Self::Overflow { term: other_term, argument: other_argument },
            ) => (term, argument) == (other_term, other_argument),
            (
                Self::Unsupported { oracle, what },
                Self::Unsupported { oracle: other_oracle, what: other_what },
            ) => (oracle, what) == (other_oracle, other_what),
            (Self::Failed { cause }, Self::Failed { cause: other }) => {
                Arc::ptr_eq(cause, other) || cause.to_string() == other.to_string()
            }
            (Self::Panicked { message }, Self::Panicked { message: other }) => message == other,
            (Self::Stopped(stop), Self::Stopped(other)) => stop == other,
            (
                Self::Told { overflows, message },
                Self::Told { overflows: other_overflows, message: other },
            ) => (overflows, message) == (other_overflows, other),
            (Self::InRow { row: place, source }, Self::InRow { row: other_place, source: other })
            | (Self::OnRank { rank: place, source }, Self::OnRank { rank: other_place, source: other }) => {
                place == other_place && source == other
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("no answer from {0}")]
    struct NoAnswer(&'static str);

    #[test]
    fn a_cause_is_found_through_rows_as_the_same_object() {
        let error = OracleError::failed(NoAnswer("server"));
        let before = Arc::clone(error.cause().unwrap());
        let error = error.in_row(1).in_row(3);
        assert_eq!(error.to_string(), "in row 4: the oracle failed: no answer from server");
        assert!(Arc::ptr_eq(error.cause().unwrap(), &before));
        assert_eq!(
            OracleError::Panicked { message: "oops".into() }.in_row(2).cause().map(ToString::to_string),
            None
        );
    }

    #[test]
    fn the_chain_of_sources_ends_at_the_users_own_error() {
        let error = OracleError::failed(NoAnswer("server")).in_row(1);
        let failed = error.source().unwrap();
        assert!(matches!(failed.downcast_ref(), Some(OracleError::Failed { .. })));
        assert_eq!(failed.source().unwrap().downcast_ref(), Some(&NoAnswer("server")));
    }

    #[test]
    fn errors_are_equal_where_they_say_the_same() {
        let error = OracleError::failed("gone");
        assert_eq!(error, error.clone());
        assert_eq!(error, OracleError::failed("gone".to_owned()));
        assert_ne!(error, OracleError::failed("lost"));
        assert_ne!(error.clone().in_row(1), error.in_row(2));
        let panicked = || OracleError::Panicked { message: "gone".into() };
        assert_eq!(panicked(), panicked());
        assert_ne!(OracleError::failed("gone"), panicked());
    }
}
