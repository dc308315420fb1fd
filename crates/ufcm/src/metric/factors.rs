//! Solutions of (H_FF + diag(e)) x = b on a set F of free variables, with factors that are kept.
//!
//! A dense H is factored itself. Of H = D + V V' only a matrix of V's rank is: with E = (D + diag(e))_FF and G = E^-1/2 V_F
//! (n x r), Woodbury's formula reads
//!
//! ```text
//! (E + V_F V_F')^-1 = E^-1/2 (I - G (I + G'G)^-1 G') E^-1/2
//! ```

use crate::budget::{Budget, Stop};
use crate::kernel::simd;
use crate::linalg::BLOCKS_AT_ONCE;
use crate::metric::tuning::factors::{SAME, STRIP, UNDIVIDED};
use crate::metric::{CurvatureMatrix, CurvatureMetric, LowRank};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par, Spec};
use std::sync::Arc;

/// What is factored, and the factors, in storage that is kept.
#[derive(Default)]
pub(super) struct Factors {
    metric: Option<Arc<CurvatureMetric>>,
    free: Vec<usize>,
    extra: Vec<f64>,
    /// Whether the matrix had factors.
    sound: bool,
    /// The lower triangle of the Cholesky factor, by columns, and its order.
    cholesky: Vec<f64>,
    order: usize,
    /// Of a low-rank H: the diagonal of E^-1/2, and the columns of G one after the other.
    roots: Vec<f64>,
    columns: Vec<f64>,
    /// G'E^-1/2 b
    small: Vec<f64>,
    stack: Option<(usize, MemBuffer)>,
}

impl Factors {
    /// Takes H_FF + diag(extra), unless it is what is there.
    pub(super) fn take(
        &mut self,
        metric: &Arc<CurvatureMetric>,
        free: &[usize],
        extra: &[f64],
        budget: &Budget,
    ) -> Result<(), Stop> {
        if self.holds(metric, free, extra) {
            return Ok(());
        }
        // Stopped half-way, there are no factors.
        (self.metric, self.sound) = (None, false);
        self.free.clear();
        self.free.extend_from_slice(free);
        self.extra.clear();
        self.extra.extend_from_slice(extra);
        match metric.matrix() {
            CurvatureMatrix::Dense(h) => {
                self.start(free.len());
                let columns = self.cholesky.chunks_exact_mut(free.len().max(1));
                let whole = free.len() == h.order();
                for (j, column) in columns.enumerate() {
                    let entries = h.column(free[j]);
                    if whole {
                        column[j..].copy_from_slice(&entries[j..]);
                    } else {
                        column.iter_mut().zip(free).for_each(|(out, &i)| *out = entries[i]);
                    }
                    column[j] += extra[j];
                }
            }
            CurvatureMatrix::LowRank(h) => self.gram(h),
        }
        self.sound = self.factorise(budget)?;
        let order = self.order as f64;
        budget.note_system((order * order * (1.0 + order / (3.0 * BLOCKS_AT_ONCE))) as u64);
        self.metric = Some(metric.clone());
        Ok(())
    }

    /// Whether these are the factors of H_FF + diag(extra).
    pub(super) fn holds(&self, metric: &Arc<CurvatureMetric>, free: &[usize], extra: &[f64]) -> bool {
        let same = self.metric.as_ref().is_some_and(|known| known.has_matrix_of(metric));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * a.abs();
        same && self.free == free && self.extra.iter().zip(extra).all(near)
    }

    /// Whether the matrix had factors.
    pub(super) fn are_sound(&self) -> bool {
        self.metric.is_some() && self.sound
    }

    /// Room for a matrix of this order.
    fn start(&mut self, order: usize) {
        self.order = order;
        self.cholesky.resize(order * order, 0.0);
    }

    /// I + G'G
    fn gram(&mut self, h: &LowRank) {
        let count = self.free.len();
        self.start(h.vectors().len());
        self.roots.clear();
        let diagonal = self.free.iter().zip(&self.extra).map(|(&i, e)| h.diagonal()[i] + e);
        self.roots.extend(diagonal.map(|e| 1.0 / e.sqrt()));
        self.columns.resize(self.order * count, 0.0);
        self.small.resize(self.order, 0.0);
        for (k, vector) in h.vectors().enumerate() {
            let column = &mut self.columns[k * count..][..count];
            let places = self.free.iter().zip(&self.roots);
            column.iter_mut().zip(places).for_each(|(out, (&i, root))| *out = vector[i] * root);
        }
        for j in 0..self.order {
            let column = &self.columns[j * count..][..count];
            for i in j..self.order {
                let other = &self.columns[i * count..][..count];
                self.cholesky[j * self.order + i] = simd::dot(column, other) + f64::from(u8::from(i == j));
            }
        }
    }

    /// The Cholesky factor in place, in strips of columns between which the budget is asked; false where the matrix is not
    /// positive definite.
    fn factorise(&mut self, budget: &Budget) -> Result<bool, Stop> {
        let (order, par) = (self.order, Par::Seq);
        // One strip where it takes no time.
        let strip = if order <= UNDIVIDED { order.max(1) } else { STRIP };
        if self.stack.as_ref().is_none_or(|(room, _)| *room < strip) {
            let needed = llt::factor::cholesky_in_place_scratch::<f64>(strip, par, Spec::default());
            self.stack = Some((strip, MemBuffer::new(needed)));
        }
        let Some((_, buffer)) = &mut self.stack else { return Ok(false) };
        let mut rest = MatMut::from_column_major_slice_mut(&mut self.cholesky, order, order);
        loop {
            budget.ask()?;
            let width = strip.min(rest.nrows());
            let (mut tile, _, mut below, mut corner) = rest.split_at_mut(width, width);
            let (options, spec) = (Default::default(), Spec::default());
            let stack = MemStack::new(buffer);
            if llt::factor::cholesky_in_place(tile.as_mut(), options, par, stack, spec).is_err() {
                return Ok(false);
            }
            if corner.nrows() == 0 {
                return Ok(true);
            }
            // L_21 = A_21 L_11^-T, then A_22 - L_21 L_21'.
            solve_lower_triangular_in_place(tile.as_ref(), below.as_mut().transpose_mut(), par);
            let left = below.as_ref();
            let (lower, rectangle) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            matmul(
                corner.as_mut(),
                lower,
                Accum::Add,
                left,
                rectangle,
                left.transpose(),
                rectangle,
                -1.0,
                par,
            );
            rest = corner;
        }
    }

    /// In place, one or several b over F, one after the other; false where the matrix had no factors.
    pub(super) fn solve(&mut self, b: &mut [f64]) -> bool {
        let Some(metric) = self.metric.as_ref().filter(|_| self.sound) else { return false };
        match metric.matrix() {
            CurvatureMatrix::Dense(_) => substitute(&self.cholesky, self.order, b),
            CurvatureMatrix::LowRank(_) => {
                b.chunks_exact_mut(self.free.len().max(1)).for_each(|b| self.solve_low_rank(b));
            }
        }
        true
    }

    /// In place, by Woodbury's formula.
    fn solve_low_rank(&mut self, b: &mut [f64]) {
        b.iter_mut().zip(&self.roots).for_each(|(b, root)| *b *= root);
        let columns = self.columns.chunks_exact(b.len().max(1));
        self.small.iter_mut().zip(columns.clone()).for_each(|(t, column)| *t = simd::dot(column, b));
        substitute(&self.cholesky, self.order, &mut self.small);
        self.small.iter().zip(columns).for_each(|(t, column)| simd::add_scaled(-t, column, b));
        b.iter_mut().zip(&self.roots).for_each(|(b, root)| *b *= root);
    }
}

/// In place, with the Cholesky factor of a matrix of this order: as many right-hand sides as b holds.
fn substitute(cholesky: &[f64], order: usize, b: &mut [f64]) {
    let count = b.len().checked_div(order).unwrap_or(0);
    let factor = MatRef::from_column_major_slice(cholesky, order, order);
    let right = MatMut::from_column_major_slice_mut(b, order, count);
    llt::solve::solve_in_place(factor, right, Par::Seq, MemStack::new(&mut []));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Dense;
    use crate::metric::second_order::Kind;

    #[test]
    fn a_low_rank_is_solved_as_the_dense_matrix_that_it_is() {
        let (n, diagonal) = (4, vec![0.5, 0.0, 2.0, 0.1]);
        let vectors = vec![1.0, -2.0, 0.5, 3.0, 0.0, 1.0, 1.0, -1.0];
        let mut entries = vec![0.0; n * n];
        for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
            entries[i * n + j] = (0..2).map(|k| vectors[k * n + i] * vectors[k * n + j]).sum();
            entries[i * n + j] += if i == j { diagonal[i] } else { 0.0 };
        }
        let low_rank = CurvatureMatrix::LowRank(LowRank::new(diagonal, vectors));
        let dense = CurvatureMatrix::Dense(Dense::symmetric(n, entries.clone()));
        let (free, extra) = ([0, 1, 3], [0.3, 0.2, 0.1]);
        let solutions = [low_rank, dense].map(|matrix| {
            let metric = Arc::new(CurvatureMetric::damped(Kind::Hessian, matrix, 0.1).expect("positive"));
            let (mut factors, mut x) = (Factors::default(), [1.0, 2.0, -1.0]);
            factors.take(&metric, &free, &extra, &Budget::unlimited()).unwrap();
            assert!(factors.solve(&mut x));
            x
        });
        for (row, &i) in free.iter().enumerate() {
            for x in &solutions {
                let product: f64 = free.iter().zip(x).map(|(&j, x)| entries[i * n + j] * x).sum();
                assert!((product + extra[row] * x[row] - [1.0, 2.0, -1.0][row]).abs() < 1e-12);
            }
        }
        let indefinite = Dense::symmetric(2, vec![1.0, 2.0, 2.0, 1.0]);
        let metric =
            CurvatureMetric::damped(Kind::Hessian, CurvatureMatrix::Dense(indefinite), 0.1).expect("finite");
        let mut factors = Factors::default();
        factors.take(&Arc::new(metric), &[0, 1], &[0.0, 0.0], &Budget::unlimited()).unwrap();
        assert!(!factors.solve(&mut [1.0, 1.0]));
    }
}
