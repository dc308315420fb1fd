//! The interior-point method as the loop sees it.

use super::InteriorPoint;
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::method::seam::{Candidate, Method, Residuals, Start, Step};
use crate::method::{Displacement, StepError};

impl Method for InteriorPoint<'_> {
    fn name(&self) -> &'static str {
        "interior-point"
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        self.step_within(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        let Self { x, row_values, multipliers, slope, .. } = self;
        Candidate { x, row_values, multipliers, slope: Some(slope) }
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        let (mapping, composer) = (&*self.mapping, self.problem.composer());
        let (y, values, multipliers) = (&self.x[..], &self.row_values[..], &self.multipliers[..]);
        Some(Linearisation { mapping, composer, y, values, multipliers })
    }

    fn hand_over(&self) -> Start {
        Start { x: self.x.clone(), multipliers: self.multipliers.clone(), ..Start::default() }
    }

    fn residuals(&self) -> Residuals {
        Residuals::Kkt(self.kkt)
    }

    fn ends_by_itself(&self) -> bool {
        true
    }

    fn displacements(&self) -> Option<[Displacement<'_>; 2]> {
        let rays = self.rays.as_ref()?;
        let [x, before] = &rays.x;
        let [l, none] = &rays.l;
        Some([Displacement { x: [x, before], l: [l, none] }; 2])
    }

    fn shows_rays(&self) -> bool {
        self.rays.is_some()
    }
}
