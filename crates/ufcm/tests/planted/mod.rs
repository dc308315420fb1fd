//! `ufcm::theory::planted` for tests and examples, where an instance that cannot be made is a failure, and a generator of random numbers.

#![allow(dead_code, missing_docs, unused_imports)] // each user takes what it needs

use ufcm::theory::Aggregate;
use ufcm::theory::planted as library;
pub use ufcm::theory::planted::{Composition, Instance, RADIUS, RowKind};

/// A small deterministic generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// Uniform in [-1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize, norm: f64) -> Vec<f64> {
        let v: Vec<f64> = (0..n).map(|_| self.uniform()).collect();
        let scale = norm / length(&v);
        v.iter().map(|v| scale * v).collect()
    }
}

pub fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The compositions of the paper.
pub const COMPOSITIONS: [Composition; 5] = Composition::ALL;

pub fn instance(composition: Composition, kinds: &[RowKind], n: usize, seed: u64) -> Instance {
    Instance::new(composition, kinds, n, seed).expect("a sound instance")
}

/// The constants for this accuracy.
pub fn theory(instance: &Instance, eps: f64) -> Aggregate {
    instance.theory(eps).expect("constants")
}

pub fn uniform_instance(
    composition: Composition,
    p: f64,
    convexity: Option<(f64, f64)>,
    seed: u64,
) -> Instance {
    library::uniform_instance(composition, p, convexity, seed).expect("a sound instance")
}

pub fn smooth_and_lipschitz(lipschitz: f64, eps: f64, power: f64) -> Instance {
    library::smooth_and_lipschitz(lipschitz, eps, power).expect("a sound instance")
}

pub fn mixed_instance(composition: Composition, rough: bool, convex: bool, seed: u64) -> Instance {
    library::mixed_instance(composition, rough, convex, seed).expect("a sound instance")
}

/// Runs that must succeed.
pub mod runs {
    use super::{Instance, library};
    pub use ufcm::theory::planted::runs::{Run, fitted_slope, is_checkpoint, slope};

    pub fn ufcm(instance: &Instance, eps: f64, early: bool) -> Run {
        library::runs::ufcm(instance, eps, early).expect("a run")
    }

    pub fn restarted(instance: &Instance, eps: f64, own_constants: bool, early: bool) -> Run {
        library::runs::restarted(instance, eps, own_constants, early).expect("a run")
    }

    pub fn measured(instance: &Instance, x: &[f64], eps: f64) -> f64 {
        library::runs::measured(instance, x, eps).expect("a measure")
    }

    pub fn initial(instance: &Instance) -> f64 {
        library::runs::initial(instance).expect("a measure")
    }

    pub fn initial_gap(instance: &Instance) -> f64 {
        library::runs::initial_gap(instance).expect("a measure")
    }

    pub fn composer_smoothness(instance: &Instance) -> f64 {
        instance.l_h()
    }

    pub fn accuracies(instance: &Instance, first: f64, last: f64, count: usize) -> Vec<f64> {
        library::runs::accuracies(instance, first, last, count).expect("accuracies")
    }
}
