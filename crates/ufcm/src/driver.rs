//! The only loop over steps: step, bounds, observer, stopping, in that order.

use crate::certificate::{Certificate, Floor, Infeasibility, LowerModel, Premise, Witness};
use crate::error::DataError;
use crate::method::{Adaptive, AdaptiveParameters, StepError};
use crate::metric::Metric;
use crate::oracle::{Composer, OracleError, Weight};
use crate::problem::Problem;
use crate::report::{Control, Counts, Progress, Report, Status};
use crate::settings::Settings;
use crate::stopping::{self, Standing};
use std::ops::Range;
use std::time::Instant;

/// Accepted steps without any improvement after which rounding is held to keep the tolerance out of reach.
const PATIENCE: usize = 500;
/// Accepted steps without improvement after which the slack of the method's test is held to be what stops it.
const SLACK_PATIENCE: usize = 20;
/// The slack of the method's test, as a share of the tolerances: at first, and at least.
const SLACK_SHARES: (f64, f64) = (0.1, 1e-6);
/// The factor by which the merit must fall to count as improvement.
const IMPROVEMENT: f64 = 0.99;
/// Minorants kept for the lower bound.
const MINORANTS: usize = 20;
/// Steps between two attempts to prove that the constraints cannot be met.
const INFEASIBILITY_STEPS: usize = 10;
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
        let part = |(rows, composer): (Range<usize>, &dyn Composer)| {
            let value = composer.value(&row_values[rows]);
            // A composer that is infinite anywhere is an indicator.
            if value == f64::INFINITY { 0.0 } else { value }
        };
        self.parts().map(part).sum()
    }
}

/// A point with what is known of it.
struct Best {
    x: Vec<f64>,
    multipliers: Vec<f64>,
    objective: f64,
    violation: f64,
    /// The objective with violations charged by the multipliers: a violated point must not pass for a good one.
    charged: f64,
}

/// How a run ends.
struct End {
    status: Status,
    trouble: Option<String>,
    infeasibility: Option<Infeasibility>,
    /// Whether the bounds found before no longer hold.
    bounds_void: bool,
}

impl End {
    fn new(status: Status) -> Self {
        Self { status, trouble: None, infeasibility: None, bounds_void: false }
    }

    fn trouble(error: &StepError) -> Self {
        let bounds_void = matches!(error, StepError::NotConvex { .. });
        Self { trouble: Some(error.to_string()), bounds_void, ..Self::new(Status::NumericalError) }
    }
}

struct Run<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    started: Instant,
    start: (Vec<f64>, Vec<f64>),
    lower_bound: f64,
    best: Best,
    counts: Counts,
    /// Accepted steps since the merit last fell noticeably, and what it was then.
    idle: usize,
    mark: (f64, f64),
    slack_share: f64,
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
        let objective = problem.objective_part(&values) + problem.regulariser().value(&x);
        let best = Best {
            objective,
            violation: problem.composer().domain_distance(&values),
            charged: objective,
            x: x.clone(),
            multipliers: multipliers.clone(),
        };
        let counts = Counts { values: 1, ..Counts::default() };
        let start = (x, multipliers);
        Ok(Self {
            problem,
            settings,
            started: Instant::now(),
            start,
            lower_bound: f64::NEG_INFINITY,
            best,
            counts,
            idle: 0,
            mark: (f64::INFINITY, f64::INFINITY),
            slack_share: SLACK_SHARES.0,
        })
    }

    fn drive(mut self, observer: &mut (dyn FnMut(&Progress) -> Control + Send)) -> Result<Report, DataError> {
        let parameters = AdaptiveParameters { eps: self.test_slack(), r: MULTIPLIER_SLACK, l: 1.0 };
        let metric = Metric::from_hints(self.problem);
        let premise = self.premise()?;
        let mut floor = Floor::new(self.problem, &premise);
        let mut model = LowerModel::new(self.problem, MINORANTS)?;
        let mut method = Adaptive::new(self.problem, &self.start.0, &self.start.1, parameters, metric)?;
        let end = loop {
            let outcome = self.advance(&mut method, &mut model, &mut floor, &premise, observer);
            if let Some(end) = outcome.unwrap_or_else(|error| Some(End::trouble(&error))) {
                break end;
            }
        };
        if end.bounds_void {
            // What was proven rested on convexity.
            self.lower_bound = f64::NEG_INFINITY;
            model = LowerModel::new(self.problem, MINORANTS)?;
        }
        Ok(self.report(end, &model, &premise))
    }

    /// One step with all that follows from it; how the run ends, if it does.
    fn advance(
        &mut self,
        method: &mut Adaptive<'_>,
        model: &mut LowerModel,
        floor: &mut Floor<'_>,
        premise: &Premise,
        observer: &mut (dyn FnMut(&Progress) -> Control + Send),
    ) -> Result<Option<End>, StepError> {
        let step = method.step()?;
        self.counts.gradients += step.gradients;
        self.counts.values += step.gradients;
        self.counts.newton_steps += step.newton_steps;
        self.counts.restarts += usize::from(step.restarted);
        self.counts.steps += 1;
        self.raise_bound(method, model, floor)?;
        self.take_in(method);
        self.note_progress();
        method.set_eps(self.test_slack());
        let progress = self.progress();
        if observer(&progress) == Control::Stop {
            return Ok(Some(End::new(Status::Interrupted)));
        }
        if let Some(proof) = self.prove_infeasible(method, premise) {
            return Ok(Some(End { infeasibility: Some(proof), ..End::new(Status::Infeasible) }));
        }
        if let Some(status) = stopping::decide(self.settings, &progress, &self.standing(method)) {
            return Ok(Some(End::new(status)));
        }
        if self.idle > PATIENCE {
            let trouble =
                format!("no improvement in {PATIENCE} steps: the tolerance may be out of reach of rounding");
            return Ok(Some(End { trouble: Some(trouble), ..End::new(Status::NumericalError) }));
        }
        Ok(None)
    }

    /// The slack of the method's test: a share of what is asked for, in objective and in violation.
    ///
    /// Rough components need it, but steps that pass only by it keep slopes of the order of sqrt(L slack), and a lower
    /// bound loses that times the diameter of X: where nothing improves any more, the share falls.
    fn test_slack(&self) -> f64 {
        self.slack_share * self.settings.gap_tolerance(self.best.objective).min(self.settings.eps_feas)
    }

    /// What the lower bound may rest on: what the problem proves, else the radius that the user gave.
    fn premise(&self) -> Result<Premise, DataError> {
        let x0 = &self.start.0;
        let failed = |error: OracleError| DataError::structure("starting point", error.to_string());
        Ok(match (Premise::implied(self.problem, x0).map_err(failed)?, self.settings.radius) {
            (Premise::None, Some(radius)) => Premise::Radius { centre: x0.clone(), radius },
            (implied, _) => implied,
        })
    }

    /// Counts the steps since the merit last fell noticeably; without a bound, since the objective did.
    fn note_progress(&mut self) {
        let merit = self.merit(self.best.charged, self.best.violation);
        let objective_fell = merit.1 < self.mark.1 - 1e-9 * (1.0 + merit.1.abs());
        if merit.0 < IMPROVEMENT * self.mark.0 || (self.lower_bound == f64::NEG_INFINITY && objective_fell) {
            (self.idle, self.mark) = (0, merit);
            return;
        }
        self.idle += 1;
        if self.idle.is_multiple_of(SLACK_PATIENCE) {
            self.slack_share = (0.1 * self.slack_share).max(SLACK_SHARES.1);
        }
    }

    /// Adds the step's minorant to the model.
    fn raise_bound(
        &mut self,
        method: &Adaptive<'_>,
        model: &mut LowerModel,
        floor: &mut Floor<'_>,
    ) -> Result<(), OracleError> {
        model.push(&method.linearisation())?;
        let worthwhile = self.best.charged + self.settings.gap_tolerance(self.best.objective);
        self.lower_bound = model.bound(floor, worthwhile);
        Ok(())
    }

    /// A proof from the step's multipliers, those of the objective set to 0, that no point satisfies the constraints. It is
    /// only looked for now and then, and where the best point violates them.
    fn prove_infeasible(&self, method: &Adaptive<'_>, premise: &Premise) -> Option<Infeasibility> {
        let due = self.counts.steps.is_multiple_of(INFEASIBILITY_STEPS);
        if !due || self.best.violation <= self.settings.eps_feas {
            return None;
        }
        let mut multipliers = method.multipliers().to_vec();
        for (rows, composer) in self.problem.parts() {
            // Only constraints can be infinite, and only their multipliers can prove anything.
            if composer.domain_distance(&method.row_values()[rows.clone()]) == 0.0 {
                multipliers[rows].fill(0.0);
            }
        }
        let size = multipliers.iter().map(|l| l.abs()).sum::<f64>();
        (size > 0.0).then_some(())?;
        multipliers.iter_mut().for_each(|l| *l /= size);
        let premise = if matches!(premise, Premise::Radius { .. }) { premise.clone() } else { Premise::None };
        let witnesses = vec![Witness { weight: 1.0, y: method.y().to_vec(), multipliers }];
        let proof = Infeasibility { premise, witnesses };
        proof.verify(self.problem).ok().map(|_| proof)
    }

    /// Keeps the step's point if it is better.
    fn take_in(&mut self, method: &Adaptive<'_>) {
        let values = method.row_values();
        let violation = self.problem.composer().domain_distance(values);
        let u = self.problem.regulariser().value(method.x());
        let objective = self.problem.objective_part(values) + u;
        // The Lagrangian at the step's multipliers.
        let dualised: f64 = method.multipliers().iter().zip(values).map(|(l, g)| l * g).sum();
        let charged = objective.max(dualised - self.problem.composer().conjugate(method.multipliers()) + u);
        let better = self.merit(charged, violation) < self.merit(self.best.charged, self.best.violation);
        if better {
            self.best.x.copy_from_slice(method.x());
            self.best.multipliers.copy_from_slice(method.multipliers());
            (self.best.objective, self.best.charged, self.best.violation) = (objective, charged, violation);
        }
    }

    /// How far a point is from being certified, in units of the tolerances: (what exceeds 1 first, the objective).
    /// Without a bound the violation comes first and the objective decides among feasible points.
    fn merit(&self, charged: f64, violation: f64) -> (f64, f64) {
        // Outside X, where gap and tolerance are infinite both.
        if !charged.is_finite() {
            return (f64::INFINITY, f64::INFINITY);
        }
        // In one unit for all points: a tolerance that grew with the objective would favour large ones.
        let bound = self.lower_bound;
        let gap =
            if bound.is_finite() { (charged - bound) / self.settings.gap_tolerance(bound) } else { 0.0 };
        ((violation / self.settings.eps_feas).max(gap).max(1.0), charged)
    }

    fn progress(&self) -> Progress {
        let Best { objective, violation, .. } = self.best;
        Progress { objective, lower_bound: self.lower_bound, violation, counts: self.counts }
    }

    fn standing(&self, method: &Adaptive<'_>) -> Standing {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let moved = method.x().iter().zip(method.y()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        Standing {
            stationarity: method.stationarity() / (1.0 + largest(method.slope())),
            movement: moved / (1.0 + largest(method.x())),
            seconds: self.settings.time_limit.map(|_| self.started.elapsed().as_secs_f64()),
        }
    }

    fn report(self, end: End, model: &LowerModel, premise: &Premise) -> Report {
        let certificate = Certificate::new(self.problem, &self.best.x, model, premise).ok();
        Report {
            status: end.status,
            x: self.best.x,
            objective: self.best.objective,
            lower_bound: self.lower_bound,
            violation: self.best.violation,
            multipliers: self.best.multipliers,
            counts: self.counts,
            seconds: self.started.elapsed().as_secs_f64(),
            trouble: end.trouble,
            certificate,
            infeasibility: end.infeasibility,
        }
    }
}
