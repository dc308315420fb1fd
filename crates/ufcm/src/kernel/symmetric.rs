//! A symmetric matrix of which the lower triangle is read alone, so that a product reads half of what a full one would.

use super::blocks::{Blocks, for_each_with};
use super::simd;
use crate::matrix::Shared;
use crate::pool::Pool;
use std::ops::Range;

/// Copies the lower triangle of a square matrix stored by columns to the upper one, tile by tile.
pub(crate) fn mirror_lower(n: usize, entries: &mut [f64]) {
    const TILE: usize = 32;
    for first in (0..n).step_by(TILE) {
        for left in (0..=first).step_by(TILE) {
            for i in first..n.min(first + TILE) {
                for j in left..i.min(left + TILE) {
                    entries[i * n + j] = entries[j * n + i];
                }
            }
        }
    }
}

/// How far a_ij and a_ji are apart at most, of a square matrix given by rows: tile by tile. The tile above the diagonal is read by rows, too, and
/// turned in a buffer: reading a column of a large matrix misses the cache with every entry.
pub(crate) fn asymmetry(n: usize, rows: &[f64]) -> f64 {
    const TILE: usize = 32;
    let (mut apart, mut turned) = ([0.0f64; TILE], [[0.0; TILE]; TILE]);
    simd::vectorised(|| {
        for first in (0..n).step_by(TILE) {
            let height = TILE.min(n - first);
            for left in (0..=first).step_by(TILE) {
                let width = TILE.min(n - left);
                for j in 0..width {
                    let above = &rows[(left + j) * n + first..][..height];
                    turned.iter_mut().zip(above).for_each(|(turned, a)| turned[j] = *a);
                }
                for (i, turned) in turned.iter().take(height).enumerate() {
                    let below = &rows[(first + i) * n + left..][..width];
                    for ((below, above), apart) in below.iter().zip(turned).zip(&mut apart) {
                        let off = (below - above).abs();
                        *apart = if off > *apart { off } else { *apart };
                    }
                }
            }
        }
    });
    apart.into_iter().fold(0.0, f64::max)
}

/// Below this order a matrix stays in the second cache, and some others with it: nothing is asked for ahead of time. Decision 0001.
const SMALL: usize = 256;

/// A symmetric matrix.
#[derive(Clone)]
pub(crate) struct Symmetric {
    n: usize,
    lower: Lower,
}

/// Where its lower triangle is.
#[derive(Clone)]
enum Lower {
    /// Row after row.
    Packed(Vec<f64>),
    /// In all of the matrix, row after row, which somebody else may own.
    Square(Shared<f64>),
}

impl std::fmt::Debug for Symmetric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows: Vec<&[f64]> = (0..self.n).map(|i| self.row(i)).collect();
        f.debug_tuple("Symmetric").field(&rows).finish()
    }
}

impl Symmetric {
    /// A matrix given by rows, which is symmetric to the last bit; it is read where it is.
    pub(crate) fn shared(n: usize, rows: &Shared<f64>) -> Self {
        debug_assert_eq!((**rows).as_ref().len(), n * n, "a square matrix");
        Self { n, lower: Lower::Square(rows.clone()) }
    }

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
        Ok(Self { n, lower: Lower::Packed(lower) })
    }

    /// (A + A')/2 of a matrix given by rows.
    pub(crate) fn mean_of(n: usize, rows: &[f64]) -> Self {
        const TILE: usize = 32;
        let mut lower = vec![0.0; n * (n + 1) / 2];
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
                        }
                    }
                }
            }
        });
        Self { n, lower: Lower::Packed(lower) }
    }

    /// The order.
    pub(crate) fn order(&self) -> usize {
        self.n
    }

    /// Row `i` up to and including the diagonal.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        match &self.lower {
            Lower::Packed(lower) => &lower[i * (i + 1) / 2..][..=i],
            Lower::Square(rows) => &(**rows).as_ref()[i * self.n..][..=i],
        }
    }

    /// Adds `weight` times the lower triangle to a matrix stored by columns. A row from its diagonal on is a column from there on; where the
    /// lower triangle is all there is, rows are read and columns are written tile by tile.
    pub(crate) fn add_to_columns(&self, weight: f64, out: &mut [f64]) {
        const TILE: usize = 32;
        let n = self.n;
        if let Lower::Square(rows) = &self.lower {
            for (i, row) in (**rows).as_ref().chunks_exact(n.max(1)).enumerate() {
                simd::add_scaled(weight, &row[i..], &mut out[i * n..][i..n]);
            }
            return;
        }
        for first in (0..n).step_by(TILE) {
            for left in (0..=first).step_by(TILE) {
                for i in first..n.min(first + TILE) {
                    let columns = left..(i + 1).min(left + TILE);
                    for (value, j) in self.row(i)[columns.clone()].iter().zip(columns) {
                        out[j * n + i] += weight * value;
                    }
                }
            }
        }
    }

    /// `out = Q x`.
    pub(crate) fn apply(&self, x: &[f64], out: &mut [f64], pool: &Pool) {
        let n = self.n;
        let count = Blocks::new(n, n * (n + 1) / 2, n).count();
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
        let mut i = rows.start;
        while i + 4 <= rows.end {
            let four: [&[f64]; 4] = std::array::from_fn(|k| self.row(i + k));
            let factors = std::array::from_fn(|k| x[i + k]);
            // Four rows of a square come after the four; packed ones are that much shorter.
            let next = match self.lower {
                _ if self.n < SMALL => 0,
                Lower::Square(_) => 4 * self.n,
                Lower::Packed(_) => 4 * i + 10,
            };
            let next = next * size_of::<f64>();
            let dots = simd::dots_and_add(four.map(|row| &row[..i]), &x[..i], factors, &mut out[..i], next);
            // The corner below the diagonal, which they have in common with their mirror image.
            for (k, row) in four.into_iter().enumerate() {
                let (row, x, out) = (&row[i..], &x[i..], &mut out[i..]);
                let mut dot = dots[k];
                for j in 0..k {
                    dot += row[j] * x[j];
                    out[j] += row[j] * x[k];
                }
                out[k] += dot + row[k] * x[k];
            }
            i += 4;
        }
        for i in i..rows.end {
            let (row, diagonal) = (&self.row(i)[..i], self.row(i)[i]);
            simd::add_scaled(x[i], row, &mut out[..i]);
            out[i] += simd::dot(row, &x[..i]) + diagonal * x[i];
        }
    }
}
