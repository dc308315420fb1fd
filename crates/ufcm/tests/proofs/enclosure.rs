//! Answers without a bounded domain that are proven because there is no other: linear programs, least absolute deviations, quantiles,
//! hinges, quadratic programs. Decision 0024.

use crate::random;

use random::Random;
use std::sync::Arc;
use ufcm::certificate::{Certificate, Premise};
use ufcm::component::{LeastSquares, Linear, Sum};
use ufcm::composer::{L1Norm, Penalty, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::Bounds;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

fn random_rows(random: &mut Random, rows: usize, n: usize) -> Matrix {
    Matrix::row_major(rows, n, random.vector(rows * n, 1.0)).unwrap()
}

/// min c.x with A x = b, x >= 0; an optimum by construction, in which as many variables are positive as there are rows.
fn standard_form(seed: u64, rows: usize, n: usize) -> (Problem, f64) {
    let mut random = Random::new(seed);
    let a = random_rows(&mut random, rows, n);
    let at: Vec<f64> = (0..n).map(|i| if i < rows { random.within(0.5, 1.5) } else { 0.0 }).collect();
    let y = random.vector(rows, 1.0);
    let (mut b, mut cost) = (vec![0.0; rows], vec![0.0; n]);
    a.for_each(|i, j, v| {
        b[i] += v * at[j];
        cost[j] += v * y[i];
    });
    (rows..n).for_each(|j| cost[j] += random.within(0.1, 1.1));
    let optimum = cost.iter().zip(&at).map(|(c, x)| c * x).sum();
    let problem = Problem::minimise(Linear::new(cost, 0.0).unwrap())
        .subject_to(Affine::new(a, b).unwrap().equal_to_zero())
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap();
    (problem, optimum)
}

/// min c.x with A x <= b and free x: c is minus a positive combination of n rows.
fn inequalities(seed: u64, rows: usize, n: usize) -> (Problem, f64) {
    let mut random = Random::new(seed);
    let a = random_rows(&mut random, rows, n);
    let at = random.vector(n, 1.0);
    let y: Vec<f64> = (0..rows).map(|i| if i < n { random.within(0.1, 1.1) } else { 0.0 }).collect();
    let (mut b, mut cost) = (vec![0.0; rows], vec![0.0; n]);
    a.for_each(|i, j, v| {
        b[i] += v * at[j];
        cost[j] -= v * y[i];
    });
    (n..rows).for_each(|i| b[i] += random.within(0.1, 1.1));
    let optimum = cost.iter().zip(&at).map(|(c, x)| c * x).sum();
    let problem = Problem::minimise(Linear::new(cost, 0.0).unwrap())
        .subject_to(Affine::new(a, b).unwrap().at_most_zero())
        .build()
        .unwrap();
    (problem, optimum)
}

fn solved(problem: &Problem) -> Report {
    problem.solve(&Settings::default()).unwrap()
}

fn is_enclosed(certificate: &Certificate) -> bool {
    matches!(certificate.premise, Premise::Enclosure { .. })
}

/// Certified with a bound below `optimum`, which is not far above it.
fn assert_proven(what: &str, problem: &Problem, optimum: Option<f64>) {
    let report = solved(problem);
    assert_eq!(report.status, Status::Certified, "{what}: {report:?}");
    let certificate = report.certificate.expect("a certificate");
    let verified = certificate.verify(problem).expect(what);
    if let Some(optimum) = optimum {
        let size = 1.0 + optimum.abs();
        assert!(verified.lower <= optimum + 1e-12 * size, "{what}: {} above {optimum}", verified.lower);
        assert!(verified.lower >= optimum - 2e-6 * size, "{what}: {} far below {optimum}", verified.lower);
    }
}

#[test]
fn linear_programs_are_proven_without_a_domain() {
    for seed in 0..6 {
        let (problem, optimum) = standard_form(seed, 20, 45);
        assert_proven("standard form", &problem, Some(optimum));
        let (problem, optimum) = inequalities(seed, 60, 15);
        assert_proven("inequalities", &problem, Some(optimum));
    }
}

/// min sum_i x_i with -x_{i-1} + 3 x_i - x_{i+1} = b_i and free x: rows alone hold the variables, together.
fn chain(n: usize) -> Problem {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for j in i.saturating_sub(1)..(i + 2).min(n) {
            columns.push(j);
            values.push(if i == j { 3.0 } else { -1.0 });
        }
        starts.push(columns.len());
    }
    let rows = Matrix::csr(n, n, &starts, &columns, values).unwrap();
    let sides = (0..n).map(|i| (i as f64).sin()).collect();
    Problem::minimise(Linear::new(vec![1.0; n], 0.0).unwrap())
        .subject_to(Affine::new(rows, sides).unwrap().equal_to_zero())
        .build()
        .unwrap()
}

/// Decision 0032: the matrix of loose variables is factored by its entries, and may then have thousands of columns.
#[test]
fn thousands_of_loose_variables_are_proven_where_their_rows_are_sparse() {
    assert_proven("a chain", &chain(1800), None);
}

#[test]
fn regressions_with_kinks_are_proven_without_a_domain() {
    let (rows, n) = (80, 6);
    for seed in 0..4 {
        let mut random = Random::new(100 + seed);
        let mut affine = || {
            let a = random_rows(&mut random, rows, n);
            Affine::new(a, random.vector(rows, 1.0)).unwrap()
        };
        let over = |term| Problem::over(n).plus(term).build().unwrap();
        let absolute = over(Term::affine(L1Norm::new(vec![1.0; rows]).unwrap(), affine()));
        assert_proven("least absolute deviations", &absolute, None);
        let quantile = over(Term::affine(Quantile::new(rows, 0.3, 1.0).unwrap(), affine()));
        assert_proven("quantile", &quantile, None);
        let hinges = Term::affine(Penalty::new(rows, 1.0).unwrap(), affine());
        let slope = Linear::new(random.vector(n, 1.0), 0.0).unwrap();
        let hinges = Problem::minimise(slope).plus(hinges).build().unwrap();
        assert_proven("hinges", &hinges, None);
    }
}

/// Curvature in some directions, rows in the others.
#[test]
fn quadratic_programs_are_proven_by_curvature_and_rows_together() {
    for seed in 0..6 {
        let mut random = Random::new(200 + seed);
        let (n, rows) = (12, 40);
        let loss = LeastSquares::new(random_rows(&mut random, 5, n), random.vector(5, 1.0)).unwrap();
        let bounds: Vec<f64> = (0..rows).map(|_| random.within(0.5, 1.5)).collect();
        let a = random_rows(&mut random, rows, n);
        let slope = Linear::new(random.vector(n, 1.0), 0.0).unwrap();
        let problem = Problem::minimise(Sum::new(vec![Arc::new(loss), Arc::new(slope)]).unwrap())
            .subject_to(Affine::new(a, bounds).unwrap().at_most_zero())
            .build()
            .unwrap();
        assert_proven("quadratic program", &problem, None);
    }
}

/// A box that is too small, a level that is too low or no number: refused. A wider box is as true.
#[test]
fn forged_boxes_are_refused() {
    let (problem, _) = inequalities(3, 60, 15);
    let certificate = solved(&problem).certificate.expect("a certificate");
    assert!(is_enclosed(&certificate), "{:?}", certificate.premise);
    let forge = |change: &dyn Fn(&mut Certificate)| {
        let mut forged = certificate.clone();
        change(&mut forged);
        forged.verify(&problem)
    };
    type Change = dyn Fn(&mut f64, &mut [f64], &mut [f64]);
    let ends = |forged: &mut Certificate, change: &Change| {
        let Premise::Enclosure { level, lower, upper } = &mut forged.premise else { panic!() };
        change(level, lower, upper);
    };
    assert!(forge(&|c| ends(c, &|_, lower, _| lower[0] -= 1.0)).is_ok());
    assert!(forge(&|c| ends(c, &|_, lower, upper| lower[0] = upper[0])).is_err());
    assert!(forge(&|c| ends(c, &|_, lower, upper| upper[2] = lower[2])).is_err());
    assert!(forge(&|c| ends(c, &|_, _, upper| upper[1] = f64::NAN)).is_err());
    assert!(forge(&|c| ends(c, &|level, _, _| *level = f64::NAN)).is_err());
    assert!(forge(&|c| ends(c, &|level, _, _| *level -= 1.0)).is_err());
    assert!(forge(&|c| ends(c, &|level, _, _| *level += 1.0)).is_err(), "the box is then too small");
    assert!(forge(&|c| c.lower += 1.0).is_err());
    assert!(forge(&|c| c.witnesses[0].multipliers.iter_mut().for_each(|l| *l *= 1.01)).is_err());
    assert!(forge(&|c| c.witnesses.push(c.witnesses[0].clone())).is_err());
    assert!(forge(&|c| c.witnesses[0].y[0] += 10.0).is_err());
}

/// Many answers, and some as far away as one likes: no box, and no bound that would be false.
#[test]
fn what_has_no_only_answer_is_not_enclosed() {
    // min x_0 with x_0 >= 1, x_1 free.
    let row = Affine::new(Matrix::row_major(1, 2, vec![-1.0, 0.0]).unwrap(), vec![-1.0]).unwrap();
    let problem = Problem::minimise(Linear::new(vec![1.0, 0.0], 0.0).unwrap())
        .subject_to(row.at_most_zero())
        .build()
        .unwrap();
    let report = solved(&problem);
    let certificate = report.certificate.expect("a certificate");
    assert!(!is_enclosed(&certificate) && report.lower_bound <= 1.0);
}
