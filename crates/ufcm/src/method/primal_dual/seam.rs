//! The primal-dual method as the loop sees it.

use super::{Aim, Displacement, PrimalDual};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::method::StepError;
use crate::method::seam::{Candidate, Method, Residuals, Start, Step};
use crate::method::tuning::patience::PATIENCE;

impl Method for PrimalDual<'_> {
    fn name(&self) -> &'static str {
        "primal-dual"
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        self.step_within(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        let (x, row_values, multipliers) = (self.x(), self.row_values(), self.multipliers());
        Candidate { x, row_values, multipliers, slope: Some(&self.next.slope) }
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        Some(PrimalDual::linearisation(self))
    }

    fn hand_over(&self) -> Start {
        let (x, multipliers) = (self.x().to_vec(), self.multipliers().to_vec());
        Start { x, multipliers, ..Start::default() }
    }

    fn residuals(&self) -> Residuals {
        Residuals::Kkt(self.kkt)
    }

    fn patience(&self, steps: usize) -> usize {
        PATIENCE.0.max(steps / PATIENCE.1)
    }

    /// The last one alone: iterates that are averages already gain little from combinations.
    fn minorants(&self) -> usize {
        1
    }

    fn displacements(&self) -> Option<[Displacement<'_>; 2]> {
        Some(PrimalDual::displacements(self))
    }

    fn aiming_at(&self, aim: Aim) -> Option<PrimalDual<'_>> {
        Some(PrimalDual::aiming_at(self, aim))
    }
}
