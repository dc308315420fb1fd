//! Bounds on the variables that follow from cones, from bounded terms, from curved rows that nobody calls strongly convex, and from the
//! level of the objective: problems without a domain are certified, and the verifier accepts no bounds that do not follow.

use crate::random::Random;
use std::sync::Arc;
use ufcm::certificate::{Certificate, Premise};
use ufcm::component::{LeastSquares, Linear, Reduction};
use ufcm::composer::{Cones, L1Norm, Sublevel};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Constraint, IntoConstraint, Problem, ProblemBuilder};
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

fn rows(matrix: &[&[f64]], offset: &[f64]) -> Affine {
    let columns = matrix[0].len();
    Affine::new(Matrix::row_major(matrix.len(), columns, matrix.concat()).unwrap(), offset.to_vec()).unwrap()
}

fn minimise(slope: &[f64]) -> ProblemBuilder {
    Problem::minimise(Linear::new(slope.to_vec(), 0.0).unwrap())
}

fn certified(problem: &Problem, optimum: f64) -> Report {
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{}", report.meaning());
    assert!((report.objective - optimum).abs() <= 1e-5 * optimum.abs().max(1.0), "{}", report.objective);
    assert!(report.lower_bound <= optimum + 1e-9);
    report.certificate.as_ref().unwrap().verify(problem).unwrap();
    report
}

/// |(x_0, x_1)| <= 2 as a second-order cone.
fn in_a_cone() -> Problem {
    let cone = rows(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]], &[-2.0, 0.0, 0.0]);
    let cone = cone.in_cones(Cones::second_order(&[3]).unwrap()).named("disc");
    minimise(&[3.0, 4.0]).subject_to(cone).build().unwrap()
}

fn bounds(certificate: &mut Certificate) -> (&mut Vec<f64>, &mut Vec<f64>, &mut Vec<String>) {
    let Premise::ImpliedBounds { lower, upper, rows } = &mut certificate.premise else {
        panic!("another premise")
    };
    (lower, upper, rows)
}

#[test]
fn a_second_order_cone_bounds_its_variables() {
    let mut certificate = certified(&in_a_cone(), -10.0).certificate.unwrap();
    assert!(certificate.rests_on().contains("disc"), "{}", certificate.rests_on());
    let (lower, upper, rows) = bounds(&mut certificate);
    assert!(lower.iter().chain(&*upper).all(|end| (end.abs() - 2.0).abs() < 1e-6), "{lower:?} {upper:?}");
    assert_eq!(rows.len(), 3);
}

#[test]
fn forged_bounds_from_cones_are_refused() {
    let problem = in_a_cone();
    let certificate = problem.solve(&Settings::default()).unwrap().certificate.unwrap();
    let forge = |change: &dyn Fn(&mut Certificate)| {
        let mut forged = certificate.clone();
        change(&mut forged);
        forged.verify(&problem)
    };
    assert!(forge(&|_| ()).is_ok());
    assert!(forge(&|c| bounds(c).0[0] -= 1.0).is_ok(), "wider bounds are as true");
    assert!(forge(&|c| bounds(c).0[0] = -1.9).is_err());
    assert!(forge(&|c| bounds(c).1[1] = 1.9).is_err());
    assert!(forge(&|c| bounds(c).1[1] = f64::NAN).is_err());
    assert!(forge(&|c| bounds(c).1.truncate(1)).is_err());
    // The same bounds for a problem with a wider cone.
    let wider = rows(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]], &[-2.1, 0.0, 0.0]);
    let wider = wider.in_cones(Cones::second_order(&[3]).unwrap());
    let wider = minimise(&[3.0, 4.0]).subject_to(wider).build().unwrap();
    assert!(certificate.verify(&wider).is_err());
    // And with a cone that has no head: x_2 is bounded by nothing.
    let open = rows(&[&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], &[0.0; 3]);
    let open = open.in_cones(Cones::second_order(&[3]).unwrap());
    let open = minimise(&[3.0, 4.0, 1.0]).subject_to(open).build().unwrap();
    assert!(!Premise::implied(&open, &[0.0; 3]).unwrap().is_complete());
}

#[test]
fn a_norm_that_is_bounded_bounds_its_variables() {
    // |A x| <= 1 as one row of squares, with a dense A and a variable that it does not speak of.
    let a = Matrix::row_major(2, 3, vec![2.0, 1.0, 0.0, -1.0, 2.0, 0.0]).unwrap();
    let squares = LeastSquares::new(a, vec![0.0, 0.0]).unwrap().reduced_by(Reduction::Sum);
    let other = rows(&[&[0.0, 0.0, 1.0]], &[0.0]).between(vec![-1.0], vec![1.0]);
    let problem = minimise(&[5f64.sqrt(), 0.0, 1.0])
        .subject_to(squares.at_most(0.5))
        .subject_to(other)
        .build()
        .unwrap();
    // x = A^-1 y with |y| <= 1, and A^-1 = A'/5.
    certified(&problem, -2.0);
    // norm1(x - a) <= 1: the sublevel set of a term.
    let norm = Sublevel::new(Box::new(L1Norm::new(vec![1.0; 2]).unwrap()), 1.0).unwrap();
    let parts: Vec<Arc<dyn ufcm::oracle::Component>> = [[1.0, 0.0], [0.0, 1.0]]
        .iter()
        .map(|slope| Arc::new(Linear::new(slope.to_vec(), -3.0).unwrap()) as Arc<dyn ufcm::oracle::Component>)
        .collect();
    let diamond = Constraint::new(norm, parts);
    let problem = minimise(&[1.0, 2.0]).subject_to(diamond).build().unwrap();
    certified(&problem, 7.0);
}

/// max sum r with r_i <= log(1 + x_i), x >= 0, sum x <= 1: no constraint bounds r from below, the objective does.
fn rates(n: usize) -> Problem {
    let mut cones = vec![0.0; 3 * n * 2 * n];
    let mut offset = vec![0.0; 3 * n];
    for i in 0..n {
        cones[3 * i * 2 * n + n + i] = 1.0;
        (offset[3 * i + 1], offset[3 * i + 2]) = (-1.0, -1.0);
        cones[(3 * i + 2) * 2 * n + i] = 1.0;
    }
    let cones = Affine::new(Matrix::row_major(3 * n, 2 * n, cones).unwrap(), offset).unwrap();
    let mut signs = vec![0.0; (n + 1) * 2 * n];
    for i in 0..n {
        signs[i * 2 * n + i] = -1.0;
        signs[n * 2 * n + i] = 1.0;
    }
    let mut sides = vec![0.0; n];
    sides.push(1.0);
    let signs = Affine::new(Matrix::row_major(n + 1, 2 * n, signs).unwrap(), sides).unwrap();
    let slope: Vec<f64> = (0..2 * n).map(|i| if i < n { 0.0 } else { -1.0 }).collect();
    minimise(&slope)
        .subject_to(cones.in_cones(Cones::exponential(n)))
        .subject_to(signs.at_most_zero())
        .build()
        .unwrap()
}

#[test]
fn the_level_of_the_objective_bounds_what_constraints_do_not() {
    let n = 4;
    let problem = rates(n);
    let optimum = -(n as f64) * (1.0 + 1.0 / n as f64).ln();
    let mut certificate = certified(&problem, optimum).certificate.unwrap();
    if let Premise::Enclosure { level, lower, .. } = &mut certificate.premise {
        assert!(lower[n] < 0.1 && lower[n] > -1.5, "{lower:?}");
        *level += 10.0;
        assert!(certificate.verify(&problem).is_err(), "the box of another level");
    }
}

/// No feasible point lies outside the bounds that follow from cones around random rows.
#[test]
fn every_feasible_point_is_inside() {
    let (n, mut bounded) = (3, 0);
    for seed in 0..300 {
        let mut random = Random::new(900 + seed);
        let a: Vec<f64> =
            random.vector(6 * n, 1.0).iter().map(|v| if v.abs() < 0.4 { 0.0 } else { *v }).collect();
        let x = random.vector(n, 2.0);
        let image = |row: usize| (0..n).map(|i| a[row * n + i] * x[i]).sum::<f64>();
        // Offsets that put x on the boundary of a second-order and of an exponential cone.
        let z: Vec<f64> = random.vector(6, 1.0);
        let (norm, b) = (z[1].hypot(z[2]), z[4].abs() + 0.1);
        let point = [norm * (1.0 + 1e-15), z[1], z[2], z[3], b, b * (z[3] / b).exp() * (1.0 + 1e-12)];
        let offset: Vec<f64> = (0..6).map(|row| image(row) - point[row]).collect();
        let matrix = |from: usize| Matrix::row_major(3, n, a[from * n..][..3 * n].to_vec()).unwrap();
        let soc = Affine::new(matrix(0), offset[..3].to_vec()).unwrap();
        let exp = Affine::new(matrix(3), offset[3..].to_vec()).unwrap();
        let own: Vec<f64> = (0..n).map(|i| x[i] - random.within(0.0, 1.0)).collect();
        let up: Vec<f64> =
            (0..n).map(|i| if i == 0 { x[i] + random.within(0.0, 1.0) } else { f64::INFINITY }).collect();
        let problem = minimise(&[1.0; 3])
            .subject_to(soc.in_cones(Cones::second_order(&[3]).unwrap()))
            .subject_to(exp.in_cones(Cones::exponential(1)))
            .within(ufcm::regulariser::Bounds::new(own, up).unwrap())
            .build()
            .unwrap();
        if let Premise::ImpliedBounds { lower, upper, .. } = Premise::implied(&problem, &x).unwrap() {
            bounded += 1;
            for i in 0..n {
                assert!(
                    lower[i] <= x[i] && x[i] <= upper[i],
                    "seed {seed}: {} {} {}",
                    lower[i],
                    x[i],
                    upper[i]
                );
            }
        }
    }
    assert!(bounded > 50, "{bounded}");
}
