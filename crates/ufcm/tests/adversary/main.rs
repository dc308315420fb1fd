//! Problems in bad units: rows and columns times 10^±6, objectives times 10^±9, tiny and huge boxes, nearly infeasible,
//! rank-deficient, rows nearly twice. No status may be false, whatever the units.
//!
//! Every problem has a truth that does not come from this solver: an optimum in exact arithmetic, one planted together with
//! the problem, or Clarabel's for the problem in plain units (`family/`). `check.rs` says what counts as false. Some 400
//! problems by default; 20 000 and a table with
//!
//! ```text
//! UFCM_LONG=1 cargo test --release --workspace --test adversary -- --nocapture
//! ```
//!
//! `UFCM_COUNT=2000` runs that many. `UFCM_ADVERSARY=lp:17` runs that one alone and prints everything about it,
//! `UFCM_ADVERSARY=lp:17,twin:3` those alone, with the table, or by every method (`forced.rs`); `UFCM_METHOD=adaptive` asks for a method.

mod check;
#[path = "../honesty/conic/mod.rs"]
mod conic;
#[path = "../honesty/describe/mod.rs"]
mod describe;
mod family;
mod forced;
#[path = "../honesty/generate/mod.rs"]
mod generate;
mod hush;
mod judge;
mod lp;
#[path = "../common/random.rs"]
mod random;
mod regressions;
mod scale;
#[path = "../honesty/solver_form.rs"]
mod solver_form;
mod tally;

use check::Fault;
use family::{Key, Trial};
use judge::Outcome;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

const SHORT: usize = 250;
const LONG: usize = 20_000;
/// The share of problems, in percent, that may end without an answer although there is one to be had.
const UNANSWERED: f64 = 8.0;

fn keys() -> Vec<Key> {
    let long = is_long();
    if let Some(asked) = asked() {
        return asked;
    }
    let asked = std::env::var("UFCM_COUNT").ok().map(|count| count.parse().unwrap());
    let mut keys = Key::first(asked.unwrap_or(if long { LONG } else { SHORT }));
    keys.extend(regressions::keys().filter(|key| !keys.contains(key)).collect::<Vec<_>>());
    // The large ones take as long as the limit on time lets them.
    keys.retain(|key| long || key.family != "large");
    keys
}

/// The problems that somebody wants to see.
fn asked() -> Option<Vec<Key>> {
    let asked = std::env::var("UFCM_ADVERSARY").ok()?;
    Some(asked.split(',').map(|key| key.parse().unwrap()).collect())
}

fn is_long() -> bool {
    std::env::var_os("UFCM_LONG").is_some()
}

/// Whether a fault is something false. How long a run takes is only looked at where nothing else runs.
fn is_false(fault: Fault) -> bool {
    match fault {
        Fault::NotSolved | Fault::GaveUp => false,
        Fault::Slow => is_long(),
        _ => true,
    }
}

/// Prints what there is to know of one problem.
fn show(key: Key) {
    let trial = key.trial();
    let cases = match &trial {
        Trial::Single(case) => std::slice::from_ref(&**case),
        Trial::Twins(cases) => &cases[..],
    };
    for case in cases {
        println!("{:#?}", case.instance);
        println!("units: {}; truth: {:?}; margin {:?}", case.told, case.reference, case.margin);
        let mut run = check::run(case);
        if let Some(report) = &mut run.report {
            println!("{}, {}", report.status, report.meaning());
            report.history.clear();
        }
        println!("{:#?}\nClarabel settles it: {}", run.report, check::clarabel_settles(case));
    }
    let outcome = judge::run_trial(key, &trial);
    println!("{}\n{:?} in {:.2} s", outcome.told, outcome.statuses, outcome.seconds);
    outcome.faults.iter().for_each(|(fault, text)| println!("{fault:?}: {text}"));
}

/// One after the other; two at a time where there are many. Plain threads take them in turn: a thread of a pool that waits
/// for the solver's own pool would begin the next problem on top of the one that it waits for.
fn run_all(keys: &[Key]) -> Vec<Outcome> {
    let (started, next, step) = (Instant::now(), AtomicUsize::new(0), (keys.len() / 40).max(500));
    let work = || {
        let mut outcomes = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(key) = keys.get(k) else { return outcomes };
            outcomes.push((k, judge::run(*key)));
            if (k + 1).is_multiple_of(step) {
                println!("{} of {} after {:.0} s", k + 1, keys.len(), started.elapsed().as_secs_f64());
            }
        }
    };
    let mut outcomes = thread::scope(|scope| {
        let helper = (keys.len() >= 100).then(|| scope.spawn(work));
        let mut outcomes = work();
        outcomes.extend(helper.into_iter().flat_map(|helper| helper.join().unwrap()));
        outcomes
    });
    outcomes.sort_by_key(|(k, _)| *k);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

#[test]
fn what_was_once_not_settled_is() {
    for key in regressions::settled() {
        let outcome = judge::run(key);
        assert!(outcome.faults.is_empty(), "{key}: {:?}", outcome.faults);
        let hopeless = |status: &String| status == "Infeasible" || status == "Unbounded";
        assert!(outcome.statuses.iter().all(hopeless), "{key}: {:?}", outcome.statuses);
    }
}

/// Chosen methods gave up on these, and another solves them from the start. Decision 0031.
#[test]
fn what_the_chosen_methods_give_up_another_solves() {
    for key in regressions::rescued() {
        let outcome = judge::run(key);
        assert!(outcome.faults.is_empty(), "{key}: {:?}", outcome.faults);
        let solved = |status: &String| status == "Certified" || status == "Solved";
        assert!(outcome.statuses.iter().all(solved), "{key}: {:?}", outcome.statuses);
    }
}

#[test]
fn no_status_is_false_in_any_units() {
    hush::keep_panics_quiet();
    if let Ok(key) = std::env::var("UFCM_ADVERSARY")
        && !key.contains(',')
    {
        return show(key.parse().unwrap());
    }
    let outcomes = run_all(&keys());
    hush::let_panics_speak();
    tally::print_faults(&outcomes);
    tally::print(&outcomes);
    let known = outcomes.iter().filter(|o| o.known).count();
    assert!(100 * known >= 90 * outcomes.len(), "the truth of {known} of {} is known", outcomes.len());
    let faulty = outcomes.iter().filter(|o| o.faults.iter().any(|(fault, _)| is_false(*fault))).count();
    assert_eq!(faulty, 0, "of {} problems have faults; UFCM_ADVERSARY=family:seed shows one", outcomes.len());
    let unanswered = outcomes.iter().filter(|o| !o.faults.is_empty()).count();
    let share = 100.0 * unanswered as f64 / outcomes.len() as f64;
    assert!(share <= UNANSWERED, "{share:.1} % were not answered");
}

#[test]
fn the_method_that_is_chosen_is_no_worse_than_the_best_by_name() {
    hush::keep_panics_quiet();
    let [worse, slow, contradictions] = forced::compare(&forced::keys(), 3.0);
    assert_eq!(contradictions, 0, "have two answers");
    assert_eq!(slow, 0, "take more than 3 times the operations of the best method by name");
    assert!(100 * worse <= 2 * forced::keys().len(), "{worse} end worse than by the best method by name");
}
