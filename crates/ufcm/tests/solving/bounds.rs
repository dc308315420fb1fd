//! The proven lower bound of a run never falls, whichever method takes the steps. (tests/methods/primal_dual.rs: also where another
//! method goes on.)

use crate::random;

use random::Random;
use ufcm::budget::Budget;
use ufcm::component::{Logistic, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::baseline::{Followed, PrimalDualBacktracking, PrimalDualParameters};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::{Control, Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// Solves and checks the bounds of all steps.
fn followed(problem: &Problem, settings: &Settings) -> Report {
    let mut last = f64::NEG_INFINITY;
    let report = problem
        .solve_observed(settings, &mut |now| {
            // What finds the constants of a published method is a run of its own.
            if !now.prelude {
                assert!(now.record.lower_bound >= last, "{} after {last}", now.record.lower_bound);
                last = now.record.lower_bound;
            }
            Control::Continue
        })
        .unwrap();
    if report.status == Status::Certified {
        assert!(report.lower_bound >= last);
    }
    report
}

fn matrix(random: &mut Random, rows: usize, columns: usize) -> Matrix {
    Matrix::row_major(rows, columns, random.vector(rows * columns, 1.0)).unwrap()
}

fn constrained_classifier(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let labels: Vec<f64> = (0..60).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let loss = |random: &mut Random| Logistic::new(matrix(random, 60, 6), &labels).unwrap();
    let (objective, bound) = (loss(&mut random), loss(&mut random));
    Problem::minimise(objective)
        .subject_to(bound.at_most(0.68))
        .within(Bounds::new(-3.0, 3.0).unwrap())
        .build()
        .unwrap()
}

fn quadratic_program(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let n = 8;
    let objective = Quadratic::diagonal(random.positive(n, 0.1, 1.0)).unwrap();
    let rows = Affine::new(matrix(&mut random, 12, n), vec![0.3; 12]).unwrap();
    Problem::minimise(objective.with_linear(random.vector(n, 1.0)).unwrap())
        .subject_to(rows.at_most_zero())
        .within(Bounds::new(-4.0, 4.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn bounds_never_fall_in_any_method() {
    let all = [
        MethodRule::Auto,
        MethodRule::Adaptive,
        MethodRule::Sliding,
        MethodRule::Ufcm,
        MethodRule::Restarted,
    ];
    for seed in 0..4 {
        for method in all {
            let settings =
                Settings { method, max_gradients: Some(400), eps_rel: 1e-5, ..Settings::default() };
            followed(&constrained_classifier(seed), &settings);
        }
        let settings = Settings { method: MethodRule::PrimalDual, ..Settings::default() };
        assert_eq!(followed(&quadratic_program(seed), &settings).status, Status::Certified);
    }
}

#[test]
fn a_rival_is_followed_like_every_method() {
    let problem = quadratic_program(3);
    let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: Some(32) };
    let follow = |most: usize| {
        let settings = Settings { max_gradients: Some(most), ..Settings::default() };
        let mut steps = 0;
        let report = problem.solve_by(
            &settings,
            &Budget::unlimited(),
            &|problem, start| {
                let method = PrimalDualBacktracking::new(problem, &start.x, &start.multipliers, parameters)?;
                Ok(Box::new(Followed::new(problem, method)))
            },
            &mut |_| {
                steps += 1;
                Control::Continue
            },
        );
        (report.unwrap(), steps)
    };
    let (report, steps) = follow(4000);
    assert_eq!(report.status, Status::Certified);
    assert_eq!(report.history.len(), steps);
    let (report, _) = follow(17);
    assert_eq!((report.status, report.counts.gradients), (Status::IterationLimit, 17));
}
