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

use super::{Subproblem, lu};
use crate::jacobian::ProxJacobian;
use crate::oracle::OracleError;

/// Rows up to which Sigma comes from the Gram matrix; beyond, from the norms of the rows alone.
const GRAM_ROWS: usize = 256;
/// Sigma is this multiple of a bound of J W^-1 J': a gradient step then lowers the envelope for certain.
const MARGIN: f64 = 2.0;
/// The damping against rank deficiency alone; where full steps fail it grows, and the step turns towards a gradient step.
const LEAST_DAMPING: f64 = 1e-13;
/// The share of the certain decrease that a step must reach.
const SUFFICIENT: f64 = 0.1;

/// What a solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOutcome {
    /// Newton steps taken.
    pub steps: usize,
    /// max_j Sigma_j |l_j - l_fb_j|, in the units of the rows: how far the point is from solving the subproblem.
    pub residual: f64,
}

/// The solver, with all its buffers.
pub struct Newton {
    /// The diagonal Sigma.
    sigma: Vec<f64>,
    current: Iterate,
    trial: Iterate,
    /// l + d.
    newton_point: Vec<f64>,
    primal_jacobian: ProxJacobian,
    dual_jacobian: ProxJacobian,
    active: Vec<usize>,
    /// Where a row stands in `active`; `usize::MAX` for others.
    place: Vec<usize>,
    gram: Vec<f64>,
    gram_scratch: Vec<f64>,
    dual_dense: Vec<f64>,
    system: Vec<f64>,
    right: Vec<f64>,
    row_buffer: Vec<f64>,
    /// The share of Sigma that is added to J S J'.
    damping: f64,
    variable_buffers: [Vec<f64>; 2],
}

/// Multipliers with everything that follows from them.
#[derive(Clone)]
struct Iterate {
    /// l
    multipliers: Vec<f64>,
    /// l_fb
    forward_backward: Vec<f64>,
    /// l + Sigma^-1 ∇phi(l), the argument of the dual prox.
    dual_argument: Vec<f64>,
    /// z - W^-1 J'l, the argument of the primal prox.
    primal_argument: Vec<f64>,
    /// w(l)
    w: Vec<f64>,
    /// J w + b = ∇phi(l)
    rows: Vec<f64>,
    /// The forward-backward envelope of h* - phi.
    envelope: f64,
}

impl Iterate {
    fn new(m: usize, n: usize) -> Self {
        let (rows, variables) = (vec![0.0; m], vec![0.0; n]);
        Self {
            multipliers: rows.clone(),
            forward_backward: rows.clone(),
            dual_argument: rows.clone(),
            primal_argument: variables.clone(),
            w: variables,
            rows,
            envelope: 0.0,
        }
    }

    /// Fills in what follows from the multipliers.
    fn evaluate(&mut self, problem: &Subproblem<'_>, sigma: &[f64]) -> Result<(), OracleError> {
        problem.mapping.apply_transpose(&self.multipliers, &mut self.primal_argument);
        for (i, (v, z)) in self.primal_argument.iter_mut().zip(problem.centre).enumerate() {
            *v = z - *v / problem.weight.at(i);
        }
        self.w.copy_from_slice(&self.primal_argument);
        problem.regulariser.prox(problem.weight, &mut self.w)?;
        problem.mapping.apply(&self.w, &mut self.rows);
        self.rows.iter_mut().zip(problem.offset).for_each(|(row, b)| *row += b);
        for (j, argument) in self.dual_argument.iter_mut().enumerate() {
            *argument = self.multipliers[j] + self.rows[j] / sigma[j];
        }
        self.forward_backward.copy_from_slice(&self.dual_argument);
        let metric = crate::oracle::Weight::diagonal(1.0, sigma);
        problem.composer.prox_conjugate(metric, &mut self.forward_backward)?;
        self.envelope = self.envelope_value(problem, sigma);
        Ok(())
    }

    /// -phi(l) - <∇phi(l), l_fb - l> + 1/2 |l_fb - l|_Sigma^2 + h*(l_fb).
    fn envelope_value(&self, problem: &Subproblem<'_>, sigma: &[f64]) -> f64 {
        let moved: f64 = self
            .w
            .iter()
            .zip(problem.centre)
            .enumerate()
            .map(|(i, (w, z))| problem.weight.at(i) * (w - z).powi(2))
            .sum();
        // phi(l) + <∇phi(l), l_fb - l> = <l_fb, rows> + u(w) + moved / 2
        let linear: f64 = self.forward_backward.iter().zip(&self.rows).map(|(l, row)| l * row).sum();
        let primal = linear + problem.regulariser.value(&self.w) + 0.5 * moved;
        0.5 * self.square_distance(sigma) + problem.composer.conjugate(&self.forward_backward) - primal
    }

    fn residual(&self, sigma: &[f64]) -> f64 {
        let gap = |j: usize| sigma[j] * (self.multipliers[j] - self.forward_backward[j]).abs();
        (0..sigma.len()).map(gap).fold(0.0, f64::max)
    }

    /// |l - l_fb|_Sigma^2
    fn square_distance(&self, sigma: &[f64]) -> f64 {
        let gap = |j: usize| sigma[j] * (self.multipliers[j] - self.forward_backward[j]).powi(2);
        (0..sigma.len()).map(gap).sum()
    }
}

impl Newton {
    /// A solver for subproblems with `m` rows and `n` variables.
    #[must_use]
    pub fn new(m: usize, n: usize) -> Self {
        // Room for every row at once, while that is little.
        let small = m.min(GRAM_ROWS);
        Self {
            sigma: vec![1.0; m],
            current: Iterate::new(m, n),
            trial: Iterate::new(m, n),
            newton_point: vec![0.0; m],
            primal_jacobian: ProxJacobian::with_room(n),
            dual_jacobian: ProxJacobian::with_room(m),
            active: Vec::with_capacity(m),
            place: vec![usize::MAX; m],
            gram: Vec::with_capacity(small * small),
            gram_scratch: Vec::with_capacity((small + 1) * n + small),
            dual_dense: Vec::with_capacity(small * small),
            system: Vec::with_capacity(small * small),
            right: Vec::with_capacity(m),
            row_buffer: vec![0.0; m],
            damping: LEAST_DAMPING,
            variable_buffers: [vec![0.0; n], vec![0.0; n]],
        }
    }

    /// Solves the subproblem from the given multipliers (in the domain of h*), until the residual is at most `tolerance` or
    /// `most` steps are done. Writes w and the multipliers, which are in the domain of h* whatever the residual.
    ///
    /// # Errors
    /// A prox or a generalised Jacobian that failed.
    pub fn solve(
        &mut self,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<NewtonOutcome, OracleError> {
        self.choose_metric(problem);
        self.damping = LEAST_DAMPING;
        self.current.multipliers.copy_from_slice(multipliers);
        self.current.evaluate(problem, &self.sigma)?;
        let mut steps = 0;
        while steps < most && self.current.residual(&self.sigma) > tolerance {
            self.newton_direction(problem)?;
            if !self.line_search(problem)? {
                break;
            }
            steps += 1;
        }
        // The answer is the forward-backward point: unlike l itself it is always in the domain of h*.
        self.trial.multipliers.copy_from_slice(&self.current.forward_backward);
        self.trial.evaluate(problem, &self.sigma)?;
        multipliers.copy_from_slice(&self.trial.multipliers);
        w.copy_from_slice(&self.trial.w);
        Ok(NewtonOutcome { steps, residual: self.trial.residual(&self.sigma) })
    }

    /// Sigma >= MARGIN J W^-1 J', by row sums of the Gram matrix (diagonal dominance) or by products of row norms.
    fn choose_metric(&mut self, problem: &Subproblem<'_>) {
        let (m, n) = (self.sigma.len(), problem.centre.len());
        let mut inverse = self.primal_jacobian.start(n);
        inverse.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / problem.weight.at(i));
        let pinned = |j: usize| problem.composer.is_pinned(j);
        if m <= GRAM_ROWS {
            self.active.clear();
            self.active.extend((0..m).filter(|&j| !pinned(j)));
            let k = self.active.len();
            self.gram.resize(k * k, 0.0);
            problem.mapping.gram(&self.primal_jacobian, &self.active, &mut self.gram_scratch, &mut self.gram);
            self.sigma.fill(1.0);
            for (a, &j) in self.active.iter().enumerate() {
                let entry = |b: usize| self.gram[a.min(b) * k + a.max(b)].abs();
                self.sigma[j] = MARGIN * (0..k).map(entry).sum::<f64>();
            }
        } else {
            let row = &mut self.variable_buffers[0];
            let mut total = 0.0;
            for j in 0..m {
                problem.mapping.jacobian_row(j, row);
                let square: f64 =
                    row.iter().zip(self.primal_jacobian.diagonal()).map(|(a, d)| a * a * d).sum();
                self.sigma[j] = square.sqrt();
                total += if pinned(j) { 0.0 } else { self.sigma[j] };
            }
            self.sigma.iter_mut().for_each(|norm| *norm *= MARGIN * total);
        }
        // A row without slope has no metric of its own; any positive one will do.
        let largest = self.sigma.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        self.sigma.iter_mut().for_each(|s| *s = s.max(1e-14 * largest));
    }

    /// Writes l + d; the forward-backward point where the system has no solution.
    fn newton_direction(&mut self, problem: &Subproblem<'_>) -> Result<(), OracleError> {
        let (m, n) = (self.sigma.len(), problem.centre.len());
        let metric = crate::oracle::Weight::diagonal(1.0, &self.sigma);
        problem.regulariser.prox_jacobian(
            problem.weight,
            &self.current.primal_argument,
            &mut self.primal_jacobian.start(n),
        )?;
        let mut block = self.dual_jacobian.start(m);
        problem.composer.prox_conjugate_jacobian(metric, &self.current.dual_argument, &mut block)?;
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
        problem.mapping.apply_transpose(&self.row_buffer, slope);
        self.primal_jacobian.apply(slope, image);
        problem.mapping.apply(image, &mut self.row_buffer);
        self.gram.resize(k * k, 0.0);
        problem.mapping.gram(&self.primal_jacobian, &self.active, &mut self.gram_scratch, &mut self.gram);
        self.assemble();
        if lu::solve(&mut self.system, &mut self.right) {
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
    fn assemble(&mut self) {
        let k = self.active.len();
        self.system.clear();
        self.system.resize(k * k, 0.0);
        self.right.clear();
        for a in 0..k {
            let shape = &self.dual_dense[a * k..][..k];
            let row = &mut self.system[a * k..][..k];
            for (c, &s) in shape.iter().enumerate().filter(|(_, s)| **s != 0.0) {
                let sigma = self.sigma[self.active[c]];
                for (b, entry) in row.iter_mut().enumerate() {
                    *entry += s * self.gram[c.min(b) * k + c.max(b)];
                }
                row[c] += s * sigma * (self.damping - 1.0);
            }
            row[a] += 1.0;
            let j = self.active[a];
            let known: f64 = shape.iter().zip(&self.active).map(|(s, &c)| s * self.row_buffer[c]).sum();
            self.right.push(self.current.forward_backward[j] - self.current.multipliers[j] - known);
        }
    }

    /// Moves between the Newton point and the forward-backward point until the envelope falls enough; false where rounding
    /// lets nothing fall any more.
    fn line_search(&mut self, problem: &Subproblem<'_>) -> Result<bool, OracleError> {
        let certain = 0.5 * (1.0 - 1.0 / MARGIN) * self.current.square_distance(&self.sigma);
        let slack = 1e-15 * (1.0 + self.current.envelope.abs());
        let residual = self.current.residual(&self.sigma);
        let mut share = 1.0f64;
        loop {
            for j in 0..self.sigma.len() {
                let fallback = self.current.forward_backward[j];
                self.trial.multipliers[j] = fallback + share * (self.newton_point[j] - fallback);
            }
            self.trial.evaluate(problem, &self.sigma)?;
            let fallen = self.trial.envelope <= self.current.envelope - SUFFICIENT * certain;
            // Near the solution the envelope no longer resolves the step, but the residual does.
            let level = self.trial.envelope <= self.current.envelope + slack;
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
