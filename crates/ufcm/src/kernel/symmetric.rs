//! A symmetric matrix stored as its lower triangle, so that a product reads half of what a full one would.

use super::blocks::{Blocks, for_each_with};
use super::simd;
use crate::pool::Pool;
use std::ops::Range;

/// The lower triangle of a symmetric matrix, row after row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedSymmetric {
    n: usize,
    lower: Vec<f64>,
}

impl PackedSymmetric {
    /// Of order `n`, with entries `entry(i, j)` for i >= j. They are asked for tile by tile, so that (i, j) and (j, i) of a matrix are both in
    /// the cache.
    pub(crate) fn try_from_fn<E>(
        n: usize,
        mut entry: impl FnMut(usize, usize) -> Result<f64, E>,
    ) -> Result<Self, E> {
        const TILE: usize = 64;
        let mut lower = vec![0.0; n * (n + 1) / 2];
        for first in (0..n).step_by(TILE) {
            for left in (0..=first).step_by(TILE) {
                for i in first..n.min(first + TILE) {
                    for j in left..(i + 1).min(left + TILE) {
                        lower[i * (i + 1) / 2 + j] = entry(i, j)?;
                    }
                }
            }
        }
        Ok(Self { n, lower })
    }

    /// (A + A')/2 of a matrix given by rows, and the largest |a_ij - a_ji|.
    pub(crate) fn mean_of(n: usize, rows: &[f64]) -> (Self, f64) {
        const TILE: usize = 32;
        let (mut lower, mut apart) = (vec![0.0; n * (n + 1) / 2], 0.0f64);
        let mut mirror = [0.0; TILE];
        simd::vectorised(|| {
            for first in (0..n).step_by(TILE) {
                for left in (0..=first).step_by(TILE) {
                    for i in first..n.min(first + TILE) {
                        let columns = left..(i + 1).min(left + TILE);
                        let mirror = &mut mirror[..columns.len()];
                        mirror.iter_mut().zip(columns.clone()).for_each(|(m, j)| *m = rows[j * n + i]);
                        let row = &rows[i * n..][columns.clone()];
                        let out = &mut lower[i * (i + 1) / 2..][columns];
                        for ((out, a), b) in out.iter_mut().zip(row).zip(mirror) {
                            *out = 0.5 * a + 0.5 * *b;
                            let off = (a - *b).abs();
                            apart = if off > apart { off } else { apart };
                        }
                    }
                }
            }
        });
        (Self { n, lower }, apart)
    }

    /// The order.
    pub(crate) fn order(&self) -> usize {
        self.n
    }

    /// Row `i` up to and including the diagonal.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * (i + 1) / 2..][..=i]
    }

    /// `out = Q x`.
    pub(crate) fn apply(&self, x: &[f64], out: &mut [f64], pool: &Pool) {
        let n = self.n;
        let count = Blocks::new(n, self.lower.len(), n).count();
        if count == 1 {
            return self.apply_rows(0..n, x, out);
        }
        // Row i has i + 1 entries: boundaries at the square roots share the entries out evenly.
        let bound = |k: usize| (n as f64 * (k as f64 / count as f64).sqrt()) as usize;
        let range = |k: usize| bound(k)..if k + 1 == count { n } else { bound(k + 1) };
        let mut states = [(); super::blocks::MOST];
        pool.with(count * n, |private| {
            for_each_with(&mut states[..count], private, n, |k, (), y| self.apply_rows(range(k), x, y));
            out.fill(0.0);
            private.chunks_exact(n).for_each(|y| simd::add_scaled(1.0, y, out));
        });
    }

    /// The part of Q x that comes from these rows of the triangle and their mirror image.
    fn apply_rows(&self, rows: Range<usize>, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in rows {
            let (row, diagonal) = (&self.row(i)[..i], self.row(i)[i]);
            let dot = simd::dot_and_add(row, &x[..i], x[i], &mut out[..i]);
            out[i] += dot + diagonal * x[i];
        }
    }
}
