//! A bound of the norm of a Jacobian, which the step sizes of Algorithm 1 need.

use crate::budget::{Budget, Stop};
use crate::jacobian::ProxJacobian;
use crate::method::tuning::spectral::{SQUARED_ROWS, SQUARINGS};
use crate::oracle::Mapping;

/// An upper bound of the spectral norm of a Jacobian, from its Gram matrix and without allocating.
///
/// |G| <= |G^k|_F^(1/k), and k = 2^7 squarings bring the right-hand side within m^(1/256) of the left. With many rows
/// the cube of their number would outweigh the step itself, and the Frobenius norm of J has to do.
pub(super) struct SpectralNorm {
    rows: Vec<usize>,
    identity: ProxJacobian,
    scratch: Vec<f64>,
    gram: Vec<f64>,
    square: Vec<f64>,
    row: Vec<f64>,
}

impl SpectralNorm {
    pub(super) fn new(m: usize, n: usize) -> Self {
        let mut identity = ProxJacobian::new();
        identity.start(n).diagonal().fill(1.0);
        let order = if m <= SQUARED_ROWS { m } else { 0 };
        let (gram, square) = (vec![0.0; order * order], vec![0.0; order * order]);
        let scratch = Vec::with_capacity((order + 1) * n + order);
        Self { rows: (0..order).collect(), identity, scratch, gram, square, row: vec![0.0; n] }
    }

    pub(super) fn bound(&mut self, mapping: &dyn Mapping, budget: &Budget) -> Result<f64, Stop> {
        let m = self.rows.len();
        if m == 0 {
            return Ok(self.frobenius(mapping));
        }
        mapping.gram(&self.identity, &self.rows, &mut self.scratch, &mut self.gram, budget)?;
        for j in 0..m {
            for i in 0..j {
                self.gram[j * m + i] = self.gram[i * m + j];
            }
        }
        // log of the bound: each round scales by the Frobenius norm, then squares.
        let (mut log, mut share) = (0.0, 1.0);
        for _ in 0..SQUARINGS {
            let norm = frobenius(&self.gram);
            if norm == 0.0 {
                return Ok(0.0);
            }
            self.gram.iter_mut().for_each(|g| *g /= norm);
            log += share * norm.ln();
            share *= 0.5;
            for i in 0..m {
                for j in 0..m {
                    let (row, column) = (&self.gram[i * m..][..m], &self.gram[j * m..][..m]);
                    self.square[i * m + j] = row.iter().zip(column).map(|(a, b)| a * b).sum();
                }
            }
            std::mem::swap(&mut self.gram, &mut self.square);
        }
        log += share * frobenius(&self.gram).ln();
        Ok((0.5 * log).exp())
    }

    fn frobenius(&mut self, mapping: &dyn Mapping) -> f64 {
        let mut square = 0.0;
        for row in 0..mapping.rows() {
            mapping.jacobian_row(row, &mut self.row);
            square += self.row.iter().map(|a| a * a).sum::<f64>();
        }
        square.sqrt()
    }
}

fn frobenius(matrix: &[f64]) -> f64 {
    matrix.iter().map(|v| v * v).sum::<f64>().sqrt()
}
