//! The model of some rows alone, the multipliers of the others frozen.
//!
//! The composer still sees all rows. A row is frozen by an enormous weight: the prox of h* in that metric leaves its
//! multiplier where it is. So no composer has to know of working sets. (Multipliers that share a constraint, as those of
//! a max do, cancel badly under such weights unless the frozen ones are 0; at rest they are.)

use super::Subproblem;
use super::model::Model;
use crate::budget::Budget;
use crate::jacobian::{JacobianBlock, ProxJacobian};
use crate::kernel::simd;
use crate::oracle::gram_of_rows;
use crate::oracle::{OracleError, Regulariser, Weight};
use crate::subproblem::tuning::restriction::FROZEN;
use std::cell::RefCell;

/// Storage for vectors over all rows.
pub(super) struct Embedding {
    multipliers: Vec<f64>,
    sigma: Vec<f64>,
    jacobian: ProxJacobian,
    /// Where a row stands among the restricted ones; `usize::MAX` for frozen rows.
    place: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Embedding {
    pub fn new(m: usize) -> Self {
        Self {
            multipliers: vec![0.0; m],
            sigma: vec![FROZEN; m],
            jacobian: ProxJacobian::with_room(m),
            place: vec![usize::MAX; m],
            indices: Vec::with_capacity(m),
            values: Vec::with_capacity(m),
        }
    }

    /// The given entries on the rows, the frozen multipliers elsewhere.
    fn embed(&mut self, rows: &[usize], frozen: &[f64], entries: &[f64]) {
        self.multipliers.copy_from_slice(frozen);
        rows.iter().zip(entries).for_each(|(&j, l)| self.multipliers[j] = *l);
    }

    fn embed_metric(&mut self, rows: &[usize], metric: Weight<'_>) {
        self.sigma.fill(FROZEN);
        rows.iter().enumerate().for_each(|(k, &j)| self.sigma[j] = metric.at(k));
    }
}

pub(super) struct Restriction<'a> {
    problem: &'a Subproblem<'a>,
    rows: &'a [usize],
    /// Their part of J, row after row.
    jacobian: &'a [f64],
    offset: &'a [f64],
    centre: &'a [f64],
    /// The multipliers of all rows; those of the restricted ones do not matter.
    frozen: &'a [f64],
    embedding: RefCell<&'a mut Embedding>,
}

impl<'a> Restriction<'a> {
    /// The model of `rows` with their (J, b) and the centre that takes the others into account.
    pub fn new(
        problem: &'a Subproblem<'a>,
        rows: &'a [usize],
        (jacobian, offset, centre): (&'a [f64], &'a [f64], &'a [f64]),
        frozen: &'a [f64],
        embedding: &'a mut Embedding,
    ) -> Self {
        embedding.place.fill(usize::MAX);
        rows.iter().enumerate().for_each(|(k, &j)| embedding.place[j] = k);
        Self { problem, rows, jacobian, offset, centre, frozen, embedding: RefCell::new(embedding) }
    }
}

impl Model for Restriction<'_> {
    fn offset(&self) -> &[f64] {
        self.offset
    }

    fn centre(&self) -> &[f64] {
        self.centre
    }

    fn weight(&self) -> Weight<'_> {
        self.problem.weight
    }

    fn regulariser(&self) -> &dyn Regulariser {
        self.problem.regulariser
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        simd::row_dots(self.jacobian, w, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (l, row) in multipliers.iter().zip(self.jacobian.chunks_exact(out.len())) {
            if *l != 0.0 {
                simd::add_scaled(*l, row, out);
            }
        }
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.jacobian[row * out.len()..][..out.len()]);
    }

    fn gram(
        &self,
        s: &ProxJacobian,
        rows: &[usize],
        scratch: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let copy_row = |row: usize, out: &mut [f64]| self.jacobian_row(row, out);
        Ok(gram_of_rows(self.centre.len(), copy_row, s, rows, scratch, out, self.problem.budget)?)
    }

    fn budget(&self) -> &Budget {
        self.problem.budget
    }

    fn is_pinned(&self, row: usize) -> bool {
        self.problem.composer.is_pinned(self.rows[row])
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let embedding = &mut **self.embedding.borrow_mut();
        embedding.embed(self.rows, self.frozen, multipliers);
        self.problem.composer.conjugate(&embedding.multipliers)
    }

    fn prox_conjugate(&self, metric: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        let embedding = &mut **self.embedding.borrow_mut();
        embedding.embed(self.rows, self.frozen, multipliers);
        embedding.embed_metric(self.rows, metric);
        let metric = Weight::diagonal(1.0, &embedding.sigma);
        self.problem.composer.prox_conjugate(metric, &mut embedding.multipliers)?;
        self.rows.iter().zip(multipliers).for_each(|(&j, l)| *l = embedding.multipliers[j]);
        Ok(())
    }

    fn prox_conjugate_jacobian(
        &self,
        metric: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let embedding = &mut **self.embedding.borrow_mut();
        embedding.embed(self.rows, self.frozen, point);
        embedding.embed_metric(self.rows, metric);
        let metric = Weight::diagonal(1.0, &embedding.sigma);
        let mut block = embedding.jacobian.start(self.frozen.len());
        self.problem.composer.prox_conjugate_jacobian(metric, &embedding.multipliers, &mut block)?;
        for (d, &j) in out.diagonal().iter_mut().zip(self.rows) {
            *d = embedding.jacobian.diagonal()[j];
        }
        for (weight, support, values) in embedding.jacobian.terms() {
            embedding.indices.clear();
            embedding.values.clear();
            for (i, value) in values.iter().enumerate() {
                let place = embedding.place[support.index(i)];
                if place != usize::MAX {
                    embedding.indices.push(place);
                    embedding.values.push(*value);
                }
            }
            if !embedding.indices.is_empty() {
                out.rank_one_on(weight, &embedding.indices, embedding.values.iter().copied());
            }
        }
        Ok(())
    }
}
