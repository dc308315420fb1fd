//! Problems without a bounded domain are certified where their components are curved, and only there.

use crate::random;

use random::Random;
use ufcm::certificate::Premise;
use ufcm::component::{ComponentExt, Huber, LeastSquares, Logistic, Poisson, Quadratic, SquaredHinge};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

const N: usize = 4;
const SAMPLES: usize = 60;

fn data(random: &mut Random) -> Matrix {
    Matrix::row_major(SAMPLES, N, (0..SAMPLES * N).map(|_| random.within(-1.5, 1.5)).collect()).unwrap()
}

/// Labels that no plane separates.
fn labels(random: &mut Random) -> Vec<f64> {
    (0..SAMPLES).map(|_| if random.within(-1.5, 1.5) > 0.0 { 1.0 } else { -1.0 }).collect()
}

fn solved(problem: &Problem) -> Report {
    problem.solve(&Settings::default()).unwrap()
}

/// Certified, by curvature unless signs alone prove it, and true: no random point is below the bound.
fn is_certified(problem: &Problem, random: &mut Random, what: &str) -> Report {
    let report = solved(problem);
    assert_eq!(report.status, Status::Certified, "{what}: {}", report.meaning());
    let certificate = report.certificate.as_ref().unwrap();
    let premise = &certificate.premise;
    assert!(matches!(premise, Premise::Curvature { .. } | Premise::None), "{what}: {premise:?}");
    assert!(certificate.verify(problem).unwrap().gap() <= 2e-6 * report.objective.abs().max(1.0));
    for size in [1e-3, 1.0, 1e3] {
        let x: Vec<f64> = report.x.iter().map(|x| x + size * random.within(-1.5, 1.5)).collect();
        let value = problem.value(&x);
        assert!(value.is_err() || value.unwrap() >= report.lower_bound, "{what}");
    }
    report
}

#[test]
fn losses_over_data_of_full_rank_need_no_domain() {
    let mut random = Random::new(3);
    let targets: Vec<f64> = (0..SAMPLES).map(|_| 2.0 * random.within(-1.5, 1.5)).collect();
    let counts: Vec<f64> = targets.iter().map(|t| t.abs().round()).collect();
    let signs = labels(&mut random);
    let losses: Vec<(&str, Box<dyn Component>)> = vec![
        ("least squares", Box::new(LeastSquares::new(data(&mut random), targets.clone()).unwrap())),
        ("huber", Box::new(Huber::new(data(&mut random), targets, 0.7).unwrap())),
        ("logistic", Box::new(Logistic::new(data(&mut random), &signs).unwrap())),
        ("poisson", Box::new(Poisson::new(data(&mut random), counts).unwrap())),
        ("squared hinge", Box::new(SquaredHinge::new(data(&mut random), &signs).unwrap())),
    ];
    for (what, loss) in losses {
        is_certified(&Problem::minimise(loss).build().unwrap(), &mut random, what);
    }
}

#[test]
fn nonnegative_least_squares_and_constraints_are_certified_too() {
    let mut random = Random::new(5);
    let targets: Vec<f64> = (0..SAMPLES).map(|_| 2.0 * random.within(-1.5, 1.5)).collect();
    let fit = || LeastSquares::new(data(&mut Random::new(6)), targets.clone()).unwrap();
    let nonnegative = Problem::minimise(fit()).within(Bounds::new(0.0, f64::INFINITY).unwrap()).build();
    is_certified(&nonnegative.unwrap(), &mut random, "nonnegative least squares");
    // A loss as a constraint beside a loss: a Neyman-Pearson problem without a domain.
    let limited = Logistic::new(data(&mut random), &labels(&mut random)).unwrap();
    let constrained = Problem::minimise(fit()).subject_to(limited.at_most(0.7)).build().unwrap();
    is_certified(&constrained, &mut random, "a constraint");
}

#[test]
fn flat_directions_are_not_certified() {
    let mut random = Random::new(8);
    let mut entries: Vec<f64> = (0..SAMPLES * N).map(|_| random.within(-1.5, 1.5)).collect();
    // The last column is the sum of two others: no growth in one direction.
    entries.chunks_mut(N).for_each(|row| row[N - 1] = row[0] + row[1]);
    let matrix = Matrix::row_major(SAMPLES, N, entries).unwrap();
    let targets: Vec<f64> = (0..SAMPLES).map(|_| random.within(-1.5, 1.5)).collect();
    let problem = Problem::minimise(LeastSquares::new(matrix, targets).unwrap()).build().unwrap();
    let report = solved(&problem);
    assert_ne!(report.status, Status::NumericalError, "{}", report.meaning());
    let curved = report.certificate.map(|c| matches!(c.premise, Premise::Curvature { .. }));
    assert_ne!(curved, Some(true), "a flat direction has no curvature");
}

#[test]
fn curvature_that_is_not_there_is_refused() {
    let mut random = Random::new(9);
    let loss = Logistic::new(data(&mut random), &labels(&mut random)).unwrap();
    let problem = Problem::minimise(loss.plus(Quadratic::diagonal(vec![0.0; N]).unwrap()).unwrap());
    let problem = problem.build().unwrap();
    let certificate = is_certified(&problem, &mut random, "logistic").certificate.unwrap();
    let Premise::Curvature { mu, radius } = certificate.premise else { panic!() };
    let forged = |premise: Premise, lower: f64| {
        let mut forged = certificate.clone();
        (forged.premise, forged.lower) = (premise, lower);
        forged.verify(&problem)
    };
    assert!(forged(Premise::Curvature { mu: 1e3 * mu, radius }, certificate.lower).is_err());
    assert!(forged(Premise::Curvature { mu, radius: f64::INFINITY }, certificate.lower).is_err());
    assert!(forged(Premise::Curvature { mu, radius: 0.0 }, certificate.lower).is_err());
    assert!(forged(Premise::Curvature { mu, radius: f64::NAN }, certificate.lower).is_err());
    assert!(forged(certificate.premise.clone(), certificate.lower + 1e-3).is_err());
    // Far from the minimum the curvature does not hold it within the radius.
    let mut moved = certificate.clone();
    moved.witnesses[0].y.iter_mut().for_each(|y| *y += 3.0);
    assert!(moved.verify(&problem).is_err());
}
