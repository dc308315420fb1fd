//! The optimum as an interior-point solver finds it.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT, ZeroConeT,
};
use ufcm_io::{Program, Sense};

/// Entries of a sparse matrix.
#[derive(Default)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn push(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    fn matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

/// The optimum in the program's own sense, `None` where Clarabel does not solve it.
pub fn optimum(program: &Program) -> Option<f64> {
    let sign = if program.sense == Sense::Maximise { -1.0 } else { 1.0 };
    let (m, n) = (program.rows.len(), program.variables.len());
    let mut quadratic = Entries::default();
    if let Some(q) = &program.quadratic {
        q.for_each(|i, j, value| {
            if i <= j {
                quadratic.push(i, j, sign * value);
            }
        });
    }
    // Rows of A, then the variables themselves: equations first, then upper sides, then lower sides, negated.
    let mut lines = vec![Vec::new(); m];
    program.matrix.for_each(|i, j, value| lines[i].push((j, value)));
    lines.extend((0..n).map(|j| vec![(j, 1.0)]));
    let lower: Vec<f64> = program.row_lower.iter().chain(&program.lower).copied().collect();
    let upper: Vec<f64> = program.row_upper.iter().chain(&program.upper).copied().collect();
    let all = 0..lines.len();
    let equal = |k: &usize| lower[*k] == upper[*k];
    let equations: Vec<_> = all.clone().filter(equal).map(|k| (k, 1.0)).collect();
    let above = all.clone().filter(|k| !equal(k) && upper[*k].is_finite()).map(|k| (k, 1.0));
    let below = all.filter(|k| !equal(k) && lower[*k].is_finite()).map(|k| (k, -1.0));
    let order: Vec<(usize, f64)> = equations.iter().copied().chain(above).chain(below).collect();
    let (mut matrix, mut sides) = (Entries::default(), Vec::new());
    for (row, &(k, sign)) in order.iter().enumerate() {
        lines[k].iter().for_each(|&(j, value)| matrix.push(row, j, sign * value));
        sides.push(if sign > 0.0 { upper[k] } else { -lower[k] });
    }
    let cones: [SupportedConeT<f64>; 2] =
        [ZeroConeT(equations.len()), NonnegativeConeT(order.len() - equations.len())];
    let linear: Vec<f64> = program.linear.iter().map(|c| sign * c).collect();
    let settings = DefaultSettings { verbose: false, time_limit: 60.0, ..DefaultSettings::default() };
    let (p, a) = (quadratic.matrix(n, n), matrix.matrix(order.len(), n));
    let mut solver = DefaultSolver::new(&p, &linear, &a, &sides, &cones, settings).ok()?;
    solver.solve();
    let solved = solver.solution.status == SolverStatus::Solved;
    solved.then_some(sign * solver.solution.obj_val + program.constant)
}
