//! Trade-off curves: the band holds what later solves find, its lines are proofs, and it takes few gradients.

use crate::random::Random;
use std::sync::Arc;
use ufcm::component::{Linear, Logistic, Quadratic};
use ufcm::composer::{ConditionalValueAtRisk, Sublevel};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{BoundError, Constraint, IntoConstraint, Problem};
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

/// Two groups of samples whose losses are bounded, and a third whose loss is least.
fn two_groups() -> Problem {
    let (rows, n) = (80, 4);
    let mut random = Random::new(11);
    let mut group = |shift: f64, label: f64| {
        let entry = |k: usize, random: &mut Random| {
            random.within(-1.7, 1.7) + if k.is_multiple_of(n) { label * shift } else { 0.0 }
        };
        let entries = (0..rows * n).map(|k| entry(k, &mut random)).collect();
        Logistic::new(Matrix::row_major(rows, n, entries).unwrap(), &vec![label; rows]).unwrap()
    };
    let (objective, first, second) = (group(0.8, -1.0), group(0.7, 1.0), group(0.2, 1.0));
    Problem::minimise(objective)
        .subject_to(first.at_most(0.5).named("first"))
        .subject_to(second.at_most(0.5).named("second"))
        .within(Ball::new(8.0))
        .build()
        .unwrap()
}

#[test]
fn later_solves_lie_in_the_surface() {
    let (problem, settings, tol) = (two_groups(), Settings::default(), 4e-3);
    let ranges = [("first", 0.58, 0.68), ("second", 0.68, 0.75)];
    let surface = problem.surface(ranges, tol, &settings).unwrap();
    assert_eq!(surface.status, TradeoffStatus::Certified);
    assert!(surface.width <= tol && surface.violation == 0.0 && surface.undecided == 0.0);
    assert_eq!(surface.ranges, [[0.58, 0.68], [0.68, 0.75]]);
    let mut random = Random::new(5);
    for _ in 0..20 {
        let [a, b] = surface.ranges.map(|[from, to]| random.within(from, to));
        let (lower, upper) = surface.band([a, b]);
        assert!(upper - lower <= tol * lower.abs().max(surface.unit), "{a} {b}: {lower} {upper}");
        let moved = problem.with_bound("first", a).unwrap().with_bound("second", b).unwrap();
        let report = moved.solve(&settings).unwrap();
        assert_eq!(report.status, Status::Certified);
        assert!(report.lower_bound <= upper && lower <= report.upper_bound, "{a} {b}: {lower} {upper}");
        // Planes are below, wherever they were proven.
        for plane in surface.planes() {
            let height =
                plane.value + plane.slope[0] * (a - plane.at[0]) + plane.slope[1] * (b - plane.at[1]);
            assert!(height <= report.upper_bound + 1e-9, "{height} {}", report.upper_bound);
        }
    }
    let same = problem.surface([("first", 0.58, 0.6), ("first", 0.58, 0.6)], tol, &settings);
    assert!(matches!(same, Err(TradeoffError::Same { .. })));
}

/// min -x - y subject to x + 2 y <= a, 2 x + y <= b - 4 and -x - y <= 0: nothing is feasible where a + b < 4.
#[test]
fn a_surface_ends_where_nothing_is_feasible() {
    let row = |p: f64, q: f64, c: f64| Linear::new(vec![p, q], c).unwrap();
    let problem = Problem::minimise(
        Quadratic::diagonal(vec![1.0, 2.0]).unwrap().with_linear(vec![-3.0, -1.0]).unwrap(),
    )
    .subject_to(row(1.0, 2.0, 0.0).at_most(1.0).named("a"))
    .subject_to(row(2.0, 1.0, 4.0).at_most(5.0).named("b"))
    .subject_to(row(-1.0, -1.0, 0.0).at_most(0.0).named("sum"))
    .within(Bounds::new(-9.0, 9.0).unwrap())
    .build()
    .unwrap();
    let surface = problem.surface([("a", 0.0, 4.0), ("b", 0.0, 6.0)], 1e-2, &Settings::default()).unwrap();
    assert_eq!(surface.status, TradeoffStatus::Certified);
    assert!(surface.undecided > 0.0 && surface.undecided < 0.15, "{}", surface.undecided);
    assert_eq!(surface.band([0.5, 1.0]), (f64::INFINITY, f64::INFINITY));
    let mut random = Random::new(2);
    for _ in 0..20 {
        let c = [random.within(0.0, 4.0), random.within(0.0, 6.0)];
        let moved = problem.with_bound("a", c[0]).unwrap().with_bound("b", c[1]).unwrap();
        let report = moved.solve(&Settings::default()).unwrap();
        let (lower, upper) = surface.band(c);
        match report.status {
            Status::Infeasible => assert_eq!(upper, f64::INFINITY, "{c:?}"),
            _ => assert!(lower <= report.upper_bound && report.lower_bound <= upper, "{c:?}"),
        }
    }
}

/// Bounds on terms move as bounds on rows do: CVaR as a set, the largest as rows, a norm as sides.
#[test]
fn bounds_on_terms_have_curves() {
    let losses = |shift: f64| -> Vec<Arc<dyn Component>> {
        [[1.0, 0.2], [-0.4, 1.0], [0.5, 0.5], [0.9, -0.8]]
            .iter()
            .map(|row| Arc::new(Linear::new(row.to_vec(), shift).unwrap()) as Arc<dyn Component>)
            .collect()
    };
    let risk = Sublevel::new(Box::new(ConditionalValueAtRisk::new(4, 0.5).unwrap()), 1.0).unwrap();
    let problem = Problem::minimise(Linear::new(vec![-1.0, -1.5], 0.0).unwrap())
        .subject_to(Constraint::new(risk, losses(0.0)).named("risk"))
        .within(Ball::new(5.0))
        .build()
        .unwrap();
    let settings = Settings::default();
    assert_eq!(problem.bounded_row("risk").unwrap(), (1, 1.0));
    let curve = problem.tradeoff("risk", 0.5, 3.0, 1e-3, &settings).unwrap();
    assert_eq!((curve.status, curve.constraint.as_str()), (TradeoffStatus::Certified, "risk"));
    let mut random = Random::new(9);
    for _ in 0..10 {
        let c = random.within(0.5, 3.0);
        let report = problem.with_bound("risk", c).unwrap().solve(&settings).unwrap();
        let term = problem.bounded_term(&(1..5)).unwrap();
        assert!(term.value(&problem.values_at(&report.x).unwrap()[1..]) <= c + 1e-6);
        let (lower, upper) = curve.band(c);
        assert!(report.lower_bound <= upper && lower <= report.upper_bound, "{c}: {lower} {upper}");
    }
    // What no point satisfies has no interior, and is refused by name.
    assert!(matches!(problem.with_bound("risk", f64::NAN), Err(BoundError::NotFinite { .. })));
}
