//! The linear systems of the prox in the metric of curvature: (I + S (Q - rho I)) d = r with S = D + sum_k c_k v_k v_k'.
//!
//! Without the rank-one terms the variables with D_i = 0 take d_i = r_i, and the others, F, solve the symmetric system
//!
//! ```text
//! (D^-1 - rho I + Q)_FF d_F = D^-1 r_F - (Q d_rest)_F
//! ```
//!
//! With them, Sherman, Morrison and Woodbury's formula adds a system of their number. All of it depends on the step size only
//! by a factor wherever u is piecewise linear: the factors are kept while F is the same.

use super::curved::Problem;
use super::lu;
use crate::jacobian::{ProxJacobian, TermSupport};
use crate::kernel::simd;
use crate::metric::CurvatureMetric;
use crate::oracle::{OracleError, Weight};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatMut, Side};
use std::sync::Arc;

/// Curvatures of u below this part of rho are rounding.
const ROUNDING: f64 = 1e-9;

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
    factors: Option<Factors>,
    terms: Terms,
    /// H, of which the factors are.
    metric: Option<Arc<CurvatureMetric>>,
    buffers: [Vec<f64>; 3],
}

/// The Cholesky factors of H_FF + diag(extra).
struct Factors {
    free: Vec<usize>,
    extra: Vec<f64>,
    llt: Llt<f64>,
}

/// What the rank-one terms need: v_k, B^-1 v_k and (Q - rho I) B^-1 v_k by rows, and the weights c_k.
#[derive(Default)]
struct Terms {
    vectors: Vec<f64>,
    solved: Vec<f64>,
    images: Vec<f64>,
    weights: Vec<f64>,
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
            factors: None,
            terms: Terms::default(),
            metric: None,
            buffers: [buffer(), buffer(), buffer()],
        }
    }

    /// Takes S at the argument of the prox of u.
    pub(super) fn linearise(&mut self, problem: &Problem<'_>, argument: &[f64]) -> Result<(), OracleError> {
        let n = self.n;
        let weight = Weight::scalar(problem.rho);
        problem.u.prox_jacobian(weight, argument, &mut self.jacobian.start(n))?;
        (self.scale, self.rho, self.tau) = (problem.scale, problem.rho, problem.tau);
        if !self.metric.as_ref().is_some_and(|metric| Arc::ptr_eq(metric, problem.metric)) {
            self.metric = Some(problem.metric.clone());
            self.factors = None;
        }
        self.free.clear();
        self.extra.clear();
        for (i, &d) in self.jacobian.diagonal().iter().enumerate().filter(|(_, d)| **d > 0.0) {
            let curvature = 1.0 / d - self.rho;
            let curvature = if curvature > ROUNDING * self.rho { curvature } else { 0.0 };
            self.free.push(i);
            self.extra.push((self.tau + curvature) / self.scale);
        }
        let known = |factors: &Factors| factors.free == self.free && factors.extra == self.extra;
        if !self.factors.as_ref().is_some_and(known) {
            self.factorise();
        }
        self.prepare_terms();
        Ok(())
    }

    fn factorise(&mut self) {
        let (n, free) = (self.n, &self.free);
        let Some(metric) = &self.metric else { return };
        let matrix = Mat::from_fn(free.len(), free.len(), |i, j| {
            let entry = metric.entries()[free[j] * n + free[i]];
            if i == j { entry + self.extra[i] } else { entry }
        });
        self.factors = Llt::new(matrix.as_ref(), Side::Lower).ok().map(|llt| Factors {
            free: free.clone(),
            extra: self.extra.clone(),
            llt,
        });
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
        let (Some(factors), Some(metric)) = (&self.factors, &self.metric) else { return };
        let [image, right, _] = &mut self.buffers;
        metric.apply(out, image);
        let right = &mut right[..self.free.len()];
        for (right, &i) in right.iter_mut().zip(&self.free) {
            *right = r[i] / (self.scale * self.jacobian.diagonal()[i]) - image[i];
        }
        factors.llt.solve_in_place(MatMut::from_column_major_slice_mut(right, self.free.len(), 1));
        right.iter().zip(&self.free).for_each(|(d, &i)| out[i] = *d);
    }

    /// d = (I + S (Q - rho I))^-1 r
    pub(super) fn solve(&mut self, r: &[f64], d: &mut [f64]) {
        self.solve_diagonal(r, d);
        let count = self.terms.weights.len();
        if count == 0 {
            return;
        }
        let (n, terms) = (self.n, &self.terms);
        // (I + V'(Q - rho I) B^-1 V C) t = V'(Q - rho I) B^-1 r
        let mut system = vec![0.0; count * count];
        let mut right = vec![0.0; count];
        let mut image = std::mem::take(&mut self.buffers[2]);
        self.apply_shifted(d, &mut image);
        for (j, vector) in terms.vectors.chunks_exact(n).enumerate() {
            right[j] = simd::dot(vector, &image);
            for (k, solved) in terms.images.chunks_exact(n).enumerate() {
                system[j * count + k] = simd::dot(vector, solved) * terms.weights[k];
            }
            system[j * count + j] += 1.0;
        }
        self.buffers[2] = image;
        if lu::solve(&mut system, &mut right) {
            for (k, solved) in terms.solved.chunks_exact(n).enumerate() {
                simd::add_scaled(-terms.weights[k] * right[k], solved, d);
            }
        }
    }

    /// out = (∂²u + Q)^-1 v = (I + S (Q - rho I))^-1 S v
    pub(super) fn apply_jacobian(&mut self, v: &[f64], out: &mut [f64]) {
        let mut image = vec![0.0; self.n];
        self.jacobian.apply(v, &mut image);
        self.solve(&image, out);
    }
}
