//! Steps that end where a constraint begins of which the model step knew nothing.
//!
//! A model step knows constraints by their tangents. From a point inside, its first step may end far beyond a curved one, and each of the
//! next takes back half of the way. Where all rows are quadratic or affine, products at x and at w tell the rows everywhere between them, so
//! that the step ends where the first such constraint begins, without another read of the data. Decision 0035.

use super::Newton;
use super::test::Test;
use crate::method::adaptive::image_size_worth_keeping;
use crate::method::tuning::newton::{NEARLY_ALL, SURPRISE};
use crate::oracle::{Between, Mapping, OracleError};
use crate::problem::Problem;

/// The images of both ends of a step.
pub(super) struct Way {
    /// The largest value that each curved row may have; inf for rows that are no constraints.
    ends: Vec<f64>,
    at_x: Vec<f64>,
    at_next: Vec<f64>,
    /// Whether that of x is known.
    is_known: bool,
}

impl Way {
    /// `None` where rows are not quadratic, or images of points cost as much as reads.
    pub(super) fn of(problem: &Problem, mapping: &dyn Mapping) -> Option<Self> {
        let size = image_size_worth_keeping(problem, mapping)?;
        let mut ends = vec![f64::INFINITY; problem.rows()];
        for (rows, composer) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in rows.enumerate().filter(|(_, row)| !problem.is_affine(*row)) {
                ends[row] = composer.row_domain(k).map_or(f64::INFINITY, |[_, high]| high);
            }
        }
        Some(Self { ends, at_x: vec![0.0; size], at_next: vec![0.0; size], is_known: false })
    }

    /// The rows at w with their gradients.
    pub(super) fn linearise(
        &mut self,
        mapping: &mut dyn Mapping,
        w: &[f64],
        values: &mut [f64],
    ) -> Result<(), OracleError> {
        mapping.image(w, &mut self.at_next)?;
        let images = [&self.at_next[..]; 2];
        mapping.linearise_between(Between { x: w, images, share: 1.0 }, values)
    }

    /// w is x.
    pub(super) fn accept(&mut self) {
        std::mem::swap(&mut self.at_x, &mut self.at_next);
        self.is_known = true;
    }
}

impl Newton<'_> {
    /// Moves w towards x, to where the first constraint begins that holds at x and does not at w, although the model step saw no need for a
    /// multiplier. The test of a step is the same for each part of it where rows are quadratic.
    pub(super) fn shorten(&mut self, test: &mut Test) -> Result<(), OracleError> {
        let share = self.share_within_constraints();
        let Some(way) = self.way.as_mut().filter(|_| share < NEARLY_ALL) else { return Ok(()) };
        if !way.is_known {
            // Products are linear in the point.
            match self.x.iter().all(|x| *x == 0.0) {
                true => way.at_x.fill(0.0),
                false => self.mapping.image(&self.x, &mut way.at_x)?,
            }
            way.is_known = true;
        }
        self.direction.iter_mut().chain(&mut self.change).for_each(|d| *d *= share);
        for ((next, x), d) in self.x_next.iter_mut().zip(&self.x).zip(&self.direction) {
            *next = x + d;
        }
        let at = Between { x: &self.x_next, images: [&way.at_x, &way.at_next], share };
        self.next.linearise_between(at, &mut self.values_next)?;
        let combined = way.at_x.iter().zip(&mut way.at_next);
        combined.for_each(|(a, b)| *b = (1.0 - share) * a + share * *b);
        for part in [&mut test.excess, &mut test.square, &mut test.undamped] {
            *part *= share * share;
        }
        Ok(())
    }

    /// The part of the step up to the first such constraint.
    fn share_within_constraints(&self) -> f64 {
        let Some(way) = &self.way else { return 1.0 };
        let mut share = 1.0f64;
        for (j, end) in way.ends.iter().enumerate().filter(|(j, _)| self.multipliers_next[*j] == 0.0) {
            let (before, after, slope) = (self.values[j] - end, self.values_next[j] - end, self.change[j]);
            if before < 0.0 && after > SURPRISE * -before {
                // before + slope t + bend t^2 = 0; the root that lies between 0 and 1.
                let bend = (after - before - slope).max(0.0);
                let root = (slope * slope - 4.0 * bend * before).sqrt();
                share = share.min(2.0 * -before / (slope + root));
            }
        }
        share
    }
}
