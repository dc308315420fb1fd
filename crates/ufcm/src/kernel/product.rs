//! Plain products A x and A'r: affine blocks, and products with Hessians.

use super::blocks::{Blocks, MOST};
use super::pass::{Given, dense_row_dots, evaluate};
use super::simd;
use crate::matrix::{Lines, Matrix};
use crate::pool::Pool;

impl Matrix {
    /// `out = A x`.
    ///
    /// # Panics
    /// If `x` or `out` has the wrong length.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!(x.len(), self.columns(), "x must have one entry for each column");
        assert_eq!(out.len(), self.rows(), "out must have one entry for each row");
        match self {
            Self::Sparse(a) => line_dots(a.by_rows(), x, out),
            Self::Dense(a) => {
                let blocks = Blocks::new(a.rows(), a.entries().len(), 1);
                blocks.for_each_part(&mut [(); MOST], out, |range, (), out| {
                    let part = range.start * x.len()..range.end * x.len();
                    dense_row_dots(a, part, x, out);
                });
            }
        }
    }
}

/// out[k] = <line k, x> for all lines: each is one sum, so blocks change nothing.
pub(super) fn line_dots(lines: Lines<'_>, x: &[f64], out: &mut [f64]) {
    let blocks = Blocks::new(lines.count(), lines.stored(), 1);
    blocks.for_each_part(&mut [(); MOST], out, |range, (), out| {
        simd::sparse_row_dots(lines, range.start, x, out);
    });
}

/// `out = A' r`, through the same blocks as a gradient.
pub(crate) fn transpose_product(matrix: &Matrix, r: &[f64], out: &mut [f64], pool: &Pool) {
    evaluate(matrix, None, Some(out), &Given(r), pool);
}
