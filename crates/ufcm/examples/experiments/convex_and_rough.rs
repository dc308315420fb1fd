//! p < 1 with uniform convexity: does R-UFCM reach the exponents of K_UC?

use super::planted::{Composition, runs, uniform_instance};
use super::runs::{decades, over_shares};
use super::sheet::Sheet;
use super::{Effort, Outcome};

/// mu_j; L_j grows with it.
const CONVEXITY: f64 = 0.3;

/// (p, q) and the decades that are swept.
const CASES: [(f64, f64, i32); 6] =
    [(1.0, 1.0, 6), (1.0, 2.0, 6), (0.5, 1.0, 6), (0.5, 2.0, 6), (0.25, 1.0, 5), (0.0, 1.0, 3)];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let sheet = |title: &str, composition: Composition| {
        let series = CASES.iter().map(|&(p, q, last)| {
            let instance = uniform_instance(composition, p, Some((CONVEXITY, q)), 11);
            let shares = decades(last.min(effort.choose(3, 6)));
            let run = |eps| runs::restarted(&instance, eps, true, true);
            // eq:optimal-holderSmoothUniformlyConvex-rate.
            let order = 2.0 * (q - p) / ((1.0 + 3.0 * p) * (1.0 + q));
            over_shares(&format!("p = {p}, q = {q}"), &instance, &shares, run).of_order(order)
        });
        Sheet::over_accuracies(title, "gradients", series.collect())
    };
    Ok(vec![sheet("R-UFCM, constraints", Composition::Constraints), sheet("R-UFCM, sum", Composition::Sum)])
}
