//! The best point made feasible, for an upper bound. Where no step met a strictly feasible point to move it towards, one is
//! looked for near it.

use super::Run;
use super::claim::Claim;
use super::tuning::{CORRECTIONS, DEEPER, IN_VIEW, MOST_ROWS, NEARLY_INFINITE, SETTLED, SWEEPS};
use crate::certificate::{Repaired, repair, rounding_worth};
use crate::oracle::{Mapping, OracleError, Weight};
use crate::report::Status;

/// A bound of a row that is to hold with room to spare: `sign` times the row must change by -`excess` at least.
struct Side {
    row: usize,
    sign: f64,
    excess: f64,
}

impl Run<'_> {
    /// The best point moved until all constraints hold, if it violates any. `jacobian` is that of the last step.
    pub(super) fn made_feasible(
        &mut self,
        claim: &Claim,
        jacobian: Option<&dyn Mapping>,
    ) -> Option<Repaired> {
        if self.best.violation == 0.0 {
            return None;
        }
        if let Some(repaired) = self.interior().repair(self.problem, &self.best.x) {
            return Some(repaired);
        }
        // Where a limit was met, or the user stopped the run, nothing more is spent.
        let answered = matches!(claim.status, Status::Certified | Status::Solved);
        let jacobian = jacobian.filter(|jacobian| answered && jacobian.has_rows())?;
        self.corrected(jacobian).ok().flatten()
    }

    /// What it may be worth that a point which bounds the optimum from above satisfies its constraints in floating point only.
    pub(super) fn worth_of_rounding(&self, jacobian: Option<&dyn Mapping>, x: &[f64], upper: f64) -> f64 {
        let Some(jacobian) = jacobian.filter(|jacobian| upper.is_finite() && jacobian.has_rows()) else {
            return 0.0;
        };
        let multipliers = self.bounds.multipliers();
        let multipliers = multipliers.as_deref().unwrap_or(&self.best.multipliers);
        // What cannot be evaluated proves nothing.
        rounding_worth(self.problem, jacobian, x, multipliers).unwrap_or(f64::INFINITY)
    }

    /// Corrections x + d with d the least move for which the linearised rows hold with room to spare. The Jacobian need not
    /// be that of x: whether a point is inside is told by its own row values.
    fn corrected(&mut self, jacobian: &dyn Mapping) -> Result<Option<Repaired>, OracleError> {
        let mut x = self.best.x.clone();
        let Some(values) = self.best.row_values() else { return Ok(None) };
        self.row_values.copy_from_slice(values);
        let mut depth = DEEPER * self.best.violation;
        for _ in 0..CORRECTIONS {
            let sides = self.sides_in_view(depth);
            if sides.is_empty() || sides.len() > MOST_ROWS {
                return Ok(None);
            }
            add_least_move(jacobian, &sides, SETTLED * depth, &mut x);
            if !self.problem.regulariser().value(&x).is_finite() {
                self.problem.regulariser().prox(Weight::scalar(NEARLY_INFINITE), &mut x)?;
            }
            self.problem.mapping().values(&x, &mut self.row_values)?;
            self.counts.values += 1;
            if self.problem.composer().domain_distance(&self.row_values) == 0.0
                && let Some(repaired) = repair(self.problem, &self.best.x, &x)?
            {
                return Ok(Some(repaired));
            }
            depth *= DEEPER;
        }
        Ok(None)
    }

    /// The bounds that are violated or nearly so. Equality constraints are left out: no point satisfies them strictly.
    fn sides_in_view(&self, depth: f64) -> Vec<Side> {
        let mut sides = Vec::new();
        for (range, composer) in self.problem.parts() {
            for (k, row) in range.enumerate() {
                let Some([low, high]) = composer.row_domain(k).filter(|[low, high]| low < high) else {
                    continue;
                };
                let (g, depth) = (self.row_values[row], depth.min(0.25 * (high - low)));
                for (sign, beyond) in [(1.0, g - high), (-1.0, low - g)] {
                    if beyond > -IN_VIEW * depth {
                        sides.push(Side { row, sign, excess: beyond + depth });
                    }
                }
            }
        }
        sides
    }
}

/// Adds d = -J'mu to `x`, the least move with s_j J_j d <= -excess_j for all sides: mu >= 0 minimises
/// |J'(s mu)|^2/2 - <mu, excess>, by coordinates. Where there is no such move, d is as long as the sweeps make it.
fn add_least_move(jacobian: &dyn Mapping, sides: &[Side], settled: f64, x: &mut [f64]) {
    let (mut scratch, mut d) = (Vec::new(), vec![0.0; x.len()]);
    let (mut squares, mut mu) = (vec![0.0; sides.len()], vec![0.0; sides.len()]);
    for (square, side) in squares.iter_mut().zip(sides) {
        jacobian.with_row(side.row, &mut scratch, &mut |row| row.for_each(|_, a| *square += a * a));
    }
    for _ in 0..SWEEPS {
        let mut moved = 0.0f64;
        for ((side, mu), &square) in sides.iter().zip(&mut mu).zip(&squares).filter(|(_, s)| **s > 0.0) {
            jacobian.with_row(side.row, &mut scratch, &mut |row| {
                let missing = side.excess + side.sign * row.dot(&d);
                let change = (*mu + missing / square).max(0.0) - *mu;
                row.for_each(|i, a| d[i] -= side.sign * change * a);
                *mu += change;
                moved = moved.max(change.abs() * square);
            });
        }
        if moved <= settled {
            break;
        }
    }
    x.iter_mut().zip(&d).for_each(|(x, d)| *x += d);
}
