//! What is left of a run that ended in a panic: the best point, with what it shows and nothing more.

use crate::course::{STEPS, Thinned};
use crate::panics::caught;
use ufcm::budget::Budget;
use ufcm::certificate::{Certificate, Premise, Upper};
use ufcm::error::DataError;
use ufcm::oracle::Weight;
use ufcm::problem::Problem;
use ufcm::report::{Progress, Record, Report, Status, Trouble};
use ufcm::settings::Settings;

/// What is kept of a run while it goes.
pub(super) struct Kept {
    /// The best point; empty before the first step.
    x: Vec<f64>,
    multipliers: Vec<f64>,
    last: Record,
    history: Thinned<Record>,
}

impl Kept {
    /// Takes in a step.
    pub(super) fn step(&mut self, now: &Progress<'_>) {
        self.last = now.record;
        self.history.push(now.record);
        for (kept, told) in [(&mut self.x, now.x), (&mut self.multipliers, now.multipliers)] {
            kept.clear();
            kept.extend_from_slice(told);
        }
    }

    /// The report of a run that a panic ended. It claims no lower bound: what the run knew of one went with it.
    fn report(self, problem: &Problem, settings: &Settings, seconds: f64, sentence: String) -> Report {
        let x = if self.x.is_empty() { start(problem, settings) } else { self.x };
        let shown = caught(|| Upper::at(problem, &x).ok()).ok().flatten();
        let unknown = Upper { objective: f64::INFINITY, violation: f64::INFINITY, rounding: f64::INFINITY };
        let Upper { objective, violation, rounding } = shown.unwrap_or(unknown);
        let certificate = caught(|| proof(problem, &x, shown?)).ok().flatten();
        Report {
            status: Status::NumericalError,
            x,
            objective,
            lower_bound: f64::NEG_INFINITY,
            upper_bound: if violation == 0.0 { objective + rounding } else { f64::INFINITY },
            violation,
            violation_relative: None,
            violation_worth: 0.0,
            unit: 1.0,
            feasible: None,
            multipliers: self.multipliers,
            methods: Vec::new(),
            chosen: Vec::new(),
            counts: self.last.counts,
            prelude: None,
            constants: None,
            trace: Vec::new(),
            seconds,
            history: self.history.iter().copied().collect(),
            trouble: Some(Trouble::Told(sentence)),
            fault: None,
            certificate,
            infeasibility: None,
            unboundedness: None,
            warm: None,
            held: None,
        }
    }
}

/// Runs `solve`. After a panic in it there is still a report, of what was kept by then.
pub(super) fn saved(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    solve: impl FnOnce(&mut Kept) -> Result<Report, DataError>,
) -> Result<Report, DataError> {
    let (x, multipliers) = (Vec::new(), Vec::new());
    let mut kept = Kept { x, multipliers, last: Record::default(), history: Thinned::new(STEPS) };
    match caught(|| solve(&mut kept)) {
        Ok(solved) => solved,
        Err(sentence) => Ok(kept.report(problem, settings, budget.seconds(), sentence)),
    }
}

/// The sentence about the panic that ended the run, if one did.
pub(super) fn internal_error(report: &Report) -> Option<&str> {
    match &report.trouble {
        // Elsewhere troubles are values; a sentence alone is ours.
        Some(Trouble::Told(sentence)) => Some(sentence),
        _ => None,
    }
}

/// Where a run begins: x0 or 0, moved into the domain as far as that can be done.
fn start(problem: &Problem, settings: &Settings) -> Vec<f64> {
    let given = || settings.x0.clone().unwrap_or_else(|| vec![0.0; problem.dimension()]);
    let moved = caught(|| {
        let mut x = given();
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x).ok()?;
        }
        Some(x)
    });
    moved.ok().flatten().unwrap_or_else(given)
}

/// A certificate of what `x` shows, which bounds nothing from below; `None` where it does not hold.
fn proof(problem: &Problem, x: &[f64], upper: Upper) -> Option<Certificate> {
    let certificate = Certificate {
        x: x.to_vec(),
        lower: f64::NEG_INFINITY,
        upper: upper.objective + upper.rounding,
        violation: upper.violation,
        premise: Premise::None,
        curvature: 0.0,
        witnesses: Vec::new(),
        grounds: problem.grounds(),
        constants: None,
    };
    certificate.verify(problem).is_ok().then_some(certificate)
}

#[cfg(test)]
mod tests;
