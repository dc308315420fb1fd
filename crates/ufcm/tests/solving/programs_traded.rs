//! Trade-off curves of generated linear and quadratic programs: few gradients, and later values inside the band.

use crate::random::Random;
use ufcm::component::{Huber, Linear, Quadratic};
use ufcm::composer::{ConditionalValueAtRisk, L1Norm, Quantile, Sublevel};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Constraint, IntoConstraint, Problem, Term};
use ufcm::regulariser::{Bounds, Simplex};
use ufcm::report::Status;
use ufcm::settings::Settings;
use ufcm::tradeoff::{Tradeoff, TradeoffStatus};

const TOL: f64 = 1e-3;

/// The curve of `name`, with later solves inside its band.
fn checked(problem: &Problem, name: &str, [from, to]: [f64; 2]) -> Tradeoff {
    let settings = Settings::default();
    let curve = problem.tradeoff(name, from, to, TOL, &settings).unwrap();
    assert_eq!(curve.status, TradeoffStatus::Certified, "{name}");
    let mut random = Random::new(17);
    for _ in 0..15 {
        let c = random.within(curve.from, curve.to);
        let (lower, upper) = curve.band(c);
        assert!(upper - lower <= TOL * lower.abs().max(curve.unit), "{name} {c}: {lower} {upper}");
        let report = problem.with_bound(name, c).unwrap().solve(&settings).unwrap();
        assert_eq!(report.status, Status::Certified, "{name} {c}");
        let above = report.upper_bound.min(report.objective + report.violation_worth);
        assert!(report.lower_bound <= upper && lower <= above + 1e-9, "{name} {c}: {lower} {upper} {above}");
    }
    curve
}

/// One solve, and at most 4 times the gradients of one that begins from nothing.
fn takes_few_gradients(problem: &Problem, name: &str, range: [f64; 2]) -> Tradeoff {
    let curve = checked(problem, name, range);
    let cold = problem.solve(&Settings::default()).unwrap().counts.gradients;
    let all = curve.counts.gradients;
    assert!(all <= 4 * cold, "{name}: {all} gradients in {} solves, {cold} cold", curve.solves);
    assert_eq!(curve.solves, 1, "{name}");
    assert!(
        curve.points.len() > 1
            && curve.points.iter().filter(|point| point.gradient_evaluations == 0).count() > 0
    );
    curve
}

fn random_matrix(random: &mut Random, rows: usize, n: usize, size: f64) -> Matrix {
    Matrix::row_major(rows, n, random.vector(rows * n, size)).unwrap()
}

/// Returns of `n` shares in so many months, and their means.
fn returns(seed: u64, months: usize, n: usize) -> (Matrix, Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let means: Vec<f64> = (0..n).map(|_| random.within(0.2, 2.0)).collect();
    let entries: Vec<f64> = (0..months * n)
        .map(|k| means[k % n] + (1.0 + 2.0 * means[k % n]) * random.within(-2.0, 2.0))
        .collect();
    let mean = |i: usize| entries.iter().skip(i).step_by(n).sum::<f64>() / months as f64;
    let means = (0..n).map(mean).collect();
    (Matrix::row_major(months, n, entries.clone()).unwrap(), means, entries)
}

/// Absolute deviations from a level, as in examples/portfolio, and a return of at least c.
#[test]
fn deviations_and_return() {
    for seed in 0..3 {
        let (matrix, means, _) = returns(seed, 60, 10);
        let [least, most] = [f64::min, f64::max].map(|f| means.iter().copied().reduce(f).unwrap());
        let losses: Vec<f64> = means.iter().map(|mean| -mean).collect();
        let deviations = Affine::new(matrix, vec![0.5; 60]).unwrap();
        let problem = Problem::minimise(Linear::new(losses.clone(), 0.0).unwrap())
            .plus(Term::affine(Quantile::new(60, 0.9, 1.0 / 6.0).unwrap(), deviations))
            .subject_to(Linear::new(losses, 0.0).unwrap().at_most(-0.5 * (least + most)).named("return"))
            .within(Simplex::new(1.0).unwrap())
            .build()
            .unwrap();
        let range = [-0.9 * most - 0.1 * least, -0.3 * most - 0.7 * least];
        takes_few_gradients(&problem, "return", range);
    }
}

/// A bound on a conditional value at risk, which moves a composer and no row.
#[test]
fn return_and_a_bound_on_the_risk() {
    let (_, means, entries) = returns(7, 50, 8);
    let losses = Matrix::row_major(50, 8, entries.iter().map(|v| -v).collect()).unwrap();
    let risk = Sublevel::new(Box::new(ConditionalValueAtRisk::new(50, 0.1).unwrap()), 4.0).unwrap();
    let problem = Problem::minimise(Linear::new(means.iter().map(|mean| -mean).collect(), 0.0).unwrap())
        .subject_to(Constraint::affine(risk, Affine::new(losses, vec![0.0; 50]).unwrap()).named("risk"))
        .within(Simplex::new(1.0).unwrap())
        .build()
        .unwrap();
    let value = problem.solve(&Settings::default()).unwrap();
    assert_eq!(value.status, Status::Certified);
    takes_few_gradients(&problem, "risk", [2.0, 6.0]);
}

/// Absolute residuals, and a bound on the absolute values of the coefficients.
#[test]
fn absolute_residuals_and_size() {
    let mut random = Random::new(3);
    let data = Affine::new(random_matrix(&mut random, 40, 6, 1.0), random.vector(40, 3.0)).unwrap();
    let size = Sublevel::new(Box::new(L1Norm::new(vec![1.0; 6]).unwrap()), 2.0).unwrap();
    let identity = Matrix::row_major(6, 6, (0..36).map(|k| f64::from(k % 7 == 0)).collect()).unwrap();
    let problem = Problem::over(6)
        .plus(Term::affine(L1Norm::new(vec![1.0; 40]).unwrap(), data))
        .subject_to(Constraint::affine(size, Affine::new(identity, vec![0.0; 6]).unwrap()).named("size"))
        .build()
        .unwrap();
    takes_few_gradients(&problem, "size", [0.2, 3.0]);
}

/// Linear programs in many rows; the bound of one of them.
#[test]
fn one_of_many_resources() {
    for seed in 0..3 {
        let mut random = Random::new(100 + seed);
        let (rows, n) = (15, 25);
        let uses = Matrix::row_major(rows, n, random.positive(rows * n, 0.1, 1.0)).unwrap();
        let worth = random.positive(n, 0.5, 1.5).iter().map(|c| -c).collect();
        let block = Affine::new(uses, vec![0.0; rows]).unwrap();
        let problem = Problem::minimise(Linear::new(worth, 0.0).unwrap())
            .subject_to(
                block.between(vec![f64::NEG_INFINITY; rows], random.positive(rows, 2.0, 4.0)).named("uses"),
            )
            .within(Bounds::new(0.0, 1.0).unwrap())
            .build()
            .unwrap();
        takes_few_gradients(&problem, "uses[3]", [1.0, 3.0]);
    }
}

/// Transport at least cost with a bound on delays: one equation follows from the others, and many corners are the same point.
fn transport(late: f64) -> Problem {
    let (from, to) = (4, 5);
    let n = from * to;
    let mut random = Random::new(9);
    let mut whole = |most: f64| -> Vec<f64> { (0..n).map(|_| random.within(0.0, most).floor()).collect() };
    let (cost, delay) = (whole(9.0), whole(6.0));
    let sums = |count: usize, of: &dyn Fn(usize) -> usize| {
        let entry = |k: usize| f64::from(of(k % n) == k / n);
        Matrix::row_major(count, n, (0..count * n).map(entry).collect()).unwrap()
    };
    let supply = Affine::new(sums(from, &|k| k / to), vec![5.0; from]).unwrap();
    let demand = Affine::new(sums(to, &|k| k % to), vec![4.0; to]).unwrap();
    Problem::minimise(Linear::new(cost, 0.0).unwrap())
        .subject_to(supply.equal_to_zero().named("supply"))
        .subject_to(demand.equal_to_zero().named("demand"))
        .subject_to(Linear::new(delay, 0.0).unwrap().at_most(late).named("late"))
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap()
}

#[test]
fn degenerate_programs() {
    let least = transport(1e3).tradeoff("late", -10.0, 100.0, TOL, &Settings::default()).unwrap().from;
    takes_few_gradients(&transport(1e3), "late", [least + 1.0, least + 40.0]);
}

/// A tight end beyond all that is feasible costs a gradient more, for the proof of that.
#[test]
fn a_range_that_ends_where_nothing_is_feasible() {
    let (_, means, entries) = returns(5, 40, 6);
    let most = means.iter().copied().fold(f64::MIN, f64::max);
    let block = Affine::new(Matrix::row_major(40, 6, entries).unwrap(), vec![0.0; 40]).unwrap();
    let losses: Vec<f64> = means.iter().map(|mean| -mean).collect();
    let problem = Problem::over(6)
        .plus(Term::affine(L1Norm::new(vec![0.1; 40]).unwrap(), block))
        .subject_to(Linear::new(losses, 0.0).unwrap().at_most(-1.0).named("return"))
        .within(Simplex::new(1.0).unwrap())
        .build()
        .unwrap();
    let curve = checked(&problem, "return", [-2.0 * most, -0.5]);
    let beyond = curve.infeasible_beyond.unwrap();
    assert!(beyond <= -most && beyond > -most - 0.02 && curve.from >= -most, "{beyond} {most}");
    assert_eq!(curve.solves, 1);
    let cold = problem.solve(&Settings::default()).unwrap().counts.gradients;
    assert!(curve.counts.gradients <= 4 * cold + 1, "{:?} {cold}", curve.counts);
}

/// Quadratic objectives: a line takes a gradient, and the answers take none.
#[test]
fn quadratic_programs_take_one_solve() {
    let (_, means, entries) = returns(11, 40, 8);
    let entry = |i: usize, j: usize| -> f64 {
        (0..40).map(|t| (entries[8 * t + i] - means[i]) * (entries[8 * t + j] - means[j])).sum::<f64>() / 40.0
    };
    let covariance = Matrix::row_major(8, 8, (0..64).map(|k| entry(k / 8, k % 8)).collect()).unwrap();
    let losses: Vec<f64> = means.iter().map(|mean| -mean).collect();
    let [least, most] = [f64::min, f64::max].map(|f| means.iter().copied().reduce(f).unwrap());
    let variance = Problem::minimise(Quadratic::new(&covariance).unwrap())
        .subject_to(Linear::new(losses, 0.0).unwrap().at_most(-0.5 * (least + most)).named("return"))
        .within(Simplex::new(1.0).unwrap())
        .build()
        .unwrap();
    let curve = checked(&variance, "return", [-0.9 * most - 0.1 * least, -0.4 * most - 0.6 * least]);
    assert_eq!(curve.solves, 1);
    // Two for writing the program down.
    let most = curve.first.gradients + curve.points.len() + 1;
    assert!(curve.counts.gradients <= most, "{:?} {most}", curve.counts);

    let mut random = Random::new(21);
    let fit = Huber::new(random_matrix(&mut random, 30, 6, 1.0), random.vector(30, 4.0), 0.5).unwrap();
    let huber = Problem::minimise(fit)
        .subject_to(Linear::new(vec![1.0; 6], 0.0).unwrap().at_most(1.0).named("sum"))
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap();
    checked(&huber, "sum", [0.1, 4.0]);
}

/// min y - x subject to x + y = 10, x <= c: 10 - 2 c, which is 0 with the loosest bound.
#[test]
fn a_value_of_zero_at_one_end_is_no_unit() {
    let sum = Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0]).unwrap(), vec![10.0]).unwrap();
    let problem = Problem::minimise(Linear::new(vec![-1.0, 1.0], 0.0).unwrap())
        .subject_to(sum.equal_to_zero().named("sum"))
        .subject_to(Linear::new(vec![1.0, 0.0], 0.0).unwrap().at_most(5.0).named("cap"))
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap();
    let curve = problem.tradeoff("cap", 4.0, 5.0, TOL, &Settings::default()).unwrap();
    assert_eq!((curve.status, curve.unit), (TradeoffStatus::Certified, 1.0));
    for c in [4.0, 4.3, 5.0f64] {
        let (lower, upper) = curve.band(c);
        assert!(lower <= 10.0 - 2.0 * c + 1e-6 && 10.0 - 2.0 * c <= upper + 1e-6, "{c}: {lower} {upper}");
    }
}
