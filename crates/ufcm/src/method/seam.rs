//! The seam between methods and the loop that runs them.
//!
//! A method takes steps. Everything else belongs to the run (`solve/`): limits, bounds and certificates, the best point, the
//! status, history, observers. So a method of your own is one file: implement [`Method`], and hand it to
//! [`Problem::solve_by`](crate::problem::Problem::solve_by) (docs/add-a-method.md shows one).

use super::{Aim, Displacement, Kkt, PrimalDual, StepError};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::report::Counts;

/// A method that takes steps.
///
/// Required are five things: a name, a step, the answer so far, the linearisation behind the step (what lower bounds are made
/// of), and what another method could go on with. The rest has defaults.
pub trait Method {
    /// Its name, as settings and reports spell it.
    fn name(&self) -> &'static str;

    /// One step within the budget: it asks [`Budget::gradient`] before every evaluation of all gradients, and
    /// [`Budget::inner_step`] in loops of its own.
    ///
    /// # Errors
    /// An oracle that failed, a contradiction, or the budget. After that the run asks for nothing but
    /// [`Method::last_evaluated`].
    fn step(&mut self, budget: &Budget) -> Result<Step, StepError>;

    /// The answer so far. It is asked for after the first step.
    fn candidate(&self) -> Candidate<'_>;

    /// The rows linearised in the last step with its multipliers; `None` where the method has no such thing, and then nothing
    /// is proven.
    fn linearisation(&self) -> Option<Linearisation<'_>>;

    /// What another method, or a warm start, can begin with.
    fn hand_over(&self) -> Start;

    /// What the last step left of the optimality conditions.
    fn residuals(&self) -> Residuals {
        Residuals::Unknown
    }

    /// Where the rows were last evaluated in a step that failed.
    fn last_evaluated(&self) -> &[f64] {
        self.candidate().x
    }

    /// Takes in the accuracy that the run asks for, in the units of the objective, as the size of that becomes known.
    fn set_accuracy(&mut self, accuracy: f64) {
        let _ = accuracy;
    }

    /// The run has stalled at this rung of the ladder (`solve/ladder.rs`): what the method does about it.
    ///
    /// # Errors
    /// An oracle that failed, or the budget.
    fn on_stall(&mut self, rung: Rung) -> Result<Change, StepError> {
        let _ = rung;
        Ok(Change::Nothing)
    }

    /// The point that [`Change::OtherPoint`] speaks of.
    fn other_point(&self) -> Option<Candidate<'_>> {
        None
    }

    /// The run found the other point better: the method goes on from there.
    fn go_to_other_point(&mut self) {}

    /// Steps without improvement after which the run gives up, after so many steps in all.
    fn patience(&self, steps: usize) -> usize {
        let _ = steps;
        super::tuning::PATIENCE
    }

    /// Whether the method takes few steps, each dear, and says itself when it has done what it can: stalls are then none of the run's
    /// concern.
    fn ends_by_itself(&self) -> bool {
        false
    }

    /// Minorants that a lower bound should combine: many where steps are dear, one where they are cheap.
    fn minorants(&self) -> usize {
        super::tuning::MINORANTS
    }

    /// The variables that model steps are in, where those are not all.
    fn model_variables(&self) -> Option<usize> {
        None
    }

    /// Whether row values of candidates come from elsewhere than an evaluation at the point, and are off by more than its rounding.
    fn is_indirect(&self) -> bool {
        false
    }

    /// Differences of iterates, which tend to rays where there is no solution.
    fn displacements(&self) -> Option<[Displacement<'_>; 2]> {
        None
    }

    /// Whether those differences are rays already, for all that the method can tell.
    fn shows_rays(&self) -> bool {
        false
    }

    /// A primal-dual method on the same rows that looks for something else than a solution, for auxiliary runs
    /// (`solve/auxiliary.rs`); `None` where the rows do not allow it.
    fn aiming_at(&self, aim: Aim) -> Option<PrimalDual<'_>> {
        let _ = aim;
        None
    }
}

impl<M: Method + ?Sized> Method for Box<M> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        (**self).step(budget)
    }

    fn candidate(&self) -> Candidate<'_> {
        (**self).candidate()
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        (**self).linearisation()
    }

    fn hand_over(&self) -> Start {
        (**self).hand_over()
    }

    fn residuals(&self) -> Residuals {
        (**self).residuals()
    }

    fn last_evaluated(&self) -> &[f64] {
        (**self).last_evaluated()
    }

    fn set_accuracy(&mut self, accuracy: f64) {
        (**self).set_accuracy(accuracy);
    }

    fn on_stall(&mut self, rung: Rung) -> Result<Change, StepError> {
        (**self).on_stall(rung)
    }

    fn other_point(&self) -> Option<Candidate<'_>> {
        (**self).other_point()
    }

    fn go_to_other_point(&mut self) {
        (**self).go_to_other_point();
    }

    fn patience(&self, steps: usize) -> usize {
        (**self).patience(steps)
    }

    fn ends_by_itself(&self) -> bool {
        (**self).ends_by_itself()
    }

    fn minorants(&self) -> usize {
        (**self).minorants()
    }

    fn model_variables(&self) -> Option<usize> {
        (**self).model_variables()
    }

    fn is_indirect(&self) -> bool {
        (**self).is_indirect()
    }

    fn displacements(&self) -> Option<[Displacement<'_>; 2]> {
        (**self).displacements()
    }

    fn shows_rays(&self) -> bool {
        (**self).shows_rays()
    }

    fn aiming_at(&self, aim: Aim) -> Option<PrimalDual<'_>> {
        (**self).aiming_at(aim)
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// What it cost, its gradients included.
    pub counts: Counts,
    /// L after the step, the inverse of the step size.
    pub l: f64,
    /// Whether the step ended an epoch.
    pub restarted: bool,
    /// Whether the method has done all that it can do: a theorem's number of steps, say. Another may go on.
    pub finished: bool,
}

/// A point that may be the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<'a> {
    /// x
    pub x: &'a [f64],
    /// g(x)
    pub row_values: &'a [f64],
    /// Multipliers to charge violations with, in the domain of h*.
    pub multipliers: &'a [f64],
    /// J'l, where the method has it near x.
    pub slope: Option<&'a [f64]>,
}

/// What is left of the optimality conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Residuals {
    /// The method does not measure them: only a bound proves anything.
    Unknown,
    /// Those of a proximal step. They speak of x where the step was short.
    Step {
        /// The largest entry of the proximal term's gradient, relative to that of the slopes.
        stationarity: f64,
        /// How far the points of the step are from each other, relative to the size of x.
        movement: f64,
    },
    /// All of them, at the answer itself.
    Kkt(Kkt),
}

/// A rung of the ladder that a stalled run climbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rung {
    /// Tests that allow some slack get stricter.
    Slack,
    /// Another point than the answer may be better.
    OtherPoint,
    /// Metrics that were given up deserve another trial, and model steps more effort.
    Metrics,
    /// Another method goes on.
    OtherMethod,
    /// Nothing is left to try.
    GiveUp,
}

/// What a method does about a stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It has nothing to try.
    Nothing,
    /// It goes on in another way.
    Changed,
    /// It has evaluated the rows at [`Method::other_point`].
    OtherPoint,
}

/// What a method begins with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Start {
    /// A point of X.
    pub x: Vec<f64>,
    /// Multipliers of all rows, in the domain of h*.
    pub multipliers: Vec<f64>,
    /// L, where one is known.
    pub l: Option<f64>,
    /// The metric in which that L was measured, where steps were measured in one that others can use.
    pub metric: Option<crate::metric::Metric>,
}
