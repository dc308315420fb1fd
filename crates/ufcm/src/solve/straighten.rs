//! Multipliers whose slope vanishes to the last digits where x is free to move: where X is wide, a lower bound charges every slope
//! with that width, and 1e-9 of a slope over a width of 1e9 is too much.

use super::Run;
use super::least_change::take_away;
use super::slopes::Transposed;
use super::tuning::{CORRECTION_ROUNDS, HEAVY, NEAR_BOUND};
use crate::certificate::Linearisation;
use crate::method::{Method, StepError};
use crate::oracle::{OracleError, Weight};

impl Run<'_> {
    /// Raises the bound by multipliers near the method's, if they are straightened.
    pub(super) fn straighten(&mut self, method: &dyn Method) -> Result<(), StepError> {
        let Some(at) = method.linearisation() else { return Ok(()) };
        let mut multipliers = at.multipliers.to_vec();
        if self.straightened(&at, &mut multipliers)? {
            self.bounds.take(&Linearisation { multipliers: &multipliers, ..at }, f64::INFINITY)?;
        }
        Ok(())
    }

    /// Changes multipliers that are not fixed, as little as possible, until x is stationary in the variables that have room to fall;
    /// answers whether there was something to change. Only for laws of coordinates.
    pub(super) fn straightened(
        &self,
        at: &Linearisation<'_>,
        multipliers: &mut [f64],
    ) -> Result<bool, OracleError> {
        let Some(own) = self.own_slopes(at.y) else { return Ok(false) };
        let mut used = self.moving_rows(at, multipliers);
        if !used.iter().any(|used| *used) {
            return Ok(false);
        }
        for _ in 0..CORRECTION_ROUNDS {
            let mut residual = vec![0.0; at.y.len()];
            at.mapping.apply_transpose(multipliers, &mut residual);
            residual.iter_mut().zip(&own).for_each(|(residual, own)| *residual += own);
            let free: Vec<bool> = (0..at.y.len()).map(|i| self.is_free(i, at.y[i], residual[i])).collect();
            residual.iter_mut().zip(&free).filter(|(_, free)| !**free).for_each(|(r, _)| *r = 0.0);
            let system = Transposed { mapping: at.mapping, free: &free, used: &used };
            take_away(&system, &mut residual, multipliers, 0.0, &self.budget)?;
            let before = multipliers.to_vec();
            at.composer.prox_conjugate(Weight::scalar(HEAVY), multipliers)?;
            for (row, l) in
                multipliers.iter_mut().enumerate().filter(|(row, _)| !self.problem.is_affine(*row))
            {
                *l = l.max(0.0);
                used[row] &= *l > 0.0;
            }
            // One that left the domain of h* stays at its end.
            for ((used, l), before) in used.iter_mut().zip(&*multipliers).zip(&before) {
                *used &= l == before;
            }
        }
        Ok(true)
    }

    /// u' at x, to the side of 0 on which x is.
    fn own_slopes(&self, x: &[f64]) -> Option<Vec<f64>> {
        let slope = |(i, x): (usize, &f64)| {
            let law = self.problem.regulariser().scalar_term(i)?;
            Some(law.ridge * x + if *x > 0.0 { law.above } else { -law.below })
        };
        x.iter().enumerate().map(slope).collect()
    }

    /// Whether variable `i`, at x, has room in the direction in which a slope makes it fall: no bound and no kink of u is near there.
    fn is_free(&self, i: usize, x: f64, slope: f64) -> bool {
        let Some(law) = self.problem.regulariser().scalar_term(i) else { return false };
        let near = NEAR_BOUND * (1.0 + x.abs());
        let kinked = law.above != -law.below && x.abs() <= near;
        let room = if slope > 0.0 { x - law.lower } else { law.upper - x };
        room > near && !kinked
    }

    /// The rows whose multipliers may move: not those that can have one value only, nor constraints that do not hold x. The
    /// multipliers of those become 0.
    fn moving_rows(&self, at: &Linearisation<'_>, multipliers: &mut [f64]) -> Vec<bool> {
        let mut moving = vec![false; multipliers.len()];
        for (range, composer) in self.problem.parts() {
            for (k, row) in range.enumerate() {
                let z = at.values[row];
                let near = NEAR_BOUND * (1.0 + z.abs());
                let holds =
                    composer.row_domain(k).is_none_or(|[low, high]| z >= high - near || z <= low + near);
                let idle = composer.is_constraint() && !holds;
                if idle && multipliers[row].abs() <= NEAR_BOUND {
                    multipliers[row] = 0.0;
                }
                moving[row] = !idle && !composer.is_pinned(k) && multipliers[row] != 0.0;
            }
        }
        moving
    }
}
