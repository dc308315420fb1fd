//! Runs on planted instances as points of a sweep.

use super::planted::Instance;
use super::planted::runs::{Run, initial, is_checkpoint, measured};
use super::sheet::{Count, Point, Series};
use ufcm::method::{Ufcm, UfcmParameters};

/// From `first` to `last`, evenly on a log scale.
pub fn spaced(first: f64, last: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| first * (last / first).powf(k as f64 / (count - 1) as f64)).collect()
}

/// 1/10, 1/100, ...
pub fn decades(count: i32) -> Vec<f64> {
    (1..=count).map(|k| 10f64.powi(-k)).collect()
}

/// The gradients of a run that was held against its promise.
pub fn gradients(x: f64, run: &Run) -> Point {
    let observed = if run.hit == usize::MAX {
        Count::MoreThan(run.gradients as f64)
    } else {
        Count::Reached(run.hit as f64)
    };
    Point { x, observed, promised: Ok(run.promised.gradients) }
}

/// The gradients of runs whose accuracies are these shares of eps_0, that of the start.
pub fn over_shares(label: &str, instance: &Instance, shares: &[f64], run: impl Fn(f64) -> Run) -> Series {
    points_over_shares(label, instance, shares, |share, eps| gradients(share, &run(eps)))
}

/// The same for any kind of point, from the share and the accuracy.
pub fn points_over_shares(
    label: &str,
    instance: &Instance,
    shares: &[f64],
    point: impl Fn(f64, f64) -> Point,
) -> Series {
    let start = initial(instance);
    let points = shares.iter().map(|&share| point(share, share * start));
    Series::new(label, points.collect()).in_units_of(start)
}

/// What a run without a promise took.
pub struct Spent {
    pub gradients: Count,
    pub inner_steps: Count,
}

/// Algorithm 1 until its output is (eps, r)-optimal, for at most `limit` gradients.
pub fn ufcm(instance: &Instance, eps: f64, parameters: UfcmParameters, limit: usize) -> Spent {
    let start = (&instance.x0, &instance.multipliers0);
    let mut method = Ufcm::new(&instance.problem, start.0, start.1, parameters).expect("sound parameters");
    let mut arrived = false;
    while !arrived && method.iterations() < limit {
        method.step().expect("a sound instance");
        let t = method.iterations();
        arrived = (is_checkpoint(t) || t == limit) && measured(instance, method.average_x(), eps) <= eps;
    }
    let count = |value: f64| if arrived { Count::Reached(value) } else { Count::MoreThan(value) };
    Spent { gradients: count(method.iterations() as f64), inner_steps: count(method.inner_steps() as f64) }
}
