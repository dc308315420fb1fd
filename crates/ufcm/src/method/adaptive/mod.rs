//! The adaptive method: the published model step with universal weights, a run-time test in place of L_ADA, and restarts in
//! place of mu_ADA (method.md, section 4).
//!
//! ```text
//! a   = (1 + sqrt(1 + 4 A L)) / (2 L),  alpha = a / (A + a)             so that L a^2 = A + a
//! y   = (1 - alpha) x_bar + alpha z;  g, J = values and gradients at y
//! z+, lambda+ = saddle point of  <l, g + J (w - y)> - h*(l) + u(w) + 1/(2a) |w - z|_D^2
//! x+  = (1 - alpha) x_bar + alpha z+
//! accept if  sum_j l_j (g_j(x+) - g_j(y) - <J_j, x+ - y>)  <=  L/2 |x+ - y|_D^2 + eps alpha/2,
//!         l_j = r + the largest multiplier j has had in this epoch
//! ```
//!
//! A step that fails the test is redone with a larger L; after one that passes, L may fall. The test counts the largest
//! multipliers of the epoch, because the guarantee speaks of the optimal ones: a constraint that becomes active late would
//! break a test with the current multipliers alone. But far from feasibility multipliers grow with L itself, and no L might
//! pass: after a few attempts at one step they count for no more than they were.

mod average;
mod images;
mod seam;
mod setup;
mod state;
mod step;
mod test;

pub(in crate::method) use images::image_size_worth_keeping;
pub use step::{AdaptiveParameters, StepError};

use super::epoch::Epoch;
use super::seam::Step;
use crate::budget::{Activity, Budget};
use crate::method::tuning::adaptive::{
    ATTEMPTS, CONTRACTION, FLOOR, LEAST_L, MEMORY, NEWTON_STEPS, OVERFLOW_GROWTH, UNCAPPED_ATTEMPTS,
    UNSOLVED_GROWTH, UNSOLVED_STEPS,
};
use crate::metric::choice::{MetricChoice, StepFacts};
use crate::metric::second_order::{self, Spent};
use crate::metric::{CurvedRegulariser, CurvedSolver};
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::report::Counts;
use crate::subproblem::{Accuracy, Depth, Outcome, Solver, Subproblem};
use average::between;
use images::Images;
use test::Test;
pub(super) use test::is_plain_move;

/// The adaptive method in the making: every buffer lives here.
pub struct Adaptive<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    images: Option<Images>,
    solver: Solver,
    /// r, and the slack of the test: this share of the accuracy that the run asks for.
    r: f64,
    eps: f64,
    slack_share: f64,
    accuracy: f64,
    /// What sliding may leave relative to what a step brings.
    slack: f64,
    choice: MetricChoice,
    curved: CurvedSolver,
    /// Second derivatives asked for since the last step.
    spent: Spent,
    /// Whether the last model step was solved.
    model_solved: bool,
    /// How many of the last model steps were not solved.
    unsolved: usize,
    is_all_affine: bool,
    /// Where this step has linearised the mapping; infinite where it has not, NaN before the first.
    linearised_at: Vec<f64>,
    /// Whether the rows were last evaluated at x+, and not at y.
    at_next: bool,
    epoch: Epoch,
    /// L
    l: f64,
    /// A, the sum of the a of this epoch.
    a_sum: f64,
    /// x_bar
    x: Vec<f64>,
    /// z
    z: Vec<f64>,
    /// y, and that of the step before.
    y: Vec<f64>,
    previous_y: Vec<f64>,
    /// z+, x+
    z_next: Vec<f64>,
    x_next: Vec<f64>,
    /// g(x_bar), g(y), g(y) - J y, g(x+), J (x+ - y)
    values_x: Vec<f64>,
    values: Vec<f64>,
    offset: Vec<f64>,
    values_next: Vec<f64>,
    change: Vec<f64>,
    /// g(z), where it was asked for.
    values_z: Vec<f64>,
    /// lambda+, and what the subproblem starts from.
    multipliers: Vec<f64>,
    multipliers_next: Vec<f64>,
    /// The largest multipliers of this epoch that counted in a test.
    peak: Vec<f64>,
    /// The most that a multiplier may count in the current step's test; infinite in its first attempts.
    ceiling: Vec<f64>,
    pinned: Vec<bool>,
    /// The largest values each row has had.
    size: Vec<f64>,
    /// The constants that the last accepted steps would have needed.
    implied: [f64; MEMORY],
    /// That of the last step from which it could be told, under the metric in use.
    last_implied: Option<f64>,
    accepted: usize,
    /// How far the curvature along the last step was from what the metric says, relative to that; `None` where rounding hides it.
    mismatch: Option<f64>,
    /// x+ - y, and storage.
    direction: Vec<f64>,
    buffer: Vec<f64>,
    /// J'lambda+ of the last step.
    slope: Vec<f64>,
    /// max_i D_i |z+_i - z_i| / a of the last step: what is left of stationarity.
    stationarity: f64,
    /// How far x+ of the last step was from y and z+.
    spread: f64,
}

impl Adaptive<'_> {
    /// One accepted step, with as many attempts as it takes, within the problem's budget.
    ///
    /// # Errors
    /// As [`Method::step`](super::Method::step).
    pub fn step(&mut self) -> Result<Step, StepError> {
        let budget = self.problem.budget().clone();
        self.step_within(&budget)
    }

    /// As [`Adaptive::step`], within another budget.
    pub(super) fn step_within(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let l = self.l;
        let step = self.attempts(budget);
        if step.as_ref().is_err_and(|error| error.stop().is_some()) {
            self.l = l;
        }
        step
    }

    /// Attempts with growing L until one passes the test.
    fn attempts(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let mut counts = Counts::default();
        self.ceiling.fill(f64::INFINITY);
        if !self.is_fresh() {
            self.linearised_at.fill(f64::INFINITY);
        }
        for attempt in 0..ATTEMPTS {
            let a = (1.0 + (1.0 + 4.0 * self.a_sum * self.l).sqrt()) / (2.0 * self.l);
            let alpha = a / (self.a_sum + a);
            let gradients = self.place_y(alpha);
            if gradients > 0 {
                budget.gradient()?;
            }
            let outcome = self.attempt(a, alpha, budget);
            counts.gradients += gradients;
            counts.values += usize::from(self.images.is_none());
            // An attempt counts in full here: what it took is effort, too.
            self.choice.count(1);
            let outcome = match outcome {
                // The point was too far out: a shorter step stays nearer to where values were finite.
                Err(StepError::Oracle(error)) if error.is_overflow() => {
                    self.l *= OVERFLOW_GROWTH;
                    continue;
                }
                outcome => outcome?,
            };
            counts.newton_steps += outcome.steps;
            // A model step that was not solved proves nothing and may lead anywhere: with another metric it is not taken.
            if !outcome.solved && self.leave_metric()? {
                continue;
            }
            if attempt == UNCAPPED_ATTEMPTS {
                self.ceiling.copy_from_slice(&self.multipliers_next);
            }
            self.model_solved = outcome.solved;
            let test @ Test { excess, rounding, square, .. } = self.test()?;
            let excess = excess - rounding - 0.5 * self.eps * alpha;
            if excess <= 0.5 * self.room() * self.l * square {
                self.mismatch = self.mismatch_of(&test);
                // Where rounding alone is as large as what is allowed, the step tells nothing of L: the last that did stands.
                if 0.5 * self.l * square > rounding {
                    self.last_implied = Some((2.0 * excess / square).max(0.0));
                }
                let restarted = self.accept(a, self.last_implied.unwrap_or(self.l))?;
                let Spent { hessians, products } = std::mem::take(&mut self.spent);
                (counts.hessians, counts.hessian_products) = (hessians, products);
                (counts.restarts, counts.steps) = (usize::from(restarted), 1);
                return Ok(Step { counts, l: self.l, restarted, finished: false });
            }
            // Written so that a NaN or an overflow of the quotient leaves the larger end.
            self.l = (10.0 * self.l).min((1.1 * 2.0 * excess / square).max(1.2 * self.l));
            if !self.l.is_finite() {
                break;
            }
        }
        Err(StepError::Untestable { l: self.l })
    }

    /// Moves y; answers how many gradients it takes there: none where an attempt before had the same y.
    fn place_y(&mut self, alpha: f64) -> usize {
        for ((y, x), z) in self.y.iter_mut().zip(&self.x).zip(&self.z) {
            *y = between(*x, *z, alpha);
        }
        usize::from(self.y != self.linearised_at)
    }

    /// Whether the mapping is still as the problem gave it.
    fn is_fresh(&self) -> bool {
        self.linearised_at.first().is_some_and(|entry| entry.is_nan())
    }

    /// The rows at y, with their gradients.
    fn linearise(&mut self, alpha: f64) -> Result<(), OracleError> {
        if self.y == self.linearised_at {
            return Ok(());
        }
        // The first step may find its gradients at hand: the run has looked at their sizes.
        let known = if self.is_fresh() { self.problem.linearised_values(&self.y) } else { None };
        self.linearised_at.fill(f64::INFINITY);
        match known {
            Some(values) if self.images.is_none() => self.values.copy_from_slice(values),
            _ => self.linearise_at_y(alpha)?,
        }
        self.linearised_at.copy_from_slice(&self.y);
        Ok(())
    }

    /// The model step with step size a.
    fn attempt(&mut self, a: f64, alpha: f64, budget: &Budget) -> Result<Outcome, StepError> {
        self.at_next = false;
        budget.doing(Activity::Evaluating);
        self.linearise(alpha)?;
        self.mapping.apply(&self.y, &mut self.offset);
        self.offset.iter_mut().zip(&self.values).for_each(|(offset, g)| *offset = g - *offset);
        budget.doing(Activity::Modelling);
        let outcome = self.solve_model(a)?;
        for ((next, x), z) in self.x_next.iter_mut().zip(&self.x).zip(&self.z_next) {
            *next = between(*x, *z, alpha);
        }
        self.at_next = true;
        budget.doing(Activity::Evaluating);
        self.evaluate_next(alpha)?;
        Ok(outcome)
    }

    /// z+ and lambda+.
    fn solve_model(&mut self, a: f64) -> Result<Outcome, OracleError> {
        let (metric, budget) = (self.choice.metric(), self.problem.budget());
        let curved = metric.as_curvature().map(|metric| CurvedRegulariser {
            u: self.problem.regulariser(),
            metric,
            centre: &self.z,
            scale: 1.0 / a,
            solver: &self.curved,
            budget,
        });
        let subproblem = Subproblem {
            mapping: &*self.mapping,
            offset: &self.offset,
            centre: &self.z,
            weight: metric.weight(1.0 / a),
            composer: self.problem.composer(),
            regulariser: curved.as_ref().map_or(self.problem.regulariser(), |curved| curved),
            budget,
        };
        let size = self.offset.iter().fold(1.0f64, |size, b| size.max(b.abs()));
        self.multipliers_next.copy_from_slice(&self.multipliers);
        let (multipliers, w) = (&mut self.multipliers_next, &mut self.z_next);
        let depth = Depth { relative: self.slack, floor: FLOOR * self.eps };
        let accuracy = Accuracy { tolerance: 1e-12 * size, depth };
        self.solver.solve(&subproblem, accuracy, NEWTON_STEPS, multipliers, w)
    }

    /// Takes the step; answers whether it ended the epoch.
    fn accept(&mut self, a: f64, implied: f64) -> Result<bool, OracleError> {
        if self.model_solved {
            self.unsolved = 0;
        } else {
            self.unsolved += 1;
        }
        if self.is_all_affine && (1..=UNSOLVED_STEPS).contains(&self.unsolved) {
            self.l *= UNSOLVED_GROWTH;
        } else if self.model_solved || !self.solver.slides() {
            self.lower_l(implied);
        }
        // The step points against the way the average moved: momentum has overshot.
        let steps = self.x_next.iter().zip(&self.x).map(|(next, x)| next - x);
        self.buffer.iter_mut().zip(steps).for_each(|(step, x)| *step = x);
        let overshoot = -self.choice.metric().inner(&self.direction, &self.buffer);
        self.note_secant();
        self.mapping.apply_transpose(&self.multipliers_next, &mut self.slope);
        let moved = self.z_next.iter().zip(&self.z).map(|(next, z)| next - z);
        self.direction.iter_mut().zip(moved).for_each(|(d, moved)| *d = moved);
        self.choice.metric().gradient(1.0 / a, &self.direction, &mut self.buffer);
        let before = self.stationarity;
        self.stationarity = self.buffer.iter().fold(0.0, |largest, g| largest.max(g.abs()));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        self.spread = apart(&self.x_next, &self.y).max(apart(&self.x_next, &self.z_next));
        std::mem::swap(&mut self.x, &mut self.x_next);
        std::mem::swap(&mut self.values_x, &mut self.values_next);
        std::mem::swap(&mut self.z, &mut self.z_next);
        std::mem::swap(&mut self.multipliers, &mut self.multipliers_next);
        if let Some(images) = &mut self.images {
            images.accept(a / (self.a_sum + a));
        }
        self.a_sum += a;
        self.epoch.step(self.stationarity);
        let contracts =
            self.choice.metric().as_curvature().is_some() && self.stationarity <= CONTRACTION * before;
        let ends = contracts || (overshoot > 0.0 && self.epoch.may_end());
        let restarted = self.choose_metric(ends)?;
        if restarted {
            self.end_epoch();
        }
        let counted = self.multipliers.iter().zip(&self.ceiling).map(|(l, ceiling)| l.min(*ceiling));
        self.peak.iter_mut().zip(counted).for_each(|(peak, l)| *peak = peak.max(l));
        Ok(restarted)
    }

    /// Starts an epoch in another metric than one that is hard to solve model steps in; false where there is none.
    fn leave_metric(&mut self) -> Result<bool, OracleError> {
        let mut form = second_order::curvature_at(self.problem, &self.x, &self.multipliers, &mut self.spent);
        let l = self.choice.leave_misleading(self.l, &mut form)?;
        drop(form);
        let Some(l) = l else { return Ok(false) };
        (self.l, self.last_implied) = (l, None);
        self.end_epoch();
        Ok(true)
    }

    /// Lets the choice of metric take in the step; answers whether the epoch ends.
    fn choose_metric(&mut self, ends: bool) -> Result<bool, OracleError> {
        let (residual, l, mismatch) = (self.stationarity, self.l, self.mismatch);
        let facts = StepFacts { residual, l, ends, mismatch };
        let mut form = second_order::curvature_at(self.problem, &self.x, &self.multipliers, &mut self.spent);
        let l = self.choice.after_step(facts, &mut form)?;
        if let Some(l) = l {
            (self.l, self.last_implied) = (l, None);
        }
        Ok(l.is_some() || ends)
    }

    /// L falls towards what the last steps needed.
    fn lower_l(&mut self, implied: f64) {
        self.implied[self.accepted % MEMORY] = implied;
        self.accepted += 1;
        let recent = &self.implied[..self.accepted.min(MEMORY)];
        let wanted = 1.5 * recent.iter().copied().fold(0.0, f64::max);
        if wanted < self.l {
            self.l = wanted.max(self.l / 1.5).max(LEAST_L);
        }
    }

    /// Tells the choice of metric how the slope of the last multipliers has changed from the last y to this one.
    fn note_secant(&mut self) {
        if !self.choice.wants_pairs() {
            return;
        }
        if self.stationarity.is_finite() {
            self.mapping.apply_transpose(&self.multipliers, &mut self.direction);
            self.choice.note_pair([&self.previous_y, &self.y], [&self.slope, &self.direction]);
        }
        self.previous_y.copy_from_slice(&self.y);
    }

    fn end_epoch(&mut self) {
        self.epoch.end();
        self.a_sum = 0.0;
        self.z.copy_from_slice(&self.x);
        if let Some(images) = &mut self.images {
            images.restart();
        }
        self.accepted = 0;
        self.peak.fill(0.0);
    }

    /// Starts an epoch at z, whose row values are those of the other point, instead of x_bar.
    fn restart_at_z(&mut self) {
        self.values_x.copy_from_slice(&self.values_z);
        self.x.copy_from_slice(&self.z);
        if let Some(images) = &mut self.images {
            images.go_to_z();
        }
        self.end_epoch();
    }
}
