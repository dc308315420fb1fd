//! The adaptive method as the loop sees it.

use super::{Adaptive, StepError};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::method::seam::{Candidate, Change, Method, Residuals, Rung, Start, Step};
use crate::method::tuning::slack::SLACK_SHARES;

impl Method for Adaptive<'_> {
    fn name(&self) -> &'static str {
        if self.solver.slides() { "sliding" } else { "adaptive" }
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        self.step_within(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            x: self.x(),
            row_values: self.row_values(),
            multipliers: self.multipliers(),
            slope: Some(self.slope()),
        }
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        Some(Adaptive::linearisation(self))
    }

    fn hand_over(&self) -> Start {
        let (x, multipliers) = (self.x.clone(), self.multipliers.clone());
        Start { x, multipliers, l: Some(self.l), metric: Some(self.choice.metric().clone()) }
    }

    fn residuals(&self) -> Residuals {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        Residuals::Step {
            stationarity: self.stationarity() / (1.0 + largest(self.slope())),
            movement: self.spread() / (1.0 + largest(self.x())),
        }
    }

    fn last_evaluated(&self) -> &[f64] {
        if self.at_next { &self.x_next } else { &self.y }
    }

    fn set_accuracy(&mut self, accuracy: f64) {
        self.accuracy = accuracy;
        self.eps = self.slack_share * accuracy;
    }

    fn on_stall(&mut self, rung: Rung) -> Result<Change, StepError> {
        match rung {
            Rung::Slack => {
                let lower = 0.1 * self.slack_share;
                self.slack_share = if lower >= SLACK_SHARES.1 { lower } else { SLACK_SHARES.0 };
                self.set_accuracy(self.accuracy);
                Ok(Change::Changed)
            }
            // x_bar may trail z, which stands at a kink or a vertex already.
            Rung::OtherPoint => {
                self.evaluate_at_z()?;
                Ok(Change::OtherPoint)
            }
            Rung::Metrics => {
                self.choice.reopen();
                self.solver.slide_deeper();
                Ok(Change::Changed)
            }
            Rung::OtherMethod | Rung::GiveUp => Ok(Change::Nothing),
        }
    }

    fn other_point(&self) -> Option<Candidate<'_>> {
        Some(Candidate { x: &self.z, row_values: &self.values_z, ..self.candidate() })
    }

    fn is_indirect(&self) -> bool {
        self.images.is_some()
    }

    fn go_to_other_point(&mut self) {
        self.restart_at_z();
    }
}
