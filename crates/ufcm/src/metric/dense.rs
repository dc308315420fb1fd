//! A symmetric positive semidefinite matrix with all its entries.

use crate::kernel::{self, simd};
use crate::mapping::read_operations;
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::ranks::Call;

/// H, all of it, by columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dense {
    n: usize,
    entries: Vec<f64>,
}

impl Dense {
    /// sum_j l_j ∇²g_j(x) over the rows with l_j > 0, from this share of the data.
    pub(super) fn hessian(
        problem: &Problem,
        x: &[f64],
        multipliers: &[f64],
        share: f64,
    ) -> Result<Self, OracleError> {
        let n = x.len();
        let mut entries = vec![0.0; n * n];
        let rows = (0..multipliers.len()).filter(|&row| multipliers[row] > 0.0);
        problem.add_curvature(Call::Hessian, x, rows, &mut entries, |row, curvature, entries| {
            let part = if curvature.terms() > 1 { share } else { 1.0 };
            let operations = problem.component(row).map_or(0, read_operations);
            problem.budget().note_read((part * operations as f64) as u64);
            curvature.add_sampled_hessian(x, multipliers[row], share, entries, problem.budget())
        })?;
        // Oracles write the lower triangle.
        kernel::mirror_lower(n, &mut entries);
        Ok(Self { n, entries })
    }

    /// A symmetric matrix, all of it.
    pub(crate) fn symmetric(n: usize, entries: Vec<f64>) -> Self {
        debug_assert_eq!(entries.len(), n * n, "a square matrix");
        Self { n, entries }
    }

    /// s D H D.
    pub(super) fn in_units(&self, s: f64, columns: impl Fn(usize) -> f64) -> Self {
        let n = self.n;
        let scaled = |(k, h): (usize, &f64)| s * columns(k / n) * columns(k % n) * h;
        Self { n, entries: self.entries.iter().enumerate().map(scaled).collect() }
    }

    /// All entries, by columns.
    pub(super) fn entries(&self) -> &[f64] {
        &self.entries
    }

    pub(super) fn order(&self) -> usize {
        self.n
    }

    /// Column j.
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        &self.entries[j * self.n..][..self.n]
    }

    pub(super) fn apply(&self, v: &[f64], out: &mut [f64]) {
        simd::row_dots(&self.entries, v, out);
    }

    pub(super) fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        let columns = self.entries.chunks_exact(self.n);
        columns.zip(b).map(|(column, b)| b * simd::dot(column, a)).sum()
    }

    /// At least the largest eigenvalue.
    pub(super) fn bound(&self) -> f64 {
        super::norm_bound(&self.entries, self.n)
    }
}
