//! The only loop over steps: step, bounds, observer, stopping, in that order.

use crate::error::DataError;
use crate::method::{Adaptive, AdaptiveParameters};
use crate::metric::Metric;
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;
use crate::report::{Control, Counts, Progress, Report, Status};
use crate::settings::Settings;
use crate::stopping::{self, Standing};
use std::time::Instant;

/// Accepted steps without any improvement after which rounding is held to keep the tolerance out of reach.
const PATIENCE: usize = 500;
/// r of the test.
const MULTIPLIER_SLACK: f64 = 1e-2;

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
    /// assert!((report.objective + 1.5).abs() < 1e-5 && report.lower_bound <= -1.5);
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
        observer: &mut (dyn FnMut(&Progress) -> Control + Send),
    ) -> Result<Report, DataError> {
        settings.validate_for(self)?;
        let Some(threads) = settings.threads else { return Run::start(self, settings)?.drive(observer) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| DataError::structure("settings", format!("threads: {error}")))?;
        pool.install(|| Run::start(self, settings)?.drive(observer))
    }

    /// What stands in the objective at a point with these row values: blocks that only constrain count 0.
    fn objective_part(&self, row_values: &[f64]) -> f64 {
        let value = |(composer, range): (&dyn crate::oracle::Composer, &std::ops::Range<usize>)| {
            let value = composer.value(&row_values[range.clone()]);
            // A composer that is infinite anywhere is an indicator.
            if value == f64::INFINITY { 0.0 } else { value }
        };
        self.block_composers().zip(self.blocks()).map(value).sum()
    }
}

/// A point with what is known of it.
struct Best {
    x: Vec<f64>,
    multipliers: Vec<f64>,
    objective: f64,
    violation: f64,
}

struct Run<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    started: Instant,
    start: (Vec<f64>, Vec<f64>),
    lower_bound: f64,
    best: Best,
    counts: Counts,
    slope: Vec<f64>,
}

impl<'a> Run<'a> {
    fn start(problem: &'a Problem, settings: &'a Settings) -> Result<Self, DataError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let failed = |error: OracleError| DataError::structure("starting point", error.to_string());
        let mut x = settings.x0.clone().unwrap_or_else(|| vec![0.0; n]);
        // Into X; a point that is there already stays where it is.
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x).map_err(failed)?;
        }
        let mut values = vec![0.0; m];
        problem.mapping().values(&x, &mut values).map_err(failed)?;
        let multipliers = settings.multipliers0.clone().unwrap_or_else(|| {
            let mut multipliers = vec![0.0; m];
            problem.composer().multipliers_at(&values, &mut multipliers);
            multipliers
        });
        let best = Best {
            objective: problem.objective_part(&values) + problem.regulariser().value(&x),
            violation: problem.composer().domain_distance(&values),
            x: x.clone(),
            multipliers: multipliers.clone(),
        };
        let counts = Counts { values: 1, ..Counts::default() };
        let (start, slope) = ((x, multipliers), vec![0.0; n]);
        Ok(Self {
            problem,
            settings,
            started: Instant::now(),
            start,
            lower_bound: f64::NEG_INFINITY,
            best,
            counts,
            slope,
        })
    }

    fn drive(mut self, observer: &mut (dyn FnMut(&Progress) -> Control + Send)) -> Result<Report, DataError> {
        let parameters = AdaptiveParameters { eps: self.test_slack(), r: MULTIPLIER_SLACK, l: 1.0 };
        let metric = Metric::from_hints(self.problem);
        let mut method = Adaptive::new(self.problem, &self.start.0, &self.start.1, parameters, metric)?;
        let mut idle = 0;
        loop {
            let step = match method.step() {
                Ok(step) => step,
                Err(error) => return Ok(self.report(Status::NumericalError, Some(error.to_string()))),
            };
            self.counts.gradients += step.gradients;
            self.counts.values += step.gradients;
            self.counts.newton_steps += step.newton_steps;
            self.counts.restarts += usize::from(step.restarted);
            self.counts.steps += 1;
            idle = if self.take_in(&method) { 0 } else { idle + 1 };
            method.set_eps(self.test_slack());
            let progress = self.progress();
            if observer(&progress) == Control::Stop {
                return Ok(self.report(Status::Interrupted, None));
            }
            if let Some(status) = stopping::decide(self.settings, &progress, &self.standing(&method)) {
                return Ok(self.report(status, None));
            }
            if idle > PATIENCE {
                let trouble = format!(
                    "no improvement in {PATIENCE} steps: the tolerance may be out of reach of rounding"
                );
                return Ok(self.report(Status::NumericalError, Some(trouble)));
            }
        }
    }

    /// The slack of the method's test: a tenth of what is asked for, in objective and in violation.
    fn test_slack(&self) -> f64 {
        0.1 * self.settings.gap_tolerance(self.best.objective).min(self.settings.eps_feas)
    }

    /// Learns from an accepted step; returns whether anything improved.
    fn take_in(&mut self, method: &Adaptive<'_>) -> bool {
        let offset = method.minorant(&mut self.slope);
        let bound = offset + self.problem.regulariser().min_linear(&self.slope, None);
        let raised = bound > self.lower_bound;
        if raised {
            self.lower_bound = bound;
        }
        let values = method.row_values();
        let violation = self.problem.composer().domain_distance(values);
        let objective = self.problem.objective_part(values) + self.problem.regulariser().value(method.x());
        let better = self.merit(objective, violation) < self.merit(self.best.objective, self.best.violation);
        if better {
            self.best.x.copy_from_slice(method.x());
            self.best.multipliers.copy_from_slice(method.multipliers());
            (self.best.objective, self.best.violation) = (objective, violation);
        }
        raised || better
    }

    /// How far a point is from being certified, in units of the tolerances: (what exceeds 1 first, the objective).
    /// Without a bound the violation comes first and the objective decides among feasible points.
    fn merit(&self, objective: f64, violation: f64) -> (f64, f64) {
        // Outside X, where gap and tolerance are infinite both.
        if !objective.is_finite() {
            return (f64::INFINITY, f64::INFINITY);
        }
        let gap = if self.lower_bound.is_finite() { objective - self.lower_bound } else { 0.0 };
        let share = (violation / self.settings.eps_feas).max(gap / self.settings.gap_tolerance(objective));
        (share.max(1.0), objective)
    }

    fn progress(&self) -> Progress {
        let Best { objective, violation, .. } = self.best;
        Progress { objective, lower_bound: self.lower_bound, violation, counts: self.counts }
    }

    fn standing(&self, method: &Adaptive<'_>) -> Standing {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let moved = method.x().iter().zip(method.y()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        Standing {
            stationarity: method.stationarity() / (1.0 + largest(&self.slope)),
            movement: moved / (1.0 + largest(method.x())),
            seconds: self.settings.time_limit.map(|_| self.started.elapsed().as_secs_f64()),
        }
    }

    fn report(self, status: Status, trouble: Option<String>) -> Report {
        Report {
            status,
            x: self.best.x,
            objective: self.best.objective,
            lower_bound: self.lower_bound,
            violation: self.best.violation,
            multipliers: self.best.multipliers,
            counts: self.counts,
            seconds: self.started.elapsed().as_secs_f64(),
            trouble,
        }
    }
}
