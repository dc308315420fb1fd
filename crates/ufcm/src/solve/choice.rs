//! Which method takes the steps, and how it is made.

use super::tuning::{FIRST_L, MANY_ROWS, MULTIPLIER_SLACK, SPARSE};
use super::{Observer, run};
use crate::budget::Budget;
use crate::error::DataError;
use crate::method::baseline::{Followed, SwitchingSubgradient, UniversalFastGradient};
use crate::method::tuning::slack::SLACK_SHARES;
use crate::method::{Adaptive, AdaptiveParameters, Method, PrimalDual, Start};
use crate::metric::{CurvatureMetric, Metric};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::report::Report;
use crate::settings::{MethodRule, MetricRule, Settings};

/// Solves `problem` by the method that the settings say or that suits it.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let rule = rule(problem, settings);
    run::solve(
        problem,
        settings,
        budget,
        &|problem, run| make(rule, problem, settings, run.start(), run.accuracy()),
        observer,
    )
}

/// The method to begin with.
fn rule(problem: &Problem, settings: &Settings) -> MethodRule {
    if settings.method != MethodRule::Auto {
        return settings.method;
    }
    let (m, n) = (problem.rows(), problem.dimension());
    // Two operations for each stored entry.
    let stored = || problem.mapping().operations().map_or(f64::INFINITY, |ops| 0.5 * ops as f64);
    let many = m > MANY_ROWS.1 || (m > MANY_ROWS.0 && stored() <= SPARSE * (m * n) as f64);
    if many && suits_primal_dual(problem) { MethodRule::PrimalDual } else { MethodRule::Adaptive }
}

/// The method that may go on where `name` has stalled, if there is one.
pub(super) fn successor(problem: &Problem, settings: &Settings, name: &str) -> Option<MethodRule> {
    let open = settings.method == MethodRule::Auto && matches!(name, "adaptive" | "sliding");
    (open && suits_primal_dual(problem)).then_some(MethodRule::PrimalDual)
}

/// Where everything is affine, model steps are the whole problem but for the proximal term, and where a kinked composer of
/// many rows keeps them from being solved to the end, more of them do not help.
fn suits_primal_dual(problem: &Problem) -> bool {
    problem.composer().has_diagonal_prox() && (0..problem.rows()).all(|row| problem.is_affine(row))
}

/// The method of a rule, from `start`.
pub(super) fn make<'a>(
    rule: MethodRule,
    problem: &'a Problem,
    settings: &Settings,
    start: &Start,
    accuracy: f64,
) -> Result<Box<dyn Method + 'a>, DataError> {
    match rule {
        MethodRule::PrimalDual => {
            Ok(Box::new(PrimalDual::new(problem, &start.x, &start.multipliers)?) as Box<dyn Method + 'a>)
        }
        MethodRule::Ufgm => {
            let method = UniversalFastGradient::new(problem, &start.x, SLACK_SHARES.0 * accuracy, FIRST_L)?;
            Ok(Box::new(Followed::new(problem, method)))
        }
        MethodRule::Switching => {
            let method = SwitchingSubgradient::new(problem, &start.x, accuracy)?;
            Ok(Box::new(Followed::new(problem, method)))
        }
        MethodRule::Sliding => Ok(Box::new(adaptive(problem, settings, start, accuracy)?.sliding())),
        _ => Ok(Box::new(adaptive(problem, settings, start, accuracy)?)),
    }
}

/// The adaptive method in the metric that the settings say.
fn adaptive<'a>(
    problem: &'a Problem,
    settings: &Settings,
    start: &Start,
    accuracy: f64,
) -> Result<Adaptive<'a>, DataError> {
    let parameters = |l: Option<f64>| AdaptiveParameters {
        eps: SLACK_SHARES.0 * accuracy,
        r: MULTIPLIER_SLACK,
        l: l.unwrap_or(1.0),
    };
    let in_metric = |metric| Adaptive::new(problem, &start.x, &start.multipliers, parameters(None), metric);
    let failed = |error: OracleError| DataError::oracle("starting point", error);
    let unavailable =
        |what: &str| DataError::structure("settings", format!("metric: a curved row has no {what}"));
    match settings.metric {
        MetricRule::Auto => {
            // An L belongs to the metric in which it was measured.
            let (metric, l) = match &start.metric {
                Some(metric) => (metric.clone(), start.l),
                None => (Adaptive::first_metric(problem), None),
            };
            let method = Adaptive::new(problem, &start.x, &start.multipliers, parameters(l), metric)?;
            Ok(method.choosing_its_metric())
        }
        MetricRule::Scalar => in_metric(Metric::Scalar),
        MetricRule::Hints => in_metric(Metric::from_hints(problem)),
        MetricRule::Damped => in_metric(Metric::from_damped_hints(problem)),
        MetricRule::Curvature if CurvatureMetric::is_available(problem) => {
            in_metric(Metric::Scalar)?.with_curvature().map_err(failed)
        }
        MetricRule::LowRank if CurvatureMetric::has_products(problem) => {
            in_metric(Metric::Scalar)?.with_low_rank().map_err(failed)
        }
        MetricRule::QuasiNewton => Ok(in_metric(Metric::Scalar)?.with_quasi_newton()),
        MetricRule::Curvature => Err(unavailable("second derivatives")),
        MetricRule::LowRank => Err(unavailable("products with its second derivatives")),
    }
}
