//! The answer, before how it was found: constraints with their bounds, what is active, classifiers, the largest variables.

use super::escape::text;
use super::tables::number;
use crate::answer::{Answer, Held, short};
use crate::number::{counted, is_told, not_zero};
use crate::record::RunRecord;
use std::fmt::Write;

/// Variables shown at most.
const VARIABLES: usize = 12;
/// Rows of each table at most.
const SHOWN: usize = 20;

/// The section, empty where there is no point to speak of.
pub(super) fn section(record: &RunRecord) -> String {
    let Some(answer) = &record.answer else { return String::new() };
    let sense = record.description.sense;
    let ranked = answer.ranked();
    let mut section = String::from("<section id=\"answer\"><div class=\"stack\">");
    if !ranked.is_empty() {
        let sentences: String = ranked
            .iter()
            .filter_map(|held| held.sentence(sense))
            .take(SHOWN)
            .map(|sentence| format!("<li>{}</li>", text(&marked(&sentence))))
            .collect();
        let list = if sentences.is_empty() { String::new() } else { format!("<ul>{sentences}</ul>") };
        let _ = write!(
            section,
            "<div class=\"card\"><h2>Constraints</h2><div class=\"wide\">{}</div>{}{list}</div>",
            constraints(&ranked),
            more(ranked.len())
        );
    }
    if !answer.classifiers.is_empty() {
        let _ = write!(
            section,
            "<div class=\"card\"><h2>Classifiers</h2><div class=\"wide\">{}</div>{}</div>",
            classifiers(answer),
            more(answer.classifiers.len())
        );
    }
    let _ = write!(section, "</div><div class=\"card\"><h2>Solution</h2>{}</div>", variables(answer));
    section + "</section>\n"
}

/// The sentence with its first letter large, and a full stop.
fn marked(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

fn more(all: usize) -> String {
    match all > SHOWN {
        true => format!("<p class=\"hint\">The {SHOWN} that matter most of {all} are shown.</p>"),
        false => String::new(),
    }
}

fn constraints(ranked: &[&Held]) -> String {
    let mut table = String::from(
        "<table class=\"rows\"><thead><tr><th>name</th><th class=\"number\">value</th><th>bound</th><th class=\"number\">slack</th>\
         <th class=\"number\">multiplier</th><th>state</th></tr></thead><tbody>",
    );
    let is_worth = is_told(ranked.iter().map(|held| held.multiplier));
    for held in ranked.iter().take(SHOWN) {
        // What rounding leaves of a slack is nothing.
        let slack =
            if held.at_bound { "0".to_owned() } else { held.slack().map_or("–".into(), |s| number(s, 3)) };
        let (class, state) = match (held.violated, held.active) {
            (true, _) => ("violated", "violated"),
            (false, true) => ("active", "active"),
            (false, false) => ("inactive", "inactive"),
        };
        let multiplier = if held.active || is_worth(held.multiplier) { held.multiplier } else { 0.0 };
        let _ = write!(
            table,
            "<tr class=\"{class}\"><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{slack}</td>\
             <td class=\"number\">{}</td><td><span class=\"state\">{state}</span></td></tr>",
            text(&held.name),
            number(held.value, 5),
            text(&held.bound().replace("<=", "≤").replace(">=", "≥")),
            number(multiplier, 4)
        );
    }
    table + "</tbody></table>"
}

fn classifiers(answer: &Answer) -> String {
    let mut table = String::from(
        "<table class=\"rows\"><thead><tr><th>name</th><th class=\"number\">loss</th><th class=\"number\">error</th>\
         <th class=\"number\">samples</th><th class=\"number\">positives found</th><th class=\"number\">false alarms</th></tr></thead><tbody>",
    );
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    for one in answer.classifiers.iter().take(SHOWN) {
        let rates = one.rates;
        let _ = write!(
            table,
            "<tr><td>{}</td><td class=\"number\">{}</td>",
            text(&one.name),
            number(one.loss, 5)
        );
        let samples = (rates.positives + rates.negatives).to_string();
        let shares = [rates.true_positive_rate(), rates.false_positive_rate()].map(percent);
        for cell in [percent(rates.error()), samples].into_iter().chain(shares) {
            let _ = write!(table, "<td class=\"number\">{cell}</td>");
        }
        table.push_str("</tr>");
    }
    table + "</tbody></table>"
}

/// What it costs that variables are at their bounds, the most first.
fn reduced_costs(answer: &Answer) -> String {
    let costs = || answer.at_bounds.iter().filter(|at| at.reduced_cost.is_finite() && at.reduced_cost != 0.0);
    if costs().next().is_none() {
        return String::new();
    }
    let mut table = String::from(
        "<div class=\"wide\"><table class=\"rows few\"><thead><tr><th>at bound</th><th>bound</th><th class=\"number\">reduced cost</th></tr></thead><tbody>",
    );
    for at in costs().take(VARIABLES) {
        let sign = if at.is_lower { "≥" } else { "≤" };
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{sign} {}</td><td class=\"number\">{}</td></tr>",
            text(&at.name),
            short(at.bound),
            number(at.reduced_cost, 3)
        );
    }
    table + "</tbody></table></div>"
}

fn variables(answer: &Answer) -> String {
    let all = answer.variables.len();
    let values = answer.variables.iter().map(|(_, value)| *value);
    let (is_told, largest) = (is_told(values.clone()), answer.largest());
    let mut table = format!(
        "<p class=\"hint\">{}, {}{}</p><table class=\"facts\">",
        counted(all, "variable"),
        not_zero(values.clone()),
        match values.filter(|value| is_told(*value)).count() {
            0 => ".",
            told if told <= VARIABLES => ":",
            _ => "; the largest:",
        }
    );
    for (name, value) in largest.iter().filter(|(_, value)| is_told(*value)).take(VARIABLES) {
        let _ = write!(table, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", text(name), number(*value, 6));
    }
    table.push_str("</table>");
    if !answer.at_bounds.is_empty() {
        let lower = answer.at_bounds.iter().filter(|at| at.is_lower).count();
        let upper = answer.at_bounds.len() - lower;
        let _ = write!(
            table,
            "<p class=\"hint\">{lower} of {all} variables at their lower bound, {upper} at their upper one.</p>{}",
            reduced_costs(answer)
        );
    }
    table
}
