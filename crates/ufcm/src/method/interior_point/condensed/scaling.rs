//! The program in units in which its numbers are near 1: rows and columns of [P A'; A 0] scaled in turn (Ruiz), then the cost.

use super::rows::SparseRows;
use crate::method::interior_point::program::Program;
use crate::method::tuning::condensed::{RUIZ_ROUNDS, WIDEST};
use clarabel::solver::SupportedConeT;

/// minimise 1/2 y'P y + q.y with A y + s = b, s = 0 in the first rows and s >= 0 in the others; all in units of its own.
pub(super) struct Scaled {
    /// Both triangles of P.
    pub(super) p: SparseRows,
    pub(super) q: Vec<f64>,
    pub(super) a: SparseRows,
    pub(super) b: Vec<f64>,
    /// The number of equations, which stand first.
    pub(super) equations: usize,
    /// The program's y is this times ours, ...
    pub(super) columns: Vec<f64>,
    /// ... our rows are this times the program's, ...
    pub(super) rows: Vec<f64>,
    /// ... and our cost is this times the program's.
    pub(super) cost: f64,
}

/// The number of equations, if they stand first and all other rows are inequalities.
pub(super) fn equations(program: &Program) -> Option<usize> {
    match program.cones[..] {
        [SupportedConeT::NonnegativeConeT(_)] => Some(0),
        [SupportedConeT::ZeroConeT(equations), SupportedConeT::NonnegativeConeT(_)] => Some(equations),
        _ => None,
    }
}

/// Both triangles of P, and A, by rows.
pub(super) fn matrices(program: &Program) -> [SparseRows; 2] {
    let (p, a) = (&program.p, &program.a);
    let upper = SparseRows::of_columns(program.q.len(), &p.colptr, &p.rowval, &p.nzval);
    let lower = upper.transposed(program.q.len());
    let mut both = SparseRows::empty();
    for k in 0..program.q.len() {
        both.push(lower.pairs(k).filter(|(column, _)| *column < k).chain(upper.pairs(k)));
    }
    [both, SparseRows::of_columns(program.b.len(), &a.colptr, &a.rowval, &a.nzval)]
}

/// The program in its own units, brought into those in which its numbers are near 1.
pub(super) fn scale(program: &Program) -> Option<Scaled> {
    let equations = equations(program)?;
    let [p, a] = matrices(program);
    let (n, m) = (program.q.len(), program.b.len());
    let (mut columns, mut rows) = (vec![1.0f64; n], vec![1.0f64; m]);
    for _ in 0..RUIZ_ROUNDS {
        let (mut of_columns, mut of_rows) = (vec![0.0f64; n], vec![0.0f64; m]);
        for (k, largest) in of_columns.iter_mut().enumerate() {
            p.pairs(k).for_each(|(j, v)| *largest = largest.max((v * columns[k] * columns[j]).abs()));
        }
        for (k, largest) in of_rows.iter_mut().enumerate() {
            for (j, v) in a.pairs(k) {
                let size = (v * rows[k] * columns[j]).abs();
                *largest = largest.max(size);
                of_columns[j] = of_columns[j].max(size);
            }
        }
        for (scale, size) in columns.iter_mut().zip(of_columns).chain(rows.iter_mut().zip(of_rows)) {
            if size > 0.0 {
                *scale = (*scale / size.sqrt()).clamp(1.0 / WIDEST, WIDEST);
            }
        }
    }
    let [mut p, mut a] = [p, a];
    p.scale(|i, j| columns[i] * columns[j]);
    a.scale(|i, j| rows[i] * columns[j]);
    let mut q: Vec<f64> = program.q.iter().zip(&columns).map(|(q, scale)| q * scale).collect();
    let b = program.b.iter().zip(&rows).map(|(b, scale)| b * scale).collect();
    let largest = q.iter().chain(&p.values).fold(0.0f64, |largest, v| largest.max(v.abs()));
    let cost = if largest > 0.0 { (1.0 / largest).clamp(1.0 / WIDEST, WIDEST) } else { 1.0 };
    p.scale(|_, _| cost);
    q.iter_mut().for_each(|q| *q *= cost);
    let finite = p.values.iter().chain(&a.values).chain(&q).chain(&b).all(|v: &f64| v.is_finite());
    finite.then_some(Scaled { p, q, a, b, equations, columns, rows, cost })
}
