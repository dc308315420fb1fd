//! How large rows and regulariser are in each variable, at the starting point.

use super::choose::MOST_ENTRIES;
use crate::problem::Problem;

/// How a row changes with a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// A row of a constraint, or `None` for the objective.
    pub(super) row: Option<u32>,
    pub(super) column: u32,
    /// |dg/dx|
    pub(super) slope: f64,
    /// A bound of |d^2 g/dx^2|.
    pub(super) curvature: f64,
}

/// All that is measured.
pub(super) struct Sizes {
    pub(super) entries: Vec<Entry>,
    /// How wide the domain is in each variable; infinite where that is not known.
    pub(super) widths: Vec<f64>,
    /// The largest multiplier of each block of the objective at the starting point.
    pub(super) weights: Vec<f64>,
}

impl Sizes {
    /// Measures a problem whose rows, linearised where its mapping is, have these values; `None` where they cannot be read one by
    /// one, or are too many.
    pub(super) fn of(problem: &Problem, values: &[f64]) -> Option<Self> {
        let (n, mapping) = (problem.dimension(), problem.mapping());
        if !mapping.has_rows() || mapping.product_operations() / 2 > MOST_ENTRIES {
            return None;
        }
        let mut sizes = Self { entries: Vec::new(), widths: vec![f64::INFINITY; n], weights: Vec::new() };
        let (mut scratch, mut multipliers) = (Vec::new(), vec![0.0; problem.rows()]);
        // The objective is one row: slopes and curvatures of its rows times their multipliers add up.
        let mut objective = vec![[0.0, 0.0]; n];
        for (rows, composer) in problem.parts() {
            let l = &mut multipliers[rows.clone()];
            // Logarithms have every slope somewhere, and at a start outside their domain an endless one: that at 1 counts.
            if composer.suits_interior_points() && !composer.is_constraint() {
                composer.multipliers_at(&vec![1.0; l.len()], l);
            } else {
                composer.multipliers_at(&values[rows.clone()], l);
            }
            sizes.weights.push(l.iter().fold(0.0f64, |largest, l| largest.max(l.abs())));
            for row in rows {
                problem.budget().ask().ok()?;
                let weight = multipliers[row].abs();
                let mut add = |column: usize, slope: f64, curvature: f64| {
                    if !composer.is_constraint() {
                        objective[column][0] += weight * slope.abs();
                        objective[column][1] += weight * curvature.abs();
                    } else if slope != 0.0 || curvature != 0.0 {
                        let (slope, curvature) = (slope.abs(), curvature.abs());
                        sizes.entries.push(Entry {
                            row: Some(row as u32),
                            column: column as u32,
                            slope,
                            curvature,
                        });
                    }
                };
                mapping.with_row(row, &mut scratch, &mut |view| view.for_each(|i, a| add(i, a, 0.0)));
                let mut diagonal = vec![0.0; if problem.is_affine(row) { 0 } else { n }];
                if let Some(curvature) = problem.component(row).and_then(|g| g.curvature())
                    && !diagonal.is_empty()
                    && curvature.add_diagonal_bound(1.0, &mut diagonal)
                {
                    diagonal.iter().enumerate().for_each(|(i, h)| add(i, 0.0, *h));
                }
            }
        }
        let of_objective = |(column, [slope, curvature]): (usize, [f64; 2])| Entry {
            row: None,
            column: column as u32,
            slope,
            curvature,
        };
        // Of the objective and the regulariser.
        sizes.entries.reserve_exact(2 * n);
        sizes.entries.extend(
            objective.into_iter().enumerate().map(of_objective).filter(|e| e.slope.max(e.curvature) > 0.0),
        );
        sizes.add_regulariser(problem);
        let finite = |entry: &Entry| entry.slope.is_finite() && entry.curvature.is_finite();
        sizes.entries.iter().all(finite).then_some(sizes)
    }

    fn add_regulariser(&mut self, problem: &Problem) {
        let u = problem.regulariser();
        for column in 0..problem.dimension() {
            let Some(term) = u.scalar_term(column) else { continue };
            let slope = [term.above, term.below].iter().fold(0.0f64, |largest, s| largest.max(s.abs()));
            if slope > 0.0 || term.ridge > 0.0 {
                self.entries.push(Entry { row: None, column: column as u32, slope, curvature: term.ridge });
            }
            let width = term.upper - term.lower;
            if width > 0.0 {
                self.widths[column] = width;
            }
        }
        if let Some(ball) = u.as_ball() {
            self.widths.fill(ball.radius);
        }
    }
}
