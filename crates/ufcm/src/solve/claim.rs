//! The status that a run would end with, before the judge has checked it.

use crate::budget::Stop;
use crate::certificate::{Infeasibility, Premise, Unboundedness};
use crate::method::StepError;
use crate::report::{Fault, Status, Trouble};

/// What a run would like to leave with.
pub(super) struct Claim {
    pub(super) status: Status,
    pub(super) trouble: Option<Trouble>,
    pub(super) fault: Option<Fault>,
    pub(super) infeasibility: Option<Infeasibility>,
    pub(super) unboundedness: Option<Unboundedness>,
    /// Whether the bounds found before no longer hold.
    pub(super) voids_bounds: bool,
}

impl Claim {
    pub(super) fn new(status: Status) -> Self {
        Self {
            status,
            trouble: None,
            fault: None,
            infeasibility: None,
            unboundedness: None,
            voids_bounds: false,
        }
    }

    pub(super) fn infeasible(proof: Infeasibility) -> Self {
        Self { infeasibility: Some(proof), ..Self::new(Status::Infeasible) }
    }

    pub(super) fn unbounded(proof: Unboundedness) -> Self {
        Self { unboundedness: Some(proof), ..Self::new(Status::Unbounded) }
    }

    /// The budget is spent, or someone stopped the run.
    pub(super) fn stopped(stop: Stop) -> Self {
        Self::new(match stop {
            Stop::Deadline => Status::TimeLimit,
            Stop::Gradients => Status::IterationLimit,
            Stop::Request => Status::Interrupted,
        })
    }

    /// A step that could not be taken: stopped, or in trouble.
    pub(super) fn of_error(error: &StepError, fault: Option<Fault>) -> Self {
        if let Some(stop) = error.stop() {
            return Self::stopped(stop);
        }
        let voids_bounds = matches!(error, StepError::NotConvex { .. });
        Self { voids_bounds, fault, ..Self::in_trouble(error.clone().into()) }
    }

    pub(super) fn in_trouble(trouble: Trouble) -> Self {
        Self { trouble: Some(trouble), ..Self::new(Status::NumericalError) }
    }

    /// A feasible point lies below the lower bound.
    pub(super) fn contradiction(premise: &Premise) -> Self {
        Self::in_trouble(match premise {
            Premise::Radius { radius, .. } => Trouble::RadiusTooSmall { radius: *radius },
            _ => Trouble::BelowLowerBound,
        })
    }
}
