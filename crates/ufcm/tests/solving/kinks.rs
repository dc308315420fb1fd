//! Answers at kinks inside of components. Decision 0038.

use crate::random;

use random::Random;
use std::sync::Arc;
use ufcm::component::{ComponentExt, Power, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

/// The largest of an ill-conditioned bowl and half a sum of five absolute values, which meet where some of these are 0.
fn bowl_and_fold(n: usize, seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let (origin, other) = (random.vector(n, 1.7), random.vector(n, 1.7));
    let curvature: Vec<f64> = (0..n).map(|i| 10f64.powf(-2.0 * ((7 * i) % n) as f64 / n as f64)).collect();
    let linear: Vec<f64> = curvature.iter().zip(&origin).map(|(e, o)| -e * o).collect();
    let constant: f64 = curvature.iter().zip(&origin).map(|(e, o)| 0.5 * e * o * o).sum();
    let bowl = Quadratic::diagonal(curvature).unwrap().with_linear(linear).unwrap();
    let rows = random.vector(5 * n, 1.7 / (n as f64).sqrt());
    let targets = rows.chunks(n).map(|row| row.iter().zip(&other).map(|(a, o)| a * o).sum()).collect();
    let fold = Power::new(Matrix::row_major(5, n, rows).unwrap(), targets, 1.0).unwrap();
    // The mean of five, times 5/2.
    let fold = fold.scaled(2.5).unwrap().shifted(0.2).unwrap();
    let pieces: Vec<Arc<dyn Component>> =
        vec![Arc::new(bowl.with_constant(constant).unwrap()), Arc::new(fold)];
    Problem::over(n).plus(Term::max(pieces)).within(Bounds::new(-10.0, 10.0).unwrap()).build().unwrap()
}

#[test]
fn an_answer_at_kinks_inside_of_a_component_is_proven_in_few_gradients() {
    for seed in 0..12 {
        let report = bowl_and_fold(100, seed).solve(&Settings::default()).unwrap();
        assert_eq!(report.status, Status::Certified, "{seed}: {:?}", report.trouble);
        assert!(report.counts.gradients <= 110, "{seed}: {} gradients", report.counts.gradients);
    }
}
