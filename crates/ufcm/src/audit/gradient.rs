//! Gradients against values, by a law that needs no smoothness.
//!
//! For convex f every subgradient g at x satisfies, for every d and h > 0,
//!
//! ```text
//! (f(x) - f(x - h d)) / h  <=  <g, d>  <=  (f(x + h d) - f(x)) / h,
//! ```
//!
//! that is, gap(y) = f(y) - f(x) - <g, y - x> >= 0 at y = x ± h d. At a kink as on a plain the law is exact, so only
//! rounding needs a tolerance. A step h decides the matter where the two quotients all but meet; the steps
//! below are tried until one does. At y, not x + h d, the law is free of the rounding in forming y.

use super::component::{ComponentAudit, ROUNDING, Sample};
use super::finding::{Check, Seen};
use super::{dot, shifted, unit};

/// Steps relative to the radius, the most telling first.
const STEPS: [f64; 5] = [1e-6, 1e-4, 1e-8, 1e-2, 1e-10];

/// Steps at which a gradient that is right nearby may still belong to a function that is not convex.
const AFAR: [f64; 2] = [0.2, 1.0];

/// Quotients that meet up to this share of the slope decide: in a thorough audit, and in a quick one.
const DECIDED: [f64; 2] = [1e-3, 1e-2];

/// A slope and the quotients on its two sides.
struct Slopes {
    h: f64,
    /// -h or h, where the law comes closer to being broken.
    side: f64,
    slope: f64,
    backward: f64,
    forward: f64,
    /// By how much `slope` leaves the quotients, and how much rounding explains.
    excess: f64,
    tolerance: f64,
}

/// f(y) - f(x) - <g(x), y - x>, and how far below 0 rounding may take it.
pub(super) fn gap(from: &Sample, y: &[f64], value: f64, relative: f64) -> (f64, f64) {
    let (mut slope, mut size) = (0.0, 0.0);
    for ((g, y), x) in from.gradient.iter().zip(y).zip(&from.x) {
        let term = g * (y - x);
        slope += term;
        size += term.abs();
    }
    ((value - from.value) - slope, from.value_noise + ROUNDING * value.abs() + relative * size)
}

impl ComponentAudit<'_> {
    /// Random directions at every sample, and coordinates in turn; until something is wrong, since a wrong gradient
    /// is wrong everywhere.
    pub(super) fn check_gradients(&mut self, samples: &[Sample]) {
        let (directions, coordinates) = if self.quick { (1, 1) } else { (2, 16) };
        let mut turn = 0;
        for sample in samples {
            for _ in 0..directions {
                let d = self.random.normals(self.n);
                if let Some(mismatch) = self.mismatch(sample, &d) {
                    self.report(Check::Gradient, sample, &d, None, &mismatch);
                    if self.findings.holds(&[Check::GradientEntry]) {
                        self.locate(sample, d);
                    }
                }
            }
            for _ in 0..coordinates.min(self.n) {
                self.check_entry(sample, turn % self.n);
                // A stride spreads few coordinates over all.
                turn += if self.quick { self.n / samples.len() + 1 } else { 1 };
            }
            if !self.findings.holds(&[Check::Gradient, Check::GradientEntry]) {
                return;
            }
        }
    }

    fn check_entry(&mut self, sample: &Sample, i: usize) {
        let d = unit(self.n, i);
        if let Some(mismatch) = self.mismatch(sample, &d) {
            self.report(Check::GradientEntry, sample, &d, Some(i), &mismatch);
        }
    }

    /// Halves the support of a direction along which the gradient is wrong until one entry is left: of two halves
    /// at least one carries half of the error.
    fn locate(&mut self, sample: &Sample, mut d: Vec<f64>) {
        let mut support = 0..self.n;
        while support.len() > 1 {
            let middle = support.start + support.len() / 2;
            let halves = [support.start..middle, middle..support.end];
            let wrong = halves.map(|half| {
                let mut part = vec![0.0; self.n];
                part[half.clone()].copy_from_slice(&d[half.clone()]);
                let excess = self.mismatch(sample, &part).map_or(0.0, |m| m.excess);
                (excess, half, part)
            });
            let [left, right] = wrong;
            let (excess, half, part) = if left.0 >= right.0 { left } else { right };
            if excess == 0.0 {
                return;
            }
            (support, d) = (half, part);
        }
        self.check_entry(sample, support.start);
    }

    /// Looks for a step at which the slope <g, d> leaves its two quotients.
    fn mismatch(&mut self, sample: &Sample, d: &[f64]) -> Option<Slopes> {
        let mut known = f64::INFINITY;
        let (steps, decided, afar): (_, _, &[f64]) =
            if self.quick { (&STEPS[..3], DECIDED[1], &[]) } else { (&STEPS[..], DECIDED[0], &AFAR) };
        for step in steps {
            let Some(seen) = self.slopes(sample, d, step * self.options.radius) else { continue };
            if seen.excess > seen.tolerance {
                return self.blame(sample, d, seen, known);
            }
            let width = (seen.forward - seen.backward).abs() + seen.tolerance;
            known = known.min(width);
            if width <= decided * seen.forward.abs().max(seen.backward.abs()) {
                break;
            }
        }
        // What is left to see from afar is convexity; a quick audit leaves that to the pairs.
        for step in afar {
            if let Some(seen) = self.slopes(sample, d, step * self.options.radius)
                && seen.excess > seen.tolerance
            {
                return self.blame(sample, d, seen, known);
            }
        }
        None
    }

    /// A broken law is the gradient's fault or the function's.
    ///
    /// A wrong gradient leaves the quotients by the same amount at any step that is small enough; a right gradient of a
    /// nonconvex function by the less the smaller the step. `known` is how exactly other steps confirm the slope.
    fn blame(&mut self, sample: &Sample, d: &[f64], seen: Slopes, known: f64) -> Option<Slopes> {
        let confirmed = known < 0.5 * seen.excess;
        let fades = |finer: Slopes| finer.excess + finer.tolerance < 0.5 * seen.excess;
        let grows = |coarser: Slopes| coarser.excess > 3.0 * seen.excess;
        if confirmed
            || self.slopes(sample, d, seen.h / 8.0).is_some_and(fades)
            || self.slopes(sample, d, seen.h * 8.0).is_some_and(grows)
        {
            self.note_nonconvex(sample, &shifted(&sample.x, seen.side, d));
            return None;
        }
        Some(seen)
    }

    fn slopes(&mut self, sample: &Sample, d: &[f64], h: f64) -> Option<Slopes> {
        let relative = self.options.tolerance;
        let (mut side, mut excess, mut tolerance) = (h, f64::NEG_INFINITY, 0.0);
        let mut quotients = [0.0; 2];
        for (quotient, signed) in quotients.iter_mut().zip([-h, h]) {
            let y = shifted(&sample.x, signed, d);
            let value = self.value_at(&y)?;
            let (gap, rounding) = gap(sample, &y, value, relative);
            *quotient = (value - sample.value) / signed;
            if -gap - rounding > excess - tolerance {
                (side, excess, tolerance) = (signed, -gap, rounding);
            }
        }
        let [backward, forward] = quotients;
        let slope = dot(&sample.gradient, d);
        Some(Slopes { h, side, slope, backward, forward, excess: excess / h, tolerance: tolerance / h })
    }

    fn report(&mut self, check: Check, sample: &Sample, d: &[f64], index: Option<usize>, seen: &Slopes) {
        self.findings.law(check, seen.excess, seen.tolerance, || Seen {
            points: vec![("x", sample.x.clone()), ("d", d.to_vec())],
            numbers: vec![
                ("<g(x), d>", seen.slope),
                ("(f(x) - f(x - h d))/h", seen.backward),
                ("(f(x + h d) - f(x))/h", seen.forward),
                ("h", seen.h),
            ],
            index,
            ..Seen::default()
        });
    }
}
