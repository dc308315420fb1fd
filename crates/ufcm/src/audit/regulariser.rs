//! The audit of a regulariser: its prox, its minima of linear functions, its convexity.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::prox::{self, EXACT, Proxed, Proximable};
use super::{AuditOptions, distance, dot};
use crate::oracle::Regulariser;
use crate::oracle::guard::caught;
use crate::random::Random;

/// The number of coordinates that are looked at one by one.
const COORDINATES: usize = 32;

pub(super) fn audit(oracle: &dyn Regulariser, n: usize, options: &AuditOptions) -> Vec<Finding> {
    let mut findings = Findings::new(Role::Regulariser, oracle.kind());
    if n > 0
        && let Err(message) = caught(|| run(oracle, n, options, &mut findings))
    {
        findings.note(Check::Panic, Seen { message: Some(message), ..Seen::default() });
    }
    findings.into_list()
}

fn run(oracle: &dyn Regulariser, n: usize, options: &AuditOptions, findings: &mut Findings) {
    let mut random = Random::new(options.seed);
    let function = Proximable {
        n,
        diagonal: oracle.has_diagonal_prox(),
        value: &|x| oracle.value(x),
        prox: &|weight, x| oracle.prox(weight, x),
        jacobian: &|weight, point, out| oracle.prox_jacobian(weight, point, out),
    };
    let results = prox::check(&function, options, &mut random, findings);
    for (k, result) in results.iter().enumerate() {
        if findings.holds(&[Check::ProxDomain, Check::ProxOptimal]) {
            check_attained(oracle, options, result, findings);
        }
        let spread = [1.0, 0.1, 0.01, 10.0][k % 4];
        let free: Vec<f64> = random.normals(n).iter().map(|s| spread * options.radius * s).collect();
        // Halfway from 0 to a slope with a finite minimum: finite too, where u is bounded below.
        let half: Vec<f64> = result.subgradient.iter().map(|s| -0.5 * s).collect();
        for slope in [free, half] {
            check_min_linear(oracle, options, &slope, &results, findings);
        }
    }
    for pair in results.windows(2) {
        let (x, y) = (&pair[0], &pair[1].w);
        check_strong_convexity(oracle, options, x, y, findings);
        // Along single coordinates the least convex one cannot hide behind the others.
        for i in random.indices(n, COORDINATES) {
            let mut moved = x.w.clone();
            moved[i] = y[i];
            check_strong_convexity(oracle, options, x, &moved, findings);
        }
    }
}

/// <slope, x> + u(x), and the size of its terms.
fn objective(slope: &[f64], x: &[f64], value: f64) -> (f64, f64) {
    let terms: f64 = slope.iter().zip(x).map(|(s, x)| (s * x).abs()).sum();
    (dot(slope, x) + value, terms + value.abs())
}

/// w = prox(v) minimises <s, .> + u at the slope s = W (w - v), so min_linear must say the same: Fenchel's equality.
///
/// Rounding may carry s just out of the domain of u*, where the minimum is -inf; halfway to the slope 0 it cannot, and
/// there the minimum, concave in the slope, lies above the mean of the two.
fn check_attained(
    oracle: &dyn Regulariser,
    options: &AuditOptions,
    result: &Proxed,
    findings: &mut Findings,
) {
    let slope: Vec<f64> = result.subgradient.iter().map(|s| -s).collect();
    let (attained, terms) = objective(&slope, &result.w, result.value);
    let mut minimum_at = |share: f64| {
        let slope: Vec<f64> = slope.iter().map(|s| share * s).collect();
        findings.call(&slope, || oracle.min_linear(&slope, None))
    };
    let (Some(full), Some(half), Some(least)) = (minimum_at(1.0), minimum_at(0.5), minimum_at(0.0)) else {
        return;
    };
    let mean = 0.5 * (least + attained);
    let cases = [(full > f64::NEG_INFINITY, (attained - full).abs()), (least.is_finite(), mean - half)];
    for (_, excess) in cases.into_iter().filter(|(applies, _)| *applies) {
        findings.law(Check::ProxMinLinear, excess, options.tolerance * (terms + least.abs()), || Seen {
            points: vec![("v", result.v.clone()), ("w", result.w.clone()), ("slope", slope.clone())],
            numbers: vec![
                ("<slope, w> + u(w)", attained),
                ("min_linear", full),
                ("min_linear at half the slope", half),
                ("min_linear at 0", least),
            ],
            ..Seen::default()
        });
    }
}

/// The minimum lies below every sampled value, and the minimiser attains it.
fn check_min_linear(
    oracle: &dyn Regulariser,
    options: &AuditOptions,
    slope: &[f64],
    results: &[Proxed],
    findings: &mut Findings,
) {
    let mut minimiser = vec![f64::NAN; slope.len()];
    let Some(minimum) = findings.call(slope, || oracle.min_linear(slope, Some(&mut minimiser))) else {
        return;
    };
    for result in results {
        let (sampled, terms) = objective(slope, &result.w, result.value);
        findings.law(Check::MinLinear, minimum - sampled, options.tolerance * terms, || Seen {
            points: vec![("slope", slope.to_vec()), ("x", result.w.clone())],
            numbers: vec![("min_linear", minimum), ("<slope, x> + u(x)", sampled)],
            ..Seen::default()
        });
    }
    if !minimum.is_finite() {
        return;
    }
    let Some(value) = findings.extended(&minimiser, || oracle.value(&minimiser)) else { return };
    let (attained, terms) = objective(slope, &minimiser, value);
    let tolerance = options.tolerance * if terms.is_finite() { terms } else { 0.0 };
    findings.law(Check::Minimiser, (attained - minimum).abs(), tolerance, || Seen {
        points: vec![("slope", slope.to_vec()), ("minimiser", minimiser.clone())],
        numbers: vec![("min_linear", minimum), ("<slope, x> + u(x) at the minimiser", attained)],
        ..Seen::default()
    });
}

/// u(x/2 + y/2) <= u(x)/2 + u(y)/2 - mu/8 |x - y|^2; with mu = 0 this is convexity.
fn check_strong_convexity(
    oracle: &dyn Regulariser,
    options: &AuditOptions,
    x: &Proxed,
    y: &[f64],
    findings: &mut Findings,
) {
    let Some(other) = findings.extended(y, || oracle.value(y)) else { return };
    if other == f64::INFINITY {
        return;
    }
    let middle: Vec<f64> = x.w.iter().zip(y).map(|(x, y)| 0.5 * (x + y)).collect();
    let Some(value) = findings.extended(&middle, || oracle.value(&middle)) else { return };
    let mu = oracle.strong_convexity();
    let promised = mu / 8.0 * distance(&x.w, y).powi(2);
    let tolerance = EXACT * (x.value.abs() + other.abs()) + options.tolerance * promised;
    let check = if mu > 0.0 { Check::StrongConvexity } else { Check::Convex };
    let excess = value - 0.5 * (x.value + other) + promised;
    findings.law(check, excess, tolerance, || Seen {
        points: vec![("x", x.w.clone()), ("y", y.to_vec())],
        numbers: vec![("theta", 0.5), ("f(x)", x.value), ("f(y)", other), ("f between", value), ("mu", mu)],
        ..Seen::default()
    });
}
