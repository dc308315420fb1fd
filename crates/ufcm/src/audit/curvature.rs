//! Second-order knowledge: the diagonal and the Hessian against differences of gradients, and their laws.

use super::component::{ComponentAudit, Sample, Trouble};
use super::derivative::worst_mismatch;
use super::finding::{Check, Seen};
use super::{dot, largest, shifted, unit};
use crate::oracle::{Curvature, OracleError};

/// The largest order for which a dense Hessian is formed.
const DENSE: usize = 500;

/// How exactly a difference of gradients tells a second derivative.
const RELATIVE: f64 = 1e-4;

impl ComponentAudit<'_> {
    pub(super) fn check_curvature(&mut self, samples: &[Sample]) {
        let Some(curvature) = self.oracle.curvature() else { return };
        let places = if self.quick { 1 } else { 4 };
        for sample in samples.iter().take(places) {
            let diagonal = self.diagonal(curvature, sample);
            if let Some(diagonal) = &diagonal {
                self.check_diagonal(sample, diagonal);
                self.check_diagonal_bound(curvature, sample, diagonal);
            }
            if self.n <= DENSE
                && let Some(hessian) = self.hessian(curvature, sample)
            {
                self.check_hessian(sample, &hessian);
                if let Some(diagonal) = &diagonal {
                    self.compare_diagonals(sample, diagonal, &hessian);
                }
            }
        }
    }

    fn diagonal(&mut self, curvature: &dyn Curvature, sample: &Sample) -> Option<Vec<f64>> {
        self.added(sample, self.n, |weight, out| curvature.add_diagonal(&sample.x, weight, out))
    }

    /// The Hessian in full, from the lower triangle that the oracle writes.
    fn hessian(&mut self, curvature: &dyn Curvature, sample: &Sample) -> Option<Vec<f64>> {
        let n = self.n;
        let lower = self.added(sample, n * n, |weight, out| curvature.add_hessian(&sample.x, weight, out))?;
        let above = (0..n * n).find(|k| k % n < k / n && lower[*k] != 0.0);
        if let Some(k) = above {
            self.findings.law(Check::Accumulates, lower[k].abs(), 0.0, || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![("written above the diagonal", lower[k])],
                index: above,
                ..Seen::default()
            });
            return None;
        }
        Some((0..n * n).map(|k| lower[(k % n).min(k / n) * n + (k % n).max(k / n)]).collect())
    }

    /// What `add` adds with weight 1, after checking that with weight 2 it adds twice that to what is there.
    /// `None` if the oracle does not support it, or after a finding.
    fn added(
        &mut self,
        sample: &Sample,
        length: usize,
        add: impl Fn(f64, &mut [f64]) -> Result<(), OracleError>,
    ) -> Option<Vec<f64>> {
        let mut supported = true;
        let mut both = Vec::new();
        let outcome = self.receive(&sample.x, Some((&mut both, 2 * length)), |out| {
            let out = out.unwrap_or_default();
            let (once, thrice) = out.split_at_mut(length);
            once.fill(0.0);
            match add(1.0, once) {
                Err(OracleError::Unsupported { .. }) => {
                    supported = false;
                    thrice.fill(0.0);
                    return Ok(0.0);
                }
                outcome => outcome?,
            }
            thrice.copy_from_slice(once);
            add(2.0, thrice)?;
            Ok(0.0)
        });
        match outcome {
            Ok(_) if supported => {}
            Ok(_) | Err(Trouble::OutOfRange | Trouble::Noted) => return None,
        }
        let thrice = both.split_off(length);
        let tolerance = self.options.tolerance * largest(both.iter().copied());
        let (index, excess) = thrice
            .iter()
            .zip(&both)
            .map(|(thrice, once)| (thrice - 3.0 * once).abs())
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        let held = self.findings.law(Check::Accumulates, excess, tolerance, || Seen {
            points: vec![("x", sample.x.clone())],
            numbers: vec![
                ("added with weight 1", both[index]),
                ("then with weight 2", thrice[index] - both[index]),
            ],
            index: Some(index),
            ..Seen::default()
        });
        held.then_some(both)
    }

    fn steps(&self) -> [f64; 2] {
        [1e-5 * self.options.radius, 3e-7 * self.options.radius]
    }

    fn check_diagonal(&mut self, sample: &Sample, diagonal: &[f64]) {
        let count = if self.quick { 2 } else { 8 };
        for i in self.random.indices(self.n, count) {
            let (e, steps) = (unit(self.n, i), self.steps());
            let gradient_entry = |h: f64| {
                let near = self.sample_near(sample, shifted(&sample.x, h, &e))?;
                Some(vec![near.gradient[i]])
            };
            let (at, claimed) = (&sample.gradient[i..=i], &diagonal[i..=i]);
            let noise = sample.gradient_noise;
            if let Some(worst) = worst_mismatch(gradient_entry, at, claimed, steps, noise, RELATIVE) {
                self.findings.law(Check::Diagonal, worst.excess, worst.tolerance, || Seen {
                    points: vec![("x", sample.x.clone())],
                    numbers: vec![("diagonal", worst.claimed), ("by differences", worst.measured)],
                    index: Some(i),
                    ..Seen::default()
                });
            }
        }
    }

    fn check_hessian(&mut self, sample: &Sample, hessian: &[f64]) {
        let n = self.n;
        let mut directions = vec![self.random.normals(n), self.random.normals(n)];
        directions.extend(self.random.indices(n, 4).into_iter().map(|i| unit(n, i)));
        for t in directions {
            let product: Vec<f64> = hessian.chunks(n).map(|column| dot(column, &t)).collect();
            let form = dot(&product, &t);
            let terms: f64 = product.iter().zip(&t).map(|(p, t)| (p * t).abs()).sum();
            self.findings.law(Check::Semidefinite, -form, self.options.tolerance * terms, || Seen {
                points: vec![("x", sample.x.clone()), ("t", t.clone())],
                numbers: vec![("<t, H t>", form)],
                ..Seen::default()
            });
            let steps = self.steps();
            let gradient = |h: f64| Some(self.sample_near(sample, shifted(&sample.x, h, &t))?.gradient);
            let (at, noise) = (&sample.gradient, sample.gradient_noise);
            if let Some(worst) = worst_mismatch(gradient, at, &product, steps, noise, RELATIVE) {
                self.findings.law(Check::Hessian, worst.excess, worst.tolerance, || Seen {
                    points: vec![("x", sample.x.clone()), ("t", t.clone())],
                    numbers: vec![("(H t) entry", worst.claimed), ("by differences", worst.measured)],
                    index: Some(worst.index),
                    ..Seen::default()
                });
            }
        }
    }

    fn compare_diagonals(&mut self, sample: &Sample, diagonal: &[f64], hessian: &[f64]) {
        let tolerance = self.options.tolerance * largest(diagonal.iter().copied());
        for (i, &entry) in diagonal.iter().enumerate() {
            let other = hessian[i * self.n + i];
            self.findings.law(Check::HessianDiagonal, (entry - other).abs(), tolerance, || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![("add_diagonal", entry), ("add_hessian", other)],
                index: Some(i),
                ..Seen::default()
            });
        }
    }

    fn check_diagonal_bound(&mut self, curvature: &dyn Curvature, sample: &Sample, diagonal: &[f64]) {
        let mut bound = vec![0.0; self.n];
        if !curvature.add_diagonal_bound(1.0, &mut bound) {
            return;
        }
        for (i, (&entry, &bound)) in diagonal.iter().zip(&bound).enumerate() {
            let tolerance = self.options.tolerance * entry.abs();
            self.findings.law(Check::DiagonalBound, entry - bound, tolerance, || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![("diagonal", entry), ("bound", bound)],
                index: Some(i),
                ..Seen::default()
            });
        }
    }
}
