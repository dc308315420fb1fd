//! The primal-dual method as a solver of linear programs: feasible points, regressions, and programs without a solution.

use crate::counting;
use crate::random;

use counting::allocations;
use random::Random;
use ufcm::component::{Linear, Quadratic};
use ufcm::composer::{L1Norm, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::{Aim, PrimalDual};
use ufcm::oracle::Mapping;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::{Bounds, L1};
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

fn settings() -> Settings {
    Settings {
        eps_rel: 1e-4,
        eps_feas: 1e-4,
        method: MethodRule::PrimalDual,
        max_gradients: Some(200_000),
        ..Settings::default()
    }
}

/// min <c, x> subject to A x = b (or <=), 0 <= x <= top.
struct Program {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    equal: bool,
    top: f64,
}

impl Program {
    fn problem(&self) -> Problem {
        let matrix = Matrix::row_major(self.b.len(), self.c.len(), self.a.clone()).unwrap();
        let rows = Affine::new(matrix, self.b.clone()).unwrap();
        Problem::minimise(Linear::new(self.c.clone(), 0.0).unwrap())
            .subject_to(if self.equal { rows.equal_to_zero() } else { rows.at_most_zero() })
            .within(Bounds::new(0.0, self.top).unwrap())
            .build()
            .unwrap()
    }

    fn solve(&self) -> (Problem, Report) {
        let problem = self.problem();
        let report = problem.solve(&settings()).unwrap();
        (problem, report)
    }

    /// Equations with a solution and an optimum: b = A x for x >= 0, c = A'l + slack, complementary. Rows differ in scale.
    fn solvable(seed: u64, rows: usize, n: usize) -> (Self, f64) {
        let mut random = Random::new(seed);
        let scales = random.positive(rows, 0.1, 100.0);
        let a: Vec<f64> = scales.iter().flat_map(|scale| random.vector(n, *scale)).collect();
        let mut x = random.positive(n, 1.0, 100.0);
        let (l, mut slack) = (random.vector(rows, 1.0), random.positive(n, 0.1, 1.0));
        for i in 0..n {
            // As many positive entries as there are rows: a vertex.
            if i % n < rows { slack[i] = 0.0 } else { x[i] = 0.0 }
        }
        let b: Vec<f64> = a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        let slope = |i: usize| (0..rows).map(|j| a[j * n + i] * l[j]).sum::<f64>();
        let c: Vec<f64> = (0..n).map(|i| slope(i) + slack[i]).collect();
        let optimum = c.iter().zip(&x).map(|(c, x)| c * x).sum();
        (Self { a, b, c, equal: true, top: f64::INFINITY }, optimum)
    }
}

#[test]
fn points_are_as_feasible_as_asked_at_the_price_of_a_coarse_optimum() {
    for seed in 0..6 {
        let (program, optimum) = Program::solvable(seed, 20, 50);
        let problem = program.problem();
        let solve = |eps_feas| problem.solve(&Settings { eps_feas, ..settings() }).unwrap();
        let (coarse, fine) = (solve(1e-4), solve(1e-8));
        for (report, eps_feas) in [(&coarse, 1e-4), (&fine, 1e-8)] {
            let label = format!("seed {seed}, {eps_feas:e}: {:?}", report.counts);
            assert!(report.status.is_success(), "{label}: {}", report.status);
            assert_eq!(report.violation, problem.violation(&report.x).unwrap(), "{label}");
            assert!(report.violation <= eps_feas, "{label}: {}", report.violation);
            let error = (report.objective - optimum).abs() / (1.0 + 2.0 * optimum.abs());
            assert!(error <= 2e-4, "{label}: {error:e}");
        }
        // Four more digits of feasibility were measured to take 32 or 64 gradients more.
        assert!(2 * fine.counts.gradients <= 3 * coarse.counts.gradients, "{seed}: {:?}", fine.counts);
    }
}

/// A quadratic objective: what moves x towards feasibility changes its gradient.
#[test]
fn polished_points_of_curved_programs_satisfy_all_conditions() {
    for seed in 0..6 {
        let (program, _) = Program::solvable(seed, 10, 30);
        // Not strongly convex, which would bound the optimum and certify it.
        let mut curvature = Random::new(seed).positive(30, 1e-3, 10.0);
        curvature.iter_mut().step_by(3).for_each(|c| *c = 0.0);
        let matrix = Matrix::row_major(10, 30, program.a.clone()).unwrap();
        let objective =
            Quadratic::diagonal(curvature.clone()).unwrap().with_linear(program.c.clone()).unwrap();
        let problem = Problem::minimise(objective)
            .subject_to(Affine::new(matrix, program.b.clone()).unwrap().equal_to_zero())
            .within(Bounds::new(0.0, f64::INFINITY).unwrap())
            .build()
            .unwrap();
        let report = problem.solve(&Settings { eps_feas: 1e-8, ..settings() }).unwrap();
        let label = format!("seed {seed}: {} {:?}", report.status, report.counts);
        assert_eq!(report.status, Status::Solved, "{label}");
        assert!(report.violation <= 1e-8, "{label}: {:e}", report.violation);
        // The slope less what the bounds x >= 0 take of it.
        let slope = |i: usize| {
            let by_rows: f64 = (0..10).map(|j| program.a[j * 30 + i] * report.multipliers[1 + j]).sum();
            curvature[i] * report.x[i] + program.c[i] + by_rows
        };
        let left: f64 = (0..30).map(|i| slope(i).min(0.0).powi(2)).sum::<f64>().sqrt();
        let size: f64 = program.c.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!(left <= 1e-4 * (1.0 + size), "{label}: {left:e} beside {size:e}");
        let complementarity: f64 = (0..30).map(|i| slope(i) * report.x[i]).sum();
        assert!(
            complementarity.abs() <= 2e-4 * (1.0 + report.objective.abs()),
            "{label}: {complementarity:e}"
        );
    }
}

#[test]
fn with_the_objective_aside_a_feasible_point_nearby_is_found() {
    let (program, _) = Program::solvable(9, 20, 50);
    let problem = program.problem();
    let mut multipliers = vec![0.0; 21];
    multipliers[0] = 1.0;
    let start = vec![1.0; 50];
    let method = PrimalDual::new(&problem, &start, &multipliers).unwrap();
    let mut aside = method.aiming_at(Aim::Feasibility);
    aside.restart_from(Some(&start), None, Some(1.0)).unwrap();
    aside.step().unwrap();
    let mut iterations = 0;
    let count = allocations(|| {
        aside.restart_from(Some(&start), None, Some(1.0)).unwrap();
        while iterations == 0 || (aside.violation()[0] > 1e-10 && iterations < 20_000) {
            iterations += aside.step().unwrap().counts.steps;
        }
    });
    assert_eq!(count, 0);
    assert!(iterations <= 384, "{iterations}; 256 were measured");
    assert!(problem.violation(aside.x()).unwrap() <= 1e-10);
    assert_eq!(aside.multipliers()[0], 0.0);
    assert!(problem.value(aside.x()).is_ok() && aside.x().iter().all(|x| *x >= 0.0));
}

#[test]
fn regressions_are_certified_in_a_box_on_a_level_set_and_within_a_radius() {
    let (rows, n) = (3000, 20);
    let mut random = Random::new(4);
    let (a, truth) = (random.vector(rows * n, 1.0), random.vector(n, 1.0));
    let noise = random.vector(rows, 0.5);
    let product = |row: &[f64]| row.iter().zip(&truth).map(|(a, x)| a * x).sum::<f64>();
    let b: Vec<f64> = a.chunks(n).zip(&noise).map(|(row, noise)| product(row) + noise).collect();
    let block = Affine::new(Matrix::row_major(rows, n, a).unwrap(), b).unwrap();
    let weight = 1.0 / rows as f64;
    for quantile in [false, true] {
        for premise in ["box", "level set", "radius"] {
            let term = if quantile {
                Term::affine(Quantile::new(block.rows(), 0.9, weight).unwrap(), block.clone())
            } else {
                Term::affine(L1Norm::new(vec![weight; rows]).unwrap(), block.clone())
            };
            let builder = Problem::over(n).plus(term);
            let problem = match premise {
                "box" => builder.within(Bounds::new(-100.0, 100.0).unwrap()),
                "level set" => builder.regularised_by(L1::new(1e-3).unwrap()),
                _ => builder,
            };
            let problem = problem.build().unwrap();
            let radius = (premise == "radius").then_some(100.0);
            let report = problem.solve(&Settings { radius, ..settings() }).unwrap();
            let label = format!("quantile {quantile}, {premise}: {:?}", report.counts);
            assert_eq!(report.status, Status::Certified, "{label}");
            let proven = report.certificate.unwrap().verify(&problem).unwrap();
            assert!(proven.gap() <= 1.01e-4 * report.objective.abs().max(1.0), "{label}");
            // 608 were measured on the level set under |x|_1, 416 or fewer elsewhere.
            assert!(report.counts.gradients <= 912, "{label}");
        }
    }
}

/// Programs that contradict themselves, some of them only by much cancellation, and degenerate ones.
fn infeasible(kind: usize, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let (rows, n) = (12, 30);
    let top = if seed.is_multiple_of(2) { f64::INFINITY } else { 100.0 };
    match kind {
        // Flows between places, every arc leaves one and enters another: supplies must add up to 0, and do not.
        0 => {
            let mut a = vec![0.0; rows * n];
            for arc in 0..n {
                let (from, to) = (arc % rows, (arc * 5 + 1 + arc / rows) % rows);
                a[from * n + arc] -= 1.0;
                a[to * n + arc] += 1.0;
            }
            Program { a, b: random.positive(rows, 0.5, 2.0), c: random.vector(n, 1.0), equal: true, top }
        }
        // A row twice, with two right-hand sides.
        1 => {
            let (mut program, _) = Program::solvable(seed, rows, n);
            program.a.extend_from_within(..n);
            program.b.push(program.b[0] + random.within(0.1, 1.0));
            program
        }
        // l'A >= 0 and l'b < 0 for some l > 0; with kind 3, and a variable in no row that lets the objective fall forever.
        _ => {
            let mut a = random.vector((rows - 1) * n, 1.0);
            let l = random.positive(rows - 1, 0.1, 1.0);
            let sum = |i: usize| (0..rows - 1).map(|j| l[j] * a[j * n + i]).sum::<f64>();
            let last: Vec<f64> = (0..n).map(|i| random.within(0.0, 0.1) - sum(i)).collect();
            let mut b = random.vector(rows - 1, 1.0);
            b.push(-1.0 - b.iter().zip(&l).map(|(b, l)| b * l).sum::<f64>());
            a.extend(last);
            let mut c = random.vector(n, 1.0);
            if kind == 3 {
                a.iter_mut().step_by(n).for_each(|entry| *entry = 0.0);
                c[0] = -1.0;
            }
            Program { a, b, c, equal: false, top }
        }
    }
}

#[test]
fn differences_of_multipliers_prove_infeasibility() {
    for kind in 0..4 {
        for seed in 0..8 {
            let (problem, report) = infeasible(kind, seed).solve();
            let label = format!("kind {kind}, seed {seed}: {} {:?}", report.status, report.counts);
            assert_eq!(report.status, Status::Infeasible, "{label}");
            assert!(report.infeasibility.expect("a proof").verify(&problem).expect("sound") > 0.0, "{label}");
        }
    }
}

#[test]
fn differences_of_points_show_that_a_program_is_unbounded() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let (rows, n) = (12, 30);
        // A ray d >= 0 with A d <= 0 (equations on even seeds) and <c, d> < 0: the first column undoes the others.
        let equal = seed.is_multiple_of(2);
        let ray = random.positive(n, 0.5, 2.0);
        let mut a = random.vector(rows * n, 1.0);
        for row in a.chunks_mut(n) {
            let rest: f64 = row.iter().zip(&ray).skip(1).map(|(a, d)| a * d).sum();
            row[0] = -(rest + if equal { 0.0 } else { random.within(0.0, 0.1) }) / ray[0];
        }
        let inside = random.positive(n, 0.5, 2.0);
        let b = a.chunks(n).map(|row| row.iter().zip(&inside).map(|(a, x)| a * x).sum()).collect();
        let mut c = random.vector(n, 1.0);
        let rate: f64 = c.iter().zip(&ray).map(|(c, d)| c * d).sum();
        c[0] -= (rate + 0.5) / ray[0];
        let (_, report) = Program { a, b, c, equal, top: f64::INFINITY }.solve();
        assert_eq!(report.status, Status::Unbounded, "seed {seed}: {:?}", report.counts);
    }
}

/// min s (y - x + z) subject to x + y = 10 t, x <= 5 t, z >= 0: 0 at the start and at the optimum, where the terms cancel. What is left of
/// them in between is rounding, and no size to be relative to.
#[test]
fn terms_that_cancel_have_a_size() {
    for (objective, variables) in
        [(1.0, 1.0), (1e-6, 1.0), (1e3, 1.0), (1.0, 1e-5), (1.0, 1e3), (1e-4, 1e4), (1e-9, 1e-3)]
    {
        let rows = Affine::new(Matrix::row_major(1, 3, vec![1.0, 1.0, 0.0]).unwrap(), vec![10.0 * variables]);
        let c = [-1.0, 1.0, 1.0].map(|c| c * objective).to_vec();
        let upper = [5.0, 20.0, 20.0].map(|top| top * variables).to_vec();
        let problem = Problem::minimise(Linear::new(c, 0.0).unwrap())
            .subject_to(rows.unwrap().equal_to_zero())
            .within(Bounds::new(0.0, upper).unwrap())
            .build()
            .unwrap();
        let report = problem.solve(&Settings::default()).unwrap();
        assert_eq!(report.status, Status::Certified, "{objective} {variables}: {report:?}");
        assert!(report.counts.gradients <= 10, "{objective} {variables}: {}", report.counts.gradients);
        let size = objective * variables;
        assert!(report.unit <= 1.0 && report.unit >= (0.1 * size).min(1.0), "{} of {size}", report.unit);
    }
}
