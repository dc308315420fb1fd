//! Sums and maxima over the entries of vectors, in parts that the processor adds at once.

use super::simd::vectorised;

/// sum |a_i|, in eight parts so that it vectorises.
pub(crate) fn absolute_sum(values: &[f64]) -> f64 {
    vectorised(|| {
        let mut parts = [0.0; 8];
        let (chunks, rest) = values.as_chunks::<8>();
        for chunk in chunks {
            parts.iter_mut().zip(chunk).for_each(|(part, a)| *part += a.abs());
        }
        parts.iter().sum::<f64>() + rest.iter().map(|a| a.abs()).sum::<f64>()
    })
}

/// sum term(a_i, b_i), in eight parts so that it vectorises.
#[inline]
pub(crate) fn sum_of_pairs(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    vectorised(|| {
        let mut parts = [0.0; 8];
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        for (a, b) in a.iter().zip(b) {
            for ((part, a), b) in parts.iter_mut().zip(a).zip(b) {
                *part += term(*a, *b);
            }
        }
        parts.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| term(*a, *b)).sum::<f64>()
    })
}

/// max |a_i|
pub(crate) fn largest(values: &[f64]) -> f64 {
    vectorised(|| {
        let mut parts = [0.0f64; 8];
        let (chunks, rest) = values.as_chunks::<8>();
        for chunk in chunks {
            parts
                .iter_mut()
                .zip(chunk)
                .for_each(|(part, a)| *part = if a.abs() > *part { a.abs() } else { *part });
        }
        parts.iter().copied().chain(rest.iter().map(|a| a.abs())).fold(0.0, f64::max)
    })
}
