//! Second derivatives of the multinomial loss: the sum over i of c_i (diag(p_i) - p_i p_i') ⊗ a_i a_i'.

use super::MultinomialLogistic;
use crate::budget::{Budget, Stop};
use crate::kernel::{self, simd};
use crate::matrix::Matrix;
use crate::oracle::{Component, Curvature, OracleError};

impl Curvature for MultinomialLogistic {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("diagonal", self.dimension(), diagonal.len())?;
        let (n, rows) = (self.data.columns(), self.data.rows());
        self.with_probabilities(&self.data, x, |p| {
            self.pool.with(rows + n, |buffer| {
                let (spread, sums) = buffer.split_at_mut(rows);
                for (k, diagonal) in diagonal.chunks_exact_mut(n).enumerate() {
                    self.covariances(p, (k, k), |i| self.coefficients.at(i), spread);
                    kernel::weighted_squares(&self.data, spread, sums, &self.pool);
                    simd::add_scaled(weight, sums, diagonal);
                }
            });
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, &Budget::unlimited())
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_blocks(&self.data, x, |i| weight * self.coefficients.at(i), hessian, budget)
    }

    /// Each sample adds a matrix of rank K - 1.
    fn terms(&self) -> usize {
        self.data.rows() * (self.classes - 1)
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let Some(sample) = self.sample.of(&self.data, share) else {
            return self.add_hessian_within(x, weight, hessian, budget);
        };
        let coefficient = |i: usize| weight * sample.stands_for[i] * self.coefficients.at(sample.rows[i]);
        self.add_blocks(&sample.data, x, coefficient, hessian, budget)
    }

    /// Those of a loss over the same data, for each pair of classes.
    fn hessian_operations(&self) -> Option<u64> {
        let (stored, rows) = (self.data.stored() as u64, self.data.rows().max(1) as u64);
        let classes = self.classes as u64;
        Some(classes * (classes + 1) / 2 * (4 * stored + stored * stored.div_ceil(rows)))
    }

    fn has_products(&self) -> bool {
        true
    }

    /// For each class A'(c p_k (u_k - sum over l of p_l u_l)), with u_k = A v_k.
    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let (n, rows, order) = (self.data.columns(), self.data.rows(), self.dimension());
        OracleError::check_point(order, x, None)?;
        OracleError::check_products(order, vectors, out)?;
        self.with_probabilities(&self.data, x, |p| {
            self.pool.with((self.classes + 1) * rows + n, |buffer| {
                let (images, rest) = buffer.split_at_mut(self.classes * rows);
                let (mean, product) = rest.split_at_mut(rows);
                for (v, out) in vectors.chunks_exact(order).zip(out.chunks_exact_mut(order)) {
                    mean.fill(0.0);
                    let classes = images.chunks_exact_mut(rows).zip(p.chunks_exact(rows));
                    for ((u, p), v) in classes.zip(v.chunks_exact(n)) {
                        self.data.apply(v, u);
                        mean.iter_mut().zip(p).zip(&*u).for_each(|((mean, p), u)| *mean += p * u);
                    }
                    let classes = images.chunks_exact_mut(rows).zip(p.chunks_exact(rows));
                    for ((u, p), out) in classes.zip(out.chunks_exact_mut(n)) {
                        for (i, ((u, p), mean)) in u.iter_mut().zip(p).zip(&*mean).enumerate() {
                            *u = self.coefficients.at(i) * p * (*u - mean);
                        }
                        kernel::transpose_product(&self.data, u, product, &self.pool);
                        simd::add_scaled(weight, product, out);
                    }
                }
            });
        })
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        for diagonal in diagonal.chunks_exact_mut(self.data.columns()) {
            simd::add_scaled(0.25 * weight, self.facts().column_squares(), diagonal);
        }
        true
    }
}

impl MultinomialLogistic {
    /// Adds the sum over the rows a_i of `data` of c_i (diag(p_i) - p_i p_i') ⊗ a_i a_i' to the lower triangle of a Hessian.
    fn add_blocks(
        &self,
        data: &Matrix,
        x: &[f64],
        coefficient: impl Fn(usize) -> f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let (n, rows, order) = (data.columns(), data.rows(), self.dimension());
        OracleError::check_length("hessian", order * order, hessian.len())?;
        budget.component()?;
        let added = self.with_probabilities(data, x, |p| {
            self.pool.with(rows + n * n, |buffer| {
                let (spread, block) = buffer.split_at_mut(rows);
                for (k, l) in (0..self.classes).flat_map(|k| (0..=k).map(move |l| (k, l))) {
                    self.covariances(p, (k, l), &coefficient, spread);
                    block.fill(0.0);
                    kernel::add_gram(data, spread, block, &self.pool, budget)?;
                    // The block is symmetric and only its lower triangle is written. Off the diagonal all of it counts.
                    for j in 0..n {
                        let column = &mut hessian[(l * n + j) * order + k * n..][..n];
                        for i in if k == l { j } else { 0 }..n {
                            column[i] += block[i.min(j) * n + i.max(j)];
                        }
                    }
                }
                Ok::<(), Stop>(())
            })
        })?;
        Ok(added?)
    }

    /// Writes c_i times entry (k, l) of diag(p_i) - p_i p_i' for all rows that `p` has.
    fn covariances(
        &self,
        p: &[f64],
        (k, l): (usize, usize),
        coefficient: impl Fn(usize) -> f64,
        out: &mut [f64],
    ) {
        let rows = out.len();
        for (i, out) in out.iter_mut().enumerate() {
            let at = |k: usize| p[k * rows + i];
            // 1 - p_k is the sum of the others where it would cancel.
            let rest = |k: usize| match at(k) {
                p if p < 0.5 => 1.0 - p,
                _ => (0..self.classes).filter(|other| *other != k).map(at).sum::<f64>(),
            };
            let entry = if k == l { at(k) * rest(k) } else { -at(k) * at(l) };
            *out = coefficient(i) * entry;
        }
    }
}
