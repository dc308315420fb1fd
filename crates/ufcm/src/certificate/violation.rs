//! What a violation is: relative to the size of each row, and at the price of its multipliers.

use super::Linearisation;
use crate::linalg::norm;
use crate::problem::Problem;

/// A violation beside what it is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// The largest distance of a row from where it must be, relative to |g_j| + sum_i |J_ji x_i| of that row, rows that are held together as one; `None` where the rows of
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
        let mut size_of = |at: &Linearisation<'_>, row: usize| {
            let mut size = row_values[row].abs();
            at.mapping.with_row(row, &mut scratch, &mut |view| {
                view.for_each(|i, a| size += (a * x[i]).abs());
            });
            size
        };
        for (range, composer) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            let whole = composer.domain_distance(&row_values[range.clone()]);
            if whole == 0.0 {
                continue;
            }
            if (0..range.len()).any(|k| composer.row_domain(k).is_none()) {
                // Rows that are held together are measured together: <l, d> <= |l| |d|.
                worth += norm(&multipliers[range.clone()]) * whole;
                if let Some(at) = nearby {
                    let size = range.fold(0.0, |size: f64, row| size.hypot(size_of(at, row)));
                    relative = relative.max(whole / size.max(f64::MIN_POSITIVE));
                }
                continue;
            }
            for (k, row) in range.enumerate() {
                let g = row_values[row];
                let distance =
                    composer.row_domain(k).map_or(whole, |[low, high]| (g - high).max(low - g).max(0.0));
                worth += multipliers[row].abs() * distance;
                if let Some(at) = nearby.filter(|_| distance > 0.0) {
                    relative = relative.max(distance / size_of(at, row).max(f64::MIN_POSITIVE));
                }
            }
        }
        Self { relative: nearby.map(|_| relative), worth }
    }
}
