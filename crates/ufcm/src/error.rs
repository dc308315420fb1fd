//! Errors met before a run: bad data and ill-posed problems, each naming the thing that is wrong.
//!
//! Errors met *during* a run, raised by oracles, are [`OracleError`]s.

use crate::budget::Stop;
use crate::matrix::Number;
use crate::oracle::{Cause, OracleError};
use crate::report::{Status, Trouble};
use std::fmt;

/// Where in a field an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Position {
    /// A single number.
    Scalar,
    /// Entry `i` of a vector.
    Entry(usize),
    /// Entry `(row, column)` of a matrix.
    Cell(usize, usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar => Ok(()),
            Self::Entry(i) => write!(f, "[{i}]"),
            Self::Cell(i, j) => write!(f, "[{i}, {j}]"),
        }
    }
}

/// Data that cannot make the object it was given for (a component, a composer, a regulariser, a matrix).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{object}: {problem}")]
pub struct DataError {
    /// What was being made, e.g. `logistic loss`.
    pub object: &'static str,
    /// What is wrong with its data.
    #[source]
    pub problem: DataProblem,
}

/// What is wrong with a piece of data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataProblem {
    /// A NaN, or an infinity where only numbers make sense.
    #[error("{field}{position} is {value}; it must be a finite number")]
    NotFinite {
        /// The field's name.
        field: &'static str,
        /// Where in the field.
        position: Position,
        /// The offending value.
        value: f64,
    },
    /// A number outside the range that makes sense.
    #[error("{field}{position} is {value}; it must be {expected}")]
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// Where in the field.
        position: Position,
        /// The offending value.
        value: f64,
        /// What would be right, e.g. `nonnegative`.
        expected: &'static str,
    },
    /// Two sizes that do not agree.
    #[error("{field} has length {got}; expected {expected}")]
    Length {
        /// The field's name.
        field: &'static str,
        /// The length that was expected.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A field that may not be empty.
    #[error("{field} is empty")]
    Empty {
        /// The field's name.
        field: &'static str,
    },
    /// A field that must be given.
    #[error("`{field}` is missing")]
    Missing {
        /// The field's name.
        field: &'static str,
    },
    /// An index that points outside.
    #[error("{field}{position} is {value}; it must be below {limit}")]
    Index {
        /// The field's name.
        field: &'static str,
        /// Where in the field.
        position: Position,
        /// The offending index.
        value: usize,
        /// The first index that is too large.
        limit: usize,
    },
    /// A structural property that does not hold.
    #[error("{0}")]
    Structure(String),
    /// An oracle that failed when it was asked about the data, for example at the starting point.
    #[error("{0}")]
    Oracle(#[source] OracleError),
    /// A published method has no constants, since the default method found no solution from which to take them.
    #[error(
        "its constants speak of a solution, and the default method found none: {status}{}",
        trouble.as_ref().map_or_else(String::new, |trouble| format!(" ({trouble})"))
    )]
    NoSolution {
        /// How the default method ended.
        status: Status,
        /// What went wrong there.
        #[source]
        trouble: Option<Trouble>,
    },
}

impl DataError {
    /// The field that is to blame, by the name that the message gives it; `None` where the data do not fit as a whole.
    #[must_use]
    pub fn field(&self) -> Option<&'static str> {
        match &self.problem {
            DataProblem::NotFinite { field, .. }
            | DataProblem::OutOfRange { field, .. }
            | DataProblem::Length { field, .. }
            | DataProblem::Empty { field }
            | DataProblem::Missing { field }
            | DataProblem::Index { field, .. } => Some(field),
            _ => None,
        }
    }

    pub(crate) fn new(object: &'static str, problem: DataProblem) -> Self {
        Self { object, problem }
    }

    pub(crate) fn structure(object: &'static str, message: impl Into<String>) -> Self {
        Self::new(object, DataProblem::Structure(message.into()))
    }

    pub(crate) fn oracle(object: &'static str, error: OracleError) -> Self {
        Self::new(object, DataProblem::Oracle(error))
    }

    /// Why work was stopped, where nothing is wrong but that.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.problem {
            DataProblem::Oracle(OracleError::Stopped(stop)) => Some(stop),
            _ => None,
        }
    }

    /// What a user's oracle reported, where that is what is wrong.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        match &self.problem {
            DataProblem::Oracle(error) => error.cause(),
            DataProblem::NoSolution { trouble: Some(trouble), .. } => trouble.cause(),
            _ => None,
        }
    }

    pub(crate) fn out_of_range(
        object: &'static str,
        field: &'static str,
        position: Position,
        value: f64,
        expected: &'static str,
    ) -> Self {
        Self::new(object, DataProblem::OutOfRange { field, position, value, expected })
    }
}

/// Where the first NaN or infinity is.
pub(crate) fn first_not_finite<T: Number>(values: &[T]) -> Option<usize> {
    // Without an early exit inside a chunk the loop is vectorised.
    let finite = |chunk: &[T]| chunk.iter().fold(true, |all, v| all & v.double().is_finite());
    let chunk = values.chunks(CHUNK).position(|chunk| !finite(chunk))? * CHUNK;
    values[chunk..].iter().position(|v| !v.double().is_finite()).map(|i| chunk + i)
}

/// Numbers that [`first_not_finite`] looks at together.
const CHUNK: usize = 64;

/// Checks that `values` are finite.
pub(crate) fn check_finite(
    object: &'static str,
    field: &'static str,
    values: &[f64],
) -> Result<(), DataError> {
    match first_not_finite(values) {
        None => Ok(()),
        Some(i) => Err(DataError::new(
            object,
            DataProblem::NotFinite { field, position: Position::Entry(i), value: values[i] },
        )),
    }
}

/// Checks that one number is finite.
pub(crate) fn check_finite_scalar(
    object: &'static str,
    field: &'static str,
    value: f64,
) -> Result<(), DataError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(DataError::new(object, DataProblem::NotFinite { field, position: Position::Scalar, value }))
}

/// Checks that one number is finite and positive.
pub(crate) fn check_positive(object: &'static str, field: &'static str, value: f64) -> Result<(), DataError> {
    check_finite_scalar(object, field, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(DataError::out_of_range(object, field, Position::Scalar, value, "positive"))
}

/// Checks that one number is finite and nonnegative.
pub(crate) fn check_nonnegative(
    object: &'static str,
    field: &'static str,
    value: f64,
) -> Result<(), DataError> {
    check_finite_scalar(object, field, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(DataError::out_of_range(object, field, Position::Scalar, value, "nonnegative"))
}

/// Checks that all `values` are finite and nonnegative.
pub(crate) fn check_all_nonnegative(
    object: &'static str,
    field: &'static str,
    values: &[f64],
) -> Result<(), DataError> {
    check_finite(object, field, values)?;
    match values.iter().position(|&v| v < 0.0) {
        None => Ok(()),
        Some(i) => Err(DataError::out_of_range(object, field, Position::Entry(i), values[i], "nonnegative")),
    }
}

/// Checks a length.
pub(crate) fn check_length(
    object: &'static str,
    field: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), DataError> {
    if expected == got {
        return Ok(());
    }
    Err(DataError::new(object, DataProblem::Length { field, expected, got }))
}
