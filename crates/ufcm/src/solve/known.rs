//! The constants of a run by a published method: those that were given, and those that a solve found.

use super::published::KIND;
use crate::constants::Constants;
use crate::error::DataError;
use crate::method::RestartPlan;
use crate::problem::Problem;
use crate::report::Report;
use crate::settings::{MethodRule, Settings};
use crate::theory::promise::{self, Balance, Case, Distances};
use crate::theory::{Plan, Start, Target, default_radius};

/// All constants that a method asks for.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) constants: Constants,
    /// The gradients that a theorem promises to suffice with them.
    pub(super) promised: Option<usize>,
}

/// What was given, where that is all the method asks for.
pub(super) fn given(problem: &Problem, settings: &Settings) -> Result<Option<Known>, DataError> {
    let given = settings.constants.clone();
    let eps = given.eps.unwrap_or_else(|| (settings.eps_abs + settings.eps_rel).min(1.0));
    let has = |value: Option<f64>| value.is_some();
    let distances = has(given.d_x) && has(given.d_lambda);
    let enough = match settings.method {
        MethodRule::Ufcm => has(given.l_ada),
        MethodRule::Restarted => {
            let restarts = || restarting(problem, &given, eps) != Some(Case::Neither);
            let constants = has(given.l_ada) && (given.executions.is_some() || !restarts());
            distances && (constants || !given.each.is_empty())
        }
        MethodRule::Doubling | MethodRule::Apdb => distances,
        MethodRule::AcgdS => has(given.l_ada) && distances,
        MethodRule::Ideal => has(given.l_ada) && settings.multipliers0.is_some(),
        _ => false,
    };
    let constants = Constants { eps: Some(eps), ..given };
    enough.then(|| complete(problem, settings.method, constants, None)).transpose()
}

/// What was given, and what `solution` says of the rest; for the methods of the paper.
pub(super) fn found(
    problem: &Problem,
    settings: &Settings,
    solution: &Report,
    start: &Start,
) -> Result<(Known, Plan), DataError> {
    let target = target(problem, settings, solution, start);
    let plan = Plan::with(problem, solution, &target).map_err(|error| error.refusing(KIND))?;
    if plan.l_ada == 0.0 {
        let message =
            "all rows are affine: L_ADA is 0, and its step sizes divide by it (primal-dual is made for them)";
        return Err(DataError::structure(KIND, message));
    }
    let restarted = settings.method == MethodRule::Restarted;
    let l_ada = if restarted { plan.l_ada } else { plan.l_ada_plain };
    let d_x = plan.at.d_x;
    let (least, steps) = if restarted && matches!(plan.case, Case::Primal | Case::Both) {
        // The least D_x^(k), and the steps of an execution.
        ((4.0 * plan.eps / plan.mu_ada).sqrt(), (96.0 * l_ada / plan.mu_ada).sqrt())
    } else {
        (d_x, (24.0 * l_ada * d_x * d_x / plan.eps).sqrt())
    };
    let of_plan = Constants {
        l_ada: Some(l_ada),
        mu_ada: restarted.then_some(plan.mu_ada),
        d_x: Some(d_x),
        d_lambda: Some(plan.dual_distance_for(l_ada, least, steps)),
        r: Some(plan.r),
        eps: Some(plan.eps),
        executions: restarted.then_some(plan.executions),
        ..Constants::default()
    };
    let constants = settings.constants.or(&of_plan);
    Ok((complete(problem, settings.method, constants, Some(&plan))?, plan))
}

/// Which iterates R-UFCM restarts, as far as that is known.
fn restarting(problem: &Problem, constants: &Constants, eps: f64) -> Option<Case> {
    let at = Distances { d_x: constants.d_x?, d_lambda: constants.d_lambda?, m: 0.0 };
    let (mu_ada, l_h) = (constants.mu_ada.unwrap_or(0.0), problem.composer().smoothness());
    // Where h is linear its multipliers have one value, and restarting them changes nothing.
    let l_h = if l_h == 0.0 { f64::INFINITY } else { l_h };
    Some(Case::of(mu_ada, l_h, eps, at))
}

/// What follows from constants: C, Delta, and how long to run.
fn complete(
    problem: &Problem,
    rule: MethodRule,
    constants: Constants,
    plan: Option<&Plan>,
) -> Result<Known, DataError> {
    match rule {
        MethodRule::Ufcm => Ok(complete_ufcm(problem, constants)),
        MethodRule::Restarted => complete_restarted(problem, constants, plan),
        MethodRule::AcgdS => Ok(complete_acgd_s(constants)),
        _ => Ok(Known { constants, promised: None }),
    }
}

fn complete_ufcm(problem: &Problem, mut constants: Constants) -> Known {
    let (l_ada, eps) = (constants.l_ada.unwrap_or(1.0), constants.eps.unwrap_or(1.0));
    let l_h = problem.composer().smoothness();
    let distances = constants.d_x.zip(constants.d_lambda);
    let balance = match distances {
        Some((d_x, d_lambda)) => Balance::with_distances(l_ada, d_x, d_lambda),
        None => Balance::without_distances(l_ada),
    };
    let own = constants.c.is_some() || constants.delta.is_some();
    let (c, delta) = (constants.c.unwrap_or(balance.c), constants.delta.unwrap_or(balance.delta));
    let promised = distances.and_then(|(d_x, d_lambda)| {
        let r = *constants.r.get_or_insert_with(|| default_radius(eps, d_lambda, l_h));
        // M says nothing of gradients.
        let at = Distances { d_x, d_lambda, m: 0.0 };
        let promise = if own && (c, delta) != (balance.c, balance.delta) {
            promise::heterogeneous(l_ada, eps, r, Balance { c, delta }, at)
        } else {
            promise::heterogeneous_balanced(l_ada, eps, at)
        };
        let within = l_h == 0.0 || r <= d_lambda * (1.0 + 1e-12);
        promise.ok().filter(|_| within).map(|promise| promise.gradients.ceil().max(1.0) as usize)
    });
    constants.iterations = constants.iterations.or(promised);
    Known { constants: Constants { c: Some(c), delta: Some(delta), ..constants }, promised }
}

/// mu_0 = 0 is the method for plain convexity, of which nothing is promised here.
pub(super) fn complete_acgd_s(mut constants: Constants) -> Known {
    let mu = *constants.mu_ada.get_or_insert(0.0);
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let at = Distances { d_x: number(constants.d_x), d_lambda: number(constants.d_lambda), m: 1.0 };
    let promised = (mu > 0.0).then(|| {
        let (l, eps) = (number(constants.l_ada), number(constants.eps));
        promise::acgd_s_strongly_convex(l, mu, eps, at).gradients
    });
    let promised = promised.filter(|steps| steps.is_finite()).map(|steps| steps as usize);
    constants.iterations = constants.iterations.or(promised);
    Known { constants, promised }
}

fn complete_restarted(
    problem: &Problem,
    mut constants: Constants,
    plan: Option<&Plan>,
) -> Result<Known, DataError> {
    let case = restarting(problem, &constants, constants.eps.unwrap_or(1.0));
    let executions = *constants.executions.get_or_insert(constants.each.len().max(1));
    if constants.each.is_empty() {
        constants.mu_ada.get_or_insert(0.0);
    }
    let gradients = restart_plan(problem, &constants)?.gradients();
    // Without the gap at the start nobody knows whether the executions are enough, where that matters.
    let known = match plan {
        Some(plan) => plan.restarted.is_ok() && executions >= promise::executions(plan.gap, plan.eps),
        None => case == Some(Case::Neither) && constants.each.is_empty(),
    };
    let iterations = constants.iterations.map_or(gradients, |given| given.min(gradients));
    constants.iterations = Some(iterations);
    Ok(Known { constants, promised: known.then_some(gradients) })
}

/// The executions of R-UFCM with these constants.
pub(super) fn restart_plan(problem: &Problem, constants: &Constants) -> Result<RestartPlan, DataError> {
    let l_h = problem.composer().smoothness();
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let Constants { l_ada, mu_ada, d_x, d_lambda, eps, executions, ref each, .. } = *constants;
    let distances = (number(d_x), number(d_lambda));
    if !each.is_empty() {
        return RestartPlan::with_constants_of_each(each, l_h, number(eps), distances);
    }
    RestartPlan::new(number(l_ada), number(mu_ada), l_h, number(eps), distances, executions.unwrap_or(1))
}

/// The (eps, r) for a run that is to leave a gap of eps <= 1 and a violation of eps_feas, and what was given besides.
///
/// (eps, r)-optimality bounds the violation by eps/r, so r = eps/eps_feas would do; but beyond D_lambda a larger r costs as
/// much as it brings, and eps must be smaller instead. The proof of thm:heterogeneous-composite-convergence uses r <= D_lambda
/// and no more.
fn target(problem: &Problem, settings: &Settings, solution: &Report, start: &Start) -> Target {
    let given = &settings.constants;
    // The last execution is that of the accuracy itself.
    let last = given.each.last();
    let eps = settings.gap_tolerance(solution.unit, solution.objective).min(1.0);
    let d_lambda = given.d_lambda.unwrap_or_else(|| start.dual_distance(problem, solution));
    let small = default_radius(given.eps.unwrap_or(eps), d_lambda, problem.composer().smoothness());
    let constrained = problem.parts().any(|(_, composer)| composer.is_constraint());
    let (eps, r) = match (given.eps, constrained) {
        (Some(eps), _) => (eps, small),
        (None, true) => {
            let r = (eps / settings.eps_feas).min(d_lambda).max(small);
            (eps.min(settings.eps_feas * r), r)
        }
        (None, false) => (eps, small),
    };
    Target {
        eps,
        r: Some(given.r.unwrap_or(r)),
        executions: given.executions.or(last.map(|_| given.each.len())),
        l_ada: given.l_ada.or(last.map(|own| own.l_ada)),
        mu_ada: given.mu_ada.or(last.map(|own| own.mu_ada)),
        d_x: given.d_x,
        d_lambda: given.d_lambda,
        x0: Some(start.x.clone()),
        multipliers0: Some(start.multipliers.clone()),
    }
}
