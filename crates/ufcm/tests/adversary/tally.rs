//! What came out, as one table.

use crate::check::Fault;
use crate::family::FAMILIES;
use crate::generate::families;
use crate::judge::Outcome;
use std::collections::BTreeMap;

const ROWS: [(Fault, &str); 11] = [
    (
        Fault::Certified,
        "`Certified` that is false: violation, gap, or objective off by more than 1e-5 of its size",
    ),
    (Fault::Solved, "`Solved` that is false, in the same way"),
    (Fault::Infeasible, "`Infeasible` of a feasible problem"),
    (Fault::Unbounded, "`Unbounded` of a bounded or infeasible problem"),
    (Fault::Bound, "bounds on the wrong side of the optimum"),
    (Fault::Point, "objective or violation reported that the point does not have"),
    (Fault::Proof, "certificates or proofs that the verifier refuses"),
    (Fault::Panic, "panics, and problems refused"),
    (Fault::Slow, "runs over 10 s with at most 50 variables"),
    (Fault::Twins, "pairs that are one problem in other units or order, answered differently"),
    (Fault::GaveUp, "... of which one was answered and the other not"),
];

fn has(outcome: &Outcome, fault: Fault) -> bool {
    outcome.faults.iter().any(|(kind, _)| *kind == fault)
}

pub fn print(outcomes: &[Outcome]) {
    let known = outcomes.iter().filter(|o| o.known).count();
    println!("\n| of {} problems | |\n|---|---|", outcomes.len());
    println!("| truth known: exactly, by construction, or from Clarabel in plain units | {known} |");
    for (fault, words) in ROWS {
        println!("| {words} | {} |", outcomes.iter().filter(|o| has(o, fault)).count());
    }
    let stopped = outcomes.iter().filter(|o| o.statuses.iter().any(|s| s == "TimeLimit")).count();
    println!("| stopped by the limit of 10 s, of any size | {stopped} |");
    print_unsolved(outcomes);
    print_proven(outcomes);
    print_statuses(outcomes);
    print_kinds(outcomes);
    let mut seconds: Vec<f64> = outcomes.iter().map(|o| o.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| seconds[((seconds.len() - 1) as f64 * share) as usize];
    let (middle, high, most) = (at(0.5), at(0.99), at(1.0));
    println!("| seconds: median, 99 of 100 at most, most | {middle:.4}, {high:.2}, {most:.1} |");
    let right = outcomes.iter().filter(|o| o.faults.is_empty());
    let (all, right): (f64, f64) = (seconds.iter().sum(), right.map(|o| o.seconds).sum());
    println!("| seconds of all runs, of those with nothing wrong | {all:.0}, {right:.0} |");
}

/// What Clarabel solves in the same units: by how the run ended, and by family.
fn print_unsolved(outcomes: &[Outcome]) {
    let mut ends = BTreeMap::<&str, usize>::new();
    let mut families = BTreeMap::<&str, usize>::new();
    for outcome in outcomes.iter().filter(|o| has(o, Fault::NotSolved)) {
        *families.entry(outcome.key.family).or_default() += 1;
        let told = outcome.faults.iter().find(|(fault, _)| *fault == Fault::NotSolved);
        let mut words = told.map_or("", |(_, text)| text).split(' ').filter(|word| !word.starts_with('['));
        *ends.entry(words.next().unwrap_or("")).or_default() += 1;
    }
    let list = |counts: BTreeMap<&str, usize>| {
        let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if parts.is_empty() { "-".into() } else { parts.join(", ") }
    };
    let total: usize = families.values().sum();
    println!("| not solved, although Clarabel does in the same units with its default settings | {total} |");
    println!("| ... by status | {} |", list(ends));
    println!("| ... by family | {} |", list(families));
}

fn print_proven(outcomes: &[Outcome]) {
    for decade in -8..=0 {
        let (low, high) = (10f64.powi(decade - 1), 10f64.powi(decade));
        let here = outcomes.iter().flat_map(|o| &o.planted).filter(|(m, _)| low < *m && *m <= high);
        let (count, proven) =
            here.fold((0, 0), |(count, proven), (_, p)| (count + 1, proven + usize::from(*p)));
        if count > 0 {
            let percent = 100.0 * f64::from(proven as u32) / f64::from(count as u32);
            println!("| planted infeasible by {low:.0e} to {high:.0e}: proven | {percent:.1} % of {count} |");
        }
    }
}

fn print_statuses(outcomes: &[Outcome]) {
    let mut counts = BTreeMap::<&str, usize>::new();
    outcomes.iter().flat_map(|o| &o.statuses).for_each(|s| *counts.entry(s).or_default() += 1);
    let counts: Vec<String> = counts.into_iter().map(|(status, count)| format!("{status} {count}")).collect();
    println!("| statuses of all runs | {} |", counts.join(", "));
    for (family, _) in FAMILIES {
        let of_family: Vec<&Outcome> = outcomes.iter().filter(|o| o.key.family == family).collect();
        let faulty = of_family.iter().filter(|o| !o.faults.is_empty()).count();
        println!("| {family}: with anything wrong, of | {faulty} of {} |", of_family.len());
    }
}

/// Of the kinds that the honesty suite knows: those with anything wrong.
fn print_kinds(outcomes: &[Outcome]) {
    let told = families().filter_map(|kind| {
        let of_kind = outcomes.iter().filter(|o| o.kind == kind);
        let faulty = of_kind.clone().filter(|o| !o.faults.is_empty()).count();
        (faulty > 0).then(|| format!("{kind} {faulty} of {}", of_kind.count()))
    });
    println!("| kinds of the honesty suite with anything wrong | {} |", told.collect::<Vec<_>>().join("; "));
}

/// Everything that is wrong, one line each, in groups; before it what took longest with nothing wrong.
pub fn print_faults(outcomes: &[Outcome]) {
    let mut slow: Vec<&Outcome> = outcomes.iter().filter(|o| o.faults.is_empty()).collect();
    slow.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for o in slow.iter().take(10).filter(|o| o.seconds > 1.0) {
        println!("nothing wrong in {:.1} s: {} ({}) [{}]", o.seconds, o.key, o.statuses.join(", "), o.told);
    }
    let mut lines: Vec<(Fault, String)> = outcomes
        .iter()
        .flat_map(|o| {
            let line = |(fault, text): &(Fault, String)| {
                (*fault, format!("{fault:?} {}: {text} ({}) [{}]", o.key, o.statuses.join(", "), o.told))
            };
            o.faults.iter().map(line).collect::<Vec<_>>()
        })
        .collect();
    print_unproven(outcomes);
    lines.sort();
    lines.iter().for_each(|(_, line)| println!("{line}"));
}

/// Infeasibility that was planted by more than eps_feas and not proven.
fn print_unproven(outcomes: &[Outcome]) {
    for o in outcomes {
        for (margin, _) in o.planted.iter().filter(|(margin, proven)| !proven && *margin > 1e-6) {
            println!("Unproven {}: margin {margin:.1e} ({}) [{}]", o.key, o.statuses.join(", "), o.told);
        }
    }
}
