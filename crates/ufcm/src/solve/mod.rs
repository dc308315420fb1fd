//! The only loop over steps: step, bounds, observer, stopping, in that order.

mod aside;
mod history;
mod incumbent;
mod inward;
mod patience;
mod polish;
mod primal_dual;
mod published;
mod rays;
pub(crate) mod stopping;

use crate::certificate::{
    Certificate, Floor, Infeasibility, Linearisation, LowerModel, Premise, Witness, may_separate, own_floor,
    own_multipliers,
};
use crate::error::DataError;
use crate::method::{Adaptive, AdaptiveParameters, StepError};
use crate::metric::{CurvatureMetric, Metric};
use crate::oracle::{Composer, Mapping, OracleError, Weight};
use crate::problem::Problem;
use crate::report::{Control, Counts, Fault, Prelude, Progress, Record, Report, Status};
use crate::settings::{MethodRule, MetricRule, Settings};
use history::History;
use incumbent::{Candidate, Incumbent, Interior};
use patience::{PATIENCE, Patience};
use rays::premises_near;
use std::ops::Range;
use std::time::Instant;
use stopping::Standing;

/// Minorants kept for the lower bound.
const MINORANTS: usize = 20;
/// Steps between two attempts to prove that the constraints cannot be met.
const INFEASIBILITY_STEPS: usize = 10;
/// What the plain residual may be, in units of the tolerance: x, y and z differ by as much.
const STATIONARITY_ROOM: f64 = 10.0;
/// r of the test.
const MULTIPLIER_SLACK: f64 = 1e-2;

type Observer<'o> = &'o mut (dyn FnMut(&Progress<'_>) -> Control + Send);

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
        settings.validate_for(self)?;
        let Some(threads) = settings.threads else { return Run::start(self, settings)?.drive(observer) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| DataError::structure("settings", format!("threads: {error}")))?;
        pool.install(|| Run::start(self, settings)?.drive(observer))
    }

    /// What stands in the objective at a point with these row values: constraints are left aside.
    fn objective_part(&self, row_values: &[f64]) -> f64 {
        let part = |(rows, composer): (Range<usize>, &dyn Composer)| {
            if composer.is_constraint() { 0.0 } else { composer.value(&row_values[rows]) }
        };
        self.parts().map(part).sum()
    }
}

/// How a run ends.
struct End {
    status: Status,
    trouble: Option<String>,
    fault: Option<Fault>,
    infeasibility: Option<Infeasibility>,
    /// Whether the bounds found before no longer hold.
    bounds_void: bool,
}

impl End {
    fn new(status: Status) -> Self {
        Self { status, trouble: None, fault: None, infeasibility: None, bounds_void: false }
    }

    fn infeasible(proof: Infeasibility) -> Self {
        Self { infeasibility: Some(proof), ..Self::new(Status::Infeasible) }
    }

    /// A feasible point lies below the lower bound.
    fn contradiction(premise: &Premise) -> Self {
        let trouble = match premise {
            Premise::Radius { radius, .. } => format!(
                "the radius is too small: a feasible point has a lower objective than any within {radius:e} of the given point"
            ),
            _ => "a feasible point lies below the lower bound: a component is not convex or its gradient is wrong; \
                  run the audit"
                .to_owned(),
        };
        Self { trouble: Some(trouble), ..Self::new(Status::NumericalError) }
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
    /// What components and u say of themselves; it only counts where it is enough.
    own_floor: f64,
    best: Incumbent,
    /// Where the run was when it was last asked whether it runs away.
    last_look: Vec<f64>,
    interior: Interior,
    counts: Counts,
    patience: Patience,
    history: History,
    last: Option<Record>,
    /// Row values of a point that is looked at besides the method's own.
    row_values: Vec<f64>,
    /// What came before, with a published method.
    prelude: Option<Prelude>,
}

/// What the steps of a run work on.
struct Workings<'a, 'p> {
    method: Adaptive<'a>,
    model: LowerModel,
    floor: Floor<'p>,
}

impl<'a> Run<'a> {
    fn start(problem: &'a Problem, settings: &'a Settings) -> Result<Self, DataError> {
        let started = Instant::now();
        let (n, m) = (problem.dimension(), problem.rows());
        let failed = |error: OracleError| DataError::structure("starting point", error.to_string());
        let mut x = settings.x0.clone().unwrap_or_else(|| vec![0.0; n]);
        // Into X; a point that is there already stays where it is.
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x).map_err(failed)?;
        }
        let (mut row_values, mut interior) = (vec![0.0; m], Interior::none());
        let mut counts = Counts::default();
        if let Some(inside) = &settings.interior {
            problem.mapping().values(inside, &mut row_values).map_err(failed)?;
            interior.offer(problem, inside, &row_values);
            counts.values += 1;
        }
        problem.mapping().values(&x, &mut row_values).map_err(failed)?;
        counts.values += 1;
        interior.offer(problem, &x, &row_values);
        let multipliers = settings.multipliers0.clone().unwrap_or_else(|| {
            let mut multipliers = vec![0.0; m];
            problem.composer().multipliers_at(&row_values, &mut multipliers);
            multipliers
        });
        let candidate = Candidate { x: &x, row_values: &row_values, multipliers: &multipliers };
        let best = Incumbent::new(problem, &candidate);
        let last_look = x.clone();
        let start = (x, multipliers);
        Ok(Self {
            problem,
            settings,
            started,
            start,
            lower_bound: f64::NEG_INFINITY,
            own_floor: own_floor(problem),
            best,
            last_look,
            interior,
            counts,
            patience: Patience::new(),
            history: History::new(),
            last: None,
            row_values,
            prelude: None,
        })
    }

    fn drive(mut self, observer: Observer<'_>) -> Result<Report, DataError> {
        if matches!(self.settings.method, MethodRule::Ufcm | MethodRule::Restarted) {
            return self.drive_published(observer);
        }
        if self.is_primal_dual() {
            return self.drive_primal_dual(observer);
        }
        let premise = self.premise()?;
        let may_change_over = self.may_change_over();
        let mut workings = Workings {
            method: self.method()?,
            model: LowerModel::new(self.problem, MINORANTS)?,
            floor: Floor::new(self.problem, &premise),
        };
        let end = loop {
            match self.advance(&mut workings, &premise, observer) {
                Ok(None) if may_change_over && self.patience.has_stalled() => {
                    self.start = (self.best.x.clone(), self.best.multipliers.clone());
                    return self.drive_primal_dual(observer);
                }
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => {
                    let fault = self.fault(&error, workings.method.last_evaluated());
                    break End { fault, ..End::trouble(&error) };
                }
            }
        };
        let mut model = workings.model;
        if end.bounds_void {
            // What was proven rested on convexity.
            self.lower_bound = f64::NEG_INFINITY;
            model = LowerModel::new(self.problem, MINORANTS)?;
        }
        Ok(self.report(end, &model, &premise, Some(workings.method.linearisation().mapping)))
    }

    fn method(&self) -> Result<Adaptive<'a>, DataError> {
        let eps = self.patience.slack(self.settings, self.best.objective);
        let parameters = AdaptiveParameters { eps, r: MULTIPLIER_SLACK, l: 1.0 };
        let start = |metric| {
            let method = Adaptive::new(self.problem, &self.start.0, &self.start.1, parameters, metric)?;
            Ok(if self.settings.method == MethodRule::Sliding { method.sliding() } else { method })
        };
        let failed = |error: OracleError| DataError::structure("starting point", error.to_string());
        let unavailable =
            |what: &str| DataError::structure("settings", format!("metric: a curved row has no {what}"));
        match self.settings.metric {
            MetricRule::Auto => Ok(start(Adaptive::first_metric(self.problem))?.choosing_its_metric()),
            MetricRule::Scalar => start(Metric::Scalar),
            MetricRule::Hints => start(Metric::from_hints(self.problem)),
            MetricRule::Damped => start(Metric::from_damped_hints(self.problem)),
            MetricRule::Curvature if CurvatureMetric::is_available(self.problem) => {
                start(Metric::Scalar)?.with_curvature().map_err(failed)
            }
            MetricRule::LowRank if CurvatureMetric::has_products(self.problem) => {
                start(Metric::Scalar)?.with_low_rank().map_err(failed)
            }
            MetricRule::QuasiNewton => Ok(start(Metric::Scalar)?.with_quasi_newton()),
            MetricRule::Curvature => Err(unavailable("second derivatives")),
            MetricRule::LowRank => Err(unavailable("products with its second derivatives")),
        }
    }

    /// One step with all that follows from it; how the run ends, if it does.
    fn advance(
        &mut self,
        workings: &mut Workings<'_, '_>,
        premise: &Premise,
        observer: Observer<'_>,
    ) -> Result<Option<End>, StepError> {
        let Some(record) = self.step(workings)? else {
            let out_of_time = self.settings.time_limit.is_some_and(|limit| self.seconds() >= limit);
            let status = if out_of_time { Status::TimeLimit } else { Status::IterationLimit };
            return Ok(Some(End::new(status)));
        };
        let method = &workings.method;
        let (multipliers, row_values) = (method.multipliers(), method.row_values());
        let progress = Progress { record, x: &self.best.x, multipliers, row_values, prelude: false };
        if observer(&progress) == Control::Stop {
            return Ok(Some(End::new(Status::Interrupted)));
        }
        if let Some(proof) = self.prove_infeasible(method, premise) {
            return Ok(Some(End::infeasible(proof)));
        }
        match stopping::decide(self.settings, &record, &self.standing(method, premise)) {
            Some(Status::Solved) => {
                // What is stationary is the last point, with the last multipliers: it must hold the constraints, too.
                let candidate = Candidate { x: method.x(), row_values, multipliers };
                if self.is_stationary(method)? && self.best.settle(self.problem, self.settings, &candidate) {
                    return Ok(Some(End::new(Status::Solved)));
                }
            }
            Some(status) => return Ok(Some(End::new(status))),
            None => {}
        }
        if self.runs_away(premise) {
            return Ok(Some(End::new(Status::Unbounded)));
        }
        if self.patience.is_exhausted() {
            let trouble =
                format!("no improvement in {PATIENCE} steps: the tolerance may be out of reach of rounding");
            return Ok(Some(End { trouble: Some(trouble), ..End::new(Status::NumericalError) }));
        }
        Ok(None)
    }

    /// A step of the method with its bound; `None` where a limit was met before it was done.
    fn step(&mut self, workings: &mut Workings<'_, '_>) -> Result<Option<Record>, StepError> {
        let Workings { method, model, floor } = workings;
        let (settings, before) = (self.settings, self.counts.gradients);
        let stop = |gradients: usize| self.is_at_a_limit(before + gradients);
        let step = match method.step_unless(&stop) {
            Err(StepError::Stopped { gradients }) => {
                self.counts.gradients += gradients;
                self.counts.values += gradients;
                return Ok(None);
            }
            outcome => outcome?,
        };
        self.counts.gradients += step.gradients;
        self.counts.values += step.gradients;
        self.counts.newton_steps += step.newton_steps;
        self.counts.hessians += step.hessians;
        self.counts.hessian_products += step.hessian_products;
        self.counts.restarts += usize::from(step.restarted);
        self.counts.steps += 1;
        model.push(&method.linearisation())?;
        let worthwhile = self.best.charged + settings.gap_tolerance(self.best.objective);
        self.lower_bound = model.bound(floor, worthwhile);
        let (x, row_values, multipliers) = (method.x(), method.row_values(), method.multipliers());
        let candidate = Candidate { x, row_values, multipliers };
        self.best.offer(self.problem, settings, self.lower_bound, &candidate);
        if self.best.objective - self.own_floor <= settings.gap_tolerance(self.best.objective) {
            self.lower_bound = self.lower_bound.max(self.own_floor);
        }
        self.interior.offer(self.problem, x, row_values);
        self.patience.note(self.best.standing(settings, self.lower_bound));
        if self.patience.is_time_for_a_change() {
            self.look_at_z(method)?;
        }
        if self.patience.is_time_for_another_metric() {
            method.try_harder();
        }
        method.set_eps(self.patience.slack(settings, self.best.objective));
        let record = self.record(step.l, step.restarted);
        self.history.push(record);
        self.last = Some(record);
        Ok(Some(record))
    }

    /// Where nothing improves, x_bar may trail z, which stands at a kink or a vertex already.
    fn look_at_z(&mut self, method: &mut Adaptive<'_>) -> Result<(), OracleError> {
        method.values_at_z(&mut self.row_values)?;
        self.counts.values += 1;
        let (x, multipliers) = (method.z(), method.multipliers());
        let candidate = Candidate { x, row_values: &self.row_values, multipliers };
        if self.best.offer(self.problem, self.settings, self.lower_bound, &candidate) {
            method.restart_at_z(&self.row_values);
        }
        Ok(())
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

    /// A proof from the step's multipliers, those of the objective set to 0, that no point satisfies the constraints. It is
    /// only looked for now and then, and where the best point violates them.
    fn prove_infeasible(&mut self, method: &Adaptive<'_>, premise: &Premise) -> Option<Infeasibility> {
        let due = self.counts.steps.is_multiple_of(INFEASIBILITY_STEPS);
        if !due || self.best.violation <= self.settings.eps_feas {
            return None;
        }
        let mut multipliers = method.multipliers().to_vec();
        for (rows, composer) in self.problem.parts() {
            // Only constraints can be infinite, and only their multipliers can prove anything.
            if !composer.is_constraint()
                || composer.domain_distance(&method.row_values()[rows.clone()]) == 0.0
            {
                multipliers[rows].fill(0.0);
            }
        }
        let size = multipliers.iter().map(|l| l.abs()).sum::<f64>();
        (size > 0.0).then_some(())?;
        multipliers.iter_mut().for_each(|l| *l /= size);
        for premise in premises_near(method.y(), premise) {
            let at = Linearisation { multipliers: &multipliers, ..method.linearisation() };
            if may_separate(self.problem, &premise, &at) {
                // The proof is checked from the oracles alone.
                self.counts.gradients += 1;
                let (y, multipliers) = (method.y().to_vec(), multipliers.clone());
                let proof =
                    Infeasibility { premise, witnesses: vec![Witness { weight: 1.0, y, multipliers }] };
                if proof.verify(self.problem).is_ok() {
                    return Some(proof);
                }
            }
        }
        None
    }

    /// Whether x = prox_u(x - J'l) but for the tolerance, by a prox in the plain norm: whatever the metric of the step, and
    /// however far out x is.
    fn is_stationary(&mut self, method: &Adaptive<'_>) -> Result<bool, OracleError> {
        let mut moved: Vec<f64> = method.x().iter().zip(method.slope()).map(|(x, s)| x - s).collect();
        self.problem.regulariser().prox(Weight::scalar(1.0), &mut moved)?;
        let residual = moved.iter().zip(method.x()).map(|(w, x)| (w - x).abs()).fold(0.0, f64::max);
        let size = method.slope().iter().fold(1.0f64, |size, s| size.max(s.abs()));
        // So far out that x no longer feels the slope, nothing can be told.
        let rounding = f64::EPSILON * method.x().iter().fold(0.0f64, |size, x| size.max(x.abs()));
        Ok(residual.max(rounding) <= STATIONARITY_ROOM * self.settings.eps_rel * size)
    }

    /// Which row failed, when and where.
    fn fault(&self, error: &StepError, point: &[f64]) -> Option<Fault> {
        let row = self.problem.row_names()[error.row()?].clone();
        Some(Fault { row, step: self.counts.steps + 1, point: point.to_vec() })
    }

    /// Whether a limit of the user forbids another gradient after so many.
    fn is_at_a_limit(&self, gradients: usize) -> bool {
        self.settings.max_gradients.is_some_and(|most| gradients >= most)
            || self.settings.time_limit.is_some_and(|limit| self.seconds() >= limit)
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn record(&self, l: f64, restarted: bool) -> Record {
        Record {
            seconds: self.seconds(),
            objective: self.best.objective,
            lower_bound: self.lower_bound,
            violation: self.best.violation,
            l,
            restarted,
            counts: self.counts,
        }
    }

    fn standing(&self, method: &Adaptive<'_>, premise: &Premise) -> Standing {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        Standing {
            stationarity: method.stationarity() / (1.0 + largest(method.slope())),
            movement: method.spread() / (1.0 + largest(method.x())),
            premised: *premise != Premise::None,
            seconds: self.settings.time_limit.map(|_| self.seconds()),
        }
    }

    /// What came of the run; `jacobian` is that of the last step, if there was one.
    fn report(
        mut self,
        mut end: End,
        model: &LowerModel,
        premise: &Premise,
        jacobian: Option<&dyn Mapping>,
    ) -> Report {
        let by_own_floor = self.lower_bound == self.own_floor && self.own_floor > model.lower();
        let mut certificate = if by_own_floor {
            Certificate::of_own_floor(self.problem, &self.best.x)
        } else {
            Certificate::new(self.problem, &self.best.x, model, premise)
        }
        .ok();
        self.counts.values += 1;
        let feasible = self.made_feasible(&end, jacobian);
        let upper_bound = match (&feasible, &certificate) {
            (Some(repaired), _) => repaired.upper.objective + repaired.upper.rounding,
            (None, Some(certificate)) if self.best.violation == 0.0 => certificate.upper,
            _ => f64::INFINITY,
        };
        let disproven = end.infeasibility.is_some() && upper_bound < f64::INFINITY;
        if disproven || upper_bound < self.lower_bound - self.settings.gap_tolerance(upper_bound) {
            end = End::contradiction(premise);
            (self.lower_bound, certificate) = (f64::NEG_INFINITY, None);
        }
        let seconds = self.seconds();
        // What is solved without a proof is so with the multipliers of its own step.
        let proven = match end.status {
            Status::Solved => None,
            _ if by_own_floor => own_multipliers(self.problem),
            _ => proven_multipliers(model),
        };
        let multipliers = proven.unwrap_or(self.best.multipliers);
        Report {
            status: end.status,
            x: self.best.x,
            objective: self.best.objective,
            lower_bound: self.lower_bound,
            upper_bound,
            violation: self.best.violation,
            feasible,
            multipliers,
            counts: self.counts,
            prelude: self.prelude,
            seconds,
            history: self.history.finish(self.last),
            trouble: end.trouble,
            fault: end.fault,
            certificate,
            infeasibility: end.infeasibility,
        }
    }
}

/// The multipliers behind the lower bound: the dual solution that belongs to it, up to the gap.
fn proven_multipliers(model: &LowerModel) -> Option<Vec<f64>> {
    let witnesses = model.witnesses();
    let mut sum = vec![0.0; witnesses.first()?.multipliers.len()];
    for witness in &witnesses {
        sum.iter_mut().zip(&witness.multipliers).for_each(|(sum, l)| *sum += witness.weight * l);
    }
    Some(sum)
}
