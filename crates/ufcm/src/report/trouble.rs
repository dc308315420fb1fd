//! What went wrong in a run, as a value whose text is its sentence.

use crate::audit::Finding;
use crate::certificate::CertificateError;
use crate::error::DataError;
use crate::method::StepError;
use crate::oracle::{Cause, OracleError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What went wrong in a run that ended with [`Status::NumericalError`](super::Status::NumericalError).
///
/// It is written to files as its sentence. What is read back is [`Trouble::Told`]: the sentence is left, the
/// values in it are not. Two troubles are equal where they say the same, so a report equals its copy that was
/// written and read.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// An oracle failed; it holds the user's own error, if there was one.
    #[error("{0}")]
    Oracle(#[source] OracleError),
    /// A row lies below its own linearisation: it is not convex, or its gradient is wrong.
    #[error("{}", StepError::NotConvex { row: *row, deficit: *deficit })]
    NotConvex {
        /// The row.
        row: usize,
        /// By how much.
        deficit: f64,
    },
    /// However large L, no step passes the test: a gradient is wrong, or a component is not convex.
    #[error("{}", StepError::Untestable { l: *l })]
    NoStepPasses {
        /// The largest L tried.
        l: f64,
    },
    /// The steps no longer improve anything.
    #[error("no improvement in {steps} steps: the tolerance may be out of reach of rounding")]
    NoImprovement {
        /// How many steps in a row did not.
        steps: usize,
    },
    /// The iterations of the primal-dual method do not converge.
    #[error("no improvement in {iterations} iterations: the problem may have no solution")]
    NoConvergence {
        /// How many iterations in a row improved nothing.
        iterations: usize,
    },
    /// The user's radius holds no solution.
    #[error(
        "the radius is too small: a feasible point has a lower objective than any within {radius:e} of the given point"
    )]
    RadiusTooSmall {
        /// The radius.
        radius: f64,
    },
    /// A feasible point has a lower objective than the lower bound allows.
    #[error(
        "a feasible point lies below the lower bound: a component is not convex or its gradient is wrong; run the audit"
    )]
    BelowLowerBound,
    /// The certificate was refused when it was checked without the solver.
    #[error("the certificate does not hold when it is checked from the components alone: {0}; run the audit")]
    Refuted(#[source] Box<CertificateError>),
    /// What holds in units in which sizes are near 1 does not in the user's.
    #[error(
        "what holds in units in which all sizes are near 1 does not hold in yours: the sizes of rows or variables differ too much"
    )]
    UnitsTooUnlike,
    /// The audit before a success found a part at fault.
    #[error("the audit found {part} at fault: {}", finding.to_string().replace("\n    ", "; "))]
    Audit {
        /// The name of the row, composer or regulariser.
        part: String,
        /// The law that is broken, and where.
        finding: Box<Finding>,
    },
    /// The run stalled, and the method that was to go on could not be made.
    #[error("no other method can go on: {0}")]
    NoOtherMethod(#[source] Box<DataError>),
    /// A trouble that was read from a file, of which only the sentence is left.
    #[error("{0}")]
    Told(String),
}

impl Trouble {
    /// What a user's oracle reported, where one failed.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Oracle(error) => error.cause(),
            Self::NoOtherMethod(error) => error.cause(),
            _ => None,
        }
    }
}

impl From<OracleError> for Trouble {
    fn from(error: OracleError) -> Self {
        Self::Oracle(error)
    }
}

impl From<StepError> for Trouble {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Oracle(error) => Self::Oracle(error),
            StepError::NotConvex { row, deficit } => Self::NotConvex { row, deficit },
            StepError::Untestable { l } => Self::NoStepPasses { l },
        }
    }
}

impl PartialEq for Trouble {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Serialize for Trouble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Trouble {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{DataError, DataProblem};
    use crate::report::Status;
    use std::error::Error;
    use std::sync::Arc;

    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("no answer")]
    struct NoAnswer;

    /// The user's error at the end of a chain of sources.
    fn found<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a NoAnswer> {
        std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
    }

    #[test]
    fn a_cause_comes_out_of_every_error_that_wraps_it() {
        let oracle = OracleError::failed(NoAnswer).in_row(2);
        let cause = Arc::clone(oracle.cause().unwrap());
        let trouble = Trouble::from(StepError::from(oracle.clone()));
        assert_eq!(trouble.to_string(), "in row 2: the oracle failed: no answer");
        let start = DataError::oracle("starting point", oracle);
        assert_eq!(start.to_string(), "starting point: in row 2: the oracle failed: no answer");
        let (status, inner) = (Status::NumericalError, Some(trouble.clone()));
        let published =
            DataError::new("the published method", DataProblem::NoSolution { status, trouble: inner });
        assert_eq!(
            published.to_string(),
            "the published method: its constants speak of a solution, and the default method found none: \
             NumericalError (in row 2: the oracle failed: no answer)"
        );
        for told in [trouble.cause(), start.cause(), published.cause()] {
            assert!(Arc::ptr_eq(told.unwrap(), &cause));
        }
        for error in [&trouble as &(dyn Error + 'static), &start, &published] {
            assert_eq!(found(error), Some(&NoAnswer), "{error}");
        }
        assert!(Trouble::BelowLowerBound.cause().is_none());
    }

    #[test]
    fn troubles_are_written_as_their_sentences_and_read_back_as_such() {
        for (trouble, sentence) in [
            (OracleError::failed(NoAnswer).in_row(1).into(), "in row 1: the oracle failed: no answer"),
            (
                StepError::NotConvex { row: 3, deficit: 0.5 }.into(),
                "row 3 lies below its linearisation by 5e-1: it is not convex or its gradient is wrong; run the audit",
            ),
            (
                StepError::Untestable { l: 1e30 }.into(),
                "no step passes the test even with L = 1e30: a gradient may be wrong; run the audit",
            ),
            (
                Trouble::NoImprovement { steps: 500 },
                "no improvement in 500 steps: the tolerance may be out of reach of rounding",
            ),
            (StepError::from(crate::budget::Stop::Request).into(), "stopped on request"),
        ] {
            let written = serde_json::to_string(&trouble).unwrap();
            assert_eq!(written, format!("{sentence:?}"));
            let read: Trouble = serde_json::from_str(&written).unwrap();
            assert!(matches!(&read, Trouble::Told(text) if text == sentence));
            assert_eq!(read, trouble);
        }
    }
}
