//! Bounds on the variables that follow from constraints: with them a problem without a bounded domain is certified, and the
//! verifier accepts none that do not follow.

use proptest::prelude::*;
use ufcm::certificate::Premise;
use ufcm::component::{Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Bounds, L1};
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

fn rows(matrix: &[&[f64]], offset: &[f64]) -> Affine {
    let columns = matrix[0].len();
    let entries = matrix.concat();
    Affine::new(Matrix::row_major(matrix.len(), columns, entries).unwrap(), offset.to_vec()).unwrap()
}

fn certified(problem: &Problem, optimum: f64) -> Report {
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{}", report.meaning());
    assert!((report.objective - optimum).abs() <= 1e-5 * optimum.abs().max(1.0), "{}", report.objective);
    assert!(report.lower_bound <= optimum + 1e-9 && report.upper_bound >= optimum - 1e-9);
    report
}

/// x >= 0 and sum x <= 1 as constraints, on the units of nobody.
fn portfolio(unit: f64) -> Problem {
    let returns: Vec<f64> = [0.1, 0.3, 0.2].iter().map(|r| -r * unit).collect();
    Problem::minimise(Linear::new(returns, 0.0).unwrap())
        .subject_to(rows(&[&[1.0, 1.0, 1.0]], &[1.0]).at_most_zero())
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap()
}

#[test]
fn signs_and_a_budget_bound_a_portfolio() {
    for unit in [1e-9, 1.0, 1e9] {
        let report = certified(&portfolio(unit), -0.3 * unit);
        let certificate = report.certificate.unwrap();
        let Premise::ImpliedBounds { upper, rows, .. } = &certificate.premise else {
            panic!("{:?}", certificate.premise)
        };
        assert!(upper.iter().all(|u| (u - 1.0).abs() < 1e-6), "{upper:?}");
        assert_eq!(rows.len(), 1);
        assert!(certificate.rests_on().contains(&rows[0]), "{}", certificate.rests_on());
        certificate.verify(&portfolio(unit)).unwrap();
    }
}

#[test]
fn bounds_follow_from_bounds() {
    // -1 <= x_0 <= 2, x_1 = 3 x_0 + 1, x_2 <= x_1 - 4 x_0, x_2 >= -x_1: a chain over free variables.
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0, 1.0], 0.0).unwrap())
        .subject_to(rows(&[&[1.0, 0.0, 0.0]], &[0.0]).between(vec![-1.0], vec![2.0]))
        .subject_to(rows(&[&[-3.0, 1.0, 0.0]], &[1.0]).equal_to_zero())
        .subject_to(rows(&[&[4.0, -1.0, 1.0], &[0.0, -1.0, -1.0]], &[0.0, 0.0]).at_most_zero())
        .build()
        .unwrap();
    // x_2 = -x_1 at best: the objective is x_0.
    certified(&problem, -1.0);
}

#[test]
fn a_strongly_convex_constraint_is_a_ball() {
    // min x_0 + x_1 with |x|^2 <= 2
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(Quadratic::diagonal(vec![2.0, 2.0]).unwrap().at_most(2.0))
        .build()
        .unwrap();
    certified(&problem, -2.0);
}

#[test]
fn bounds_serve_under_a_regulariser_too() {
    let problem = Problem::minimise(Linear::new(vec![-1.0, 0.2], 0.0).unwrap())
        .subject_to(rows(&[&[1.0, 1.0], &[-1.0, 1.0], &[0.0, -1.0]], &[1.0, 1.0, 1.0]).at_most_zero())
        .regularised_by(L1::new(0.5).unwrap())
        .build()
        .unwrap();
    // x_1 = -t costs 0.3 t and lets x_0 = 1 + t gain 0.5 t; -1 <= x_1.
    certified(&problem, -0.7);
}

#[test]
fn bounds_that_do_not_follow_are_refused() {
    let report = portfolio(1.0).solve(&Settings::default()).unwrap();
    let mut certificate = report.certificate.unwrap();
    let Premise::ImpliedBounds { upper, .. } = &mut certificate.premise else { panic!() };
    upper[1] = 0.5;
    certificate.lower = -0.25;
    assert!(certificate.verify(&portfolio(1.0)).is_err());
    let Premise::ImpliedBounds { upper, .. } = &mut certificate.premise else { panic!() };
    upper.pop();
    assert!(certificate.verify(&portfolio(1.0)).is_err());
}

#[test]
fn certificates_with_infinite_bounds_are_written_and_read() {
    let report = portfolio(1.0).solve(&Settings::default()).unwrap();
    let mut certificate = report.certificate.unwrap();
    let Premise::ImpliedBounds { lower, .. } = &mut certificate.premise else { panic!() };
    lower[0] = f64::NEG_INFINITY;
    let text = serde_json::to_string(&certificate).unwrap();
    assert_eq!(serde_json::from_str::<ufcm::certificate::Certificate>(&text).unwrap(), certificate);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the rows and their units, no feasible point lies outside the bounds that follow from them.
    #[test]
    fn every_feasible_point_is_inside(
        entries in prop::collection::vec(-3i32..=3, 12),
        point in prop::collection::vec(-50i32..=50, 4),
        slack in prop::collection::vec(0i32..=3, 3),
        exponents in prop::collection::vec(-20i32..=20, 7),
        free in prop::collection::vec(any::<bool>(), 8),
    ) {
        let power = |e: i32| 2f64.powi(e);
        let x: Vec<f64> = point.iter().zip(&exponents[3..]).map(|(x, e)| f64::from(*x) * power(*e)).collect();
        let matrix: Vec<f64> = entries.iter().enumerate()
            .map(|(k, a)| f64::from(*a) * power(exponents[k / 4] - exponents[3 + k % 4])).collect();
        // a.x <= a.x* + slack, all exact in floating point.
        let offset: Vec<f64> = (0..3)
            .map(|j| matrix[4 * j..][..4].iter().zip(&x).map(|(a, x)| a * x).sum::<f64>()
                + f64::from(slack[j]) * power(exponents[j]))
            .collect();
        let side = |k: usize, open: f64| if free[k] { open } else { x[k % 4] };
        let lower: Vec<f64> = (0..4).map(|k| side(k, f64::NEG_INFINITY)).collect();
        let upper: Vec<f64> = (0..4).map(|k| side(4 + k, f64::INFINITY)).collect();
        let block = Affine::new(Matrix::row_major(3, 4, matrix).unwrap(), offset).unwrap();
        let problem = Problem::minimise(Linear::new(vec![1.0; 4], 0.0).unwrap())
            .subject_to(block.at_most_zero())
            .within(Bounds::new(lower, upper).unwrap())
            .build()
            .unwrap();
        if let Premise::ImpliedBounds { lower, upper, .. } = Premise::implied(&problem, &x).unwrap() {
            for i in 0..4 {
                prop_assert!(lower[i] <= x[i] && x[i] <= upper[i], "{} <= {} <= {}", lower[i], x[i], upper[i]);
            }
        }
    }
}
