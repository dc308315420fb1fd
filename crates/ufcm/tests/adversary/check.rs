//! One problem solved, and everything that is said of it held against what is true.

use crate::conic::{self, Answer};
use crate::describe::{BlockRows, Component, Curve, Instance};
use crate::family::{Case, Reference};
use crate::solver_form;
use clarabel::solver::DefaultSettings;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use ufcm::problem::Problem;
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// How far a success may be from the optimum, relative to the objective's own size.
const ACCURACY: f64 = 1e-5;
/// What is left to rounding in a bound, in the same way.
const ROUNDING: f64 = 1e-9;
/// Seconds, for every run.
const LIMIT: f64 = 10.0;

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Certified,
    Solved,
    Infeasible,
    Unbounded,
    /// A lower bound above the optimum, or an upper bound below it.
    Bound,
    /// What is reported of the point is not true of the point.
    Point,
    /// A certificate or proof that the verifier refuses, or none where one is claimed.
    Proof,
    Panic,
    /// More than 10 s with at most 50 variables.
    Slow,
    /// Two forms of one problem are answered differently.
    Twins,
    /// One of two forms of a problem is answered, the other not.
    GaveUp,
    /// Clarabel solves it as it is, with its default settings; this solver does not.
    NotSolved,
}

/// How a run ended, as far as two runs must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Success,
    Infeasible,
    Unbounded,
    Other,
}

pub struct Run {
    /// The status by name, or how there was none.
    pub status: String,
    pub class: Class,
    pub report: Option<Report>,
    pub seconds: f64,
    pub faults: Vec<(Fault, String)>,
}

fn settings() -> Settings {
    let asked = std::env::var("UFCM_METHOD").ok().map(|name| MethodRule::from_name(&name).unwrap());
    let method = asked.unwrap_or_default();
    Settings { time_limit: Some(LIMIT), threads: Some(1), method, ..Settings::default() }
}

pub fn run(case: &Case) -> Run {
    let settings = settings();
    let started = Instant::now();
    let solved = catch_unwind(AssertUnwindSafe(|| {
        let problem = solver_form::problem_of(&case.instance);
        let report = problem.solve(&settings);
        (problem, report)
    }));
    let seconds = started.elapsed().as_secs_f64();
    let mut run =
        Run { status: String::new(), class: Class::Other, report: None, seconds, faults: Vec::new() };
    // Those that the limit stopped count too.
    if seconds > 0.999 * LIMIT && case.instance.dimension() <= 50 {
        run.faults.push((Fault::Slow, format!("{seconds:.1} s")));
    }
    match solved {
        Err(_) => {
            run.status = "panic".into();
            run.faults.push((Fault::Panic, crate::hush::last_panic()));
        }
        Ok((_, Err(error))) => {
            run.status = "error".into();
            run.faults.push((Fault::Panic, format!("the solve is refused: {error}")));
        }
        Ok((problem, Ok(report))) => {
            run.status = report.status.to_string();
            run.class = class(report.status);
            let mut check = Check { case, problem: &problem, report: &report, settings, faults: Vec::new() };
            check.all();
            run.faults.append(&mut check.faults);
            run.report = Some(report);
        }
    }
    if !case.reference.is_settled_by(run.class) && clarabel_settles(case) {
        let told = run.report.as_ref().map_or(String::new(), |r| {
            format!(", objective {:e}, violation {:e}, {}", r.objective, r.violation, r.meaning())
        });
        run.faults.push((Fault::NotSolved, format!("{} after {seconds:.2} s{told}", run.status)));
    }
    run
}

fn class(status: Status) -> Class {
    match status {
        status if status.is_success() => Class::Success,
        Status::Infeasible => Class::Infeasible,
        Status::Unbounded => Class::Unbounded,
        _ => Class::Other,
    }
}

impl Reference {
    /// Whether such an end settles the problem. One that is infeasible by less than the tolerance has points to call
    /// solutions.
    fn is_settled_by(self, class: Class) -> bool {
        match self {
            Self::Optimum { .. } => class == Class::Success,
            Self::Infeasible => matches!(class, Class::Infeasible | Class::Success),
            Self::Unbounded => class == Class::Unbounded,
            Self::Unknown => true,
        }
    }
}

/// Whether Clarabel, with its default settings, settles the problem in the units that the solver got.
pub fn clarabel_settles(case: &Case) -> bool {
    let program = conic::program_of(&case.instance);
    let (p, a, b) = program.matrices();
    let answer = catch_unwind(|| program.attempt(DefaultSettings::default(), (&p, &a, &b)));
    match (answer.unwrap_or(Answer::Unknown), case.reference) {
        (Answer::Optimum { value, .. }, Reference::Optimum { value: p, .. }) => {
            (value - p).abs() <= ACCURACY * case.scale.max(p.abs())
        }
        (Answer::Infeasible, Reference::Infeasible) => true,
        (Answer::Unbounded, Reference::Unbounded) => true,
        _ => false,
    }
}

struct Check<'a> {
    case: &'a Case,
    problem: &'a Problem,
    report: &'a Report,
    settings: Settings,
    faults: Vec<(Fault, String)>,
}

impl Check<'_> {
    fn complain(&mut self, fault: Fault, what: String) {
        self.faults.push((fault, what));
    }

    fn all(&mut self) {
        self.check_point();
        self.check_proofs();
        self.check_success();
        self.check_bounds();
        self.check_status();
    }

    /// The objective's own size.
    fn size(&self) -> f64 {
        let value = match self.case.reference {
            Reference::Optimum { value, .. } => value,
            _ => self.report.objective,
        };
        self.case.scale.max(value.abs())
    }

    /// What is told of the point is true of the point.
    fn check_point(&mut self) {
        let (instance, report) = (&self.case.instance, self.report);
        let (objective, violation) = (instance.objective_at(&report.x), instance.violation_at(&report.x));
        let outside = instance.domain.violation(&report.x);
        let terms = objective_terms(instance, &report.x);
        if wrong((objective - report.objective).abs(), 1e-12 * terms + ROUNDING * self.size()) {
            self.complain(Fault::Point, format!("objective {:e}, in truth {objective:e}", report.objective));
        }
        if wrong((violation - report.violation).abs(), rounding(instance, &report.x) + 1e-9 * violation) {
            self.complain(Fault::Point, format!("violation {:e}, in truth {violation:e}", report.violation));
        }
        let reach = report.x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        if wrong(outside, 1e-9 * reach) {
            self.complain(Fault::Point, format!("outside X by {outside:e}, |x| {reach:e}"));
        }
    }

    /// Proofs hold without the solver, and prove what is reported.
    fn check_proofs(&mut self) {
        let (problem, report) = (self.problem, self.report);
        let verified =
            report.certificate.as_ref().map(|c| catch_unwind(AssertUnwindSafe(|| c.verify(problem))));
        match verified {
            None if report.lower_bound > f64::NEG_INFINITY => {
                self.complain(Fault::Proof, "a lower bound without a certificate".into());
            }
            None => {}
            Some(Err(_)) => self.complain(Fault::Panic, format!("in verify: {}", crate::hush::last_panic())),
            Some(Ok(Err(error))) => self.complain(Fault::Proof, format!("certificate refused: {error}")),
            Some(Ok(Ok(verified))) => {
                let slack = ROUNDING * self.size().max(verified.lower.abs());
                if report.lower_bound > verified.lower + slack {
                    let (told, proven) = (report.lower_bound, verified.lower);
                    self.complain(Fault::Proof, format!("lower bound {told:e}, proven is {proven:e}"));
                }
            }
        }
        if (report.status == Status::Infeasible) != report.infeasibility.is_some() {
            self.complain(Fault::Proof, format!("{} with or without a proof", report.status));
        }
        if let Some(Err(error)) = report.infeasibility.as_ref().map(|proof| proof.verify(problem)) {
            self.complain(Fault::Proof, format!("proof of infeasibility refused: {error}"));
        }
    }

    /// A success has a small violation and an objective near the optimum, from both sides.
    fn check_success(&mut self) {
        let fault = match self.report.status {
            Status::Certified => Fault::Certified,
            status if status.is_success() => Fault::Solved,
            _ => return,
        };
        let (instance, report) = (&self.case.instance, self.report);
        let violation = instance.violation_at(&report.x);
        if wrong(violation, self.settings.eps_feas + rounding(instance, &report.x)) {
            self.complain(fault, format!("violation {violation:e}"));
        }
        let (objective, size) = (report.objective, self.size());
        // Below the unit that the report tells, the tolerance is absolute.
        let room = (ACCURACY * size).max(1.01 * self.settings.eps_rel * report.unit);
        if fault == Fault::Certified && wrong((objective - report.lower_bound).abs(), room) {
            let bound = report.lower_bound;
            self.complain(fault, format!("objective {objective:e}, lower bound {bound:e}, size {size:e}"));
        }
        if let Reference::Optimum { value, uncertainty } = self.case.reference
            && wrong((objective - value).abs(), room + uncertainty)
        {
            let off = (objective - value) / size;
            let text = format!("objective {objective:e}, optimum {value:e}: off by {off:e} of its size");
            self.complain(fault, format!("{text}, violation {violation:e}"));
        }
        if self.case.reference == Reference::Unbounded {
            self.complain(fault, format!("objective {objective:e}, in truth unbounded"));
        }
    }

    fn check_bounds(&mut self) {
        let (lower, upper) = (self.report.lower_bound, self.report.upper_bound);
        match self.case.reference {
            Reference::Optimum { value, uncertainty } => {
                // Clarabel's own estimate of it may be short.
                let slack = ROUNDING * self.size() + 2.0 * uncertainty;
                if lower.is_nan() || lower > value + slack {
                    self.complain(Fault::Bound, format!("lower bound {lower:e}, optimum {value:e}"));
                }
                if upper.is_nan() || upper < value - slack {
                    self.complain(Fault::Bound, format!("upper bound {upper:e}, optimum {value:e}"));
                }
            }
            Reference::Infeasible if upper < f64::INFINITY => {
                self.complain(Fault::Bound, format!("upper bound {upper:e}, in truth infeasible"));
            }
            Reference::Unbounded if lower > f64::NEG_INFINITY => {
                self.complain(Fault::Bound, format!("lower bound {lower:e}, in truth unbounded"));
            }
            _ => {}
        }
    }

    fn check_status(&mut self) {
        let truth = self.case.reference;
        let known = truth != Reference::Unknown;
        let status = self.report.status;
        if status == Status::Infeasible && known && truth != Reference::Infeasible {
            self.complain(Fault::Infeasible, format!("{truth:?}"));
        }
        // A point that violates nothing beyond the last digits of the tolerance is one to fall from.
        let ray = self.report.unboundedness.as_ref();
        let precise = ray.is_some_and(|ray| self.case.instance.violation_at(&ray.x) <= 1e-9);
        let excused = precise && truth == Reference::Infeasible;
        if status == Status::Unbounded && known && truth != Reference::Unbounded && !excused {
            let (objective, violation) = (self.report.objective, self.report.violation);
            let text = format!("{truth:?}, objective {objective:e}, violation {violation:e}");
            self.complain(Fault::Unbounded, text);
        }
    }
}

/// Not a number counts as wrong.
fn wrong(off: f64, allowed: f64) -> bool {
    off.is_nan() || off > allowed
}

fn magnitude(slope: &[f64], x: &[f64], constant: f64) -> f64 {
    slope.iter().zip(x).map(|(a, x)| (a * x).abs()).sum::<f64>() + constant.abs()
}

fn component_magnitude(g: &Component, x: &[f64]) -> f64 {
    // A square of a sum that cancels is rounded by the sum's own terms times what is left.
    let squares = match &g.curve {
        Curve::Quadratic(factor) => factor
            .iter()
            .map(|row| magnitude(row, x, 0.0) * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>().abs())
            .sum(),
        _ => 0.0,
    };
    magnitude(&g.slope, x, g.constant) + g.value(x).abs() + squares
}

/// The sizes of what the objective is summed from.
fn objective_terms(instance: &Instance, x: &[f64]) -> f64 {
    component_magnitude(&instance.objective, x) + instance.objective_at(x).abs()
}

/// What rounding can do to the violation.
fn rounding(instance: &Instance, x: &[f64]) -> f64 {
    let block = |rows: &BlockRows| match rows {
        BlockRows::Components(parts) => parts.iter().map(|g| component_magnitude(g, x)).fold(0.0, f64::max),
        BlockRows::Affine(rows) => {
            let rows = rows.matrix.iter().zip(&rows.offset);
            rows.map(|(row, b)| magnitude(row, x, *b)).fold(0.0, f64::max)
        }
    };
    1e-14 * instance.blocks.iter().map(|b| block(&b.rows)).fold(0.0, f64::max)
}
