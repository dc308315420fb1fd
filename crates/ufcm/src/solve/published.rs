//! The published method, with constants that were given, or that a run by the default method found before.

use super::known::{self, Known};
use super::tuning::{APDB_RESTART, FINE, FINER, FIRST_TAU};
use super::{Observer, choice, run};
use crate::budget::Budget;
use crate::certificate::Certificate;
use crate::constants::Constants;
use crate::error::{DataError, DataProblem};
use crate::method::baseline::{
    AcgdS, AcgdSParameters, Followed, IdealGradient, PrimalDualBacktracking, PrimalDualParameters,
};
use crate::method::{
    Doubling, Method, Published, Restarted, SetupError, Trace, Tracer, Ufcm, UfcmParameters,
};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::report::{Counts, Prelude, Progress, Report, Status};
use crate::settings::{MethodRule, MetricRule, Settings};
use crate::theory::promise::Balance;
use crate::theory::{Plan, Start};
use std::sync::{OnceLock, PoisonError};

/// What errors call it.
pub(super) const KIND: &str = "the published method";

/// Solves `problem` by the published method that the settings say.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let given = known::given(problem, settings)?;
    let solution =
        if given.is_some() { None } else { Some(find_solution(problem, settings, budget, observer)?) };
    let (counts, seconds) = solution.as_ref().map_or((Counts::default(), 0.0), |it| (it.counts, it.seconds));
    if let Some(stopped) = solution.as_ref().filter(|solution| is_stopped(solution)) {
        // The method itself has not begun; what was found so far is all there is.
        let prelude = Some(Prelude { counts, seconds, promised: None });
        return Ok(Report { counts: Counts::default(), prelude, ..stopped.clone() });
    }
    let (used, trace) = (OnceLock::new(), Trace::default());
    let report = run::solve(
        problem,
        settings,
        budget,
        &|problem, run| {
            let (method, known) = match &solution {
                None => from_given(problem, (settings, &trace), given.as_ref(), &run.start().x)?,
                Some(solution) => from_solution(problem, (settings, &trace), solution, &run.start().x)?,
            };
            let _ = used.set(known);
            Ok(method)
        },
        observer,
    )?;
    let known = used.into_inner();
    let promised = known.as_ref().and_then(|known| known.promised);
    let prelude = Some(Prelude { counts, seconds, promised });
    let constants = known.map(|known| known.constants.taken_by(settings.method));
    let trace = std::mem::take(&mut *trace.lock().unwrap_or_else(PoisonError::into_inner));
    let certificate =
        report.certificate.clone().map(|proof| Certificate { constants: constants.clone(), ..proof });
    Ok(Report { seconds: report.seconds + seconds, prelude, constants, trace, certificate, ..report })
}

fn is_stopped(solution: &Report) -> bool {
    matches!(solution.status, Status::TimeLimit | Status::Interrupted)
}

/// The solve that the constants are taken from. What is no solution is an error, but for runs that were stopped.
fn find_solution(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let settings = Settings {
        eps_rel: (FINER * settings.eps_rel).min(FINE),
        eps_abs: FINER * settings.eps_abs,
        max_gradients: None,
        method: MethodRule::Auto,
        constants: Constants::default(),
        trace: false,
        metric: MetricRule::Auto,
        ..settings.clone()
    };
    let mut prelude = |progress: &Progress<'_>| observer(&Progress { prelude: true, ..*progress });
    let solution = choice::solve(problem, &settings, budget, &mut prelude)?;
    match solution.status {
        Status::Certified | Status::Solved | Status::TimeLimit | Status::Interrupted => Ok(solution),
        status => Err(DataError::new(KIND, DataProblem::NoSolution { status, trouble: solution.trouble })),
    }
}

type Made<'a> = (Box<dyn Method + 'a>, Known);

fn start_at(problem: &Problem, settings: &Settings, x: &[f64]) -> Result<Start, DataError> {
    let start = Start::at(problem, x.to_vec(), settings.multipliers0.clone());
    start.map_err(|error| DataError::oracle("starting point", error))
}

/// The method with constants that were given.
fn from_given<'a>(
    problem: &'a Problem,
    (settings, trace): (&Settings, &Trace),
    given: Option<&Known>,
    x: &[f64],
) -> Result<Made<'a>, DataError> {
    let Some(Known { constants, promised }) = given.cloned() else {
        return Err(DataError::structure(KIND, "constants are missing"));
    };
    let start = start_at(problem, settings, x)?;
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let (l_ada, d_x, d_lambda) = (number(constants.l_ada), number(constants.d_x), number(constants.d_lambda));
    let method: Box<dyn Method + 'a> = match settings.method {
        MethodRule::AcgdS => Box::new(acgd_s(problem, (settings, trace), &constants, &start)?),
        MethodRule::Ideal => {
            let method = IdealGradient::new(problem, &start.x, &start.multipliers, l_ada)?.restarting();
            Box::new(Followed::new(problem, method))
        }
        MethodRule::Apdb => apdb(problem, &start, (d_x, d_lambda))?,
        _ => published(problem, (settings, trace), &constants, &start)?,
    };
    Ok((method, Known { constants, promised }))
}

/// The method with the constants of `solution`, where none were given.
fn from_solution<'a>(
    problem: &'a Problem,
    (settings, trace): (&Settings, &Trace),
    solution: &Report,
    x: &[f64],
) -> Result<Made<'a>, DataError> {
    let start = start_at(problem, settings, x)?;
    let (known, plan) = known::found(problem, settings, solution, &start)?;
    match settings.method {
        MethodRule::AcgdS | MethodRule::Apdb | MethodRule::Ideal => {
            rival(problem, (settings, trace), solution, &start, (known, &plan))
        }
        _ => Ok((published(problem, (settings, trace), &known.constants, &start)?, known)),
    }
}

/// A method of the paper with these constants.
fn published<'a>(
    problem: &'a Problem,
    (settings, trace): (&Settings, &Trace),
    constants: &Constants,
    start: &Start,
) -> Result<Box<dyn Method + 'a>, DataError> {
    let (x, multipliers) = (&start.x, &start.multipliers);
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let method = match settings.method {
        MethodRule::Restarted => {
            let plan = known::restart_plan(problem, constants)?;
            let failed = |error: OracleError| DataError::oracle("starting point", error);
            let method = Restarted::new(problem, x, multipliers, plan).map_err(|error| match error {
                SetupError::Data(error) => error,
                SetupError::Oracle(error) => failed(error),
            })?;
            Published::restarted(problem, method)
        }
        MethodRule::Doubling => {
            let distances = (number(constants.d_x), number(constants.d_lambda));
            let method = Doubling::new(problem, x, multipliers, number(constants.eps), distances)?;
            Published::doubling(problem, method)
        }
        _ => {
            let balance = Balance { c: number(constants.c), delta: number(constants.delta) };
            let parameters = UfcmParameters { l_ada: number(constants.l_ada), balance };
            Published::ufcm(problem, Ufcm::new(problem, x, multipliers, parameters)?)
        }
    };
    Ok(Box::new(traced(limited(method, constants), settings, trace, constants)))
}

/// Writes a trace where one was asked for.
fn traced<'a>(
    method: Published<'a>,
    settings: &Settings,
    trace: &Trace,
    constants: &Constants,
) -> Published<'a> {
    if !settings.trace {
        return method;
    }
    let eps = constants.eps.unwrap_or_else(|| (settings.eps_abs + settings.eps_rel).min(1.0));
    let r = constants.r.unwrap_or_else(|| constants.d_lambda.unwrap_or(1.0) * eps.sqrt());
    method.traced(Tracer { trace: trace.clone(), saddle: settings.saddle.clone(), r })
}

/// Ends after the iterations that were given or are promised to suffice.
fn limited<'a>(method: Published<'a>, constants: &Constants) -> Published<'a> {
    match constants.iterations {
        Some(iterations) => method.for_gradients(iterations),
        None => method,
    }
}

/// A rival with the constants of `solution`.
fn rival<'a>(
    problem: &'a Problem,
    (settings, trace): (&Settings, &Trace),
    solution: &Report,
    start: &Start,
    (known, plan): (Known, &Plan),
) -> Result<Made<'a>, DataError> {
    let (multipliers, d_x) = (&solution.multipliers, plan.at.d_x);
    match settings.method {
        MethodRule::AcgdS => {
            let smoothness =
                (0..problem.rows()).map(|row| lipschitz(problem, row)).collect::<Result<_, _>>()?;
            let parameters = AcgdSParameters { smoothness, multipliers: multipliers.clone(), r: plan.r, d_x };
            let (l_ada, d_lambda) = parameters.constants(problem)?;
            let given = &settings.constants;
            let l_ada = given.l_ada.unwrap_or(l_ada);
            // No more than L, as rounding may have it.
            let mu_ada = given.mu_ada.unwrap_or_else(|| strong_convexity(problem, multipliers).min(l_ada));
            let known = known::complete_acgd_s(Constants {
                l_ada: Some(l_ada),
                mu_ada: Some(mu_ada),
                d_lambda: given.d_lambda.or(Some(d_lambda)),
                iterations: given.iterations,
                ..known.constants
            });
            Ok((Box::new(acgd_s(problem, (settings, trace), &known.constants, start)?), known))
        }
        MethodRule::Ideal => {
            let method = IdealGradient::new(problem, &start.x, multipliers, plan.l_ada_plain)?.restarting();
            Ok((Box::new(Followed::new(problem, method)), known))
        }
        _ => Ok((apdb(problem, start, (d_x, plan.at.d_lambda))?, known)),
    }
}

/// ACGD-S with these constants: for a strongly convex objective where mu_ADA, here mu_0, is positive.
fn acgd_s<'a>(
    problem: &'a Problem,
    (settings, trace): (&Settings, &Trace),
    constants: &Constants,
    start: &Start,
) -> Result<Published<'a>, DataError> {
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let (l, mu) = (number(constants.l_ada), constants.mu_ada.unwrap_or(0.0));
    let distances = (number(constants.d_x), number(constants.d_lambda));
    let method = if mu > 0.0 {
        AcgdS::strongly_convex(problem, &start.x, (l, mu), distances)?
    } else {
        AcgdS::with_constants(problem, &start.x, l, distances)?
    };
    Ok(traced(limited(Published::acgd_s(problem, method), constants), settings, trace, constants))
}

/// mu_0: the strong convexity of the rows that are no constraints, with their weights.
fn strong_convexity(problem: &Problem, multipliers: &[f64]) -> f64 {
    let of = |row: usize| {
        let convexity = problem.component(row).and_then(|component| component.convexity());
        let strong = convexity.filter(|convexity| convexity.exponent == 1.0).map_or(0.0, |it| it.constant);
        if problem.composer().is_pinned(row) { multipliers[row] * strong } else { 0.0 }
    };
    (0..problem.rows()).map(of).sum()
}

/// APDB, whose primal weight is the ratio of the distances.
fn apdb<'a>(
    problem: &'a Problem,
    start: &Start,
    (d_x, d_lambda): (f64, f64),
) -> Result<Box<dyn Method + 'a>, DataError> {
    let ratio = (d_lambda / d_x).powi(2);
    let gamma = if ratio.is_normal() { ratio } else { 1.0 };
    let parameters = PrimalDualParameters { tau: FIRST_TAU, gamma, restart: Some(APDB_RESTART) };
    let method = PrimalDualBacktracking::new(problem, &start.x, &start.multipliers, parameters)?;
    Ok(Box::new(Followed::new(problem, method)))
}

/// The Lipschitz constant of a row's gradient, which ACGD-S asks for.
fn lipschitz(problem: &Problem, row: usize) -> Result<f64, DataError> {
    let smoothness = problem.component(row).and_then(|component| component.smoothness());
    match smoothness.filter(|smoothness| smoothness.exponent == 1.0) {
        Some(smoothness) => Ok(smoothness.constant),
        None if problem.is_affine(row) => Ok(0.0),
        None => {
            let message = format!("{} has no Lipschitz gradient", problem.row_names()[row]);
            Err(DataError::structure(KIND, message))
        }
    }
}
