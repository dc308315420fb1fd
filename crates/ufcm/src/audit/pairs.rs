//! Every sample against every other: what bounds rest on, as far as a few points tell.

use super::component::{ROUNDING, Sample};
use super::distance;
use super::finding::{Check, Findings, Seen};
use crate::linalg::norm;
use crate::oracle::Component;

/// How exact gradients mean to be, relative to the larger of the two at hand or to a usual one: those from differences of values
/// are so.
const RELATIVE: f64 = 1e-6;
/// How much larger than the noise seen in a few differences the noise elsewhere may be.
const SAFETY: f64 = 16.0;
/// The noise of values that nobody minds, relative to the terms in them: code in single precision has less.
const NOISE: f64 = 1e-6;
/// Where terms all but vanish (a minimum of value 0) their noise does not tell of larger ones.
const MOST: f64 = 8.0;

/// Checks all laws; the first sample is the answer, `rows` are samples in a row near each other, at equal distances, and
/// `accuracy` is what was asked of the run.
pub(super) fn check(
    component: &dyn Component,
    samples: &mut [Sample],
    rows: &[[usize; 3]],
    accuracy: f64,
    findings: &mut Findings,
) {
    measure_noise(samples, rows, accuracy, findings);
    let usual = usual_slope(samples);
    for (k, x) in samples.iter().enumerate() {
        check_bound(component, x, findings);
        for (j, y) in samples.iter().enumerate() {
            if j != k {
                check_pair(component, x, y, usual, findings);
            }
        }
    }
}

/// The size of the terms whose sum is f(x): the value itself, and what relative changes of x make of it.
fn terms(sample: &Sample) -> f64 {
    sample.value.abs() + sample.gradient.iter().zip(&sample.x).map(|(g, x)| (g * x).abs()).sum::<f64>()
}

/// How far noise may move each value. Of three points in a row that are near each other, a convex f with the gradients that
/// it says has 0 <= f(x) - 2 f(y) + f(z) <= <g(z) - g(x), y - x>: what is beyond that is noise.
fn measure_noise(samples: &mut [Sample], rows: &[[usize; 3]], accuracy: f64, findings: &mut Findings) {
    let mut measured: Vec<(f64, f64, f64)> = Vec::new();
    for row in rows {
        let [x, y, z] = row.map(|k| &samples[k]);
        let second = (x.value - y.value) + (z.value - y.value);
        let explained: f64 =
            (0..x.x.len()).map(|i| (z.gradient[i] - x.gradient[i]) * (y.x[i] - x.x[i])).sum();
        let noise = (second - explained.max(0.0)).max(-second).max(0.0);
        let size = terms(x).max(terms(y));
        findings.law(Check::Noise, noise, accuracy + NOISE * size, || Seen {
            points: vec![("x", x.x.clone()), ("y", y.x.clone()), ("z", z.x.clone())],
            numbers: vec![("f(x)", x.value), ("f(y)", y.value), ("f(z)", z.value)],
            ..Seen::default()
        });
        // What is seen at the answer is there everywhere; elsewhere it may come from terms that are large there alone.
        measured.push((SAFETY * noise, size, if row[0] == 0 { 1.0 } else { 0.0 }));
    }
    for sample in samples {
        let own = terms(sample);
        sample.value_noise = ROUNDING * own;
        for (noise, terms, least) in &measured {
            let share = if own < MOST * terms { (own / terms).max(*least) } else { MOST };
            sample.value_noise = sample.value_noise.max(share * noise);
        }
    }
}

/// The median length of gradients: what an error near a minimum is small beside.
fn usual_slope(samples: &[Sample]) -> f64 {
    let mut lengths: Vec<f64> = samples.iter().map(|sample| norm(&sample.gradient)).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
}

/// f(y) >= f(x) + <g(x), y - x>, and what is declared beyond that.
fn check_pair(component: &dyn Component, x: &Sample, y: &Sample, usual: f64, findings: &mut Findings) {
    let slope: f64 = x.gradient.iter().zip(y.x.iter().zip(&x.x)).map(|(g, (y, x))| g * (y - x)).sum();
    let (gap, way) = ((y.value - x.value) - slope, distance(&x.x, &y.x));
    let steepest = norm(&x.gradient).max(norm(&y.gradient)).max(usual);
    let tolerance = x.value_noise + y.value_noise + RELATIVE * steepest * way;
    let points = || vec![("x", x.x.clone()), ("y", y.x.clone())];
    let held = findings.law(Check::Subgradient, -gap, tolerance, || Seen {
        points: points(),
        numbers: vec![("f(y)", y.value), ("f(x) + <g(x), y - x>", y.value - gap), ("f(x)", x.value)],
        ..Seen::default()
    });
    if held && component.is_affine() {
        findings.law(Check::Affine, gap, tolerance, || Seen {
            points: points(),
            numbers: vec![("f(y) - f(x) - <g(x), y - x>", gap)],
            ..Seen::default()
        });
    }
    if let Some(declared) = component.convexity().filter(|_| held) {
        let power = declared.exponent + 1.0;
        let promised = declared.constant / power * way.powf(power);
        findings.law(Check::UniformConvexity, promised - gap, tolerance + RELATIVE * promised, || Seen {
            points: points(),
            numbers: vec![("f(y) - f(x) - <g(x), y - x>", gap), ("mu/(q+1) |y - x|^(q+1)", promised)],
            ..Seen::default()
        });
    }
}

/// f(x) >= the bound that is declared.
fn check_bound(component: &dyn Component, x: &Sample, findings: &mut Findings) {
    let Some(bound) = component.lower_bound() else { return };
    findings.law(Check::LowerBound, bound - x.value, x.value_noise + ROUNDING * bound.abs(), || Seen {
        points: vec![("x", x.x.clone())],
        numbers: vec![("f(x)", x.value), ("lower bound", bound)],
        ..Seen::default()
    });
}
