//! The published method with constants that were found: a run by the default method, then a run by the method itself.

use super::tuning::{FINE, FINER};
use super::{Observer, choice, run};
use crate::budget::Budget;
use crate::error::{DataError, DataProblem};
use crate::method::{Published, RestartPlan, Restarted, SetupError, Ufcm, UfcmParameters};
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
            Ok(Box::new(method.for_gradients(promised)))
        },
        observer,
    )?;
    let prelude = Some(Prelude { counts, seconds, promised: promise.get().copied() });
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

/// The method with the constants of `solution`, and the gradients that are promised to suffice.
fn method<'a>(
    problem: &'a Problem,
    settings: &Settings,
    solution: &Report,
    x: &[f64],
) -> Result<(Published<'a>, usize), DataError> {
    let accuracy = (settings.gap_tolerance(solution.objective).min(1.0), settings.eps_feas);
    let failed = |error: OracleError| DataError::oracle("starting point", error);
    let start = Start::at(problem, x.to_vec(), settings.multipliers0.clone()).map_err(failed)?;
    let plan = Plan::from_start(problem, solution, &start, accuracy).map_err(|error| error.refusing(KIND))?;
    if plan.l_ada == 0.0 {
        let message =
            "all rows are affine: L_ADA is 0, and its step sizes divide by it (primal-dual is made for them)";
        return Err(refusal(message));
    }
    let Distances { d_x, d_lambda, .. } = plan.at;
    if settings.method == MethodRule::Restarted {
        let Plan { eps, l_ada, mu_ada, l_h, executions, .. } = plan;
        let plan = RestartPlan::new(l_ada, mu_ada, l_h, eps, (d_x, d_lambda), executions)?;
        let promised = plan.gradients();
        let method = Restarted::new(problem, &start.x, &start.multipliers, plan);
        let method = method.map_err(|error| match error {
            SetupError::Data(error) => error,
            SetupError::Oracle(error) => failed(error),
        })?;
        return Ok((Published::restarted(problem, method), promised));
    }
    let l_ada = plan.l_ada_plain;
    let promised = plan.ufcm.gradients.ceil().max(1.0) as usize;
    let parameters = UfcmParameters { l_ada, balance: Balance::with_distances(l_ada, d_x, d_lambda) };
    let method = Ufcm::new(problem, &start.x, &start.multipliers, parameters)?;
    Ok((Published::ufcm(problem, method), promised))
}

fn refusal(why: impl Into<String>) -> DataError {
    DataError::structure(KIND, why)
}
