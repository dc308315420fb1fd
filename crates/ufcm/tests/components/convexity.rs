//! Convexity, smoothness and lower bounds, as stated by the components.

use crate::list::{Case, LARGE, Order, all, small};
use crate::measure::{dot, minus, norm, step};
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};
use ufcm::oracle::{Convexity, MinorantSums, Smoothness};

/// Pairs far apart, close to each other, and along the direction in which the gradient changes most or least.
fn pairs(case: &Case, rng: &mut Rng) -> Vec<(Vec<f64>, Vec<f64>)> {
    let n = case.dimension();
    let mut pairs = Vec::new();
    for distance in [3.0, 1.0, 1e-2, 1e-4] {
        let x = rng.vector(n);
        pairs.push((x.clone(), step(&x, distance, &rng.vector(n))));
    }
    for centre in [vec![0.0; n], rng.vector(n)] {
        let (most, least) = extreme_directions(case, &centre, rng);
        for distance in [2.0, 0.3, 1e-3] {
            pairs.push((step(&centre, -distance, &most), step(&centre, distance, &most)));
            pairs.push((step(&centre, -distance, &least), step(&centre, distance, &least)));
        }
    }
    pairs
}

/// By power iteration on v -> (∇f(x + hv) - ∇f(x - hv)) / 2h, and on the shift of it that turns the order around.
fn extreme_directions(case: &Case, x: &[f64], rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let h = 1e-3;
    let product = |v: &[f64]| -> Vec<f64> {
        let change = minus(&case.at(&step(x, h, v)).1, &case.at(&step(x, -h, v)).1);
        change.iter().map(|c| c / (2.0 * h)).collect()
    };
    let iterate = |shift: f64, mut v: Vec<f64>| {
        for _ in 0..30 {
            let w: Vec<f64> = product(&v).iter().zip(&v).map(|(w, v)| w - shift * v).collect();
            let size = norm(&w);
            if size > 0.0 {
                v = w.iter().map(|w| w / size).collect();
            }
        }
        v
    };
    let start = |rng: &mut Rng| {
        let v = rng.vector(x.len());
        let size = norm(&v);
        v.iter().map(|v| v / size).collect::<Vec<f64>>()
    };
    let most = iterate(0.0, start(rng));
    let largest = norm(&product(&most));
    (most, iterate(largest, start(rng)))
}

/// f(y) >= f(x) + <∇f(x), y - x> + mu/(q+1) |y - x|^(q+1) up to rounding.
fn check_convexity(case: &Case, x: &[f64], y: &[f64], stated: Option<Convexity>) {
    let ((fx, gx), fy, d) = (case.at(x), case.value(y), minus(y, x));
    let terms: f64 = gx.iter().zip(&d).map(|(g, d)| (g * d).abs()).sum();
    // A loss near its kink is small where the products that it is made of are not: their rounding is that of x and y.
    let products: f64 = gx.iter().zip(x.iter().zip(y)).map(|(g, (x, y))| g.abs() * (x.abs() + y.abs())).sum();
    let rounding = 1e-13 * (fx.abs() + fy.abs() + terms) + 1e-15 * products;
    let extra = stated.map_or(0.0, |Convexity { constant, exponent }| {
        constant / (exponent + 1.0) * norm(&d).powf(exponent + 1.0)
    });
    let gap = fy - fx - dot(&gx, &d);
    assert!(gap >= extra - rounding, "{}: {gap:e} < {extra:e} at distance {:e}", case.name, norm(&d));
}

/// |∇f(x) - ∇f(y)| <= L |x - y|^p up to rounding. Answers how much of the bound was used.
fn check_smoothness(case: &Case, x: &[f64], y: &[f64], stated: Smoothness) -> f64 {
    let (gx, gy, distance) = (case.at(x).1, case.at(y).1, norm(&minus(x, y)));
    let (change, bound) = (norm(&minus(&gx, &gy)), stated.constant * distance.powf(stated.exponent));
    let rounding = 1e-13 * (norm(&gx) + norm(&gy) + stated.constant * (norm(x) + norm(y)));
    assert!(change <= bound + rounding, "{}: {change:e} > {bound:e} at distance {distance:e}", case.name);
    if bound > 0.0 { change / bound } else { 0.0 }
}

fn check(case: &Case, rng: &mut Rng) {
    let (stated, convexity) = (case.component.smoothness(), case.component.convexity());
    let mut used = 0.0f64;
    for (x, y) in pairs(case, rng) {
        for (x, y) in [(&x, &y), (&y, &x)] {
            check_convexity(case, x, y, convexity);
        }
        if let Some(stated) = stated {
            used = used.max(check_smoothness(case, &x, &y, stated));
        }
    }
    // A constant that is far too large is no lie, but of no use. Quadratics are equally curved everywhere.
    let quadratics = ["least squares", "power 2", "dense", "sparse", "full", "diagonal", "factored"];
    if quadratics.iter().any(|name| case.name.starts_with(name)) {
        assert!(used > 0.05, "{}: L is {:.0} times too large", case.name, 1.0 / used);
    }
}

#[test]
fn convexity_and_smoothness_hold_as_stated() {
    let mut rng = Rng::new(21);
    for case in small() {
        check(&case, &mut rng);
    }
}

#[test]
fn convexity_and_smoothness_hold_as_stated_on_data_of_several_blocks() {
    let mut rng = Rng::new(22);
    let (rows, columns) = LARGE[0];
    for case in all(&Samples::random(rows, columns, 23), STORAGES[1]) {
        let (stated, convexity) = (case.component.smoothness(), case.component.convexity());
        for distance in [1.0, 1e-3] {
            let x = rng.vector(case.dimension());
            let y = step(&x, distance, &rng.vector(x.len()));
            check_convexity(&case, &x, &y, convexity);
            if let Some(stated) = stated {
                check_smoothness(&case, &x, &y, stated);
            }
        }
    }
}

#[test]
fn everything_that_can_be_known_is_stated() {
    for case in small() {
        let unbounded =
            ["Poisson", "exponential", "quartic", "power 3"].iter().any(|name| case.name.contains(name));
        assert_eq!(case.component.smoothness().is_none(), unbounded, "{}: smoothness", case.name);
        assert_eq!(case.component.is_affine(), case.order == Order::Affine, "{}: affine", case.name);
        let custom = case.name.contains("quartic") || case.name.contains("root");
        assert_eq!(case.component.operations().is_none(), custom, "{}: operations", case.name);
    }
}

/// Steepest descent with halving: goes as low as it can in a few steps.
fn descend(case: &Case, mut x: Vec<f64>) -> Vec<f64> {
    for _ in 0..40 {
        let (value, gradient) = case.at(&x);
        let is_lower = |y: &Vec<f64>| case.component.evaluate(y, None).is_ok_and(|other| other < value);
        let lower = |t: f64| Some(step(&x, -t, &gradient)).filter(is_lower);
        match (0..40).find_map(|k| lower(4.0 * 0.5f64.powi(k))) {
            Some(y) => x = y,
            None => break,
        }
    }
    x
}

#[test]
fn lower_bounds_hold() {
    let mut rng = Rng::new(24);
    let mut known = 0;
    for case in small() {
        let Some(bound) = case.component.lower_bound() else { continue };
        known += 1;
        let start = rng.vector(case.dimension());
        for x in [descend(&case, start.clone()), start] {
            let (value, gradient) = case.at(&x);
            let rounding = 1e-13 * (value.abs() + bound.abs() + norm(&x) * norm(&gradient));
            assert!(value >= bound - rounding, "{}: {value} < {bound}", case.name);
        }
    }
    assert!(known > 300, "most components know a bound; {known} did");
}

/// What a component says of itself lies below it, near and far.
#[test]
fn own_minorants_hold() {
    let mut rng = Rng::new(26);
    let mut sloped = 0;
    for case in small() {
        let n = case.dimension();
        let (mut slope, mut slope_sizes) = (vec![0.0; n], vec![0.0; n]);
        let mut sums =
            MinorantSums { offset: 0.0, offset_size: 0.0, slope: &mut slope, slope_sizes: &mut slope_sizes };
        let known = case.component.add_own_minorant(2.0, &mut sums);
        let (offset, size) = (sums.offset, sums.offset_size);
        assert!(known || case.component.lower_bound().is_none(), "{}: a bound is a minorant", case.name);
        if !known {
            continue;
        }
        sloped += usize::from(slope.iter().any(|s| *s != 0.0));
        let start = rng.vector(n);
        for x in [descend(&case, start.clone()), start] {
            let (value, gradient) = case.at(&x);
            let below = offset + slope.iter().zip(&x).map(|(s, x)| s * x).sum::<f64>();
            let rounding = 1e-13 * (value.abs() + size + norm(&x) * (norm(&gradient) + norm(&slope_sizes)));
            assert!(2.0 * value >= below - rounding, "{}: {value} < {below} / 2", case.name);
            if case.component.is_affine() {
                assert!((2.0 * value - below).abs() <= rounding, "{}: affine ones are their own", case.name);
            }
        }
    }
    assert!(sloped > 30, "quadratics and sums with linear parts have slopes; {sloped} did");
}

#[test]
fn lower_bounds_of_single_losses_are_reached() {
    let samples = Samples::random(1, 1, 25);
    let tight = ["least squares", "Huber", "Poisson", "power", "squared hinge", "smoothed hinge"];
    for case in all(&samples, STORAGES[0]) {
        if tight.iter().any(|name| case.name.starts_with(name)) && case.order == Order::Second {
            let bound = case.component.lower_bound().expect("losses are bounded below");
            let reached = case.value(&descend(&case, vec![0.3]));
            assert!(reached - bound <= 1e-6, "{}: {reached} is far from {bound}", case.name);
        }
    }
}
