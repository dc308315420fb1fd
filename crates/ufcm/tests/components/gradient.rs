//! Gradients against differences of values.

use crate::list::{Case, LARGE, Order, all, small};
use crate::measure::{bits, dot, norm, step};
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};

/// A few coordinates and a few directions without structure.
fn directions(n: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
    let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
    let mut directions: Vec<Vec<f64>> = (0..n.min(6)).map(|k| unit(k * n / n.min(6))).collect();
    directions.extend((0..2).map(|_| rng.vector(n).iter().map(|d| d / (n as f64).sqrt()).collect()));
    directions
}

fn check(case: &Case, rng: &mut Rng) {
    let n = case.dimension();
    let x = rng.vector(n);
    let (value, gradient) = case.at(&x);
    assert_eq!(case.value(&x).to_bits(), value.to_bits(), "{}: the value without gradient", case.name);
    for d in directions(n, rng) {
        let slope = dot(&gradient, &d);
        // Convexity brackets every subgradient: (f(x) - f(x - hd)) / h <= <g, d> <= (f(x + hd) - f(x)) / h.
        let h = 1e-5;
        let (behind, ahead) = (case.value(&step(&x, -h, &d)), case.value(&step(&x, h, &d)));
        let rounding = 1e-13 * (value.abs() / h + norm(&gradient) * norm(&d));
        let (low, high) = ((value - behind) / h - rounding, (ahead - value) / h + rounding);
        assert!(low <= slope && slope <= high, "{}: {slope} outside [{low}, {high}]", case.name);
        // Where there are second derivatives the middle of the bracket is nearly exact, more so with twice the step's middle,
        // which has four times its error.
        if case.order != Order::Kinked {
            let twice = case.value(&step(&x, 2.0 * h, &d)) - case.value(&step(&x, -2.0 * h, &d));
            let middle = (8.0 * (ahead - behind) - twice) / (12.0 * h);
            let error = (middle - slope).abs();
            let scale = value.abs() + norm(&gradient) * norm(&d);
            assert!(error <= 1e-8 * scale, "{}: {slope} is not {middle} (scale {scale})", case.name);
        }
    }
}

#[test]
fn gradients_are_those_of_the_values() {
    let mut rng = Rng::new(1);
    for case in small() {
        for _ in 0..3 {
            check(&case, &mut rng);
        }
    }
}

#[test]
fn gradients_are_those_of_the_values_on_data_of_several_blocks() {
    let mut rng = Rng::new(2);
    for (k, (rows, columns)) in LARGE.into_iter().enumerate() {
        for storage in [STORAGES[k], STORAGES[k + 2]] {
            for case in all(&Samples::random(rows, columns, 3), storage) {
                check(&case, &mut rng);
            }
        }
    }
}

#[test]
fn gradients_overwrite_what_was_there() {
    let mut rng = Rng::new(4);
    for case in small() {
        let x = rng.vector(case.dimension());
        let mut other = vec![1e9; x.len()];
        case.component.evaluate(&x, Some(&mut other)).expect("finite");
        assert_eq!(bits(&case.at(&x).1), bits(&other), "{}", case.name);
    }
}
