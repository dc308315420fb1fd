//! How the command ends: exit codes, and what kept it from doing its work.

use std::path::Path;
use std::process::ExitCode;
use ufcm::budget::Budget;
use ufcm::report::Status;

/// The exit codes, which scripts rely on. A program that a signal ended at once has another (`interrupt.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Certified or solved; or what else was asked is done.
    Success = 0,
    /// Stopped at a limit or interrupted; the best point is written.
    Stopped = 1,
    /// Infeasible or unbounded; the certificate is written.
    Hopeless = 2,
    /// Bad input, or a file that cannot be written.
    BadInput = 3,
    /// Numerical trouble, a faulty oracle, or an internal error.
    Trouble = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Self {
        match status {
            Status::Certified | Status::Solved => Self::Success,
            Status::Infeasible | Status::Unbounded => Self::Hopeless,
            Status::IterationLimit | Status::TimeLimit | Status::Interrupted | Status::BelowFloor => {
                Self::Stopped
            }
            _ => Self::Trouble,
        }
    }
}

/// What the user must be told, and how the command ends.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    exit: Exit,
}

pub(crate) type Outcome<T = Exit> = Result<T, Failure>;

impl Failure {
    /// Something wrong with a file.
    pub(crate) fn in_file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::new(format!("{}: {error}", path.display()))
    }

    /// A problem without a solution.
    pub(crate) fn hopeless(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::Hopeless }
    }

    /// Bad input, or a file that cannot be written.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::BadInput }
    }

    /// A mistake of our own.
    pub(crate) fn internal(sentence: String) -> Self {
        Self { message: sentence, exit: Exit::Trouble }
    }

    /// The same; if the budget is spent, that is what it came of.
    pub(crate) fn stopped_by(self, budget: &Budget) -> Self {
        if budget.ask().is_err() { Self { exit: Exit::Stopped, ..self } } else { self }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
