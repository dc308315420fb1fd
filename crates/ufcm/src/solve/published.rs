//! Runs of the published method, for research: the constants first, by the default method, then the method itself.
//!
//! The theorem promises (eps, r)-optimality, which no one can see without a saddle point. What a run is held to is what it
//! proves itself: the lower bound of its own linearisations beside its averaged point.

use super::incumbent::Candidate;
use super::{End, MINORANTS, Observer, Run};
use crate::certificate::{Floor, LowerModel, Premise};
use crate::error::{DataError, DataProblem};
use crate::method::{RestartPlan, Restarted, SetupError, StepError, Ufcm, UfcmParameters};
use crate::oracle::{Mapping, OracleError};
use crate::report::{Control, Prelude, Progress, Record, Report, Status};
use crate::settings::{MethodRule, MetricRule, Settings};
use crate::solve::stopping::{self, Standing};
use crate::theory::promise::{Balance, Distances};
use crate::theory::{Plan, Start};

/// What errors call it.
const KIND: &str = "the published method";
/// The part of the tolerance to which the solution is found that the constants speak of, ...
const FINER: f64 = 0.1;
/// ... and the relative tolerance that will do in any case.
const FINE: f64 = 1e-6;

/// Algorithm 1 or 2.
enum Published<'a> {
    Ufcm(Box<Ufcm<'a>>),
    Restarted(Box<Restarted<'a>>),
}

impl<'a> Published<'a> {
    /// Algorithm 1, which both are made of.
    fn inner(&self) -> &Ufcm<'a> {
        match self {
            Self::Ufcm(method) => method,
            Self::Restarted(method) => method.method(),
        }
    }

    fn step_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, OracleError> {
        match self {
            Self::Ufcm(method) => method.step_unless(stop),
            Self::Restarted(method) => method.step_unless(stop),
        }
    }

    fn restarts(&self) -> usize {
        match self {
            Self::Ufcm(_) => 0,
            Self::Restarted(method) => method.execution(),
        }
    }
}

struct Workings<'a, 'p> {
    method: Published<'a>,
    /// The gradients that the theorem promises to suffice.
    promised: usize,
    model: LowerModel,
    floor: Floor<'p>,
    /// Evaluates the rows at the averaged point, where the method does not.
    mapping: Box<dyn Mapping>,
    /// Whether it is doing so.
    at_average: bool,
}

impl<'a> Run<'a> {
    pub(super) fn drive_published(mut self, observer: Observer<'_>) -> Result<Report, DataError> {
        let premise = self.premise()?;
        let model = LowerModel::new(self.problem, MINORANTS)?;
        let solution = self.find_solution(observer)?;
        let (counts, seconds) = (solution.counts, solution.seconds);
        self.prelude = Some(Prelude { counts, seconds, promised: None });
        if matches!(solution.status, Status::TimeLimit | Status::Interrupted) {
            return Ok(self.report(End::new(solution.status), &model, &premise, None));
        }
        let (method, promised) = self.published(&solution)?;
        self.prelude = Some(Prelude { counts, seconds, promised: Some(promised) });
        let floor = Floor::new(self.problem, &premise);
        let mapping = self.problem.mapping();
        let mut workings = Workings { method, promised, model, floor, mapping, at_average: false };
        let end = loop {
            match self.advance_published(&mut workings, &premise, observer) {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => {
                    let method = workings.method.inner();
                    let point =
                        if workings.at_average { method.average_x() } else { method.linearisation().y };
                    let fault = self.fault(&error, point);
                    break End { fault, ..End::trouble(&error) };
                }
            }
        };
        let jacobian = workings.method.inner().linearisation().mapping;
        Ok(self.report(end, &workings.model, &premise, Some(jacobian)))
    }

    /// The solve that the constants are taken from. What is no solution is an error, but for runs that were stopped.
    fn find_solution(&self, observer: Observer<'_>) -> Result<Report, DataError> {
        let settings = Settings {
            eps_rel: (FINER * self.settings.eps_rel).min(FINE),
            eps_abs: FINER * self.settings.eps_abs,
            max_gradients: None,
            method: MethodRule::Auto,
            metric: MetricRule::Auto,
            ..self.settings.clone()
        };
        let solution = Run::start(self.problem, &settings)?
            .drive(&mut |progress: &Progress<'_>| observer(&Progress { prelude: true, ..*progress }))?;
        match solution.status {
            Status::Certified | Status::Solved | Status::TimeLimit | Status::Interrupted => Ok(solution),
            status => {
                Err(DataError::new(KIND, DataProblem::NoSolution { status, trouble: solution.trouble }))
            }
        }
    }

    /// The method with the constants of `solution`, and the gradients that are promised to suffice.
    fn published(&mut self, solution: &Report) -> Result<(Published<'a>, usize), DataError> {
        let problem = self.problem;
        let accuracy = (self.settings.gap_tolerance(solution.objective).min(1.0), self.settings.eps_feas);
        let failed = |error: OracleError| DataError::oracle("starting point", error);
        let given = self.settings.multipliers0.clone();
        let start = Start::at(problem, self.start.0.clone(), given).map_err(failed)?;
        let plan =
            Plan::from_start(problem, solution, &start, accuracy).map_err(|error| error.refusing(KIND))?;
        if plan.l_ada == 0.0 {
            let message = "all rows are affine: L_ADA is 0, and its step sizes divide by it (primal-dual is made for them)";
            return Err(refusal(message));
        }
        let Distances { d_x, d_lambda, .. } = plan.at;
        if self.settings.method == MethodRule::Restarted {
            let Plan { eps, l_ada, mu_ada, l_h, executions, .. } = plan;
            let plan = RestartPlan::new(l_ada, mu_ada, l_h, eps, (d_x, d_lambda), executions)?;
            let promised = plan.gradients();
            let method = Restarted::new(problem, &start.x, &start.multipliers, plan);
            let method = method.map_err(|error| match error {
                SetupError::Data(error) => error,
                SetupError::Oracle(error) => failed(error),
            })?;
            return Ok((Published::Restarted(Box::new(method)), promised));
        }
        let l_ada = plan.l_ada_plain;
        let promised = plan.ufcm.gradients.ceil().max(1.0) as usize;
        let parameters = UfcmParameters { l_ada, balance: Balance::with_distances(l_ada, d_x, d_lambda) };
        let method = Ufcm::new(problem, &start.x, &start.multipliers, parameters)?;
        Ok((Published::Ufcm(Box::new(method)), promised))
    }

    /// A step of the method with all that follows from it; how the run ends, if it does.
    fn advance_published(
        &mut self,
        workings: &mut Workings<'_, '_>,
        premise: &Premise,
        observer: Observer<'_>,
    ) -> Result<Option<End>, StepError> {
        if self.is_at_a_limit(self.counts.gradients) {
            return Ok(Some(End::new(Status::TimeLimit)));
        }
        let Some(record) = self.step_published(workings)? else {
            return Ok(Some(End::new(Status::TimeLimit)));
        };
        let multipliers = workings.method.inner().multipliers();
        let progress =
            Progress { record, x: &self.best.x, multipliers, row_values: &self.row_values, prelude: false };
        if observer(&progress) == Control::Stop {
            return Ok(Some(End::new(Status::Interrupted)));
        }
        // The method has no test of stationarity: what is not proven is not solved.
        let (stationarity, movement) = (f64::INFINITY, f64::INFINITY);
        let seconds = self.settings.time_limit.map(|_| self.seconds());
        let standing = Standing { stationarity, movement, premised: *premise != Premise::None, seconds };
        let spent = self.counts.gradients >= workings.promised;
        let status = stopping::decide(self.settings, &record, &standing);
        Ok(status.or(spent.then_some(Status::IterationLimit)).map(End::new))
    }

    /// A step with its bound; `None` where time was up within it.
    fn step_published(&mut self, workings: &mut Workings<'_, '_>) -> Result<Option<Record>, StepError> {
        let Workings { method, model, floor, mapping, at_average, .. } = workings;
        let (settings, restarts) = (self.settings, method.restarts());
        let finished =
            method.step_unless(&|| settings.time_limit.is_some_and(|limit| self.seconds() >= limit))?;
        let inner = method.inner();
        self.counts.gradients += 1;
        self.counts.values += 1;
        self.counts.newton_steps = usize::try_from(inner.inner_steps()).unwrap_or(usize::MAX);
        self.counts.restarts = method.restarts();
        if !finished {
            return Ok(None);
        }
        self.counts.steps += 1;
        model.push(&inner.linearisation())?;
        *at_average = true;
        mapping.values(inner.average_x(), &mut self.row_values)?;
        *at_average = false;
        self.counts.values += 1;
        let worthwhile = self.best.charged + settings.gap_tolerance(self.best.objective);
        self.lower_bound = model.bound(floor, worthwhile);
        let (x, multipliers) = (inner.average_x(), inner.average_multipliers());
        let candidate = Candidate { x, row_values: &self.row_values, multipliers };
        self.best.offer(self.problem, settings, self.lower_bound, &candidate);
        self.interior.offer(self.problem, x, &self.row_values);
        let record = self.record(inner.parameters().l_ada, method.restarts() > restarts);
        self.history.push(record);
        self.last = Some(record);
        Ok(Some(record))
    }
}

fn refusal(why: impl Into<String>) -> DataError {
    DataError::structure(KIND, why)
}
