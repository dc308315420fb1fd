//! Runs of the published method on planted instances, next to what the theory promises.

use super::{Instance, distance};
use crate::error::DataError;
use crate::method::{RestartPlan, Restarted, SetupError, Ufcm, UfcmParameters};
use crate::oracle::OracleError;
use crate::theory::measure::{DualPoint, MeasureError, gap, optimality};
use crate::theory::promise::{self, Balance, Errors, Promise};
use crate::theory::{Aggregate, Unproven};

/// What a run did, and what was promised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// The accuracy.
    pub eps: f64,
    /// What the theorem promises.
    pub promised: Promise,
    /// eps-optimality after all promised steps.
    pub reached: f64,
    /// The gradients after which the output was eps-optimal; `usize::MAX` where it never was.
    pub hit: usize,
    /// All gradients taken.
    pub gradients: usize,
    /// All proximal steps taken.
    pub inner_steps: u64,
    /// The largest |x^t - x*| as a share of its bound; 0 for restarts.
    pub excursion: f64,
}

/// Why there is no run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The theorem promises nothing, so nobody knows how long to run.
    #[error(transparent)]
    Unproven(#[from] Unproven),
    /// Wrong data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A row that cannot be evaluated.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl From<MeasureError> for RunError {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Data(error) => Self::Data(error),
            MeasureError::Oracle(error) => Self::Oracle(error),
        }
    }
}

impl From<SetupError> for RunError {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Data(error) => Self::Data(error),
            SetupError::Oracle(error) => Self::Oracle(error),
        }
    }
}

/// eps-optimality of `x` for the dual radius of this accuracy.
///
/// # Errors
/// A point of the wrong length, or an accuracy that is not positive.
pub fn measured(instance: &Instance, x: &[f64], eps: f64) -> Result<f64, MeasureError> {
    Ok(optimality(&instance.problem, x, &instance.saddle, instance.r(eps))?.eps())
}

/// eps-optimality of the start.
///
/// # Errors
/// A row that cannot be evaluated there.
pub fn initial(instance: &Instance) -> Result<f64, MeasureError> {
    measured(instance, &instance.x0, 1e-2)
}

/// Whether step t is one at which to measure: every step at first, then every 2 %.
#[must_use]
pub fn is_checkpoint(t: usize) -> bool {
    t < 50 || (1.02f64).powi(((t as f64).ln() / 1.02f64.ln()) as i32) + 1.0 > t as f64
}

/// Algorithm 1 with C = D_lambda/D_x, Delta = C/(2L) and r of the instance, for the promised number of steps or, if
/// `early`, until the output is eps-optimal.
///
/// # Errors
/// An accuracy for which the theorem promises nothing.
pub fn ufcm(instance: &Instance, eps: f64, early: bool) -> Result<Run, RunError> {
    let l_ada = instance.theory(eps)?.l_ada(instance.d_x);
    let balance = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda);
    let errors = Errors::UpTo((24.0 * l_ada * instance.d_x.powi(2) / eps).sqrt());
    let radius = promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, errors);
    let promised = promise::heterogeneous_balanced(l_ada, eps, instance.distances(radius))?;
    let parameters = UfcmParameters { l_ada, balance };
    let mut method = Ufcm::new(&instance.problem, &instance.x0, &instance.multipliers0, parameters)?;
    let (mut reached, mut hit, mut excursion) = (f64::INFINITY, usize::MAX, 0.0f64);
    let steps = promised.gradients.ceil() as usize;
    for t in 1..=steps {
        method.step()?;
        excursion = excursion.max(distance(method.x(), &instance.saddle.x) / radius);
        if is_checkpoint(t) || t == steps {
            reached = measured(instance, method.average_x(), eps)?;
            if reached <= eps {
                hit = hit.min(t);
                if early {
                    break;
                }
            }
        }
    }
    let (gradients, inner_steps) = (method.iterations(), method.inner_steps());
    Ok(Run { eps, promised, reached, hit, gradients, inner_steps, excursion })
}

/// Q(z~0, z^0) with z~0 = (x0; lambda0, ∇g(x0)) and z^0 = (x*; lambda*, ∇g(x0)) (before
/// thm:fully-heteogeneous-component-guarantees).
///
/// # Errors
/// A row that cannot be evaluated at the start.
pub fn initial_gap(instance: &Instance) -> Result<f64, OracleError> {
    let at = |multipliers: &[f64]| DualPoint::at(&instance.problem, &instance.x0, multipliers);
    let (start, ideal) = (at(&instance.multipliers0)?, at(&instance.saddle.multipliers)?);
    Ok(gap(&instance.problem, (&instance.x0, &start), (&instance.saddle.x, &ideal)))
}

/// Algorithm 2, with one set of constants or with those of each execution, to its end or, if `early`, until the output is
/// eps-optimal.
///
/// # Errors
/// An accuracy for which the theorem promises nothing.
pub fn restarted(instance: &Instance, eps: f64, own_constants: bool, early: bool) -> Result<Run, RunError> {
    let theory = instance.theory(eps)?;
    let executions = promise::executions(initial_gap(instance)?, eps);
    let plan = restart_plan(instance, &theory, own_constants, executions)?;
    let promised = promised_by_restarts(instance, &theory, &plan, executions)?;
    let mut method = Restarted::new(&instance.problem, &instance.x0, &instance.multipliers0, plan)?;
    let mut hit = usize::MAX;
    while !method.is_done() {
        method.step()?;
        let gradients = method.gradients();
        if is_checkpoint(gradients) && measured(instance, method.method().average_x(), eps)? <= eps {
            hit = hit.min(gradients);
            if early {
                break;
            }
        }
    }
    let reached = measured(instance, method.method().average_x(), eps)?;
    if reached <= eps {
        hit = hit.min(method.gradients());
    }
    let (gradients, inner_steps) = (method.gradients(), method.method().inner_steps());
    Ok(Run { eps, promised, reached, hit, gradients, inner_steps, excursion: 0.0 })
}

fn restart_plan(
    instance: &Instance,
    theory: &Aggregate,
    own_constants: bool,
    executions: usize,
) -> Result<RestartPlan, DataError> {
    let (l_h, distances) = (instance.l_h(), (instance.d_x, instance.d_lambda));
    if own_constants {
        RestartPlan::with_own_constants(theory, l_h, distances, executions)
    } else {
        let (l_ada, mu_ada) = (theory.l_ada_convex(instance.d_x), theory.mu_ada());
        RestartPlan::new(l_ada, mu_ada, l_h, theory.eps(), distances, executions)
    }
}

fn promised_by_restarts(
    instance: &Instance,
    theory: &Aggregate,
    plan: &RestartPlan,
    executions: usize,
) -> Result<Promise, Unproven> {
    // The iterates of each execution stay within sqrt(51) of its own D_x^(k).
    let widest = plan.executions.iter().map(|execution| execution.d_x).fold(0.0, f64::max);
    let at = instance.distances(51f64.sqrt() * widest);
    let (l_ada, mu_ada) = (theory.l_ada_convex(instance.d_x), theory.mu_ada());
    promise::restarted(l_ada, mu_ada, instance.l_h(), (theory.eps(), theory.r()), executions, at)
}

/// The slope of a line through (ln 1/eps, ln gradients), by least squares.
#[must_use]
pub fn fitted_slope(runs: &[Run]) -> f64 {
    let points: Vec<(f64, f64)> =
        runs.iter().map(|run| ((1.0 / run.eps).ln(), (run.hit as f64).ln())).collect();
    slope(&points)
}

/// The slope of the line through these points, by least squares.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xy, xx) =
        points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - mx) * (p.1 - my), xx + (p.0 - mx).powi(2)));
    xy / xx
}

/// Accuracies from `first` to `last` of the start's, evenly on a log scale.
///
/// # Errors
/// As [`initial`].
pub fn accuracies(
    instance: &Instance,
    first: f64,
    last: f64,
    count: usize,
) -> Result<Vec<f64>, MeasureError> {
    let start = initial(instance)?;
    let share = |k: usize| (last / first).powf(k as f64 / (count.max(2) - 1) as f64);
    Ok((0..count).map(|k| start * first * share(k)).collect())
}
