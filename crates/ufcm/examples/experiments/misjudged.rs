//! L_ADA misjudged by 1/100 to 100: what does too much cost, and how far does too little go?

use super::planted;
use super::planted::{Composition, Instance, uniform_instance};
use super::runs::{spaced, ufcm};
use super::sheet::{Point, Series, Sheet};
use super::{Effort, Outcome};
use ufcm::method::UfcmParameters;
use ufcm::theory::promise::{self, Balance, Errors};

/// Composition, p and the accuracy.
const CASES: [(Composition, f64, f64); 5] = [
    (Composition::Constraints, 1.0, 1e-3),
    (Composition::Max, 1.0, 1e-3),
    (Composition::Sum, 1.0, 1e-3),
    (Composition::Constraints, 0.5, 1e-2),
    (Composition::Constraints, 0.0, 0.06),
];

/// A run without a promise stops after so many times the gradients that L_ADA promises.
const PATIENCE: f64 = 3.0;

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let factors = spaced(effort.choose(0.1, 0.01), 100.0, effort.choose(4, 13));
    let cases = &CASES[..effort.choose(4, CASES.len())];
    let series = cases.iter().map(|&(composition, p, eps)| {
        let instance = uniform_instance(composition, p, None, 11);
        let points = factors.iter().map(|&factor| point(&instance, eps, factor));
        Series::new(format!("{}, p = {p}", composition.name()), points.collect()).of_order(0.5)
    });
    Ok(vec![Sheet::over_factors("L given to the method", "L/L_ADA", "gradients", series.collect())])
}

fn point(instance: &Instance, eps: f64, factor: f64) -> Point {
    let exact = planted::theory(instance, eps).l_ada(instance.d_x);
    let l_ada = factor * exact;
    let balance = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda);
    let errors = Errors::UpTo((24.0 * l_ada * instance.d_x.powi(2) / eps).sqrt());
    let radius = promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, errors);
    let due = |l: f64| promise::heterogeneous_balanced(l, eps, instance.distances(radius));
    let promised = if factor < 1.0 - 1e-12 {
        Err("L >= L_ADA does not hold".to_owned())
    } else {
        due(l_ada).map(|promise| promise.gradients).map_err(|why| why.to_string())
    };
    // As long as its promise lasts; without one, several times that for L_ADA.
    let patient = due(exact).map_or(0.0, |promise| PATIENCE * promise.gradients);
    let limit = promised.as_ref().map_or(patient, |promised| *promised).ceil() as usize;
    let spent = ufcm(instance, eps, UfcmParameters { l_ada, balance }, limit);
    Point { x: factor, observed: spent.gradients, promised }
}
