//! What a step is told, what it tells, and why one could not be taken.

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

/// One accepted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveStep {
    /// Evaluations of all values and gradients it took, one for each attempt.
    pub gradients: usize,
    /// The Newton steps of all its subproblems.
    pub newton_steps: usize,
    /// What was left of the last subproblem.
    pub residual: f64,
    /// L after the step.
    pub l: f64,
    /// Whether the step ended an epoch.
    pub restarted: bool,
    /// Hessians formed for it and after it.
    pub hessians: usize,
    /// Products with Hessians, as many for all rows as vectors were multiplied.
    pub hessian_products: usize,
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
    /// The caller asked to stop in the middle of the step.
    #[error("stopped on request")]
    Stopped {
        /// Evaluations of all values and gradients that were lost with it.
        gradients: usize,
    },
}

impl StepError {
    /// The row that failed, where one did.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Oracle(OracleError::InRow { row, .. }) | Self::NotConvex { row, .. } => Some(*row),
            _ => None,
        }
    }
}
