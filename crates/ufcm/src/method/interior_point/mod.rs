//! Interior points, for problems that can be said in cones while they are small enough to factor: Clarabel's engine behind the
//! seam of our methods, and before it one of our own where a program condenses to a dense core.
//!
//! A step is a whole run of the engine, each to a finer tolerance than the one before; there are few. What comes back is a point
//! and multipliers, or rays. Nothing rests on the engine's word: the point is moved into X, the multipliers into the domain of h*,
//! the optimality conditions are measured here, and bounds, proofs and statuses come from the run as for every method.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the method |
//! | `program` | the problem as the engine's data, and the way back to multipliers |
//! | `engine` | runs of the engines |
//! | `condensed/` | the engine of our own, for programs that condense to a dense core |
//! | `operations` | what a factorisation costs |
//! | `phase_one` | the least violation that the constraints leave, and multipliers that nearly prove it |
//! | `triplets` | entries of a matrix in any order |
//! | `measure` | what is left of the optimality conditions |
//! | `seam` | the method as the loop sees it |
//! | `walk/` | how the answer of a linear or quadratic program changes with one bound |

mod condensed;
mod engine;
mod measure;
mod operations;
mod phase_one;
mod program;
mod seam;
mod triplets;
mod walk;

use super::seam::Step;
use super::{Kkt, StepError};
use crate::budget::{Activity, Budget};
use crate::error::DataError;
use crate::linalg::norm;
use crate::method::tuning::interior_point::{
    ATTEMPTS, Attempt, BESIDE, ITERATIONS, LARGEST, LARGEST_CONDENSED, NEGLIGIBLE, PLAIN_ATTEMPTS,
    SPARSE_ROOM, UNNEEDED,
};
use crate::oracle::{Mapping, OracleError, Weight};
use crate::problem::Problem;
use crate::report::Counts;
use clarabel::solver::SolverStatus;
use engine::{Outcome, engine_settings, run_condensed, run_engine};
use operations::Factorisation;
pub(crate) use phase_one::{Least, Leave, PhaseOne};
use program::Program;
use std::sync::Arc;
pub(crate) use walk::Path;

const KIND: &str = "interior-point method";

/// Heavy enough that a prox only projects.
const HEAVY: f64 = 1e30;

/// Directions that the engine found where there is no solution, with the point that they start from.
struct Rays {
    /// The point, and the point before it on a ray along which the objective falls.
    x: [Vec<f64>; 2],
    /// Multipliers that prove infeasibility, and 0.
    l: [Vec<f64>; 2],
}

/// A problem as a program, and what a factorisation of it costs: found once, whoever asks first.
#[derive(Clone)]
pub(crate) struct Prepared {
    program: Arc<Program>,
    factorisation: Factorisation,
}

impl Prepared {
    /// # Errors
    /// A part without a conic form, or a program that is too large.
    pub(crate) fn of(problem: &Problem) -> Result<Self, DataError> {
        let program = Arc::new(Program::of(problem)?);
        let factorisation = operations::of_factorisation(&program, problem.budget());
        Ok(Self { program, factorisation })
    }

    /// Operations of a solve; `None` where factorisations would take too long.
    pub(crate) fn operations(&self) -> Option<f64> {
        let Factorisation { count, is_condensed, .. } = self.factorisation;
        let largest = if is_condensed { LARGEST_CONDENSED } else { LARGEST };
        (count <= largest).then_some(ITERATIONS * (count + beside(&self.program)))
    }
}

/// The interior-point method in the making.
///
/// ```
/// use ufcm::component::Linear;
/// use ufcm::mapping::Affine;
/// use ufcm::matrix::Matrix;
/// use ufcm::method::InteriorPoint;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Bounds;
///
/// // min -x_0 - 2 x_1 subject to x_0 + x_1 <= 1, x >= 0
/// let row = Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0])?, vec![1.0])?;
/// let problem = Problem::minimise(Linear::new(vec![-1.0, -2.0], 0.0)?)
///     .subject_to(row.at_most_zero())
///     .within(Bounds::new(0.0, f64::INFINITY)?)
///     .build()?;
/// let mut method = InteriorPoint::new(&problem, &[0.0, 0.0], &[1.0, 0.0])?;
/// method.step()?;
/// assert!((method.x()[1] - 1.0).abs() < 1e-6 && (method.multipliers()[1] - 2.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InteriorPoint<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    program: Arc<Program>,
    factorisation: Factorisation,
    /// Runs of the engine so far.
    attempts: usize,
    /// Iterations of the engine so far, and the operations of one.
    iterations: usize,
    iteration: f64,
    x: Vec<f64>,
    row_values: Vec<f64>,
    multipliers: Vec<f64>,
    slope: Vec<f64>,
    kkt: Kkt,
    rays: Option<Rays>,
    /// Whether the engine has met rays, which proved nothing if there is another run.
    was_misled: bool,
    /// Whether all runs are made before another method goes on, also after rays that prove nothing.
    insists: bool,
}

impl<'a> InteriorPoint<'a> {
    /// Operations of a solve, if the method takes the problem; `None` where a part has no conic form, or where factorisations
    /// would take too long.
    #[must_use]
    pub fn operations(problem: &Problem) -> Option<f64> {
        Prepared::of(problem).ok()?.operations()
    }

    /// Prepares the program. `x` and `multipliers` are what is told until the first step.
    ///
    /// # Errors
    /// A part without a conic form, a program that is too large, or rows that cannot be evaluated.
    pub fn new(problem: &'a Problem, x: &[f64], multipliers: &[f64]) -> Result<Self, DataError> {
        Self::prepared(problem, Prepared::of(problem)?, x, multipliers)
    }

    /// The same with a program that was prepared before, perhaps within another budget.
    pub(crate) fn prepared(
        problem: &'a Problem,
        prepared: Prepared,
        x: &[f64],
        multipliers: &[f64],
    ) -> Result<Self, DataError> {
        let Prepared { program, factorisation } = prepared;
        if program.entries() > SPARSE_ROOM && !factorisation.is_condensed {
            // Who was stopped did not look.
            problem.budget().ask().map_err(|stop| DataError::oracle(KIND, stop.into()))?;
            return Err(program::too_large(SPARSE_ROOM));
        }
        let (n, m) = (problem.dimension(), problem.rows());
        let iteration = factorisation.count + beside(&program);
        let mut method = Self {
            problem,
            mapping: problem.mapping(),
            program,
            factorisation,
            attempts: 0,
            iterations: 0,
            iteration,
            x: x.to_vec(),
            row_values: vec![0.0; m],
            multipliers: multipliers.to_vec(),
            slope: vec![0.0; n],
            kkt: Kkt::UNKNOWN,
            rays: None,
            was_misled: false,
            insists: false,
        };
        method.evaluate().map_err(|error| DataError::oracle(KIND, error))?;
        Ok(method)
    }

    /// Makes all runs before another method goes on: for programs, on which the others would take longer.
    #[must_use]
    pub(crate) fn insisting(mut self, insists: bool) -> Self {
        self.insists = insists;
        self
    }

    /// x
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The multipliers of all rows, in the domain of h*.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// What is left of the optimality conditions.
    #[must_use]
    pub fn kkt(&self) -> &Kkt {
        &self.kkt
    }

    /// A run of the engine, within the problem's budget.
    ///
    /// # Errors
    /// An oracle that failed, or the budget.
    pub fn step(&mut self) -> Result<Step, StepError> {
        let budget = self.problem.budget().clone();
        self.step_within(&budget)
    }

    fn step_within(&mut self, budget: &Budget) -> Result<Step, StepError> {
        budget.doing(Activity::Modelling);
        budget.gradient()?;
        let before = self.iterations;
        let attempt = &ATTEMPTS[self.attempts.min(ATTEMPTS.len() - 1)];
        self.attempts += 1;
        self.rays = None;
        let Factorisation { is_condensed: condenses, is_only, .. } = self.factorisation;
        let condensed = match self.attempts {
            1 if condenses => run_condensed(&self.program, attempt.tolerance, budget),
            _ => None,
        };
        budget.component()?;
        let is_condensed = condensed.is_some();
        self.iterations += condensed.as_ref().map_or(0, |outcome| outcome.iterations);
        let outcome = if is_only { condensed } else { condensed.or_else(|| self.run(attempt, true, budget)) };
        budget.component()?;
        if let Some(Outcome { status, y, dual, .. }) = outcome {
            match status {
                SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                    self.note_rays(None, Some(self.program.multipliers_of_ray(&dual)));
                }
                SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
                    self.follow(&y, budget)?;
                }
                _ => self.take(&y, &dual)?,
            }
            // What did not reach the first tolerance does not reach a finer one by the same steps.
            let same_again = self.insists && self.attempts == 1 && self.rays.is_none();
            let same_again = same_again && status != SolverStatus::Solved && !is_condensed;
            self.attempts += usize::from(same_again);
        }
        if is_only {
            self.attempts = ATTEMPTS.len();
        }
        self.was_misled |= self.rays.is_some();
        let steps = self.iterations - before;
        let operations = (steps as f64 * self.iteration) as u64;
        let counts = Counts { gradients: 1, values: 1, steps, operations, ..Counts::default() };
        let finished = match self.insists {
            true => self.attempts >= ATTEMPTS.len(),
            false => self.attempts >= PLAIN_ATTEMPTS || self.rays.is_some(),
        };
        Ok(Step { counts, l: 0.0, restarted: false, finished })
    }

    /// Runs the engine, with the cost or without; nothing where it fails or is stopped.
    fn run(&mut self, attempt: &Attempt, with_cost: bool, budget: &Budget) -> Option<Outcome> {
        let settings = engine_settings(attempt, self.factorisation.factors, self.was_misled);
        let outcome = run_engine(&self.program, settings, with_cost, budget)?;
        self.iterations += outcome.iterations;
        Some(outcome)
    }

    /// Takes a point and multipliers, moved to where they belong, unless those before were better: the finest tolerance may be out of
    /// the engine's reach.
    fn take(&mut self, y: &[f64], dual: &[f64]) -> Result<(), OracleError> {
        let before = (self.x.clone(), self.multipliers.clone(), self.kkt.error());
        self.x.copy_from_slice(self.program.point(y));
        self.problem.regulariser().prox(Weight::scalar(HEAVY), &mut self.x)?;
        self.multipliers = self.program.multipliers(y, dual);
        self.problem.composer().prox_conjugate(Weight::scalar(HEAVY), &mut self.multipliers)?;
        for (row, l) in self.multipliers.iter_mut().enumerate() {
            if !self.problem.is_affine(row) {
                *l = l.max(0.0);
            }
        }
        self.settle()?;
        if before.2 < self.kkt.error() {
            (self.x, self.multipliers) = (before.0, before.1);
            self.settle()?;
        }
        Ok(())
    }

    /// Evaluates and measures what was taken.
    fn settle(&mut self) -> Result<(), OracleError> {
        self.evaluate()?;
        self.kkt = self.measure()?;
        self.drop_negligible()
    }

    /// Interior points leave a little of a multiplier on every row. It is dropped unless the conditions need it: beside multipliers of
    /// 1e6, 1e-2 is little, and may be all that holds a variable.
    fn drop_negligible(&mut self) -> Result<(), OracleError> {
        let before = (self.multipliers.clone(), self.kkt);
        let largest = self.multipliers.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
        for (range, composer) in self.problem.parts() {
            for (k, row) in range.enumerate() {
                let (z, l) = (self.row_values[row], &mut self.multipliers[row]);
                let inside = composer.row_domain(k).is_some_and(|[low, high]| {
                    let room = (high - z).min(z - low);
                    room > NEGLIGIBLE * (1.0 + z.abs())
                });
                if inside && !composer.is_pinned(k) && l.abs() <= NEGLIGIBLE * largest {
                    *l = 0.0;
                }
            }
        }
        if self.multipliers == before.0 {
            return Ok(());
        }
        self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
        self.kkt = self.measure()?;
        if self.kkt.error() > before.1.error().max(UNNEEDED) {
            (self.multipliers, self.kkt) = before;
            self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
        }
        Ok(())
    }

    /// The cost falls for ever along y: from a feasible point, where there is one.
    fn follow(&mut self, y: &[f64], budget: &Budget) -> Result<(), OracleError> {
        let mut ray = self.program.point(y).to_vec();
        let length = norm(&ray);
        ray.iter_mut().for_each(|d| *d /= length);
        let Some(Outcome { status, y, dual, .. }) = self.run(&ATTEMPTS[0], false, budget) else {
            return Ok(());
        };
        if let SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible = status {
            self.note_rays(None, Some(self.program.multipliers_of_ray(&dual)));
            return Ok(());
        }
        self.x.copy_from_slice(self.program.point(&y));
        self.problem.regulariser().prox(Weight::scalar(HEAVY), &mut self.x)?;
        self.evaluate()?;
        self.kkt.primal = self.problem.violation_of(&self.row_values);
        self.note_rays(Some(&ray), None);
        Ok(())
    }

    fn note_rays(&mut self, ray: Option<&[f64]>, multipliers: Option<Vec<f64>>) {
        let (x, none) = (self.x.clone(), vec![0.0; self.multipliers.len()]);
        let before = ray.map_or_else(|| x.clone(), |ray| x.iter().zip(ray).map(|(x, d)| x - d).collect());
        self.rays = Some(Rays { x: [x, before], l: [multipliers.unwrap_or_else(|| none.clone()), none] });
    }

    /// g(x) and J'l.
    fn evaluate(&mut self) -> Result<(), OracleError> {
        self.mapping.linearise(&self.x, &mut self.row_values)?;
        self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
        Ok(())
    }
}

/// Operations of an iteration beside its factorisation.
fn beside(program: &Program) -> f64 {
    BESIDE * (program.q.len() + program.b.len() + program.a.nzval.len()) as f64
}
