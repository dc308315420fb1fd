//! How far a point and multipliers are from optimality, from the program alone.

use ufcm_io::{Program, Sense};

/// The multipliers of the program's rows from those of the problem's: positive ones push against the upper side.
pub fn multipliers(program: &Program, of_problem: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; program.rows.len()];
    for (origin, multiplier) in program.problem_rows().iter().zip(&of_problem[1..]) {
        y[origin.row] = if origin.negated { -multiplier } else { *multiplier };
    }
    y
}

/// Relative errors of the optimality conditions, in the 2-norm:
///
/// ```text
/// primal   |A x - nearest point of [row_lower, row_upper]| / (1 + |sides|)
/// dual     |Q x + c + A'y - z| / (1 + |c| + |Q x|)
/// gap      |P - D| / (1 + |P| + |D|),   P = x'Qx/2 + c.x + d,   D = d - x'Qx/2 - sum of sides times y + sum of bounds times z
/// ```
///
/// Q x stands beside c because both make the slope of the objective: rounding leaves 1e-6 of a residual where slopes are 1e5.
///
/// z, the multipliers of the bounds, are for whoever checks to choose: either all that finite bounds can take of the
/// slope, or only where x is at its bound. The choice with the smaller error counts.
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    pub primal: f64,
    pub dual: f64,
    pub gap: f64,
    /// The violation itself.
    pub violation: f64,
    /// In the program's own sense.
    pub objective: f64,
}

impl Errors {
    pub fn of(program: &Program, x: &[f64], y: &[f64]) -> Self {
        let [anywhere, at_bounds] = [false, true].map(|only_active| Self::with(program, x, y, only_active));
        if at_bounds.worst() < anywhere.worst() { at_bounds } else { anywhere }
    }

    /// The largest of the three; a NaN counts as infinite.
    pub fn worst(&self) -> f64 {
        let parts = [self.primal, self.dual, self.gap];
        if parts.iter().any(|part| part.is_nan()) {
            f64::INFINITY
        } else {
            parts.into_iter().fold(0.0, f64::max)
        }
    }

    /// Whether all hold, the primal one within `feasibility`.
    pub fn are_within(&self, tolerance: f64, feasibility: f64) -> bool {
        self.worst() <= tolerance.max(feasibility)
            && self.primal <= feasibility
            && self.dual.max(self.gap) <= tolerance
    }

    fn with(program: &Program, x: &[f64], y: &[f64], only_active: bool) -> Self {
        let sign = if program.sense == Sense::Maximise { -1.0 } else { 1.0 };
        let (m, n) = (y.len(), x.len());
        let (mut ax, mut qx) = (vec![0.0; m], vec![0.0; n]);
        program.matrix.for_each(|i, j, value| ax[i] += value * x[j]);
        if let Some(q) = &program.quadratic {
            q.for_each(|i, j, value| qx[i] += sign * value * x[j]);
        }
        let mut slope: Vec<f64> = qx.iter().zip(&program.linear).map(|(qx, c)| qx + sign * c).collect();
        program.matrix.for_each(|i, j, value| slope[j] += value * y[i]);

        let (lower, upper) = (&program.row_lower, &program.row_upper);
        let outside = |i: usize| (lower[i] - ax[i]).max(ax[i] - upper[i]).max(0.0);
        let side = |i: usize| finite(lower[i]).abs().max(finite(upper[i]).abs());
        let violation = norm((0..m).map(outside));

        let bound = |j: usize| if slope[j] > 0.0 { program.lower[j] } else { program.upper[j] };
        let takes = |j: usize| bound(j).is_finite() && (!only_active || x[j] == bound(j));
        let left = |j: usize| if takes(j) { 0.0 } else { slope[j] };
        let curved = 0.5 * dot(&qx, x);
        let constant = sign * program.constant;
        let objective = constant + curved + sign * dot(&program.linear, x);
        let by_rows: f64 = (0..m).map(|i| y[i] * finite(if y[i] > 0.0 { upper[i] } else { lower[i] })).sum();
        let by_bounds: f64 = (0..n).filter(|&j| takes(j)).map(|j| slope[j] * bound(j)).sum();
        let dual = constant - curved - by_rows + by_bounds;
        Self {
            primal: violation / (1.0 + norm((0..m).map(side))),
            dual: norm((0..n).map(left))
                / (1.0 + norm(program.linear.iter().copied()) + norm(qx.iter().copied())),
            gap: (objective - dual).abs() / (1.0 + objective.abs() + dual.abs()),
            violation,
            objective: sign * objective,
        }
    }
}

fn finite(side: f64) -> f64 {
    if side.is_finite() { side } else { 0.0 }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
