//! Hessians and their diagonals against differences of gradients.

use crate::list::{Case, LARGE, Order, all, small};
use crate::measure::{assert_close, minus, norm, step};
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};
use ufcm::budget::Budget;
use ufcm::component::{Logistic, MultinomialLogistic};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Curvature, OracleError};

/// The Hessian, where the component has one.
pub fn curvature(case: &Case) -> Option<&dyn Curvature> {
    let curvature = case.component.curvature();
    match case.order {
        Order::Second => assert!(curvature.is_some(), "{} should offer a Hessian", case.name),
        Order::First => assert!(curvature.is_none(), "{} has no Hessian", case.name),
        // What a kinked one offers is the curvature of a quadratic above it (component/glm/power.rs has its test).
        Order::Kinked => return None,
        // A sum of affine parts may say that its Hessian is zero.
        Order::Affine => {}
    }
    curvature
}

/// The lower triangle of the Hessian by columns, zeros above.
pub fn hessian(curvature: &dyn Curvature, x: &[f64]) -> Vec<f64> {
    let mut hessian = vec![0.0; x.len() * x.len()];
    curvature.add_hessian(x, 1.0, &mut hessian).expect("finite");
    hessian
}

pub fn diagonal(curvature: &dyn Curvature, x: &[f64]) -> Vec<f64> {
    let mut diagonal = vec![0.0; x.len()];
    curvature.add_diagonal(x, 1.0, &mut diagonal).expect("finite");
    diagonal
}

/// Columns of the Hessian, in full, are differences of gradients.
fn check_columns(case: &Case, x: &[f64], hessian: &[f64], columns: impl Iterator<Item = usize>) {
    let (n, h) = (x.len(), 1e-5);
    let size = hessian.iter().fold(0.0, |size: f64, h| size.max(h.abs()));
    for j in columns {
        let unit: Vec<f64> = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        let (behind, ahead) = (case.at(&step(x, -h, &unit)).1, case.at(&step(x, h, &unit)).1);
        for i in 0..n {
            let difference = (ahead[i] - behind[i]) / (2.0 * h);
            let entry = hessian[i.min(j) * n + i.max(j)];
            let tolerance = 1e-8 * size + 1e-9 * norm(&ahead);
            assert!(
                (difference - entry).abs() <= tolerance,
                "{}: H[{i}, {j}] = {entry}, by differences {difference}",
                case.name
            );
        }
    }
}

#[test]
fn hessians_are_those_of_the_gradients() {
    let mut rng = Rng::new(11);
    for case in small() {
        let Some(curvature) = curvature(&case) else { continue };
        let x = rng.vector(case.dimension());
        check_columns(&case, &x, &hessian(curvature, &x), 0..x.len());
    }
}

#[test]
fn hessians_are_those_of_the_gradients_on_data_of_several_blocks() {
    let mut rng = Rng::new(12);
    for (k, (rows, columns)) in LARGE.into_iter().enumerate() {
        for case in all(&Samples::random(rows, columns, 13), STORAGES[2 * k]) {
            let Some(curvature) = curvature(&case) else { continue };
            let n = case.dimension();
            let x = rng.vector(n);
            let hessian = hessian(curvature, &x);
            // Not for kinks: among thousands of samples some are at one.
            if !case.name.contains("hinge") && !case.name.contains("Huber") {
                check_columns(&case, &x, &hessian, [0, 31, n - 1].into_iter());
            }
            let of_hessian: Vec<f64> = (0..n).map(|i| hessian[i * n + i]).collect();
            assert_close(&case.name, &diagonal(curvature, &x), &of_hessian, 1e-12);
        }
    }
}

#[test]
fn hessians_are_added_with_their_weight_and_nothing_above_the_diagonal_is_touched() {
    let mut rng = Rng::new(14);
    for case in small() {
        let Some(curvature) = curvature(&case) else { continue };
        let n = case.dimension();
        let (x, before, weight) = (rng.vector(n), rng.vector(n * n), 1.7);
        let plain = hessian(curvature, &x);
        let mut after = before.clone();
        curvature.add_hessian(&x, weight, &mut after).expect("finite");
        for (j, i) in (0..n * n).map(|k| (k / n, k % n)) {
            let k = j * n + i;
            if i < j {
                assert_eq!(plain[k].to_bits(), 0, "{}: ({i}, {j}) is above the diagonal", case.name);
                assert_eq!(after[k].to_bits(), before[k].to_bits(), "{}: ({i}, {j}) above", case.name);
            }
        }
        let expected = step(&before, weight, &plain);
        assert_close(&case.name, &after, &expected, 1e-14);
    }
}

#[test]
fn diagonals_are_those_of_the_hessian_and_below_their_bound() {
    let mut rng = Rng::new(15);
    let mut bounded = 0;
    for case in small() {
        let Some(curvature) = curvature(&case) else { continue };
        let n = case.dimension();
        let mut bound = vec![0.25; n];
        let has_bound = curvature.add_diagonal_bound(2.0, &mut bound);
        bounded += usize::from(has_bound);
        if !has_bound {
            assert_eq!(bound, vec![0.25; n], "{}: no bound, so nothing may be added", case.name);
        }
        for scale in [0.0, 0.1, 1.0, 3.0] {
            let x: Vec<f64> = rng.vector(n).iter().map(|x| scale * x).collect();
            let plain = diagonal(curvature, &x);
            let hessian = hessian(curvature, &x);
            let of_hessian: Vec<f64> = (0..n).map(|i| hessian[i * n + i]).collect();
            assert_close(&case.name, &plain, &of_hessian, 1e-12);
            let before = rng.vector(n);
            let mut after = before.clone();
            curvature.add_diagonal(&x, 0.6, &mut after).expect("finite");
            assert_close(&case.name, &after, &step(&before, 0.6, &plain), 1e-14);
            if has_bound {
                let excess = minus(&plain, &bound.iter().map(|b| (b - 0.25) / 2.0).collect::<Vec<_>>());
                let rounding = 1e-13 * norm(&plain);
                assert!(excess.iter().all(|&e| e <= rounding), "{}: {excess:?} above", case.name);
            }
        }
    }
    assert!(bounded > 200, "most components know a bound; {bounded} did");
}

#[test]
fn products_are_those_of_the_hessian_and_are_added_with_their_weight() {
    let mut rng = Rng::new(16);
    let mut offering = 0;
    for case in small() {
        let Some(curvature) = curvature(&case) else { continue };
        let n = case.dimension();
        let (x, vectors, before) = (rng.vector(n), rng.vector(2 * n), rng.vector(2 * n));
        let mut after = before.clone();
        let outcome = curvature.add_products(&x, 1.7, &vectors, &mut after);
        if !curvature.has_products() {
            assert!(matches!(outcome, Err(OracleError::Unsupported { .. })), "{}", case.name);
            continue;
        }
        outcome.expect("finite");
        offering += 1;
        let hessian = hessian(curvature, &x);
        let entry = |i: usize, j: usize| hessian[i.min(j) * n + i.max(j)];
        let product = |k: usize| (0..n).map(|j| entry(k % n, j) * vectors[k / n * n + j]).sum::<f64>();
        let products: Vec<f64> = (0..2 * n).map(product).collect();
        assert_close(&case.name, &after, &step(&before, 1.7, &products), 1e-12);
    }
    assert!(offering >= 10, "{offering} components offer products");
}

/// Where rows come in fours that are alike, one of each four says what all do.
#[test]
fn a_sample_of_rows_that_are_alike_says_what_all_do() {
    let mut rng = Rng::new(29);
    let (groups, n, classes) = (30, 4, 3);
    let rows: Vec<f64> =
        (0..groups).flat_map(|_| (0..n).map(|_| rng.normal()).collect::<Vec<_>>().repeat(4)).collect();
    let labels = |count: usize| (0..4 * groups).map(move |i| ((i / 4) % count) as f64);
    let data = || Matrix::row_major(4 * groups, n, rows.clone()).unwrap();
    let signs: Vec<f64> = labels(2).map(|y| 2.0 * y - 1.0).collect();
    let classified: Vec<f64> = labels(classes).collect();
    let losses: [Box<dyn Component>; 2] = [
        Box::new(Logistic::new(data(), &signs).unwrap()),
        Box::new(MultinomialLogistic::new(data(), &classified, classes).unwrap()),
    ];
    for loss in losses {
        let (curvature, order) = (loss.curvature().unwrap(), loss.dimension());
        let x: Vec<f64> = (0..order).map(|_| rng.normal()).collect();
        let whole = hessian(curvature, &x);
        let mut sampled = vec![0.0; order * order];
        curvature.add_sampled_hessian(&x, 1.0, 0.25, &mut sampled, &Budget::unlimited()).unwrap();
        for (whole, sampled) in whole.iter().zip(&sampled) {
            assert!((whole - sampled).abs() <= 1e-13, "{}: {whole} and {sampled}", loss.kind());
        }
        let mut half = vec![0.0; order * order];
        curvature.add_sampled_hessian(&x, 1.0, 0.125, &mut half, &Budget::unlimited()).unwrap();
        assert!(half != sampled, "{}: one in eight leaves every other group out", loss.kind());
    }
}
