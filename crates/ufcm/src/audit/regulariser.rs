//! The audit of a regulariser: its prox, its minima of linear functions, its convexity.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::guard::guarded;
use super::prox::{self, Proxed, Proximable};
use super::random::Random;
use super::{AuditOptions, distance, dot};
use crate::oracle::Regulariser;

pub(super) fn audit(oracle: &dyn Regulariser, n: usize, options: &AuditOptions) -> Vec<Finding> {
    let mut findings = Findings::new(Role::Regulariser, oracle.kind());
    if n > 0
        && let Err(message) = guarded(|| run(oracle, n, options, &mut findings))
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
        check_strong_convexity(oracle, options, &pair[0], &pair[1], findings);
    }
}

/// <slope, x> + u(x), and the size of its terms.
fn objective(slope: &[f64], x: &[f64], value: f64) -> (f64, f64) {
    let terms: f64 = slope.iter().zip(x).map(|(s, x)| (s * x).abs()).sum();
    (dot(slope, x) + value, terms + value.abs())
}

/// w = prox(v) minimises <W (w - v), .> + u, so min_linear must say the same: Fenchel's equality.
fn check_attained(
    oracle: &dyn Regulariser,
    options: &AuditOptions,
    result: &Proxed,
    findings: &mut Findings,
) {
    let slope: Vec<f64> = result.subgradient.iter().map(|s| -s).collect();
    let Some(minimum) = findings.call(&slope, || oracle.min_linear(&slope, None)) else { return };
    // Rounding may carry the slope out of the domain of u*, where the minimum is -inf.
    if minimum == f64::NEG_INFINITY {
        return;
    }
    let (attained, terms) = objective(&slope, &result.w, result.value);
    findings.law(Check::ProxMinLinear, (attained - minimum).abs(), options.tolerance * terms, || Seen {
        points: vec![("v", result.v.clone()), ("w", result.w.clone()), ("slope", slope.clone())],
        numbers: vec![("<slope, w> + u(w)", attained), ("min_linear", minimum)],
        ..Seen::default()
    });
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
    y: &Proxed,
    findings: &mut Findings,
) {
    let middle: Vec<f64> = x.w.iter().zip(&y.w).map(|(x, y)| 0.5 * (x + y)).collect();
    let Some(value) = findings.extended(&middle, || oracle.value(&middle)) else { return };
    let mu = oracle.strong_convexity();
    let promised = mu / 8.0 * distance(&x.w, &y.w).powi(2);
    let tolerance = options.tolerance * (x.value.abs() + y.value.abs() + promised);
    let check = if mu > 0.0 { Check::StrongConvexity } else { Check::Convex };
    let excess = value - 0.5 * (x.value + y.value) + promised;
    findings.law(check, excess, tolerance, || Seen {
        points: vec![("x", x.w.clone()), ("y", y.w.clone())],
        numbers: vec![("theta", 0.5), ("f(x)", x.value), ("f(y)", y.value), ("f between", value), ("mu", mu)],
        ..Seen::default()
    });
}
