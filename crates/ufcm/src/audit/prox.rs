//! Laws of a prox, for regularisers (of u) and composers (of h*) alike.
//!
//! w = argmin u + 1/2 |. - v|_W^2 says that W (v - w) is a subgradient of u at w:
//!
//! ```text
//! u(c) >= u(w) + <W (v - w), c - w>   for every c.
//! ```
//!
//! Candidates c are other results of the prox (they lie in the domain), and w with a coordinate moved or with
//! mass moved between two coordinates, so that sets like the simplex are probed too.

use super::derivative::worst_mismatch;
use super::finding::{Check, Findings, Seen};
use super::{AuditOptions, dot, largest, shifted};
use crate::jacobian::{JacobianBlock, ProxJacobian};
use crate::oracle::{OracleError, Weight};
use crate::random::Random;

type Value<'a> = &'a dyn Fn(&[f64]) -> f64;
type Prox<'a> = &'a dyn Fn(Weight<'_>, &mut [f64]) -> Result<(), OracleError>;
type Jacobian<'a> = &'a dyn Fn(Weight<'_>, &[f64], &mut JacobianBlock<'_>) -> Result<(), OracleError>;

/// A convex function with a prox.
pub(super) struct Proximable<'a> {
    pub(super) n: usize,
    /// Whether the prox takes diagonal weights.
    pub(super) diagonal: bool,
    pub(super) value: Value<'a>,
    pub(super) prox: Prox<'a>,
    pub(super) jacobian: Jacobian<'a>,
}

/// A weight W that can be kept.
#[derive(Debug, Clone)]
struct Metric {
    scale: f64,
    diagonal: Option<Vec<f64>>,
}

impl Metric {
    fn random(random: &mut Random, n: usize, diagonal: bool) -> Self {
        let mut power = |range: f64| 10.0_f64.powf(range * (2.0 * random.uniform() - 1.0));
        let scale = power(2.0);
        Self { scale, diagonal: diagonal.then(|| (0..n).map(|_| power(1.0)).collect()) }
    }

    fn weight(&self) -> Weight<'_> {
        match &self.diagonal {
            None => Weight::scalar(self.scale),
            Some(diagonal) => Weight::diagonal(self.scale, diagonal),
        }
    }

    fn entries(&self, n: usize) -> Vec<f64> {
        (0..n).map(|i| self.weight().at(i)).collect()
    }
}

/// w = prox(v) in a metric, with W (v - w), a subgradient at w.
pub(super) struct Proxed {
    metric: Metric,
    pub(super) v: Vec<f64>,
    pub(super) w: Vec<f64>,
    /// The function at w.
    pub(super) value: f64,
    pub(super) subgradient: Vec<f64>,
}

/// Errors of a prox relative to its argument that count as rounding.
pub(super) const EXACT: f64 = 1e-9;

/// Checks a prox at random points; gives back the results that lie in the domain.
pub(super) fn check(
    function: &Proximable<'_>,
    options: &AuditOptions,
    random: &mut Random,
    findings: &mut Findings,
) -> Vec<Proxed> {
    let mut results = Vec::new();
    for k in 0..options.points(options.is_quick(function.n)) {
        let spread = [1.0, 0.3, 5.0, 30.0][k % 4];
        let v = options.point(random, function.n, spread);
        let metric = Metric::random(random, function.n, function.diagonal && k % 2 == 1);
        let Some(w) = proxed(function, &metric, &v, findings) else { return results };
        let Some(value) = findings.extended(&w, || (function.value)(&w)) else { return results };
        let in_domain = value < f64::INFINITY;
        findings.law(Check::ProxDomain, if in_domain { 0.0 } else { f64::INFINITY }, 0.0, || Seen {
            points: vec![("v", v.clone()), ("W", metric.entries(v.len())), ("w", w.clone())],
            numbers: vec![("value at w", value)],
            ..Seen::default()
        });
        // A neighbour sees jumps, another point the whole.
        let near = shifted(&v, 1e-3 * spread * options.radius, &random.normals(v.len()));
        let far = options.point(random, function.n, spread);
        for other in [near, far] {
            check_nonexpansive(function, &metric, &v, &w, &other, findings);
        }
        check_jacobian(function, options, &metric, &v, &w, random, findings);
        if in_domain {
            let subgradient = (0..v.len()).map(|i| metric.weight().at(i) * (v[i] - w[i])).collect();
            results.push(Proxed { metric, v, w, value, subgradient });
        }
    }
    for result in &results {
        for other in &results {
            check_optimal(function, options, result, other.w.clone(), findings);
        }
        for candidate in moved(result, options, random) {
            check_optimal(function, options, result, candidate, findings);
        }
    }
    results
}

/// prox(v); a panic, an error or a number that is not finite becomes a finding.
fn proxed(
    function: &Proximable<'_>,
    metric: &Metric,
    v: &[f64],
    findings: &mut Findings,
) -> Option<Vec<f64>> {
    let mut w = v.to_vec();
    let outcome = findings.call(v, || (function.prox)(metric.weight(), &mut w))?;
    let points = || vec![("v", v.to_vec()), ("W", metric.entries(v.len()))];
    let excess = f64::INFINITY;
    if let Err(error) = outcome {
        findings.note(Check::Failure, Seen::failure(error, points()));
        return None;
    }
    if let Some(i) = w.iter().position(|w| !w.is_finite()) {
        let (numbers, index) = (vec![("prox entry", w[i])], Some(i));
        findings.note(Check::Finite, Seen { points: points(), numbers, index, excess, ..Seen::default() });
        return None;
    }
    Some(w)
}

/// w with single coordinates moved, and with mass moved from one coordinate to another.
fn moved(result: &Proxed, options: &AuditOptions, random: &mut Random) -> Vec<Vec<f64>> {
    let w = &result.w;
    let step = 0.1 * options.radius.max(largest(result.v.iter().copied()));
    let mut candidates = Vec::new();
    for i in random.indices(w.len(), 8) {
        for t in [-step, step, -w[i], 1e-3 * step, -1e-3 * step] {
            let mut c = w.clone();
            c[i] += t;
            candidates.push(c);
        }
        let j = random.below(w.len());
        if i != j {
            for t in [w[i], 0.5 * w[i]] {
                let mut c = w.clone();
                c[i] -= t;
                c[j] += t;
                candidates.push(c);
            }
        }
    }
    candidates
}

fn check_optimal(
    function: &Proximable<'_>,
    options: &AuditOptions,
    at: &Proxed,
    candidate: Vec<f64>,
    findings: &mut Findings,
) {
    let Some(value) = findings.extended(&candidate, || (function.value)(&candidate)) else { return };
    if value == f64::INFINITY {
        return;
    }
    let (mut slope, mut terms, mut rounding) = (0.0, value.abs().max(at.value.abs()), 0.0);
    for ((s, c), w) in at.subgradient.iter().zip(&candidate).zip(&at.w) {
        slope += s * (c - w);
        terms += (s * (c - w)).abs();
        rounding += EXACT * s.abs() * (c.abs() + w.abs());
    }
    let excess = (at.value - value) + slope;
    findings.law(Check::ProxOptimal, excess, options.tolerance * terms + rounding, || Seen {
        points: vec![
            ("v", at.v.clone()),
            ("W", at.metric.entries(at.v.len())),
            ("w", at.w.clone()),
            ("c", candidate.clone()),
        ],
        numbers: vec![("u(c)", value), ("u(w)", at.value), ("<W (v - w), c - w>", slope)],
        ..Seen::default()
    });
}

fn check_nonexpansive(
    function: &Proximable<'_>,
    metric: &Metric,
    v: &[f64],
    w: &[f64],
    other: &[f64],
    findings: &mut Findings,
) {
    let Some(image) = proxed(function, metric, other, findings) else { return };
    let (mut square, mut product, mut tolerance) = (0.0, 0.0, 0.0);
    for i in 0..v.len() {
        let (weight, dv, dw) = (metric.weight().at(i), v[i] - other[i], w[i] - image[i]);
        square += weight * dw * dw;
        product += weight * dw * dv;
        tolerance += EXACT * weight * (v[i].abs() + w[i].abs()) * (dv.abs() + dw.abs());
    }
    findings.law(Check::FirmlyNonexpansive, square - product, tolerance, || Seen {
        points: vec![("v", v.to_vec()), ("v'", other.to_vec()), ("W", metric.entries(v.len()))],
        numbers: vec![("|w - w'|_W^2", square), ("<w - w', W (v - v')>", product)],
        ..Seen::default()
    });
}

/// S W t against differences of the prox, and 0 <= <t, S t> <= <t, W^-1 t>.
fn check_jacobian(
    function: &Proximable<'_>,
    options: &AuditOptions,
    metric: &Metric,
    v: &[f64],
    w: &[f64],
    random: &mut Random,
    findings: &mut Findings,
) {
    const RELATIVE: f64 = 1e-4;
    const ROUNDING: f64 = 1e-13;
    let n = v.len();
    let weight = metric.weight();
    let t = random.normals(n);
    let weighted: Vec<f64> = t.iter().enumerate().map(|(i, t)| weight.at(i) * t).collect();
    let outcome = findings.call(v, || {
        let mut jacobian = ProxJacobian::new();
        (function.jacobian)(weight, v, &mut jacobian.start(n))?;
        let (mut along, mut form) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        jacobian.apply(&weighted, &mut along);
        jacobian.apply(&t, &mut form);
        Ok::<_, OracleError>((along, dot(&form, &t)))
    });
    let points = || vec![("v", v.to_vec()), ("t", t.clone()), ("W", metric.entries(n))];
    let (claimed, form) = match outcome {
        None | Some(Err(OracleError::Unsupported { .. })) => return,
        Some(Err(error)) => {
            findings.note(Check::Failure, Seen::failure(error, points()));
            return;
        }
        Some(Ok(products)) => products,
    };
    let cap: f64 = t.iter().enumerate().map(|(i, t)| t * t / weight.at(i)).sum();
    findings.law(Check::ProxJacobianRange, (form - cap).max(-form), options.tolerance * cap, || Seen {
        points: points(),
        numbers: vec![("<t, S t>", form), ("<t, W^-1 t>", cap)],
        ..Seen::default()
    });
    let scale = options.radius.max(largest(v.iter().copied()));
    let steps = [1e-5 * scale, 3e-7 * scale];
    let noise = ROUNDING * scale.max(largest(w.iter().copied()));
    let along = |h: f64| proxed(function, metric, &shifted(v, h, &t), findings);
    if let Some(worst) = worst_mismatch(along, w, &claimed, steps, noise, RELATIVE) {
        findings.law(Check::ProxJacobian, worst.excess, worst.tolerance, || Seen {
            points: points(),
            numbers: vec![("(S W t) entry", worst.claimed), ("by differences", worst.measured)],
            index: Some(worst.index),
            ..Seen::default()
        });
    }
}
