//! The slopes of the kept minorants as a linear map, for the subproblem solver.

use crate::kernel::simd;
use crate::oracle::{Component, Mapping, OracleError};

/// x -> (<slope_k, x>)_k, slope after slope.
#[derive(Debug, Clone)]
pub(super) struct Slopes {
    pub(super) n: usize,
    /// How many of them there are so far; the rest is room.
    pub(super) count: usize,
    pub(super) values: Vec<f64>,
}

impl Slopes {
    pub(super) fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.n..][..self.n]
    }

    /// Those that there are.
    fn known(&self) -> &[f64] {
        &self.values[..self.count * self.n]
    }

    pub(super) fn row_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.values[k * self.n..][..self.n]
    }
}

impl Mapping for Slopes {
    fn dimension(&self) -> usize {
        self.n
    }

    fn rows(&self) -> usize {
        self.count
    }

    fn fork(&self) -> Box<dyn Mapping> {
        Box::new(self.clone())
    }

    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        self.values(x, values)
    }

    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        self.apply(x, values);
        Ok(())
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        simd::row_dots(self.known(), w, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        simd::add_rows(self.known(), multipliers, out);
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        out.copy_from_slice(self.row(row));
    }

    fn is_affine(&self, _row: usize) -> bool {
        true
    }

    fn component(&self, _row: usize) -> Option<&dyn Component> {
        None
    }

    fn operations(&self) -> Option<u64> {
        Some(2 * self.known().len() as u64)
    }
}
