//! Newton's method on the few variables that matter, for answers that are mostly 0.
//!
//! ```text
//! s     = J'l at x, in one read of the data
//! W     = the variables that are not 0, and those whose slopes are the furthest from allowing 0
//! x, l  = Newton's method on the problem in the variables of W alone, as far as it pays
//! ```
//!
//! A law of a variable that has a kink or an end at 0 (a norm, a sign) holds the variable there while its slope s_i is within what the
//! law allows. The problem in the variables of W reads their columns of the data alone, and its Hessians are of their order, so that
//! most of the work is that of the reads of all the data, one for each round. Each proves a bound: slopes are those of all variables.
//! Decision 0029.

mod law;
mod seam;

use super::seam::Step;
use super::start::{check_multipliers, check_x};
use super::{Method, Newton, Start, StepError};
use crate::budget::{Activity, Budget};
use crate::error::DataError;
use crate::method::tuning::working_set::{
    ENOUGH, GROWTH, LEAST, MOST_STEPS, NEGLIGIBLE, RESTS, SPARE, WORTH,
};
use crate::metric::second_order;
use crate::oracle::Mapping;
use crate::problem::Problem;
use crate::report::Counts;

const KIND: &str = "the working-set method";

/// The method in the making: every buffer of n numbers lives here.
pub struct WorkingSet<'a> {
    problem: &'a Problem,
    /// Linearised at x, once the first step has begun.
    mapping: Box<dyn Mapping>,
    is_linearised: bool,
    x: Vec<f64>,
    values: Vec<f64>,
    multipliers: Vec<f64>,
    /// J'l at x.
    slope: Vec<f64>,
    /// W, in increasing order.
    working: Vec<usize>,
    /// Candidates for it, by how far their slopes are from allowing 0.
    ranked: Vec<(f64, usize)>,
    /// Operations of a read of all the data.
    read: f64,
    accuracy: f64,
    rounds: usize,
    stationarity: f64,
    movement: f64,
}

impl<'a> WorkingSet<'a> {
    /// Whether the laws of most variables hold them at 0, and all rows can be had on some variables alone.
    #[must_use]
    pub fn takes(problem: &Problem) -> bool {
        let n = problem.dimension();
        let rests = (0..n).filter(|&i| problem.regulariser().scalar_term(i).is_some_and(law::can_rest));
        rests.count() as f64 >= RESTS * n as f64
            && problem.mapping().is_restrictable()
            && second_order::is_available(problem)
    }

    /// Starts from `start`, whose variables are 0 but for a few.
    ///
    /// # Errors
    /// A u that is no sum of laws of the variables, or a starting point of the wrong length, not finite, or outside.
    pub fn new(problem: &'a Problem, start: &Start) -> Result<Self, DataError> {
        check_x(KIND, problem, &start.x)?;
        check_multipliers(KIND, "lambda0", problem, &start.multipliers)?;
        let (n, m) = (problem.dimension(), problem.rows());
        let has_laws = (0..n).all(|i| problem.regulariser().scalar_term(i).is_some());
        if !has_laws || !Self::takes(problem) {
            let needed = "it needs a regulariser that is a sum over the variables and holds them at 0, and rows with second derivatives";
            return Err(DataError::structure(KIND, needed));
        };
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            is_linearised: false,
            x: start.x.clone(),
            values: vec![0.0; m],
            multipliers: start.multipliers.clone(),
            slope: vec![0.0; n],
            working: Vec::new(),
            ranked: Vec::with_capacity(n),
            read: second_order::gradient_operations(problem),
            accuracy: 0.0,
            rounds: 0,
            stationarity: f64::INFINITY,
            movement: f64::INFINITY,
        })
    }

    /// One round, or the method's end.
    fn round(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let mut counts = Counts { steps: 1, ..Counts::default() };
        if !self.is_linearised {
            self.linearise(budget, &mut counts)?;
        }
        self.choose();
        let finished = !self.work(budget, &mut counts)?;
        if !finished {
            self.linearise(budget, &mut counts)?;
            self.rounds += 1;
        }
        self.measure();
        Ok(Step { counts, l: 1.0, restarted: false, finished })
    }

    /// The rows at x with their gradients.
    fn linearise(&mut self, budget: &Budget, counts: &mut Counts) -> Result<(), StepError> {
        budget.doing(Activity::Evaluating);
        budget.gradient()?;
        counts.gradients += 1;
        match self.problem.linearised_values(&self.x).filter(|_| !self.is_linearised) {
            Some(values) => self.values.copy_from_slice(values),
            None => self.mapping.linearise(&self.x, &mut self.values)?,
        }
        self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
        self.is_linearised = true;
        Ok(())
    }

    /// W: what is not 0, and as many again that should not stay there, or are the next to leave it.
    fn choose(&mut self) {
        self.working.clear();
        self.ranked.clear();
        for (i, (x, s)) in self.x.iter().zip(&self.slope).enumerate() {
            match law::excess(&law::of(self.problem, i), *x, *s) {
                None => self.working.push(i),
                // What is far from leaving 0 is not even compared.
                Some(excess) if excess > -SPARE * s.abs() => self.ranked.push((excess, i)),
                Some(_) => {}
            }
        }
        let more = LEAST.max((GROWTH * self.working.len() as f64) as usize);
        if self.ranked.len() > more {
            // By index where two are alike: the same choice every time.
            let first = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            self.ranked.select_nth_unstable_by(more, first);
            self.ranked.truncate(more);
        }
        self.working.extend(self.ranked.iter().map(|(_, i)| *i));
        self.working.sort_unstable();
    }

    /// Newton's method on the problem in W; false where there is none, or it does not get anywhere.
    fn work(&mut self, budget: &Budget, counts: &mut Counts) -> Result<bool, StepError> {
        budget.doing(Activity::Modelling);
        let beside = budget.beside();
        let Some(problem) = self.problem.restricted(&self.working, &beside) else { return Ok(false) };
        let sampling = second_order::sampling_where(&problem, WORTH * self.read);
        let Some(sampling) = sampling.filter(|sampling| !sampling.inside) else { return Ok(false) };
        let x = self.working.iter().map(|&i| self.x[i]).collect();
        let start = Start { x, multipliers: self.multipliers.clone(), ..Start::default() };
        let Ok(mut newton) = Newton::sampled(&problem, &start, self.rounds > 0, sampling) else {
            return Ok(false);
        };
        let mut enough = NEGLIGIBLE * self.accuracy;
        for k in 0..MOST_STEPS {
            let step = newton.step(&beside)?;
            counts.newton_steps += step.counts.gradients;
            counts.hessians += step.counts.hessians;
            if step.finished && k == 0 {
                return Ok(false);
            }
            let gain = 0.5 * newton.length() * newton.length();
            enough = if k == 0 { enough.max(ENOUGH * gain) } else { enough };
            if step.finished || gain <= enough {
                break;
            }
        }
        budget.note_read(beside.read());
        let found = newton.candidate();
        self.multipliers.copy_from_slice(found.multipliers);
        self.movement = 0.0;
        for (&i, x) in self.working.iter().zip(found.x) {
            self.movement = self.movement.max((self.x[i] - x).abs());
            self.x[i] = *x;
        }
        Ok(true)
    }

    /// What is left of stationarity, over all variables.
    fn measure(&mut self) {
        let left = self
            .x
            .iter()
            .zip(&self.slope)
            .enumerate()
            .map(|(i, (x, s))| law::residual(&law::of(self.problem, i), *x, *s));
        self.stationarity = left.fold(0.0, f64::max);
    }
}
