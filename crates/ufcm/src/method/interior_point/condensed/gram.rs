//! Sums of A_u' M_u A_u over units u of a few rows each, into the lower triangle of a matrix stored by columns.
//!
//! Rows with many entries are kept as a dense matrix, and one product of matrices adds many of them at once. Of the others each
//! unit adds its own entries.

use super::rows::SparseRows;
use crate::method::tuning::condensed::{DENSE, SMALL};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// Rows that are multiplied at a time, at least.
const ROWS: usize = 256;

/// Whether a row of so many entries is treated as dense in a matrix of this width.
pub(super) fn is_dense(length: usize, width: usize) -> bool {
    width <= SMALL || length as f64 >= DENSE * width as f64
}

/// Rows of a unit, and where its M stands among those of all units.
struct Unit {
    rows: Vec<usize>,
    at: usize,
}

/// Units, and where their sum goes.
pub(super) struct Gram {
    width: usize,
    sparse: Vec<Unit>,
    dense: Vec<Unit>,
    /// The rows of the dense units, one after the other.
    entries: Vec<f64>,
    /// M A of the units that are multiplied together.
    scaled: Vec<f64>,
}

impl Gram {
    /// Units are given by their rows, and where their matrices M begin.
    pub(super) fn new(
        width: usize,
        rows: &SparseRows,
        units: impl IntoIterator<Item = (Vec<usize>, usize)>,
    ) -> Self {
        let mut gram =
            Self { width, sparse: Vec::new(), dense: Vec::new(), entries: Vec::new(), scaled: Vec::new() };
        for (unit, at) in units {
            let unit = Unit { rows: unit, at };
            let many =
                unit.rows.iter().any(|row| rows.length(*row) > 1 && is_dense(rows.length(*row), width));
            if many {
                for row in &unit.rows {
                    let start = gram.entries.len();
                    gram.entries.resize(start + width, 0.0);
                    rows.add(*row, 1.0, &mut gram.entries[start..]);
                }
                gram.dense.push(unit);
            } else if unit.rows.iter().any(|row| rows.length(*row) > 0) {
                gram.sparse.push(unit);
            }
        }
        let most = gram.dense.iter().map(|unit| unit.rows.len()).max().unwrap_or(0);
        gram.scaled = vec![0.0; if most > 0 { (ROWS + most) * width } else { 0 }];
        gram
    }

    /// target += the sum, with the matrices M of all units one after the other.
    pub(super) fn add(&mut self, rows: &SparseRows, m: &[f64], target: &mut [f64]) {
        for unit in &self.sparse {
            add_entries(rows, unit, m, self.width, target);
        }
        let (width, mut first, mut done) = (self.width, 0, 0);
        while first < self.dense.len() {
            let (mut last, mut count) = (first, 0);
            while last < self.dense.len() && count < ROWS {
                let unit = &self.dense[last];
                let entries = &self.entries[(done + count) * width..][..unit.rows.len() * width];
                scale(entries, &m[unit.at..], &mut self.scaled[count * width..], unit.rows.len(), width);
                count += unit.rows.len();
                last += 1;
            }
            let left = MatRef::from_row_major_slice(&self.scaled[..count * width], count, width);
            let right =
                MatRef::from_row_major_slice(&self.entries[done * width..][..count * width], count, width);
            let (lower, rectangle) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            let into = MatMut::from_column_major_slice_mut(target, width, width);
            triangular::matmul(
                into,
                lower,
                Accum::Add,
                left.transpose(),
                rectangle,
                right,
                rectangle,
                1.0,
                Par::Seq,
            );
            (first, done) = (last, done + count);
        }
    }
}

/// M A of a unit.
fn scale(entries: &[f64], m: &[f64], scaled: &mut [f64], rows: usize, width: usize) {
    for (k, out) in scaled.chunks_exact_mut(width).take(rows).enumerate() {
        out.iter_mut().zip(entries).for_each(|(out, a)| *out = m[k * rows] * a);
        for l in 1..rows {
            let other = &entries[l * width..];
            out.iter_mut().zip(other).for_each(|(out, a)| *out += m[k * rows + l] * a);
        }
    }
}

/// The lower triangle of A'MA of a unit, entry by entry.
fn add_entries(rows: &SparseRows, unit: &Unit, m: &[f64], width: usize, target: &mut [f64]) {
    let count = unit.rows.len();
    for (k, row) in unit.rows.iter().enumerate() {
        let (columns, values) = rows.row(*row);
        for (l, other) in unit.rows.iter().enumerate() {
            let factor = m[unit.at + k * count + l];
            if factor == 0.0 {
                continue;
            }
            let (others, factors) = rows.row(*other);
            for (at, (j, v)) in others.iter().zip(factors).enumerate() {
                // Of the entries in a column, those on and below the diagonal.
                let from = if k == l { at } else { columns.partition_point(|i| i < j) };
                let column = &mut target[*j as usize * width..][..width];
                let v = factor * v;
                for (i, u) in columns[from..].iter().zip(&values[from..]) {
                    column[*i as usize] += v * u;
                }
            }
        }
    }
}
