//! Trade-off curves: the band holds what later solves find, its lines are proofs, and it takes few gradients.

use crate::random::Random;
use ufcm::component::{Linear, Logistic, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{BoundError, IntoConstraint, Problem};
use ufcm::regulariser::{Ball, Bounds, Simplex};
use ufcm::report::Status;
use ufcm::settings::Settings;
use ufcm::tradeoff::{TradeoffError, TradeoffStatus};

/// Two classes of random samples that overlap; the loss on one, and a bound on that on the other.
fn neyman_pearson(bound: f64) -> Problem {
    let (rows, n) = (120, 6);
    let mut random = Random::new(7);
    let mut class = |shift: f64| {
        let entries =
            (0..rows * n).map(|k| random.within(-1.7, 1.7) + if k % n == 0 { shift } else { 0.0 }).collect();
        Matrix::row_major(rows, n, entries).unwrap()
    };
    let (benign, malignant) = (class(-0.8), class(0.8));
    Problem::minimise(Logistic::new(benign, &vec![-1.0; rows]).unwrap())
        .subject_to(Logistic::new(malignant, &vec![1.0; rows]).unwrap().at_most(bound).named("missed"))
        .within(Ball::new(8.0))
        .build()
        .unwrap()
}

#[test]
fn later_solves_lie_in_the_band() {
    let problem = neyman_pearson(0.4);
    let settings = Settings::default();
    let (from, to, tol) = (0.45, 0.65, 1e-3);
    let curve = problem.tradeoff("missed", from, to, tol, &settings).unwrap();
    assert_eq!(curve.status, TradeoffStatus::Certified);
    assert!(curve.width <= tol && curve.violation == 0.0, "{} {}", curve.width, curve.violation);
    assert_eq!((curve.from, curve.to, curve.infeasible_beyond), (from, to, None));
    // Solves but the first are warm.
    let (all, solves) = (curve.counts.gradients - curve.first.gradients, curve.points.len() - 1);
    assert!(all <= 6 * solves, "{all} gradients in {solves} solves");
    let mut random = Random::new(3);
    for _ in 0..20 {
        let c = random.within(from, to);
        let (lower, upper) = curve.band(c);
        assert!(upper - lower <= tol * lower.abs().max(curve.unit), "{c}: {lower} {upper}");
        let report = problem.with_bound("missed", c).unwrap().solve(&settings).unwrap();
        assert_eq!(report.status, Status::Certified);
        // What the later solve proves, and what the band says, have a value in common.
        assert!(
            report.lower_bound <= upper && lower <= report.upper_bound,
            "{c}: {lower} {upper} {report:?}"
        );
        assert!(report.objective >= lower - 1e-6 && report.lower_bound <= upper);
    }
    let corners = curve.corners();
    assert!(corners.first().unwrap().0 == from && corners.last().unwrap().0 == to);
}

/// The line of a proof is what the verifier finds for other bounds.
#[test]
fn lines_are_proofs() {
    let problem = neyman_pearson(0.4);
    let curve = problem.tradeoff("missed", 0.45, 0.6, 1e-2, &Settings::default()).unwrap();
    let report = problem.with_bound("missed", 0.5).unwrap().solve(&Settings::default()).unwrap();
    let proof = report.certificate.unwrap();
    let multiplier: f64 = proof.witnesses.iter().map(|witness| witness.weight * witness.multipliers[1]).sum();
    for c in [0.45, 0.47, 0.5, 0.55, 0.6] {
        let other = problem.with_bound("missed", c).unwrap();
        let line = proof.lower - multiplier * (c - 0.5) - 1e-12;
        // x need not be feasible there: only the bound is checked.
        let mut moved = proof.clone();
        moved.x.clone_from(&curve.points[0].x);
        let upper = ufcm::certificate::Upper::at(&other, &moved.x).unwrap();
        (moved.upper, moved.violation, moved.lower) =
            (upper.objective + upper.rounding, upper.violation, line);
        let verified = moved.verify(&other).unwrap();
        // Beyond what the run kept for rounding, the verifier finds the same.
        assert!((verified.lower - line).abs() <= 1e-6, "{c}: {} {line}", verified.lower);
        assert!(curve.band(c).1 >= line);
        moved.lower += 1e-3;
        assert!(moved.verify(&other).is_err(), "{c}");
    }
}

#[test]
fn bounds_from_below_and_several_rows() {
    // min x'Dx/2 over the simplex, with a mean return of at least r: by hand, on a grid of many values.
    let returns = Matrix::row_major(2, 3, vec![1.0, 2.0, 3.0, 1.0, 0.0, 0.0]).unwrap();
    let block = Affine::new(returns, vec![0.0, 0.0]).unwrap();
    let problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 2.0, 8.0]).unwrap())
        .subject_to(block.between(vec![1.5, f64::NEG_INFINITY], vec![f64::INFINITY, 0.9]).named("held"))
        .within(Simplex::new(1.0).unwrap())
        .build()
        .unwrap();
    let settings = Settings::default();
    let curve = problem.tradeoff("held[0]", 1.4, 2.8, 1e-3, &settings).unwrap();
    assert_eq!(curve.status, TradeoffStatus::Certified);
    for c in [1.4, 1.7, 2.0, 2.5, 2.8] {
        let report = problem.with_bound("held[0]", c).unwrap().solve(&settings).unwrap();
        let (lower, upper) = curve.band(c);
        assert!(lower <= report.upper_bound && report.lower_bound <= upper, "{c}");
    }
    // Asking for more return costs more.
    assert!(curve.band(2.8).0 > curve.band(1.4).1);
    assert!(matches!(
        problem.tradeoff("held", 1.0, 2.0, 1e-3, &settings),
        Err(TradeoffError::Bound(BoundError::Several { .. }))
    ));
}

#[test]
fn infeasible_ends_are_told() {
    // min x subject to x^2 - 1 <= c, x in [-3, 3]: infeasible for c < -1.
    let size = || Quadratic::diagonal(vec![2.0]).unwrap().with_constant(-1.0).unwrap();
    let problem = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap())
        .subject_to(size().at_most(0.0).named("size"))
        .within(Bounds::new(-3.0, 3.0).unwrap())
        .build()
        .unwrap();
    let curve = problem.tradeoff("size", -2.0, 3.0, 1e-2, &Settings::default()).unwrap();
    let beyond = curve.infeasible_beyond.unwrap();
    assert!((-2.0..=-1.0).contains(&beyond) && beyond > -1.1, "{beyond}");
    assert!(curve.from >= -1.0 && curve.from < -0.9, "{}", curve.from);
    assert_eq!(curve.band(-1.5), (f64::INFINITY, f64::INFINITY));
    for c in [curve.from, 0.0, 1.5, 3.0f64] {
        let (lower, upper) = curve.band(c);
        assert!(lower <= -(1.0 + c).sqrt() && -(1.0 + c).sqrt() <= upper, "{c}: {lower} {upper}");
    }
    let hopeless = problem.tradeoff("size", -3.0, -2.0, 1e-2, &Settings::default()).unwrap_err();
    assert!(matches!(hopeless, TradeoffError::Infeasible { .. }), "{hopeless}");
}

#[test]
fn what_has_no_single_bound_is_refused_by_name() {
    let rows = Matrix::row_major(1, 2, vec![1.0, 1.0]).unwrap();
    let block = || Affine::new(rows.clone(), vec![1.0]).unwrap();
    let problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 2.0]).unwrap())
        .subject_to(block().equal_to_zero().named("sum"))
        .subject_to(block().between(vec![-1.0], vec![1.0]).named("both"))
        .build()
        .unwrap();
    assert!(matches!(problem.with_bound("sum", 1.0), Err(BoundError::Equation { .. })));
    assert!(matches!(problem.with_bound("both", 1.0), Err(BoundError::TwoSided { .. })));
    let unknown = problem.with_bound("som", 1.0).unwrap_err().to_string();
    assert!(unknown.contains("\"sum\"") && unknown.contains("\"both\""), "{unknown}");
    let problem = neyman_pearson(0.4);
    for bound in [f64::NAN, f64::INFINITY] {
        assert!(matches!(problem.with_bound("missed", bound), Err(BoundError::NotFinite { .. })));
    }
    for [from, to] in [[0.1, 0.1], [f64::NAN, 1.0]] {
        assert!(problem.tradeoff("missed", from, to, 1e-3, &Settings::default()).is_err());
    }
    assert!(problem.tradeoff("missed", 0.1, 0.2, 0.0, &Settings::default()).is_err());
    let moved = problem.with_bound("missed", 0.1).unwrap();
    assert_eq!(moved.bounded_row("missed").unwrap(), (1, 0.1));
    let x = [0.1; 6];
    let [before, after] = [&problem, &moved].map(|problem| problem.values_at(&x).unwrap());
    assert!((before[1] - after[1]).abs() < 1e-14);
}
