//! All that is wrong with a file, gathered section by section.

use super::error::ProblemFileError;
use std::cell::RefCell;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// The most that are told at once.
const SHOWN: usize = 20;

/// What has been found so far.
#[derive(Default)]
pub(super) struct Errors(RefCell<Vec<ProblemFileError>>);

impl Errors {
    /// What was read; or nothing, and what is wrong is kept. What follows from another fault is no fault of its own.
    pub(super) fn take<T>(&self, read: Result<T>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.borrow_mut().extend(error.each().filter(|error| !error.is_implied()));
                None
            }
        }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// As [`Errors::finish`], where ranks read together: what follows asks all of them, and one that failed does not answer.
    ///
    /// # Errors
    /// Any, where ranks share the data.
    pub(super) fn finish_if_shared(&self, shared: bool) -> Result<()> {
        if shared { self.finish() } else { Ok(()) }
    }

    /// All in one, in the order of the file.
    ///
    /// # Errors
    /// Any.
    pub(super) fn finish(&self) -> Result<()> {
        joined(self.0.take())
    }
}

/// Several errors in one; none are no error.
pub(super) fn joined(mut errors: Vec<ProblemFileError>) -> Result<()> {
    errors.sort_by_key(|error| (error.line, error.column));
    errors.dedup();
    let left_out = errors.len().saturating_sub(SHOWN);
    errors.truncate(SHOWN);
    let mut errors = errors.into_iter();
    match errors.next() {
        None => Ok(()),
        Some(first) => Err(first.with_others(errors.collect(), left_out)),
    }
}
