//! Programs that condense to a small dense core, through the whole solver: answers with a proof, the same bits again, stops that are heard.

use crate::random;

use random::Random;
use ufcm::budget::Budget;
use ufcm::component::{Linear, Quadratic};
use ufcm::composer::{L1Norm, Quadratic as Squares, SquaredHinge};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::Bounds;
use ufcm::report::{Control, Status};
use ufcm::settings::Settings;

/// A x = b, x >= 0 with a planted vertex, and its optimum.
fn standard_form(seed: u64, rows: usize, n: usize) -> (Problem, f64) {
    let mut random = Random::new(seed);
    let a = random.vector(rows * n, 1.0);
    let (mut x, mut slack) = (random.positive(n, 1.0, 2.0), random.positive(n, 0.1, 1.0));
    (0..n).for_each(|i| if i < rows { slack[i] = 0.0 } else { x[i] = 0.0 });
    let l = random.vector(rows, 1.0);
    let b = a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
    let cost = (0..n).map(|i| slack[i] + (0..rows).map(|j| a[j * n + i] * l[j]).sum::<f64>());
    let cost: Vec<f64> = cost.collect();
    let optimum = cost.iter().zip(&x).map(|(c, x)| c * x).sum();
    let rows = Affine::new(Matrix::row_major(rows, n, a).unwrap(), b).unwrap();
    let problem = Problem::minimise(Linear::new(cost, 0.0).unwrap())
        .subject_to(rows.equal_to_zero())
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap();
    (problem, optimum)
}

/// Rows of data, and what they are to be.
fn data(random: &mut Random, rows: usize, n: usize) -> Affine {
    let matrix = Matrix::row_major(rows, n, random.vector(rows * n, 1.0)).unwrap();
    Affine::new(matrix, random.vector(rows, 1.0)).unwrap()
}

/// Absolute values, squares and squared hinges of many rows, over a box.
fn losses(seed: u64, rows: usize, n: usize) -> Problem {
    let mut random = Random::new(seed);
    let weights = vec![1.0 / rows as f64; rows];
    Problem::minimise(Quadratic::diagonal(vec![0.01; n]).unwrap())
        .plus(Term::affine(L1Norm::new(weights.clone()).unwrap(), data(&mut random, rows, n)))
        .plus(Term::affine(Squares::new(weights).unwrap(), data(&mut random, rows, n)))
        .plus(Term::affine(SquaredHinge::new(rows, 1.0).unwrap(), data(&mut random, rows, n)))
        .within(Bounds::new(-1.0, 1.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn planted_optima_are_certified() {
    for seed in 0..3 {
        let (problem, optimum) = standard_form(seed, 60, 150);
        let report = problem.solve(&Settings::default()).unwrap();
        assert_eq!(report.methods, ["interior-point"], "{seed}");
        assert!(report.status.is_success(), "{seed}: {} {:?}", report.status, report.trouble);
        assert!((report.objective - optimum).abs() <= 1e-5 * optimum.abs().max(1.0), "{seed}");
    }
}

#[test]
fn losses_are_certified_with_the_same_bits_twice() {
    let problem = losses(1, 600, 25);
    let [first, again] = [(); 2].map(|()| problem.solve(&Settings::default()).unwrap());
    assert_eq!((first.status, &first.methods[..]), (Status::Certified, &["interior-point".to_owned()][..]));
    assert!(first.x == again.x && first.counts.steps == again.counts.steps);
}

#[test]
fn a_raised_flag_stops_the_run() {
    let (problem, _) = standard_form(2, 200, 500);
    let budget = Budget::unlimited();
    let flag = budget.stop_flag();
    let settings = Settings { eps_rel: 1e-14, eps_abs: 0.0, ..Settings::default() };
    let report = problem.solve_within(&settings, &budget, &mut |_| {
        flag.raise();
        Control::Continue
    });
    let status = report.unwrap().status;
    assert!(status == Status::Interrupted || status.is_success(), "{status}");
}

/// Equations that contradict each other: the engine of our own says nothing, and the proof is found as before.
#[test]
fn what_has_no_solution_is_left_to_the_others() {
    let (rows, n) = (60, 150);
    let mut random = Random::new(5);
    let mut a = random.vector(rows * n, 1.0);
    a[..n].fill(1.0);
    let mut b = random.vector(rows, 1.0);
    b[0] = -1.0;
    let rows = Affine::new(Matrix::row_major(rows, n, a).unwrap(), b).unwrap();
    let problem = Problem::minimise(Linear::new(random.vector(n, 1.0), 0.0).unwrap())
        .subject_to(rows.equal_to_zero())
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Infeasible, "{:?}", report.trouble);
}
