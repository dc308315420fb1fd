//! Where X is unbounded, an answer that rests on optimality conditions alone may be proven by what holds it where it is: the curvature
//! of the components around it (least squares, or logistic losses of classes that overlap), what they say of themselves (losses with a
//! price on every variable), or rows and slopes that leave no other answer (linear programs, least absolute deviations). It is looked for before another method has a look, and at the end, on the
//! user's problem.

use super::incumbent::is_closed;
use crate::certificate::{
    Certificate, certify_by_curvature, certify_by_enclosure, certify_by_level, certify_by_mixing,
};
use crate::problem::Problem;
use crate::report::{Report, Status};
use crate::settings::Settings;

/// A certificate that closes the gap, if there is one.
pub(super) fn certificate(
    problem: &Problem,
    settings: &Settings,
    x: &[f64],
    multipliers: &[f64],
    [unit, objective]: [f64; 2],
) -> Option<Certificate> {
    let ways = [certify_by_mixing, certify_by_curvature, certify_by_level, certify_by_enclosure];
    ways.into_iter().find_map(|certify| {
        // What cannot be evaluated, or not in time, proves nothing.
        let certificate = certify(problem, x, multipliers).ok().flatten()?;
        is_closed(settings, unit, objective, certificate.lower).then_some(certificate)
    })
}

/// The report, `Certified` if what holds the answer where it is proves it.
pub(super) fn certified(problem: &Problem, settings: &Settings, mut report: Report) -> Report {
    let held = report.held.take();
    if report.status != Status::Solved {
        return report;
    }
    let sizes = [report.unit, report.objective];
    // The run may have asked before, of the same answer in the same units.
    let asked = held.filter(|held| held.x == report.x && held.multipliers == report.multipliers);
    let found = match asked {
        Some(held) => held.certificate.filter(|proof| is_closed(settings, sizes[0], sizes[1], proof.lower)),
        None => certificate(problem, settings, &report.x, &report.multipliers, sizes),
    };
    let Some(mut certificate) = found else {
        return report;
    };
    if certificate.verify(problem).is_ok() {
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
