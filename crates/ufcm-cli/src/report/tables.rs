//! The tables of a report: result, problem, settings, rows.

use super::escape::text;
use super::rows::{Ranking, Row};
use crate::number::scientific;
use crate::record::RunRecord;
use crate::sense::Values;
use std::fmt::Write;
use ufcm::report::Status;
use ufcm::settings::Settings;

/// A table of names and what belongs to them.
struct Facts(String);

impl Facts {
    fn new() -> Self {
        Self("<table class=\"facts\">".into())
    }

    fn add(&mut self, name: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", text(name), text(value));
    }

    fn add_some(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.add(name, &value);
        }
    }

    fn end(self) -> String {
        self.0 + "</table>"
    }
}

/// A number as a reader wants it: with so many digits after the first, plain where that is short, or the word for none.
pub(super) fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "none".into();
    }
    let power = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let text = if (-3.0..6.0).contains(&power) {
        let decimals = (digits as f64 - power).max(0.0) as usize;
        let plain = format!("{value:.decimals$}");
        if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.').to_owned() } else { plain }
    } else {
        scientific(value, digits)
    };
    text.replace('-', "−")
}

/// A time in the unit that suits it.
pub(super) fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{} ms", number(1e3 * seconds, 2)) } else { format!("{seconds:.2} s") }
}

pub(super) fn result(record: &RunRecord) -> String {
    let report = &record.report;
    let mut facts = Facts::new();
    facts.add("status", &format!("{}: {}", report.status, record.meaning()));
    facts.add("rests on", &record.premise());
    if report.status != Status::Infeasible {
        let Values { objective, lower_bound, upper_bound } = Values::of(report, record.description.sense);
        facts.add("objective", &number(objective, 10));
        facts.add("lower bound", &number(lower_bound, 10));
        facts.add("upper bound", &number(upper_bound, 10));
        facts.add("gap", &number(report.gap(), 3));
        facts.add("relative gap", &number(report.gap_rel(), 3));
    }
    facts.add("violation", &number(report.violation, 3));
    if let Some(fault) = &report.fault {
        facts.add("failed", &format!("{} in step {}", fault.row, fault.step));
    }
    let counts = &report.counts;
    facts.add("steps", &counts.steps.to_string());
    facts.add("gradients", &counts.gradients.to_string());
    facts.add("values", &counts.values.to_string());
    facts.add("Hessians", &counts.hessians.to_string());
    if counts.hessian_products > 0 {
        facts.add("Hessian products", &counts.hessian_products.to_string());
    }
    if counts.audit_gradients > 0 {
        facts.add("gradients of the audit", &counts.audit_gradients.to_string());
    }
    facts.add("reads of the data", &format!("{:.1}", counts.data_passes));
    facts.add("inner steps", &counts.newton_steps.to_string());
    facts.add("restarts", &counts.restarts.to_string());
    facts.add("time", &time(report.seconds));
    facts.end()
}

/// Data files shown at most.
const FILES: usize = 10;

/// Blocks shown at most.
const BLOCKS: usize = 40;

pub(super) fn problem(record: &RunRecord, has_objective: bool) -> String {
    let description = &record.description;
    let mut facts = Facts::new();
    facts.add("file", &description.file);
    for path in record.files.iter().take(FILES) {
        facts.add("data", &path.display().to_string());
    }
    if record.files.len() > FILES {
        facts.add("data", &format!("and {} more files", record.files.len() - FILES));
    }
    if let Some(made) = &record.made {
        facts.add("command", &made.command);
    }
    record.prepared.iter().for_each(|line| facts.add("data was", line));
    facts.add("variables", &description.variables.to_string());
    facts.add("rows", &description.rows.to_string());
    facts.add("regulariser and domain", description.regulariser);
    for block in description.blocks.iter().skip(usize::from(!has_objective)).take(BLOCKS) {
        facts.add(&block.name, &block.to_string());
    }
    if description.blocks.len() > BLOCKS {
        facts.add("…", &format!("and {} more", description.blocks.len() - BLOCKS));
    }
    for note in &record.notes {
        facts.add("note", note);
    }
    facts.end()
}

pub(super) fn settings(settings: &Settings) -> String {
    let mut facts = Facts::new();
    facts.add("gap, relative", &format!("{:e}", settings.eps_rel));
    facts.add("gap, absolute", &format!("{:e}", settings.eps_abs));
    facts.add("violation", &format!("{:e}", settings.eps_feas));
    facts.add("method", settings.method.name());
    facts.add("metric", settings.metric.name());
    facts.add_some("radius", settings.radius.map(|radius| radius.to_string()));
    facts.add_some("time limit", settings.time_limit.map(|seconds| format!("{seconds} s")));
    facts.add_some("gradients at most", settings.max_gradients.map(|most| most.to_string()));
    facts.add_some("audit", (!settings.audit).then(|| "off".to_owned()));
    facts.add("threads", &settings.threads.map_or("all cores".into(), |threads| threads.to_string()));
    let start = if settings.x0.is_some() { "a given point" } else { "the point of the domain nearest to 0" };
    facts.add("start", start);
    facts.add("version", env!("CARGO_PKG_VERSION"));
    facts.end()
}

/// The rows with their values, multipliers and states.
pub(super) fn rows(ranking: &Ranking) -> String {
    let sizes = ranking.rows.iter().filter(|row| !row.is_pinned).map(|row| row.multiplier.abs());
    let largest = sizes.filter(|l| l.is_finite()).fold(0.0, f64::max);
    let mut table = String::from(
        "<table class=\"rows\"><thead><tr><th>row</th><th>what it is</th><th class=\"number\">value at x</th>\
         <th class=\"number\">multiplier</th><th class=\"bar\"></th><th>state</th></tr></thead><tbody>",
    );
    for row in &ranking.rows {
        table.push_str(&line(row, largest));
    }
    table + "</tbody></table>"
}

fn line(row: &Row, largest: f64) -> String {
    let share = if row.is_pinned || largest == 0.0 { 0.0 } else { 100.0 * row.multiplier.abs() / largest };
    let share = if share.is_finite() { share } else { 0.0 };
    format!(
        "<tr class=\"{class}\"><td>{name}</td><td>{role}</td><td class=\"number\">{value}</td><td class=\"number\">{multiplier}</td>\
         <td class=\"bar\"><i style=\"width:{share:.1}%\"></i></td><td><span class=\"state\">{state}</span></td></tr>",
        class = row.state.class(),
        name = text(&row.name),
        role = text(&row.role),
        value = number(row.value, 6),
        multiplier = number(row.multiplier, 6),
        state = row.state.word(),
    )
}

#[cfg(test)]
mod tests {
    use super::{number, time};

    #[test]
    fn numbers_are_plain_where_that_is_short() {
        let shown = [0.0, -1.5, 0.061_530_587, 1234.5, 123_456.0, 1e6, -8.8e-7, 0.001].map(|v| number(v, 3));
        assert_eq!(shown, ["0", "−1.5", "0.06153", "1234", "123456", "1.000e+06", "−8.800e−07", "0.001"]);
        assert_eq!([0.000_25, 0.012_34, 61.0].map(time), ["0.25 ms", "12.3 ms", "61.00 s"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(|v| number(v, 3)), ["none", "none"]);
    }
}
