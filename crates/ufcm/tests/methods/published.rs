//! The published method by `Settings::method`: certified by itself, within its promise and the user's limits.

use crate::random;

use random::Random;
use std::sync::Arc;
use ufcm::component::{Linear, Logistic, Poisson, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds};
use ufcm::report::{Control, Report, Status};
use ufcm::settings::{MethodRule, Settings};

const METHODS: [MethodRule; 2] = [MethodRule::Ufcm, MethodRule::Restarted];

/// Two active constraints under a flat objective.
fn qcqp() -> Problem {
    let round = |scales: [f64; 3]| Quadratic::diagonal(scales.to_vec()).unwrap();
    Problem::minimise(Linear::new(vec![-2.0, -1.0, 0.5], 0.0).unwrap())
        .subject_to(round([1.0, 1.0, 1.0]).at_most(0.5))
        .subject_to(round([4.0, 0.5, 1.0]).at_most(0.8))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap()
}

/// A class that overlaps with the other, with an intercept.
fn class(label: f64) -> Logistic {
    let (rows, n) = (40, 3);
    let mut values = Random::new(if label > 0.0 { 7 } else { 8 }).vector(rows * n, 1.0);
    values.iter_mut().step_by(n).for_each(|v| *v += 0.3 * label);
    values.iter_mut().skip(n - 1).step_by(n).for_each(|v| *v = 1.0);
    Logistic::new(Matrix::row_major(rows, n, values).unwrap(), &vec![label; rows]).unwrap()
}

/// Neyman-Pearson classification: the loss on one class, with that on the other held to half of what a classifier loses
/// that knows nothing.
fn neyman_pearson() -> Problem {
    let at_start = Problem::minimise(class(1.0)).build().unwrap().value(&[0.0; 3]).unwrap();
    Problem::minimise(class(-1.0))
        .subject_to(class(1.0).at_most(0.5 * at_start))
        .within(Ball::new(5.0))
        .build()
        .unwrap()
}

fn settings(method: MethodRule) -> Settings {
    Settings { method, eps_rel: 1e-3, eps_feas: 1e-3, ..Settings::default() }
}

fn solve(problem: &Problem, settings: &Settings) -> Report {
    problem.solve(settings).unwrap()
}

#[test]
fn both_methods_certify_what_the_default_finds() {
    for (name, problem) in [("QCQP", qcqp()), ("Neyman-Pearson", neyman_pearson())] {
        let default = solve(&problem, &Settings::default());
        assert_eq!(default.status, Status::Certified, "{name}");
        assert!(default.multipliers[1..].iter().any(|l| *l > 1e-2), "{name}: no constraint is active");
        for method in METHODS {
            let settings = settings(method);
            let report = solve(&problem, &settings);
            let prelude = report.prelude.unwrap();
            let promised = prelude.promised.unwrap();
            assert_eq!(report.status, Status::Certified, "{name}, {method:?}: {report:?}");
            // A point may gain lambda times what it violates.
            let dual = default.multipliers[1..].iter().map(|l| l * l).sum::<f64>().sqrt();
            let room = 1e-3 * default.objective.abs().max(1.0) + dual * report.violation + 1e-5;
            assert!((report.objective - default.objective).abs() <= room, "{name}, {method:?}");
            assert!(report.violation <= settings.eps_feas);
            assert!(report.lower_bound <= default.upper_bound.min(default.objective + 1e-5));
            report.certificate.unwrap().verify(&problem).unwrap();
            // The counts are those of the method alone: it evaluates nothing of the solve before.
            assert_eq!(report.counts.gradients, report.counts.steps);
            assert!(report.counts.gradients <= promised && report.counts.hessians == 0);
            assert!(prelude.counts.gradients > 0 && prelude.seconds <= report.seconds);
            assert_eq!(report.history.last().unwrap().counts.gradients, report.counts.gradients);
            assert_eq!(report.counts.restarts > 0, method == MethodRule::Restarted);
        }
    }
}

#[test]
fn limits_hold_for_the_method_itself() {
    let problem = qcqp();
    for method in METHODS {
        let few = solve(&problem, &Settings { max_gradients: Some(3), ..settings(method) });
        assert_eq!((few.status, few.counts.gradients), (Status::IterationLimit, 3));
        assert!(few.prelude.unwrap().counts.gradients > 3, "finding the constants is not limited");
        let late = solve(&problem, &Settings { time_limit: Some(1e-9), ..settings(method) });
        let prelude = late.prelude.unwrap();
        assert_eq!((late.status, late.counts.gradients, prelude.promised), (Status::TimeLimit, 0, None));
        assert_eq!(late.lower_bound, f64::NEG_INFINITY, "what the default method proves is not the method's");
    }
}

#[test]
fn without_a_bounded_domain_the_promise_is_the_limit() {
    let problem = Problem::minimise(class(1.0)).plus(Term::sum(vec![Arc::new(class(-1.0))])).build().unwrap();
    for method in METHODS {
        let report = solve(&problem, &settings(method));
        assert_eq!(
            report.status,
            Status::IterationLimit,
            "nothing bounds the optimum from below: {report:?}"
        );
        assert_eq!(Some(report.counts.gradients), report.prelude.unwrap().promised);
        let known = solve(&problem, &Settings { radius: Some(10.0), ..settings(method) });
        assert_eq!(known.status, Status::Certified, "{known:?}");
    }
}

#[test]
fn a_start_at_the_solution_and_other_composers() {
    let problem = qcqp();
    let solution = solve(&problem, &Settings::default());
    let row = |s: f64| -> Arc<dyn Component> {
        Arc::new(Quadratic::diagonal(vec![s, 1.0]).unwrap().with_linear(vec![s - 1.5, 0.3]).unwrap())
    };
    let rows = vec![row(1.0), row(2.0)];
    let max = Problem::over(2).plus(Term::max(rows)).within(Ball::new(3.0)).build().unwrap();
    for method in METHODS {
        let (x0, multipliers0) = (Some(solution.x.clone()), Some(solution.multipliers.clone()));
        let near = solve(&problem, &Settings { x0: x0.clone(), multipliers0, ..settings(method) });
        assert_eq!(near.status, Status::Certified, "{near:?}");
        let half = solve(&problem, &Settings { x0, ..settings(method) });
        assert!(half.counts.gradients <= half.prelude.unwrap().promised.unwrap(), "{half:?}");
        let report = solve(&max, &settings(method));
        let best = solve(&max, &Settings::default()).objective;
        assert_eq!(report.status, Status::Certified, "{report:?}");
        assert!((report.objective - best).abs() <= 2e-3, "{} and {best}", report.objective);
    }
}

#[test]
fn observers_can_tell_the_prelude_and_stop_it() {
    let problem = qcqp();
    let settings = settings(MethodRule::Ufcm);
    let (mut before, mut own) = (0, 0);
    let report = problem.solve_observed(&settings, &mut |now| {
        assert!(now.prelude || now.record.counts.hessians == 0);
        *(if now.prelude { &mut before } else { &mut own }) += 1;
        Control::Continue
    });
    let report = report.unwrap();
    assert_eq!((before, own), (report.prelude.unwrap().counts.steps, report.counts.steps));
    let report = problem.solve_observed(&settings, &mut |_| Control::Stop).unwrap();
    assert_eq!((report.status, report.counts.gradients), (Status::Interrupted, 0));
    assert_eq!(report.prelude.unwrap().promised, None);
}

#[test]
fn what_it_cannot_take_is_refused_with_the_reason() {
    let data = Matrix::row_major(2, 1, vec![1.0, -0.5]).unwrap();
    let poisson = Problem::minimise(Poisson::new(data, vec![3.0, 1.0]).unwrap());
    let bounded = || Bounds::new(-1.0, 1.0).unwrap();
    let affine = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap()).within(bounded());
    let disc = || Quadratic::diagonal(vec![2.0]).unwrap();
    let infeasible = Problem::minimise(disc()).subject_to(disc().at_most(-1.0)).within(bounded());
    let refused = [
        (poisson.within(bounded()), "has no Hölder smoothness that holds everywhere"),
        (affine, "all rows are affine: L_ADA is 0"),
        (infeasible, "its constants speak of a solution, and the default method found none: Infeasible"),
    ];
    for (problem, why) in refused {
        let problem = problem.build().unwrap();
        for method in METHODS {
            let message = problem.solve(&settings(method)).unwrap_err().to_string();
            assert!(message.starts_with("the published method: ") && message.contains(why), "{message}");
        }
    }
}

/// Every method has a name, and every name gets a report with bounds that hold.
#[test]
fn every_method_runs_by_its_name_and_proves_nothing_false() {
    let problem = neyman_pearson();
    let optimum = solve(&problem, &Settings::default());
    for &method in MethodRule::ALL {
        let asked = Settings { max_gradients: Some(3000), ..settings(method) };
        match method {
            MethodRule::PrimalDual | MethodRule::Ufgm | MethodRule::WorkingSet => {
                let message = problem.solve(&asked).unwrap_err().to_string();
                assert!(message.contains("sum"), "{method:?} does not take this: {message}");
                continue;
            }
            _ => {}
        }
        let report = solve(&problem, &asked);
        let stopped = matches!(report.status, Status::IterationLimit | Status::Certified | Status::Solved);
        assert!(stopped, "{method:?}: {}, {:?}", report.status, report.trouble);
        assert!(report.counts.gradients <= 3000 && report.counts.gradients > 0, "{method:?}");
        assert!(report.lower_bound <= optimum.upper_bound, "{method:?}: {}", report.lower_bound);
        assert!(
            report.history.windows(2).all(|pair| pair[0].lower_bound <= pair[1].lower_bound),
            "{method:?}"
        );
        // Switching subgradients have no multipliers: their bound is that of the objective alone.
        let can_prove = method != MethodRule::Switching;
        let certified = report.status == Status::Certified;
        assert_eq!(certified, can_prove, "{method:?} to 1e-3: gap {}", report.gap_rel());
    }
}
