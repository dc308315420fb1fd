//! Sums of exponentials of scores, safe against overflow.

use super::CHUNK;
use crate::kernel::math::exp;
use std::ops::Range;

/// The sums of exp(t_k) over the classes for up to [`CHUNK`] samples, relative to the largest: nothing overflows, and the
/// largest term, which is 1, does not drown the small ones.
pub(super) struct Exponentials {
    largest: [f64; CHUNK],
    /// The sum of exp(t_k - largest) over all classes but one that is the largest.
    others: [f64; CHUNK],
    /// Whether that one was met.
    met: [f64; CHUNK],
}

impl Exponentials {
    /// Puts the exponentials in the place of the scores, which come in parts, one for each class.
    #[inline(always)]
    pub(super) fn of(t: &mut [f64], parts: impl Iterator<Item = Range<usize>> + Clone) -> Self {
        let mut sums = Self { largest: [f64::NEG_INFINITY; CHUNK], others: [0.0; CHUNK], met: [0.0; CHUNK] };
        parts.clone().for_each(|part| sums.see(&t[part]));
        parts.for_each(|part| sums.exponentials(&mut t[part]));
        sums
    }

    /// Takes the scores of one class.
    #[inline(always)]
    pub(super) fn see(&mut self, t: &[f64]) {
        // A NaN is not lost by this: its exponential is NaN.
        self.largest
            .iter_mut()
            .zip(t)
            .for_each(|(largest, t)| *largest = if *t > *largest { *t } else { *largest });
    }

    /// Puts exp(t - largest) in the place of the scores of one class, and counts them.
    #[inline(always)]
    pub(super) fn exponentials(&mut self, t: &mut [f64]) {
        let sums = self.others.iter_mut().zip(&mut self.met).zip(&self.largest);
        for (t, ((others, met), largest)) in t.iter_mut().zip(sums) {
            let is_largest = if *t == *largest { 1.0 - *met } else { 0.0 };
            *t = exp(*t - largest);
            *others += (1.0 - is_largest) * *t;
            *met += is_largest;
        }
    }

    /// Turns exponentials into probabilities.
    #[inline(always)]
    pub(super) fn normalise(&self, t: &mut [f64]) {
        t.iter_mut().zip(&self.others).for_each(|(t, others)| *t /= 1.0 + others);
    }

    /// largest + log sum exp(t_k - largest) of sample i, minus `score`.
    pub(super) fn loss(&self, i: usize, score: f64) -> f64 {
        (self.largest[i] - score) + self.others[i].ln_1p()
    }
}
