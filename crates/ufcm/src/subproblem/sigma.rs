//! Sigma, the diagonal metric of the forward-backward step on the multipliers.

use super::gram::Gram;
use super::model::Model;
use crate::jacobian::ProxJacobian;
use crate::oracle::{OracleError, Weight};
use crate::subproblem::tuning::sigma::{GRAM_ROWS, MARGIN};

/// A positive diagonal, with the storage to choose it.
pub(super) struct Sigma {
    diagonal: Vec<f64>,
    /// Whether all entries are the same, and composers see a scalar.
    uniform: bool,
    inverse_weight: ProxJacobian,
    /// At least S.
    bound: ProxJacobian,
    free: Vec<usize>,
    row: Vec<f64>,
}

impl Sigma {
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            diagonal: vec![1.0; m],
            uniform: false,
            inverse_weight: ProxJacobian::with_room(n),
            bound: ProxJacobian::with_room(n),
            free: Vec::with_capacity(m),
            row: vec![0.0; n],
        }
    }

    pub fn at(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    /// As the weight of a prox.
    pub fn weight(&self) -> Weight<'_> {
        match (self.uniform, self.diagonal.first()) {
            (true, Some(&sigma)) => Weight::scalar(sigma),
            _ => Weight::diagonal(1.0, &self.diagonal),
        }
    }

    /// Sigma >= MARGIN J S J', by row sums of the Gram matrix (diagonal dominance), or for many rows with W^-1 for S by products
    /// of row norms. One that is much too large would leave no digits to multipliers: they move by 1/Sigma.
    pub fn choose(&mut self, model: &dyn Model, gram: &mut Gram) -> Result<(), OracleError> {
        self.diagonal.resize(model.offset().len(), 1.0);
        if self.diagonal.len() <= GRAM_ROWS {
            self.fill_from_gram(model, gram)?;
        } else {
            self.start(model);
            self.fill_from_norms(model);
            gram.forget();
        }
        // A row without slope has no metric of its own; any positive one will do.
        let largest = self.diagonal.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        self.uniform = !model.has_diagonal_prox();
        let least = if self.uniform { largest } else { 1e-14 * largest };
        self.diagonal.iter_mut().for_each(|s| *s = s.max(least));
        Ok(())
    }

    /// MARGIN times the largest squared row norm on the whole diagonal: too little for a gradient step, enough for telling
    /// which rows are at rest.
    pub fn choose_for_rest(&mut self, model: &dyn Model, rows: impl Iterator<Item = usize>) {
        self.start(model);
        let mut largest = f64::MIN_POSITIVE;
        for j in rows.filter(|&j| !model.is_pinned(j)) {
            largest = self.square_norm(model, j).max(largest);
        }
        self.uniform = true;
        self.diagonal.clear();
        self.diagonal.resize(model.offset().len(), MARGIN * largest);
    }

    /// Notes W^-1.
    fn start(&mut self, model: &dyn Model) {
        let weight = model.weight();
        let mut inverse = self.inverse_weight.start(model.centre().len());
        inverse.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / weight.at(i));
    }

    fn fill_from_gram(&mut self, model: &dyn Model, gram: &mut Gram) -> Result<(), OracleError> {
        self.free.clear();
        self.free.extend((0..self.diagonal.len()).filter(|&j| !model.is_pinned(j)));
        model.regulariser().prox_jacobian_bound(model.weight(), &mut self.bound.start(model.centre().len()));
        let entries = gram.form_whole(model, &self.bound, &self.free)?;
        let k = self.free.len();
        self.diagonal.fill(1.0);
        self.free.iter().for_each(|&j| self.diagonal[j] = 0.0);
        // Each entry of the lower triangle counts in the sums of its row and of its column.
        for (a, &i) in self.free.iter().enumerate() {
            let column = &entries[a * k + a..(a + 1) * k];
            self.diagonal[i] += MARGIN * column.iter().map(|entry| entry.abs()).sum::<f64>();
            for (entry, &j) in column.iter().zip(&self.free[a..]).skip(1) {
                self.diagonal[j] += MARGIN * entry.abs();
            }
        }
        Ok(())
    }

    fn fill_from_norms(&mut self, model: &dyn Model) {
        let mut total = 0.0;
        for j in 0..self.diagonal.len() {
            self.diagonal[j] = self.square_norm(model, j).sqrt();
            total += if model.is_pinned(j) { 0.0 } else { self.diagonal[j] };
        }
        self.diagonal.iter_mut().for_each(|norm| *norm *= MARGIN * total);
    }

    /// |J_j|^2 in the norm of W^-1.
    fn square_norm(&mut self, model: &dyn Model, row: usize) -> f64 {
        model.jacobian_row(row, &mut self.row);
        self.row.iter().zip(self.inverse_weight.diagonal()).map(|(a, d)| a * a * d).sum()
    }
}
