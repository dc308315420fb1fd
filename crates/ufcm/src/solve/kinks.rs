//! Bounds of an answer at which components have kinks.
//!
//! There a component tells one of its subgradients, and mostly not the one with which the optimality conditions hold, so that the minorant at
//! the answer proves little, however exact the answer is. At points nearby it tells others:
//!
//! ```text
//! y_k = x + small and random,    m_k(w) = <l, g(y_k) + J(y_k) (w - y_k)> - h*(l)
//! ```
//!
//! With few kinks the subgradient that is wanted is a mixture of theirs, and the combination of the minorants finds it; each is off by the
//! square of the distance. Interior points need this: their answers are exact, and their multipliers are those of rows, not of kinks inside
//! of components. Decision 0038.

use super::Run;
use super::incumbent::is_closed;
use super::tuning::{AROUND_KINKS, CHEAP_LOOK, KINKS_AT_ONCE, LEAST_AROUND_KINKS, NEAR_KINKS};
use crate::certificate::Linearisation;
use crate::method::{Method, Residuals, StepError};
use crate::problem::Problem;
use crate::random::Random;

impl Run<'_> {
    /// Takes in minorants around an answer that no bound proves yet and that components may have kinks at; once in a run.
    pub(super) fn look_around_kinks(&mut self, method: &dyn Method) -> Result<(), StepError> {
        let Residuals::Kkt(kkt) = method.residuals() else { return Ok(()) };
        let unit = self.best.unit(self.problem);
        let is_proven = is_closed(&self.settings, unit, self.best.charged, self.bounds.lower());
        let exact = kkt.primal <= self.settings.eps_feas;
        if self.has_looked_around || !exact || is_proven || !has_kinks(self.problem) {
            return Ok(());
        }
        let Some(at) = method.linearisation() else { return Ok(()) };
        self.has_looked_around = true;
        if self.bounds.change_method(2 * AROUND_KINKS).is_err() {
            return Ok(());
        }
        let largest = at.y.iter().fold(1.0f64, |largest, x| largest.max(x.abs()));
        let (mut random, mut mapping) = (Random::new(0), self.problem.mapping());
        let mut values = vec![0.0; self.problem.rows()];
        let mut own = values.clone();
        let affordable = (CHEAP_LOOK / self.gradient_operations) as usize;
        for k in 0..affordable.clamp(LEAST_AROUND_KINKS, AROUND_KINKS) {
            if k > 0 && k % KINKS_AT_ONCE == 0 {
                self.bounds.combine(self.best.charged);
                if is_closed(&self.settings, unit, self.best.charged, self.bounds.lower()) {
                    return Ok(());
                }
            }
            let moved = at.y.iter().map(|x| x + NEAR_KINKS * largest * random.normal());
            let y: Vec<f64> = moved.collect();
            self.budget.gradient()?;
            match mapping.linearise(&y, &mut values) {
                Ok(()) => {}
                Err(error) if error.is_overflow() => continue,
                Err(error) => return Err(error.into()),
            }
            let there = Linearisation { mapping: &*mapping, y: &y, values: &values, ..at };
            self.bounds.take_alone(&there)?;
            // With the multipliers of h there as well: those of the answer may be off by as much as kinks let them.
            self.problem.composer().multipliers_at(&values, &mut own);
            self.bounds.take_alone(&Linearisation { multipliers: &own, ..there })?;
        }
        self.bounds.combine(self.best.charged);
        Ok(())
    }
}

/// Whether a component says that it has kinks.
pub(super) fn has_kinks(problem: &Problem) -> bool {
    let kinked = |row: usize| {
        let smoothness = problem.component(row).and_then(|component| component.smoothness());
        smoothness.is_some_and(|smoothness| smoothness.exponent == 0.0)
    };
    (0..problem.rows()).any(|row| !problem.is_affine(row) && kinked(row))
}
