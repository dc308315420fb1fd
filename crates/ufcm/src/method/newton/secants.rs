//! What the steps since H was formed have shown of the curvature, on top of H.
//!
//! Each step s with the change y of the slope of <l+, g> along it tells what second derivatives did on the way. The update of Broyden,
//! Fletcher, Goldfarb and Shanno makes of the inverse W of the metric the one that takes y to s,
//!
//! ```text
//! W+ = (I - s y' / <s, y>) W (I - y s' / <s, y>) + s s' / <s, y>
//! ```
//!
//! so that H is formed and factored less often. Products with W+ go through the pairs backwards, through W, and through the pairs again. Decision
//! 0034.

use crate::jacobian::SymmetricOperator;
use crate::kernel::simd;
use crate::method::tuning::newton::{FLAT, PAIRS};
use std::sync::{Mutex, PoisonError};

/// The last pairs.
pub(super) struct Secants {
    n: usize,
    /// s and y, one pair after the other, and 1 / <s, y>.
    steps: Vec<f64>,
    changes: Vec<f64>,
    inverses: Vec<f64>,
    /// Vectors on their way through the pairs, and what each pair took from each of them.
    scratch: Mutex<(Vec<f64>, Vec<f64>)>,
}

impl Secants {
    /// Room for pairs of `n` variables, and for `m` vectors on their way.
    pub(super) fn new(m: usize, n: usize) -> Self {
        let pairs = || Vec::with_capacity(PAIRS * n);
        let scratch = (Vec::with_capacity(m * n), Vec::with_capacity(m * PAIRS));
        let inverses = Vec::with_capacity(PAIRS);
        Self { n, steps: pairs(), changes: pairs(), inverses, scratch: Mutex::new(scratch) }
    }

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.changes.clear();
        self.inverses.clear();
    }

    /// Takes a pair in, in place of the oldest where there are many; false where it tells of nothing but rounding.
    pub(super) fn take(&mut self, step: &[f64], change: impl Iterator<Item = f64>) -> bool {
        let n = self.n;
        if self.inverses.len() == PAIRS {
            self.steps.drain(..n);
            self.changes.drain(..n);
            self.inverses.remove(0);
        }
        let first = self.changes.len();
        self.changes.extend(change);
        let y = &self.changes[first..];
        let product = simd::dot(step, y);
        let sizes = (simd::dot(step, step) * simd::dot(y, y)).sqrt();
        let tells = product > FLAT * sizes && sizes.is_finite() && (1.0 / product).is_finite();
        if tells {
            self.steps.extend_from_slice(step);
            self.inverses.push(1.0 / product);
        } else {
            self.changes.truncate(first);
        }
        tells
    }

    /// The pairs, the oldest first.
    fn pairs(&self) -> impl DoubleEndedIterator<Item = (&[f64], &[f64], f64)> + ExactSizeIterator {
        let n = self.n.max(1);
        let vectors = self.steps.chunks_exact(n).zip(self.changes.chunks_exact(n));
        vectors.zip(&self.inverses).map(|((s, y), inverse)| (s, y, *inverse))
    }
}

/// W+, given W.
pub(super) struct Corrected<'a> {
    pub(super) inverse: &'a dyn SymmetricOperator,
    pub(super) secants: &'a Secants,
}

impl SymmetricOperator for Corrected<'_> {
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        self.apply_to_each(v.len(), v, out);
    }

    fn apply_to_each(&self, n: usize, vectors: &[f64], out: &mut [f64]) {
        let count = self.secants.inverses.len();
        if count == 0 {
            return self.inverse.apply_to_each(n, vectors, out);
        }
        let mut scratch = self.secants.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let (on_their_way, taken) = &mut *scratch;
        on_their_way.clear();
        on_their_way.extend_from_slice(vectors);
        taken.clear();
        for v in on_their_way.chunks_exact_mut(n) {
            for (s, y, inverse) in self.secants.pairs().rev() {
                let share = inverse * simd::dot(s, v);
                simd::add_scaled(-share, y, v);
                taken.push(share);
            }
        }
        self.inverse.apply_to_each(n, on_their_way, out);
        for (out, taken) in out.chunks_exact_mut(n).zip(taken.chunks_exact(count)) {
            for ((s, y, inverse), share) in self.secants.pairs().zip(taken.iter().rev()) {
                let left = share - inverse * simd::dot(y, out);
                simd::add_scaled(left, s, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// v -> v / 2
    struct Half;

    impl SymmetricOperator for Half {
        fn apply(&self, v: &[f64], out: &mut [f64]) {
            out.iter_mut().zip(v).for_each(|(out, v)| *out = 0.5 * v);
        }
    }

    #[test]
    fn the_last_change_goes_to_its_step_and_the_operator_is_symmetric() {
        let mut secants = Secants::new(3, 3);
        let pairs = [([1.0, 0.0, 2.0], [3.0, 1.0, 4.0]), ([0.5, -1.0, 0.0], [1.0, -2.0, 1.0])];
        for (s, y) in pairs {
            assert!(secants.take(&s, y.into_iter()));
        }
        assert!(!secants.take(&[1.0, 0.0, 0.0], [0.0, 1.0, 0.0].into_iter()), "no curvature");
        assert!(!secants.take(&[1.0, 0.0, 0.0], [f64::NAN, 1.0, 0.0].into_iter()));
        let corrected = Corrected { inverse: &Half, secants: &secants };
        let mut out = [0.0; 3];
        corrected.apply(&pairs[1].1, &mut out);
        for (out, s) in out.iter().zip(pairs[1].0) {
            assert!((out - s).abs() < 1e-14);
        }
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut matrix = [0.0; 9];
        corrected.apply_to_each(3, &unit, &mut matrix);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            assert!((matrix[3 * i + j] - matrix[3 * j + i]).abs() < 1e-14);
        }
    }

    #[test]
    fn the_oldest_pair_gives_way() {
        let mut secants = Secants::new(1, 1);
        for k in 0..2 * PAIRS {
            assert!(secants.take(&[1.0], std::iter::once(1.0 + k as f64)));
        }
        assert_eq!(secants.pairs().len(), PAIRS);
        assert_eq!(secants.pairs().next().map(|(_, y, _)| y[0]), Some(1.0 + PAIRS as f64));
    }
}
