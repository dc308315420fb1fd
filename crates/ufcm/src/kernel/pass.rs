//! The fused pass: products, what the caller makes of them, and the gradient update, tile by tile.

use super::blocks::{Blocks, MOST, for_each, for_each_with};
use super::{product, simd};
use crate::matrix::{Dense, Lines, Matrix, whichever};
use crate::pool::Pool;
use std::ops::Range;

/// Bytes of a tile of short rows: few enough to stay in the first cache until the update.
const TILE_BYTES: usize = 3 << 12;
/// Bytes of a tile of rows that are read four at a time: they come from the second cache, and more of them make longer streams. (Both
/// measured with benches/kernel.rs.)
const LONG_TILE_BYTES: usize = 1 << 17;
/// The most rows a tile may have, so that its products live on the stack.
pub(super) const TILE_ROWS: usize = 64;

/// What happens to the products a_i.x on their way to the gradient sum_i r_i a_i.
///
/// A fold may find that what it has summed so far is in the wrong scale (log-sum-exp meets a larger term); it then
/// asks for the gradient so far to be rescaled. Folds that only add always answer 1.
pub(crate) trait RowFold: Sync {
    /// What is summed besides the gradient.
    type State: Clone + Send + Sync;

    /// The state before any row.
    fn start(&self) -> Self::State;

    /// Takes the products of rows `first..first + t.len()`, leaves r_i in their place, and returns the factor
    /// by which everything before must be multiplied.
    fn tile(&self, state: &mut Self::State, first: usize, t: &mut [f64]) -> f64;

    /// As [`RowFold::tile`] where no gradient is wanted.
    fn tile_value(&self, state: &mut Self::State, first: usize, t: &mut [f64]) {
        self.tile(state, first, t);
    }

    /// Adds the state of a later block.
    fn merge(&self, state: &mut Self::State, later: &Self::State);

    /// The factor by which a block's gradient enters the total.
    fn share(&self, total: &Self::State, block: &Self::State) -> f64;
}

/// Folds all rows of `matrix` at `x` (without an x, the fold gets no products); with a gradient, writes
/// sum_i r_i a_i into it. One pass over the data, except for wide sparse matrices, whose gradient is gathered by
/// columns.
pub(crate) fn evaluate<F: RowFold>(
    matrix: &Matrix,
    x: Option<&[f64]>,
    gradient: Option<&mut [f64]>,
    fold: &F,
    pool: &Pool,
) -> F::State {
    match matrix {
        Matrix::Sparse(a) => match (a.by_columns(), gradient) {
            (Some(by_columns), Some(gradient)) => {
                two_passes(a.by_rows(), by_columns, x, gradient, fold, pool)
            }
            (_, gradient) => fused(&SparseRows(a.by_rows()), x, gradient, fold, pool),
        },
        Matrix::Dense(a) => fused(&DenseRows(a), x, gradient, fold, pool),
    }
}

/// Writes sum_i r_i a_ij^2 for each column j.
pub(crate) fn weighted_squares(matrix: &Matrix, r: &[f64], out: &mut [f64], pool: &Pool) {
    let (out, fold) = (Some(out), &Given(r));
    match matrix {
        Matrix::Sparse(a) => fused(&Squared(SparseRows(a.by_rows())), None, out, fold, pool),
        Matrix::Dense(a) => fused(&Squared(DenseRows(a)), None, out, fold, pool),
    }
}

/// The fold that puts given multipliers in the place of the products.
pub(super) struct Given<'a>(pub(super) &'a [f64]);

impl RowFold for Given<'_> {
    type State = ();

    fn start(&self) {}

    fn tile(&self, (): &mut (), first: usize, t: &mut [f64]) -> f64 {
        t.copy_from_slice(&self.0[first..first + t.len()]);
        1.0
    }

    fn merge(&self, (): &mut (), (): &()) {}

    fn share(&self, (): &(), (): &()) -> f64 {
        1.0
    }
}

/// How a storage yields the products of a run of rows, and takes their multiples into a gradient.
pub(super) trait Rows: Sync {
    fn rows(&self) -> usize;
    fn stored(&self) -> usize;
    fn tile_rows(&self) -> usize;
    fn dots(&self, first: usize, x: &[f64], t: &mut [f64]);
    fn add(&self, first: usize, r: &[f64], gradient: &mut [f64]);
    fn add_squares(&self, first: usize, r: &[f64], sums: &mut [f64]);
    fn columns(&self) -> usize;
}

/// The same rows with every entry squared, as far as the update goes.
struct Squared<R>(R);

impl<R: Rows> Rows for Squared<R> {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn stored(&self) -> usize {
        self.0.stored()
    }

    fn tile_rows(&self) -> usize {
        self.0.tile_rows()
    }

    fn dots(&self, first: usize, x: &[f64], t: &mut [f64]) {
        self.0.dots(first, x, t);
    }

    fn add(&self, first: usize, r: &[f64], gradient: &mut [f64]) {
        self.0.add_squares(first, r, gradient);
    }

    fn add_squares(&self, first: usize, r: &[f64], sums: &mut [f64]) {
        self.0.add_squares(first, r, sums);
    }
}

/// The products of x with the rows that these entries are.
pub(super) fn dense_row_dots(a: &Dense, entries: Range<usize>, x: &[f64], out: &mut [f64]) {
    let is_large = 8 * a.entries().len() > simd::LARGE;
    let rows = a.entries().part(entries);
    match is_large {
        true => whichever!(rows, rows => simd::row_dots_of_stream(rows, x, out)),
        false => whichever!(rows, rows => simd::row_dots(rows, x, out)),
    }
}

pub(super) struct DenseRows<'a>(pub(super) &'a Dense);

impl Rows for DenseRows<'_> {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn stored(&self) -> usize {
        self.0.entries().len()
    }

    fn tile_rows(&self) -> usize {
        // Of single precision as many as of double: sums then have the same order, and the same bits.
        let row = 8 * self.0.columns().max(1);
        let bytes = if self.0.columns() < simd::SHORT { TILE_BYTES } else { LONG_TILE_BYTES };
        (bytes / row / 4 * 4).clamp(4, TILE_ROWS)
    }

    fn dots(&self, first: usize, x: &[f64], t: &mut [f64]) {
        dense_row_dots(self.0, first * x.len()..(first + t.len()) * x.len(), x, t);
    }

    fn add(&self, first: usize, r: &[f64], gradient: &mut [f64]) {
        let n = gradient.len();
        let tile = self.0.entries().part(first * n..(first + r.len()) * n);
        whichever!(tile, rows => simd::add_rows(rows, r, gradient));
    }

    fn add_squares(&self, first: usize, r: &[f64], sums: &mut [f64]) {
        let n = sums.len();
        let tile = self.0.entries().part(first * n..(first + r.len()) * n);
        whichever!(tile, rows => simd::add_squared_rows(rows, r, sums));
    }
}

pub(super) struct SparseRows<'a>(pub(super) Lines<'a>);

impl Rows for SparseRows<'_> {
    fn rows(&self) -> usize {
        self.0.count()
    }

    fn columns(&self) -> usize {
        self.0.width()
    }

    fn stored(&self) -> usize {
        self.0.stored()
    }

    fn tile_rows(&self) -> usize {
        let mean = self.stored() / self.rows().max(1);
        (TILE_BYTES / (12 * mean.max(1)) / 4 * 4).clamp(4, TILE_ROWS)
    }

    fn dots(&self, first: usize, x: &[f64], t: &mut [f64]) {
        simd::sparse_row_dots(self.0, first, x, t);
    }

    fn add(&self, first: usize, r: &[f64], gradient: &mut [f64]) {
        simd::add_sparse_rows(self.0, first, r, gradient);
    }

    fn add_squares(&self, first: usize, r: &[f64], sums: &mut [f64]) {
        for (k, r) in r.iter().enumerate() {
            let (columns, values) = self.0.line(first + k);
            columns.iter().zip(values).for_each(|(&j, a)| sums[j as usize] += r * a * a);
        }
    }
}

fn fused<F: RowFold>(
    rows: &impl Rows,
    x: Option<&[f64]>,
    gradient: Option<&mut [f64]>,
    fold: &F,
    pool: &Pool,
) -> F::State {
    let n = rows.columns();
    let blocks = Blocks::new(rows.rows(), rows.stored(), n);
    let mut states = start_all(fold);
    let states = &mut states[..blocks.count()];
    let Some(gradient) = gradient else {
        for_each(states, |k, state| fold_block(rows, blocks.range(k), x, None, fold, state));
        return merge_all(fold, states);
    };
    if blocks.count() == 1 {
        fold_block(rows, 0..rows.rows(), x, Some(gradient), fold, &mut states[0]);
        return states[0].clone();
    }
    pool.with(blocks.count() * n, |private| {
        for_each_with(states, private, n, |k, state, gradient| {
            fold_block(rows, blocks.range(k), x, Some(gradient), fold, state);
        });
        let total = merge_all(fold, states);
        gradient.fill(0.0);
        for (state, private) in states.iter().zip(private.chunks_exact(n)) {
            simd::add_scaled(fold.share(&total, state), private, gradient);
        }
        total
    })
}

/// One block, tile by tile. The gradient is overwritten.
fn fold_block<F: RowFold>(
    rows: &impl Rows,
    range: Range<usize>,
    x: Option<&[f64]>,
    mut gradient: Option<&mut [f64]>,
    fold: &F,
    state: &mut F::State,
) {
    if let Some(gradient) = gradient.as_deref_mut() {
        gradient.fill(0.0);
    }
    let mut products = [0.0; TILE_ROWS];
    for first in range.clone().step_by(rows.tile_rows()) {
        let t = &mut products[..rows.tile_rows().min(range.end - first)];
        if let Some(x) = x {
            rows.dots(first, x, t);
        }
        match gradient.as_deref_mut() {
            None => fold.tile_value(state, first, t),
            Some(gradient) => {
                let rescale = fold.tile(state, first, t);
                if rescale != 1.0 {
                    gradient.iter_mut().for_each(|g| *g *= rescale);
                }
                rows.add(first, t, gradient);
            }
        }
    }
}

/// For wide sparse data, where scattering into a gradient larger than the cache loses: all products by rows, then
/// each gradient entry by its column.
fn two_passes<F: RowFold>(
    by_rows: Lines<'_>,
    by_columns: Lines<'_>,
    x: Option<&[f64]>,
    gradient: &mut [f64],
    fold: &F,
    pool: &Pool,
) -> F::State {
    let rows = SparseRows(by_rows);
    let blocks = Blocks::new(rows.rows(), rows.stored(), 1);
    let mut states = start_all(fold);
    let states = &mut states[..blocks.count()];
    pool.with(rows.rows(), |t| {
        blocks.for_each_part(states, t, |range, state, t| {
            if let Some(x) = x {
                rows.dots(range.start, x, t);
            }
            let mut done = 0;
            while done < t.len() {
                let end = (done + TILE_ROWS).min(t.len());
                let rescale = fold.tile(state, range.start + done, &mut t[done..end]);
                if rescale != 1.0 {
                    t[..done].iter_mut().for_each(|r| *r *= rescale);
                }
                done = end;
            }
        });
        let total = merge_all(fold, states);
        for (k, state) in states.iter().enumerate() {
            let share = fold.share(&total, state);
            if share != 1.0 {
                t[blocks.range(k)].iter_mut().for_each(|r| *r *= share);
            }
        }
        product::line_dots(by_columns, t, gradient);
        total
    })
}

fn start_all<F: RowFold>(fold: &F) -> [F::State; MOST] {
    std::array::from_fn(|_| fold.start())
}

/// The states of all blocks, merged in order.
fn merge_all<F: RowFold>(fold: &F, states: &[F::State]) -> F::State {
    let mut total = states[0].clone();
    states[1..].iter().for_each(|state| fold.merge(&mut total, state));
    total
}
