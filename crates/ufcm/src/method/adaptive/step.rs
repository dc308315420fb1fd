//! The parameters of the method, and the errors of a step.

use crate::budget::Stop;
use crate::oracle::OracleError;

/// What the adaptive method can be told; it needs none of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveParameters {
    /// The slack of the test: a tenth of the accuracy asked for.
    pub eps: f64,
    /// r, added to the multipliers in the test.
    pub r: f64,
    /// The first guess at L.
    pub l: f64,
}

/// Why a step could not be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// An oracle failed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// A row lies below its own linearisation: it is not convex, or its gradient is wrong.
    #[error(
        "row {row} lies below its linearisation by {deficit:e}: it is not convex or its gradient is wrong; run the audit"
    )]
    NotConvex {
        /// The row.
        row: usize,
        /// By how much.
        deficit: f64,
    },
    /// However large L, the linearisation is not within L/2 |x - y|^2 of the components: a gradient is wrong, or a component
    /// is not convex.
    #[error("no step passes the test even with L = {l:e}: a gradient may be wrong; run the audit")]
    Untestable {
        /// The largest L tried.
        l: f64,
    },
}

impl From<Stop> for StepError {
    fn from(stop: Stop) -> Self {
        Self::Oracle(stop.into())
    }
}

impl StepError {
    /// Why the step was stopped, where no one is to blame.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Self::Oracle(OracleError::Stopped(stop)) => Some(*stop),
            _ => None,
        }
    }

    /// The row that failed, where one did.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Oracle(OracleError::InRow { row, .. }) | Self::NotConvex { row, .. } => Some(*row),
            _ => None,
        }
    }
}
