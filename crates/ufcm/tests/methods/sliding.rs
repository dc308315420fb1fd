//! Sliding and blocks that are known by their products alone.

use crate::counting;
use crate::differences;
use crate::random;

use counting::allocations;
use differences::Differences;
use random::Random;
use std::sync::atomic::{AtomicUsize, Ordering};
use ufcm::audit::{self, AuditOptions, Check};
use ufcm::component::{LeastSquares, Quadratic};
use ufcm::composer::L1Norm;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::{Adaptive, AdaptiveParameters};
use ufcm::metric::Metric;
use ufcm::oracle::LinearOperator;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Bounds, L1Box, TotalVariation};
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// A matrix that only multiplies, and panics after so many products.
struct Products {
    matrix: Matrix,
    left: AtomicUsize,
}

impl Products {
    fn of(matrix: Matrix) -> Self {
        Self { matrix, left: AtomicUsize::new(usize::MAX) }
    }
}

impl LinearOperator for Products {
    fn kind(&self) -> &'static str {
        "products"
    }
    fn rows(&self) -> usize {
        self.matrix.rows()
    }
    fn columns(&self) -> usize {
        self.matrix.columns()
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        assert!(self.left.fetch_sub(1, Ordering::Relaxed) > 0, "out of products");
        self.matrix.apply(x, out);
    }
    fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.matrix.for_each(|i, j, a| out[j] += a * l[i]);
    }
}

const ROWS: usize = 120;
const N: usize = 20;

fn matrix() -> Matrix {
    Matrix::row_major(ROWS, N, Random::new(3).vector(ROWS * N, 1.0)).unwrap()
}

/// Least squares under a curved bound and the rows of `block`, with l1 and a box.
fn problem(block: Affine) -> Problem {
    let mut random = Random::new(4);
    let data = Matrix::row_major(50, N, random.vector(50 * N, 1.0)).unwrap();
    Problem::minimise(LeastSquares::new(data, random.vector(50, 3.0)).unwrap())
        .subject_to(Quadratic::diagonal(vec![1.0; N]).unwrap().at_most(0.3))
        .subject_to(block.at_most_zero().named("limits"))
        .regularised_by(L1Box::new(0.01, -1.0, 1.0).unwrap())
        .build()
        .unwrap()
}

fn limits() -> Vec<f64> {
    Random::new(5).positive(ROWS, 0.05, 1.0)
}

fn solve(problem: &Problem, method: MethodRule) -> Report {
    problem.solve(&Settings { method, max_gradients: Some(2000), ..Settings::default() }).unwrap()
}

fn assert_certified(problem: &Problem, report: &Report) {
    assert_eq!(report.status, Status::Certified, "{:?}", report.trouble);
    report.certificate.as_ref().unwrap().verify(problem).unwrap();
}

#[test]
fn sliding_finds_what_newton_finds() {
    let problem = problem(Affine::new(matrix(), limits()).unwrap());
    let [newton, sliding] = [MethodRule::Auto, MethodRule::Sliding].map(|method| solve(&problem, method));
    assert_certified(&problem, &newton);
    assert_certified(&problem, &sliding);
    assert!((newton.objective - sliding.objective).abs() <= 2e-6 * (1.0 + newton.objective.abs()));
    assert!(sliding.counts.gradients <= 100, "{:?}", sliding.counts);
    assert!(sliding.counts.newton_steps > 3 * newton.counts.newton_steps, "{:?}", sliding.counts);
}

#[test]
fn least_squares_under_500_constraints_in_300_variables() {
    let (rows, n) = (500, 300);
    let mut random = Random::new(500);
    let a = Matrix::row_major(2 * n, n, random.vector(2 * n * n, 1.0)).unwrap();
    let loss = LeastSquares::new(a, random.vector(2 * n, 3.0)).unwrap();
    let block = Matrix::row_major(rows, n, random.vector(rows * n, 1.0)).unwrap();
    let room = (0..rows).map(|_| random.within(0.01, 1.0)).collect();
    let block = Affine::new(block, room).unwrap();
    let problem = Problem::minimise(loss)
        .subject_to(block.at_most_zero())
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    for method in [MethodRule::Auto, MethodRule::Sliding] {
        let report = solve(&problem, method);
        assert_certified(&problem, &report);
        assert!(report.counts.gradients <= 100, "{method:?}: {:?}", report.counts);
    }
}

#[test]
fn products_do_as_well_as_a_matrix() {
    let by_matrix = problem(Affine::new(matrix(), limits()).unwrap());
    let by_products = problem(Affine::by_products(Products::of(matrix()), limits()).unwrap());
    let (stored, report) = (solve(&by_matrix, MethodRule::Auto), solve(&by_products, MethodRule::Auto));
    assert_certified(&by_products, &report);
    assert!((stored.objective - report.objective).abs() <= 2e-6 * (1.0 + stored.objective.abs()));
}

/// The l1 norm of differences has a regulariser of its own, which is exact.
#[test]
fn a_staircase_by_products_is_the_prox_of_total_variation() {
    let n = 300;
    let noise = Random::new(6).vector(n, 0.3);
    let signal: Vec<f64> = noise.iter().enumerate().map(|(i, e)| ((10 * i / n) % 3) as f64 + e).collect();
    let pull = || Quadratic::diagonal(vec![1.0; n]).unwrap().with_linear(signal.iter().map(|s| -s).collect());
    let block = Affine::by_products(Differences(n), vec![0.0; n - 1]).unwrap();
    let by_products = Problem::minimise(pull().unwrap())
        .plus(Term::affine(L1Norm::new(vec![0.5; n - 1]).unwrap(), block))
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    let by_prox =
        Problem::minimise(pull().unwrap()).regularised_by(TotalVariation::new(0.5).unwrap()).build().unwrap();
    let [report, exact] = [&by_products, &by_prox].map(|problem| solve(problem, MethodRule::Auto));
    assert_certified(&by_products, &report);
    assert!(exact.status.is_success());
    assert!((report.objective - exact.objective).abs() <= 3e-6 * exact.objective.abs());
    assert!(report.lower_bound <= exact.objective + 1e-9 * exact.objective.abs());
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let problem = problem(Affine::new(matrix(), limits()).unwrap());
    let run = |threads| {
        let settings =
            Settings { method: MethodRule::Sliding, threads: Some(threads), ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        (report.x, report.lower_bound.to_bits(), report.counts)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn a_step_by_sliding_allocates_nothing() {
    let problem = problem(Affine::new(matrix(), limits()).unwrap());
    let parameters = AdaptiveParameters { eps: 1e-7, r: 1e-2, l: 1.0 };
    let multipliers: Vec<f64> = std::iter::once(1.0).chain(vec![0.0; ROWS + 1]).collect();
    let mut method =
        Adaptive::new(&problem, &[0.0; N], &multipliers, parameters, Metric::Scalar).unwrap().sliding();
    // The first ones make room.
    let mut steps = |count: usize| (0..count).for_each(|_| assert!(method.step().is_ok()));
    steps(2);
    assert_eq!(allocations(|| steps(5)), 0);
}

#[test]
fn a_panic_in_a_product_ends_the_run_with_its_message() {
    let operator = Products::of(matrix());
    operator.left.store(200, Ordering::Relaxed);
    let problem = problem(Affine::by_products(operator, limits()).unwrap());
    let report = solve(&problem, MethodRule::Auto);
    assert_eq!(report.status, Status::NumericalError);
    let trouble = report.trouble.unwrap().to_string();
    assert!(trouble.contains("panicked") && trouble.contains("out of products"), "{trouble}");
    assert_eq!(report.x.len(), N);
}

#[test]
fn the_audit_finds_operators_that_are_not_linear() {
    struct Squares;
    impl LinearOperator for Squares {
        fn kind(&self) -> &'static str {
            "squares"
        }
        fn rows(&self) -> usize {
            3
        }
        fn columns(&self) -> usize {
            3
        }
        fn apply(&self, x: &[f64], out: &mut [f64]) {
            out.iter_mut().zip(x).for_each(|(out, x)| *out = x * x);
        }
        fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
            out[..2].copy_from_slice(&l[..2]);
        }
    }
    let findings = audit::operator(&Squares, &AuditOptions::default()).unwrap();
    let found = |check| findings.iter().any(|finding| finding.check == check);
    assert!(found(Check::Linear) && found(Check::Written), "{findings:?}");
    assert!(audit::operator(&Products::of(matrix()), &AuditOptions::default()).unwrap().is_empty());
}
