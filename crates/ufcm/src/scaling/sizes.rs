//! How large rows and regulariser are in each variable, at the starting point.

use super::choose::MOST_ENTRIES;
use crate::problem::Problem;

/// How a row changes with a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// A row of a constraint, or `None` for the objective.
    pub(super) row: Option<usize>,
    pub(super) column: usize,
    /// |dg/dx|, times the row's multiplier where it is a part of the objective.
    pub(super) slope: f64,
    /// A bound of |d^2 g/dx^2|, likewise.
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
        for (rows, composer) in problem.parts() {
            let l = &mut multipliers[rows.clone()];
            composer.multipliers_at(&values[rows.clone()], l);
            let largest = l.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
            let weight = if composer.is_constraint() { 1.0 } else { largest };
            sizes.weights.push(weight);
            for row in rows {
                let of = if composer.is_constraint() { Some(row) } else { None };
                let mut add = |column: usize, slope: f64, curvature: f64| {
                    let (slope, curvature) = (weight * slope.abs(), weight * curvature.abs());
                    if slope > 0.0 || curvature > 0.0 {
                        sizes.entries.push(Entry { row: of, column, slope, curvature });
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
                self.entries.push(Entry { row: None, column, slope, curvature: term.ridge });
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
