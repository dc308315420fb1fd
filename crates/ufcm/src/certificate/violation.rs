//! What a violation is: relative to the size of each row, and at the price of its multipliers.

use super::Linearisation;
use crate::problem::Problem;

/// A violation beside what it is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// The largest distance of a row from where it must be, relative to |g_j| + sum_i |J_ji x_i| of that row; `None` where the rows of
    /// the Jacobian are not at hand.
    pub(crate) relative: Option<f64>,
    /// sum_j |l_j| times that distance: what the violation may be worth in the objective.
    pub(crate) worth: f64,
}

impl Measured {
    /// Measures rows of these values at `x`, by multipliers and with the Jacobian of a linearisation nearby.
    pub(crate) fn of(
        problem: &Problem,
        x: &[f64],
        row_values: &[f64],
        multipliers: &[f64],
        nearby: Option<&Linearisation<'_>>,
    ) -> Self {
        let nearby = nearby.filter(|at| at.mapping.has_rows());
        let (mut relative, mut worth, mut scratch) = (0.0f64, 0.0, Vec::new());
        for (range, composer) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            let whole = composer.domain_distance(&row_values[range.clone()]);
            for (k, row) in range.enumerate().filter(|_| whole > 0.0) {
                let g = row_values[row];
                let ends = composer.row_domain(k);
                let distance = ends.map_or(whole, |[low, high]| (g - high).max(low - g).max(0.0));
                worth += multipliers[row].abs() * distance;
                if let Some(at) = nearby.filter(|_| distance > 0.0) {
                    let mut size = g.abs();
                    at.mapping.with_row(row, &mut scratch, &mut |view| {
                        view.for_each(|i, a| size += (a * x[i]).abs());
                    });
                    relative = relative.max(distance / size.max(f64::MIN_POSITIVE));
                }
            }
        }
        Self { relative: nearby.map(|_| relative), worth }
    }
}
