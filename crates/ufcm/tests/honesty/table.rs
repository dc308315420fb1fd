//! What came out, family by family.

use crate::check::Outcome;

fn median(counts: &mut [usize]) -> usize {
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or(0)
}

pub fn print_head() {
    println!(
        "{:26} {:>11} {:>5} {:>9}  {:>16}  {:>6} {:>7}  {:>7} {:>9}",
        "family", "reached", "known", "bracketed", "gradients: median", "90 %", "max", "Newton", "slowest/s"
    );
}

/// One line: how many reached what was expected, have bounds on both sides, at what cost; Newton steps are per gradient.
pub fn print_family(family: &str, outcomes: &[&Outcome]) {
    let mut gradients: Vec<usize> =
        outcomes.iter().filter(|o| o.reached).map(|o| o.report.counts.gradients).collect();
    let median = median(&mut gradients);
    let high = gradients.get(gradients.len() * 9 / 10).copied().unwrap_or(0);
    let slowest = outcomes.iter().map(|o| o.seconds).fold(0.0, f64::max);
    println!(
        "{family:26} {:4} of {:4} {:5} {:9}  {median:16}  {high:7} {:7}  {:7.2} {slowest:9.2}",
        gradients.len(),
        outcomes.len(),
        outcomes.iter().filter(|o| o.known).count(),
        outcomes
            .iter()
            .filter(|o| o.report.lower_bound.is_finite() && o.report.upper_bound.is_finite())
            .count(),
        gradients.last().copied().unwrap_or(0),
        newton_steps_per_gradient(outcomes),
    );
}

/// How many runs ended with each status.
pub fn print_statuses(outcomes: &[Outcome]) {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    outcomes.iter().for_each(|o| *counts.entry(o.report.status.to_string()).or_default() += 1);
    let counts: Vec<String> = counts.into_iter().map(|(status, count)| format!("{count} {status}")).collect();
    println!("statuses: {}", counts.join(", "));
}

pub fn newton_steps_per_gradient(outcomes: &[&Outcome]) -> f64 {
    let newton: usize = outcomes.iter().map(|o| o.report.counts.newton_steps).sum();
    let gradients: usize = outcomes.iter().map(|o| o.report.counts.gradients).sum();
    newton as f64 / gradients.max(1) as f64
}

pub fn print_unreached(outcome: &Outcome) {
    let (r, meaning) = (&outcome.report, outcome.report.meaning());
    println!(
        "    {} ({}, n = {}) not {}: {} after {} gradients, gap {:.1e}, violation {:.1e}, {:.2} s: {meaning}",
        outcome.key,
        outcome.family,
        outcome.size,
        outcome.expected,
        r.status,
        r.counts.gradients,
        r.gap(),
        r.violation,
        outcome.seconds,
    );
}
