//! Another method from the beginning, where the ones that were chosen gave up.
//!
//! Methods take over from each other at the best point so far (`relay`), which may be a place that none of them gets away from. Before a
//! run is given up, the others try from the user's start, each alone; but only after short runs: nobody waits twice for a long one.
//! Decision 0031.

use super::tuning::{RESCUE_GRADIENTS, RESCUE_OPERATIONS, RESCUE_ROUNDS};
use super::{Observer, choice, units};
use crate::budget::Budget;
use crate::error::DataError;
use crate::problem::Problem;
use crate::report::{Report, Status, Trouble};
use crate::settings::{MethodRule, MetricRule, Settings};

/// The methods that try, in this order.
const OTHERS: [MethodRule; 4] =
    [MethodRule::Adaptive, MethodRule::PrimalDual, MethodRule::InteriorPoint, MethodRule::Sliding];

pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let mut report = units::solve(problem, settings, budget, observer)?;
    let open = settings.method == MethodRule::Auto && settings.metric == MetricRule::Auto;
    // What a user's function costs is not known: it may be seconds.
    let known = problem.mapping().operations().is_some();
    let short = known && report.counts.operations as f64 <= RESCUE_OPERATIONS;
    if !open || !short || !has_given_up(&report) {
        return Ok(report);
    }
    for method in OTHERS {
        if budget.ask().is_err() {
            break;
        }
        let alone = Settings { method, ..settings.clone() };
        let part = budget.part(RESCUE_GRADIENTS).with_inner_steps(RESCUE_ROUNDS);
        // A method that does not take the problem says so.
        let Ok(mut other) = units::solve(problem, &alone, &part, observer) else {
            continue;
        };
        if !is_answer(other.status) {
            report.counts.add(&other.counts);
            // Who stops one stops them all.
            if other.status == Status::Interrupted {
                break;
            }
            continue;
        }
        other.counts.add(&report.counts);
        other.methods.splice(0..0, report.methods);
        let why =
            format!("{} from the start, because the methods before gave up", choice::told(method.name()));
        other.chosen.splice(0..0, report.chosen.into_iter().chain([why]));
        return Ok(other);
    }
    Ok(report)
}

/// Whether the run ended because nothing improved, or because its proof did not hold, and not for a fault of the problem or a limit.
fn has_given_up(report: &Report) -> bool {
    matches!(
        report.trouble,
        Some(
            Trouble::NoImprovement { .. }
                | Trouble::NoConvergence { .. }
                | Trouble::Refuted(_)
                | Trouble::NoStepPasses { .. }
        )
    )
}

fn is_answer(status: Status) -> bool {
    status.is_success() || matches!(status, Status::Infeasible | Status::Unbounded)
}
