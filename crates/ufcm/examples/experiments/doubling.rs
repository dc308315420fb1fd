//! Three kinds of ignorance: nothing but distances (the doubling schedule), L_ADA and distances, L_ADA alone.

use super::planted;
use super::planted::runs::{is_checkpoint, measured};
use super::planted::{Composition, Instance, RowKind, runs};
use super::runs::{gradients, points_over_shares, spaced, ufcm};
use super::sheet::{Count, Point, Sheet};
use super::{Effort, Outcome};
use ufcm::method::{Doubling, UfcmParameters};
use ufcm::theory::promise::{self, Balance, Errors};

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let shares = spaced(1e-2, effort.choose(1e-3, 1e-4), effort.choose(3, 5));
    let mut sheets = Vec::new();
    for scale in [1.0, 100.0] {
        let instance = instance(scale);
        let known = |share, eps| gradients(share, &runs::ufcm(&instance, eps, true));
        let series = vec![
            points_over_shares("distances alone: doubling", &instance, &shares, |share, eps| {
                doubling(&instance, share, eps)
            }),
            points_over_shares("L_ADA and distances", &instance, &shares, known),
            points_over_shares("L_ADA alone", &instance, &shares, |share, eps| {
                without_distances(&instance, share, eps)
            }),
        ];
        let series = series.into_iter().map(|series| series.of_order(0.5)).collect();
        sheets.push(Sheet::over_accuracies(
            &format!("constraints with L about {scale}"),
            "gradients",
            series,
        ));
    }
    Ok(sheets)
}

fn instance(scale: f64) -> Instance {
    let row = |scale: f64, multiplier: f64| RowKind { scale, p: 1.0, convexity: None, multiplier };
    let rows = [row(scale, 1.0), row(2.0 * scale, 5.0), row(0.5 * scale, 0.0)];
    planted::instance(Composition::Constraints, &rows, 30, 11)
}

/// All gradients of the schedule until its output is good enough. The promise is the sum of the runs up to the first with
/// L >= L_ADA (remark rmk:tradeoff-lada-dist).
fn doubling(instance: &Instance, share: f64, eps: f64) -> Point {
    let l_ada = planted::theory(instance, eps).l_ada(instance.d_x);
    let distances = (instance.d_x, instance.d_lambda);
    let start = (&instance.x0, &instance.multipliers0);
    let mut schedule =
        Doubling::new(&instance.problem, start.0, start.1, eps, distances).expect("a sound instance");
    let last = l_ada.log2().ceil().max(0.0) as i32;
    let length = |k: i32| (24.0 * 2f64.powi(k) * instance.d_x.powi(2) / eps).sqrt().ceil();
    let promised: f64 = (0..=last).map(length).sum();
    let mut arrived = false;
    while !arrived && (schedule.gradients() as f64) < promised {
        let ended = schedule.step().expect("a sound instance");
        let t = schedule.method().iterations();
        arrived =
            (is_checkpoint(t) || ended) && measured(instance, schedule.method().average_x(), eps) <= eps;
    }
    let count = schedule.gradients() as f64;
    let observed = if arrived { Count::Reached(count) } else { Count::MoreThan(count) };
    Point { x: share, observed, promised: Ok(promised) }
}

/// C = sqrt(2)/2, Delta = sqrt(2)/(4 L_ADA) (cor:smooth-composite-rates).
fn without_distances(instance: &Instance, share: f64, eps: f64) -> Point {
    let l_ada = planted::theory(instance, eps).l_ada_smooth();
    let balance = Balance::without_distances(l_ada);
    let radius = promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, Errors::None);
    let promised = promise::smooth(l_ada, eps, instance.r(eps), balance, instance.distances(radius));
    let limit = promised.gradients.ceil() as usize;
    let spent = ufcm(instance, eps, UfcmParameters { l_ada, balance }, limit);
    Point { x: share, observed: spent.gradients, promised: Ok(promised.gradients) }
}
