//! An accelerated gradient method on the dual of the model step, for oracles whose proxes have no Jacobian.
//!
//! ```text
//! l+ = prox_{h*,Sigma}(v + Sigma^-1 ∇phi(v)),    v+ = l+ + (t - 1)/t+ (l+ - l),    t+ = (1 + sqrt(1 + 4 t^2)) / 2
//! ```
//!
//! Sigma exceeds J W^-1 J', so no step size has to be sought. Momentum starts anew (t = 1) whenever a step points against
//! the way it came.

use super::Outcome;
use super::gram::Gram;
use super::iterate::Iterate;
use super::model::Model;
use super::sigma::Sigma;
use crate::oracle::OracleError;
use crate::subproblem::tuning::dual_gradient::PATIENCE;

pub(super) struct DualGradient {
    sigma: Sigma,
    gram: Gram,
    /// v with what follows from it; l+ is its forward-backward point.
    point: Iterate,
    /// l
    last: Vec<f64>,
    /// The l+ of the least residual so far.
    best: Vec<f64>,
}

impl DualGradient {
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            sigma: Sigma::new(m, n),
            gram: Gram::with_room(0, n),
            point: Iterate::new(m, n),
            last: vec![0.0; m],
            best: vec![0.0; m],
        }
    }

    /// As [`Newton::solve`](super::Newton::solve), in up to `most` gradient steps.
    pub fn solve(
        &mut self,
        model: &dyn Model,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Outcome, OracleError> {
        self.sigma.choose(model, &mut self.gram)?;
        // A solver has room for its rows; the problem may have fewer.
        self.point.resize(multipliers.len());
        for kept in [&mut self.last, &mut self.best] {
            kept.resize(multipliers.len(), 0.0);
            kept.copy_from_slice(multipliers);
        }
        self.point.multipliers.copy_from_slice(multipliers);
        let (mut t, mut least, mut mark, mut idle) = (1.0, f64::INFINITY, f64::INFINITY, 0);
        let mut steps = 0;
        while steps < most && idle < PATIENCE {
            model.budget().inner_step()?;
            self.point.evaluate(model, &self.sigma)?;
            steps += 1;
            idle += 1;
            let residual = self.point.residual(&self.sigma);
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.point.forward_backward);
            }
            if residual <= tolerance {
                break;
            }
            if residual <= 0.5 * mark {
                (mark, idle) = (residual, 0);
            }
            t = self.advance(t);
        }
        // Checked at the answer itself, which is in the domain of h*: v need not be.
        self.point.multipliers.copy_from_slice(&self.best);
        self.point.evaluate(model, &self.sigma)?;
        multipliers.copy_from_slice(&self.point.multipliers);
        w.copy_from_slice(&self.point.w);
        Ok(Outcome { steps, residual: self.point.residual(&self.sigma), solved: false })
    }

    /// Moves v on, and l to l+; returns the next t.
    fn advance(&mut self, t: f64) -> f64 {
        let Iterate { multipliers: v, forward_backward: next, .. } = &mut self.point;
        let against = |j: usize| self.sigma.at(j) * (v[j] - next[j]) * (next[j] - self.last[j]);
        let overshot = (0..next.len()).map(against).sum::<f64>() > 0.0;
        let t = if overshot { 1.0 } else { t };
        let t_next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        for ((v, next), last) in v.iter_mut().zip(&*next).zip(&mut self.last) {
            *v = next + (t - 1.0) / t_next * (next - *last);
            *last = *next;
        }
        t_next
    }
}
