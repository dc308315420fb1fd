//! The linear systems of the prox in the metric of curvature: (I + S (Q - rho I)) d = r with S = D + sum_k c_k v_k v_k'.
//!
//! Without the rank-one terms the variables with D_i = 0 take d_i = r_i, and the others, F, solve the symmetric system
//!
//! ```text
//! (D^-1 - rho I + Q)_FF d_F = D^-1 r_F - (Q d_rest)_F
//! ```
//!
//! With them, Sherman, Morrison and Woodbury's formula adds a system of their number. All of it depends on the step size only
//! by a factor wherever u is piecewise linear: the factors ([`Factors`]) are kept while F is the same.

use super::factors::Factors;
use super::prox::Problem;
use crate::budget::Budget;
use crate::jacobian::{ProxJacobian, TermSupport};
use crate::kernel::simd;
use crate::linalg::lu;
use crate::metric::CurvatureMetric;
use crate::metric::tuning::prox_system::ROUNDING;
use crate::oracle::{OracleError, Weight};
use std::sync::Arc;

/// The system at the last point, with its factors.
pub(super) struct CurvedSystem {
    n: usize,
    /// S
    jacobian: ProxJacobian,
    /// F
    free: Vec<usize>,
    /// H on F plus this diagonal, times `scale`, is the symmetric matrix.
    extra: Vec<f64>,
    scale: f64,
    rho: f64,
    tau: f64,
    factors: Factors,
    /// Those of H + tau/s I, over all variables.
    whole: Factors,
    /// Whether they are those of the system at the last point, too.
    is_whole: bool,
    /// Right-hand sides of several systems.
    rights: Vec<f64>,
    terms: Terms,
    /// H
    metric: Option<Arc<CurvatureMetric>>,
    buffers: [Vec<f64>; 4],
    budget: Budget,
}

/// What the rank-one terms need: v_k, B^-1 v_k and (Q - rho I) B^-1 v_k by rows, and the weights c_k; and storage for their
/// system.
#[derive(Default)]
struct Terms {
    vectors: Vec<f64>,
    solved: Vec<f64>,
    images: Vec<f64>,
    weights: Vec<f64>,
    system: Vec<f64>,
    right: Vec<f64>,
}

impl CurvedSystem {
    pub(super) fn new(n: usize) -> Self {
        let buffer = || vec![0.0; n];
        Self {
            n,
            jacobian: ProxJacobian::with_room(n),
            free: Vec::with_capacity(n),
            extra: Vec::with_capacity(n),
            scale: 1.0,
            rho: 1.0,
            tau: 0.0,
            factors: Factors::default(),
            whole: Factors::default(),
            is_whole: false,
            rights: Vec::new(),
            terms: Terms::default(),
            metric: None,
            buffers: [buffer(), buffer(), buffer(), buffer()],
            budget: Budget::unlimited(),
        }
    }

    /// Takes S at the argument of the prox of u.
    pub(super) fn linearise(&mut self, problem: &Problem<'_>, argument: &[f64]) -> Result<(), OracleError> {
        let n = self.n;
        let weight = Weight::scalar(problem.rho);
        problem.u.prox_jacobian(weight, argument, &mut self.jacobian.start(n))?;
        (self.scale, self.rho, self.tau) = (problem.scale, problem.rho, problem.tau);
        self.metric = Some(problem.metric.clone());
        self.budget = problem.budget.clone();
        self.free.clear();
        self.extra.clear();
        for (i, &d) in self.jacobian.diagonal().iter().enumerate().filter(|(_, d)| **d > 0.0) {
            let curvature = 1.0 / d - self.rho;
            let curvature = if curvature > ROUNDING * self.rho { curvature } else { 0.0 };
            self.free.push(i);
            self.extra.push((self.tau + curvature) / self.scale);
        }
        // With all variables free the matrix is that of the bound, mostly.
        self.is_whole = self.whole.holds(problem.metric, &self.free, &self.extra);
        if !self.is_whole {
            self.factors.take(problem.metric, &self.free, &self.extra, problem.budget)?;
        }
        self.prepare_terms();
        Ok(())
    }

    /// The factors of the system at the last point.
    fn factors(&mut self) -> &mut Factors {
        if self.is_whole { &mut self.whole } else { &mut self.factors }
    }

    /// Makes ready for [`CurvedSystem::apply_bound`] with Q = s H + tau I; false where that has no factors.
    pub(super) fn prepare_bound(
        &mut self,
        metric: &Arc<CurvatureMetric>,
        (scale, tau): (f64, f64),
        budget: &Budget,
    ) -> bool {
        (self.scale, self.tau) = (scale, tau);
        self.free.clear();
        self.free.extend(0..self.n);
        self.extra.clear();
        self.extra.resize(self.n, tau / scale);
        // Stopped half-way, there are no factors, and the bound is the coarser one; whoever asks next stops anyway.
        let _ = self.whole.take(metric, &self.free, &self.extra, budget);
        self.whole.are_sound()
    }

    /// out = Q^-1 v for each of these v, which no (∂²u + Q)^-1 v exceeds; v / tau where rounding made H indefinite.
    pub(super) fn apply_bound(&mut self, v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        let divisor = if self.whole.solve(out) { self.scale } else { self.tau };
        out.iter_mut().for_each(|out| *out /= divisor);
    }

    /// B^-1 v_k and what follows, B = I + D (Q - rho I).
    fn prepare_terms(&mut self) {
        let n = self.n;
        let mut terms = std::mem::take(&mut self.terms);
        terms.vectors.clear();
        terms.weights.clear();
        for (weight, support, values) in self.jacobian.terms() {
            let first = terms.vectors.len();
            terms.vectors.resize(first + n, 0.0);
            let vector = &mut terms.vectors[first..];
            match support {
                TermSupport::From(start) => vector[start..start + values.len()].copy_from_slice(values),
                TermSupport::Listed(indices) => indices.iter().zip(values).for_each(|(&i, v)| vector[i] = *v),
            }
            terms.weights.push(weight);
        }
        terms.solved.resize(terms.vectors.len(), 0.0);
        terms.images.resize(terms.vectors.len(), 0.0);
        let columns = terms.solved.chunks_exact_mut(n).zip(terms.images.chunks_exact_mut(n));
        for ((solved, image), vector) in columns.zip(terms.vectors.chunks_exact(n)) {
            self.solve_diagonal(vector, solved);
            self.apply_shifted(solved, image);
        }
        self.terms = terms;
    }

    /// out = (Q - rho I) x
    fn apply_shifted(&self, x: &[f64], out: &mut [f64]) {
        self.metric.iter().for_each(|metric| metric.apply(x, out));
        out.iter_mut().zip(x).for_each(|(out, x)| *out = self.scale * *out + (self.tau - self.rho) * x);
    }

    /// out = B^-1 r
    fn solve_diagonal(&mut self, r: &[f64], out: &mut [f64]) {
        out.copy_from_slice(r);
        self.free.iter().for_each(|&i| out[i] = 0.0);
        let Some(metric) = &self.metric else { return };
        let [image, right, ..] = &mut self.buffers;
        // Mostly nothing is left of r on the variables that are not free.
        if out.iter().any(|r| *r != 0.0) {
            metric.apply(out, image);
        } else {
            image.fill(0.0);
        }
        let right = &mut right[..self.free.len()];
        for (right, &i) in right.iter_mut().zip(&self.free) {
            *right = r[i] / (self.scale * self.jacobian.diagonal()[i]) - image[i];
        }
        let factors = if self.is_whole { &mut self.whole } else { &mut self.factors };
        if factors.solve(right) {
            right.iter().zip(&self.free).for_each(|(d, &i)| out[i] = *d);
        }
    }

    /// d = (I + S (Q - rho I))^-1 r
    pub(super) fn solve(&mut self, r: &[f64], d: &mut [f64]) {
        self.solve_diagonal(r, d);
        let count = self.terms.weights.len();
        if count == 0 {
            return;
        }
        // (I + V'(Q - rho I) B^-1 V C) t = V'(Q - rho I) B^-1 r
        let (n, mut image) = (self.n, std::mem::take(&mut self.buffers[2]));
        self.apply_shifted(d, &mut image);
        let Terms { vectors, solved, images, weights, system, right } = &mut self.terms;
        system.clear();
        right.clear();
        for (j, vector) in vectors.chunks_exact(n).enumerate() {
            right.push(simd::dot(vector, &image));
            let products = images.chunks_exact(n).zip(&*weights);
            system.extend(products.map(|(image, weight)| simd::dot(vector, image) * weight));
            system[j * count + j] += 1.0;
        }
        self.buffers[2] = image;
        // Stopped here, the direction lacks the terms; whoever asks next stops anyway.
        if lu::solve(system, right, &self.budget) == Ok(true) {
            for (k, solved) in solved.chunks_exact(n).enumerate() {
                simd::add_scaled(-weights[k] * right[k], solved, d);
            }
        }
    }

    /// As [`CurvedSystem::apply_jacobian`] for each of these v. Where S is D alone, all of them are solved for together: with
    /// r = D v the right-hand sides are v_F / s.
    pub(super) fn apply_jacobian_to_each(&mut self, vectors: &[f64], out: &mut [f64]) {
        let n = self.n;
        if !self.terms.weights.is_empty() {
            let each = vectors.chunks_exact(n).zip(out.chunks_exact_mut(n));
            each.for_each(|(v, out)| self.apply_jacobian(v, out));
            return;
        }
        out.fill(0.0);
        let mut rights = std::mem::take(&mut self.rights);
        rights.clear();
        for v in vectors.chunks_exact(n) {
            rights.extend(self.free.iter().map(|&i| v[i] / self.scale));
        }
        if self.factors().solve(&mut rights) {
            let solved = rights.chunks_exact(self.free.len().max(1));
            for (solved, out) in solved.zip(out.chunks_exact_mut(n)) {
                solved.iter().zip(&self.free).for_each(|(d, &i)| out[i] = *d);
            }
        }
        self.rights = rights;
    }

    /// out = (∂²u + Q)^-1 v = (I + S (Q - rho I))^-1 S v
    pub(super) fn apply_jacobian(&mut self, v: &[f64], out: &mut [f64]) {
        let mut image = std::mem::take(&mut self.buffers[3]);
        self.jacobian.apply(v, &mut image);
        self.solve(&image, out);
        self.buffers[3] = image;
    }
}
