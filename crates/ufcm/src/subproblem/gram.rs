//! The matrices J S J' of one solve.
//!
//! Sigma needs J W^-1 J' on all rows. Where u is inactive, S is W^-1 in the Newton steps too, and their matrices are parts
//! of that one: copying them costs a fraction 1/n of forming them.

use super::model::Model;
use crate::jacobian::ProxJacobian;
use crate::oracle::OracleError;

pub(super) struct Gram {
    /// The lower triangle, by columns.
    pub entries: Vec<f64>,
    scratch: Vec<f64>,
    /// The matrix on all rows, with S and the places of rows in it; of order 0 where there is none.
    whole: Vec<f64>,
    whole_order: usize,
    whole_diagonal: Vec<f64>,
    place: Vec<usize>,
}

impl Gram {
    /// Room for `rows` rows at once; for more it grows.
    pub fn with_room(rows: usize, n: usize) -> Self {
        Self {
            entries: Vec::with_capacity(rows * rows),
            scratch: Vec::with_capacity((2 * rows).max(1) * n + rows),
            whole: Vec::with_capacity(rows * rows),
            whole_order: 0,
            whole_diagonal: Vec::with_capacity(n),
            place: Vec::with_capacity(rows),
        }
    }

    /// J S J' on the listed rows (in increasing order); for a diagonal S kept for the calls of [`Gram::form`] to come.
    pub fn form_whole(
        &mut self,
        model: &dyn Model,
        s: &ProxJacobian,
        rows: &[usize],
    ) -> Result<&[f64], OracleError> {
        self.whole_order = if s.operator().is_none() { rows.len() } else { 0 };
        self.whole.resize(rows.len() * rows.len(), 0.0);
        // What is half formed must not be taken for whole.
        let order = std::mem::take(&mut self.whole_order);
        model.gram(s, rows, &mut self.scratch, &mut self.whole)?;
        self.whole_order = order;
        self.whole_diagonal.clear();
        self.whole_diagonal.extend_from_slice(s.diagonal());
        self.place.clear();
        self.place.resize(model.offset().len(), usize::MAX);
        rows.iter().enumerate().for_each(|(place, &row)| self.place[row] = place);
        Ok(&self.whole)
    }

    /// Forgets the matrix on all rows: the model has changed.
    pub fn forget(&mut self) {
        self.whole_order = 0;
    }

    /// J S J' on the listed rows, in increasing order.
    pub fn form(&mut self, model: &dyn Model, s: &ProxJacobian, rows: &[usize]) -> Result<(), OracleError> {
        let k = rows.len();
        self.entries.resize(k * k, 0.0);
        let known = self.whole_order > 0 && rows.iter().all(|&row| self.place[row] != usize::MAX);
        let plain = s.operator().is_none() && s.terms().next().is_none();
        if known && plain && s.diagonal() == self.whole_diagonal {
            for (a, &i) in rows.iter().enumerate() {
                let column = &self.whole[self.place[i] * self.whole_order..][..self.whole_order];
                let out = &mut self.entries[a * k + a..(a + 1) * k];
                out.iter_mut().zip(&rows[a..]).for_each(|(out, &j)| *out = column[self.place[j]]);
            }
        } else {
            model.gram(s, rows, &mut self.scratch, &mut self.entries)?;
        }
        Ok(())
    }
}
