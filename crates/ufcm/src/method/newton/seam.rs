//! Newton's method as the loop sees it.

use super::{Newton, StepError};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::method::seam::{Candidate, Change, Method, Residuals, Rung, Start, Step};
use crate::method::tuning::newton::MINORANTS;

impl Method for Newton<'_> {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        self.step_within(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            x: &self.x,
            row_values: &self.values,
            multipliers: &self.multipliers,
            slope: Some(&self.slope),
        }
    }

    /// At the new point, with the multipliers of the step that led there.
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
        let (x, multipliers) = (self.x.clone(), self.multipliers.clone());
        Start { x, multipliers, l: Some(1.0), metric: self.metric.clone() }
    }

    fn residuals(&self) -> Residuals {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        Residuals::Step {
            stationarity: self.stationarity / (1.0 + largest(&self.slope)),
            movement: self.movement / (1.0 + largest(&self.x)),
        }
    }

    fn minorants(&self) -> usize {
        MINORANTS
    }

    fn last_evaluated(&self) -> &[f64] {
        if self.at_next { &self.x_next } else { &self.x }
    }

    fn on_stall(&mut self, rung: Rung) -> Result<Change, StepError> {
        match rung {
            // All the data, and here.
            Rung::Metrics => {
                self.sampling.widen();
                self.metric = None;
                Ok(Change::Changed)
            }
            _ => Ok(Change::Nothing),
        }
    }
}
