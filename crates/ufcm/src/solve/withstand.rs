//! A point that violates its constraints a little may be far from every point that does not: where rows are nearly parallel, a
//! violation within the tolerance buys an objective that no feasible point has. So before a success is claimed, the point is moved
//! until its affine rows hold; if that costs more than the tolerance, the run goes on with a tighter violation.

use super::Run;
use super::incumbent::is_closed;
use super::tuning::{CLEANINGS, MOST_ROWS, NEAR_BOUND, PRECISELY, REACHED, STATIONARITY_ROOM, TIGHTER};
use crate::certificate::{Linearisation, nearby_bound};
use crate::method::{Candidate, Method, StepError};
use crate::oracle::{Mapping, OracleError};
use crate::report::Status;

impl Run<'_> {
    /// Whether the best point's success withstands a move to where the affine rows hold. The moved point takes its place where it is
    /// as good.
    pub(super) fn withstands(&mut self, status: Status, method: &dyn Method) -> Result<bool, OracleError> {
        let (violation, objective) = (self.best.violation, self.best.objective);
        let precise = violation <= PRECISELY * self.settings.eps_feas;
        let Some(at) = method.linearisation().filter(|at| at.mapping.has_rows()) else { return Ok(true) };
        let movable = |values: &&[f64]| !precise && self.violated_rows_are_affine(values);
        let Some(values) = self.best.row_values().filter(movable) else { return Ok(true) };
        let mut x = self.best.x.clone();
        let mut row_values = values.to_vec();
        self.move_inside(at.mapping, TIGHTER * violation, &mut x, &mut row_values)?;
        let multipliers = self.best.multipliers.clone();
        let moved = Candidate { x: &x, row_values: &row_values, multipliers: &multipliers, slope: None };
        let holds = self.problem.violation_of(&row_values) <= TIGHTER * violation;
        let there = self.problem.objective_part(&row_values) + self.problem.regulariser().value(&x);
        let unit = self.best.unit(self.problem);
        let tolerance = self.settings.gap_tolerance(unit, objective);
        let as_good = match status {
            Status::Certified => is_closed(&self.settings, unit, there, self.bounds.lower()),
            _ => (there - objective).abs() <= tolerance,
        };
        // A violation that is worth little more than the tolerance is what the tolerance allows.
        let withstands = !holds || as_good || (there - objective).abs() <= STATIONARITY_ROOM * tolerance;
        if holds && as_good {
            self.best.set(self.problem, &moved);
        } else if !withstands {
            self.settings.eps_feas = TIGHTER * violation;
            self.best.offer(self.problem, &self.settings, self.bounds.lower(), &moved);
        }
        Ok(withstands)
    }

    /// Whether no point much farther out than the best one can be much better: what is left of the slopes is priced with a way of
    /// `REACHED` times the size of each variable. An answer that rests on optimality conditions alone prices them with x, and where x*
    /// is farther away than x is large, that says little.
    pub(super) fn holds_within_reach(&mut self, method: &dyn Method) -> Result<bool, StepError> {
        let Some(at) = method.linearisation() else { return Ok(true) };
        let objective = self.best.objective;
        let worst = objective - STATIONARITY_ROOM * self.tolerance(objective);
        if nearby_bound(self.problem, &at, REACHED).is_none_or(|lower| lower >= worst) {
            return Ok(true);
        }
        let mut multipliers = at.multipliers.to_vec();
        if !self.straightened(&at, &mut multipliers)? {
            return Ok(false);
        }
        let at = Linearisation { multipliers: &multipliers, ..at };
        self.bounds.take(&at, f64::INFINITY)?;
        Ok(nearby_bound(self.problem, &at, REACHED).is_none_or(|lower| lower >= worst))
    }

    /// Moves x, whose rows have these values, until its affine rows hold up to `target`, if that takes a few moves. Variables at their
    /// bounds stay there in every other move: those that have room are enough where the answer is a vertex.
    pub(super) fn move_inside(
        &mut self,
        mapping: &dyn Mapping,
        target: f64,
        x: &mut [f64],
        row_values: &mut [f64],
    ) -> Result<(), OracleError> {
        for round in 0..2 * CLEANINGS {
            let free: Vec<bool> = (0..x.len()).map(|i| round % 2 == 0 || self.has_room(i, x[i])).collect();
            self.step_inside(mapping, row_values, &free, x)?;
            self.problem.mapping().values(x, row_values)?;
            self.counts.values += 1;
            if self.problem.violation_of(row_values) <= target {
                break;
            }
        }
        Ok(())
    }

    /// Whether no bound of variable `i` is near.
    fn has_room(&self, i: usize, x: f64) -> bool {
        let near = NEAR_BOUND * (1.0 + x.abs());
        let law = self.problem.regulariser().scalar_term(i);
        law.is_none_or(|law| (x - law.lower).min(law.upper - x) > near)
    }

    /// Whether rows that are violated are affine, each with an interval of its own, and not too many to move together.
    pub(super) fn violated_rows_are_affine(&self, values: &[f64]) -> bool {
        let mut count = 0;
        for (range, composer) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in range.enumerate() {
                let Some([low, high]) = composer.row_domain(k) else { return false };
                if values[row] > high || values[row] < low {
                    count += 1;
                    if !self.problem.is_affine(row) {
                        return false;
                    }
                }
            }
        }
        count <= MOST_ROWS
    }
}
