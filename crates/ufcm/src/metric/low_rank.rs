//! A diagonal plus a matrix of low rank: D + sum_k v_k v_k'.

use crate::kernel::simd;

/// D + sum_k v_k v_k' with D >= 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LowRank {
    diagonal: Vec<f64>,
    /// v_1, v_2, ..., one after the other.
    vectors: Vec<f64>,
}

impl LowRank {
    /// `vectors` holds whole vectors of the diagonal's length, one after the other.
    pub(crate) fn new(diagonal: Vec<f64>, vectors: Vec<f64>) -> Self {
        debug_assert_eq!(vectors.len() % diagonal.len(), 0, "whole vectors");
        Self { diagonal, vectors }
    }

    /// The matrix times s D from the left and D from the right.
    pub(super) fn in_units(&self, s: f64, columns: impl Fn(usize) -> f64) -> Self {
        let (n, root) = (self.diagonal.len(), s.sqrt());
        let entry = |(i, d): (usize, &f64)| s * columns(i) * columns(i) * d;
        let along = |(k, v): (usize, &f64)| root * columns(k % n) * v;
        Self {
            diagonal: self.diagonal.iter().enumerate().map(entry).collect(),
            vectors: self.vectors.iter().enumerate().map(along).collect(),
        }
    }

    pub(super) fn order(&self) -> usize {
        self.diagonal.len()
    }

    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// v_1, v_2, ...
    pub(crate) fn vectors(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.vectors.chunks_exact(self.diagonal.len())
    }

    pub(super) fn apply(&self, v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.diagonal).zip(v).for_each(|((out, d), v)| *out = d * v);
        for vector in self.vectors() {
            simd::add_scaled(simd::dot(vector, v), vector, out);
        }
    }

    pub(super) fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        let plain: f64 = self.diagonal.iter().zip(a).zip(b).map(|((d, a), b)| d * a * b).sum();
        plain + self.vectors().map(|v| simd::dot(v, a) * simd::dot(v, b)).sum::<f64>()
    }

    /// At least the largest eigenvalue: V V' has those of the Gram matrix V'V.
    pub(super) fn bound(&self) -> f64 {
        let rank = self.vectors().len();
        let mut gram = Vec::with_capacity(rank * rank);
        for a in self.vectors() {
            gram.extend(self.vectors().map(|b| simd::dot(a, b)));
        }
        self.diagonal.iter().copied().fold(0.0, f64::max) + super::norm_bound(&gram, rank)
    }
}
