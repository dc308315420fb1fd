//! Where X is unbounded, an answer that rests on optimality conditions alone may be proven by the curvature of the components around
//! it: least squares, or logistic losses of classes that overlap. It is looked for once, at the end, on the user's problem.

use super::incumbent::is_closed;
use crate::certificate::certify_by_curvature;
use crate::problem::Problem;
use crate::report::{Report, Status};
use crate::settings::Settings;

/// The report, `Certified` if curvature proves what was `Solved`.
pub(super) fn certified(problem: &Problem, settings: &Settings, mut report: Report) -> Report {
    if report.status != Status::Solved {
        return report;
    }
    // What cannot be evaluated, or not in time, proves nothing.
    let Ok(Some(mut certificate)) = certify_by_curvature(problem, &report.x, &report.multipliers) else {
        return report;
    };
    let closed = is_closed(settings, report.unit, report.objective, certificate.lower);
    if closed && certificate.verify(problem).is_ok() {
        if let Some(before) = report.certificate.take() {
            certificate.grounds = before.grounds;
        }
        report.status = Status::Certified;
        report.lower_bound = certificate.lower;
        report.counts.proof_gradients += 2;
        report.certificate = Some(certificate);
    }
    report
}
