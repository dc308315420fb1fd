//! C and Delta away from D_lambda/D_x and C/(2 L_ADA): gradients and inner steps.

use super::planted;
use super::planted::{Composition, Instance, uniform_instance};
use super::runs::{Spent, spaced, ufcm};
use super::sheet::{Point, Series, Sheet};
use super::{Effort, Outcome};
use ufcm::method::UfcmParameters;
use ufcm::theory::promise::{self, Balance, Errors, Promise};

/// Composition, p and the accuracy.
const CASES: [(Composition, f64, f64); 3] = [
    (Composition::Constraints, 1.0, 1e-3),
    (Composition::Max, 1.0, 1e-3),
    (Composition::Constraints, 0.5, 1e-2),
];

/// A run stops after so many times the gradients that the paper's choice promises, if it has no promise of its own.
const PATIENCE: f64 = 20.0;

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let factors = spaced(0.01, 100.0, effort.choose(5, 9));
    let mut sheets = Vec::new();
    // C alone, with Delta as it was; and Delta alone.
    for (title, swept, of_c) in
        [("C alone", "C D_x/D_lambda", true), ("Delta alone", "2 L_ADA Delta/C", false)]
    {
        let share = |factor: f64| if of_c { (factor, 1.0) } else { (1.0, factor) };
        let (mut by_gradients, mut by_inner_steps) = (Vec::new(), Vec::new());
        for (composition, p, eps) in CASES {
            let instance = uniform_instance(composition, p, None, 11);
            let runs: Vec<_> =
                factors.iter().map(|&factor| (factor, balanced(&instance, eps, share(factor)))).collect();
            let label = format!("{}, p = {p}", composition.name());
            let outer = runs.iter().map(|(x, (spent, promised))| Point {
                x: *x,
                observed: spent.gradients,
                promised: promised.clone().map(|promise| promise.gradients),
            });
            let inner = runs.iter().map(|(x, (spent, promised))| Point {
                x: *x,
                observed: spent.inner_steps,
                promised: promised.clone().map(|promise| promise.proximal),
            });
            by_gradients.push(Series::new(label.clone(), outer.collect()));
            by_inner_steps.push(Series::new(label, inner.collect()));
        }
        sheets.push(Sheet::over_factors(title, swept, "gradients", by_gradients));
        sheets.push(Sheet::over_factors(
            &format!("{title}, inner steps"),
            swept,
            "inner steps",
            by_inner_steps,
        ));
    }
    Ok(sheets)
}

/// Algorithm 1 with the paper's C and Delta times these.
fn balanced(instance: &Instance, eps: f64, (c, delta): (f64, f64)) -> (Spent, Result<Promise, String>) {
    let theory = planted::theory(instance, eps);
    let l_ada = theory.l_ada(instance.d_x);
    let paper = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda);
    let balance = Balance { c: c * paper.c, delta: delta * paper.delta };
    let smooth = theory.rows().iter().all(|row| row.smoothness.exponent == 1.0);
    let steps = (24.0 * l_ada * instance.d_x.powi(2) / eps).sqrt();
    let errors = if smooth { Errors::None } else { Errors::UpTo(steps) };
    let radius = promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, errors);
    let at = instance.distances(radius);
    let promised = if smooth {
        Ok(promise::smooth(l_ada, eps, instance.r(eps), balance, at))
    } else {
        promise::heterogeneous(l_ada, eps, instance.r(eps), balance, at).map_err(|why| why.to_string())
    };
    let limit = promised.as_ref().map_or(PATIENCE * steps, |promise| promise.gradients).ceil() as usize;
    (ufcm(instance, eps, UfcmParameters { l_ada, balance }, limit), promised)
}
