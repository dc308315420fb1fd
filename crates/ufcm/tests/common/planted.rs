//! Problems with a saddle point chosen beforehand: convex quadratics whose linear terms and constants are fixed so that
//! the optimality conditions hold there exactly.

use super::random::Random;
use std::sync::Arc;
use ufcm::component::Quadratic;
use ufcm::composer::{LogSumExp, Max, Nonpositive};
use ufcm::oracle::{Component, Composer};
use ufcm::problem::{Problem, Term};
use ufcm::theory::measure::SaddlePoint;

/// A problem, its saddle point, and L_j of every row.
pub struct Planted {
    pub problem: Problem,
    pub saddle: SaddlePoint,
    pub smoothness: Vec<f64>,
}

/// x -> x'Dx/2 + c.x + d with the gradient `gradient` and the value `value` at `x`.
fn quadratic(diagonal: &[f64], x: &[f64], gradient: &[f64], value: f64) -> Quadratic {
    let linear: Vec<f64> = (0..x.len()).map(|i| gradient[i] - diagonal[i] * x[i]).collect();
    let curved = |i: usize| (0.5 * diagonal[i] * x[i] + linear[i]) * x[i];
    let constant = value - (0..x.len()).map(curved).sum::<f64>();
    let quadratic = Quadratic::diagonal(diagonal.to_vec()).expect("nonnegative");
    quadratic.with_linear(linear).and_then(|q| q.with_constant(constant)).expect("finite")
}

/// g_0 + h(g_1, ..., g_m) with multipliers `multipliers` and g(x*) = `values` (a pair that must belong to h), h(g(x*)) =
/// `height` and g_0(x*) = 1.
fn planted<H: Composer + 'static>(
    h: H,
    n: usize,
    multipliers: &[f64],
    values: &[f64],
    height: f64,
    seed: u64,
) -> Planted {
    let mut random = Random::new(seed);
    let x = random.vector(n, 1.0);
    let mut total = vec![0.0; n];
    let mut smoothness = Vec::new();
    let mut rows: Vec<Arc<dyn Component>> = Vec::new();
    for (l, value) in multipliers.iter().zip(values) {
        let (diagonal, gradient) = (random.positive(n, 0.1, 3.0), random.vector(n, 1.0));
        total.iter_mut().zip(&gradient).for_each(|(total, g)| *total += l * g);
        smoothness.push(diagonal.iter().copied().fold(0.0, f64::max));
        rows.push(Arc::new(quadratic(&diagonal, &x, &gradient, *value)));
    }
    let diagonal = random.positive(n, 0.1, 3.0);
    smoothness.insert(0, diagonal.iter().copied().fold(0.0, f64::max));
    let gradient: Vec<f64> = total.iter().map(|total| -total).collect();
    let objective = quadratic(&diagonal, &x, &gradient, 1.0);
    let problem = Problem::minimise(objective).plus(Term::new(h, rows)).build().expect("convex");
    let multipliers = std::iter::once(1.0).chain(multipliers.iter().copied()).collect();
    Planted { problem, saddle: SaddlePoint { x, multipliers, value: 1.0 + height }, smoothness }
}

/// Two active constraints and one that is slack.
pub fn constraints(n: usize, seed: u64) -> Planted {
    planted(Nonpositive::new(3), n, &[0.7, 1.5, 0.0], &[0.0, 0.0, -0.5], 0.0, seed)
}

/// A max of three rows that are equal at x*.
pub fn max(n: usize, seed: u64) -> Planted {
    planted(Max::new(3).expect("rows"), n, &[0.2, 0.3, 0.5], &[0.4; 3], 0.4, seed)
}

/// eta log sum exp(./eta) of three rows: multipliers are exp(g_j/eta) where those sum to 1.
pub fn log_sum_exp(n: usize, eta: f64, seed: u64) -> Planted {
    let multipliers = [0.2f64, 0.3, 0.5];
    let values = multipliers.map(|l| eta * l.ln());
    planted(LogSumExp::new(3, eta).expect("rows"), n, &multipliers, &values, 0.0, seed)
}
