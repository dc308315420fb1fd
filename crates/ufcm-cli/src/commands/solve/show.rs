//! What is shown of a run before and after its steps.

use super::answer;
use crate::console::{Console, say};
use crate::number::{counted, not_zero, scientific};
use crate::record::{Description, RunRecord};
use crate::sense::Values;
use ufcm::certificate::Infeasibility;
use ufcm::report::{Prelude, Report, Status};
use ufcm::settings::Settings;
use ufcm::summary::Multiplier;

/// How many multipliers are shown, and with how many digits behind the point: they are no more accurate than that.
const SHOWN: usize = 20;
const MULTIPLIER_DIGITS: usize = 3;

pub(super) fn banner(
    console: &mut Console,
    description: &Description,
    settings: &Settings,
    notes: &[String],
) {
    say!(console, "ufcm {}: convex problems with a proven gap", env!("CARGO_PKG_VERSION"));
    say!(console);
    say!(console, "problem    {} ({})", description.name, description.file);
    let Description { variables, rows, regulariser, .. } = description;
    let (variables, rows) = (counted(*variables, "variable"), counted(*rows, "row"));
    say!(console, "           {variables}, {rows}, regulariser and domain: {regulariser}");
    for block in &description.blocks {
        say!(console, "           {}: {block}", block.name);
    }
    let Settings { eps_rel, eps_abs, eps_feas, .. } = settings;
    say!(console, "settings   gap {eps_rel:e} relative + {eps_abs:e}, violation {eps_feas:e}");
    notes.iter().for_each(|note| say!(console, "note       {note}"));
    say!(console);
}

pub(super) fn conclusion(console: &mut Console, record: &RunRecord) {
    let report = &record.report;
    say!(console);
    say!(console, "status       {}: {}", report.status, record.meaning());
    // Where no point is feasible, there is no value to speak of.
    if !matches!(report.status, Status::Infeasible | Status::Unbounded) {
        values(console, record);
    }
    // What a violation is worth in the objective, multipliers tell; without a solution there are none.
    let weighed = if report.status == Status::Infeasible { String::new() } else { weighed(report) };
    match &report.unboundedness {
        Some(proof) => {
            let violation = scientific(proof.violation, 2);
            say!(
                console,
                "proof        a point with violation {violation} and a ray; --certificate writes both"
            );
        }
        None => say!(console, "violation    {}{weighed}", scientific(report.violation, 2)),
    }
    say!(console, "rests on     {}", record.premise());
    match &report.infeasibility {
        Some(proof) => conflict(console, proof, &record.description),
        None if report.unboundedness.is_some() => {}
        None => multipliers(console, &other_multipliers(record)),
    }
    if let Some(found) = &record.answer {
        answer::show(console, found, record.description.sense, &record.prepared);
    }
    if !report.methods.is_empty() {
        say!(console, "method       {}", report.methods.join(", then "));
    }
    if !report.chosen.is_empty() {
        say!(console, "chosen       {}", report.chosen.join("; then "));
    }
    let counts = &report.counts;
    let work = [
        (counts.gradients, "gradient"),
        (counts.values, "value"),
        (counts.hessians, "Hessian"),
        (counts.newton_steps, "inner step"),
        (counts.restarts, "restart"),
    ];
    say!(console, "work         {}", work.map(|(number, what)| counted(number, what)).join(", "));
    if counts.data_passes > 0.0 {
        say!(console, "data         read {:.1} times, proofs included", counts.data_passes);
    }
    if counts.audit_gradients > 0 {
        let points = counts.audit_gradients;
        say!(console, "audit        {points} gradients beyond these, of what is not convex by construction");
    }
    if let Some(before) = &report.prelude {
        say!(console, "before       {}", prelude(report, before));
    }
    if let Some(constants) = &report.constants {
        say!(console, "constants    {constants}");
    }
    say!(console, "time         {:.3} s", report.seconds);
}

/// What finding the constants of a published method took, and what they promise.
pub(super) fn prelude(report: &Report, before: &Prelude) -> String {
    let gradients = before.counts.gradients;
    match before.promised {
        Some(promised) if gradients == 0 => {
            format!("all constants were given; they promise {promised} gradients to suffice")
        }
        None if gradients == 0 && report.constants.is_some() => "all constants were given".into(),
        Some(promised) => format!(
            "finding the constants took {gradients} gradients of the default method; they promise {promised} to suffice"
        ),
        None if report.counts.gradients > 0 => {
            format!("finding the constants took {gradients} gradients of the default method")
        }
        None => format!("the constants were not found in {gradients} gradients of the default method"),
    }
}

fn values(console: &mut Console, record: &RunRecord) {
    let report = &record.report;
    let values = Values::of(report, record.description.sense);
    say!(console, "objective    {}", scientific(values.objective, 9));
    say!(console, "lower bound  {}", bound(values.lower_bound));
    say!(console, "upper bound  {}", bound(values.upper_bound));
    if report.gap().is_finite() {
        say!(console, "gap          {}{}", report.gap_told(), below(report));
    }
}

fn bound(value: f64) -> String {
    if value.is_finite() { scientific(value, 9) } else { "none".into() }
}

/// What the violation is relative to its row and worth in the objective, where there is one.
fn weighed(report: &Report) -> String {
    if report.violation == 0.0 {
        return String::new();
    }
    let relative =
        report.violation_relative.map(|relative| format!(", {} of its row", scientific(relative, 2)));
    let worth = scientific(report.violation_worth, 2);
    format!("{}; worth {worth} of the objective", relative.unwrap_or_default())
}

/// Why a gap may be negative.
fn below(report: &Report) -> &'static str {
    if report.gap() < 0.0 { " (negative, since x violates the constraints a little)" } else { "" }
}

/// The multipliers of terms; those of constraints stand beside their values.
fn other_multipliers(record: &RunRecord) -> Vec<(String, Multiplier)> {
    let blocks = &record.description.blocks;
    let is_constraint = |name: &str| blocks.iter().any(|block| block.constraint && block.name == name);
    let mut all = record.multipliers();
    // Programs tell of rows, which are all constraints.
    let told = |name: &str| blocks.iter().any(|block| block.name == name);
    if record.answer.is_some() {
        all.retain(|(name, _)| told(name) && !is_constraint(name));
    }
    all
}

/// The constraints that have no common point, with their multipliers in the proof.
fn conflict(console: &mut Console, proof: &Infeasibility, description: &Description) {
    let mut title = "conflict";
    for needed in proof.rows.iter().take(SHOWN) {
        let multiplier = scientific(needed.multiplier, MULTIPLIER_DIGITS);
        say!(console, "{title:<12} {}: multiplier {multiplier}", description.in_file_names(&needed.name));
        title = "";
    }
    if proof.rows.len() > SHOWN {
        say!(console, "             and {} more (see --json)", proof.rows.len() - SHOWN);
    }
}

fn multipliers(console: &mut Console, multipliers: &[(String, Multiplier)]) {
    let mut title = "multipliers";
    for (name, multiplier) in multipliers.iter().take(SHOWN) {
        let value = match multiplier {
            Multiplier::One(value) => scientific(*value, MULTIPLIER_DIGITS),
            Multiplier::Many(values) => {
                format!("{}, {}", counted(values.len(), "row"), not_zero(values.iter().copied()))
            }
        };
        say!(console, "{title:<12} {name}: {value}");
        title = "";
    }
    if multipliers.len() > SHOWN {
        say!(console, "             and {} more (see --json)", multipliers.len() - SHOWN);
    }
}
