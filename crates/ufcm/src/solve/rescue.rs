//! Another method from the beginning, where the ones that were chosen gave up.
//!
//! Methods take over from each other at the best point so far (`relay`), which may be a place that none of them gets away from. Before a
//! run is given up, the others try from the user's start, each alone and with as much as the run has taken, up to some tenths of a second; but
//! only after short runs: nobody waits for a long one again. After the shortest, they try to prove an answer that has no bound. Decision 0031.

use super::tuning::{DOUBT_OPERATIONS, DOUBT_SHARE, RESCUE_OPERATIONS, RESCUE_SHARE};
use super::{Observer, choice, uniqueness, units};
use crate::budget::Budget;
use crate::error::DataError;
use crate::problem::Problem;
use crate::report::{Report, Status, Trouble};
use crate::settings::{MethodRule, MetricRule, Settings};

/// The methods that try, in this order.
const OTHERS: [MethodRule; 4] =
    [MethodRule::Adaptive, MethodRule::PrimalDual, MethodRule::InteriorPoint, MethodRule::Sliding];
/// Those that try to prove an answer. Interior points have had their look at it (`relay`), and sliding takes many inner steps.
const PROVERS: [MethodRule; 2] = [MethodRule::Adaptive, MethodRule::PrimalDual];

pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let mut report = proven(problem, settings, budget, observer)?;
    let open = settings.method == MethodRule::Auto && settings.metric == MetricRule::Auto;
    let Some(each) = share(problem, &report).filter(|_| open) else {
        return Ok(report);
    };
    let gradients = each / choice::operations_of_gradient(problem).max(1.0);
    let rounds = each / (choice::operations_of_gradient(problem) + problem.dimension() as f64);
    let others = if has_given_up(&report) { &OTHERS[..] } else { &PROVERS[..] };
    for &method in others {
        if budget.ask().is_err() {
            break;
        }
        let alone = Settings { method, ..settings.clone() };
        let part = budget.part(gradients as usize).with_inner_steps(rounds as usize);
        // A method that does not take the problem says so.
        let Ok(mut other) = proven(problem, &alone, &part, observer) else {
            continue;
        };
        if !is_better(other.status, report.status) {
            report.counts.add(&other.counts);
            // Who stops one stops them all.
            if other.status == Status::Interrupted {
                break;
            }
            continue;
        }
        let why = format!(
            "{} from the start, because the methods before {}",
            choice::told(method.name()),
            failed(&report)
        );
        other.counts.add(&report.counts);
        other.methods.splice(0..0, report.methods);
        other.chosen.splice(0..0, report.chosen.into_iter().chain([why]));
        return Ok(other);
    }
    Ok(report)
}

/// A solve, whose answer is proven by what holds it where it is if no bound did.
fn proven(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let report = units::solve(problem, settings, budget, observer)?;
    Ok(uniqueness::certified(&problem.within_budget(budget), settings, report))
}

/// Operations that each of the others may take; nothing where none of them is asked.
fn share(problem: &Problem, report: &Report) -> Option<f64> {
    // What a user's function costs is not known: it may be seconds.
    problem.mapping().operations()?;
    let spent = report.counts.operations as f64;
    if has_given_up(report) {
        return (spent <= RESCUE_OPERATIONS).then_some(spent.clamp(RESCUE_SHARE.0, RESCUE_SHARE.1));
    }
    (report.status == Status::Solved && spent <= DOUBT_OPERATIONS).then_some(DOUBT_SHARE)
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
                | Trouble::UnitsTooUnlike
        )
    )
}

fn failed(report: &Report) -> &'static str {
    if has_given_up(report) { "gave up" } else { "found no bound" }
}

/// A proof is better than an answer without one. A point within the tolerances is what was asked for, also where no point meets the
/// constraints exactly: it is not given away for a proof of that.
fn is_better(status: Status, before: Status) -> bool {
    match before {
        Status::Solved => status == Status::Certified,
        _ => status.is_success() || matches!(status, Status::Infeasible | Status::Unbounded),
    }
}
