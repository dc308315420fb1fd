//! The primal-dual method: against an interior-point solver, on problems without a solution, over threads, without allocating.

use crate::counting;
use crate::random;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use counting::allocations;
use random::Random;
use ufcm::component::{Linear, Quadratic};
use ufcm::composer::{L1Norm, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::PrimalDual;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::Bounds;
use ufcm::report::{Control, Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// min <c, x> + |x|^2 curvature/2 subject to A x <= b, 0 <= x <= top.
struct Program {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    curvature: f64,
    top: f64,
}

impl Program {
    /// A feasible one: b leaves some room at a point of the box.
    fn random(seed: u64, rows: usize, n: usize, curvature: f64, top: f64) -> Self {
        let mut random = Random::new(seed);
        let a = random.vector(rows * n, 1.0);
        let inside = random.positive(n, 0.1, 0.9);
        let room = random.positive(rows, 1e-3, 1.0);
        let product = |row: &[f64]| row.iter().zip(&inside).map(|(a, x)| a * x).sum::<f64>();
        let b = a.chunks(n).zip(&room).map(|(row, room)| product(row) + room).collect();
        // Costs that make the multipliers of a bounded dual, so that x >= 0 alone has a solution too.
        let weights = random.positive(rows, 0.1, 1.0);
        let slack = random.positive(n, 0.01, 1.0);
        let cost = |i: usize| slack[i] - (0..rows).map(|j| weights[j] * a[j * n + i]).sum::<f64>();
        let c = (0..n).map(cost).collect();
        Self { n, a, b, c, curvature, top }
    }

    fn problem(&self) -> Problem {
        let matrix = Matrix::row_major(self.b.len(), self.n, self.a.clone()).unwrap();
        let rows = Affine::new(matrix, self.b.clone()).unwrap().at_most_zero();
        let builder = if self.curvature == 0.0 {
            Problem::minimise(Linear::new(self.c.clone(), 0.0).unwrap())
        } else {
            let squares = Quadratic::diagonal(vec![self.curvature; self.n]).unwrap();
            Problem::minimise(squares.with_linear(self.c.clone()).unwrap())
        };
        builder.subject_to(rows).within(Bounds::new(0.0, self.top).unwrap()).build().unwrap()
    }

    fn optimum(&self) -> f64 {
        let (n, m) = (self.n, self.b.len());
        let identity = |i: usize, sign: f64| (0..n).map(move |k| if k == i { sign } else { 0.0 });
        let mut rows: Vec<Vec<f64>> = self.a.chunks(n).map(<[f64]>::to_vec).collect();
        rows.extend((0..n).map(|i| identity(i, -1.0).collect()));
        let mut b = self.b.clone();
        b.resize(m + n, 0.0);
        if self.top.is_finite() {
            rows.extend((0..n).map(|i| identity(i, 1.0).collect()));
            b.resize(m + 2 * n, self.top);
        }
        let diagonal: Vec<Vec<f64>> =
            (0..n).map(|i| identity(i, 1.0).map(|v| self.curvature * v).collect()).collect();
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let cones = [NonnegativeConeT(b.len())];
        let (p, a) = (CscMatrix::from(&diagonal), CscMatrix::from(&rows));
        let mut solver = DefaultSolver::new(&p, &self.c, &a, &b, &cones, settings).unwrap();
        solver.solve();
        assert_eq!(solver.solution.status, SolverStatus::Solved);
        solver.solution.obj_val
    }
}

fn settings() -> Settings {
    Settings { method: MethodRule::PrimalDual, max_gradients: Some(200_000), ..Settings::default() }
}

fn solve(problem: &Problem) -> Report {
    problem.solve(&settings()).unwrap()
}

#[test]
fn random_programs_agree_with_an_interior_point_solver() {
    for seed in 0..12 {
        for (curvature, top) in [(0.0, 10.0), (0.0, f64::INFINITY), (0.5, 10.0)] {
            let program = Program::random(seed, 20 + seed as usize, 15, curvature, top);
            let problem = program.problem();
            let (report, optimum) = (solve(&problem), program.optimum());
            let label = format!("seed {seed}, curvature {curvature}, top {top}: {:?}", report.counts);
            assert!(report.status.is_success(), "{label}: {} {:?}", report.status, report.trouble);
            assert!((report.objective - optimum).abs() <= 1e-5 * (1.0 + optimum.abs()), "{label}");
            assert!(report.violation <= 1e-5, "{label}");
            let certificate = report.certificate.expect("a certificate");
            let proven = certificate.verify(&problem).expect("a sound certificate").lower;
            assert!(proven <= optimum + 1e-6 * (1.0 + optimum.abs()), "{label}: {proven} > {optimum}");
        }
    }
}

#[test]
fn bounded_domains_are_certified() {
    let report = solve(&Program::random(3, 40, 20, 0.5, 5.0).problem());
    assert_eq!(report.status, Status::Certified, "{:?}", report.counts);
    assert!(report.gap_rel() <= 1.1e-6);
}

#[test]
fn infeasible_programs_are_proven_so() {
    for top in [10.0, f64::INFINITY] {
        // x_0 + x_1 <= 1 and x_0 + x_1 >= 2, which x_2 does not help.
        let a = Matrix::row_major(2, 3, vec![1.0, 1.0, 0.0, -1.0, -1.0, 0.0]).unwrap();
        let rows = Affine::new(a, vec![1.0, -2.0]).unwrap();
        let problem = Problem::minimise(Linear::new(vec![1.0, 2.0, 1.0], 0.0).unwrap())
            .subject_to(rows.at_most_zero())
            .within(Bounds::new(0.0, top).unwrap())
            .build()
            .unwrap();
        let report = solve(&problem);
        assert_eq!(report.status, Status::Infeasible, "{top}: {:?}", report.counts);
        assert!(report.infeasibility.expect("a proof").verify(&problem).expect("sound") > 0.0);
    }
}

#[test]
fn unbounded_programs_are_told_and_large_boxes_are_not() {
    for (top, unbounded) in [(f64::INFINITY, true), (1e6, false)] {
        // min -x_0 - x_1 subject to x_0 - x_1 <= 1
        let a = Matrix::row_major(1, 2, vec![1.0, -1.0]).unwrap();
        let problem = Problem::minimise(Linear::new(vec![-1.0, -1.0], 0.0).unwrap())
            .subject_to(Affine::new(a, vec![1.0]).unwrap().at_most_zero())
            .within(Bounds::new(0.0, top).unwrap())
            .build()
            .unwrap();
        let report = solve(&problem);
        assert_eq!(
            report.status == Status::Unbounded,
            unbounded,
            "{top}: {} {:?}",
            report.status,
            report.counts
        );
    }
}

/// A regression in the l1 norm with sparse data, large enough for several threads.
fn l1_regression(rows: usize, n: usize) -> Problem {
    let mut random = Random::new(5);
    let starts: Vec<usize> = (0..=rows).map(|i| 4 * i).collect();
    let columns: Vec<usize> = (0..4 * rows).map(|_| random.within(0.0, n as f64) as usize).collect();
    let a = Matrix::csr(rows, n, &starts, &columns, random.vector(4 * rows, 1.0)).unwrap();
    let block = Affine::new(a, random.vector(rows, 1.0)).unwrap();
    let norm = L1Norm::new(vec![1.0 / rows as f64; rows]).unwrap();
    Problem::over(n)
        .plus(Term::affine(norm, block))
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn many_affine_rows_come_to_it_by_default_and_threads_change_nothing() {
    let problem = l1_regression(20_000, 50);
    let run = |threads| {
        let settings = Settings { eps_rel: 1e-4, threads: Some(threads), ..Settings::default() };
        problem.solve(&settings).unwrap()
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.status, Status::Certified, "{:?}", one.counts);
    assert!(one.counts.newton_steps == 0 && one.gap_rel() <= 1.1e-4);
    assert_eq!((one.x, one.multipliers, one.counts), (two.x, two.multipliers, two.counts));
    one.certificate.expect("a certificate").verify(&problem).expect("a sound certificate");
}

#[test]
fn the_limit_on_gradients_is_kept() {
    let problem = Program::random(1, 30, 20, 0.0, f64::INFINITY).problem();
    for most in [1, 63, 64, 100] {
        let report = problem.solve(&Settings { max_gradients: Some(most), ..settings() }).unwrap();
        assert!(report.counts.gradients <= most, "{most}: {:?}", report.counts);
        assert_eq!(report.status, Status::IterationLimit);
    }
}

#[test]
fn steps_do_not_allocate() {
    for curvature in [0.0, 0.5] {
        let program = Program::random(2, 20, 10, curvature, f64::INFINITY);
        let problem = program.problem();
        let mut multipliers = vec![0.0; 21];
        multipliers[0] = 1.0;
        let mut method = PrimalDual::new(&problem, &[0.0; 10], &multipliers).unwrap();
        method.step().unwrap();
        let mut restarts = 0;
        let count = allocations(|| (0..20).for_each(|_| restarts += method.step().unwrap().counts.restarts));
        assert_eq!(count, 0);
        assert!(restarts > 0);
    }
}

/// Quantile regression with columns of size 1 to `10^decades`.
fn quantile_regression(seed: u64, rows: usize, n: usize, decades: f64) -> Problem {
    let mut random = Random::new(seed);
    let size: Vec<f64> = (0..n).map(|j| 10f64.powf(decades * j as f64 / (n - 1) as f64)).collect();
    let mut a = random.vector(rows * n, 1.0);
    a.chunks_mut(n).for_each(|row| row.iter_mut().zip(&size).for_each(|(a, size)| *a *= size));
    let noise = random.vector(rows, 1.0);
    let b = a.chunks(n).zip(&noise).map(|(row, noise)| {
        row.iter().zip(&size).map(|(a, size)| a / size).sum::<f64>() + 3.0 * noise.powi(3)
    });
    let residuals = Affine::new(Matrix::row_major(rows, n, a.clone()).unwrap(), b.collect()).unwrap();
    let loss = Quantile::new(rows, 0.9, 1.0 / rows as f64).unwrap();
    Problem::over(n)
        .plus(Term::affine(loss, residuals))
        .within(Bounds::new(-100.0, 100.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn affine_problems_on_which_the_adaptive_method_stalls_are_given_to_interior_points() {
    for (rows, n, decades) in [(240, 2, 3.0), (300, 10, 3.0), (300, 20, 4.0)] {
        let problem = quantile_regression(1, rows, n, decades);
        let mut proven = f64::NEG_INFINITY;
        let report = problem
            .solve_observed(&Settings::default(), &mut |now| {
                assert!(now.record.lower_bound >= proven, "{} after {proven}", now.record.lower_bound);
                proven = now.record.lower_bound;
                Control::Continue
            })
            .unwrap();
        assert_eq!(report.status, Status::Certified, "{rows} x {n}: {:?}", report.trouble);
        assert!(report.lower_bound >= proven);
        assert!(report.certificate.unwrap().verify(&problem).is_ok());
        assert_eq!(report.methods, ["interior-point"]);
        let alone = Settings { method: MethodRule::PrimalDual, ..Settings::default() };
        let alone = problem.solve(&alone).unwrap();
        assert!((report.objective - alone.objective).abs() <= 3e-6 * report.objective.abs().max(1.0));
    }
}
