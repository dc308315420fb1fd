//! Convexity: segments by values alone, and the subgradient inequality between pairs of samples.
//!
//! Random pairs miss a single mildly negative direction among many strongly positive ones, so pairs are also
//! made along the directions of least and greatest curvature (see lanczos.rs).

use super::component::{ComponentAudit, ROUNDING, Sample};
use super::finding::{Check, Seen};
use super::gradient::gap;
use super::lanczos;
use super::{distance, shifted};

impl ComponentAudit<'_> {
    /// f on the segment between successive samples, by values alone: a wrong gradient does not matter here.
    pub(super) fn check_segments(&mut self, samples: &[Sample]) {
        for pair in samples.windows(2) {
            let theta = self.random.uniform();
            if let Some(seen) = self.bulge(&pair[0], &pair[1].x, pair[1].value, theta) {
                self.note_bulge(seen);
            }
        }
    }

    /// All laws that speak of two points, for all pairs of samples.
    pub(super) fn check_pairs(&mut self, samples: &[Sample]) {
        for (k, x) in samples.iter().enumerate() {
            for y in &samples[k + 1..] {
                self.check_pair(x, y);
            }
        }
    }

    /// The same laws along the directions in which they are closest to breaking.
    pub(super) fn check_extreme_curvature(&mut self, samples: &[Sample]) {
        let radius = self.options.radius;
        let (places, dimension, steps): (_, _, &[f64]) =
            if self.quick { (1, 8, &[1e-2]) } else { (6, 24, &[1e-4, 1e-2, 1.0]) };
        for sample in samples.iter().take(places) {
            let start = self.random.normals(self.n);
            let h = 1e-4 * radius;
            let hessian = |v: &[f64]| {
                let near = self.sample_near(sample, shifted(&sample.x, h, v))?;
                Some(near.gradient.iter().zip(&sample.gradient).map(|(y, x)| (y - x) / h).collect())
            };
            for v in lanczos::extreme_vectors(hessian, start, dimension) {
                for step in steps {
                    if let Some(y) = self.sample_near(sample, shifted(&sample.x, step * radius, &v)) {
                        self.check_pair(sample, &y);
                    }
                }
            }
        }
    }

    fn check_pair(&mut self, x: &Sample, y: &Sample) {
        for (x, y) in [(x, y), (y, x)] {
            let (gap, tolerance) = gap(x, &y.x, y.value, self.options.tolerance);
            if -gap > tolerance {
                self.note_nonconvex(x, &y.x);
            } else {
                self.check_declared_convexity(x, y, gap, tolerance);
            }
        }
        self.check_monotone(x, y);
        self.check_declared_smoothness(x, y);
    }

    fn check_monotone(&mut self, x: &Sample, y: &Sample) {
        let product: f64 = (0..self.n).map(|i| (x.gradient[i] - y.gradient[i]) * (x.x[i] - y.x[i])).sum();
        let tolerance = (x.gradient_noise + y.gradient_noise) * distance(&x.x, &y.x);
        self.findings.law(Check::Monotone, -product, tolerance, || Seen {
            points: vec![("x", x.x.clone()), ("y", y.x.clone())],
            numbers: vec![("<g(x) - g(y), x - y>", product)],
            ..Seen::default()
        });
    }

    /// The subgradient inequality fails from x to y though g(x) is right, so f lies above the chord somewhere, near
    /// x most of all. Values at three points say it best; where rounding hides them, the inequality itself.
    pub(super) fn note_nonconvex(&mut self, x: &Sample, y: &[f64]) {
        let Some(value) = self.value_at(y) else { return };
        let mut worst: Option<Bulge> = None;
        for k in 1..=10 {
            let Some(seen) = self.bulge(x, y, value, 0.5_f64.powi(k)) else { continue };
            if worst.as_ref().is_none_or(|worst| seen.severity() > worst.severity()) {
                worst = Some(seen);
            }
        }
        if worst.is_some_and(|worst| !self.note_bulge(worst)) {
            return;
        }
        let (gap, tolerance) = gap(x, y, value, self.options.tolerance);
        self.findings.law(Check::Subgradient, -gap, tolerance, || Seen {
            points: vec![("x", x.x.clone()), ("y", y.to_vec())],
            numbers: vec![("f(y)", value), ("f(x) + <g(x), y - x>", value - gap), ("f(x)", x.value)],
            ..Seen::default()
        });
    }

    /// By how much f at (1 - theta) x + theta y lies above the chord.
    fn bulge(&mut self, x: &Sample, y: &[f64], value: f64, theta: f64) -> Option<Bulge> {
        let between: Vec<f64> = x.x.iter().zip(y).map(|(x, y)| (1.0 - theta) * x + theta * y).collect();
        let middle = self.value_at(&between)?;
        Some(Bulge {
            excess: middle - ((1.0 - theta) * x.value + theta * value),
            tolerance: 2.0 * x.value_noise + ROUNDING * (value.abs() + middle.abs()),
            theta,
            values: [x.value, value, middle],
            points: vec![("x", x.x.clone()), ("y", y.to_vec())],
        })
    }

    fn note_bulge(&mut self, seen: Bulge) -> bool {
        let Bulge { excess, tolerance, theta, values, points } = seen;
        self.findings.law(Check::Convex, excess, tolerance, || Seen {
            points,
            numbers: vec![
                ("theta", theta),
                ("f(x)", values[0]),
                ("f(y)", values[1]),
                ("f between", values[2]),
            ],
            ..Seen::default()
        })
    }
}

struct Bulge {
    excess: f64,
    tolerance: f64,
    theta: f64,
    /// At x, at y, between.
    values: [f64; 3],
    points: Vec<(&'static str, Vec<f64>)>,
}

impl Bulge {
    fn severity(&self) -> f64 {
        self.excess / self.tolerance
    }
}
