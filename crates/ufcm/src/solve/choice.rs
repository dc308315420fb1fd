//! Which method takes the steps, and how it is made.

use super::kinks::has_kinks;
use super::tuning::{
    CHEAP_LOOK, FEW_KINKS, FEW_ROWS, FIRST_L, MANY_KINKS, MANY_ROWS, MULTIPLIER_SLACK, NEWTON_MOST_ROWS,
    PROGRAM_ROWS, SPARSE, WORKING_SET_VARIABLES,
};
use super::{Observer, run};
use crate::budget::Budget;
use crate::certificate::is_bounded;
use crate::error::DataError;
use crate::method::baseline::{Followed, SwitchingSubgradient, UniversalFastGradient};
use crate::method::tuning::slack::SLACK_SHARES;
use crate::method::{
    self, Adaptive, AdaptiveParameters, Method, Newton, Prepared, PrimalDual, Start, WorkingSet,
};
use crate::metric::{CurvatureMetric, Metric};
use crate::oracle::{Component, Curvature, OracleError};
use crate::problem::Problem;
use crate::report::Report;
use crate::settings::{MethodRule, MetricRule, Settings};
use crate::subproblem::is_cheaper_by_sliding;

/// Solves `problem` by the method that the settings say or that suits it.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let Some(First { rule, because, prepared }) = first(problem, settings) else {
        let rule = settings.method;
        let make: run::Make<'_> =
            &|problem, run| make(rule, problem, None, settings, run.start(), run.accuracy());
        return run::solve(problem, settings, budget, make, observer);
    };
    let make: run::Make<'_> = &|problem, run| {
        let program = prepared.clone().flatten();
        if let Some(prepared) = &prepared {
            // Somebody has looked already.
            let _ = run.candidates.set(candidates(problem, || prepared.clone()));
        }
        make(rule, problem, program, settings, run.start(), run.accuracy())
    };
    let mut report = run::solve(problem, settings, budget, make, observer)?;
    report.chosen.insert(0, because);
    Ok(report)
}

/// The method to begin with.
struct First {
    rule: MethodRule,
    because: String,
    /// What interior points need, where somebody has looked: `None` in it where they do not take the problem.
    prepared: Option<Option<Prepared>>,
}

/// The first of the candidates, found without a look at what interior points would cost where they do not come first; nothing where
/// a method was asked for by name.
fn first(problem: &Problem, settings: &Settings) -> Option<First> {
    if settings.method != MethodRule::Auto {
        return None;
    }
    let open = settings.metric == MetricRule::Auto;
    let program = open && suits_interior_points(problem);
    let small = (open && !program && suits_kinks(problem)).then(|| prepared(problem)).flatten();
    let at_kinks = small.filter(is_cheap);
    let has_kinks = at_kinks.is_some();
    let prepared = if has_kinks { Some(at_kinks) } else { program.then(|| prepared(problem)) };
    let operations = prepared.as_ref().map(|prepared| prepared.as_ref().and_then(Prepared::operations));
    let many = suits_primal_dual(problem) && has_many_rows(problem);
    let (rule, why) = match operations {
        Some(Some(operations)) => {
            let rows = match (is_program(problem), is_conic(problem)) {
                (true, _) => "every row is affine or part of a sum",
                (false, true) => "rows lie in cones, or under logarithms,",
                _ if has_kinks => "components have kinks",
                (false, false) => "affine rows are many beside the variables",
            };
            let why = format!("{rows} and a solve by factorisations takes {operations:.0e} operations");
            (MethodRule::InteriorPoint, why)
        }
        _ if many => {
            let rows = format!("{} rows are affine", problem.rows());
            let size = if program { " and factorisations would take too long" } else { " and many" };
            (MethodRule::PrimalDual, rows + size)
        }
        Some(None) if suits_newton_with_many_rows(problem) => {
            let why =
                "affine rows are many, factorisations of all would take too long, and its steps are few";
            (MethodRule::Newton, why.into())
        }
        Some(None) => {
            (MethodRule::Adaptive, "factorisations would take too long, or a part has no conic form".into())
        }
        None if settings.metric == MetricRule::Auto && suits_working_set(problem) => {
            (MethodRule::WorkingSet, "the regulariser holds variables at 0 and there are many".into())
        }
        None if settings.metric == MetricRule::Auto && suits_newton(problem) => {
            (MethodRule::Newton, "second derivatives cost no more than a few reads of the data".into())
        }
        None => (MethodRule::Adaptive, "rows are curved, or few have kinks".into()),
    };
    Some(First { rule, because: format!("{}, because {why}", told(rule.name())), prepared })
}

/// What interior points need, if they take the problem.
pub(super) fn prepared(problem: &Problem) -> Option<Prepared> {
    Prepared::of(problem).ok().filter(|prepared| prepared.operations().is_some())
}

/// Whether components have kinks and gradients cost little: answers at kinks are those of interior points, where they take some
/// milliseconds (decision 0038).
fn suits_kinks(problem: &Problem) -> bool {
    operations_of_gradient(problem) <= FEW_KINKS && has_kinks(problem)
}

fn is_cheap(prepared: &Prepared) -> bool {
    prepared.operations().is_some_and(|operations| operations <= CHEAP_LOOK)
}

/// A method's name in a sentence.
pub(super) fn told(name: &str) -> &str {
    match name {
        "interior-point" => "interior points",
        "primal-dual" => "the primal-dual method",
        "adaptive" => "adaptive steps",
        "newton" => "Newton's method",
        "working-set" => "the working-set method",
        name => name,
    }
}

/// The methods that a problem may be given to.
pub(super) struct Candidates {
    /// The most promising first. After interior points one that came before may go on from where they lead.
    order: Vec<MethodRule>,
    /// What interior points need, where they may be used.
    prepared: Option<Prepared>,
}

/// The methods that a problem may be given to. Decision 0017.
pub(super) fn candidates(problem: &Problem, prepared: impl FnOnce() -> Option<Prepared>) -> Candidates {
    use MethodRule::{Adaptive, InteriorPoint, Newton, PrimalDual as Products};
    let affine = suits_primal_dual(problem);
    let many = affine && has_many_rows(problem);
    let prepared = prepared();
    let at_kinks = suits_kinks(problem) && prepared.as_ref().is_some_and(is_cheap);
    let program = suits_interior_points(problem) || at_kinks;
    let mut order = match (prepared.is_some(), many) {
        (true, _) if program && PrimalDual::takes(problem) => vec![InteriorPoint, Products, Adaptive],
        (true, _) if program => vec![InteriorPoint, Adaptive],
        (true, true) => vec![Products, InteriorPoint, Products],
        (true, false) if suits_newton(problem) => vec![Newton, Adaptive, InteriorPoint, Adaptive],
        (false, false) if suits_newton(problem) || (program && suits_newton_with_many_rows(problem)) => {
            vec![Newton, Adaptive]
        }
        (true, false) => vec![Adaptive, InteriorPoint, if affine { Products } else { Adaptive }],
        (false, true) => vec![Products],
        (false, false) if affine => vec![Adaptive, Products],
        (false, false) => vec![Adaptive],
    };
    if matches!(order[0], Newton | Adaptive) && suits_working_set(problem) {
        order.insert(0, MethodRule::WorkingSet);
    }
    Candidates { order, prepared }
}

/// Operations of a gradient of all rows. Unknown ones count as those of dense rows.
pub(super) fn operations_of_gradient(problem: &Problem) -> f64 {
    let dense = 2.0 * (problem.rows() * problem.dimension()) as f64;
    problem.mapping().operations().map_or(dense, |operations| operations as f64)
}

impl Candidates {
    /// The method that may go on after so many, if there is one.
    pub(super) fn after(&self, methods: usize) -> Option<MethodRule> {
        self.order.get(methods).copied()
    }

    /// Operations of a solve by interior points, where they may be used.
    pub(super) fn operations(&self) -> Option<f64> {
        self.prepared.as_ref().and_then(Prepared::operations)
    }

    /// What interior points need, where they may be used.
    pub(super) fn prepared(&self) -> Option<Prepared> {
        self.prepared.clone()
    }
}

/// Whether rows are so many that products with the matrix are all that a step should cost.
fn has_many_rows(problem: &Problem) -> bool {
    let (m, n) = (problem.rows(), problem.dimension());
    // Two operations for each stored entry.
    let stored = || problem.mapping().operations().map_or(f64::INFINITY, |ops| 0.5 * ops as f64);
    m > MANY_ROWS.1 || (m > MANY_ROWS.0 && stored() <= SPARSE * (m * n) as f64)
}

/// Whether interior points come first: for programs, and where affine rows are many beside the variables. Beside many variables and
/// curvature a few rows are not: systems of as many equations as rows cost less than factorisations of all.
fn suits_interior_points(problem: &Problem) -> bool {
    let (rows, n) = (free_rows(problem) as f64, problem.dimension() as f64);
    let kinks = || (0..problem.rows()).filter(|row| is_kinked(problem, *row)).count();
    if is_conic(problem) {
        return true;
    }
    match is_program(problem) {
        true => FEW_ROWS * rows >= n || is_linear(problem),
        false => kinks() as f64 >= (MANY_KINKS * n).max(PROGRAM_ROWS as f64),
    }
}

/// Whether a part of the composer asks for interior points.
fn is_conic(problem: &Problem) -> bool {
    problem.parts().any(|(_, composer)| composer.suits_interior_points())
}

/// Whether this is a linear program, or a quadratic one with more than a few rows: kinks are what it is made of.
fn is_program(problem: &Problem) -> bool {
    // A loss with a conic form of its own, such as a logistic one, has a cone for each sample: other methods take it as it is.
    let is_quadratic = |row: usize| problem.component(row).is_some_and(is_piecewise_quadratic);
    let smooth =
        |row: usize| problem.is_affine(row) || (problem.composer().is_pinned(row) && is_quadratic(row));
    let least = if is_linear(problem) { 0 } else { PROGRAM_ROWS };
    free_rows(problem) >= least && (0..problem.rows()).all(smooth)
}

/// Whether interior points take it without a cone: it is quadratic between kinks.
fn is_piecewise_quadratic(component: &dyn Component) -> bool {
    component.curvature().is_some_and(Curvature::is_piecewise_constant)
}

/// Whether every row is affine.
fn is_linear(problem: &Problem) -> bool {
    (0..problem.rows()).all(|row| problem.is_affine(row))
}

/// Whether a row is affine, and has a multiplier of its own.
fn is_kinked(problem: &Problem, row: usize) -> bool {
    problem.is_affine(row) && !problem.composer().is_pinned(row)
}

/// Whether working on a few variables at a time comes first: they are many, their laws hold them at 0, and few rows bend.
fn suits_working_set(problem: &Problem) -> bool {
    problem.dimension() >= WORKING_SET_VARIABLES
        && free_rows(problem) <= NEWTON_MOST_ROWS
        && WorkingSet::takes(problem)
}

/// Rows with a multiplier of their own.
fn free_rows(problem: &Problem) -> usize {
    (0..problem.rows()).filter(|row| !problem.composer().is_pinned(*row)).count()
}

/// Whether Newton's method comes first: some row is curved, second derivatives are cheap, and not many rows bend.
fn suits_newton(problem: &Problem) -> bool {
    // Bounds that affine constraints imply can prove an answer before their multipliers have settled.
    let implied = (0..problem.rows()).any(|row| is_kinked(problem, row)) && !is_bounded(problem);
    free_rows(problem) <= NEWTON_MOST_ROWS
        && !implied
        && !is_cheaper_by_sliding(&*problem.mapping())
        && Newton::takes(problem)
}

/// Whether Newton's method comes first although many rows have multipliers: where they would be reason enough for interior points, which do not take
/// the problem. It has few model steps, and each begins with the active rows of the one before. Decision 0036.
fn suits_newton_with_many_rows(problem: &Problem) -> bool {
    !is_program(problem) && Newton::takes(problem)
}

/// Where everything is affine, model steps are the whole problem but for the proximal term, and where a kinked composer of
/// many rows keeps them from being solved to the end, more of them do not help.
fn suits_primal_dual(problem: &Problem) -> bool {
    problem.composer().has_diagonal_prox() && is_linear(problem)
}

/// The method of a rule, from `start`. Interior points take what was `prepared` for them, or prepare it.
pub(super) fn make<'a>(
    rule: MethodRule,
    problem: &'a Problem,
    prepared: Option<Prepared>,
    settings: &Settings,
    start: &Start,
    accuracy: f64,
) -> Result<Box<dyn Method + 'a>, DataError> {
    match rule {
        MethodRule::PrimalDual => {
            Ok(Box::new(PrimalDual::new(problem, &start.x, &start.multipliers)?) as Box<dyn Method + 'a>)
        }
        MethodRule::Newton => Ok(Box::new(Newton::new(problem, start, settings.warm.is_some())?)),
        MethodRule::WorkingSet => Ok(Box::new(WorkingSet::new(problem, start)?)),
        MethodRule::InteriorPoint => {
            let prepared = prepared.map_or_else(|| Prepared::of(problem), Ok)?;
            let method = method::InteriorPoint::prepared(problem, prepared, &start.x, &start.multipliers)?;
            Ok(Box::new(method.insisting(is_program(problem) || is_conic(problem))))
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
                Some(metric) if metric.as_curvature().is_none() => (metric.clone(), start.l),
                _ => (Adaptive::first_metric(problem), None),
            };
            let method = Adaptive::new(problem, &start.x, &start.multipliers, parameters(l), metric)?
                .choosing_its_metric();
            if settings.warm.is_none() {
                return Ok(method);
            }
            method.warm(start.metric.as_ref()).map_err(failed)
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
