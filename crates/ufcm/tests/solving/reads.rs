//! How often a solve reads the data: Newton's method takes value and gradient at one point, and Hessians from a sample. Decision 0028.

use crate::random;

use random::Random;
use ufcm::component::{Logistic, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// Logistic losses of two classes with correlated columns, one bounding the other.
fn neyman_pearson(rows: usize, n: usize, seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mixing = random.vector(n * n, 1.0);
    let direction = random.vector(n, 2.0);
    let mut classes = [Vec::new(), Vec::new()];
    for _ in 0..rows {
        let own: Vec<f64> = (0..n).map(|j| random.within(-1.0, 1.0) / (1.0 + j as f64).sqrt()).collect();
        let mut row: Vec<f64> = (0..n).map(|i| (0..n).map(|j| own[j] * mixing[i * n + j]).sum()).collect();
        row[0] = 1.0;
        let score: f64 = row.iter().zip(&direction).map(|(a, d)| a * d).sum();
        classes[usize::from(score + random.within(-9.0, 9.0) > 0.0)].extend(row);
    }
    let loss = |data: &[f64], label: f64| {
        let count = data.len() / n;
        Logistic::new(Matrix::row_major(count, n, data.to_vec()).unwrap(), &vec![label; count]).unwrap()
    };
    Problem::minimise(loss(&classes[1], 1.0))
        .subject_to(loss(&classes[0], -1.0).at_most(0.5))
        .within(Ball::new(20.0))
        .build()
        .unwrap()
}

/// Dense quadratics that bound each other.
fn qcqp(n: usize, m: usize, seed: u64) -> Problem {
    qcqp_within(n, m, seed, 10.0)
}

/// The same in a ball of this radius.
fn qcqp_within(n: usize, m: usize, seed: u64, radius: f64) -> Problem {
    let mut random = Random::new(seed);
    let mut quadratic = |constant: f64| {
        let factor = Matrix::row_major(n, n, random.vector(n * n, 1.0 / (n as f64).sqrt())).unwrap();
        let mut q = vec![0.0; n * n];
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut row = vec![0.0; n];
                factor.copy_row(i, &mut row);
                row
            })
            .collect();
        for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
            q[i * n + j] = rows.iter().map(|row| row[i] * row[j]).sum();
        }
        let linear = random.vector(n, 1.0);
        let q = Quadratic::new(&Matrix::row_major(n, n, q).unwrap()).unwrap();
        q.with_linear(linear).unwrap().with_constant(constant).unwrap()
    };
    let mut problem = Problem::minimise(quadratic(0.0)).within(Ball::new(radius));
    for _ in 0..m {
        problem = problem.subject_to(quadratic(-0.5).at_most(0.0));
    }
    problem.build().unwrap()
}

fn solved(problem: &Problem) -> Report {
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{report:?}");
    assert_eq!(report.methods, ["newton"]);
    report
}

#[test]
fn a_certified_solve_takes_few_reads_of_the_data() {
    for seed in 0..3 {
        let report = solved(&neyman_pearson(12_000, 30, seed));
        assert!(report.counts.data_passes <= 25.0, "{:?}", report.counts);
        assert!(report.counts.hessians > 0, "{:?}", report.counts);
        let report = solved(&qcqp(80, 5, seed));
        assert!(report.counts.gradients <= 18, "{:?}", report.counts);
    }
}

/// Where a factorisation costs more than a read, Newton's method begins, with the same bits for any number of threads. Decision 0034.
#[test]
fn larger_quadratics_begin_with_newtons_method() {
    let problem = qcqp_within(400, 8, 1, 1000.0);
    let bits = |threads: usize| {
        let report = problem.solve(&Settings { threads: Some(threads), ..Settings::default() }).unwrap();
        assert_eq!(report.status, Status::Certified, "{report:?}");
        assert_eq!(report.methods[0], "newton");
        (report.x.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), report.counts)
    };
    let one = bits(1);
    assert_eq!(one, bits(2));
    assert_eq!(one, bits(4));
}

/// Where the answer lies on the ball, Newton's method gives way.
#[test]
fn where_the_domain_holds_a_larger_answer_another_method_goes_on() {
    let problem = qcqp_within(400, 8, 1, 0.05);
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{report:?}");
    assert_eq!(report.methods[0], "newton");
    let by_steps = Settings { method: MethodRule::Adaptive, ..Settings::default() };
    let other = problem.solve(&by_steps).unwrap();
    assert!((report.objective - other.objective).abs() <= 2e-4 * (1.0 + other.objective.abs()));
}

/// Rejected steps included, but not Hessians and proofs.
#[test]
fn an_iteration_reads_the_data_once() {
    for seed in 0..3 {
        for problem in [neyman_pearson(12_000, 30, seed), qcqp(80, 5, seed)] {
            let counts = solved(&problem).counts;
            let reads = (counts.gradients + counts.values) as f64;
            assert!(reads <= 1.25 * counts.gradients as f64, "{counts:?}");
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let problem = neyman_pearson(12_000, 30, 7);
    let solve = |threads: usize| {
        let settings = Settings { threads: Some(threads), method: MethodRule::Newton, ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        (
            report.x.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            report.lower_bound.to_bits(),
            report.counts,
        )
    };
    let one = solve(1);
    assert_eq!(one, solve(2));
    assert_eq!(one, solve(4));
}

/// Where a curved row has no second derivatives, the method says so.
#[test]
fn without_second_derivatives_it_is_refused_by_name() {
    let f = ufcm::component::Custom::new(1, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient[0] = 2.0 * x[0];
        }
        Ok(x[0] * x[0])
    });
    let problem = Problem::minimise(f.unwrap()).within(Ball::new(1.0)).build().unwrap();
    let settings = Settings { method: MethodRule::Newton, ..Settings::default() };
    let error = problem.solve(&settings).unwrap_err().to_string();
    assert!(error.contains("no second derivatives"), "{error}");
}
