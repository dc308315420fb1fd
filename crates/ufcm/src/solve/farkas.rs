//! Multipliers that would prove infeasibility but for a slope: what the objective left in them, and iterations that have not converged.
//! The least change that takes the slope away, where X is unbounded, is a least-squares problem.

use super::least_change::take_away;
use super::slopes::Transposed;
use super::tuning::{CORRECTION_ROUNDS, HEAVY};
use crate::budget::Budget;
use crate::certificate::Linearisation;
use crate::oracle::{OracleError, Regulariser, Weight};

/// Changes `multipliers`, those that are not 0, until J'l is as near to 0 as rounding allows in the variables in which X does not hold it.
pub(super) fn correct(
    at: &Linearisation<'_>,
    regulariser: &dyn Regulariser,
    multipliers: &mut [f64],
    budget: &Budget,
) -> Result<(), OracleError> {
    for _ in 0..CORRECTION_ROUNDS {
        let mut slope = vec![0.0; at.y.len()];
        at.mapping.apply_transpose(multipliers, &mut slope);
        let free = free_variables(regulariser, &slope);
        let used: Vec<bool> = multipliers.iter().map(|l| *l != 0.0).collect();
        let system = Transposed { mapping: at.mapping, free: &free, used: &used };
        if free.iter().any(|free| *free) {
            slope.iter_mut().zip(&free).filter(|(_, free)| !**free).for_each(|(s, _)| *s = 0.0);
            take_away(&system, &mut slope, multipliers, 0.0, budget)?;
        }
        let before = multipliers.to_vec();
        at.composer.prox_conjugate(Weight::scalar(HEAVY), multipliers)?;
        // Rows that are no constraints, or hold, stay without one.
        multipliers.iter_mut().zip(&used).filter(|(_, used)| !**used).for_each(|(l, _)| *l = 0.0);
        // A sign that had to be changed stays so: the next round does without that row.
        if multipliers.iter().zip(&before).zip(&used).all(|((l, before), used)| l == before || !used) {
            break;
        }
    }
    Ok(())
}

/// The variables in which <slope, x> has no minimum over X. Where the regulariser does not work by coordinates, all.
fn free_variables(regulariser: &dyn Regulariser, slope: &[f64]) -> Vec<bool> {
    let is_free = |(i, s): (usize, &f64)| {
        regulariser.scalar_term(i).is_none_or(|law| {
            (*s > 0.0 && law.lower == f64::NEG_INFINITY) || (*s < 0.0 && law.upper == f64::INFINITY)
        })
    };
    slope.iter().enumerate().map(is_free).collect()
}
