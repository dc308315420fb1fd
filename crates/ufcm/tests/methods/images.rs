//! Rows between two points from what was read at those. Decision 0030.

use crate::random;

use random::Random;
use std::sync::Arc;
use ufcm::component::{ComponentExt, Linear, Logistic, Quadratic};
use ufcm::mapping::{Affine, Rows, Stacked};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Between, Component, Mapping};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::Status;
use ufcm::settings::{MethodRule, Settings};

const N: usize = 6;

fn quadratics(random: &mut Random) -> Vec<Arc<dyn Component>> {
    let factor = Matrix::row_major(3, N, random.vector(3 * N, 1.0)).unwrap();
    let linear = random.vector(N, 1.0);
    let mut q = vec![0.0; N * N];
    (0..N).for_each(|i| q[i * N + i] = 2.0 + i as f64);
    (q[1], q[N]) = (0.5, 0.5);
    vec![
        Arc::new(Quadratic::factored(factor, Some(vec![0.5; N])).unwrap().with_linear(linear).unwrap()),
        Arc::new(Quadratic::new(&Matrix::row_major(N, N, q).unwrap()).unwrap().with_constant(-3.0).unwrap()),
        Arc::new(Quadratic::diagonal(random.positive(N, 0.1, 2.0)).unwrap().scaled(2.5).unwrap()),
        Arc::new(Linear::new(random.vector(N, 1.0), 0.25).unwrap()),
    ]
}

#[test]
fn values_and_jacobians_between_points_are_those_that_are_read_there() {
    let mut random = Random::new(1);
    let rows: Box<dyn Mapping> = Box::new(Rows::new(quadratics(&mut random)).unwrap());
    let block = Matrix::row_major(2, N, random.vector(2 * N, 1.0)).unwrap();
    let affine: Box<dyn Mapping> = Box::new(Affine::new(block, vec![1.0, -1.0]).unwrap());
    let mut mapping = Stacked::new(vec![rows, affine]).unwrap();
    let size = mapping.image_size().unwrap();
    assert_eq!(size, 4 * N + 2);
    for _ in 0..20 {
        let (a, b, share) = (random.vector(N, 3.0), random.vector(N, 3.0), random.within(0.0, 1.0));
        let x: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (1.0 - share) * a + share * b).collect();
        let mut images = [vec![0.0; size], vec![0.0; size]];
        mapping.image(&a, &mut images[0]).unwrap();
        mapping.image(&b, &mut images[1]).unwrap();
        let at = Between { x: &x, images: [&images[0], &images[1]], share };
        let (mut between, mut alone, mut read) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        mapping.values_between(at, &mut alone).unwrap();
        mapping.linearise_between(at, &mut between).unwrap();
        let mut slope = [0.0; N];
        mapping.apply_transpose(&[1.0, -0.5, 0.25, 2.0, 1.0, 1.0], &mut slope);
        mapping.linearise(&x, &mut read).unwrap();
        let mut expected = [0.0; N];
        mapping.apply_transpose(&[1.0, -0.5, 0.25, 2.0, 1.0, 1.0], &mut expected);
        assert_eq!(alone, between);
        let near =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()));
        assert!(near(&between, &read), "{between:?} {read:?}");
        assert!(near(&slope, &expected), "{slope:?} {expected:?}");
    }
}

#[test]
fn a_loss_has_no_image() {
    let loss = Logistic::new(Matrix::row_major(1, 2, vec![1.0, 2.0]).unwrap(), &[1.0]).unwrap();
    assert_eq!(Rows::new(vec![Arc::new(loss)]).unwrap().image_size(), None);
}

/// Each step of the adaptive method reads the data once.
#[test]
fn a_step_reads_quadratics_once() {
    let (n, mut random) = (150, Random::new(3));
    let mut dense = |constant: f64| {
        let f = random.vector(n * n, 0.15);
        let entry = |k: usize| (0..n).map(|r| f[r * n + k / n] * f[r * n + k % n]).sum::<f64>();
        let q = Matrix::row_major(n, n, (0..n * n).map(entry).collect()).unwrap();
        let linear = random.vector(n, 1.0);
        Quadratic::new(&q).unwrap().with_linear(linear).unwrap().with_constant(constant).unwrap()
    };
    let mut problem = Problem::minimise(dense(0.0)).within(Ball::new(5.0));
    for _ in 0..4 {
        problem = problem.subject_to(dense(-1.0).at_most(0.0));
    }
    let problem = problem.build().unwrap();
    let settings = Settings { method: MethodRule::Adaptive, ..Settings::default() };
    let report = problem.solve(&settings).unwrap();
    assert_eq!(report.status, Status::Certified, "{:?}", report.trouble);
    let counts = report.counts;
    assert_eq!(counts.values, 0, "{counts:?}");
    // Attempts that fail take a read as well; the start, the proof and a feasible point some more.
    let apart = counts.proof_gradients as f64 + counts.hessians as f64 + 8.0;
    assert!(counts.data_passes <= 1.25 * counts.gradients as f64 + apart, "{counts:?}");
}
