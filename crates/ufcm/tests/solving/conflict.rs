//! Proofs of infeasibility name the constraints that they need, and no others.

use ufcm::certificate::{CertificateError, Infeasibility};
use ufcm::component::{Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Bounds, L1, Ridge};
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

fn solved(problem: &Problem) -> (Report, Infeasibility) {
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Infeasible, "{}", report.meaning());
    let proof = report.infeasibility.clone().unwrap();
    proof.verify(problem).unwrap();
    (report, proof)
}

fn names(proof: &Infeasibility) -> Vec<&str> {
    proof.rows.iter().map(|needed| needed.name.as_str()).collect()
}

fn plane(a: &[f64], b: f64) -> Affine {
    Affine::new(Matrix::row_major(1, a.len(), a.to_vec()).unwrap(), vec![b]).unwrap()
}

/// x + y <= 1, x - y <= 0 and x >= 2 contradict each other; the other two are innocent.
fn five_rows() -> Problem {
    Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(plane(&[1.0, 1.0], 1.0).at_most_zero().named("sum"))
        .subject_to(plane(&[0.0, 1.0], 50.0).at_most_zero().named("height"))
        .subject_to(plane(&[1.0, -1.0], 0.0).at_most_zero().named("order"))
        .subject_to(plane(&[-1.0, 0.0], -2.0).at_most_zero().named("start"))
        .subject_to(plane(&[-1.0, -2.0], 70.0).at_most_zero().named("rest"))
        .regularised_by(Ridge::new(1e-3).unwrap())
        .build()
        .unwrap()
}

#[test]
fn a_proof_names_the_rows_it_needs_and_shows_that_each_is_needed() {
    let problem = five_rows();
    let (report, proof) = solved(&problem);
    assert_eq!(names(&proof), ["sum", "order", "start"]);
    assert!(proof.is_irreducible());
    let told = "`sum`, `order` and `start` have no common point, and none of them can be left out";
    assert_eq!(report.meaning(), format!("{told}; the certificate proves it"));
    let l: Vec<f64> = proof.rows.iter().map(|needed| needed.multiplier / proof.rows[0].multiplier).collect();
    assert!((l[1] - 1.0).abs() < 1e-9 && (l[2] - 2.0).abs() < 1e-9, "{l:?}");
}

#[test]
fn rows_that_are_in_the_way_twice_are_named_once() {
    // Five times the same contradiction.
    let mut problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 1.0]).unwrap());
    for k in 0..5 {
        let b = -1.0 - f64::from(k) / 8.0;
        problem = problem.subject_to(plane(&[1.0, 1.0], b).at_most_zero().named(format!("low {k}")));
        problem = problem.subject_to(plane(&[-1.0, -1.0], b).at_most_zero().named(format!("high {k}")));
    }
    let problem = problem.regularised_by(L1::new(0.1).unwrap()).build().unwrap();
    let (_, proof) = solved(&problem);
    assert!(proof.is_irreducible(), "{}", proof.conflict());
    assert_eq!(proof.rows.len(), 2, "{}", proof.conflict());
}

#[test]
fn curved_rows_and_a_domain_count_too() {
    // |x|^2 <= 2 and x >= 2 in the domain: one row alone.
    let problem = Problem::minimise(Linear::new(vec![1.0, 0.0], 0.0).unwrap())
        .subject_to(Quadratic::diagonal(vec![2.0, 2.0]).unwrap().at_most(2.0).named("ball"))
        .subject_to(plane(&[1.0, 1.0], 40.0).at_most_zero().named("idle"))
        .within(Bounds::new(2.0, 30.0).unwrap())
        .build()
        .unwrap();
    let (report, proof) = solved(&problem);
    assert_eq!(names(&proof), ["ball"]);
    assert_eq!(report.meaning(), "no point of the domain satisfies `ball`; the certificate proves it");
}

#[test]
fn units_do_not_change_the_names() {
    let row = |a: [f64; 2], b: f64, factor: f64| plane(&a.map(|a| a * factor), b * factor).at_most_zero();
    let problem = Problem::minimise(Linear::new(vec![1e7, 1e7], 0.0).unwrap())
        .subject_to(row([1.0, 1.0], 1.0, 1e-6).named("sum"))
        .subject_to(row([0.0, 1.0], 50.0, 1e5).named("height"))
        .subject_to(row([1.0, -1.0], 0.0, 1e6).named("order"))
        .subject_to(row([-1.0, 0.0], -2.0, 1.0).named("start"))
        .build()
        .unwrap();
    let (_, proof) = solved(&problem);
    assert_eq!(names(&proof), ["sum", "order", "start"]);
    assert!(proof.is_irreducible());
}

#[test]
fn what_is_said_of_the_rows_is_checked() {
    let problem = five_rows();
    let (_, proof) = solved(&problem);
    let refused = |change: &dyn Fn(&mut Infeasibility)| {
        let mut forged = proof.clone();
        change(&mut forged);
        matches!(forged.verify(&problem), Err(CertificateError::Rows { .. }))
    };
    assert!(refused(&|proof| proof.rows[0].name = "height".into()));
    assert!(refused(&|proof| proof.rows[1].row = 2));
    assert!(refused(&|proof| proof.rows[1].multiplier *= 2.0));
    assert!(refused(&|proof| proof.rows[1].multiplier = f64::NAN));
    assert!(refused(&|proof| {
        proof.rows.pop();
    }));
    assert!(refused(&|proof| proof.rows[2].without = vec![100.0, 100.0]));
    // Old certificates say nothing of them.
    let mut silent = proof.clone();
    silent.rows.clear();
    assert!(silent.verify(&problem).is_ok() && !silent.is_irreducible());
    let json = serde_json::to_string(&proof).unwrap();
    assert_eq!(serde_json::from_str::<Infeasibility>(&json).unwrap(), proof);
}
