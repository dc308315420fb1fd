//! Inner steps against the second column of table 1: P_eps in its four cases.

use super::planted::{Composition, runs, uniform_instance};
use super::runs::decades;
use super::sheet::{Count, Point, Series, Sheet};
use super::{Effort, Outcome};

/// The case, composition, whether rows are strongly convex, the order in 1/eps, and the decades that are swept.
const CASES: [(&str, Composition, bool, f64, i32); 4] = [
    ("1a: max", Composition::Max, false, 1.0, 4),
    ("1b: log-sum-exp", Composition::LogSumExp(0.5), false, 0.5, 6),
    ("2a: max, q = 1", Composition::Max, true, 0.5, 6),
    ("2b: log-sum-exp, q = 1", Composition::LogSumExp(0.5), true, 0.0, 6),
];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let (mut by_inner_steps, mut by_gradients) = (Vec::new(), Vec::new());
    for (label, composition, convex, order, last) in CASES {
        let instance = uniform_instance(composition, 1.0, convex.then_some((0.3, 1.0)), 11);
        let start = runs::initial(&instance);
        let shares = decades(last.min(effort.choose(3, 6)));
        let runs: Vec<_> =
            shares.iter().map(|share| runs::restarted(&instance, share * start, true, false)).collect();
        let points = |count: &dyn Fn(&runs::Run) -> (f64, f64)| -> Vec<Point> {
            let point = |(&share, run): (&f64, &runs::Run)| {
                let (observed, promised) = count(run);
                Point { x: share, observed: Count::Reached(observed), promised: Ok(promised) }
            };
            shares.iter().zip(&runs).map(point).collect()
        };
        let steps = points(&|run| (run.inner_steps as f64, run.promised.proximal));
        by_inner_steps.push(Series::new(label, steps).in_units_of(start).of_order(order));
        let outer = points(&|run| (run.gradients as f64, run.promised.gradients));
        by_gradients.push(Series::new(label, outer).in_units_of(start).of_order(if convex {
            0.0
        } else {
            0.5
        }));
    }
    Ok(vec![
        Sheet::over_accuracies("inner steps of the whole plan", "inner steps", by_inner_steps),
        Sheet::over_accuracies("gradients of the whole plan", "gradients", by_gradients),
    ])
}
