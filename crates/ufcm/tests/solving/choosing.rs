//! Which method a problem is given to, why, and that the one which is chosen brings it to an end.

use ufcm::component::{Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::Problem;
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::{MethodRule, Settings};

/// Rows of a few entries each.
fn sparse(rows: &[Vec<(usize, f64)>], n: usize) -> Matrix {
    let mut starts = vec![0];
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in rows {
        columns.extend(row.iter().map(|(column, _)| *column));
        values.extend(row.iter().map(|(_, value)| *value));
        starts.push(columns.len());
    }
    Matrix::csr(rows.len(), n, &starts, &columns, values).unwrap()
}

/// 1/2 |x - t|^2
fn distance_from(t: &[f64]) -> Quadratic {
    Quadratic::diagonal(vec![1.0; t.len()]).unwrap().with_linear(t.iter().map(|t| -t).collect()).unwrap()
}

/// A linear program over 0 <= x <= 10 with more rows than a few.
fn program() -> Problem {
    let rows: Vec<_> = (0..30).map(|i| vec![(i, 1.0), ((i + 1) % 30, 0.5)]).collect();
    let constraints = Affine::new(sparse(&rows, 30), vec![1.0; 30]).unwrap();
    Problem::minimise(Linear::new((0..30).map(|i| -1.0 - 0.1 * f64::from(i)).collect(), 0.0).unwrap())
        .subject_to(constraints.at_most_zero())
        .within(Bounds::new(0.0, 10.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn the_choice_and_its_reason_are_told() {
    let problem = program();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified);
    assert_eq!(report.chosen.len(), report.methods.len());
    assert!(
        report.chosen[0].starts_with("interior points, because every row is affine"),
        "{:?}",
        report.chosen
    );
    let smooth = Problem::minimise(distance_from(&[1.0, 2.0])).within(Bounds::new(0.0, 1.0).unwrap());
    let report = smooth.build().unwrap().solve(&Settings::default()).unwrap();
    assert!(report.chosen[0].starts_with("Newton's method, because"), "{:?}", report.chosen);
    let by_name = Settings { method: MethodRule::InteriorPoint, ..Settings::default() };
    assert!(problem.solve(&by_name).unwrap().chosen.is_empty());
}

/// Bounds of 1e20 mean "none" in many files. In other units they are a little less, and all other numbers drown in them.
#[test]
fn bounds_that_are_as_good_as_none_do_not_drown_the_others() {
    let rows: Vec<_> = (0..40).map(|i| vec![(i, 1.0), ((i + 7) % 40, 2.0)]).collect();
    let constraints = Affine::new(sparse(&rows, 40), vec![0.0; 40]).unwrap();
    let none = 9.99e19;
    let lower = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -none }).collect();
    let problem = Problem::minimise(distance_from(&[0.5; 40]))
        .subject_to(constraints.between(lower, vec![none; 40]))
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert!(report.status.is_success(), "{}: {:?}", report.status, report.trouble);
    assert_eq!(report.methods, ["interior-point"]);
}

/// Differences that must alternate by ever more: the engine takes large multipliers for a proof that there is no such point. What
/// proves nothing must not be its last word.
#[test]
fn a_ray_that_proves_nothing_does_not_end_interior_points() {
    let n = 4000;
    let row = |k: usize| vec![(k.min((k + 1) % n), 1.0), (k.max((k + 1) % n), -1.0)];
    let mut rows: Vec<_> = (0..n - 1).map(row).collect();
    // x_n - x_1 <= 1/2 - n, and x_k - x_(k+1) <= 1/2 - (-1)^k k
    rows.push(vec![(0, -1.0), (n - 1, 1.0)]);
    let mut sides: Vec<f64> = (1..n).map(|k| 0.5 - if k % 2 == 0 { k as f64 } else { -(k as f64) }).collect();
    sides.push(0.5 - n as f64);
    let problem = Problem::minimise(distance_from(&vec![0.0; n]))
        .subject_to(Affine::new(sparse(&rows, n), sides).unwrap().at_most_zero())
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert!(report.status.is_success(), "{}: {:?}", report.status, report.trouble);
    assert_eq!(report.methods, ["interior-point"]);
}

/// The nearest convex sequence: thousands of second differences are nearly dependent, and a diagonal of 1e-8 that is added before a
/// factorisation is more than their smallest singular values.
#[test]
fn nearly_dependent_rows_are_solved() {
    let n = 3000;
    let rows: Vec<_> = (0..n - 2).map(|i| vec![(i, -1.0), (i + 1, 2.0), (i + 2, -1.0)]).collect();
    let noise = |i: usize| 0.1 * ((i * i * 7919 % 1009) as f64 / 1009.0 - 0.5);
    let t: Vec<f64> = (0..n).map(|i| (4.0 * i as f64 / n as f64).sin() + noise(i)).collect();
    let problem = Problem::minimise(distance_from(&t))
        .subject_to(Affine::new(sparse(&rows, n), vec![0.0; n - 2]).unwrap().at_most_zero())
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert!(report.status.is_success(), "{}: {:?}", report.status, report.trouble);
    assert_eq!(report.methods, ["interior-point"]);
}

/// A multiplier of 1e-3 beside one of 1e6 is little, and yet all that holds its variable.
#[test]
fn small_multipliers_beside_large_ones_stay() {
    let next = |i: usize| 10 * (i / 10) + (i + 1) % 10;
    let rows: Vec<_> = (0..20).map(|i| vec![(i, -1.0), (next(i), -1e-3)]).collect();
    let cost: Vec<f64> = (0..20).map(|i| if i < 10 { 1e6 } else { 1e-3 }).collect();
    let problem = Problem::minimise(Linear::new(cost.clone(), 0.0).unwrap())
        .subject_to(Affine::new(sparse(&rows, 20), vec![-1.0; 20]).unwrap().at_most_zero())
        .build()
        .unwrap();
    let by_name = Settings { method: MethodRule::InteriorPoint, ..Settings::default() };
    let report = problem.solve(&by_name).unwrap();
    assert!(report.status.is_success(), "{}: {:?}", report.status, report.trouble);
    for (j, cost) in cost.iter().enumerate() {
        let before = 10 * (j / 10) + (j + 9) % 10;
        let slope = cost - report.multipliers[1 + j] - 1e-3 * report.multipliers[1 + before];
        assert!(slope.abs() <= 1e-3 * cost.max(1.0), "variable {j} has a slope of {slope}");
    }
}
