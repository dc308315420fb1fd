//! Runs beside the run, with the objective set aside: how long they may take, and when to try again.

use super::Run;
use crate::method::{Aim, PrimalDual, StepError};
use crate::oracle::OracleError;

/// An attempt takes at most this many iterations, or one in so many of all so far if that is more.
const BUDGET: (usize, usize) = (1024, 4);
/// The same for rays, which are looked for before anything holds, and mostly in vain.
const RAY_BUDGET: (usize, usize) = (128, 8);
/// After an attempt the run must have grown by this factor before the next.
const GROWTH: usize = 2;
/// Iterations between two looks at what came of it.
const ITERATIONS: usize = 32;

/// A run beside the run, made when it is first needed.
pub(super) struct Aside<'a> {
    aim: Aim,
    method: Option<PrimalDual<'a>>,
    /// Iterations of the run from which on to try.
    pub(super) due: usize,
}

impl<'a> Aside<'a> {
    pub(super) fn aiming_at(aim: Aim) -> Self {
        Self { aim, method: None, due: 0 }
    }

    /// The method for another attempt after so many iterations of the run.
    pub(super) fn begin(&mut self, main: &PrimalDual<'a>, steps: usize) -> &mut PrimalDual<'a> {
        self.due = GROWTH * steps;
        self.method.get_or_insert_with(|| main.aiming_at(self.aim))
    }
}

impl<'a> Run<'a> {
    /// Iterates beside the run until there is an outcome; nothing where the budget is spent or a limit is met before.
    pub(super) fn iterate_aside<T>(
        &mut self,
        finder: &mut PrimalDual<'a>,
        mut outcome: impl FnMut(&mut Self, &PrimalDual<'a>) -> Result<Option<T>, OracleError>,
    ) -> Result<Option<T>, StepError> {
        let (least, part) = if finder.aim() == Aim::Ray { RAY_BUDGET } else { BUDGET };
        let (budget, mut spent) = (least.max(self.counts.steps / part), 0);
        while spent < budget && !self.is_at_a_limit(self.counts.gradients) {
            let before = self.counts.gradients;
            let stop = |taken: usize| taken >= ITERATIONS || self.is_at_a_limit(before + taken);
            let step = finder.step_unless(&stop)?;
            spent += step.iterations;
            self.counts.gradients += step.iterations;
            self.counts.values += step.iterations;
            if let Some(outcome) = outcome(self, finder)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }
}
