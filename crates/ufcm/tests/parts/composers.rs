//! What every composer must satisfy, over all of them: proxes against naive twins, conjugates against suprema,
//! Jacobians against differences, and what they say about themselves against samples.

use crate::composers_common;

use composers_common::{Case, Stream, Twin, norm, power_case, soft_case, zoo};
use ufcm::composer::{
    ConditionalValueAtRisk, Huber, Interval, L1Norm, L2Norm, LinfNorm, LogSumExp, Max, Nonpositive, Penalty,
    PowerSum, Quadratic, Quantile, Scaled, SquaredHinge, Stacked, WeightedSum,
};
use ufcm::error::{DataError, DataProblem, Position};
use ufcm::jacobian::ProxJacobian;
use ufcm::oracle::{Composer, Grounds, Weight};

const INF: f64 = f64::INFINITY;

/// Weights spread over `spread` around 1: all equal, or one for each row.
fn weights(rows: usize, diagonal: bool, spread: f64, stream: &mut Stream) -> Vec<f64> {
    let one = stream.magnitude(1.0 / spread, spread);
    (0..rows).map(|_| if diagonal { stream.magnitude(1.0 / spread, spread) } else { one }).collect()
}

/// The library's form of weights made by [`weights`].
fn weight(w: &[f64]) -> Weight<'_> {
    if w.windows(2).all(|pair| pair[0] == pair[1]) { Weight::scalar(w[0]) } else { Weight::diagonal(1.0, w) }
}

/// Visits every composer over 1 to 10 rows, with both kinds of weights and points of several magnitudes, each
/// `repeats` times.
fn visit(seed: u64, repeats: usize, mut check: impl FnMut(&Case, &[f64], &[f64], &mut Stream)) {
    let mut stream = Stream(seed);
    for case in (1..=10).flat_map(zoo) {
        let rows = case.composer.rows();
        for scale in [1e-3, 1.0, 30.0, 1e4] {
            for diagonal in [false, true] {
                for _ in 0..repeats {
                    let w = weights(rows, diagonal, 1e3, &mut stream);
                    let point = stream.point(rows, scale, &case.kinks);
                    check(&case, &w, &point, &mut stream);
                }
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn zip(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

/// |a|_W.
fn weighted_norm(w: &[f64], a: &[f64]) -> f64 {
    norm(&zip(w, a, |w, a| w.sqrt() * a))
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    zip(a, b, |a, b| a - b)
}

fn prox_conjugate(h: &dyn Composer, w: &[f64], v: &[f64]) -> Vec<f64> {
    let mut l = v.to_vec();
    h.prox_conjugate(weight(w), &mut l).unwrap();
    l
}

fn prox(h: &dyn Composer, w: &[f64], v: &[f64]) -> Vec<f64> {
    let mut z = v.to_vec();
    h.prox(weight(w), &mut z).unwrap();
    z
}

fn multipliers_at(h: &dyn Composer, z: &[f64]) -> Vec<f64> {
    let mut l = vec![f64::NAN; z.len()];
    h.multipliers_at(z, &mut l);
    l
}

/// The prox of h* at v by Moreau's decomposition of the twin's prox of h.
fn twin_prox_conjugate(twin: &Twin, w: &[f64], v: &[f64]) -> Vec<f64> {
    let inverse: Vec<f64> = w.iter().map(|w| 1.0 / w).collect();
    let z = twin.prox(&inverse, &zip(w, v, |w, v| w * v));
    (0..v.len()).map(|j| v[j] - z[j] / w[j]).collect()
}

/// Both proxes are nonexpansive in |.|_W, so rounding of their argument moves them by no more than this.
fn check_close(case: &Case, w: &[f64], v: &[f64], got: &[f64], expected: &[f64]) {
    let error = weighted_norm(w, &difference(got, expected));
    let scale = weighted_norm(w, v) + weighted_norm(w, expected) + weighted_norm(w, &difference(v, expected));
    assert!(
        error <= 1e-13 * scale,
        "{}: w = {w:?}, v = {v:?}: {got:?} against {expected:?}: {:e}",
        case.name,
        error / scale
    );
}

/// h(z) + h*(l) - <l, z>, next to the rounding that z = W (v - l) may bring into it.
fn fenchel_young_gap(case: &Case, w: &[f64], v: &[f64], l: &[f64]) -> (f64, f64) {
    let h = case.composer.as_ref();
    // Rounding may leave z outside the domain of a constraint; its size is checked by the scale below.
    let exact = (0..v.len()).map(|j| w[j] * (v[j] - l[j])).collect::<Vec<_>>();
    let z = case.twin.nearest_in_domain(&exact);
    let slack: f64 = (0..v.len()).map(|j| w[j] * (v[j].abs() + l[j].abs())).sum();
    let outside = norm(&difference(&z, &exact));
    assert!(outside <= 1e-14 * slack, "{}: v = {v:?}: {exact:?} is {outside:e} outside", case.name);
    let other = multipliers_at(h, &z);
    let sizes: f64 =
        (0..v.len()).map(|j| (l[j].abs() + other[j].abs()) * w[j] * (v[j].abs() + l[j].abs())).sum();
    let (value, conjugate) = (h.value(&z), h.conjugate(l));
    (value + conjugate - dot(l, &z), value.abs() + conjugate.abs() + sizes)
}

#[test]
fn values_are_those_of_the_twins() {
    visit(1, 4, |case, _, z, _| {
        let (got, expected) = (case.composer.value(z), case.twin.value(z));
        let close = got == expected || (got - expected).abs() <= 1e-13 * (expected.abs() + norm(z));
        assert!(close, "{} at {z:?}: {got} against {expected}", case.name);
    });
}

#[test]
fn the_prox_of_the_conjugate_is_that_of_the_twin() {
    visit(2, 2, |case, w, v, _| {
        let l = prox_conjugate(case.composer.as_ref(), w, v);
        check_close(case, w, v, &l, &twin_prox_conjugate(&case.twin, w, v));
    });
}

#[test]
fn value_conjugate_and_prox_meet_in_fenchel_youngs_equality() {
    visit(3, 5, |case, w, v, _| {
        let l = prox_conjugate(case.composer.as_ref(), w, v);
        let (gap, scale) = fenchel_young_gap(case, w, v, &l);
        assert!(gap.abs() <= 1e-13 * scale, "{}: w = {w:?}, v = {v:?}, l = {l:?}: gap {gap:e}", case.name);
    });
}

#[test]
fn the_prox_is_that_of_the_twin_and_minimises() {
    visit(4, 1, |case, w, v, stream| {
        let (h, twin) = (case.composer.as_ref(), &case.twin);
        let z = prox(h, w, v);
        check_close(case, w, v, &z, &twin.prox(w, v));
        // Moreau: z + W^-1 l = v for the prox l of h* at W v in the metric W^-1.
        let inverse: Vec<f64> = w.iter().map(|w| 1.0 / w).collect();
        let l = prox_conjugate(h, &inverse, &zip(w, v, |w, v| w * v));
        check_close(case, w, v, &z, &(0..v.len()).map(|j| v[j] - l[j] / w[j]).collect::<Vec<_>>());
        // Strong convexity: every other point is worse by half its squared distance.
        let z = twin.nearest_in_domain(&z);
        let objective = |y: &[f64]| twin.value(y) + 0.5 * weighted_norm(w, &difference(y, v)).powi(2);
        for size in [1e-3, 1.0, 1e3] {
            let y = twin.nearest_in_domain(&zip(&z, &stream.point(v.len(), size, &[]), |a, b| a + b));
            let (here, there) = (objective(&z), objective(&y));
            let least = here + 0.5 * weighted_norm(w, &difference(&y, &z)).powi(2);
            let rounding =
                1e-12 * (here.abs() + there.abs() + twin.value(&z).abs() + weighted_norm(w, v).powi(2));
            assert!(there >= least - rounding, "{}: {y:?} beats the prox {z:?} of {v:?}", case.name);
        }
    });
}

#[test]
fn both_proxes_are_firmly_nonexpansive() {
    visit(5, 3, |case, w, a, stream| {
        let h = case.composer.as_ref();
        let b = zip(a, &stream.point(a.len(), norm(a), &case.kinks), |a, d| a + d);
        for operator in [prox_conjugate, prox] {
            let (image_a, image_b) = (operator(h, w, a), operator(h, w, &b));
            let moved = difference(&image_a, &image_b);
            let product = dot(&zip(w, &moved, |w, d| w * d), &difference(a, &b));
            let square = weighted_norm(w, &moved).powi(2);
            let size = [a, &b, &image_a, &image_b].iter().map(|x| weighted_norm(w, x)).sum::<f64>();
            let rounding = 1e-13 * size * (weighted_norm(w, &moved) + weighted_norm(w, &difference(a, &b)));
            assert!(product >= square - rounding, "{}: {a:?}, {b:?}: {product} < {square}", case.name);
        }
    });
}

/// S of the prox of h* at v, by columns.
fn jacobian(h: &dyn Composer, w: &[f64], v: &[f64], storage: &mut ProxJacobian) -> Vec<Vec<f64>> {
    h.prox_conjugate_jacobian(weight(w), v, &mut storage.start(v.len())).unwrap();
    let column = |j: usize| {
        let unit: Vec<f64> = (0..v.len()).map(|i| f64::from(u8::from(i == j))).collect();
        let mut column = vec![f64::NAN; v.len()];
        storage.apply(&unit, &mut column);
        column
    };
    (0..v.len()).map(column).collect()
}

/// W^1/2 S W^1/2, similar to S W.
fn symmetric_form(h: &dyn Composer, w: &[f64], v: &[f64], storage: &mut ProxJacobian) -> faer::Mat<f64> {
    let s = jacobian(h, w, v, storage);
    faer::Mat::from_fn(v.len(), v.len(), |i, j| w[i].sqrt() * s[j][i] * w[j].sqrt())
}

#[test]
fn jacobians_are_symmetric_with_eigenvalues_between_0_and_1() {
    let mut storage = ProxJacobian::new();
    visit(6, 2, |case, w, v, _| {
        let s = symmetric_form(case.composer.as_ref(), w, v, &mut storage);
        for (i, j) in (0..v.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!((s[(i, j)] - s[(j, i)]).abs() <= 1e-14, "{}: not symmetric at {v:?}", case.name);
        }
        // Shifted by the identity: eigenvalue iterations need not converge on matrices of subnormal numbers.
        let shifted = &s + faer::Mat::<f64>::identity(v.len(), v.len());
        let eigenvalues = shifted.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        let inside = eigenvalues.iter().all(|e| (1.0 - 1e-13..=2.0 + 1e-13).contains(e));
        assert!(inside, "{}: w = {w:?}, v = {v:?}: {eigenvalues:?}", case.name);
    });
}

#[test]
fn jacobians_are_the_derivatives_of_the_prox() {
    let mut storage = ProxJacobian::new();
    let (mut compared, mut met) = (0, 0);
    visit(7, 2, |case, w, v, _| {
        let h = case.composer.as_ref();
        let s = symmetric_form(h, w, v, &mut storage);
        let here = prox_conjugate(h, w, v);
        let step = 1e-7 * (weighted_norm(w, v) + weighted_norm(w, &here));
        // At 0 the powers have a cusp in their derivative.
        for j in (0..v.len()).filter(|&j| v[j] != 0.0) {
            let quotient = |direction: f64| {
                let mut moved = v.to_vec();
                moved[j] += direction * step / w[j].sqrt();
                let change = difference(&prox_conjugate(h, w, &moved), &here);
                zip(w, &change, |w, c| w.sqrt() * c / (direction * step))
            };
            let (ahead, behind) = (quotient(1.0), quotient(-1.0));
            met += 1;
            // Where the two sides differ there is a kink in between.
            if norm(&difference(&ahead, &behind)) > 1e-5 {
                continue;
            }
            compared += 1;
            for i in 0..v.len() {
                let central = 0.5 * (ahead[i] + behind[i]);
                let error = (central - s[(i, j)]).abs();
                assert!(
                    error <= 2e-6,
                    "{}: w = {w:?}, v = {v:?}, ({i}, {j}): {central} {}",
                    case.name,
                    s[(i, j)]
                );
            }
        }
    });
    assert!(compared * 10 > met * 9, "only {compared} of {met} directions were free of kinks");
}

#[test]
fn the_conjugate_is_above_every_sample_and_infinite_where_they_grow() {
    let mut infinite = 0;
    visit(8, 3, |case, w, l, stream| {
        let h = case.composer.as_ref();
        let inside = prox_conjugate(h, w, l);
        for l in [l, &inside] {
            let conjugate = h.conjugate(l);
            for size in [1e-2, 1.0, 1e2] {
                let z = case.twin.nearest_in_domain(&stream.point(l.len(), size, &case.kinks));
                let sample = dot(l, &z) - h.value(&z);
                // The prox leaves the domain by the rounding of l, which enters the conjugate as it says itself.
                let rounding = 1e-13 * (h.value(&z).abs() + norm(l) * norm(&z))
                    + 2.0 * f64::EPSILON * h.conjugate_magnitude(l);
                assert!(conjugate >= sample - rounding, "{}: l = {l:?}, z = {z:?}", case.name);
            }
        }
        assert!(h.conjugate(&inside) < INF, "{}: the prox left the domain at {l:?}", case.name);
        // A multiplier outside the domain is separated from it by the direction of its projection, the limit of the
        // prox for large weights.
        let inside = prox_conjugate(h, &vec![1e14; l.len()], l);
        // What rounding leaves of an entry is no direction.
        let direction =
            zip(&difference(l, &inside), l, |d, l| if d.abs() > 1e-9 * l.abs() { d } else { 0.0 });
        if h.conjugate(l) == INF && norm(&direction) > 0.0 {
            infinite += 1;
            // From 1 in every row: at the end of its domain 1/z is 1e100.
            let along = |t: f64| {
                let way = zip(&direction, &direction, |d, _| 1.0 + t * d / norm(&direction));
                let z = case.twin.nearest_in_domain(&way);
                dot(l, &z) - case.twin.value(&z)
            };
            assert!(
                along(1e12) > 1e3 * along(1e6).abs() && along(1e12) > 1.0,
                "{}: {l:?} is bounded",
                case.name
            );
        }
    });
    assert!(infinite > 1000, "only {infinite} multipliers lay outside");
}

#[test]
fn multipliers_are_subgradients() {
    visit(9, 5, |case, _, z, stream| {
        let h = case.composer.as_ref();
        let l = multipliers_at(h, z);
        assert!(h.conjugate(&l) < INF, "{}: {l:?} at {z:?} is outside the domain", case.name);
        let z = case.twin.nearest_in_domain(z);
        let (value, conjugate) = (h.value(&z), h.conjugate(&l));
        let scale = value.abs() + conjugate.abs() + norm(&l) * norm(&z);
        let gap = value + conjugate - dot(&l, &z);
        assert!(gap.abs() <= 1e-13 * scale, "{}: z = {z:?}, l = {l:?}: gap {gap:e}", case.name);
        let y = case.twin.nearest_in_domain(&stream.point(z.len(), 1.0 + norm(&z), &case.kinks));
        let least = value + dot(&l, &difference(&y, &z));
        let rounding = 1e-13 * (scale + h.value(&y).abs() + norm(&l) * norm(&y));
        assert!(h.value(&y) >= least - rounding, "{}: not a subgradient at {z:?}", case.name);
    });
}

#[test]
fn smoothness_holds_where_finite_and_fails_where_infinite() {
    for case in (1..=10).flat_map(zoo) {
        let (h, rows) = (case.composer.as_ref(), case.composer.rows());
        let mut stream = Stream(10);
        let mut steepest = 0.0f64;
        let mut leaves_domain = false;
        for size in [1e-100, 1e-9, 1e-2, 1.0, 1e3] {
            for start in [0.0, 1.0, 10.0] {
                for _ in 0..30 {
                    let a = stream.point(rows, start, &case.kinks);
                    let b = zip(&a, &stream.point(rows, size, &[]), |a, d| a + d);
                    let gap = norm(&difference(&a, &b));
                    let gradients = (multipliers_at(h, &a), multipliers_at(h, &b));
                    let change = norm(&difference(&gradients.0, &gradients.1));
                    // Below the rounding of the gradients themselves a quotient says nothing.
                    let rounding = 1e-14 * (norm(&gradients.0) + norm(&gradients.1));
                    let bound = if gap > 0.0 { h.smoothness() * gap } else { 0.0 };
                    assert!(change <= bound + rounding, "{}: {a:?}, {b:?}", case.name);
                    if change > rounding && gap > 0.0 {
                        steepest = steepest.max(change / gap);
                    }
                    leaves_domain |= h.domain_distance(&b) > 0.0;
                }
            }
        }
        assert_eq!(h.smoothness() == INF, steepest > 1e6 || leaves_domain, "{}: {steepest:e}", case.name);
    }
}

#[test]
fn smoothness_has_the_known_constants() {
    let huber = || Box::new(Huber::new(2, 0.5, 3.0).unwrap());
    assert_eq!(WeightedSum::ones(4).smoothness(), 0.0);
    assert_eq!(LogSumExp::new(3, 0.25).unwrap().smoothness(), 4.0);
    assert_eq!(ConditionalValueAtRisk::new(3, 0.5).unwrap().smoothness(), INF);
    assert_eq!(ConditionalValueAtRisk::new(3, 1.0).unwrap().smoothness(), 0.0);
    assert_eq!(SquaredHinge::new(3, 0.5).unwrap().smoothness(), 8.0);
    assert_eq!(huber().smoothness(), 3.0);
    assert_eq!(PowerSum::new(3, 2.0, 1.5).unwrap().smoothness(), 3.0);
    assert_eq!(Quadratic::new(vec![0.5, 4.0, 0.0]).unwrap().smoothness(), 4.0);
    assert_eq!(Interval::new(vec![-INF], vec![INF]).unwrap().smoothness(), 0.0);
    assert_eq!(Scaled::new(5.0, huber()).unwrap().smoothness(), 15.0);
    assert_eq!(Stacked::new(vec![huber(), Box::new(WeightedSum::ones(1))]).smoothness(), 3.0);
}

#[test]
fn nondecreasing_rows_are_told_apart() {
    for case in (1..=10).flat_map(zoo) {
        let h = case.composer.as_ref();
        let mut stream = Stream(11);
        for row in 0..h.rows() {
            let mut decreases = false;
            for size in [0.1, 1.0, 30.0] {
                for _ in 0..20 {
                    let above = case.twin.nearest_in_domain(&stream.point(h.rows(), size, &case.kinks));
                    let mut below = above.clone();
                    below[row] -= size * stream.unit();
                    let (low, high) = (h.value(&below), h.value(&above));
                    decreases |= low > high + 1e-12 * high.abs();
                }
            }
            assert_eq!(h.is_nondecreasing(row), !decreases, "{}, row {row}", case.name);
        }
    }
}

#[test]
fn domain_distance_is_the_distance_to_the_projection() {
    visit(12, 3, |case, w, z, _| {
        let h = case.composer.as_ref();
        let projection = case.twin.nearest_in_domain(z);
        let (got, expected) = (h.domain_distance(z), norm(&difference(z, &projection)));
        assert!((got - expected).abs() <= 1e-14 * expected, "{}: {got} against {expected}", case.name);
        assert_eq!(h.value(z) == INF, got > 0.0, "{} at {z:?}", case.name);
        // The prox of an indicator is the projection, whatever the weight.
        if ["nonpositive", "equality", "interval"].contains(&h.kind()) {
            check_close(case, w, z, &prox(h, w, z), &projection);
        }
    });
}

#[test]
fn extreme_numbers_give_no_nan_and_stay_in_the_domain() {
    let mut stream = Stream(13);
    let extremes = [0.0, 1e-300, -1e-300, 1.0, -1.0, 1e16, -1e16, 1e300, -1e300];
    let soft = [1e-8, 1e8].map(|eta| soft_case(4, eta));
    for case in zoo(4).into_iter().chain(soft).chain([1e-15, 1e-6].map(|e| power_case(4, 1.0 + e, 2.0))) {
        let (h, rows) = (case.composer.as_ref(), case.composer.rows());
        let mut storage = ProxJacobian::new();
        for round in 0..400 {
            let v: Vec<f64> = (0..rows).map(|_| stream.pick(&extremes)).collect();
            let w = weights(rows, round % 2 == 0, 1e6, &mut stream);
            let l = prox_conjugate(h, &w, &v);
            assert!(l.iter().all(|l| l.is_finite()), "{}: {l:?} at {v:?}", case.name);
            let conjugate = h.conjugate(&l);
            let overflows = l.iter().any(|l| l.abs() > 1e140);
            assert!(conjugate.is_finite() || (conjugate == INF && overflows), "{}: {v:?}, {l:?}", case.name);
            assert!(!h.value(&v).is_nan(), "{} at {v:?}", case.name);
            assert!(multipliers_at(h, &v).iter().all(|l| l.is_finite()), "{} at {v:?}", case.name);
            assert!(h.domain_distance(&v).is_finite(), "{} at {v:?}", case.name);
            let s = jacobian(h, &w, &v, &mut storage);
            assert!(s.iter().flatten().all(|s| s.is_finite()), "{}: w = {w:?}, v = {v:?}: {s:?}", case.name);
        }
    }
}

#[test]
fn log_sum_exp_solves_its_prox_over_sixteen_orders_of_temperature() {
    let mut stream = Stream(14);
    for round in 0..6000 {
        let (rows, eta) = (1 + round % 10, stream.magnitude(1e-8, 1e8));
        let h = LogSumExp::new(rows, eta).unwrap();
        let w = weights(rows, round % 3 > 0, 1e6, &mut stream);
        let size = stream.magnitude(1e-3, 1e6);
        let v = stream.point(rows, size, &[0.0, 1.0]);
        let l = prox_conjugate(&h, &w, &v);
        let sum: f64 = l.iter().sum();
        assert!(
            (sum - 1.0).abs() <= 1e-14 && l.iter().all(|l| *l >= 0.0),
            "eta = {eta}, w = {w:?}, v = {v:?}: {sum}"
        );
        // eta log l_j + w_j (l_j - v_j) is the same for all j; where it is not, l_j is off by the difference over
        // its derivative.
        let theta = |j: usize| eta * l[j].ln() + w[j] * (l[j] - v[j]);
        let rounding = |j: usize| eta * l[j].ln().abs() + w[j] * (l[j] + v[j].abs());
        let pivot = (0..rows).max_by(|&i, &j| l[i].total_cmp(&l[j])).unwrap();
        for j in (0..rows).filter(|&j| l[j] > 1e-200) {
            let error = (theta(j) - theta(pivot)).abs();
            let scale = rounding(j) + rounding(pivot);
            assert!(
                error <= 1e-13 * scale,
                "eta = {eta}, w = {w:?}, v = {v:?}, l = {l:?}: {:e}",
                error / scale
            );
        }
    }
}

#[test]
fn power_sum_is_exact_down_to_exponent_one() {
    let mut stream = Stream(15);
    for excess in [f64::EPSILON, 1e-13, 1e-10, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.0 - 1e-6] {
        for round in 0..800 {
            let far = if round % 2 == 0 { 1e6 } else { 1e60 };
            let (p, weight) = (1.0 + excess, stream.magnitude(1.0 / far, far));
            let case = power_case(1, p, weight);
            let w = [stream.magnitude(1.0 / far, far)];
            let size = stream.magnitude(1.0 / far, far);
            let v = stream.point(1, size, &[0.0, weight, -weight]);
            let l = prox_conjugate(case.composer.as_ref(), &w, &v);
            let error = (l[0] - twin_prox_conjugate(&case.twin, &w, &v)[0]).abs();
            assert!(
                error <= 4.0 * f64::EPSILON * v[0].abs(),
                "p = {p}, w = {w:?}, v = {v:?}: {l:?}, off by {error:e}"
            );
            // A small l is right in all its digits: it is h'(z) at z = w (v - l).
            if l[0].abs() <= 0.5 * v[0].abs() {
                let slope = weight * p * (w[0] * (v[0] - l[0]).abs()).powf(p - 1.0);
                assert!(
                    (slope - l[0].abs()).abs() <= 4.0 * f64::EPSILON * slope,
                    "p = {p}: {l:?} against {slope}"
                );
            }
        }
    }
}

#[test]
fn the_ball_of_the_l2_norm_is_found_from_far_away() {
    let mut stream = Stream(16);
    let (rows, radius) = (5, 1.5);
    let h = L2Norm::new(rows, radius).unwrap();
    for _ in 0..500 {
        let w = weights(rows, true, 1e3, &mut stream);
        let size = stream.magnitude(1e100, 1e300);
        let v = stream.point(rows, size, &[]);
        let l = prox_conjugate(&h, &w, &v);
        // The ball is a point against |v|: l is along W v.
        let pull = zip(&w, &v, |w, v| w * v);
        let expected: Vec<f64> = pull.iter().map(|p| radius * (p / norm(&pull))).collect();
        assert!(
            norm(&difference(&l, &expected)) <= 1e-14,
            "w = {w:?}, v = {v:?}: {l:?} against {expected:?}"
        );
    }
}

#[test]
fn no_rows_are_the_constant_0_where_that_makes_sense() {
    let empty: Vec<Box<dyn Composer>> = vec![
        Box::new(WeightedSum::ones(0)),
        Box::new(Nonpositive::new(0)),
        Box::new(ufcm::composer::Equality::new(0)),
        Box::new(Interval::new(vec![], vec![]).unwrap()),
        Box::new(L1Norm::new(vec![]).unwrap()),
        Box::new(L2Norm::new(0, 1.0).unwrap()),
        Box::new(LinfNorm::new(0, 1.0).unwrap()),
        Box::new(Quadratic::new(vec![]).unwrap()),
        Box::new(Huber::new(0, 1.0, 1.0).unwrap()),
        Box::new(SquaredHinge::new(0, 1.0).unwrap()),
        Box::new(Quantile::new(0, 0.5, 1.0).unwrap()),
        Box::new(Penalty::new(0, 1.0).unwrap()),
        Box::new(PowerSum::new(0, 1.5, 1.0).unwrap()),
        Box::new(Stacked::new(vec![])),
    ];
    for h in empty {
        assert_eq!((h.rows(), h.value(&[]), h.conjugate(&[])), (0, 0.0, 0.0), "{}", h.kind());
        assert_eq!(h.domain_distance(&[]), 0.0);
        h.prox_conjugate(Weight::scalar(1.0), &mut []).unwrap();
        h.prox_conjugate_jacobian(Weight::scalar(1.0), &[], &mut ProxJacobian::new().start(0)).unwrap();
        h.multipliers_at(&[], &mut []);
    }
}

#[test]
fn bad_data_is_named() {
    fn problem<T>(made: Result<T, DataError>) -> (&'static str, DataProblem) {
        let error = made.err().expect("bad data was taken");
        (error.object, error.problem)
    }
    fn refuses<T>(object: &str, field: &str, bad: &[f64], make: impl Fn(f64) -> Result<T, DataError>) {
        for &bad in bad {
            let (named, problem) = problem(make(bad));
            assert_eq!(named, object);
            match problem {
                DataProblem::NotFinite { field: named, value, .. } => {
                    assert!(named == field && !bad.is_finite() && value.to_bits() == bad.to_bits());
                }
                DataProblem::OutOfRange { field: named, value, .. } => {
                    assert!(named == field && bad.is_finite() && value == bad);
                }
                other => panic!("{object} {field} = {bad}: {other}"),
            }
        }
    }
    let scales = [f64::NAN, INF, -INF, 0.0, -1.0, 1e-101, 1e101];
    refuses("log-sum-exp", "eta", &scales, |eta| LogSumExp::new(2, eta));
    refuses("squared hinge", "eta", &scales, |eta| SquaredHinge::new(2, eta));
    refuses("huber", "delta", &scales, |delta| Huber::new(2, delta, 1.0));
    refuses("huber", "weight", &scales, |weight| Huber::new(2, 1.0, weight));
    refuses("penalty", "weight", &scales, |weight| Penalty::new(2, weight));
    refuses("quantile", "weight", &scales, |weight| Quantile::new(2, 0.5, weight));
    refuses("quantile", "level", &[f64::NAN, INF, 0.0, 1.0, -0.5, 1.5], |level| Quantile::new(2, level, 1.0));
    refuses("power sum", "weight", &scales, |weight| PowerSum::new(2, 1.5, weight));
    refuses("power sum", "exponent", &[f64::NAN, INF, 0.99, 2.01, -1.0], |p| PowerSum::new(2, p, 1.0));
    refuses("l2 norm of rows", "weight", &scales, |weight| L2Norm::new(2, weight));
    refuses("linf norm of rows", "weight", &scales, |weight| LinfNorm::new(2, weight));
    refuses("scaled", "factor", &scales, |c| Scaled::new(c, Box::new(Nonpositive::new(1))));
    let stack = Stacked::new(vec![Box::new(Max::new(1).unwrap()), Box::new(Nonpositive::new(1))]);
    let message = Scaled::new(2.0, Box::new(stack)).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("scale its other parts"), "{message}");
    refuses("weighted sum", "weights", &[f64::NAN, INF, -INF], |w| WeightedSum::new(vec![1.0, w]));
    refuses("l1 norm of rows", "weights", &[f64::NAN, INF, -1.0], |w| L1Norm::new(vec![1.0, w]));
    refuses("quadratic of rows", "weights", &[f64::NAN, INF, -1.0, 1e-200, 1e200], |w| {
        Quadratic::new(vec![1.0, w])
    });
    refuses("interval", "lower", &[f64::NAN, INF], |l| Interval::new(vec![0.0, l], vec![1.0, 1.0]));
    refuses("interval", "upper", &[f64::NAN, -INF, -1.0], |u| Interval::new(vec![0.0, 0.0], vec![1.0, u]));

    refuses("conditional value at risk", "alpha", &[f64::NAN, INF, 0.0, -0.5, 1.5], |alpha| {
        ConditionalValueAtRisk::new(2, alpha)
    });

    assert_eq!(problem(Max::new(0)), ("max", DataProblem::Empty { field: "rows" }));
    let no_rows = ("conditional value at risk", DataProblem::Empty { field: "rows" });
    assert_eq!(problem(ConditionalValueAtRisk::new(0, 0.5)), no_rows);
    assert_eq!(problem(LogSumExp::new(0, 1.0)), ("log-sum-exp", DataProblem::Empty { field: "rows" }));
    let length = DataProblem::Length { field: "upper", expected: 2, got: 1 };
    assert_eq!(problem(Interval::new(vec![0.0, 0.0], vec![1.0])), ("interval", length));
    let place = Position::Entry(1);
    let expected =
        DataProblem::OutOfRange { field: "weights", position: place, value: -1.0, expected: "nonnegative" };
    assert_eq!(problem(L1Norm::new(vec![1.0, -1.0])), ("l1 norm of rows", expected));
    let named = Interval::new(vec![0.0, 2.0], vec![1.0, 1.5]).unwrap_err().to_string();
    assert_eq!(named, "interval: upper[1] is 1.5; it must be at least the lower bound");
}

#[test]
fn all_rest_on_construction_also_side_by_side_and_scaled() {
    for case in (1..=3).flat_map(zoo) {
        assert_eq!(case.composer.grounds(), Grounds::Construction, "{}", case.composer.kind());
        // Stacks with constraints are not scaled.
        if let Ok(scaled) = Scaled::new(2.0, case.composer) {
            assert_eq!(Stacked::new(vec![Box::new(scaled)]).grounds(), Grounds::Construction);
        }
    }
}
