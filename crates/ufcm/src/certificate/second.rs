//! What the second derivatives of the Lagrangian exceed around a point: by entries where the components' are sparse, else as a matrix.

use super::evidence::Witness;
use super::tuning::curved::{MOST_ENTRYWISE, MOST_VARIABLES, PROVEN};
use crate::linalg::SparseSymmetric;
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::ranks::Call;
use faer::linalg::solvers::Llt;
use faer::{MatRef, Side};
use std::cell::OnceCell;

/// A symmetric matrix of n columns.
pub(super) enum SecondDerivatives {
    /// The lower triangle, by columns.
    Dense(Vec<f64>),
    /// Entries of the lower triangle, some in parts.
    Sparse { n: usize, entries: Vec<(usize, usize, f64)>, ordered: OnceCell<Option<SparseSymmetric>> },
}

impl SecondDerivatives {
    /// A matrix that the Lagrangian's second derivatives exceed within `radius` of y. `None` where nothing is curved, or where it would
    /// be too large.
    ///
    /// # Errors
    /// An oracle that failed, or the budget.
    pub(super) fn floor(
        problem: &Problem,
        witness: &Witness,
        radius: f64,
    ) -> Result<Option<Self>, OracleError> {
        let n = problem.dimension();
        if let Some(entries) = sparse_entries(problem, witness) {
            let some = !entries.is_empty();
            return Ok(some.then(|| Self::Sparse { n, entries, ordered: OnceCell::new() }));
        }
        if n > MOST_VARIABLES {
            return Ok(None);
        }
        let mut hessian = vec![0.0; n * n];
        let rows = (0..witness.multipliers.len()).filter(|&row| witness.multipliers[row] > 0.0);
        problem.add_curvature(Call::Floor, &witness.y, rows, &mut hessian, |row, curvature, hessian| {
            curvature.add_floor(&witness.y, radius, witness.multipliers[row], hessian, problem.budget())
        })?;
        Ok(Some(Self::Dense(hessian)))
    }

    /// Calls `visit(i, j, value)` for the entries with i >= j.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Sparse { entries, .. } => entries.iter().for_each(|(i, j, v)| visit(*i, *j, *v)),
            Self::Dense(hessian) => {
                let n = hessian.len().isqrt();
                for j in 0..n {
                    (j..n).for_each(|i| visit(i, j, hessian[j * n + i]));
                }
            }
        }
    }

    pub(super) fn diagonal(&self) -> Vec<f64> {
        match self {
            Self::Sparse { n, entries, .. } => {
                let mut diagonal = vec![0.0; *n];
                entries.iter().filter(|(i, j, _)| i == j).for_each(|(i, _, v)| diagonal[*i] += v);
                diagonal
            }
            Self::Dense(hessian) => {
                let n = hessian.len().isqrt();
                (0..n).map(|i| hessian[i * n + i]).collect()
            }
        }
    }

    /// Whether H - mu I is positive definite, by a factorisation that leaves room for rounding in H and in the factors.
    pub(super) fn exceed(&self, mu: f64) -> bool {
        let trace: f64 = self.diagonal().iter().sum();
        // Written so that a NaN is refused.
        if !(trace.is_finite() && mu > 0.0) {
            return false;
        }
        let shift = mu + PROVEN * trace;
        let (n, entries, ordered) = match self {
            Self::Dense(hessian) => return is_definite(hessian.clone(), shift),
            Self::Sparse { n, entries, ordered } => (*n, entries, ordered),
        };
        let order = || {
            let matrix = SparseSymmetric::new(n, entries)?;
            (matrix.operations()[0] <= MOST_ENTRYWISE).then_some(matrix)
        };
        if let Some(matrix) = ordered.get_or_init(order) {
            return matrix.factor(|i, j, v| if i == j { v - shift } else { v }).is_some();
        }
        if n > MOST_VARIABLES {
            return false;
        }
        let mut dense = vec![0.0; n * n];
        entries.iter().for_each(|(i, j, v)| dense[j * n + i] += v);
        is_definite(dense, shift)
    }
}

/// Whether a matrix with this lower triangle, by columns, is positive definite with `shift` less on its diagonal.
fn is_definite(mut lower: Vec<f64>, shift: f64) -> bool {
    let n = lower.len().isqrt();
    (0..n).for_each(|i| lower[i * n + i] -= shift);
    Llt::new(MatRef::from_column_major_slice(&lower, n, n), Side::Lower).is_ok()
}

/// The entries, where all curved components say them.
fn sparse_entries(problem: &Problem, witness: &Witness) -> Option<Vec<(usize, usize, f64)>> {
    let mut entries = Vec::new();
    for (row, l) in witness.multipliers.iter().enumerate().filter(|(_, l)| **l > 0.0) {
        let Some(component) = problem.component(row) else { continue };
        if let Some(curvature) = component.curvature() {
            entries.extend(curvature.sparse_floor(*l)?);
        }
    }
    Some(entries)
}
