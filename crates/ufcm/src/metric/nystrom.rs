//! An approximation of a symmetric positive semidefinite matrix from its products with a few vectors.
//!
//! From S = (s_1, ..., s_k) and Y = H S Nyström's approximation is Y (S'Y)^-1 Y': of rank k, equal to H on the span of S, and
//! nowhere above H. With the Cholesky factor L of S'Y it is V V' with V = Y L^-T, one column after the other:
//!
//! ```text
//! v_i = (y_i - sum_{j<i} l_ij v_j) / l_ii,   l_ij = <s_i, v_j>,   l_ii^2 = <s_i, y_i> - sum_{j<i} l_ij^2
//! ```
//!
//! It is positive semidefinite by its form, whatever the y_i are.

use crate::kernel::simd;
use crate::metric::tuning::nystrom::NEW;

/// v_1, v_2, ... one after the other, from pairs (s, H s).
pub(super) fn terms<'a>(pairs: impl Iterator<Item = (&'a [f64], &'a [f64])>) -> Vec<f64> {
    let mut vectors: Vec<f64> = Vec::new();
    for (s, y) in pairs {
        let (n, first) = (s.len(), vectors.len());
        let curvature = simd::dot(s, y);
        let mut pivot = curvature;
        vectors.extend_from_slice(y);
        let (known, new) = vectors.split_at_mut(first);
        for v in known.chunks_exact(n) {
            let l = simd::dot(s, v);
            simd::add_scaled(-l, v, new);
            pivot -= l * l;
        }
        if pivot > NEW * curvature && pivot.is_finite() {
            let root = pivot.sqrt();
            new.iter_mut().for_each(|v| *v /= root);
        } else {
            vectors.truncate(first);
        }
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::terms;

    /// diag(4, 1, 0.25) + the matrix of ones.
    fn product(s: &[f64; 3]) -> [f64; 3] {
        let sum: f64 = s.iter().sum();
        [4.0 * s[0] + sum, s[1] + sum, 0.25 * s[2] + sum]
    }

    #[test]
    fn the_matrix_is_met_on_the_span_and_dependent_pairs_are_left_out() {
        let moves = [[1.0, 0.0, 0.5], [0.0, 1.0, -1.0], [1.0, 1.0, -0.5], [0.0, 0.0, 0.0]];
        let changes = moves.map(|s| product(&s));
        let pairs = || moves.iter().zip(&changes).map(|(s, y)| (&s[..], &y[..]));
        let vectors = terms(pairs());
        assert_eq!(vectors.len(), 2 * 3, "the third is the sum of the first two");
        for (s, y) in pairs() {
            for i in 0..3 {
                let image: f64 = vectors
                    .chunks_exact(3)
                    .map(|v| v[i] * v.iter().zip(s).map(|(v, s)| v * s).sum::<f64>())
                    .sum();
                assert!((image - y[i]).abs() < 1e-12);
            }
        }
    }
}
