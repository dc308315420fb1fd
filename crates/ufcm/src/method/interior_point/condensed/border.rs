//! A few long rows that tie columns of many blocks, such as a bound on a sum over all samples: the border of the system.
//!
//! With K for the system without them and B for their entries, K^-1 B' takes a solution by K for each row, and B K^-1 B' + W^-1 is as
//! small as there are rows.

use super::dense::{Dense, room};
use super::rows::SparseRows;
use super::scaling::Scaled;
use crate::kernel::simd;
use crate::method::tuning::condensed::{DEFINITE, RELATIVE};
use faer::dyn_stack::MemBuffer;

#[derive(Default)]
pub(super) struct Border {
    rows: Vec<usize>,
    /// B
    entries: SparseRows,
    /// K^-1 B': columns and multipliers, for each row.
    y: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
    /// B K^-1 B' + W^-1, factored.
    t: Dense,
    /// The border's multipliers; a right-hand side; none.
    held: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    buffer: Option<MemBuffer>,
}

impl Border {
    pub(super) fn new(program: &Scaled, rows: Vec<usize>) -> Self {
        let (n, m, count) = (program.q.len(), program.b.len(), rows.len());
        let mut entries = SparseRows::empty();
        rows.iter().for_each(|row| entries.push(program.a.pairs(*row)));
        let each = |length: usize| vec![vec![0.0; length]; count];
        let (y, l, t, held) = (each(n), each(m), Dense::new(count), vec![0.0; count]);
        let buffer = Some(room(count));
        Self { rows, entries, y, l, t, held, f: vec![0.0; n], g: vec![0.0; m], buffer }
    }

    /// Factors by solutions (f, g, y, l) of the system without the border; false where that fails.
    pub(super) fn factor(
        &mut self,
        equations: usize,
        inverse_weights: &[f64],
        mut solve: impl FnMut(&[f64], &[f64], &mut [f64], &mut [f64]),
    ) -> bool {
        let count = self.rows.len();
        for j in 0..count {
            self.f.fill(0.0);
            self.entries.add(j, 1.0, &mut self.f);
            solve(&self.f, &self.g, &mut self.y[j], &mut self.l[j]);
            for i in j..count {
                self.t.entries[j * count + i] = self.entries.dot(i, &self.y[j]);
            }
            let row = self.rows[j];
            self.t.entries[j * count + j] += if row < equations { 0.0 } else { inverse_weights[row] };
        }
        match &mut self.buffer {
            Some(buffer) if count > 0 => self.t.factor(DEFINITE, RELATIVE, buffer),
            _ => true,
        }
    }

    /// A solution with the border from one without.
    pub(super) fn mend(&mut self, g: &[f64], y: &mut [f64], l: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        for (j, (row, held)) in self.rows.iter().zip(&mut self.held).enumerate() {
            *held = self.entries.dot(j, y) - g[*row];
        }
        self.t.forward(&mut self.held);
        self.t.backward(&mut self.held);
        for (j, held) in self.held.iter().enumerate() {
            simd::add_scaled(-held, &self.y[j], y);
            simd::add_scaled(-held, &self.l[j], l);
        }
        self.rows.iter().zip(&self.held).for_each(|(row, held)| l[*row] = *held);
    }
}
