//! A trial: one problem or a pair, with everything that is wrong.

use crate::check::{self, Class, Fault, Run};
use crate::family::{Case, Key, Trial};

pub struct Outcome {
    pub key: Key,
    pub faults: Vec<(Fault, String)>,
    /// The statuses of the runs.
    pub statuses: Vec<String>,
    pub seconds: f64,
    /// Whether the truth of the first problem is known.
    pub known: bool,
    /// Where infeasibility was planted: the margin, and whether it was proven.
    pub planted: Vec<(f64, bool)>,
    /// The kind of the problem, within its family.
    pub kind: &'static str,
    /// What the problem is, in a few words.
    pub told: String,
}

pub fn run(key: Key) -> Outcome {
    run_trial(key, &key.trial())
}

pub fn run_trial(key: Key, trial: &Trial) -> Outcome {
    match trial {
        Trial::Single(case) => outcome(key, &[case], Vec::new()),
        Trial::Twins(cases) => outcome(key, &[&cases[0], &cases[1]], Vec::new()),
    }
}

fn outcome(key: Key, cases: &[&Case], mut faults: Vec<(Fault, String)>) -> Outcome {
    let mut runs: Vec<Run> = cases.iter().map(|case| check::run(case)).collect();
    let several = runs.len() > 1;
    for (k, run) in runs.iter_mut().enumerate() {
        let place = |text: String| if several { format!("[{}] {text}", k + 1) } else { text };
        faults.extend(run.faults.drain(..).map(|(fault, text)| (fault, place(text))));
    }
    if let ([one, two], [first, second]) = (cases, &runs[..]) {
        let answered = [first, second].iter().all(|run| run.class != Class::Other);
        let fault = if answered { Fault::Twins } else { Fault::GaveUp };
        faults.extend(difference((one, first), (two, second)).map(|text| (fault, text)));
    }
    let planted = |(case, run): (&&Case, &Run)| case.margin.map(|m| (m, run.class == Class::Infeasible));
    Outcome {
        key,
        faults,
        statuses: runs.iter().map(|run| run.status.clone()).collect(),
        seconds: runs.iter().map(|run| run.seconds).sum(),
        known: cases[0].reference != crate::family::Reference::Unknown,
        planted: cases.iter().zip(&runs).filter_map(planted).collect(),
        kind: cases[0].instance.family,
        told: cases.iter().map(|case| describe(case)).collect::<Vec<_>>().join(" / "),
    }
}

/// How two forms of one problem are answered differently, if they are.
fn difference((one, first): (&Case, &Run), (two, second): (&Case, &Run)) -> Option<String> {
    // Infeasible by less than eps_feas in one form: there a point within the tolerance is an answer.
    let within = |run: &Run| run.report.as_ref().is_some_and(|r| r.violation <= 1e-6);
    let nearly = one.reference == crate::family::Reference::Infeasible
        && [(first, second), (second, first)]
            .iter()
            .any(|(a, b)| a.class == Class::Infeasible && b.class == Class::Success && within(b));
    if nearly {
        return None;
    }
    if first.class != second.class {
        return Some(format!("{} and {}", first.status, second.status));
    }
    if first.class != Class::Success {
        return None;
    }
    let value = |case: &Case, run: &Run| run.report.as_ref().map_or(f64::NAN, |r| r.objective / case.scale);
    let (p, q) = (value(one, first), value(two, second));
    let off = (p - q).abs() / p.abs().max(1.0);
    let differ = off.is_nan() || off > 1e-5;
    differ.then(|| format!("objectives {p:e} and {q:e} in the same units"))
}

fn describe(case: &Case) -> String {
    let instance = &case.instance;
    let name = |text: String| text.split([' ', '(', '{']).next().unwrap_or("").to_string();
    let blocks: Vec<String> = instance.blocks.iter().map(|b| name(format!("{:?}", b.composer))).collect();
    let domain = &instance.domain;
    format!(
        "{}, n = {}, {} over [{}], {} in {}; {}",
        instance.family,
        instance.dimension(),
        name(format!("{:?}", instance.objective.curve)),
        blocks.join(" "),
        name(format!("{:?}", domain.penalty)),
        name(format!("{:?}", domain.set)),
        case.told,
    )
}
