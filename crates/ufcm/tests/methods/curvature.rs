//! The metric of curvature: the same answers as in the plain norm under every regulariser and composer, in few gradients
//! where variables are correlated.

use crate::planted;

use planted::Random;
use std::sync::Arc;
use ufcm::component::{Custom, LeastSquares, Linear, Logistic, Quadratic};
use ufcm::composer::L1Norm;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem, ProblemBuilder, Term};
use ufcm::regulariser::{
    AffineSet, Ball, Bounds, ElasticNet, GroupL2, L1, L1Ball, L1Box, L2Norm, LinfNorm, Ridge,
    SecondOrderCone, Simplex, TotalVariation,
};
use ufcm::report::{Report, Status};
use ufcm::settings::{MetricRule, Settings};

const N: usize = 12;

/// Rows whose columns are mixed: a condition number of some thousands.
fn mixed(rows: usize, n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let mixing = random.vector(n * n, (n * n) as f64 / 2.0);
    let mut values = Vec::with_capacity(rows * n);
    for _ in 0..rows {
        let row: Vec<f64> =
            (0..n).map(|j| random.uniform() * 10f64.powf(-2.0 * j as f64 / n as f64)).collect();
        values.extend((0..n).map(|i| (0..n).map(|j| row[j] * mixing[j * n + i]).sum::<f64>()));
    }
    values
}

/// The loss of a class whose first feature leans to its side.
fn logistic(rows: usize, n: usize, label: f64, seed: u64) -> Logistic {
    let mut values = mixed(rows, n, seed);
    values.iter_mut().step_by(n).for_each(|first| *first += label);
    Logistic::new(Matrix::row_major(rows, n, values).unwrap(), &vec![label; rows]).unwrap()
}

fn solve(problem: &Problem, metric: MetricRule) -> Report {
    let settings = Settings { metric, max_gradients: Some(20_000), ..Settings::default() };
    problem.solve(&settings).unwrap()
}

/// One objective, one constraint and one term of each kind, under some u.
fn problem(with: impl Fn(ProblemBuilder) -> ProblemBuilder) -> Problem {
    let target = Random(5).vector(40, 2.0);
    let objective = LeastSquares::new(Matrix::row_major(40, N, mixed(40, N, 1)).unwrap(), target).unwrap();
    let pieces: Vec<Arc<dyn Component>> =
        vec![Arc::new(logistic(30, N, 1.0, 2)), Arc::new(Quadratic::diagonal(vec![0.3; N]).unwrap())];
    let block =
        Affine::new(Matrix::row_major(3, N, Random(4).vector(3 * N, 5.0)).unwrap(), vec![0.1; 3]).unwrap();
    let builder = Problem::minimise(objective)
        .plus(Term::max(pieces))
        .plus(Term::affine(L1Norm::new(vec![0.2; 3]).unwrap(), block))
        .subject_to(logistic(30, N, -1.0, 3).at_most(0.75));
    with(builder).build().unwrap()
}

#[test]
fn every_regulariser_gives_the_same_answer() {
    type With = Box<dyn Fn(ProblemBuilder) -> ProblemBuilder>;
    let cases: Vec<(&str, With)> = vec![
        ("none", Box::new(|b| b)),
        ("box", Box::new(|b| b.within(Bounds::new(-0.1, 0.2).unwrap()))),
        ("ball", Box::new(|b| b.within(Ball::new(0.4)))),
        ("l1", Box::new(|b| b.regularised_by(L1::new(0.05).unwrap()))),
        ("ridge", Box::new(|b| b.regularised_by(Ridge::new(0.3).unwrap()))),
        ("elastic net", Box::new(|b| b.regularised_by(ElasticNet::new(0.03, 0.1).unwrap()))),
        ("l1 and box", Box::new(|b| b.regularised_by(L1Box::new(0.02, -0.3, 0.3).unwrap()))),
        ("group l2", Box::new(|b| b.regularised_by(GroupL2::new(N, [0..4, 4..8, 8..12], 0.05).unwrap()))),
        ("l2 norm", Box::new(|b| b.regularised_by(L2Norm::new(0.05).unwrap()))),
        ("linf norm", Box::new(|b| b.regularised_by(LinfNorm::new(0.1).unwrap()))),
        ("l1 ball", Box::new(|b| b.within(L1Ball::new(0.8).unwrap()))),
        ("simplex", Box::new(|b| b.within(Simplex::new(1.0).unwrap()))),
        ("total variation", Box::new(|b| b.regularised_by(TotalVariation::new(0.05).unwrap()))),
        ("second-order cone", Box::new(|b| b.within(SecondOrderCone))),
        ("affine set", Box::new(|b| b.within(AffineSet::new(vec![vec![1.0; N]], vec![0.3]).unwrap()))),
    ];
    for (label, with) in cases {
        let problem = problem(with);
        // The plain norm does not get as far on all of these; its bounds hold all the same.
        let (plain, curved) = (solve(&problem, MetricRule::Scalar), solve(&problem, MetricRule::Curvature));
        let (status, trouble) = (curved.status, &curved.trouble);
        assert!(
            status.is_success(),
            "{label}: {status} {trouble:?} {} {}",
            curved.objective,
            curved.lower_bound
        );
        let slack = 2e-6 * (1.0 + curved.objective.abs());
        assert!(
            curved.objective <= plain.objective + slack,
            "{label}: {} {}",
            plain.objective,
            curved.objective
        );
        assert!(plain.lower_bound <= curved.objective + slack, "{label}: {}", plain.lower_bound);
        assert!(curved.counts.hessians > 0, "{label}: {:?}", curved.counts);
        assert!(curved.counts.gradients <= plain.counts.gradients.max(60), "{label}: {:?}", curved.counts);
        if let Some(certificate) = curved.certificate.filter(|_| curved.status == Status::Certified) {
            certificate.verify(&problem).unwrap();
        }
    }
}

#[test]
fn correlated_features_take_few_gradients_without_being_told() {
    let (rows, n) = (1500, 30);
    let problem = Problem::minimise(logistic(rows, n, 1.0, 11))
        .subject_to(logistic(rows, n, -1.0, 12).at_most(0.66))
        .within(Ball::new(10.0))
        .build()
        .unwrap();
    let [auto, plain] = [MetricRule::Auto, MetricRule::Scalar].map(|metric| solve(&problem, metric));
    assert_eq!((auto.status, plain.status), (Status::Certified, Status::Certified));
    assert!(auto.counts.gradients <= 50 && auto.counts.data_passes <= 80.0, "{:?}", auto.counts);
    assert!(plain.counts.gradients >= 5 * auto.counts.gradients, "{:?} {:?}", plain.counts, auto.counts);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let problem = Problem::minimise(logistic(4000, 20, 1.0, 21))
        .subject_to(logistic(4000, 20, -1.0, 22).at_most(0.68))
        .within(Ball::new(5.0))
        .build()
        .unwrap();
    let run = |threads| {
        let settings =
            Settings { threads: Some(threads), metric: MetricRule::Curvature, ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        (report.x, report.lower_bound.to_bits(), report.counts)
    };
    let one = run(1);
    assert!(one.2.hessians > 0);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn black_boxes_are_refused_by_name_where_curvature_is_asked_for() {
    let black_box = Custom::new(2, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        }
        Ok(x[0] * x[0] + x[1] * x[1])
    });
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(black_box.unwrap().at_most(1.0))
        .within(Ball::new(3.0))
        .build()
        .unwrap();
    let settings = Settings { metric: MetricRule::Curvature, ..Settings::default() };
    let message = problem.solve(&settings).unwrap_err().to_string();
    assert!(message.contains("second derivatives"), "{message}");
    assert_eq!(solve(&problem, MetricRule::Auto).status, Status::Certified);
}
