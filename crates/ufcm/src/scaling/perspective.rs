//! s h(z / s): a composer whose rows and values are both in units s times smaller. Its conjugate is s h*, with the same multipliers.

use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, NewtonComposer, OracleError, Weight};
use crate::pool::Pool;
use std::sync::Arc;

pub(super) struct Perspective {
    factor: f64,
    composer: Arc<dyn Composer>,
    pool: Pool,
}

impl Perspective {
    pub(super) fn new(factor: f64, composer: Arc<dyn Composer>) -> Self {
        Self { factor, composer, pool: Pool::default() }
    }

    fn with_argument<T>(&self, z: &[f64], work: impl FnOnce(&[f64]) -> T) -> T {
        self.pool.with(z.len(), |argument| {
            argument.iter_mut().zip(z).for_each(|(argument, z)| *argument = z / self.factor);
            work(argument)
        })
    }
}

impl Composer for Perspective {
    fn kind(&self) -> &'static str {
        self.composer.kind()
    }

    fn rows(&self) -> usize {
        self.composer.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.factor * self.with_argument(z, |z| self.composer.value(z))
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.factor * self.composer.conjugate(multipliers)
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.factor * self.composer.conjugate_magnitude(multipliers)
    }

    /// s h*(l) + 1/2 |l - v|_W^2 is s times h*(l) + 1/2 |l - v|_(W/s)^2.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        self.composer.prox_conjugate(weight.times(self.factor.recip()), multipliers)
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        self.with_argument(z, |z| self.composer.multipliers_at(z, multipliers));
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        self.composer.is_nondecreasing(row)
    }

    fn has_diagonal_prox(&self) -> bool {
        self.composer.has_diagonal_prox()
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        self.composer.newton().map(|_| self as _)
    }

    fn smoothness(&self) -> f64 {
        self.composer.smoothness() / self.factor
    }

    fn is_constraint(&self) -> bool {
        self.composer.is_constraint()
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        self.factor * self.with_argument(z, |z| self.composer.domain_distance(z))
    }

    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        self.composer.row_domain(row).map(|ends| ends.map(|end| self.factor * end))
    }

    fn is_pinned(&self, row: usize) -> bool {
        self.composer.is_pinned(row)
    }
}

impl NewtonComposer for Perspective {
    /// S = (s ∂²h* + W)^-1 is 1/s times that of h* in the metric W/s.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let inverse = self.factor.recip();
        out.scaled(inverse, |out| {
            self.composer.prox_conjugate_jacobian(weight.times(inverse), point, out)
        })
    }
}
