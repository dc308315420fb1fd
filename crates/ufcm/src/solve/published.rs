//! The published method with constants that were found: a run by the default method, then a run by the method itself.

use super::tuning::{APDB_RESTART, FINE, FINER, FIRST_TAU};
use super::{Observer, choice, run};
use crate::budget::Budget;
use crate::error::{DataError, DataProblem};
use crate::method::baseline::{
    AcgdS, AcgdSParameters, Followed, IdealGradient, PrimalDualBacktracking, PrimalDualParameters,
};
use crate::method::{Doubling, Method, Published, RestartPlan, Restarted, SetupError, Ufcm, UfcmParameters};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::report::{Counts, Prelude, Progress, Report, Status};
use crate::settings::{MethodRule, MetricRule, Settings};
use crate::theory::promise::{Balance, Distances};
use crate::theory::{Plan, Start};
use std::sync::OnceLock;

/// What errors call it.
const KIND: &str = "the published method";

/// Solves `problem` by the published method that the settings say.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let solution = find_solution(problem, settings, budget, observer)?;
    let (counts, seconds) = (solution.counts, solution.seconds);
    if matches!(solution.status, Status::TimeLimit | Status::Interrupted) {
        // The method itself has not begun; what was found so far is all there is.
        let prelude = Some(Prelude { counts, seconds, promised: None });
        return Ok(Report { counts: Counts::default(), prelude, ..solution });
    }
    let promise = OnceLock::new();
    let report = run::solve(
        problem,
        settings,
        budget,
        &|problem, run| {
            let (method, promised) = method(problem, settings, &solution, &run.start().x)?;
            let _ = promise.set(promised);
            Ok(method)
        },
        observer,
    )?;
    let prelude = Some(Prelude { counts, seconds, promised: promise.get().copied().flatten() });
    Ok(Report { seconds: report.seconds + seconds, prelude, ..report })
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

/// The method with the constants of `solution`, and the gradients that are promised to suffice, where a theorem does.
fn method<'a>(
    problem: &'a Problem,
    settings: &Settings,
    solution: &Report,
    x: &[f64],
) -> Result<(Box<dyn Method + 'a>, Option<usize>), DataError> {
    let accuracy = (settings.gap_tolerance(solution.unit, solution.objective).min(1.0), settings.eps_feas);
    let failed = |error: OracleError| DataError::oracle("starting point", error);
    let start = Start::at(problem, x.to_vec(), settings.multipliers0.clone()).map_err(failed)?;
    let plan = Plan::from_start(problem, solution, &start, accuracy).map_err(|error| error.refusing(KIND))?;
    if plan.l_ada == 0.0 {
        let message =
            "all rows are affine: L_ADA is 0, and its step sizes divide by it (primal-dual is made for them)";
        return Err(refusal(message));
    }
    let (x, multipliers) = (&start.x, &start.multipliers);
    let Distances { d_x, d_lambda, .. } = plan.at;
    match settings.method {
        MethodRule::Restarted => {
            let Plan { eps, l_ada, mu_ada, l_h, executions, .. } = plan;
            let plan = RestartPlan::new(l_ada, mu_ada, l_h, eps, (d_x, d_lambda), executions)?;
            let promised = plan.gradients();
            let method = Restarted::new(problem, x, multipliers, plan).map_err(|error| match error {
                SetupError::Data(error) => error,
                SetupError::Oracle(error) => failed(error),
            })?;
            Ok((Box::new(Published::restarted(problem, method).for_gradients(promised)), Some(promised)))
        }
        MethodRule::Doubling => {
            let method = Doubling::new(problem, x, multipliers, plan.eps, (d_x, d_lambda))?;
            Ok((Box::new(Published::doubling(problem, method)), None))
        }
        MethodRule::AcgdS | MethodRule::Apdb | MethodRule::Ideal => {
            Ok((rival(problem, settings.method, solution, &start, &plan)?, None))
        }
        _ => {
            let l_ada = plan.l_ada_plain;
            let promised = plan.ufcm.gradients.ceil().max(1.0) as usize;
            let balance = Balance::with_distances(l_ada, d_x, d_lambda);
            let method = Ufcm::new(problem, x, multipliers, UfcmParameters { l_ada, balance })?;
            Ok((Box::new(Published::ufcm(problem, method).for_gradients(promised)), Some(promised)))
        }
    }
}

/// A rival with the constants of `solution`.
fn rival<'a>(
    problem: &'a Problem,
    rule: MethodRule,
    solution: &Report,
    start: &Start,
    plan: &Plan,
) -> Result<Box<dyn Method + 'a>, DataError> {
    let Distances { d_x, d_lambda, .. } = plan.at;
    let multipliers = &solution.multipliers;
    match rule {
        MethodRule::AcgdS => {
            let smoothness =
                (0..problem.rows()).map(|row| lipschitz(problem, row)).collect::<Result<_, _>>()?;
            let parameters = AcgdSParameters { smoothness, multipliers: multipliers.clone(), r: plan.r, d_x };
            Ok(Box::new(Published::acgd_s(problem, AcgdS::new(problem, &start.x, &parameters)?)))
        }
        MethodRule::Ideal => {
            let method = IdealGradient::new(problem, &start.x, multipliers, plan.l_ada_plain)?.restarting();
            Ok(Box::new(Followed::new(problem, method)))
        }
        _ => {
            let ratio = (d_lambda / d_x).powi(2);
            let gamma = if ratio.is_normal() { ratio } else { 1.0 };
            let parameters = PrimalDualParameters { tau: FIRST_TAU, gamma, restart: Some(APDB_RESTART) };
            let method = PrimalDualBacktracking::new(problem, &start.x, &start.multipliers, parameters)?;
            Ok(Box::new(Followed::new(problem, method)))
        }
    }
}

/// The Lipschitz constant of a row's gradient, which ACGD-S asks for.
fn lipschitz(problem: &Problem, row: usize) -> Result<f64, DataError> {
    let smoothness = problem.component(row).and_then(|component| component.smoothness());
    match smoothness.filter(|smoothness| smoothness.exponent == 1.0) {
        Some(smoothness) => Ok(smoothness.constant),
        None if problem.is_affine(row) => Ok(0.0),
        None => Err(refusal(format!("{} has no Lipschitz gradient", problem.row_names()[row]))),
    }
}

fn refusal(why: impl Into<String>) -> DataError {
    DataError::structure(KIND, why)
}
