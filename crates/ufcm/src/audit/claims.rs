//! What a component declares: smoothness (L, p), uniform convexity (mu, q), being affine, a lower bound.

use super::component::{ComponentAudit, ROUNDING, Sample};
use super::finding::{Check, Seen};
use super::{distance, shifted};
use crate::linalg::norm;

impl ComponentAudit<'_> {
    /// |g(x) - g(y)| <= L |x - y|^p; for an affine component L = 0.
    pub(super) fn check_declared_smoothness(&mut self, x: &Sample, y: &Sample) {
        let change = distance(&x.gradient, &y.gradient);
        let noise = x.gradient_noise + y.gradient_noise;
        let relative = self.options.tolerance;
        let seen = |numbers| Seen {
            points: vec![("x", x.x.clone()), ("y", y.x.clone())],
            numbers,
            ..Seen::default()
        };
        if self.oracle.is_affine() {
            let tolerance = noise + relative * norm(&x.gradient);
            self.findings.law(Check::Affine, change, tolerance, || seen(vec![("|g(x) - g(y)|", change)]));
        }
        if let Some(declared) = self.oracle.smoothness() {
            let allowed = declared.constant * distance(&x.x, &y.x).powf(declared.exponent);
            self.findings.law(Check::Smoothness, change - allowed, noise + relative * allowed, || {
                seen(vec![
                    ("|g(x) - g(y)|", change),
                    ("L |x - y|^p", allowed),
                    ("L", declared.constant),
                    ("p", declared.exponent),
                ])
            });
        }
    }

    /// gap(y) = f(y) - f(x) - <g(x), y - x> >= mu/(q+1) |y - x|^(q+1).
    pub(super) fn check_declared_convexity(&mut self, x: &Sample, y: &Sample, gap: f64, tolerance: f64) {
        let Some(declared) = self.oracle.convexity() else { return };
        let power = declared.exponent + 1.0;
        let promised = declared.constant / power * distance(&x.x, &y.x).powf(power);
        let tolerance = tolerance + self.options.tolerance * promised;
        self.findings.law(Check::UniformConvexity, promised - gap, tolerance, || Seen {
            points: vec![("x", x.x.clone()), ("y", y.x.clone())],
            numbers: vec![
                ("f(y) - f(x) - <g(x), y - x>", gap),
                ("mu/(q+1) |y - x|^(q+1)", promised),
                ("mu", declared.constant),
                ("q", declared.exponent),
            ],
            ..Seen::default()
        });
    }

    /// Tries to pass below a declared bound, from the lowest sample down along its gradient.
    pub(super) fn check_lower_bound(&mut self, samples: &[Sample]) {
        const STEPS: usize = 12;
        let Some(bound) = self.oracle.lower_bound() else { return };
        let Some(lowest) = samples.iter().min_by(|a, b| a.value.total_cmp(&b.value)) else { return };
        self.check_above(bound, &lowest.x, lowest.value, lowest.value_noise);
        let length = norm(&lowest.gradient);
        if length == 0.0 {
            return;
        }
        for k in 0..STEPS {
            let step = -self.options.radius * 4.0_f64.powi(k as i32 - 8) / length;
            let y = shifted(&lowest.x, step, &lowest.gradient);
            if let Some(value) = self.value_at(&y) {
                self.check_above(bound, &y, value, lowest.value_noise);
            }
        }
    }

    fn check_above(&mut self, bound: f64, x: &[f64], value: f64, noise: f64) {
        let tolerance = noise + ROUNDING * bound.abs();
        self.findings.law(Check::LowerBound, bound - value, tolerance, || Seen {
            points: vec![("x", x.to_vec())],
            numbers: vec![("f(x)", value), ("lower bound", bound)],
            ..Seen::default()
        });
    }
}
