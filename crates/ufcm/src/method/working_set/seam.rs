//! The working-set method as the loop sees it.

use super::{StepError, WorkingSet};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::method::seam::{Candidate, Method, Residuals, Start, Step};
use crate::method::tuning::working_set::MINORANTS;

impl Method for WorkingSet<'_> {
    fn name(&self) -> &'static str {
        "working-set"
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        self.round(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            x: &self.x,
            row_values: &self.values,
            multipliers: &self.multipliers,
            slope: Some(&self.slope),
        }
    }

    /// Of all variables, with the multipliers that those of the working set led to.
    fn linearisation(&self) -> Option<Linearisation<'_>> {
        Some(Linearisation {
            mapping: &*self.mapping,
            composer: self.problem.composer(),
            y: &self.x,
            values: &self.values,
            multipliers: &self.multipliers,
        })
    }

    fn hand_over(&self) -> Start {
        Start { x: self.x.clone(), multipliers: self.multipliers.clone(), ..Start::default() }
    }

    fn residuals(&self) -> Residuals {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        Residuals::Step {
            stationarity: self.stationarity / (1.0 + largest(&self.slope)),
            movement: self.movement / (1.0 + largest(&self.x)),
        }
    }

    fn set_accuracy(&mut self, accuracy: f64) {
        self.accuracy = accuracy;
    }

    fn minorants(&self) -> usize {
        MINORANTS
    }

    fn model_variables(&self) -> Option<usize> {
        Some(self.working.len())
    }
}
