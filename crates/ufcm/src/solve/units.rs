//! A run in units in which sizes are near 1, where the user's are far from that (`scaling/`), and its outcome in the user's.

use super::{Observer, choice, judge, start};
use crate::budget::Budget;
use crate::certificate::{CertificateError, Unboundedness, Upper, violation_rounding};
use crate::error::DataError;
use crate::problem::Problem;
use crate::report::{Progress, Report, Status, Trouble};
use crate::scaling;
use crate::settings::{MethodRule, MetricRule, Settings};

/// Solves `problem` by the method that the settings say or that suits it, in whichever units suit that.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    use MethodRule::{Adaptive, Auto, InteriorPoint, Newton, PrimalDual, Sliding, WorkingSet};
    // Who asks for a metric by name asks for it in his own units.
    let ours = matches!(
        settings.method,
        Auto | Adaptive | Sliding | PrimalDual | Newton | WorkingSet | InteriorPoint
    ) && settings.metric == MetricRule::Auto;
    let within = problem.within_budget(budget);
    let at_start = start::point(&within, settings).and_then(|x| within.linearised_at(&x));
    // What fails here fails again in the run, which tells of it.
    let Some((at_start, values)) = at_start.ok().filter(|_| ours) else {
        return choice::solve(problem, settings, budget, observer);
    };
    let Some(scaled) = scaling::equilibrated(&at_start, &values, settings.radius.is_some()) else {
        return choice::solve(&at_start, settings, budget, observer);
    };
    let Some(factors) = scaled.units().map(|units| units.factors.clone()) else {
        return choice::solve(problem, settings, budget, observer);
    };
    let inward = scaling::settings_inward(settings, &factors);
    let report = choice::solve(&scaled, &inward, budget, &mut |progress: &Progress<'_>| {
        let (x, multipliers) = (factors.point(progress.x), factors.multipliers(progress.multipliers));
        let row_values = factors.row_values(progress.row_values);
        let record = scaling::record_outward(&progress.record, factors.objective);
        let prelude = progress.prelude;
        observer(&Progress { record, x: &x, multipliers: &multipliers, row_values: &row_values, prelude })
    })?;
    Ok(judged_outside(problem, settings, scaling::outward(report, &factors)))
}

/// The report once more, measured on the user's problem: what was claimed in other units must hold there.
fn judged_outside(problem: &Problem, settings: &Settings, mut report: Report) -> Report {
    if let Ok(at_x) = Upper::at(problem, &report.x) {
        (report.objective, report.violation) = (at_x.objective, at_x.violation);
        if let Some(certificate) = &mut report.certificate {
            certificate.upper = at_x.objective + at_x.rounding;
            certificate.violation = at_x.violation;
        }
    }
    if let Some(proof) = &mut report.unboundedness
        && let Ok(at_x) = Upper::at(problem, &proof.x)
    {
        proof.violation = at_x.violation;
    }
    if let Some(proof) = &mut report.infeasibility {
        proof.forget_what_fails(problem);
    }
    if let Some(repaired) = &mut report.feasible {
        match Upper::at(problem, &repaired.x) {
            Ok(upper) if upper.value() < f64::INFINITY => {
                repaired.upper = upper;
                report.upper_bound = report.upper_bound.max(upper.objective + upper.rounding);
            }
            _ => (report.feasible, report.upper_bound) = (None, f64::INFINITY),
        }
    }
    if let Some(proof) = &mut report.certificate {
        judge::weaken(proof, problem);
        report.lower_bound = proof.lower;
    }
    let refuted = refutation(problem, settings, &mut report);
    if let Some(error) = refuted {
        report.status = Status::NumericalError;
        report.trouble =
            Some(error.map_or(Trouble::UnitsTooUnlike, |error| Trouble::Refuted(Box::new(error))));
        (report.infeasibility, report.unboundedness) = (None, None);
    }
    report
}

/// Why a claim does not hold on the user's problem, if it does not: what the verifier found, or that it was tight.
fn refutation(
    problem: &Problem,
    settings: &Settings,
    report: &mut Report,
) -> Option<Option<CertificateError>> {
    let tolerance = settings.gap_tolerance(report.unit, report.objective);
    let gap = (report.objective - report.lower_bound).abs();
    match report.status {
        Status::Certified => {
            let proof = report.certificate.as_ref().map(|proof| proof.verify(problem).map(|_| ()));
            report.counts.proof_gradients += report.certificate.as_ref().map_or(0, |c| c.witnesses.len());
            // A little room: sums in other units are rounded in another order.
            let holds = report.violation <= settings.eps_feas && gap <= tolerance * (1.0 + 1e-6);
            proof.and_then(Result::err).map(Some).or((!holds).then_some(None))
        }
        Status::Solved => (report.violation > settings.eps_feas).then_some(None),
        Status::Infeasible => {
            let proof = report.infeasibility.as_ref().map(|proof| proof.verify(problem).map(|_| ()));
            proof.and_then(Result::err).map(Some)
        }
        Status::Unbounded => {
            let proof = report.unboundedness.as_ref();
            let refuted = proof.and_then(|proof| proof.verify(problem).err()).map(Some);
            // Rows of 1e12 cannot hold to eps_feas.
            let violated = |proof: &&Unboundedness| {
                let rounding = violation_rounding(problem, &proof.x).unwrap_or(0.0);
                proof.violation > settings.eps_feas.max(rounding)
            };
            refuted.or(proof.filter(violated).map(|_| None))
        }
        _ => None,
    }
}
