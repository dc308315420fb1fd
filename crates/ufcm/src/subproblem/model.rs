//! What the solvers ask of a model step: all its rows, or those of a working set.

use super::Subproblem;
use crate::budget::Budget;
use crate::jacobian::{JacobianBlock, ProxJacobian};
use crate::oracle::{OracleError, Regulariser, Weight};

/// min over w, max over l of <l, J w + b> - h*(l) + u(w) + 1/2 |w - z|_W^2.
pub(super) trait Model {
    /// b.
    fn offset(&self) -> &[f64];

    /// z.
    fn centre(&self) -> &[f64];

    /// W.
    fn weight(&self) -> Weight<'_>;

    fn regulariser(&self) -> &dyn Regulariser;

    /// `out = J w`.
    fn apply(&self, w: &[f64], out: &mut [f64]);

    /// `out = J'l`.
    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]);

    fn jacobian_row(&self, row: usize, out: &mut [f64]);

    /// As [`Mapping::gram`](crate::oracle::Mapping::gram).
    fn gram(
        &self,
        s: &ProxJacobian,
        rows: &[usize],
        scratch: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), OracleError>;

    /// Asked in every loop.
    fn budget(&self) -> &Budget;

    fn is_pinned(&self, row: usize) -> bool;

    /// Whether the prox of h* takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool;

    /// h*.
    fn conjugate(&self, multipliers: &[f64]) -> f64;

    fn prox_conjugate(&self, metric: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError>;

    fn prox_conjugate_jacobian(
        &self,
        metric: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;
}

impl Model for Subproblem<'_> {
    fn offset(&self) -> &[f64] {
        self.offset
    }

    fn centre(&self) -> &[f64] {
        self.centre
    }

    fn weight(&self) -> Weight<'_> {
        self.weight
    }

    fn regulariser(&self) -> &dyn Regulariser {
        self.regulariser
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        self.mapping.apply(w, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        self.mapping.apply_transpose(multipliers, out);
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        self.mapping.jacobian_row(row, out);
    }

    fn gram(
        &self,
        s: &ProxJacobian,
        rows: &[usize],
        scratch: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        Ok(self.mapping.gram(s, rows, scratch, out, self.budget)?)
    }

    fn budget(&self) -> &Budget {
        self.budget
    }

    fn is_pinned(&self, row: usize) -> bool {
        self.composer.is_pinned(row)
    }

    fn has_diagonal_prox(&self) -> bool {
        self.composer.has_diagonal_prox()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.composer.conjugate(multipliers)
    }

    fn prox_conjugate(&self, metric: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        self.composer.prox_conjugate(metric, multipliers)
    }

    fn prox_conjugate_jacobian(
        &self,
        metric: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        self.composer.prox_conjugate_jacobian(metric, point, out)
    }
}
