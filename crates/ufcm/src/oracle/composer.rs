//! How rows combine.

use super::{OracleError, Weight};
use crate::jacobian::JacobianBlock;
use std::ops::Range;

/// h: how the rows combine. Closed and convex; nondecreasing in every row that holds a curved component.
pub trait Composer: Send + Sync {
    /// What this is, in words for messages: `max`.
    fn kind(&self) -> &'static str;

    /// The number of rows it takes.
    fn rows(&self) -> usize;

    /// h(z), `f64::INFINITY` outside its domain.
    fn value(&self, z: &[f64]) -> f64;

    /// h*(multipliers), `f64::INFINITY` outside its domain. The domain of h* is where multipliers live.
    fn conjugate(&self, multipliers: &[f64]) -> f64;

    /// The sum of the absolute values of everything summed in h*(multipliers), and of what the multipliers' own rounding
    /// does to it: the size of its rounding error, in units of the machine precision.
    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.conjugate(multipliers).abs()
    }

    /// In place: argmin over l of h*(l) + 1/2 |l - multipliers|_W^2.
    ///
    /// # Errors
    /// [`OracleError::Unsupported`] for a diagonal W where [`Composer::has_diagonal_prox`] says no.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError>;

    /// Whether [`Composer::prox_conjugate`] takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool;

    /// An element of the generalised Jacobian of [`Composer::prox_conjugate`] at `point` (the argument of the
    /// prox, not its result), in the convention of [`ProxJacobian`](crate::jacobian::ProxJacobian).
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;

    /// A subgradient of h at `z`; where z is outside the domain, at its projection. Always in the domain of h*.
    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]);

    /// L_h, the Lipschitz constant of the gradient of h; `f64::INFINITY` where h is not smooth.
    fn smoothness(&self) -> f64;

    /// Whether h is nondecreasing in this row, so that the row may hold a curved component.
    fn is_nondecreasing(&self, row: usize) -> bool;

    /// Whether the multiplier of this row can have one value only, as those of a sum and of g_0 can.
    fn is_pinned(&self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// Whether h is the indicator of a set, 0 on it and infinite elsewhere: a constraint, which is no part of the objective.
    fn is_constraint(&self) -> bool {
        false
    }

    /// The composers that this one puts side by side, each with its rows, if that is what it does. Stacks among them are
    /// taken apart.
    fn stack(&self) -> Option<Vec<(Range<usize>, &dyn Composer)>> {
        None
    }

    /// The Euclidean distance from `z` to the domain of h: 0 for finite h, the violation for constraints.
    fn domain_distance(&self, z: &[f64]) -> f64;

    /// The ends of the interval in which this row must be for h to be finite; `None` where that depends on other rows, or is
    /// not known.
    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        let _ = row;
        None
    }

    /// In place: argmin over w of h(w) + 1/2 |w - z|_W^2, by Moreau's decomposition. It allocates; no step uses it.
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox(&self, weight: Weight<'_>, z: &mut [f64]) -> Result<(), OracleError> {
        let inverse: Vec<f64> = (0..z.len()).map(|i| 1.0 / weight.at(i)).collect();
        let mut multipliers: Vec<f64> = (0..z.len()).map(|i| weight.at(i) * z[i]).collect();
        let dual = match weight.as_scalar() {
            Some(tau) => Weight::scalar(1.0 / tau),
            None => Weight::diagonal(1.0, &inverse),
        };
        self.prox_conjugate(dual, &mut multipliers)?;
        for ((z, l), inverse) in z.iter_mut().zip(&multipliers).zip(&inverse) {
            *z -= l * inverse;
        }
        Ok(())
    }
}
