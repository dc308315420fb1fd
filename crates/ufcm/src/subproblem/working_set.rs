//! Newton's method on a working set of rows, for models with many.
//!
//! Most rows of a large model are at rest: inactive constraints, terms on one side of their kink. Their multipliers are
//! frozen, and the Newton method sees the others alone, W, as a model of its own: the frozen rows F only shift its centre,
//!
//! ```text
//! max over l_W   min over w  <l_W, J_W w + b_W> + u(w) + 1/2 |w - z + W^-1 J_F'l_F|_W^2  -  h*(l_W, l_F)
//! ```
//!
//! A product J w then shows which frozen multipliers are wrong; the rows with the largest errors join W, and so on until there
//! is none. The dual objective rises from round to round, so rows at rest may leave W again when it is full.

use super::Outcome;
use super::Subproblem;
use super::iterate::Iterate;
use super::model::Model;
use super::restriction::{Embedding, Restriction};
use super::semismooth::Semismooth;
use super::sigma::Sigma;
use crate::jacobian::ProxJacobian;
use crate::oracle::OracleError;
use crate::subproblem::tuning::working_set::{COUPLED, JOINING, LIMIT, LOOSE, ROUNDS};

/// The set, kept from one subproblem to the next.
pub(super) struct WorkingSet {
    /// W, and which rows are in it.
    rows: Vec<usize>,
    working: Vec<bool>,
    /// Rows whose multiplier may move, judged by the last evaluation.
    in_play: Vec<bool>,
    joining: Vec<usize>,
    /// All rows, measured in a uniform Sigma: enough to tell who is at rest.
    all: Iterate,
    sigma: Sigma,
    dual_jacobian: ProxJacobian,
    /// J_W, b_W, l_W, and the shifted centre.
    jacobian: Vec<f64>,
    offset: Vec<f64>,
    multipliers: Vec<f64>,
    centre: Vec<f64>,
    embedding: Embedding,
}

impl WorkingSet {
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            rows: Vec::with_capacity(LIMIT.min(m)),
            working: vec![false; m],
            in_play: vec![false; m],
            joining: Vec::with_capacity(m),
            all: Iterate::new(m, n),
            sigma: Sigma::new(m, n),
            dual_jacobian: ProxJacobian::with_room(m),
            jacobian: Vec::new(),
            offset: Vec::new(),
            multipliers: Vec::new(),
            centre: vec![0.0; n],
            embedding: Embedding::new(m),
        }
    }

    /// As [`Newton::solve`](super::Newton::solve); `None` where more rows move together than a Newton system should have.
    pub fn solve(
        &mut self,
        newton: &mut Semismooth,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Option<Outcome>, OracleError> {
        self.start(problem, tolerance, multipliers)?;
        if self.coupled() > COUPLED {
            return Ok(None);
        }
        let mut outcome = Outcome { steps: 0, residual: self.all.residual(&self.sigma), solved: false };
        for _ in 0..ROUNDS {
            if outcome.residual <= tolerance || outcome.steps >= most {
                break;
            }
            problem.budget.ask()?;
            let accuracy = tolerance.max(LOOSE * self.frozen_residual());
            let inner = self.solve_within(newton, problem, accuracy, most - outcome.steps)?;
            outcome.steps += inner.steps;
            outcome.residual = inner.residual.max(self.frozen_residual());
            if !self.join(problem, tolerance)? && accuracy == tolerance {
                break;
            }
        }
        multipliers.copy_from_slice(&self.all.multipliers);
        w.copy_from_slice(&self.all.w);
        Ok(Some(outcome))
    }

    /// Evaluates all rows at the given multipliers and chooses W: who was in play in the last solve, and who is now.
    fn start(
        &mut self,
        problem: &Subproblem<'_>,
        tolerance: f64,
        multipliers: &[f64],
    ) -> Result<(), OracleError> {
        if self.rows.is_empty() {
            self.sigma.choose_for_rest(problem, 0..multipliers.len());
        } else {
            self.sigma.choose_for_rest(problem, self.rows.iter().copied());
        }
        self.all.multipliers.copy_from_slice(multipliers);
        self.all.evaluate(problem, &self.sigma)?;
        self.keep_those_in_play();
        self.note_play(problem, tolerance)?;
        // Everyone who moves, not only who is unhappy: as others move, they will have to.
        self.joining.clear();
        self.joining.extend((0..self.working.len()).filter(|&j| !self.working[j] && self.in_play[j]));
        self.take_in_worst();
        Ok(())
    }

    /// Rows move where the prox of h* does, or where it has just moved them.
    fn note_play(&mut self, problem: &Subproblem<'_>, tolerance: f64) -> Result<(), OracleError> {
        let mut block = self.dual_jacobian.start(self.working.len());
        problem.prox_conjugate_jacobian(self.sigma.weight(), &self.all.dual_argument, &mut block)?;
        for (j, in_play) in self.in_play.iter_mut().enumerate() {
            let moves = self.dual_jacobian.diagonal()[j] != 0.0;
            *in_play = moves || self.all.row_residual(j, &self.sigma) > tolerance;
        }
        Ok(())
    }

    /// How many rows move together: a norm or a soft maximum cannot be solved for a few of its rows at a time.
    fn coupled(&self) -> usize {
        let moving = |values: &[f64]| values.iter().filter(|value| **value != 0.0).count();
        self.dual_jacobian.terms().map(|(_, _, values)| moving(values)).max().unwrap_or(0)
    }

    fn frozen_residual(&self) -> f64 {
        let frozen = (0..self.working.len()).filter(|&j| !self.working[j]);
        frozen.map(|j| self.all.row_residual(j, &self.sigma)).fold(0.0, f64::max)
    }

    /// Adds frozen rows that do not want to stay; false where there are none, or no room for any.
    fn join(&mut self, problem: &Subproblem<'_>, tolerance: f64) -> Result<bool, OracleError> {
        self.note_play(problem, tolerance)?;
        self.joining.clear();
        let unhappy = |j: usize| self.all.row_residual(j, &self.sigma) > tolerance;
        self.joining.extend((0..self.working.len()).filter(|&j| !self.working[j] && unhappy(j)));
        if self.rows.len() + self.joining.len() > LIMIT {
            self.keep_those_in_play();
        }
        Ok(self.take_in_worst())
    }

    fn keep_those_in_play(&mut self) {
        let (working, in_play) = (&mut self.working, &self.in_play);
        self.rows.retain(|&j| {
            working[j] = in_play[j];
            in_play[j]
        });
    }

    /// Moves the worst of those who want to join into W, as far as there is room; false where nobody moves.
    fn take_in_worst(&mut self) -> bool {
        let most = (JOINING.0 + self.centre.len() / JOINING.1).min(LIMIT.saturating_sub(self.rows.len()));
        if self.joining.len() > most {
            // Rows that already have a multiplier hurt most where they are frozen; ties go by index, so that the choice
            // is the same in every run.
            let (all, sigma) = (&self.all, &self.sigma);
            let key = |j: usize| (all.multipliers[j] != 0.0, all.row_residual(j, sigma));
            self.joining.select_nth_unstable_by(most, |&i, &j| {
                let ((held_i, gap_i), (held_j, gap_j)) = (key(i), key(j));
                held_j.cmp(&held_i).then(gap_j.total_cmp(&gap_i)).then(i.cmp(&j))
            });
            self.joining.truncate(most);
            self.joining.sort_unstable();
        }
        self.joining.iter().for_each(|&j| self.working[j] = true);
        self.rows.extend_from_slice(&self.joining);
        !self.joining.is_empty()
    }

    /// Newton's method on W; then what follows for all rows.
    fn solve_within(
        &mut self,
        newton: &mut Semismooth,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
    ) -> Result<Outcome, OracleError> {
        self.gather(problem);
        let model = Restriction::new(
            problem,
            &self.rows,
            (&self.jacobian, &self.offset, &self.centre),
            &self.all.multipliers,
            &mut self.embedding,
        );
        let outcome = newton.solve(&model, tolerance, most, &mut self.multipliers, &mut self.all.w)?;
        for (&j, l) in self.rows.iter().zip(&self.multipliers) {
            self.all.multipliers[j] = *l;
        }
        self.all.evaluate_rows(problem, &self.sigma)?;
        Ok(outcome)
    }

    /// J_W, b_W, l_W, and z - W^-1 J_F'l_F.
    fn gather(&mut self, problem: &Subproblem<'_>) {
        let (n, k) = (self.centre.len(), self.rows.len());
        self.jacobian.resize(k * n, 0.0);
        self.offset.clear();
        self.multipliers.clear();
        for (&j, row) in self.rows.iter().zip(self.jacobian.chunks_exact_mut(n)) {
            problem.mapping.jacobian_row(j, row);
            self.offset.push(problem.offset[j]);
            // Taken out for J'l of the others; it is back after the solve.
            self.multipliers.push(std::mem::take(&mut self.all.multipliers[j]));
        }
        problem.mapping.apply_transpose(&self.all.multipliers, &mut self.centre);
        for (i, (centre, z)) in self.centre.iter_mut().zip(problem.centre).enumerate() {
            *centre = z - *centre / problem.weight.at(i);
        }
    }
}
