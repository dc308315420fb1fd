//! Runs of the published method on planted instances, next to what the theory promises.

use super::{Instance, distance};
use ufcm::method::{RestartPlan, Restarted, Ufcm, UfcmParameters};
use ufcm::theory::measure::{DualPoint, gap, optimality};
use ufcm::theory::promise::{self, Balance, Errors, Promise};

/// What a run did, and what was promised.
#[derive(Debug, Clone)]
pub struct Run {
    pub eps: f64,
    pub promised: Promise,
    /// eps-optimality after all promised steps.
    pub reached: f64,
    /// The gradients after which the output was eps-optimal.
    pub hit: usize,
    /// All gradients and proximal steps taken.
    pub gradients: usize,
    pub inner_steps: u64,
    /// The largest |x^t - x*| as a share of its bound.
    pub excursion: f64,
}

/// eps-optimality of `x` for the dual radius of this accuracy.
pub fn measured(instance: &Instance, x: &[f64], eps: f64) -> f64 {
    optimality(&instance.problem, x, &instance.saddle, instance.r(eps)).unwrap().eps()
}

/// eps-optimality of the start.
pub fn initial(instance: &Instance) -> f64 {
    measured(instance, &instance.x0, 1e-2)
}

/// Whether step t is one at which to measure: every step at first, then every 2 %.
pub fn is_checkpoint(t: usize) -> bool {
    t < 50 || (1.02f64).powi(((t as f64).ln() / 1.02f64.ln()) as i32) + 1.0 > t as f64
}

/// Algorithm 1 with C = D_lambda/D_x, Delta = C/(2L), r = D_lambda sqrt(eps), for the promised number of steps or, if
/// `early`, until the output is eps-optimal.
pub fn ufcm(instance: &Instance, eps: f64, early: bool) -> Run {
    let l_ada = instance.theory(eps).l_ada(instance.d_x);
    let balance = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda);
    let errors = Errors::UpTo((24.0 * l_ada * instance.d_x.powi(2) / eps).sqrt());
    let radius = promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, errors);
    let promised = promise::heterogeneous_balanced(l_ada, eps, instance.distances(radius)).unwrap();
    ufcm_with(instance, eps, UfcmParameters { l_ada, balance }, promised, radius, early)
}

/// Algorithm 1 with any parameters, held against a promise.
pub fn ufcm_with(
    instance: &Instance,
    eps: f64,
    parameters: UfcmParameters,
    promised: Promise,
    radius: f64,
    early: bool,
) -> Run {
    let mut method = Ufcm::new(&instance.problem, &instance.x0, &instance.multipliers0, parameters).unwrap();
    let (mut reached, mut hit, mut excursion) = (f64::INFINITY, usize::MAX, 0.0f64);
    let steps = promised.gradients.ceil() as usize;
    for t in 1..=steps {
        method.step().unwrap();
        excursion = excursion.max(distance(method.x(), &instance.saddle.x) / radius);
        if is_checkpoint(t) || t == steps {
            reached = measured(instance, method.average_x(), eps);
            if reached <= eps {
                hit = hit.min(t);
                if early {
                    break;
                }
            }
        }
    }
    let (gradients, inner_steps) = (method.iterations(), method.inner_steps());
    Run { eps, promised, reached, hit, gradients, inner_steps, excursion }
}

/// Q(z~0, z^0) with z~0 = (x0; lambda0, ∇g(x0)) and z^0 = (x*; lambda*, ∇g(x0)) (before
/// thm:fully-heteogeneous-component-guarantees).
pub fn initial_gap(instance: &Instance) -> f64 {
    let at = |multipliers: &[f64]| DualPoint::at(&instance.problem, &instance.x0, multipliers).unwrap();
    let (start, ideal) = (at(&instance.multipliers0), at(&instance.saddle.multipliers));
    gap(&instance.problem, (&instance.x0, &start), (&instance.saddle.x, &ideal))
}

/// Algorithm 2, with one set of constants or with those of each execution.
pub fn restarted(instance: &Instance, eps: f64, own_constants: bool, early: bool) -> Run {
    let theory = instance.theory(eps);
    let (l_ada, mu_ada) = (theory.l_ada_convex(instance.d_x), theory.mu_ada());
    let l_h = composer_smoothness(instance);
    let executions = promise::executions(initial_gap(instance), eps);
    let distances = (instance.d_x, instance.d_lambda);
    let plan = if own_constants {
        RestartPlan::with_own_constants(&theory, l_h, distances, executions)
    } else {
        RestartPlan::new(l_ada, mu_ada, l_h, eps, distances, executions)
    }
    .unwrap();
    // The iterates of each execution stay within sqrt(51) of its own D_x^(k).
    let widest = plan.executions.iter().map(|execution| execution.d_x).fold(0.0, f64::max);
    let at = instance.distances(51f64.sqrt() * widest);
    let promised = promise::restarted(l_ada, mu_ada, l_h, (eps, instance.r(eps)), executions, at).unwrap();
    let mut method = Restarted::new(&instance.problem, &instance.x0, &instance.multipliers0, plan).unwrap();
    let mut hit = usize::MAX;
    while !method.is_done() {
        method.step().unwrap();
        if is_checkpoint(method.gradients()) && measured(instance, method.method().average_x(), eps) <= eps {
            hit = hit.min(method.gradients());
            if early {
                break;
            }
        }
    }
    let reached = measured(instance, method.method().average_x(), eps);
    if reached <= eps {
        hit = hit.min(method.gradients());
    }
    let (gradients, inner_steps) = (method.gradients(), method.method().inner_steps());
    Run { eps, promised, reached, hit, gradients, inner_steps, excursion: 0.0 }
}

/// L_h of the part of h that is not pinned.
pub fn composer_smoothness(instance: &Instance) -> f64 {
    instance.problem.composer().smoothness()
}

/// The slope of ln gradients against ln 1/eps.
pub fn fitted_slope(runs: &[Run]) -> f64 {
    let points: Vec<(f64, f64)> =
        runs.iter().map(|run| ((1.0 / run.eps).ln(), (run.hit as f64).ln())).collect();
    slope(&points)
}

/// The slope of the line through these points, by least squares.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xy, xx) =
        points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - mx) * (p.1 - my), xx + (p.0 - mx).powi(2)));
    xy / xx
}

/// Accuracies from `first` to `last` of the start's, evenly on a log scale.
pub fn accuracies(instance: &Instance, first: f64, last: f64, count: usize) -> Vec<f64> {
    let start = initial(instance);
    let share = |k: usize| (last / first).powf(k as f64 / (count - 1) as f64);
    (0..count).map(|k| start * first * share(k)).collect()
}
