//! The published methods as the loop sees them. Their answer is an average; the rows are evaluated there after every step.
//!
//! The theorems promise (eps, r)-optimality, which can only be checked with a saddle point at hand. So a run ends on what it
//! proves itself: the lower bound of its own linearisations against the objective at the averaged point.

use super::baseline::AcgdS;
use super::seam::{Candidate, Method, Start, Step};
use super::tracer::Tracer;
use super::{Doubling, Restarted, StepError, Ufcm};
use crate::budget::{Activity, Budget};
use crate::certificate::Linearisation;
use crate::method::tuning::RIVAL_PATIENCE;
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::report::Counts;

/// Algorithm 1, Algorithm 2, the doubling schedule, or the special case ACGD-S.
enum Algorithm<'a> {
    Ufcm(Ufcm<'a>),
    Restarted(Restarted<'a>),
    Doubling(Doubling<'a>),
    AcgdS(AcgdS<'a>),
}

impl<'a> Algorithm<'a> {
    /// Algorithm 1, which all are made of.
    fn inner(&self) -> &Ufcm<'a> {
        match self {
            Self::Ufcm(method) => method,
            Self::Restarted(method) => method.method(),
            Self::Doubling(method) => method.method(),
            Self::AcgdS(method) => method.method(),
        }
    }

    fn inner_mut(&mut self) -> &mut Ufcm<'a> {
        match self {
            Self::Ufcm(method) => method,
            Self::Restarted(method) => method.method_mut(),
            Self::Doubling(method) => method.method_mut(),
            Self::AcgdS(method) => method.method_mut(),
        }
    }

    fn step(&mut self) -> Result<(), OracleError> {
        match self {
            Self::Ufcm(method) => method.step(),
            Self::Restarted(method) => method.step(),
            Self::Doubling(method) => method.step().map(|_| ()),
            Self::AcgdS(method) => method.step(),
        }
    }

    /// Executions, or runs of the schedule, that have ended.
    fn restarts(&self) -> usize {
        match self {
            Self::Ufcm(_) | Self::AcgdS(_) => 0,
            Self::Restarted(method) => method.execution(),
            Self::Doubling(method) => method.run(),
        }
    }
}

/// A published method with the rows at its averaged point.
pub struct Published<'a> {
    problem: &'a Problem,
    algorithm: Box<Algorithm<'a>>,
    tracer: Option<Tracer>,
    /// Evaluates the rows at the averaged point.
    mapping: Box<dyn Mapping>,
    row_values: Vec<f64>,
    /// Whether it is doing so.
    at_average: bool,
    gradients: usize,
    /// The gradients after which all is done.
    promised: Option<usize>,
}

impl<'a> Published<'a> {
    /// Algorithm 1.
    #[must_use]
    pub fn ufcm(problem: &'a Problem, method: Ufcm<'a>) -> Self {
        Self::new(problem, Algorithm::Ufcm(method))
    }

    /// Algorithm 2.
    #[must_use]
    pub fn restarted(problem: &'a Problem, method: Restarted<'a>) -> Self {
        Self::new(problem, Algorithm::Restarted(method))
    }

    /// The schedule over L, which has no end of its own.
    #[must_use]
    pub fn doubling(problem: &'a Problem, method: Doubling<'a>) -> Self {
        Self::new(problem, Algorithm::Doubling(method))
    }

    /// Algorithm 1 with the constants of Zhang and Lan.
    #[must_use]
    pub fn acgd_s(problem: &'a Problem, method: AcgdS<'a>) -> Self {
        Self::new(problem, Algorithm::AcgdS(method))
    }

    fn new(problem: &'a Problem, algorithm: Algorithm<'a>) -> Self {
        let (mapping, row_values) = (problem.mapping(), vec![0.0; problem.rows()]);
        let algorithm = Box::new(algorithm);
        let tracer = None;
        Self {
            problem,
            algorithm,
            tracer,
            mapping,
            row_values,
            at_average: false,
            gradients: 0,
            promised: None,
        }
    }

    /// Also writes a trace.
    pub(crate) fn traced(mut self, tracer: Tracer) -> Self {
        if let Some(saddle) = &tracer.saddle {
            self.algorithm.inner_mut().referring_to(saddle.x.clone());
        }
        self.tracer = Some(tracer);
        self
    }

    /// Ends after so many gradients, those that a theorem promises to suffice.
    #[must_use]
    pub fn for_gradients(self, promised: usize) -> Self {
        Self { promised: Some(promised), ..self }
    }
}

impl Method for Published<'_> {
    fn name(&self) -> &'static str {
        match *self.algorithm {
            Algorithm::Ufcm(_) => "ufcm",
            Algorithm::Restarted(_) => "restarted",
            Algorithm::Doubling(_) => "doubling",
            Algorithm::AcgdS(_) => "acgd-s",
        }
    }

    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let (restarts, inner_steps) = (self.algorithm.restarts(), self.algorithm.inner().inner_steps());
        budget.gradient()?;
        budget.doing(Activity::Modelling);
        self.at_average = false;
        self.algorithm.step()?;
        self.gradients += 1;
        self.at_average = true;
        self.mapping.values(self.algorithm.inner().average_x(), &mut self.row_values)?;
        if let Some(tracer) = &self.tracer {
            let place = (self.algorithm.restarts(), self.gradients);
            tracer.write(self.problem, self.algorithm.inner(), place, &self.row_values)?;
        }
        let restarts = self.algorithm.restarts() - restarts;
        let inner = self.algorithm.inner();
        let newton_steps = usize::try_from(inner.inner_steps() - inner_steps).unwrap_or(usize::MAX);
        let counts =
            Counts { gradients: 1, values: 2, newton_steps, restarts, steps: 1, ..Counts::default() };
        let finished = self.promised.is_some_and(|promised| self.gradients >= promised);
        Ok(Step { counts, l: inner.parameters().l_ada, restarted: restarts > 0, finished })
    }

    fn candidate(&self) -> Candidate<'_> {
        let inner = self.algorithm.inner();
        let (x, multipliers) = (inner.average_x(), inner.average_multipliers());
        Candidate { x, row_values: &self.row_values, multipliers, slope: None }
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        Some(self.algorithm.inner().linearisation())
    }

    fn hand_over(&self) -> Start {
        let Candidate { x, multipliers, .. } = self.candidate();
        let l = Some(self.algorithm.inner().parameters().l_ada);
        Start { x: x.to_vec(), multipliers: multipliers.to_vec(), l, metric: None }
    }

    fn last_evaluated(&self) -> &[f64] {
        let inner = self.algorithm.inner();
        if self.at_average { inner.average_x() } else { inner.linearisation().y }
    }

    /// Its theorem tells how long it may take, not its progress; where none does, a run must end all the same.
    fn patience(&self, _steps: usize) -> usize {
        if self.promised.is_some() { usize::MAX } else { RIVAL_PATIENCE }
    }
}
