//! The fused pass with several products for each row: value and gradient of a loss that sees a_i.x_1, ..., a_i.x_K.
//!
//! The vectors x_k stand one after the other, and so do the parts of the gradient: a tile of the data is read from memory
//! once and multiplied with each x_k while it is in cache, and the same on the way back.

use super::blocks::{Blocks, MOST, for_each_with};
use super::pass::{DenseRows, Rows, SparseRows, TILE_ROWS};
use super::{product, simd};
use crate::matrix::{Lines, Matrix};
use crate::pool::Pool;
use std::ops::Range;

/// What happens to the products a_i.x_k on their way to the gradient parts sum_i r_ik a_i.
pub(crate) trait SeveralFold: Sync {
    /// Takes the products of at most [`TILE_ROWS`] rows from `first` on, those with x_1 first, then those with x_2, and so on;
    /// returns the sum of the losses and, where derivatives are wanted, leaves r_ik in their places.
    fn tile(&self, first: usize, rows: usize, t: &mut [f64], with_derivatives: bool) -> f64;
}

/// Folds all rows of `matrix` with the vectors `x`; with a gradient, of the length of x, writes sum_i r_ik a_i into it. One
/// pass over the data, except for wide sparse matrices, which are passed over for each vector.
pub(crate) fn evaluate_several<F: SeveralFold>(
    matrix: &Matrix,
    x: &[f64],
    gradient: Option<&mut [f64]>,
    fold: &F,
    pool: &Pool,
) -> f64 {
    match matrix {
        Matrix::Sparse(a) => match (a.by_columns(), gradient) {
            (Some(by_columns), Some(gradient)) => {
                vector_by_vector(a.by_rows(), by_columns, x, gradient, fold, pool)
            }
            (_, gradient) => fused(&SparseRows(a.by_rows()), x, gradient, fold, pool),
        },
        Matrix::Dense(a) => fused(&DenseRows(a), x, gradient, fold, pool),
    }
}

fn fused<F: SeveralFold>(
    rows: &impl Rows,
    x: &[f64],
    gradient: Option<&mut [f64]>,
    fold: &F,
    pool: &Pool,
) -> f64 {
    let products = TILE_ROWS * (x.len() / rows.columns());
    // Each entry is multiplied with all vectors, which makes up for gradients that are as many times as long.
    let work = rows.stored().saturating_mul(x.len() / rows.columns());
    let blocks = Blocks::new(rows.rows(), work, x.len());
    let mut sums = [0.0; MOST];
    let sums = &mut sums[..blocks.count()];
    match gradient {
        None => pool.with(blocks.count() * products, |storage| {
            for_each_with(sums, storage, products, |k, sum, products| {
                *sum = fold_block(rows, blocks.range(k), x, None, products, fold);
            });
        }),
        Some(gradient) if blocks.count() == 1 => pool.with(products, |products| {
            sums[0] = fold_block(rows, 0..rows.rows(), x, Some(gradient), products, fold);
        }),
        Some(gradient) => pool.with(blocks.count() * (products + x.len()), |storage| {
            for_each_with(sums, storage, products + x.len(), |k, sum, storage| {
                let (products, private) = storage.split_at_mut(products);
                *sum = fold_block(rows, blocks.range(k), x, Some(private), products, fold);
            });
            gradient.fill(0.0);
            for storage in storage.chunks_exact(products + x.len()) {
                simd::add_scaled(1.0, &storage[products..], gradient);
            }
        }),
    }
    sums.iter().sum()
}

/// One block, tile by tile. The gradient is overwritten.
fn fold_block<F: SeveralFold>(
    rows: &impl Rows,
    range: Range<usize>,
    x: &[f64],
    mut gradient: Option<&mut [f64]>,
    products: &mut [f64],
    fold: &F,
) -> f64 {
    if let Some(gradient) = gradient.as_deref_mut() {
        gradient.fill(0.0);
    }
    let n = rows.columns();
    let mut sum = 0.0;
    for first in range.clone().step_by(rows.tile_rows()) {
        let count = rows.tile_rows().min(range.end - first);
        let t = &mut products[..count * (x.len() / n)];
        for (x, t) in x.chunks_exact(n).zip(t.chunks_exact_mut(count)) {
            rows.dots(first, x, t);
        }
        sum += fold.tile(first, count, t, gradient.is_some());
        if let Some(gradient) = gradient.as_deref_mut() {
            for (gradient, r) in gradient.chunks_exact_mut(n).zip(t.chunks_exact(count)) {
                rows.add(first, r, gradient);
            }
        }
    }
    sum
}

/// For wide sparse data, where scattering into gradients larger than the cache loses: the products with one vector after the
/// other, by rows; the fold; the parts of the gradient one after the other, by columns. Only the fold runs on one thread.
fn vector_by_vector<F: SeveralFold>(
    by_rows: Lines<'_>,
    by_columns: Lines<'_>,
    x: &[f64],
    gradient: &mut [f64],
    fold: &F,
    pool: &Pool,
) -> f64 {
    let (n, rows) = (by_rows.width(), by_rows.count());
    let vectors = x.len() / n;
    pool.with(vectors * (rows + TILE_ROWS), |storage| {
        let (products, tile) = storage.split_at_mut(vectors * rows);
        for (x, t) in x.chunks_exact(n).zip(products.chunks_exact_mut(rows)) {
            product::line_dots(by_rows, x, t);
        }
        let mut sum = 0.0;
        for first in (0..rows).step_by(TILE_ROWS) {
            let count = TILE_ROWS.min(rows - first);
            let tile = &mut tile[..vectors * count];
            for (t, all) in tile.chunks_exact_mut(count).zip(products.chunks_exact(rows)) {
                t.copy_from_slice(&all[first..first + count]);
            }
            sum += fold.tile(first, count, tile, true);
            for (r, all) in tile.chunks_exact(count).zip(products.chunks_exact_mut(rows)) {
                all[first..first + count].copy_from_slice(r);
            }
        }
        for (r, gradient) in products.chunks_exact(rows).zip(gradient.chunks_exact_mut(n)) {
            product::line_dots(by_columns, r, gradient);
        }
        sum
    })
}
