//! Factors that make the largest entry of every row and of every variable 1, by Ruiz's iteration: rows and columns are divided by
//! the square roots of their largest entries, again and again.

use super::Factors;
use super::sizes::{Entry, Sizes};
use crate::problem::Problem;

/// Sizes within these ends are usual: what is all usual runs as it is. Decision 0016.
const USUAL: (f64, f64) = (1e-4, 1e4);
/// The same for the objective: below, a tolerance of 1e-6 would be no longer small beside it. Decision 0016.
const USUAL_OBJECTIVE: (f64, f64) = (1e-2, 1e4);
/// Rounds of the iteration. Decision 0016.
const ROUNDS: usize = 12;
/// More entries than that are not measured: other units would copy them. Decision 0016.
pub(super) const MOST_ENTRIES: u64 = 1 << 22;
/// Factors stay within these ends, so that products of a few do not overflow.
const RANGE: (f64, f64) = (1e-60, 1e60);

/// The factors while they are sought: of columns, of constraint rows, of the objective.
struct Sought {
    columns: Vec<f64>,
    rows: Vec<f64>,
    objective: f64,
}

impl Sought {
    /// The entry in the units sought: slopes grow with D, curvatures with its square.
    fn size(&self, entry: &Entry) -> f64 {
        let (r, d) = (
            entry.row.map_or(self.objective, |row| self.rows[row as usize]),
            self.columns[entry.column as usize],
        );
        r * d * entry.slope.max(d * entry.curvature)
    }

    /// The largest entry of every row, and of the objective.
    fn largest(&self, sizes: &Sizes) -> (Vec<f64>, f64) {
        let (mut rows, mut objective) = (vec![0.0f64; self.rows.len()], 0.0f64);
        for entry in &sizes.entries {
            let largest = entry.row.map_or(&mut objective, |row| &mut rows[row as usize]);
            *largest = largest.max(self.size(entry));
        }
        (rows, objective)
    }

    /// The largest entry of every column.
    fn largest_of_columns(&self, sizes: &Sizes) -> Vec<f64> {
        let mut columns = vec![0.0f64; self.columns.len()];
        for entry in &sizes.entries {
            let largest = &mut columns[entry.column as usize];
            *largest = largest.max(self.size(entry));
        }
        columns
    }

    /// Divides by the square roots of the largest entries; all columns alike where `uniform`.
    fn round(&mut self, sizes: &Sizes, uniform: bool) {
        let (rows, objective) = self.largest(sizes);
        self.rows.iter_mut().zip(&rows).for_each(|(r, largest)| divide(r, largest.sqrt()));
        divide(&mut self.objective, objective.sqrt());
        let mut columns = self.largest_of_columns(sizes);
        if uniform {
            let largest = columns.iter().copied().fold(0.0, f64::max);
            columns.fill(largest);
        }
        self.columns.iter_mut().zip(&columns).for_each(|(d, largest)| divide(d, largest.sqrt()));
    }

    /// No variable gets a unit beyond the width of its domain.
    fn stay_within(&mut self, widths: &[f64], uniform: bool) {
        self.columns.iter_mut().zip(widths).for_each(|(d, width)| *d = d.min(*width));
        if uniform {
            let least = self.columns.iter().copied().fold(f64::INFINITY, f64::min);
            self.columns.fill(least);
        }
    }
}

fn divide(factor: &mut f64, by: f64) {
    if by > 0.0 {
        *factor = (*factor / by).max(RANGE.0).min(RANGE.1);
    }
}

/// Factors for a problem of these sizes; `None` where the user's units will do. `uniform` asks for one factor of all variables.
pub(super) fn factors(problem: &Problem, sizes: &Sizes, uniform: bool) -> Option<Factors> {
    let (n, m) = (problem.dimension(), problem.rows());
    let coordinatewise = (0..n).all(|i| problem.regulariser().scalar_term(i).is_some());
    let uniform = uniform || !coordinatewise;
    let mut sought = Sought { columns: vec![1.0; n], rows: vec![1.0; m], objective: 1.0 };
    let is_in = |size: f64, (low, high): (f64, f64)| size == 0.0 || (low..=high).contains(&size);
    let (rows, objective) = sought.largest(sizes);
    let sizes_of_columns = sought.largest_of_columns(sizes);
    let usual = rows.iter().chain(&sizes_of_columns).all(|size| is_in(*size, USUAL));
    if usual && is_in(objective, USUAL_OBJECTIVE) && sizes.widths.iter().all(|width| *width >= USUAL.0) {
        return None;
    }
    for _ in 0..ROUNDS {
        sought.round(sizes, uniform);
        sought.stay_within(&sizes.widths, uniform);
    }
    let mut rows: Vec<f64> = sought.rows.iter().map(|r| power_of_two(*r)).collect();
    let objective = power_of_two(sought.objective);
    for ((range, composer), weight) in problem.parts().zip(&sizes.weights) {
        if composer.is_constraint() {
            if composer.with_rows_scaled(&rows[range.clone()]).is_none() {
                // Rows that are held together have one unit: the mean of theirs, in ratio.
                let logarithms: f64 = rows[range.clone()].iter().map(|r| r.log2()).sum();
                let common = (logarithms / range.len().max(1) as f64).round().exp2();
                rows[range].fill(common);
            }
        } else {
            // So that multipliers are near 1, too.
            let weight = if *weight > 0.0 { power_of_two(*weight) } else { 1.0 };
            rows[range].fill(objective * weight);
        }
    }
    let columns = sought.columns.iter().map(|d| power_of_two(*d)).collect();
    Some(Factors { columns, rows, objective })
}

/// The nearest power of two in ratio.
fn power_of_two(factor: f64) -> f64 {
    factor.log2().round().exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Linear;
    use crate::mapping::Affine;
    use crate::matrix::Matrix;
    use crate::regulariser::Bounds;

    fn problem(objective: f64, row: f64, column: f64) -> Problem {
        let matrix = Matrix::row_major(2, 2, vec![row, 2.0 * row * column, 3.0, column]).unwrap();
        let slope = vec![objective, 2.0 * objective * column];
        let bounds = Bounds::new(vec![-5.0, -5.0 / column], vec![5.0, 5.0 / column]).unwrap();
        Problem::minimise(Linear::new(slope, 0.0).unwrap())
            .subject_to(Affine::new(matrix, vec![1.0, 2.0]).unwrap().at_most_zero())
            .within(bounds)
            .build()
            .unwrap()
    }

    #[test]
    fn usual_sizes_are_left_alone_and_unusual_ones_become_usual() {
        let found = |p: &Problem| {
            let (p, values) = p.linearised_at(&[0.0, 0.0]).unwrap();
            factors(&p, &Sizes::of(&p, &values).unwrap(), false)
        };
        assert_eq!(found(&problem(1.0, 10.0, 0.1)), None);
        for (objective, row, column) in [(1e9, 1.0, 1.0), (1e-9, 1e-6, 1e6), (1.0, 1.0, 1e-6)] {
            let factors = found(&problem(objective, row, column)).unwrap();
            let near_1 = |size: f64| assert!((0.01..100.0).contains(&size), "{size}");
            let (r, d, s) = (&factors.rows, &factors.columns, factors.objective);
            near_1(s * (objective * d[0]).max(2.0 * objective * column * d[1]));
            near_1(r[1] * (row * d[0]).max(2.0 * row * column * d[1]));
            near_1(r[2] * (3.0 * d[0]).max(column * d[1]));
            assert!(factors.rows.iter().all(|r| r.log2().fract() == 0.0), "powers of two");
        }
    }
}
