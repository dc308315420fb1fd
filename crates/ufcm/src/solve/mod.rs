//! `Problem::solve`: one loop over steps, and what belongs to a run.
//!
//! ```text
//! problem -> method.step(budget) -> bounds and incumbent -> judge -> report
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the ways in, and the loop |
//! | `start` | where a run begins |
//! | `run` | what follows from a step |
//! | `finish` | what is told of it in the end |
//! | `bounds` | the lower bound, which never falls |
//! | `combine` | the bounds of a step, and when minorants are combined |
//! | `incumbent` | the best point, and the most interior one |
//! | `ladder` | what is tried when a run stalls: one table |
//! | `judge`, `claim` | the one gate through which a status leaves |
//! | `withstand` | whether a success is one of a feasible point nearby, too |
//! | `units` | a run in other units, where the user's are unusual |
//! | `audit` | what is not convex by construction, checked before a success |
//! | `choice`, `relay` | which method takes the steps, and which goes on |
//! | `rescue` | another method from the beginning, where those gave up |
//! | `kinks` | minorants around an answer at which components have kinks |
//! | `uniqueness` | a proof, by what holds it where it is, of an answer that no bound proves |
//! | `ranks` | what several ranks agree on before a run |
//! | `published`, `known` | a published method with its constants, given or found by a run before |
//! | `auxiliary` | runs of the same loop beside the run |
//! | `infeasible`, `unbounded` | proofs that there is no solution |
//! | `farkas`, `ray`, `straighten` | multipliers and directions corrected into proofs |
//! | `least_change`, `slopes` | ... by least squares |
//! | `feasible_point` | the best point made feasible, for an upper bound |
//! | `tell` | what is told while a run goes on |
//! | `history` | the course of a run, in bounded space |
//! | `tuning` | the numbers |

mod audit;
mod auxiliary;
mod bounds;
mod cancel;
mod choice;
mod claim;
mod combine;
mod farkas;
mod feasible_point;
mod finish;
mod history;
mod incumbent;
mod infeasible;
mod judge;
mod kinks;
mod known;
mod ladder;
mod least_change;
mod phase_one;
mod published;
mod ranks;
mod ray;
mod reduce;
mod relay;
mod rescue;
mod room;
mod run;
mod slopes;
mod start;
mod straighten;
mod tell;
mod tuning;
mod unbounded;
mod uniqueness;
mod units;
mod withstand;

use crate::budget::Budget;
use crate::error::DataError;
use crate::mapping::read_operations;
use crate::method::{Method, Start, Step, StepError};
use crate::oracle::Composer;
use crate::problem::Problem;
use crate::report::{Control, Progress, Report};
use crate::settings::Settings;
use run::Run;
use std::ops::Range;

type Observer<'o> = &'o mut (dyn FnMut(&Progress<'_>) -> Control + Send);

/// Makes the method that takes the steps of a run.
pub type MakeMethod<'m> =
    &'m (dyn for<'a> Fn(&'a Problem, &Start) -> Result<Box<dyn Method + 'a>, DataError> + Sync);

/// The loop over steps. There is no other: every method goes through it, and every auxiliary run. `after` is told of each step
/// and says when there is an outcome.
fn iterate<M: Method + ?Sized, T>(
    method: &mut M,
    budget: &Budget,
    mut after: impl FnMut(&mut M, &Step) -> Result<Option<T>, StepError>,
) -> Result<T, StepError> {
    loop {
        let step = method.step(budget)?;
        if let Some(outcome) = after(method, &step)? {
            return Ok(outcome);
        }
    }
}

impl Problem {
    /// Solves the problem. It needs no constants: the settings' defaults work.
    ///
    /// ```
    /// use ufcm::component::Quadratic;
    /// use ufcm::problem::{IntoConstraint, Problem};
    /// use ufcm::regulariser::Bounds;
    /// use ufcm::report::Status;
    /// use ufcm::settings::Settings;
    ///
    /// // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2: the answer is (1, 0), the value -3/2, the multiplier 1.
    /// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
    /// let problem = Problem::minimise(objective)
    ///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
    ///     .within(Bounds::new(-5.0, 5.0)?)
    ///     .build()?;
    /// let report = problem.solve(&Settings::default())?;
    /// assert_eq!(report.status, Status::Certified);
    /// assert!((report.objective + 1.5).abs() < 1e-5 && report.lower_bound <= -1.5 && report.upper_bound >= -1.5);
    /// assert!((report.multipliers[1] - 1.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Settings that make no sense. What happens during the run is in the report.
    pub fn solve(&self, settings: &Settings) -> Result<Report, DataError> {
        self.solve_observed(settings, &mut |_| Control::Continue)
    }

    /// As [`Problem::solve`], telling an observer after every step where the run stands; it may ask to stop.
    ///
    /// # Errors
    /// As [`Problem::solve`].
    pub fn solve_observed(
        &self,
        settings: &Settings,
        observer: &mut (dyn FnMut(&Progress<'_>) -> Control + Send),
    ) -> Result<Report, DataError> {
        self.solve_within(settings, &Budget::unlimited(), observer)
    }

    /// As [`Problem::solve_observed`], within a budget that began earlier (when data were read, say) and that others can stop.
    /// The limits of the settings count as well; that of time from the start of the budget.
    ///
    /// # Errors
    /// As [`Problem::solve`].
    pub fn solve_within(
        &self,
        settings: &Settings,
        budget: &Budget,
        observer: &mut (dyn FnMut(&Progress<'_>) -> Control + Send),
    ) -> Result<Report, DataError> {
        settings.validate_for(self)?;
        let settings = &*settings.warmed(self);
        let budget = ranks::together(self, settings, &limited(settings, budget))?;
        let observer = &mut ranks::heard(self, &budget, observer);
        let before = budget.read();
        let mut report = in_pool(settings, || {
            if settings.method.asks_for_constants() {
                return published::solve(self, settings, &budget, observer);
            }
            rescue::solve(self, settings, &budget, observer)
        })?;
        report.held = None;
        // The constants of a published method may have been found by a run before, which is told apart.
        report.counts.data_passes = match &report.prelude {
            Some(_) => (report.counts.gradients + report.counts.values) as f64,
            None => self.passes(budget.read() - before),
        };
        Ok(report)
    }

    /// As [`Problem::solve_within`], with a method of your own. The method is made for the problem that `make` is given, which
    /// asks the budget before every evaluation, and starts from the point that it is given.
    ///
    /// # Errors
    /// As [`Problem::solve`], and what `make` says.
    pub fn solve_by(
        &self,
        settings: &Settings,
        budget: &Budget,
        make: MakeMethod<'_>,
        observer: &mut (dyn FnMut(&Progress<'_>) -> Control + Send),
    ) -> Result<Report, DataError> {
        settings.validate_for(self)?;
        let settings = &*settings.warmed(self);
        let budget = ranks::together(self, settings, &limited(settings, budget))?;
        let observer = &mut ranks::heard(self, &budget, observer);
        let before = budget.read();
        let mut report = in_pool(settings, || {
            run::solve(self, settings, &budget, &|problem, run| make(problem, run.start()), observer)
        })?;
        report.held = None;
        report.counts.data_passes = self.passes(budget.read() - before);
        Ok(report)
    }

    /// How many times the data of all components were read, where so many operations were spent on evaluations.
    fn passes(&self, operations: u64) -> f64 {
        let components = (0..self.rows()).filter_map(|row| self.component(row));
        let once: u64 = components.map(read_operations).sum();
        if once == 0 { 0.0 } else { operations as f64 / once as f64 }
    }

    /// What stands in the objective at a point with these row values: constraints are left aside.
    fn objective_part(&self, row_values: &[f64]) -> f64 {
        let part = |(rows, composer): (Range<usize>, &dyn Composer)| {
            if composer.is_constraint() { 0.0 } else { composer.value(&row_values[rows]) }
        };
        self.parts().map(part).sum()
    }
}

/// The budget with the limit of time of the settings.
fn limited(settings: &Settings, budget: &Budget) -> Budget {
    let budget = budget.clone();
    match settings.time_limit {
        Some(seconds) => budget.with_time(seconds),
        None => budget,
    }
}

/// Runs `work` with as many threads as the settings say.
fn in_pool<T: Send>(
    settings: &Settings,
    work: impl FnOnce() -> Result<T, DataError> + Send,
) -> Result<T, DataError> {
    let Some(threads) = settings.threads else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| DataError::structure("settings", format!("threads: {error}")))?;
    pool.install(work)
}
