//! `cargo bench --bench overhead`: what a solve costs beyond the calls of its oracles, on a Neyman-Pearson problem of
//! 50 000 x 100: every oracle is wrapped in a clock, and the rest of the wall time is ours.
//!
//! On one thread the oracles' time is exact. On two, rows run at the same time and only the wall time means anything.
#![allow(missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use ufcm::component::Logistic;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Convexity, Curvature, OracleError, Smoothness};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::Status;
use ufcm::settings::Settings;

const ROWS: usize = 50_000;
const FEATURES: usize = 100;
const ROUNDS: usize = 15;

/// Time spent in oracles, and calls of theirs.
#[derive(Default)]
struct Clock {
    nanoseconds: AtomicU64,
    gradients: AtomicU64,
    values: AtomicU64,
}

impl Clock {
    fn time<T>(&self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = call();
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    fn count(&self, with_gradient: bool) {
        let counter = if with_gradient { &self.gradients } else { &self.values };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// A component whose every call that costs anything is timed.
struct Timed {
    inner: Logistic,
    clock: Arc<Clock>,
}

impl Timed {
    fn known_curvature(&self) -> &dyn Curvature {
        self.inner.curvature().expect("asked for only where there is one")
    }
}

impl Component for Timed {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.clock.count(gradient.is_some());
        self.clock.time(|| self.inner.evaluate(x, gradient))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.inner.smoothness()
    }

    fn convexity(&self) -> Option<Convexity> {
        self.inner.convexity()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.inner.lower_bound()
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.inner.curvature().map(|_| self as _)
    }

    fn operations(&self) -> Option<u64> {
        self.inner.operations()
    }
}

impl Curvature for Timed {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        self.clock.time(|| self.known_curvature().add_diagonal(x, weight, diagonal))
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.clock.time(|| self.known_curvature().add_hessian(x, weight, hessian))
    }

    fn has_products(&self) -> bool {
        self.known_curvature().has_products()
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        self.clock.time(|| self.known_curvature().add_products(x, weight, vectors, out))
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        self.clock.time(|| self.known_curvature().add_diagonal_bound(weight, diagonal))
    }
}

/// A small deterministic generator (SplitMix64), uniform in [-1, 1).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// The loss on class 1 subject to a bound on the loss on class 0. The loss of class 1 alone only wants a larger constant
/// feature, so the bound is active at the solution.
fn neyman_pearson(clock: &Arc<Clock>) -> Problem {
    let mut random = Random(7);
    let truth: Vec<f64> = (0..FEATURES).map(|_| random.uniform() * 5.0 / (FEATURES as f64).sqrt()).collect();
    let mut classes = [Vec::new(), Vec::new()];
    for _ in 0..ROWS {
        let sample: Vec<f64> =
            (0..FEATURES).map(|k| if k == 0 { 1.0 } else { 2.0 * random.uniform() }).collect();
        let score: f64 = sample.iter().zip(&truth).map(|(a, w)| a * w).sum();
        let positive = 0.5 + 0.5 * random.uniform() < 1.0 / (1.0 + (-score).exp());
        classes[usize::from(positive)].extend(sample);
    }
    let [class0, class1] = classes.map(|data| {
        let rows = data.len() / FEATURES;
        Matrix::row_major(rows, FEATURES, data).unwrap()
    });
    let timed = |data: Matrix, label: f64| {
        let labels = vec![label; data.rows()];
        Timed { inner: Logistic::new(data, &labels).unwrap(), clock: Arc::clone(clock) }
    };
    Problem::minimise(timed(class1, 1.0))
        .subject_to(timed(class0, -1.0).at_most(0.4))
        .within(Ball::new(10.0))
        .build()
        .unwrap()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let clock = Arc::new(Clock::default());
    let problem = neyman_pearson(&clock);
    println!("Neyman-Pearson {ROWS} x {FEATURES} to a certified gap of 1e-6, median of {ROUNDS} solves");
    for threads in [1, 2] {
        let settings = Settings { threads: Some(threads), ..Settings::default() };
        let (mut inside, mut total, mut share) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            for counter in [&clock.nanoseconds, &clock.gradients, &clock.values] {
                counter.store(0, Ordering::Relaxed);
            }
            let start = Instant::now();
            let report = problem.solve(&settings).unwrap();
            let wall = start.elapsed().as_secs_f64();
            let oracles = clock.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
            assert_eq!(report.status, Status::Certified);
            assert!(report.multipliers[1] > 1e-3, "the constraint is meant to be active");
            // The first solve warms the caches up.
            if round == 0 {
                if threads == 1 {
                    let (gradients, values) = (&clock.gradients, &clock.values);
                    println!(
                        "calls of the two oracles: {} with gradient, {} without; the report counts {:?}",
                        gradients.load(Ordering::Relaxed),
                        values.load(Ordering::Relaxed),
                        report.counts
                    );
                }
                continue;
            }
            inside.push(oracles);
            total.push(wall);
            share.push(1.0 - oracles / wall);
        }
        let total = 1e3 * median(total);
        if threads == 1 {
            let (inside, share) = (1e3 * median(inside), 100.0 * median(share));
            println!(
                "1 thread:  {total:.1} ms, of which {inside:.1} ms in the oracles: {share:.1} % beyond them"
            );
        } else {
            println!("{threads} threads: {total:.1} ms");
        }
    }
}
