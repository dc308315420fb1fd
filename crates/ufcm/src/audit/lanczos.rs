//! Directions of least and greatest curvature, from a few products with a Hessian (Lanczos's method).

use super::dot;
use crate::linalg::norm;
use faer::{Mat, Side};

/// The two extreme Ritz vectors, of norm 1, after at most `dimension` products; fewer where products fail or the
/// Krylov space is exhausted. They only say where to look: nothing is concluded from them.
pub(super) fn extreme_vectors(
    mut product: impl FnMut(&[f64]) -> Option<Vec<f64>>,
    start: Vec<f64>,
    dimension: usize,
) -> Vec<Vec<f64>> {
    let (mut basis, mut alphas, mut betas): (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) = Default::default();
    let mut next = start;
    let mut scale = 0.0_f64;
    while basis.len() < dimension {
        let length = norm(&next);
        if length <= 1e-10 * scale || !length.is_finite() {
            break;
        }
        next.iter_mut().for_each(|v| *v /= length);
        let Some(mut image) = product(&next) else { break };
        if !basis.is_empty() {
            betas.push(length);
        }
        alphas.push(dot(&next, &image));
        scale = scale.max(norm(&image));
        basis.push(next);
        // Twice is enough to stay orthogonal to the whole basis.
        for _ in 0..2 {
            for v in &basis {
                let c = dot(v, &image);
                image.iter_mut().zip(v).for_each(|(image, v)| *image -= c * v);
            }
        }
        next = image;
    }
    let k = basis.len();
    if k == 0 {
        return Vec::new();
    }
    let tridiagonal = Mat::from_fn(k, k, |i, j| match i.abs_diff(j) {
        0 => alphas[i],
        1 => betas[i.min(j)],
        _ => 0.0,
    });
    let Ok(eigen) = tridiagonal.self_adjoint_eigen(Side::Lower) else { return Vec::new() };
    let ends = if k > 1 { vec![0, k - 1] } else { vec![0] };
    ends.into_iter()
        .map(|column| {
            let mut vector = vec![0.0; basis[0].len()];
            for (j, v) in basis.iter().enumerate() {
                let c = eigen.U()[(j, column)];
                vector.iter_mut().zip(v).for_each(|(vector, v)| *vector += c * v);
            }
            vector
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_ends_of_a_diagonal_spectrum() {
        let spectrum = [3.0, -1.0, 2.0, 10.0, 0.5];
        let product = |v: &[f64]| Some(v.iter().zip(&spectrum).map(|(v, s)| v * s).collect());
        let vectors = extreme_vectors(product, vec![1.0, 0.4, -0.7, 0.2, 1.3], 5);
        assert!((vectors[0][1].abs() - 1.0).abs() < 1e-10, "{vectors:?}");
        assert!((vectors[1][3].abs() - 1.0).abs() < 1e-10, "{vectors:?}");
    }

    #[test]
    fn an_exhausted_space_and_a_failing_product_end_it() {
        let product = |v: &[f64]| Some(v.to_vec());
        assert_eq!(extreme_vectors(product, vec![1.0, 1.0], 5).len(), 1);
        assert!(extreme_vectors(|_| None, vec![1.0, 1.0], 5).is_empty());
    }
}
