//! The Newton system [P A'; A -W^-1]: its factors, and solutions by them.
//!
//! After the blocks ([`super::block`]) and the single columns are eliminated, this is left of it, x being the core and l the rows that stay:
//!
//! ```text
//! [ S   E'                 ] [x]
//! [ E   -(W^-1 + F D^-1 F')] [l]      E and F: what these rows say of the core and of single columns
//! ```
//!
//! S is factored, then W^-1 + F D^-1 F' + E S^-1 E', both as dense matrices. A few rows that are longer than all others and tie what is
//! eliminated are a border ([`super::border`]).

use super::block::Eliminated;
use super::border::Border;
use super::dense::{Dense, room};
use super::gram::Gram;
use super::rows::SparseRows;
use super::scaling::Scaled;
use super::structure::Structure;
use crate::method::tuning::condensed::{DEFINITE, RELATIVE};
use faer::dyn_stack::MemBuffer;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

/// The system of a program, with the factors of the last weights.
pub(super) struct System {
    /// The rows' entries in the core, by places in it, and those outside of it.
    core_rows: SparseRows,
    near_rows: SparseRows,
    equations: usize,
    core: Vec<usize>,
    blocks: Vec<Eliminated>,
    /// Single columns: index, curvature, bounds; and the diagonal D.
    single: Vec<(usize, f64, Vec<usize>)>,
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// The rows that stay, and whether a row does.
    rows: Vec<usize>,
    stays: Vec<bool>,
    /// The blocks' matrices M, and their sum over blocks that change, ...
    m: Vec<f64>,
    gram: Gram,
    /// ... and over those that do not, with P.
    base: Vec<f64>,
    /// F by columns: a row for each single column.
    single_rows: SparseRows,
    single_gram: Gram,
    s: Dense,
    t: Dense,
    /// L^-1 E', by columns; empty where E is 0.
    through: Vec<f64>,
    weights: Vec<f64>,
    x: Vec<f64>,
    l: Vec<f64>,
    buffer: MemBuffer,
    border: Border,
}

impl System {
    pub(super) fn new(program: &Scaled, structure: Structure) -> Self {
        let Structure { blocks, single, core, rows, border, place } = structure;
        let (mut core_rows, mut near_rows) = (SparseRows::empty(), SparseRows::empty());
        for row in 0..program.a.count() {
            // Of the border nothing is known inside.
            let inside = !border.contains(&row);
            let entries = || program.a.pairs(row).filter(|_| inside);
            core_rows.push(entries().filter_map(|(column, v)| Some((place[column]?, v))));
            near_rows.push(entries().filter(|(column, _)| place[*column].is_none()));
        }
        let mut at = 0;
        let eliminated = blocks.into_iter().map(|block| {
            let block = Eliminated::new(block, &near_rows, &program.p, DEFINITE, at);
            at += block.order() * block.order();
            block
        });
        let blocks: Vec<Eliminated> = eliminated.collect();
        let mut stays = vec![false; program.a.count()];
        rows.iter().chain(&border).for_each(|row| stays[*row] = true);
        let curvature = |c: usize| program.p.pairs(c).filter(|(j, _)| *j == c).map(|(_, v)| v).sum::<f64>();
        let single: Vec<_> = single.into_iter().map(|(c, bounds)| (c, curvature(c), bounds)).collect();
        let single_rows = single_rows(&near_rows, &single, &rows, place.len());
        let unit = |block: &Eliminated| {
            (block.block.links.iter().chain(&block.block.own).copied().collect::<Vec<_>>(), block.at)
        };
        let (n, m) = (core.len(), rows.len());
        let tied = rows.iter().any(|row| core_rows.length(*row) > 0);
        let mut system = Self {
            gram: Gram::new(n, &core_rows, blocks.iter().filter(|b| !b.is_constant()).map(unit)),
            single_gram: Gram::new(m, &single_rows, (0..single.len()).map(|k| (vec![k], k))),
            base: vec![0.0; n * n],
            m: vec![0.0; at],
            s: Dense::new(n),
            t: Dense::new(m),
            through: vec![0.0; if tied { n * m } else { 0 }],
            weights: vec![0.0; stays.len()],
            x: vec![0.0; n],
            l: vec![0.0; m],
            diagonal: vec![0.0; single.len()],
            inverse: vec![0.0; single.len()],
            buffer: room(n.max(m)),
            border: Border::new(program, border),
            equations: program.equations,
            core_rows,
            near_rows,
            core,
            blocks,
            single,
            single_rows,
            rows,
            stays,
        };
        system.start(program, &place, unit);
        system
    }

    /// What stays the same: P of the core, and blocks without inequalities.
    fn start(
        &mut self,
        program: &Scaled,
        place: &[Option<usize>],
        unit: impl Fn(&Eliminated) -> (Vec<usize>, usize),
    ) {
        let n = self.core.len();
        for (j, column) in self.core.iter().enumerate() {
            for (i, v) in program.p.pairs(*column).filter_map(|(row, v)| Some((place[row]?, v))) {
                if i >= j {
                    self.base[j * n + i] += v;
                }
            }
        }
        for block in self.blocks.iter_mut().filter(|block| block.is_constant()) {
            block.factor(&self.weights, DEFINITE, &mut self.m);
        }
        let constant = self.blocks.iter().filter(|block| block.is_constant()).map(unit);
        Gram::new(n, &self.core_rows, constant).add(&self.core_rows, &self.m, &mut self.base);
    }

    /// Factors for these W^-1 of the inequalities; false where that fails.
    pub(super) fn factor(&mut self, inverse_weights: &[f64]) -> bool {
        for (row, (weight, inverse)) in self.weights.iter_mut().zip(inverse_weights).enumerate() {
            *weight = if row < self.equations { 0.0 } else { 1.0 / inverse };
        }
        for block in self.blocks.iter_mut().filter(|block| !block.is_constant()) {
            block.factor(&self.weights, DEFINITE, &mut self.m);
        }
        for ((_, curvature, bounds), d) in self.single.iter().zip(&mut self.diagonal) {
            let weighted = bounds.iter().map(|row| {
                let c: f64 = self.near_rows.pairs(*row).map(|(_, v)| v).sum();
                self.weights[*row] * c * c
            });
            *d = curvature + DEFINITE + weighted.sum::<f64>();
        }
        self.inverse.iter_mut().zip(&self.diagonal).for_each(|(inverse, d)| *inverse = 1.0 / d);
        // More on the diagonal where rounding has made the matrix indefinite.
        [1.0, 1e3, 1e6].into_iter().any(|more| self.factor_dense(inverse_weights, more))
            && self.factor_border(inverse_weights)
    }

    fn factor_border(&mut self, inverse_weights: &[f64]) -> bool {
        let mut border = std::mem::take(&mut self.border);
        let done = border.factor(self.equations, inverse_weights, |f, g, y, l| self.solve_inside(f, g, y, l));
        self.border = border;
        done
    }

    fn factor_dense(&mut self, inverse_weights: &[f64], more: f64) -> bool {
        self.s.entries.copy_from_slice(&self.base);
        self.gram.add(&self.core_rows, &self.m, &mut self.s.entries);
        if !self.s.factor(more * DEFINITE, more * RELATIVE, &mut self.buffer) {
            return false;
        }
        let (n, m) = (self.core.len(), self.rows.len());
        self.t.entries.fill(0.0);
        self.single_gram.add(&self.single_rows, &self.inverse, &mut self.t.entries);
        for (k, row) in self.rows.iter().enumerate() {
            let is_equation = *row < self.equations;
            self.t.entries[k * m + k] += if is_equation { 0.0 } else { inverse_weights[*row] };
        }
        if !self.through.is_empty() {
            self.through.fill(0.0);
            for (column, row) in self.through.chunks_exact_mut(n).zip(&self.rows) {
                self.core_rows.add(*row, 1.0, column);
            }
            let mut through = MatMut::from_column_major_slice_mut(&mut self.through, n, m);
            solve_lower_triangular_in_place(self.s.matrix(), through.as_mut(), Par::Seq);
            let through = through.as_ref();
            let (lower, rectangle) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            triangular::matmul(
                MatMut::from_column_major_slice_mut(&mut self.t.entries, m, m),
                lower,
                Accum::Add,
                through.transpose(),
                rectangle,
                through,
                rectangle,
                1.0,
                Par::Seq,
            );
        }
        self.t.factor(more * DEFINITE, more * RELATIVE, &mut self.buffer)
    }

    /// Solves P y + A'l = f, A y - W^-1 l = g by the factors.
    pub(super) fn solve(&mut self, f: &[f64], g: &[f64], y: &mut [f64], l: &mut [f64]) {
        self.solve_inside(f, g, y, l);
        self.border.mend(g, y, l);
    }

    /// The same without the border.
    fn solve_inside(&mut self, f: &[f64], g: &[f64], y: &mut [f64], l: &mut [f64]) {
        y.copy_from_slice(f);
        l.copy_from_slice(g);
        for (row, l) in l.iter_mut().enumerate().skip(self.equations).filter(|(row, _)| !self.stays[*row]) {
            *l *= self.weights[row];
            self.near_rows.add(row, *l, y);
        }
        for block in &mut self.blocks {
            block.eliminate(&self.weights, y, l);
        }
        self.single.iter().zip(&self.inverse).for_each(|((c, _, _), inverse)| y[*c] *= inverse);
        self.core.iter().zip(&mut self.x).for_each(|(c, x)| *x = y[*c]);
        for (row, l) in l.iter().enumerate().filter(|(row, _)| !self.stays[*row]) {
            self.core_rows.add(row, *l, &mut self.x);
        }
        self.solve_dense(y, l);
        self.core.iter().zip(&self.x).for_each(|(c, x)| y[*c] = *x);
        for (k, ((c, _, _), inverse)) in self.single.iter().zip(&self.inverse).enumerate() {
            y[*c] -= inverse * self.single_rows.dot(k, &self.l);
        }
        for (row, l) in l.iter_mut().enumerate().filter(|(row, _)| !self.stays[*row]) {
            *l = self.core_rows.dot(row, &self.x);
        }
        for block in &self.blocks {
            block.restore(&self.weights, y, l);
        }
        for (row, l) in l.iter_mut().enumerate().skip(self.equations).filter(|(row, _)| !self.stays[*row]) {
            *l = self.weights[row] * (*l + self.near_rows.dot(row, y) - g[row]);
        }
        self.rows.iter().zip(&self.l).for_each(|(row, value)| l[*row] = *value);
    }

    /// The core, from its right-hand side in x, and the rows that stay.
    fn solve_dense(&mut self, y: &[f64], g: &[f64]) {
        let (n, m) = (self.core.len(), self.rows.len());
        self.s.forward(&mut self.x);
        for (l, row) in self.l.iter_mut().zip(&self.rows) {
            *l = self.near_rows.dot(*row, y) - g[*row];
        }
        let through =
            MatRef::from_column_major_slice(&self.through, n, if self.through.is_empty() { 0 } else { m });
        if !self.through.is_empty() {
            let x = MatRef::from_column_major_slice(&self.x, n, 1);
            let l = MatMut::from_column_major_slice_mut(&mut self.l, m, 1);
            matmul(l, Accum::Add, through.transpose(), x, 1.0, Par::Seq);
        }
        self.t.forward(&mut self.l);
        self.t.backward(&mut self.l);
        if !self.through.is_empty() {
            let l = MatRef::from_column_major_slice(&self.l, m, 1);
            let x = MatMut::from_column_major_slice_mut(&mut self.x, n, 1);
            matmul(x, Accum::Add, through, l, -1.0, Par::Seq);
        }
        self.s.backward(&mut self.x);
    }
}

/// F by columns: what the rows that stay say of each single column, by places among these rows.
fn single_rows(
    near: &SparseRows,
    single: &[(usize, f64, Vec<usize>)],
    rows: &[usize],
    columns: usize,
) -> SparseRows {
    let mut staying = SparseRows::empty();
    rows.iter().for_each(|row| staying.push(near.pairs(*row)));
    let by_columns = staying.transposed(columns);
    let mut all = SparseRows::empty();
    single.iter().for_each(|(c, _, _)| all.push(by_columns.pairs(*c)));
    all
}
