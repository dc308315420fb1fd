//! Problems of several kinds, whose components show as much as they are told to.

use super::random::Random;
use super::shown::{Shown, Shows};
use std::sync::Arc;
use ufcm::component::{ComponentExt, LeastSquares, Logistic, Quadratic};
use ufcm::composer::Max;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds, L1, Ridge};

/// The kinds of problems.
pub const KINDS: usize = 5;

/// Features that are mixed, with a constant; the first few lean to one side.
fn features(rows: usize, n: usize, lean: f64, random: &mut Random) -> Matrix {
    let k = n - 1;
    let mixing = Random::new(1).vector(k * k, 1.7);
    let mut values = Vec::with_capacity(rows * n);
    for _ in 0..rows {
        let mut raw = random.vector(k, 1.7);
        raw.iter_mut().take(3).for_each(|v| *v += 0.7 * lean);
        raw.iter_mut().enumerate().for_each(|(j, v)| *v *= 10f64.powf(-(j as f64) / k as f64));
        let mixed = |i: usize| (0..k).map(|j| raw[j] * mixing[j * k + i]).sum::<f64>() / (k as f64).sqrt();
        values.extend((0..k).map(mixed));
        values.push(1.0);
    }
    Matrix::row_major(rows, n, values).unwrap()
}

fn logistic(rows: usize, n: usize, label: f64, random: &mut Random) -> Logistic {
    Logistic::new(features(rows, n, label, random), &vec![label; rows]).unwrap()
}

fn quadratic(n: usize, linear: f64, random: &mut Random) -> Quadratic {
    let root = random.vector(n * n, 1.7);
    let entry = |k: usize| {
        let (i, j) = (k / n, k % n);
        let product: f64 = (0..n).map(|l| root[l * n + i] * root[l * n + j]).sum();
        product / n as f64 + if i == j { 0.05 } else { 0.0 }
    };
    let q = Matrix::row_major(n, n, (0..n * n).map(entry).collect()).unwrap();
    Quadratic::trusted(&q).unwrap().with_linear(random.vector(n, linear)).unwrap()
}

/// The loss on one class with a bound on that on the other, in a ball.
pub fn neyman_pearson(n: usize, bound: f64, seed: u64, shows: Shows) -> Problem {
    let mut random = Random::new(seed);
    Problem::minimise(Shown { of: logistic(10 * n, n, 1.0, &mut random), shows })
        .subject_to(Shown { of: logistic(8 * n, n, -1.0, &mut random), shows }.at_most(bound).named("alarms"))
        .within(Ball::new(10.0))
        .build()
        .unwrap()
}

/// A quadratic under quadratic constraints, in a box.
pub fn qcqp(n: usize, bound: f64, seed: u64, shows: Shows) -> Problem {
    let mut random = Random::new(seed);
    let mut builder = Problem::minimise(Shown { of: quadratic(n, 3.0, &mut random), shows });
    for _ in 0..3 {
        builder = builder.subject_to(Shown { of: quadratic(n, 0.5, &mut random), shows }.at_most(bound));
    }
    builder.within(Bounds::new(-20.0, 20.0).unwrap()).build().unwrap()
}

/// A problem of a kind. `bound` is near 1 and moves its constraints, or its data.
pub fn problem(kind: usize, bound: f64, seed: u64, shows: Shows) -> Problem {
    let mut random = Random::new(seed);
    let n = 6 + 3 * (seed as usize % 5);
    let shown = |of: Logistic| Shown { of, shows };
    match kind {
        0 => neyman_pearson(n, 0.4 * bound, seed, shows),
        1 => qcqp(n, bound, seed, shows),
        // Without a domain: what bounds solutions is the penalty.
        2 => {
            let loss = logistic(10 * n, n, 1.0, &mut random);
            let size = Shown { of: quadratic(n, 0.0, &mut random), shows };
            Problem::minimise(shown(loss))
                .subject_to(size.at_most(0.2 * bound))
                .regularised_by(L1::new(0.01).unwrap())
                .build()
                .unwrap()
        }
        // The largest of several losses.
        3 => {
            let group = |k: usize, random: &mut Random| -> Arc<dyn Component> {
                let label = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
                Arc::new(shown(logistic(5 * n, n, label, random)).shifted(0.05 * bound * k as f64).unwrap())
            };
            let groups = (0..4).map(|k| group(k, &mut random)).collect();
            Problem::over(n)
                .plus(Term::new(Max::new(4).unwrap(), groups))
                .within(Ball::new(5.0))
                .build()
                .unwrap()
        }
        // Least squares with a ridge: no domain is needed.
        _ => {
            let targets = random.vector(10 * n, 2.0 * bound);
            let loss = LeastSquares::new(features(10 * n, n, 1.0, &mut random), targets).unwrap();
            Problem::minimise(Shown { of: loss, shows })
                .regularised_by(Ridge::new(1e-3).unwrap())
                .build()
                .unwrap()
        }
    }
}
