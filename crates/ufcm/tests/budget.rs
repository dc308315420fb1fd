//! A limit of time, or a raised flag, takes effect within one component evaluation plus 100 ms, however long a step takes.
//!
//! No test asserts how long work takes: what is asserted is how long a run goes on after it was to stop, beside the longest
//! evaluation of a component in the same run.

#[path = "common/random.rs"]
#[allow(dead_code, reason = "these tests need not every distribution")]
mod random;

use random::Random;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use ufcm::budget::Budget;
use ufcm::component::{Custom, Linear, Logistic, Quadratic};
use ufcm::composer::LogSumExp;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds};
use ufcm::report::{Control, Report, Status};
use ufcm::settings::{MetricRule, Settings};

/// What a run may take after it was to stop: 100 ms, and as much again for a machine that is shared by other tests.
const LATE: Duration = Duration::from_millis(200);

/// Attempts at a measurement: a machine that is shared may hold one up, hardly three.
const ATTEMPTS: usize = 3;

/// Whether one of a few attempts ends within what is allowed; the last says by how much it did not.
fn in_time(name: &str, mut attempt: impl FnMut() -> (Report, Duration, Duration)) -> Report {
    let mut late = Vec::new();
    for _ in 0..ATTEMPTS {
        let (report, took, allowed) = attempt();
        if took <= allowed {
            return report;
        }
        late.push((took, allowed));
    }
    panic!("{name}: late by (took, allowed) {late:?}");
}

/// Solves with a limit; how much later than the limit the run ended.
fn overrun(problem: &Problem, limit: f64) -> (Report, Duration) {
    let settings = Settings { time_limit: Some(limit), eps_rel: 1e-12, ..Settings::default() };
    let started = Instant::now();
    let report = problem.solve(&settings).unwrap();
    (report, started.elapsed().saturating_sub(Duration::from_secs_f64(limit)))
}

/// Solves and raises the flag from another thread; how much later the run ended.
fn overrun_of_flag(problem: &Problem, after: Duration) -> (Report, Duration) {
    let budget = Budget::unlimited();
    let flag = budget.stop_flag();
    let settings = Settings { eps_rel: 1e-12, ..Settings::default() };
    let (report, raised) = std::thread::scope(|scope| {
        let raiser = scope.spawn(move || {
            std::thread::sleep(after);
            flag.raise();
            Instant::now()
        });
        let report = problem.solve_within(&settings, &budget, &mut |_| Control::Continue).unwrap();
        (report, raiser.join().unwrap())
    });
    (report, raised.elapsed())
}

fn matrix(random: &mut Random, rows: usize, columns: usize) -> Matrix {
    Matrix::row_major(rows, columns, random.vector(rows * columns, 1.0)).unwrap()
}

/// A logistic loss whose Hessian takes seconds, and whose gradient takes a fraction of that.
fn tall() -> Problem {
    let mut random = Random::new(3);
    let labels: Vec<f64> = (0..12_000).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let loss = Logistic::new(matrix(&mut random, 12_000, 400), &labels).unwrap();
    let bound = Logistic::new(matrix(&mut random, 2_000, 400), &labels[..2_000]).unwrap();
    Problem::minimise(loss).subject_to(bound.at_most(0.6)).within(Ball::new(10.0)).build().unwrap()
}

/// A smoothed max of thousands of affine rows: one model step takes thousands of inner steps.
fn smoothed_max() -> Problem {
    let mut random = Random::new(4);
    let rows = Affine::new(matrix(&mut random, 6_000, 60), vec![0.5; 6_000]).unwrap();
    Problem::minimise(Quadratic::diagonal(vec![0.1; 60]).unwrap())
        .plus(Term::affine(LogSumExp::new(6_000, 0.01).unwrap(), rows))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap()
}

/// Thousands of affine constraints, of which hundreds are active together.
fn many_constraints() -> Problem {
    let mut random = Random::new(5);
    let (m, n) = (4_000, 500);
    let objective = Linear::new(random.vector(n, 1.0), 0.0).unwrap();
    let rows = Affine::new(matrix(&mut random, m, n), vec![1.0; m]).unwrap();
    Problem::minimise(objective)
        .subject_to(rows.at_most_zero())
        .within(Bounds::new(-100.0, 100.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn limits_take_effect_inside_long_steps() {
    for (name, problem) in [("tall", tall()), ("smoothed max", smoothed_max()), ("rows", many_constraints())]
    {
        let report = in_time(name, || {
            let (report, late) = overrun(&problem, 0.7);
            (report, late, LATE)
        });
        let stopped = report.status == Status::TimeLimit;
        assert!(stopped || report.status.is_success(), "{name}: {}", report.status);
        assert!(report.x.iter().all(|x| x.is_finite()), "{name}: the best point comes with it");
    }
}

#[test]
fn a_raised_flag_takes_effect_inside_long_steps() {
    for (name, problem) in [("smoothed max", smoothed_max()), ("rows", many_constraints())] {
        in_time(name, || {
            let (report, late) = overrun_of_flag(&problem, Duration::from_millis(300));
            (report, late, LATE)
        });
    }
}

/// Functions that sleep, and note how long they really took.
fn slow(count: usize, nap: Duration) -> (Problem, std::sync::Arc<Mutex<Duration>>) {
    let longest = std::sync::Arc::new(Mutex::new(Duration::ZERO));
    let function = |k: usize| {
        let longest = longest.clone();
        Custom::new(3, move |x, gradient| {
            let started = Instant::now();
            std::thread::sleep(nap);
            if let Some(gradient) = gradient {
                gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x - k as f64);
            }
            let mut longest = longest.lock().unwrap();
            *longest = started.elapsed().max(*longest);
            Ok(x.iter().map(|x| 0.5 * x * x - k as f64 * x).sum())
        })
        .unwrap()
    };
    let mut builder = Problem::minimise(function(0)).within(Bounds::new(-10.0, 10.0).unwrap());
    for k in 1..count {
        builder = builder.subject_to(function(k).at_most(1.0));
    }
    (builder.build().unwrap(), longest)
}

#[test]
fn slow_functions_are_stopped_between_two_of_them() {
    for limit in [0.05, 0.35, 1.0] {
        let report = in_time("slow functions", || {
            let (problem, longest) = slow(10, Duration::from_millis(50));
            let (report, late) = overrun(&problem, limit);
            let allowed = LATE + *longest.lock().unwrap();
            (report, late, allowed)
        });
        assert_eq!(report.status, Status::TimeLimit, "limit {limit}");
    }
}

#[test]
fn a_run_that_was_stopped_before_it_began_still_reports() {
    let (problem, _) = slow(2, Duration::ZERO);
    let budget = Budget::unlimited();
    budget.stop_flag().raise();
    let report = problem.solve_within(&Settings::default(), &budget, &mut |_| Control::Continue).unwrap();
    assert_eq!(report.status, Status::Interrupted);
    assert_eq!((report.x.len(), report.counts.gradients), (3, 0));
    assert!(report.certificate.is_none() && report.lower_bound == f64::NEG_INFINITY);
}

/// What sets a method up, such as a first Hessian, may be stopped too: that is an end, not an error.
#[test]
fn a_limit_within_the_set_up_of_a_method_is_reported() {
    let problem = tall();
    let settings = Settings { metric: MetricRule::Curvature, time_limit: Some(0.02), ..Settings::default() };
    let report = in_time("set-up", || {
        let started = Instant::now();
        let report =
            problem.solve_within(&settings, &Budget::unlimited(), &mut |_| Control::Continue).unwrap();
        (report, started.elapsed(), LATE + Duration::from_millis(200))
    });
    assert_eq!(report.status, Status::TimeLimit);
}

#[test]
fn gradients_never_exceed_their_limit() {
    let (problem, _) = slow(4, Duration::ZERO);
    for most in [1, 2, 3, 7] {
        let settings = Settings { max_gradients: Some(most), eps_rel: 1e-14, ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        assert!(report.counts.gradients <= most, "{} of {most}", report.counts.gradients);
    }
}
