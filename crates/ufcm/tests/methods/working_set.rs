//! Sparse answers: Newton's method on the few variables that matter, with proofs that speak of all. Decision 0029.

use crate::random;

use random::Random;
use ufcm::component::{LeastSquares, Logistic, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{L1, Nonnegative};
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

const ROWS: usize = 80;
const N: usize = 700;

/// Data, and targets that a few of the columns explain.
fn data(seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let a = random.vector(ROWS * N, 1.0);
    let w: Vec<f64> = (0..N).map(|j| if j % 97 == 3 { random.within(-2.0, 2.0) } else { 0.0 }).collect();
    let noisy = |row: &[f64]| row.iter().zip(&w).map(|(a, w)| a * w).sum::<f64>() + random.within(-0.2, 0.2);
    let b = a.chunks_exact(N).map(noisy).collect();
    (a, b)
}

fn dense(values: Vec<f64>) -> Matrix {
    Matrix::row_major(ROWS, N, values).unwrap()
}

/// The same matrix, sparse: entries below a third are dropped first.
fn thinned(values: &[f64]) -> (Matrix, Matrix) {
    let kept: Vec<f64> = values.iter().map(|v| if v.abs() < 1.0 / 3.0 { 0.0 } else { *v }).collect();
    let (mut starts, mut indices, mut entries) = (vec![0], Vec::new(), Vec::new());
    for row in kept.chunks_exact(N) {
        for (j, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            indices.push(j);
            entries.push(*value);
        }
        starts.push(indices.len());
    }
    (Matrix::csr(ROWS, N, &starts, &indices, entries).unwrap(), dense(kept))
}

fn lasso(seed: u64, weight: f64) -> Problem {
    let (a, b) = data(seed);
    let loss = LeastSquares::new(dense(a), b).unwrap();
    Problem::minimise(loss).regularised_by(L1::new(weight).unwrap()).build().unwrap()
}

fn solve(problem: &Problem, method: MethodRule) -> Report {
    problem.solve(&Settings { method, ..Settings::default() }).unwrap()
}

fn support(report: &Report) -> usize {
    report.x.iter().filter(|x| **x != 0.0).count()
}

/// Both certify, so that their bounds enclose the same optimum.
fn agrees_with_the_adaptive_method(problem: &Problem, name: &str) -> Report {
    let (report, other) = (solve(problem, MethodRule::Auto), solve(problem, MethodRule::Adaptive));
    assert_eq!(report.methods[0], "working-set", "{name}");
    assert_eq!([report.status, other.status], [Status::Certified; 2], "{name}: {:?}", report.trouble);
    assert!(report.lower_bound <= other.upper_bound && other.lower_bound <= report.upper_bound, "{name}");
    assert!(report.certificate.as_ref().unwrap().verify(problem).is_ok(), "{name}");
    report
}

#[test]
fn a_lasso_takes_few_reads_and_is_certified() {
    for seed in 0..4 {
        let report = agrees_with_the_adaptive_method(&lasso(seed, 0.02), "lasso");
        assert!((1..ROWS).contains(&support(&report)), "{} variables", support(&report));
        assert!(report.counts.gradients <= 10, "{:?}", report.counts);
        assert!(report.counts.data_passes <= 15.0, "{:?}", report.counts);
        assert_eq!(report.counts.values, 0);
    }
}

#[test]
fn signs_constraints_and_sparse_data_too() {
    let (a, b) = data(11);
    let labels: Vec<f64> = b.iter().map(|b| if *b > 0.0 { 1.0 } else { -1.0 }).collect();
    let logistic = Logistic::new(dense(a.clone()), &labels).unwrap();
    let problem = Problem::minimise(logistic.clone()).regularised_by(L1::new(0.01).unwrap()).build().unwrap();
    agrees_with_the_adaptive_method(&problem, "l1 logistic");

    let energy = Quadratic::diagonal(vec![1.0; N]).unwrap().at_most(0.3);
    let bounded = Problem::minimise(logistic).regularised_by(L1::new(0.01).unwrap()).subject_to(energy);
    let report = agrees_with_the_adaptive_method(&bounded.build().unwrap(), "with a constraint");
    assert!(report.multipliers[1] > 1e-3, "the constraint is active");

    let (sparse, same) = thinned(&a);
    let make = |data: Matrix| {
        let loss = LeastSquares::new(data, b.clone()).unwrap();
        Problem::minimise(loss).regularised_by(L1::new(0.02).unwrap()).build().unwrap()
    };
    let [sparse, dense] = [sparse, same].map(|data| agrees_with_the_adaptive_method(&make(data), "storages"));
    assert!((sparse.objective - dense.objective).abs() <= 1e-9, "{} {}", sparse.objective, dense.objective);
    assert_eq!(support(&sparse), support(&dense));

    let ridge = Quadratic::diagonal(vec![1e-2; N]).unwrap();
    let loss = ufcm::component::Sum::new(vec![
        std::sync::Arc::new(LeastSquares::new(self::dense(a), b).unwrap()),
        std::sync::Arc::new(ridge),
    ]);
    let signs = Problem::minimise(loss.unwrap()).within(Nonnegative).build().unwrap();
    let report = solve(&signs, MethodRule::Auto);
    assert_eq!(report.methods[0], "working-set");
    let other = solve(&signs, MethodRule::Adaptive);
    assert!(report.status.is_success(), "{} {:?} {:?}", report.status, report.trouble, report.counts);
    assert!((report.objective - other.objective).abs() <= 1e-5 * other.objective.abs().max(1.0));
}

#[test]
fn a_dense_answer_goes_to_another_method() {
    // With next to no weight most of the variables that the rows allow are not 0.
    let report = solve(&lasso(5, 1e-9), MethodRule::Auto);
    assert!(report.status.is_success(), "{} {:?}", report.status, report.trouble);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let problem = lasso(3, 0.03);
    let bits = |threads: usize| {
        let report = problem.solve(&Settings { threads: Some(threads), ..Settings::default() }).unwrap();
        let x: Vec<u64> = report.x.iter().map(|x| x.to_bits()).collect();
        (x, report.lower_bound.to_bits(), report.counts)
    };
    let one = bits(1);
    assert_eq!([bits(2), bits(4)], [one.clone(), one]);
}

#[test]
fn it_is_refused_by_name_where_nothing_holds_variables_at_0() {
    let (a, b) = data(1);
    let problem = Problem::minimise(LeastSquares::new(dense(a), b).unwrap()).build().unwrap();
    let settings = Settings { method: MethodRule::WorkingSet, ..Settings::default() };
    let error = problem.solve(&settings).unwrap_err().to_string();
    assert!(error.contains("the working-set method") && error.contains("holds them at 0"), "{error}");
}
