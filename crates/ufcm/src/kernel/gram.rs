//! A'WA into the lower triangle of a matrix stored by columns: the Hessian of a loss over data.
//!
//! A matrix product, so compute-bound: faer multiplies, one panel of columns at a time. Panels and the order of row
//! blocks are fixed and each panel belongs to one thread, so any number of threads gives the same bits.

use crate::budget::{Budget, Stop};
use crate::matrix::{Dense, Entries, Lines, Matrix};
use crate::pool::Pool;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of a panel.
const PANEL: usize = 32;
/// Rows that are scaled and multiplied at a time.
const ROWS: usize = 512;

/// hessian (lower triangle, by columns) += A' diag(weights) A. The budget is asked before every panel.
pub(crate) fn add_gram(
    matrix: &Matrix,
    weights: &[f64],
    hessian: &mut [f64],
    pool: &Pool,
    budget: &Budget,
) -> Result<(), Stop> {
    match matrix {
        Matrix::Dense(a) => add_dense(a, weights, hessian, pool, budget),
        Matrix::Sparse(a) => add_sparse(a.by_rows(), weights, hessian, budget),
    }
}

fn add_dense(
    a: &Dense,
    weights: &[f64],
    hessian: &mut [f64],
    pool: &Pool,
    budget: &Budget,
) -> Result<(), Stop> {
    let n = a.columns();
    pool.with(2 * ROWS * n, |storage| {
        let (scaled, doubles) = storage.split_at_mut(ROWS * n);
        for first in (0..a.rows()).step_by(ROWS) {
            let rows = ROWS.min(a.rows() - first);
            let block = match a.entries().part(first * n..(first + rows) * n) {
                Entries::Double(values) => values,
                single @ Entries::Single(_) => {
                    single.copy_to(&mut doubles[..rows * n]);
                    &doubles[..rows * n]
                }
            };
            let block = MatRef::from_row_major_slice(block, rows, n);
            let mut scaled = MatMut::from_row_major_slice_mut(&mut scaled[..rows * n], rows, n);
            for i in 0..rows {
                for j in 0..n {
                    scaled[(i, j)] = weights[first + i] * block[(i, j)];
                }
            }
            let scaled = scaled.as_ref().transpose();
            hessian.par_chunks_mut(PANEL * n).enumerate().try_for_each(|(p, panel)| {
                budget.ask()?;
                let width = panel.len() / n;
                let panel = MatMut::from_column_major_slice_mut(panel, n, width);
                multiply_panel(panel, p * PANEL, Accum::Add, scaled, block);
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// The columns from `start` on, as wide as `panel`, of the lower triangle of LEFT * RIGHT.
fn multiply_panel(
    panel: MatMut<'_, f64>,
    start: usize,
    accum: Accum,
    left: MatRef<'_, f64>,
    right: MatRef<'_, f64>,
) {
    let (n, width) = (panel.nrows(), panel.ncols());
    let right = right.subcols(start, width);
    let (tile, below) = panel.subrows_mut(start, n - start).split_at_row_mut(width);
    let rectangle = BlockStructure::Rectangular;
    let lower = BlockStructure::TriangularLower;
    let beside = left.subrows(start, width);
    triangular::matmul(tile, lower, accum, beside, rectangle, right, rectangle, 1.0, Par::Seq);
    matmul(below, accum, left.subrows(start + width, n - start - width), right, 1.0, Par::Seq);
}

/// out (lower triangle, by columns) = A B', of as many rows of A as of B. The budget is asked before every panel.
pub(crate) fn products_of_rows(
    n: usize,
    a: &[f64],
    b: &[f64],
    out: &mut [f64],
    budget: &Budget,
) -> Result<(), Stop> {
    let k = a.len() / n.max(1);
    let left = MatRef::from_row_major_slice(a, k, n);
    let right = MatRef::from_row_major_slice(b, k, n).transpose();
    for (p, panel) in out.chunks_mut(PANEL * k.max(1)).enumerate() {
        budget.ask()?;
        let panel_width = panel.len() / k;
        let panel = MatMut::from_column_major_slice_mut(panel, k, panel_width);
        multiply_panel(panel, p * PANEL, Accum::Replace, left, right);
    }
    Ok(())
}

fn add_sparse(rows: Lines<'_>, weights: &[f64], hessian: &mut [f64], budget: &Budget) -> Result<(), Stop> {
    let n = rows.width();
    hessian.par_chunks_mut(PANEL * n).enumerate().try_for_each(|(p, panel)| {
        budget.ask()?;
        let (start, end) = ((p * PANEL) as u32, p * PANEL + panel.len() / n);
        for (i, weight) in weights.iter().enumerate() {
            let (columns, values) = rows.line(i);
            // Indices increase: only the run of columns inside the panel is visited, and below it all later ones.
            let mut k = columns.partition_point(|&j| j < start);
            while k < columns.len() && (columns[k] as usize) < end {
                let column = &mut panel[(columns[k] - start) as usize * n..][..n];
                let scaled = weight * values[k];
                for (&i, value) in columns[k..].iter().zip(&values[k..]) {
                    column[i as usize] += scaled * value;
                }
                k += 1;
            }
        }
        Ok(())
    })
}
