//! Functions that are not convex or whose gradients are wrong must not be called solved; right ones must be.
//!
//! Some 700 runs by default; ten times as many with
//!
//! ```text
//! UFCM_LONG=1 cargo test --release -p ufcm --test faulty -- --nocapture
//! ```

mod functions;
#[path = "../common/random.rs"]
mod random;

use functions::{FAULTS, RIGHT, faulty, right};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use ufcm::certificate::Certificate;
use ufcm::component::Linear;
use ufcm::oracle::{Component, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Ball, Bounds, Zero};
use ufcm::report::Report;
use ufcm::settings::Settings;

fn rounds() -> u64 {
    if std::env::var_os("UFCM_LONG").is_some() { 40 } else { 4 }
}

/// Factors of the objective and of the variables.
const SCALES: [(f64, f64); 6] = [(1.0, 1.0), (1e9, 1.0), (1e-9, 1.0), (1.0, 1e9), (1.0, 1e-9), (1e9, 1e9)];

fn domain(which: u64, size: f64) -> Box<dyn Regulariser> {
    match which % 3 {
        0 => Box::new(Bounds::new(-5.0 * size, 5.0 * size).unwrap()),
        1 => Box::new(Ball::new(5.0 * size)),
        _ => Box::new(Bounds::new(-size, 4.0 * size).unwrap()),
    }
}

fn settings(x0: Vec<f64>) -> Settings {
    Settings { x0: Some(x0), max_gradients: Some(300), ..Settings::default() }
}

/// Whether a point of X is plainly better than the run's answer.
fn is_wrong(problem: &Problem, report: &Report, random: &mut Random) -> bool {
    let n = problem.dimension();
    let room = 1e-4 * report.objective.abs().max(1.0);
    (0..4000).any(|k| {
        let size = [8.0, 5.0, 2.0, 0.5][k % 4];
        let mut x = random.vector(n, size);
        if k % 3 == 0 {
            x.iter_mut().zip(&report.x).for_each(|(x, answer)| *x = answer + 0.1 * *x);
        }
        let inside = problem.regulariser().prox(Weight::scalar(1e9), &mut x).is_ok();
        inside && problem.value(&x).is_ok_and(|value| value < report.objective - room)
    })
}

/// What came of the runs of a kind.
#[derive(Default)]
struct Tally {
    runs: usize,
    successes: usize,
    wrong: usize,
    evaluations: usize,
}

impl Tally {
    fn take(&mut self, problem: &Problem, report: &Report, random: &mut Random) {
        self.runs += 1;
        self.evaluations += report.counts.audit_gradients;
        if report.status.is_success() {
            self.successes += 1;
            let idle = |certificate: &Certificate| {
                certificate.witnesses.iter().all(|witness| witness.multipliers.last() == Some(&0.0))
            };
            // A proof that leaves the faulty constraint out, which is the last row, does not rest on it.
            let left_out = problem.rows() > 1 && report.certificate.as_ref().is_some_and(idle);
            let bare = report.premise().contains("no premise");
            assert!(!bare || left_out, "{}", report.premise());
            self.wrong += usize::from(is_wrong(problem, report, random));
        }
    }

    fn print(&self, name: &str) {
        let Self { runs, successes, wrong, evaluations } = self;
        let each = *evaluations as f64 / (*runs).max(1) as f64;
        println!(
            "{name:35} {runs:5} runs, {successes:4} called a success, {wrong:4} of them wrong; {each:.1} evaluations of an audit"
        );
    }
}

/// Runs every fault from several starts, in the problem that `make` makes of it.
fn tally(seed: u64, make: impl Fn(Box<dyn Component>, u64, &mut Random) -> Problem) -> Tally {
    let mut all = Tally::default();
    for (kind, name) in FAULTS.iter().enumerate() {
        let mut tally = Tally::default();
        for round in 0..rounds() {
            for n in [1, 2, 5, 20] {
                let mut random = Random::new(seed + 1000 * kind as u64 + 10 * round + n as u64);
                let oracle = faulty(kind, n, &mut random);
                let problem = make(oracle, round, &mut random);
                let x0 = if round % 4 == 0 { vec![0.0; n] } else { random.vector(n, 4.0) };
                let audit = std::env::var_os("UFCM_NO_AUDIT").is_none();
                let settings = Settings { audit, ..settings(x0) };
                // What fails at the start is an error, and no success.
                if let Ok(report) = problem.solve(&settings) {
                    tally.take(&problem, &report, &mut random);
                }
            }
        }
        tally.print(name);
        all.runs += tally.runs;
        all.successes += tally.successes;
        all.wrong += tally.wrong;
        all.evaluations += tally.evaluations;
    }
    all.print("all");
    all
}

#[test]
fn faulty_objectives_are_not_called_a_success() {
    let all =
        tally(0, |oracle, round, _| Problem::minimise(oracle).within(domain(round, 1.0)).build().unwrap());
    assert!(100 * all.wrong <= all.runs, "{} of {} runs", all.wrong, all.runs);
}

#[test]
fn faulty_constraints_are_not_called_a_success() {
    let all = tally(500_000, |oracle, round, random| {
        let n = oracle.dimension();
        let direction = Linear::new(random.vector(n, 1.0), 0.0).unwrap();
        // The mean of a few values is a level that some points keep and others do not.
        let level = (0..8).map(|_| oracle.evaluate(&random.vector(n, 3.0), None).unwrap()).sum::<f64>() / 8.0;
        let builder = Problem::minimise(direction).subject_to(oracle.at_most(level));
        builder.within(domain(round, 1.0)).build().unwrap()
    });
    assert!(100 * all.wrong <= all.runs, "{} of {} runs", all.wrong, all.runs);
}

#[test]
fn right_functions_raise_no_alarm() {
    let (mut runs, mut certified, mut alarms) = (0, 0, Vec::new());
    for (kind, name) in RIGHT.into_iter().enumerate() {
        for round in 0..rounds() {
            for n in [1, 2, 5, 20] {
                for (scale, unit) in SCALES {
                    // Noise beyond the accuracy that is asked for is a fault.
                    if name.starts_with("noise") && scale > 1.0 {
                        continue;
                    }
                    // In the short run odd scales get one round.
                    if round > 0 && rounds() < 10 && (scale, unit) != (1.0, 1.0) {
                        continue;
                    }
                    let mut random = Random::new(1000 * kind as u64 + 10 * round + n as u64);
                    let oracle = right(kind, n, scale, unit, &mut random);
                    let within: Box<dyn Regulariser> = if round % 4 == 3 && name != "barrier" {
                        Box::new(Zero)
                    } else {
                        domain(round, unit)
                    };
                    let problem = Problem::minimise(oracle).within(within).build().unwrap();
                    let x0: Vec<f64> = random.vector(n, 3.0).iter().map(|x| x * unit).collect();
                    // A run that ends in another way is for other tests.
                    let run = || problem.solve(&settings(x0));
                    let Ok(Ok(report)) = catch_unwind(AssertUnwindSafe(run)) else { continue };
                    runs += 1;
                    certified += usize::from(report.status.is_success());
                    let told = report.trouble.as_ref().map(ToString::to_string).unwrap_or_default();
                    if told.contains("audit found") {
                        alarms.push(format!(
                            "{} n {n} round {round} scale {scale:e} unit {unit:e}: {told}",
                            name
                        ));
                    }
                }
            }
        }
    }
    println!("{} alarms in {runs} runs, {certified} successes", alarms.len());
    alarms.iter().take(40).for_each(|alarm| println!("{alarm}"));
    assert!(alarms.is_empty(), "{} alarms", alarms.len());
}
