//! The answer on the screen: variables and constraints by name.

use crate::answer::{Answer, AtBound, Classifier, Held, short};
use crate::console::{Console, say};
use crate::number::{counted, is_told, not_zero, scientific};
use ufcm_io::Sense;

/// Variables, constraints and bounds shown at most.
const SHOWN: usize = 10;
/// The longest name that is shown whole.
const LONGEST: usize = 32;

pub(super) fn show(console: &mut Console, answer: &Answer, sense: Sense, prepared: &[String]) {
    constraints(console, answer, sense);
    classifiers(console, &answer.classifiers);
    at_bounds(console, &answer.at_bounds, answer.variables.len());
    variables(console, answer);
    let mut title = "data was";
    for line in prepared {
        say!(console, "{title:<12} {line}");
        title = "";
    }
}

/// How long the names in a column are.
fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count().min(LONGEST)).max().unwrap_or(0).max(10)
}

/// A name, cut where it is too long.
fn cut(name: &str) -> String {
    match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

fn constraints(console: &mut Console, answer: &Answer, sense: Sense) {
    let ranked = answer.ranked();
    if ranked.is_empty() {
        return;
    }
    let shown: Vec<&Held> = ranked.iter().take(SHOWN).copied().collect();
    let wide = width(shown.iter().map(|held| held.name.as_str()));
    let bounds = shown.iter().map(|held| held.bound().chars().count()).max().unwrap_or(0).max(8);
    say!(
        console,
        "constraint   {:<wide$}  {:>12}  {:<bounds$}  {:>10}  multiplier",
        "",
        "value",
        "bound",
        "slack"
    );
    let is_worth = is_told(ranked.iter().map(|held| held.multiplier));
    for held in &shown {
        let slack = match held.slack() {
            None => "-".to_owned(),
            // What is left by rounding is nothing.
            Some(_) if held.at_bound => "0".to_owned(),
            Some(slack) => scientific(slack, 2),
        };
        let (name, bound) = (cut(&held.name), held.bound());
        let multiplier = match held.multiplier != 0.0 && (held.active || is_worth(held.multiplier)) {
            true => scientific(held.multiplier, 3),
            false => "0".to_owned(),
        };
        let value = scientific(held.value, 5);
        say!(console, "             {name:<wide$}  {value:>12}  {bound:<bounds$}  {slack:>10}  {multiplier}");
    }
    if ranked.len() > SHOWN {
        let (more, active) = (ranked.len() - SHOWN, ranked.iter().filter(|held| held.active).count());
        say!(
            console,
            "             and {more} more; {active} of {} are active (--json has all)",
            ranked.len()
        );
    }
    let sentences = shown.iter().filter_map(|held| held.sentence(sense));
    let mut title = "which means";
    for sentence in sentences.take(SHOWN) {
        say!(console, "{title:<12} {sentence}");
        title = "";
    }
}

fn classifiers(console: &mut Console, classifiers: &[Classifier]) {
    if classifiers.is_empty() {
        return;
    }
    let shown = &classifiers[..classifiers.len().min(SHOWN)];
    let wide = width(shown.iter().map(|one| one.name.as_str()));
    let heads = ["loss", "error", "samples", "positives found", "false alarms"];
    let [loss, error, samples, found, alarms] = heads;
    say!(
        console,
        "classifier   {:<wide$}  {loss:>12}  {error:>7}  {samples:>9}  {found:>15}  {alarms:>12}",
        ""
    );
    let percent =
        |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    for one in shown {
        let (name, rates) = (cut(&one.name), one.rates);
        let (loss, samples) = (scientific(one.loss, 5), rates.positives + rates.negatives);
        let [error, found, alarms] =
            [rates.error(), rates.true_positive_rate(), rates.false_positive_rate()].map(percent);
        say!(
            console,
            "             {name:<wide$}  {loss:>12}  {error:>7}  {samples:>9}  {found:>15}  {alarms:>12}"
        );
    }
    if classifiers.len() > SHOWN {
        say!(console, "             and {} more (--json has all)", classifiers.len() - SHOWN);
    }
}

fn at_bounds(console: &mut Console, at_bounds: &[AtBound], variables: usize) {
    if at_bounds.is_empty() {
        return;
    }
    let lower = at_bounds.iter().filter(|at| at.is_lower).count();
    let upper = at_bounds.len() - lower;
    say!(
        console,
        "at bounds    {lower} of {variables} variables at their lower bound, {upper} at their upper one"
    );
    // At 0 of many is where sparse answers are; a bound that costs much is worth a line.
    let costs = || at_bounds.iter().filter(|at| at.reduced_cost.is_finite());
    for at in costs().take(SHOWN / 2) {
        let side = if at.is_lower { "lower" } else { "upper" };
        let cost = scientific(at.reduced_cost, 2);
        say!(
            console,
            "             {}: {side} bound {}, reduced cost {cost}",
            cut(&at.name),
            short(at.bound)
        );
    }
    if costs().count() > SHOWN / 2 {
        say!(
            console,
            "             and {} more with smaller ones (--json has all)",
            costs().count() - SHOWN / 2
        );
    }
}

fn variables(console: &mut Console, answer: &Answer) {
    let all = answer.variables.len();
    let values = answer.variables.iter().map(|(_, value)| *value);
    let (is_told, largest) = (is_told(values.clone()), answer.largest());
    let told = || largest.iter().filter(|(_, value)| is_told(*value));
    let shown: Vec<&&(String, f64)> = told().take(SHOWN).collect();
    let more = match (told().count(), shown.len()) {
        (0, _) => "",
        (all, some) if all > some => "; the largest (--solution writes all):",
        _ => ":",
    };
    say!(console, "x            {}, {}{more}", counted(all, "variable"), not_zero(values));
    let wide = width(shown.iter().map(|(name, _)| name.as_str()));
    for (name, value) in shown {
        say!(console, "             {:<wide$}  {:>13}", cut(name), scientific(*value, 5));
    }
}
