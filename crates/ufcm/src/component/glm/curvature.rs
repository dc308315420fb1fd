//! Second derivatives of losses over data.

use super::{Glm, Loss};
use crate::budget::Budget;
use crate::kernel::{self, SeveralFold, simd};
use crate::matrix::Matrix;
use crate::oracle::{Component, Curvature, OracleError, Smoothness};

/// Products of entries of rows for each variable and each row, up to which second derivatives are listed. Not measured.
const SPARSE_PRODUCTS: usize = 8;

/// The products of each row times one number.
struct Times<'a>(&'a [f64]);

impl SeveralFold for Times<'_> {
    fn tile(&self, first: usize, rows: usize, t: &mut [f64], _with_derivatives: bool) -> f64 {
        let factors = &self.0[first..first + rows];
        for t in t.chunks_exact_mut(rows) {
            t.iter_mut().zip(factors).for_each(|(t, factor)| *t *= factor);
        }
        0.0
    }
}

impl<L: Loss> Curvature for Glm<L> {
    fn is_piecewise_constant(&self) -> bool {
        L::IS_PIECEWISE_QUADRATIC
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        if !L::IS_LEAST_AT_ENDS || (radius == f64::INFINITY && !L::IS_SQUARE) {
            return Ok(());
        }
        OracleError::check_length("hessian", self.dimension() * self.dimension(), hessian.len())?;
        budget.component()?;
        let added = self.pool.with(self.data.rows(), |t| {
            self.products(x, t);
            for (i, t) in t.iter_mut().enumerate() {
                let norm = self.facts().row_norm(i);
                // a_i.x moves by no more than this, and is rounded.
                let reach = radius * norm + 1e-9 * (t.abs() + norm);
                let at = |t: f64| self.loss.second_derivative(t, self.targets[i]).unwrap_or(0.0);
                let least = if L::IS_SQUARE { at(*t) } else { at(*t - reach).min(at(*t + reach)) };
                *t = weight * self.coefficient(i) * least;
            }
            kernel::add_gram(&self.data, t, hessian, &self.pool, budget)
        });
        Ok(added?)
    }

    /// Of squares whose rows have few entries each: no more products than a few for each variable and each row.
    fn sparse_floor(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        let (rows, most) = (self.data.rows(), SPARSE_PRODUCTS * (self.dimension() + self.data.rows()));
        // Of rows of one length, the fewest.
        let fewest = self.data.stored() * self.data.stored() / (2 * rows.max(1));
        if !L::IS_SQUARE || !matches!(*self.data, Matrix::Sparse(_)) || fewest > most {
            return None;
        }
        let (mut entries, mut own) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let second = self.loss.second_derivative(0.0, self.targets[row]).unwrap_or(0.0);
            let factor = weight * self.coefficient(row) * second;
            own.clear();
            self.data.view_row(row).for_each(|j, v| own.push((j, v)));
            for (k, (i, v)) in own.iter().enumerate() {
                entries.extend(own[..=k].iter().map(|(j, w)| (*i.max(j), *i.min(j), factor * v * w)));
            }
            if entries.len() > most {
                return None;
            }
        }
        Some(entries)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("diagonal", self.dimension(), diagonal.len())?;
        self.with_second_derivatives(x, |second| {
            self.pool.with(diagonal.len(), |sums| {
                kernel::weighted_squares(&self.data, second, sums, &self.pool);
                diagonal.iter_mut().zip(sums).for_each(|(d, sum)| *d += weight * *sum);
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
        OracleError::check_length("hessian", self.dimension() * self.dimension(), hessian.len())?;
        budget.component()?;
        let added = self.with_second_derivatives(x, |second| {
            second.iter_mut().for_each(|second| *second *= weight);
            kernel::add_gram(&self.data, second, hessian, &self.pool, budget)
        })?;
        Ok(added?)
    }

    fn terms(&self) -> usize {
        self.data.rows()
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
        self.check_point(x, None)?;
        OracleError::check_length("hessian", self.dimension() * self.dimension(), hessian.len())?;
        budget.component()?;
        self.pool.with(sample.rows.len(), |t| {
            sample.data.apply(x, t);
            for ((t, &i), stands_for) in t.iter_mut().zip(&sample.rows).zip(&sample.stands_for) {
                *t += self.offset(i);
                self.differentiate_twice(i, t)?;
                *t *= weight * stands_for;
            }
            Ok(kernel::add_gram(&sample.data, t, hessian, &self.pool, budget)?)
        })
    }

    /// Of sparse rows the products of their entries, two by two.
    fn hessian_operations(&self) -> Option<u64> {
        let (stored, rows) = (self.data.stored() as u64, self.data.rows().max(1) as u64);
        Some(4 * stored + stored * stored.div_ceil(rows))
    }

    fn has_products(&self) -> bool {
        true
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let n = self.dimension();
        OracleError::check_products(n, vectors, out)?;
        // All of them in one read of the data, where what is read is more than they are.
        if let Matrix::Dense(_) = &*self.data {
            return self.with_second_derivatives(x, |second| {
                self.pool.with(vectors.len(), |products| {
                    kernel::evaluate_several(&self.data, vectors, Some(products), &Times(second), &self.pool);
                    simd::add_scaled(weight, products, out);
                });
            });
        }
        self.with_second_derivatives(x, |second| {
            self.pool.with(second.len() + n, |buffer| {
                let (image, product) = buffer.split_at_mut(second.len());
                for (v, out) in vectors.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
                    self.data.apply(v, image);
                    image.iter_mut().zip(&*second).for_each(|(t, second)| *t *= second);
                    kernel::transpose_product(&self.data, image, product, &self.pool);
                    simd::add_scaled(weight, product, out);
                }
            });
        })
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let Some(Smoothness { constant, exponent: 1.0 }) = self.loss.smoothness() else { return false };
        for (d, sum) in diagonal.iter_mut().zip(self.facts().column_squares()) {
            *d += weight * constant * sum;
        }
        true
    }
}
