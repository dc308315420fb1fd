//! Model steps in the metric of second derivatives, each at the price of one read of the data.
//!
//! ```text
//! H        = sum_j l_j ∇²g_j(x), from a sample of the data
//! w, l+    = saddle point of  <l, g(x) + J (w - x)> - h*(l) + u(w) + 1/2 |w - x|^2,  in the norm of H + delta I
//! g, J     at w, in one pass
//! accept if  sum_j l+_j (g_j(w) - g_j(x) - <J_j, w - x>)  <=  room/2 |w - x|^2
//! ```
//!
//! It is the model step of the adaptive method without its momentum, which brings nothing where the metric is that of the curvature. So
//! value and gradient are taken at the same point, and a point that is accepted is already linearised. Its minorant with the multipliers
//! of the step has slopes that vanish to second order, which proves more than the one at x does.
//!
//! delta follows a trust rule: a step that fails the test is repeated with a larger one, and a step whose curvature is well below that of the
//! metric makes it smaller. H is formed anew where the curvature along a step is not what it says. A metric proves nothing, so that a sample
//! of the data is enough for it; where steps stop contracting, the sample doubles. Where all that does not help, another method goes on.
//! Decision 0028.

mod model;
mod seam;
mod secants;
mod shorten;
mod test;

use super::seam::Step;
use super::start::{check_multipliers, check_x};
use super::{Start, StepError};
use crate::budget::{Activity, Budget};
use crate::error::DataError;
use crate::method::tuning::adaptive::{NEWTON_ROOM, UNCAPPED_ATTEMPTS};
use crate::method::tuning::newton::{
    ATTEMPTS, BEYOND, FIRST_DAMPING, GROWN, INTERIOR_ROWS, LESSONS, MORE, MOST_DAMPING, MOST_OUTSIDE,
    TRUSTED, WARM_DAMPING,
};
use crate::metric::second_order::{self, Sampling};
use crate::metric::{CurvatureMetric, CurvedSolver, Metric};
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::report::Counts;
use crate::subproblem::{Interior, Solver};
use secants::Secants;
use shorten::Way;
use std::sync::Arc;

const KIND: &str = "Newton's method";

/// Newton's method in the making: every buffer lives here.
pub struct Newton<'a> {
    problem: &'a Problem,
    /// Linearised at x, once the first step has begun; and at the point that is tried.
    mapping: Box<dyn Mapping>,
    next: Box<dyn Mapping>,
    is_linearised: bool,
    solver: Solver,
    curved: CurvedSolver,
    /// For model steps in which u has no say, where rows are not too many; and how many there were that it could not take, and nobody else
    /// was to.
    interior: Option<Interior>,
    outside: usize,
    /// What the steps since H was formed have shown, for those model steps; and whether `pull` is known from the last of them.
    secants: Secants,
    is_pulled: bool,
    /// For steps that can be shortened without a read, where all rows are quadratic.
    way: Option<Way>,
    /// H + delta I, once it is formed.
    metric: Option<Metric>,
    damping: f64,
    /// That of the last model step that could be solved.
    solved_damping: f64,
    sampling: Sampling,
    /// Accepted steps since H was formed.
    age: usize,
    x: Vec<f64>,
    x_next: Vec<f64>,
    values: Vec<f64>,
    values_next: Vec<f64>,
    multipliers: Vec<f64>,
    multipliers_next: Vec<f64>,
    /// The multipliers by which rows count in H, in the next one, and the most that they count in the test of a step.
    counted: Vec<f64>,
    weights: Vec<f64>,
    ceiling: Vec<f64>,
    /// g(x) - J x
    offset: Vec<f64>,
    /// w - x, J (w - x), and the gradient of the proximal term.
    direction: Vec<f64>,
    change: Vec<f64>,
    pull: Vec<f64>,
    /// J'l at x, and J'l+ at w.
    slope: Vec<f64>,
    slope_next: Vec<f64>,
    /// The largest values each row has had.
    size: Vec<f64>,
    /// |w - x| of the last step, in its metric.
    length: f64,
    /// What the last step left of stationarity, and how far it went.
    stationarity: f64,
    movement: f64,
    /// Whether the point last tried is not x.
    at_next: bool,
}

impl<'a> Newton<'a> {
    /// Whether all that the method needs is there: second derivatives, at a price of no more than a few reads of the data, and model
    /// steps that can be solved with them.
    #[must_use]
    pub fn takes(problem: &Problem) -> bool {
        second_order::sampling(problem).is_some()
    }

    /// Starts from `start`, whose metric is used first if it is one of second derivatives. `warm` says that a solution is near.
    ///
    /// # Errors
    /// A curved row without second derivatives, or a starting point of the wrong length, not finite, or outside.
    pub fn new(problem: &'a Problem, start: &Start, warm: bool) -> Result<Self, DataError> {
        let Some(sampling) = second_order::sampling(problem) else {
            return Err(DataError::structure(
                KIND,
                "a curved row has no second derivatives, or too dear ones",
            ));
        };
        Self::sampled(problem, start, warm, sampling)
    }

    /// The same with Hessians from this share of the data.
    pub(super) fn sampled(
        problem: &'a Problem,
        start: &Start,
        warm: bool,
        sampling: Sampling,
    ) -> Result<Self, DataError> {
        check_x(KIND, problem, &start.x)?;
        check_multipliers(KIND, "lambda0", problem, &start.multipliers)?;
        let (n, m) = (problem.dimension(), problem.rows());
        let carried = start.metric.as_ref().filter(|_| warm).and_then(Metric::as_curvature);
        let metric = carried
            .filter(|metric| metric.matrix().order() == n)
            .map(|metric| Metric::Curvature(Arc::new(metric.with_damping(WARM_DAMPING))));
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            next: problem.mapping(),
            is_linearised: false,
            solver: Solver::new(m, n),
            curved: CurvedSolver::new(n),
            interior: (m <= INTERIOR_ROWS).then(|| Interior::new(m, n)),
            outside: 0,
            secants: Secants::new(if m <= INTERIOR_ROWS { m } else { 0 }, n),
            is_pulled: false,
            way: Way::of(problem, &*problem.mapping()),
            damping: if warm || metric.is_some() { WARM_DAMPING } else { FIRST_DAMPING },
            solved_damping: 0.0,
            metric,
            sampling,
            age: 0,
            x: start.x.clone(),
            x_next: vec![0.0; n],
            values: vec![0.0; m],
            values_next: vec![0.0; m],
            multipliers: start.multipliers.clone(),
            multipliers_next: vec![0.0; m],
            counted: start.multipliers.clone(),
            weights: start.multipliers.clone(),
            ceiling: vec![f64::INFINITY; m],
            offset: vec![0.0; m],
            direction: vec![0.0; n],
            change: vec![0.0; m],
            pull: vec![0.0; n],
            slope: vec![0.0; n],
            slope_next: vec![0.0; n],
            size: vec![0.0; m],
            length: f64::INFINITY,
            stationarity: f64::INFINITY,
            movement: f64::INFINITY,
            at_next: false,
        })
    }

    /// |w - x| of the last step, in its metric: half its square is what the step was to bring.
    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// One accepted step, with as many attempts as it takes; or the method's end.
    fn step_within(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let mut counts = Counts { steps: 1, ..Counts::default() };
        self.linearise(budget, &mut counts)?;
        self.ceiling.fill(f64::INFINITY);
        for attempt in 0..ATTEMPTS {
            // Under a linear objective nothing is curved until a constraint holds the step: then all rows count once.
            if self.metric.is_none() && !self.form(&mut counts)? {
                self.weights.fill(1.0);
                if !self.form(&mut counts)? {
                    break;
                }
            }
            budget.doing(Activity::Modelling);
            let outcome = self.solve_model()?;
            counts.newton_steps += outcome.steps;
            // Where u bends and H is nearly singular, damping helps: that of the last step did.
            if !outcome.solved {
                self.damping = self.damping.max(self.solved_damping / MORE);
                if self.outside > MOST_OUTSIDE || !self.damp_more() {
                    break;
                }
                continue;
            }
            self.solved_damping = self.damping;
            if !self.evaluate_next(budget, &mut counts)? {
                // The point was too far out: a shorter step stays nearer to where values are finite.
                if !self.damp_more() {
                    break;
                }
                continue;
            }
            if attempt == UNCAPPED_ATTEMPTS {
                self.ceiling.copy_from_slice(&self.multipliers_next);
            }
            let mut test = self.test()?;
            let allowed = 0.5 * NEWTON_ROOM * test.square;
            if test.excess - test.rounding <= allowed {
                self.shorten(&mut test)?;
                self.accept(&test);
                return Ok(Step { counts, l: 1.0, restarted: false, finished: false });
            }
            // Where a new H is dear, what the attempt has shown is worth more than more damping.
            if attempt < LESSONS && self.learn_from_failure() {
                continue;
            }
            // A metric of where the run was before, or without a row that holds the step, says little here.
            let has_grown = attempt < UNCAPPED_ATTEMPTS && self.take_in_multipliers();
            if self.age > 0 || has_grown {
                self.metric = None;
            } else if !self.damp_more() {
                break;
            }
        }
        Ok(Step { counts, l: 1.0, restarted: false, finished: true })
    }

    /// The rows at x, with their gradients; nothing to do but before the first step.
    fn linearise(&mut self, budget: &Budget, counts: &mut Counts) -> Result<(), StepError> {
        if self.is_linearised {
            return Ok(());
        }
        self.at_next = false;
        budget.doing(Activity::Evaluating);
        budget.gradient()?;
        counts.gradients += 1;
        // The run may have looked at the sizes of the rows here already.
        match self.problem.linearised_values(&self.x) {
            Some(values) => self.values.copy_from_slice(values),
            None => self.mapping.linearise(&self.x, &mut self.values)?,
        }
        self.is_linearised = true;
        self.note_offset();
        Ok(())
    }

    fn note_offset(&mut self) {
        self.mapping.apply(&self.x, &mut self.offset);
        self.offset.iter_mut().zip(&self.values).for_each(|(offset, g)| *offset = g - *offset);
        self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
    }

    /// Counts rows in H by the multipliers that the last attempt has shown; false where it knows them.
    fn take_in_multipliers(&mut self) -> bool {
        let mut grown = false;
        for (j, (weight, l)) in self.weights.iter_mut().zip(&self.multipliers_next).enumerate() {
            if !self.mapping.is_affine(j) && *l > GROWN * *weight {
                *weight = BEYOND * l;
                grown = true;
            }
        }
        grown
    }

    /// H at x; false where there is none.
    fn form(&mut self, counts: &mut Counts) -> Result<bool, OracleError> {
        counts.hessians += 1;
        let share = self.sampling.share;
        let metric = CurvatureMetric::sampled(self.problem, &self.x, &self.weights, share, self.damping)?;
        self.metric = metric.map(|metric| Metric::Curvature(Arc::new(metric)));
        self.counted.copy_from_slice(&self.weights);
        self.age = 0;
        self.secants.clear();
        Ok(self.metric.is_some())
    }

    /// More damping, after a step that was too long; false where there is more than enough.
    fn damp_more(&mut self) -> bool {
        self.set_damping((MORE * self.damping).max(TRUSTED));
        self.damping <= MOST_DAMPING
    }

    fn set_damping(&mut self, damping: f64) {
        self.damping = damping;
        if let Some(metric) = self.metric.as_ref().and_then(Metric::as_curvature) {
            self.metric = Some(Metric::Curvature(Arc::new(metric.with_damping(damping))));
        }
    }

    /// The rows at w with their gradients; false where one overflows.
    fn evaluate_next(&mut self, budget: &Budget, counts: &mut Counts) -> Result<bool, StepError> {
        budget.doing(Activity::Evaluating);
        budget.gradient()?;
        counts.gradients += 1;
        self.at_next = true;
        let evaluated = match &mut self.way {
            Some(way) => way.linearise(&mut *self.next, &self.x_next, &mut self.values_next),
            None => self.next.linearise(&self.x_next, &mut self.values_next),
        };
        match evaluated {
            Err(error) if error.is_overflow() => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }
}
