//! What may go wrong in an oracle.

use crate::budget::Stop;
use crate::error::first_not_finite;

/// What went wrong inside an oracle during a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// A vector of the wrong length was handed to an oracle.
    #[error("{what} has length {got}; expected {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// The length that was expected.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A value or a gradient entry came back as NaN or infinite.
    #[error("{what}{} is {value}", index.map_or_else(String::new, |i| format!("[{i}]")))]
    NotFinite {
        /// Which quantity: `value`, `gradient`, ...
        what: &'static str,
        /// The entry, for a vector.
        index: Option<usize>,
        /// What came.
        value: f64,
    },
    /// A term grew beyond the range of f64 at a finite point, as the exponential in a Poisson loss can.
    #[error("term {term} overflows: its argument is {argument:e}")]
    Overflow {
        /// The sample or row.
        term: usize,
        /// The argument that is too large.
        argument: f64,
    },
    /// The oracle cannot do what was asked; ask for less.
    #[error("{oracle} does not support {what}")]
    Unsupported {
        /// The oracle's kind.
        oracle: &'static str,
        /// What was asked.
        what: &'static str,
    },
    /// A user's oracle reported an error.
    #[error("the oracle failed: {message}")]
    Failed {
        /// The user's message.
        message: String,
    },
    /// A user's oracle panicked.
    #[error("the oracle panicked: {message}")]
    Panicked {
        /// The panic message.
        message: String,
    },
    /// The budget does not allow to go on. This is no fault of the oracle.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Any of the above, with the row in which it happened.
    #[error("in row {row}: {source}")]
    InRow {
        /// The row of the mapping (0 is the objective g_0).
        row: usize,
        /// What happened there.
        source: Box<OracleError>,
    },
}

impl OracleError {
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

    /// Whether a term grew beyond the range of f64, in whatever row.
    pub(crate) fn is_overflow(&self) -> bool {
        match self {
            Self::Overflow { .. } => true,
            Self::InRow { source, .. } => source.is_overflow(),
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
