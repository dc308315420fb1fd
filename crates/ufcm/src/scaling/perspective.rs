//! s h(z / r): a composer whose values are s times and whose rows are r times as large. Its conjugate is s h*(r l / s).

use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, NewtonComposer, OracleError, Weight};
use crate::pool::Pool;
use std::sync::Arc;

pub(super) struct Perspective {
    /// s
    factor: f64,
    /// r
    rows: f64,
    composer: Arc<dyn Composer>,
    pool: Pool,
}

impl Perspective {
    pub(super) fn new(factor: f64, rows: f64, composer: Arc<dyn Composer>) -> Self {
        Self { factor, rows, composer, pool: Pool::default() }
    }

    /// Runs `work` with `by` times `z`.
    fn with_argument<T>(&self, z: &[f64], by: f64, work: impl FnOnce(&[f64]) -> T) -> T {
        self.pool.with(z.len(), |argument| {
            argument.iter_mut().zip(z).for_each(|(argument, z)| *argument = z * by);
            work(argument)
        })
    }

    /// r / s, which takes multipliers to those of h.
    fn ratio(&self) -> f64 {
        self.rows / self.factor
    }

    /// What multiplies a metric: s / r^2.
    fn weight(&self) -> f64 {
        self.factor / self.rows / self.rows
    }
}

impl Composer for Perspective {
    fn kind(&self) -> &'static str {
        self.composer.kind()
    }

    fn grounds(&self) -> Grounds {
        self.composer.grounds()
    }

    fn rows(&self) -> usize {
        self.composer.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.factor * self.with_argument(z, self.rows.recip(), |z| self.composer.value(z))
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.factor * self.with_argument(multipliers, self.ratio(), |l| self.composer.conjugate(l))
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.factor * self.with_argument(multipliers, self.ratio(), |l| self.composer.conjugate_magnitude(l))
    }

    /// With k = r l / s it is s times h*(k) + 1/2 |k - r v / s|^2 in the metric W s / r^2.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        multipliers.iter_mut().for_each(|l| *l *= self.ratio());
        self.composer.prox_conjugate(weight.times(self.weight()), multipliers)?;
        multipliers.iter_mut().for_each(|l| *l /= self.ratio());
        Ok(())
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        self.with_argument(z, self.rows.recip(), |z| self.composer.multipliers_at(z, multipliers));
        multipliers.iter_mut().for_each(|l| *l /= self.ratio());
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
        self.weight() * self.composer.smoothness()
    }

    fn is_constraint(&self) -> bool {
        self.composer.is_constraint()
    }

    fn suits_interior_points(&self) -> bool {
        self.composer.suits_interior_points()
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        self.rows * self.with_argument(z, self.rows.recip(), |z| self.composer.domain_distance(z))
    }

    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        self.composer.row_domain(row).map(|ends| ends.map(|end| self.rows * end))
    }

    fn is_pinned(&self, row: usize) -> bool {
        self.composer.is_pinned(row)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let z: Vec<_> = z.iter().map(|z| z.clone().times(self.rows.recip())).collect();
        form.scaled(self.factor, |form| self.composer.conic(form, &z))
    }
}

impl NewtonComposer for Perspective {
    /// S = (r^2/s ∂²h* + W)^-1 is s/r^2 times that of h* in the metric W s/r^2.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        out.with_vector(point.iter().map(|l| l * self.ratio()), |point, out| {
            out.scaled(self.weight(), |out| {
                self.composer.prox_conjugate_jacobian(weight.times(self.weight()), point, out)
            })
        })
    }
}
