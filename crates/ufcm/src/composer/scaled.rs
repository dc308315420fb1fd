//! c h for c > 0. Its conjugate is c h*(l / c).

use super::check_scale;
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, NewtonComposer, OracleError, Weight};
use crate::pool::Pool;

const KIND: &str = "scaled";

/// A composer times a positive number.
///
/// ```
/// use ufcm::composer::{Max, Scaled};
/// use ufcm::oracle::Composer;
///
/// let h = Scaled::new(3.0, Box::new(Max::new(2)?))?;
/// assert_eq!(h.value(&[1.0, 4.0]), 12.0);
/// assert_eq!(h.conjugate(&[2.0, 1.0]), 0.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
pub struct Scaled {
    factor: f64,
    composer: Box<dyn Composer>,
    /// Storage for l / c: a shared reference comes in, so the quotient needs a place of its own, and several threads
    /// may ask at once.
    pool: Pool,
}

impl Scaled {
    /// `factor` times `composer`.
    ///
    /// # Errors
    /// A `factor` that is not a number between 1e-100 and 1e100, or a stack that holds
    /// constraints: its other parts may be scaled each.
    pub fn new(factor: f64, composer: Box<dyn Composer>) -> Result<Self, DataError> {
        check_scale(KIND, "factor", factor)?;
        // What a stack holds of constraints must stay apart from what it holds of the objective.
        if composer.stack().is_some_and(|stack| stack.iter().any(|(_, part)| part.is_constraint())) {
            let message = "a stack with constraints is not scaled as a whole; scale its other parts";
            return Err(DataError::structure(KIND, message.to_owned()));
        }
        Ok(Self { factor, composer, pool: Pool::default() })
    }
}

impl Composer for Scaled {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.composer.grounds()
    }

    fn rows(&self) -> usize {
        self.composer.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.factor * self.composer.value(z)
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.pool.with(multipliers.len(), |quotient| {
            quotient.iter_mut().zip(multipliers).for_each(|(quotient, l)| *quotient = l / self.factor);
            self.factor * self.composer.conjugate(quotient)
        })
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.pool.with(multipliers.len(), |quotient| {
            quotient.iter_mut().zip(multipliers).for_each(|(quotient, l)| *quotient = l / self.factor);
            self.factor * self.composer.conjugate_magnitude(quotient)
        })
    }

    /// With l = c k the objective is c times h*(k) + 1/2 |k - v/c|_cW^2.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        multipliers.iter_mut().for_each(|l| *l /= self.factor);
        self.composer.prox_conjugate(weight.times(self.factor), multipliers)?;
        multipliers.iter_mut().for_each(|l| *l *= self.factor);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        self.composer.has_diagonal_prox()
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        self.composer.multipliers_at(z, multipliers);
        multipliers.iter_mut().for_each(|l| *l *= self.factor);
    }

    fn smoothness(&self) -> f64 {
        self.factor * self.composer.smoothness()
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        self.composer.is_nondecreasing(row)
    }

    fn is_pinned(&self, row: usize) -> bool {
        self.composer.is_pinned(row)
    }

    fn is_constraint(&self) -> bool {
        self.composer.is_constraint()
    }

    fn suits_interior_points(&self) -> bool {
        self.composer.suits_interior_points()
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        self.composer.domain_distance(z)
    }

    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        self.composer.row_domain(row)
    }

    fn narrow(&self, intervals: &mut [[f64; 2]]) {
        self.composer.narrow(intervals);
    }

    fn nonnegative_pairs(&self) -> Vec<(usize, usize, f64)> {
        self.composer.nonnegative_pairs()
    }

    /// c h <= level is h <= level / c, and the multiplier of that is c times this one.
    fn sublevel_multiplier(&self, level: f64, multipliers: &[f64]) -> Option<f64> {
        self.composer.sublevel_multiplier(level / self.factor, multipliers).map(|t| t / self.factor)
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        self.composer.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        form.scaled(self.factor, |form| self.composer.conic(form, z))
    }
}

impl NewtonComposer for Scaled {
    /// The ordinary Jacobian of v -> c k(v/c) is that of k, S_k (c W); so S = c S_k.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        out.with_vector(point.iter().map(|v| v / self.factor), |point, out| {
            out.scaled(self.factor, |out| {
                self.composer.prox_conjugate_jacobian(weight.times(self.factor), point, out)
            })
        })
    }
}
