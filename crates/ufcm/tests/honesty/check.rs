//! One instance solved, and what is claimed of it held against the truth.

use crate::conic::{self, Answer};
use crate::describe::{Growth, Instance, Truth};
use crate::generate::Key;
use crate::generate::mixed::BY_SLIDING;
use crate::solver_form;
use std::time::Instant;
use ufcm::certificate::Premise;
use ufcm::problem::Problem;
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// What is left to rounding in a bound, relative to 1 + |p*|.
const ROUNDING: f64 = 1e-9;
/// An optimum counts as known where it is known to this, relative to 1 + |p*|: a tenth of the tolerance.
const KNOWN: f64 = 1e-7;

pub struct Outcome {
    pub key: Key,
    pub family: &'static str,
    pub size: usize,
    pub report: Report,
    pub complaints: Vec<String>,
    /// Whether the truth is known: from the construction or from the reference.
    pub known: bool,
    /// Whether there is a solution.
    pub solvable: bool,
    /// What the status should be, and whether it is.
    pub expected: &'static str,
    pub reached: bool,
    pub seconds: f64,
}

struct Case<'a> {
    instance: &'a Instance,
    problem: &'a Problem,
    report: &'a Report,
    settings: &'a Settings,
    complaints: Vec<String>,
}

pub fn settings(instance: &Instance) -> Settings {
    // An objective that falls for ever needs no more to be seen.
    let gradients = if instance.truth == Truth::Unbounded { 500 } else { 6_000 };
    let method = if instance.family == BY_SLIDING { MethodRule::Sliding } else { MethodRule::Auto };
    Settings { max_gradients: Some(gradients), threads: Some(1), method, ..Settings::default() }
}

pub fn run(key: Key) -> Outcome {
    let settings = settings(&key.instance());
    run_with(key, settings)
}

pub fn run_with(key: Key, settings: Settings) -> Outcome {
    let instance = key.instance();
    let problem = solver_form::problem_of(&instance);
    let started = Instant::now();
    let report = problem.solve(&settings).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let (problem, answer) = (&problem, conic::answer_of(&instance));
    let mut case =
        Case { instance: &instance, problem, report: &report, settings: &settings, complaints: Vec::new() };
    case.check_point();
    case.check_feasible_point();
    case.check_proofs();
    case.check_status();
    let known = case.check_truth(answer);
    let (expected, reached) = case.expectation();
    let complaints = case.complaints;
    let (family, size) = (instance.family, instance.dimension());
    let solvable = !matches!(instance.truth, Truth::Infeasible | Truth::Unbounded);
    Outcome { key, family, size, report, complaints, known, solvable, expected, reached, seconds }
}

impl Case<'_> {
    fn complain(&mut self, complaint: String) {
        self.complaints.push(complaint);
    }

    /// What is told of the point is true of the point.
    fn check_point(&mut self) {
        let Self { instance, report, settings, .. } = *self;
        let objective = instance.objective_at(&report.x);
        let violation = instance.violation_at(&report.x);
        let outside = instance.domain.violation(&report.x);
        let size = report.x.iter().fold(1.0f64, |size, x| size.max(x.abs()));
        let off = (objective - report.objective).abs();
        if off.is_nan() || off > 1e-11 * (1.0 + objective.abs()) {
            self.complain(format!("objective {:e}, in truth {objective:e}", report.objective));
        }
        let most = instance.most_violated_at(&report.x).max(violation);
        let off = (violation - report.violation).max(report.violation - most).max(0.0);
        if off.is_nan() || off > 1e-11 * (size + violation) {
            self.complain(format!("violation {:e}, in truth {violation:e}", report.violation));
        }
        if outside > 1e-11 * size {
            self.complain(format!("outside X by {outside:e}"));
        }
        if report.status == Status::Certified && violation > settings.eps_feas + 1e-12 {
            self.complain(format!("certified with violation {violation:e}"));
        }
        if report.status == Status::Certified && report.gap() > self.tolerance() {
            self.complain(format!("certified with gap {:e}", report.gap()));
        }
    }

    /// What shows the upper bound is feasible, and shows it.
    fn check_feasible_point(&mut self) {
        let Self { instance, report, .. } = *self;
        let Some(repaired) = &report.feasible else { return };
        let (x, size) = (&repaired.x, repaired.x.iter().fold(1.0f64, |size, x| size.max(x.abs())));
        let outside = instance.violation_at(x).max(instance.domain.violation(x));
        if outside.is_nan() || outside > 1e-10 * size {
            self.complain(format!("the feasible point violates constraints by {outside:e}"));
        }
        let objective = instance.objective_at(x);
        let above = objective - report.upper_bound;
        if above.is_nan() || above > 1e-11 * (1.0 + objective.abs()) {
            self.complain(format!("upper bound {:e}, the point has {objective:e}", report.upper_bound));
        }
    }

    /// Proofs hold without the solver, and prove what is reported.
    fn check_proofs(&mut self) {
        let Self { problem, report, .. } = *self;
        match &report.certificate {
            None if report.lower_bound > f64::NEG_INFINITY => {
                self.complain("a lower bound without a certificate".into());
            }
            None => {}
            Some(certificate) => match certificate.verify(problem) {
                Err(error) => self.complain(format!("the certificate is refused: {error}")),
                Ok(verified) => {
                    let size = report.objective.abs().max(verified.lower.abs());
                    let slack = ROUNDING * (1.0 + size);
                    if report.lower_bound > verified.lower + slack {
                        let (told, proven) = (report.lower_bound, verified.lower);
                        self.complain(format!("lower bound {told:e}, the certificate proves {proven:e}"));
                    }
                }
            },
        }
        if (report.status == Status::Infeasible) != report.infeasibility.is_some() {
            self.complain(format!("{} with proof {:?}", report.status, report.infeasibility));
        }
        if let Some(Err(error)) = report.infeasibility.as_ref().map(|proof| proof.verify(problem)) {
            self.complain(format!("the proof of infeasibility is refused: {error}"));
        }
    }

    /// The status does not contradict the construction.
    fn check_status(&mut self) {
        let status = self.report.status;
        let stopped = matches!(status, Status::IterationLimit | Status::TimeLimit | Status::NumericalError);
        let honest = stopped
            || match self.instance.truth {
                Truth::Infeasible => status == Status::Infeasible,
                Truth::Unbounded => status == Status::Unbounded,
                // Where a bound can be had, nothing less than a proof is a solution.
                _ if self.is_bounded() => status == Status::Certified,
                _ => matches!(status, Status::Certified | Status::Solved),
            };
        if !honest {
            self.complain(format!("{status} cannot be: {:?}", self.instance.truth));
        }
    }

    /// What is told of the optimum is true of the optimum; whether that is known.
    fn check_truth(&mut self, answer: Answer) -> bool {
        let planted = match &self.instance.truth {
            Truth::Minimiser(x) => Some(self.instance.objective_at(x)),
            Truth::Feasible => None,
            hopeless => {
                let contradicts = match answer {
                    Answer::Optimum { .. } => true,
                    Answer::Infeasible => *hopeless != Truth::Infeasible,
                    Answer::Unbounded => *hopeless != Truth::Unbounded,
                    Answer::Unknown => false,
                };
                if contradicts {
                    self.complain(format!("the reference says {answer:?}, the construction {hopeless:?}"));
                }
                return true;
            }
        };
        if let Some(value) = planted {
            self.check_value(value, 0.0);
        }
        match answer {
            Answer::Optimum { value, uncertainty } if uncertainty <= KNOWN * (1.0 + value.abs()) => {
                self.check_value(value, uncertainty);
                let far =
                    |planted: &f64| (planted - value).abs() > uncertainty + ROUNDING * (1.0 + value.abs());
                if let Some(planted) = planted.filter(far) {
                    self.complain(format!("the references differ: {planted:e} and {value:e}"));
                }
                true
            }
            _ => planted.is_some(),
        }
    }

    fn check_value(&mut self, p: f64, uncertainty: f64) {
        let allowance = ROUNDING * (1.0 + p.abs()) + uncertainty;
        let (bound, excess) = (self.report.lower_bound, self.report.objective - p);
        if bound.is_nan() || bound > p + allowance {
            self.complain(format!("lower bound {bound:e} exceeds p* = {p:e} by {:e}", bound - p));
        }
        let upper = self.report.upper_bound;
        if upper.is_nan() || upper < p - allowance {
            self.complain(format!("upper bound {upper:e} is below p* = {p:e} by {:e}", p - upper));
        }
        let status = self.report.status;
        if status == Status::Certified && excess > self.tolerance() + allowance {
            self.complain(format!("certified, yet {excess:e} above p* = {p:e}"));
        }
        // Nothing is proven there, but the point should be near the optimum.
        if status == Status::Solved && excess > 1e-3 * (1.0 + p.abs()) {
            self.complain(format!("solved, yet {excess:e} above p* = {p:e}"));
        }
    }

    /// Whether a lower bound can be had.
    fn is_bounded(&self) -> bool {
        match self.instance.domain.growth() {
            Growth::Fast => true,
            Growth::Norm => {
                let certificate = self.report.certificate.as_ref();
                certificate.is_some_and(|certificate| match &certificate.premise {
                    Premise::None => false,
                    // Ends of some variables alone leave others without any.
                    Premise::ImpliedBounds { lower, upper, .. } => {
                        lower.iter().chain(upper).all(|end| end.is_finite())
                    }
                    _ => true,
                })
            }
            Growth::Flat => false,
        }
    }

    /// What is hoped for, and whether it was reached.
    fn expectation(&self) -> (&'static str, bool) {
        let status = self.report.status;
        match self.instance.truth {
            Truth::Infeasible => ("proven infeasible", status == Status::Infeasible),
            Truth::Unbounded => ("unbounded", status == Status::Unbounded),
            _ if self.is_bounded() => ("certified", status == Status::Certified),
            _ => ("solved", status.is_success()),
        }
    }

    fn tolerance(&self) -> f64 {
        self.settings.eps_abs + self.settings.eps_rel * self.report.objective.abs().max(1.0)
    }
}
