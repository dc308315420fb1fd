//! What the gradients of a run tell about second derivatives: a matrix from the BFGS update.
//!
//! From a move s and the change y of the slope J'l for fixed multipliers l,
//!
//! ```text
//! B <- B - B s s'B / s'B s + y y' / s'y
//! ```
//!
//! so that B s = y, starting from |y|^2/s'y times the identity. B stays positive definite as long as s'y > 0, which convexity
//! ensures.

use crate::kernel::simd;
use crate::metric::second_order::Kind;
use crate::metric::tuning::quasi_newton::{ENOUGH, FLAT};
use crate::metric::{CurvatureMatrix, CurvatureMetric, Dense};

/// B.
#[derive(Debug, Clone)]
pub(crate) struct QuasiNewton {
    /// By columns.
    matrix: Vec<f64>,
    /// s, y and B s.
    moved: Vec<f64>,
    change: Vec<f64>,
    image: Vec<f64>,
    /// How many pairs there have been.
    count: usize,
}

impl QuasiNewton {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self { matrix: vec![0.0; n * n], moved: zeros(), change: zeros(), image: zeros(), count: 0 }
    }

    /// Goes on from a matrix that an earlier run has learnt.
    pub(crate) fn from(matrix: &Dense) -> Self {
        let mut known = Self::new(matrix.order());
        known.matrix.copy_from_slice(matrix.entries());
        known.count = ENOUGH;
        known
    }

    /// Takes in one pair of points with the slopes there.
    pub(crate) fn add(&mut self, x: [&[f64]; 2], slope: [&[f64]; 2]) {
        let Self { matrix, moved, change, image, count } = self;
        moved.iter_mut().zip(x[0].iter().zip(x[1])).for_each(|(s, (a, b))| *s = b - a);
        change.iter_mut().zip(slope[0].iter().zip(slope[1])).for_each(|(y, (a, b))| *y = b - a);
        let (n, along) = (moved.len(), simd::dot(moved, change));
        let sizes = [simd::dot(moved, moved), simd::dot(change, change)];
        if !(along > FLAT * sizes[0].sqrt() * sizes[1].sqrt() && along.is_normal() && sizes[1].is_finite()) {
            return;
        }
        if *count == 0 {
            (0..n).for_each(|i| matrix[i * n + i] = sizes[1] / along);
        }
        simd::row_dots(matrix, moved, image);
        let expected = simd::dot(moved, image);
        for (j, column) in matrix.chunks_exact_mut(n).enumerate() {
            simd::add_scaled(-image[j] / expected, image, column);
            simd::add_scaled(change[j] / along, change, column);
        }
        *count += 1;
    }

    /// B + delta I, delta the part `damping` of its largest eigenvalue; `None` while there are few pairs.
    pub(crate) fn metric(&self, damping: f64) -> Option<CurvatureMetric> {
        let matrix = || Dense::symmetric(self.moved.len(), self.matrix.clone());
        let known = self.count >= ENOUGH;
        known
            .then(|| CurvatureMetric::damped(Kind::QuasiNewton, CurvatureMatrix::Dense(matrix()), damping))
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pair_is_met_and_enough_pairs_recover_a_quadratic() {
        let hessian = [[2.0, 1.0], [1.0, 3.0]];
        let slope = |x: &[f64; 2]| hessian.map(|row| row[0] * x[0] + row[1] * x[1]);
        let mut quasi_newton = QuasiNewton::new(2);
        let mut x = [1.0, 0.0];
        for k in 0..30 {
            let next = [(f64::from(k) * 1.3).sin(), (f64::from(k) * 0.7).cos()];
            assert_eq!(quasi_newton.metric(0.1).is_some(), k >= ENOUGH as i32);
            quasi_newton.add([&x, &next], [&slope(&x), &slope(&next)]);
            let (s, mut image) = ([next[0] - x[0], next[1] - x[1]], [0.0; 2]);
            simd::row_dots(&quasi_newton.matrix, &s, &mut image);
            let y = slope(&s);
            assert!((image[0] - y[0]).abs() + (image[1] - y[1]).abs() < 1e-12, "B s = y");
            x = next;
        }
        for (entry, expected) in quasi_newton.matrix.iter().zip(hessian.as_flattened()) {
            assert!((entry - expected).abs() < 1e-3, "{:?}", quasi_newton.matrix);
        }
        let before = quasi_newton.matrix.clone();
        quasi_newton.add([&[0.0, 0.0], &[1.0, 0.0]], [&[0.0, 0.0], &[-1.0, 0.0]]);
        assert_eq!(before, quasi_newton.matrix, "negative curvature is none of a convex function");
    }
}
