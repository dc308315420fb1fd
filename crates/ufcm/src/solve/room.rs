//! A point that leaves the constraints as much room as possible, for rays to start from. A row of entries of 1e12 cannot hold to 1e-9: there
//! the point may be off by what rounding makes of the row, if phase one does not prove that there is no point at all. Decision 0021.

use super::Run;
use super::tuning::{CHEAP_LOOK, CLEANINGS, HEAVY, IN_ITS_UNITS, ROUNDED};
use crate::method::{Leave, PhaseOne};
use crate::oracle::{OracleError, Weight};

impl Run<'_> {
    /// The point; nothing where none is quickly found. It is looked for once.
    pub(super) fn room_point(&self) -> Option<&[f64]> {
        self.room_point.get_or_init(|| self.find_room().ok().flatten()).as_deref()
    }

    fn find_room(&self) -> Result<Option<Vec<f64>>, OracleError> {
        let listed = self.constraint_rows();
        let rows: Vec<usize> = (0..listed.len()).filter(|row| listed[*row]).collect();
        let [room, violation] = [Leave::Room, Leave::Violation].map(|leave| {
            let program = PhaseOne::of(self.problem, &listed, leave).filter(|_| !rows.is_empty());
            program.filter(|program| program.operations <= CHEAP_LOOK.max(self.spent()))
        });
        let least = room.and_then(|room| room.solve(&self.budget));
        let (Some(least), Some(violation)) = (least, violation) else { return Ok(None) };
        let Some(x) = self.moved_onto(&rows, least.x)? else { return Ok(None) };
        let least = violation.solve(&self.budget).filter(|least| least.violation > 0.0);
        let proof = least.map_or(Ok(None), |least| self.corrected_proof(&least.x, &least.multipliers))?;
        Ok(proof.is_none().then_some(x))
    }

    /// The point moved until the rows hold up to their own rounding, if a few moves do it.
    fn moved_onto(&self, rows: &[usize], mut x: Vec<f64>) -> Result<Option<Vec<f64>>, OracleError> {
        for _ in 0..CLEANINGS {
            self.problem.regulariser().prox(Weight::scalar(HEAVY), &mut x)?;
            if self.holds_up_to_rounding(&x)? {
                return Ok(Some(x));
            }
            self.step_onto(rows, &mut x)?;
        }
        Ok(None)
    }

    /// Whether all constraints are off by no more than rounding makes of them, which must be little in the units of each.
    fn holds_up_to_rounding(&self, x: &[f64]) -> Result<bool, OracleError> {
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; self.problem.rows()]);
        mapping.linearise(x, &mut values)?;
        let mut scratch = Vec::new();
        for (range, composer) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in range.enumerate() {
                let Some([low, high]) = composer.row_domain(k) else { return Ok(false) };
                let (mut size, mut largest) = (values[row].abs(), 0.0f64);
                mapping.with_row(row, &mut scratch, &mut |view| {
                    view.for_each(|i, a| {
                        size += (a * x[i]).abs();
                        largest = a.abs().max(largest);
                    });
                });
                let rounding = ROUNDED * f64::EPSILON * size;
                let off = (values[row] - high).max(low - values[row]);
                if off > rounding || rounding > IN_ITS_UNITS * largest {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
