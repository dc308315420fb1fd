//! Semismooth Newton on the dual of the model step.
//!
//! The dual is max over l of phi(l) - h*(l) with phi(l) = min over w of <l, J w + b> + u(w) + 1/2 |w - z|_W^2: smooth,
//! with gradient J w(l) + b and generalised Hessian -J S J', S the Jacobian of the prox of u. Its solutions are the
//! fixed points of a forward-backward step, l = prox_{h*,Sigma}(l + Sigma^-1 ∇phi(l)), in any diagonal metric Sigma.
//! Newton's method is applied to that equation; the generalised Jacobian of the prox of h* enters as S_h (with
//! P = S_h Sigma its ordinary Jacobian):
//!
//! ```text
//! (I - P + S_h J S J') d = l_fb - l,    l_fb the forward-backward point
//! ```
//!
//! Rows on which P vanishes (inactive constraints, pinned multipliers) go straight to l_fb and leave the system to the
//! active ones. The forward-backward envelope, a smooth exact penalty for the dual as long as Sigma exceeds J S J', is
//! the merit of the line search between l + d and l_fb: a full step at best, a gradient step at worst, so the method
//! converges from anywhere and ends like Newton's.

use super::Outcome;
use super::gram::Gram;
use super::iterate::Iterate;
use super::model::Model;
use super::sigma::Sigma;
use crate::budget::{Budget, Stop};
use crate::jacobian::ProxJacobian;
use crate::linalg::lu;
use crate::oracle::OracleError;
use crate::subproblem::tuning::semismooth::{
    FAR_DAMPING, LEAST_DAMPING, PROGRESS, ROUNDING, STRETCH, SUFFICIENT,
};
use crate::subproblem::tuning::sigma::MARGIN;

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()))
}

/// The solver, with all its buffers.
pub(super) struct Semismooth {
    sigma: Sigma,
    current: Iterate,
    trial: Iterate,
    /// l + d.
    newton_point: Vec<f64>,
    primal_jacobian: ProxJacobian,
    dual_jacobian: ProxJacobian,
    active: Vec<usize>,
    /// Where a row stands in `active`; `usize::MAX` for others.
    place: Vec<usize>,
    gram: Gram,
    dual_dense: Vec<f64>,
    system: Vec<f64>,
    right: Vec<f64>,
    row_buffer: Vec<f64>,
    /// The share of Sigma that is added to J S J'.
    damping: f64,
    /// Whether the last stretch of steps, or the last solve, came to nothing.
    doubtful: bool,
    variable_buffers: [Vec<f64>; 2],
}

impl Semismooth {
    /// A solver for models with up to `m` rows, or more at the price of an allocation, and `n` variables.
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            sigma: Sigma::new(m, n),
            current: Iterate::new(m, n),
            trial: Iterate::new(m, n),
            newton_point: vec![0.0; m],
            primal_jacobian: ProxJacobian::with_room(n),
            dual_jacobian: ProxJacobian::with_room(m),
            active: Vec::with_capacity(m),
            place: vec![usize::MAX; m],
            gram: Gram::with_room(m, n),
            dual_dense: Vec::with_capacity(m * m),
            system: Vec::with_capacity(m * m),
            right: Vec::with_capacity(m),
            row_buffer: vec![0.0; m],
            damping: LEAST_DAMPING,
            doubtful: false,
            variable_buffers: [vec![0.0; n], vec![0.0; n]],
        }
    }

    /// As [`Newton::solve`](super::Newton::solve), with all rows of the model at once.
    pub fn solve(
        &mut self,
        model: &dyn Model,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Outcome, OracleError> {
        self.resize(multipliers.len());
        self.sigma.choose(model, &mut self.gram)?;
        self.damping = LEAST_DAMPING;
        self.current.multipliers.copy_from_slice(multipliers);
        self.current.evaluate(model, &self.sigma)?;
        let mut steps = 0;
        let mut residual = self.current.residual(&self.sigma);
        let size = largest(model.offset()).max(1.0);
        let mut mark = residual;
        while steps < most && residual > tolerance {
            model.budget().inner_step()?;
            let far = (residual / size).min(1.0);
            self.newton_direction(model, self.damping.max(FAR_DAMPING * far * far))?;
            if !self.line_search(model)? {
                break;
            }
            steps += 1;
            residual = self.current.residual(&self.sigma);
            if steps % STRETCH == 0 {
                // Where the linearised constraints cannot be met, multipliers grow for ever and violations stay.
                let stuck = residual > PROGRESS * mark;
                if stuck && self.doubtful {
                    break;
                }
                (mark, self.doubtful) = (residual, stuck);
            }
        }
        // What comes after a model that could not be solved is likely to be of its kind.
        self.doubtful = residual > tolerance;
        // The answer is the forward-backward point: unlike l itself it is always in the domain of h*.
        self.trial.multipliers.copy_from_slice(&self.current.forward_backward);
        self.trial.evaluate(model, &self.sigma)?;
        multipliers.copy_from_slice(&self.trial.multipliers);
        w.copy_from_slice(&self.trial.w);
        Ok(Outcome { steps, residual: self.trial.residual(&self.sigma), solved: false })
    }

    /// Takes another number of rows.
    fn resize(&mut self, m: usize) {
        self.current.resize(m);
        self.trial.resize(m);
        self.newton_point.resize(m, 0.0);
        self.place.resize(m, usize::MAX);
        self.row_buffer.resize(m, 0.0);
    }

    /// Writes l + d; the forward-backward point where the system has no solution.
    fn newton_direction(&mut self, model: &dyn Model, damping: f64) -> Result<(), OracleError> {
        let (m, n) = (self.place.len(), model.centre().len());
        model.regulariser().prox_jacobian(
            model.weight(),
            &self.current.primal_argument,
            &mut self.primal_jacobian.start(n),
        )?;
        let mut block = self.dual_jacobian.start(m);
        model.prox_conjugate_jacobian(self.sigma.weight(), &self.current.dual_argument, &mut block)?;
        self.newton_point.copy_from_slice(&self.current.forward_backward);
        self.collect_active();
        let k = self.active.len();
        if k == 0 {
            return Ok(());
        }
        // d on the rows outside the system is known: what it does to the rows inside goes to the right-hand side.
        let current = &self.current;
        for j in 0..m {
            let known = self.place[j] == usize::MAX;
            self.row_buffer[j] =
                if known { current.forward_backward[j] - current.multipliers[j] } else { 0.0 };
        }
        let [slope, image] = &mut self.variable_buffers;
        model.apply_transpose(&self.row_buffer, slope);
        self.primal_jacobian.apply(slope, image);
        model.apply(image, &mut self.row_buffer);
        self.gram.form(model, &self.primal_jacobian, &self.active)?;
        self.assemble(damping, model.budget())?;
        // J S J' on the active rows, and the elimination.
        model.budget().note_system((k * k * n + 2 * k * k * k / 3) as u64);
        if lu::solve(&mut self.system, &mut self.right, model.budget())? {
            for (&j, d) in self.active.iter().zip(&self.right) {
                self.newton_point[j] = self.current.multipliers[j] + d;
            }
        }
        Ok(())
    }

    /// The rows on which the Jacobian of the dual prox does not vanish, and S_h on them as a dense matrix.
    fn collect_active(&mut self) {
        self.active.clear();
        self.place.fill(usize::MAX);
        for (j, d) in self.dual_jacobian.diagonal().iter().enumerate() {
            if *d != 0.0 {
                self.place[j] = self.active.len();
                self.active.push(j);
            }
        }
        let k = self.active.len();
        self.dual_dense.clear();
        self.dual_dense.resize(k * k, 0.0);
        for (a, &j) in self.active.iter().enumerate() {
            self.dual_dense[a * k + a] = self.dual_jacobian.diagonal()[j];
        }
        for (weight, support, values) in self.dual_jacobian.terms() {
            let place = |i: usize| self.place[support.index(i)];
            for (i, v) in values.iter().enumerate().filter(|(i, _)| place(*i) != usize::MAX) {
                for (j, w) in values.iter().enumerate().filter(|(j, _)| place(*j) != usize::MAX) {
                    self.dual_dense[place(i) * k + place(j)] += weight * v * w;
                }
            }
        }
    }

    /// (I - S_h Sigma + S_h G) on the active rows, G = J S J' with a share of Sigma added, and the
    /// right-hand side l_fb - l - S_h (J S J' d_known).
    fn assemble(&mut self, damping: f64, budget: &Budget) -> Result<(), Stop> {
        let k = self.active.len();
        self.system.clear();
        self.system.resize(k * k, 0.0);
        self.right.clear();
        for a in 0..k {
            budget.ask()?;
            let shape = &self.dual_dense[a * k..][..k];
            let row = &mut self.system[a * k..][..k];
            for (c, &s) in shape.iter().enumerate().filter(|(_, s)| **s != 0.0) {
                let sigma = self.sigma.at(self.active[c]);
                for (b, entry) in row.iter_mut().enumerate() {
                    *entry += s * self.gram.entries[c.min(b) * k + c.max(b)];
                }
                row[c] += s * sigma * (damping - 1.0);
            }
            row[a] += 1.0;
            let j = self.active[a];
            let known: f64 = shape.iter().zip(&self.active).map(|(s, &c)| s * self.row_buffer[c]).sum();
            self.right.push(self.current.forward_backward[j] - self.current.multipliers[j] - known);
        }
        Ok(())
    }

    /// Moves between the Newton point and the forward-backward point until the envelope falls enough; false where rounding
    /// lets nothing fall any more.
    fn line_search(&mut self, model: &dyn Model) -> Result<bool, OracleError> {
        let certain = 0.5 * (1.0 - 1.0 / MARGIN) * self.current.square_distance(&self.sigma);
        let (envelope, size) = self.current.envelope(model, &self.sigma);
        let slack = ROUNDING * (1.0 + size);
        let residual = self.current.residual(&self.sigma);
        let mut share = 1.0f64;
        loop {
            for j in 0..self.place.len() {
                let fallback = self.current.forward_backward[j];
                self.trial.multipliers[j] = fallback + share * (self.newton_point[j] - fallback);
            }
            model.budget().ask()?;
            self.trial.evaluate(model, &self.sigma)?;
            let (reached, _) = self.trial.envelope(model, &self.sigma);
            let fallen = reached <= envelope - SUFFICIENT * certain;
            // Near the solution the envelope no longer resolves the step, but the residual does.
            let level = reached <= envelope + slack;
            if fallen || (level && self.trial.residual(&self.sigma) <= 0.5 * residual) {
                std::mem::swap(&mut self.current, &mut self.trial);
                self.damping = match share {
                    1.0 => (0.1 * self.damping).max(LEAST_DAMPING),
                    _ if share > 0.2 => self.damping,
                    _ => (10.0 * self.damping).clamp(1e-6, 1.0),
                };
                return Ok(true);
            }
            if share == 0.0 {
                return Ok(false);
            }
            share = if share > 1e-3 { 0.5 * share } else { 0.0 };
        }
    }
}
