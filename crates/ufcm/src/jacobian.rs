//! Generalised Jacobians of proxes: a diagonal plus a few symmetric rank-one terms.
//!
//! For w(s) = argmin over w of <s, w> + u(w) + 1/2 |w - z|_W^2 the Newton subproblem needs S = -dw/ds. Formally
//! S = (∂²u + W)^-1: symmetric and positive semidefinite in any metric, with S = P / tau where P is the ordinary
//! Jacobian of the prox and W = tau I (in general P = S W). That S is what a [`ProxJacobian`] holds.
//!
//! Every prox we know has such an S of the form diag(d) + sum_k c_k v_k v_k', with few or short v_k; the
//! Newton system J S J' is then cheap to form.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A symmetric matrix that is only known by what it does to vectors.
pub trait SymmetricOperator: Send + Sync {
    /// `out` = S v
    fn apply(&self, v: &[f64], out: &mut [f64]);

    /// S v for each of these vectors of n entries, one after the other: together they may cost less.
    fn apply_to_each(&self, n: usize, vectors: &[f64], out: &mut [f64]) {
        for (v, out) in vectors.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
            self.apply(v, out);
        }
    }
}

impl fmt::Debug for dyn SymmetricOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SymmetricOperator")
    }
}

/// S = diag(d) + sum_k c_k v_k v_k', in reusable storage; or an operator in its place.
#[derive(Debug, Clone, Default)]
pub struct ProxJacobian {
    operator: Option<Arc<dyn SymmetricOperator>>,
    diagonal: Vec<f64>,
    terms: Vec<Term>,
    values: Vec<f64>,
    indices: Vec<usize>,
    scratch: Vec<Vec<f64>>,
}

#[derive(Debug, Clone)]
struct Term {
    weight: f64,
    values: Range<usize>,
    support: Support,
}

#[derive(Debug, Clone)]
enum Support {
    /// The indices first, first + 1, ...
    From(usize),
    /// The indices listed in this range of `ProxJacobian::indices`.
    Listed(Range<usize>),
}

/// The indices on which a rank-one term lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermSupport<'a> {
    /// The contiguous run that starts here.
    From(usize),
    /// These indices.
    Listed(&'a [usize]),
}

impl TermSupport<'_> {
    /// The index on which entry `k` of the term's vector lives.
    #[must_use]
    pub fn index(&self, k: usize) -> usize {
        match self {
            Self::From(first) => first + k,
            Self::Listed(indices) => indices[k],
        }
    }
}

impl ProxJacobian {
    /// An empty one; its storage grows on first use and is kept.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty one with room for order `n`, a few terms and a vector.
    pub(crate) fn with_room(n: usize) -> Self {
        Self {
            diagonal: Vec::with_capacity(n),
            terms: Vec::with_capacity(4),
            values: Vec::with_capacity(2 * n),
            indices: Vec::with_capacity(n),
            scratch: vec![Vec::with_capacity(n)],
            operator: None,
        }
    }

    /// Forgets the content, takes order `n` with a zero diagonal, and gives the whole as a block to write to.
    pub fn start(&mut self, n: usize) -> JacobianBlock<'_> {
        self.diagonal.clear();
        self.diagonal.resize(n, 0.0);
        self.terms.clear();
        self.values.clear();
        self.indices.clear();
        self.operator = None;
        JacobianBlock { range: 0..n, owner: self }
    }

    /// The diagonal part d.
    #[must_use]
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The rank-one terms (c_k, support of v_k, entries of v_k).
    pub fn terms(&self) -> impl Iterator<Item = (f64, TermSupport<'_>, &[f64])> {
        self.terms.iter().map(|term| {
            let support = match &term.support {
                Support::From(first) => TermSupport::From(*first),
                Support::Listed(range) => TermSupport::Listed(&self.indices[range.clone()]),
            };
            (term.weight, support, &self.values[term.values.clone()])
        })
    }

    /// The operator that stands for S, if one does.
    pub(crate) fn operator(&self) -> Option<&dyn SymmetricOperator> {
        self.operator.as_deref()
    }

    /// Lets `operator` stand for S.
    pub(crate) fn stand_in(&mut self, operator: Arc<dyn SymmetricOperator>) {
        self.operator = Some(operator);
    }

    /// `out = S v`.
    pub fn apply(&self, v: &[f64], out: &mut [f64]) {
        if let Some(operator) = &self.operator {
            return operator.apply(v, out);
        }
        for ((out, d), v) in out.iter_mut().zip(&self.diagonal).zip(v) {
            *out = d * v;
        }
        for (weight, support, values) in self.terms() {
            match support {
                TermSupport::From(first) => {
                    let range = first..first + values.len();
                    let dot: f64 = values.iter().zip(&v[range.clone()]).map(|(a, b)| a * b).sum();
                    for (out, a) in out[range].iter_mut().zip(values) {
                        *out += weight * dot * a;
                    }
                }
                TermSupport::Listed(indices) => {
                    let dot: f64 = values.iter().zip(indices).map(|(a, &i)| a * v[i]).sum();
                    for (a, &i) in values.iter().zip(indices) {
                        out[i] += weight * dot * a;
                    }
                }
            }
        }
    }
}

/// The part of a [`ProxJacobian`] that an oracle over a range of variables writes.
#[derive(Debug)]
pub struct JacobianBlock<'a> {
    owner: &'a mut ProxJacobian,
    range: Range<usize>,
}

impl JacobianBlock<'_> {
    /// The diagonal of the block.
    pub fn diagonal(&mut self) -> &mut [f64] {
        &mut self.owner.diagonal[self.range.clone()]
    }

    /// Adds c v v' with v on the block's indices `first`, `first + 1`, ...
    pub fn rank_one(&mut self, weight: f64, first: usize, v: impl IntoIterator<Item = f64>) {
        let start = self.owner.values.len();
        self.owner.values.extend(v);
        let values = start..self.owner.values.len();
        debug_assert!(first + values.len() <= self.range.len(), "a rank-one term leaves its block");
        let support = Support::From(self.range.start + first);
        self.owner.terms.push(Term { weight, values, support });
    }

    /// Adds c v v' with v on the listed indices of the block.
    pub fn rank_one_on(&mut self, weight: f64, indices: &[usize], v: impl IntoIterator<Item = f64>) {
        let (start, first) = (self.owner.values.len(), self.owner.indices.len());
        self.owner.values.extend(v);
        self.owner.indices.extend(indices.iter().map(|i| self.range.start + i));
        let values = start..self.owner.values.len();
        debug_assert_eq!(values.len(), indices.len(), "one entry for each index of a rank-one term");
        let support = Support::Listed(first..self.owner.indices.len());
        self.owner.terms.push(Term { weight, values, support });
    }

    /// Adds c v v' with the entries of v given beside their indices in the block.
    pub fn rank_one_of(&mut self, weight: f64, entries: impl IntoIterator<Item = (usize, f64)>) {
        let (start, first) = (self.owner.values.len(), self.owner.indices.len());
        for (i, v) in entries {
            debug_assert!(i < self.range.len(), "a rank-one term leaves its block");
            self.owner.values.push(v);
            self.owner.indices.push(self.range.start + i);
        }
        let values = start..self.owner.values.len();
        let support = Support::Listed(first..self.owner.indices.len());
        self.owner.terms.push(Term { weight, values, support });
    }

    /// Lets `operator`, over the variables of the whole Jacobian, stand for it.
    pub(crate) fn stand_in(&mut self, operator: Arc<dyn SymmetricOperator>) {
        self.owner.stand_in(operator);
    }

    /// Where the terms that are written from now on begin, for [`JacobianBlock::apply_since`].
    #[must_use]
    pub fn mark(&self) -> usize {
        self.owner.terms.len()
    }

    /// `out` = S v, with the diagonal of this block and the terms that were written to it since `mark`.
    pub fn apply_since(&self, mark: usize, v: &[f64], out: &mut [f64]) {
        let diagonal = &self.owner.diagonal[self.range.clone()];
        out.iter_mut().zip(diagonal).zip(v).for_each(|((out, d), v)| *out = d * v);
        for (weight, support, values) in self.owner.terms().skip(mark) {
            let place = |k: usize| support.index(k) - self.range.start;
            let dot: f64 = values.iter().enumerate().map(|(k, a)| a * v[place(k)]).sum();
            values.iter().enumerate().for_each(|(k, a)| out[place(k)] += weight * dot * a);
        }
    }

    /// A sub-block.
    pub fn block(&mut self, range: Range<usize>) -> JacobianBlock<'_> {
        let range = self.range.start + range.start..self.range.start + range.end;
        JacobianBlock { owner: self.owner, range }
    }

    /// Runs `write` on this block and multiplies what it wrote by `factor`.
    ///
    /// # Errors
    /// What `write` returned.
    pub fn scaled<E>(
        &mut self,
        factor: f64,
        write: impl FnOnce(&mut JacobianBlock<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.owner.terms.len();
        write(self)?;
        self.diagonal().iter_mut().for_each(|d| *d *= factor);
        self.owner.terms[before..].iter_mut().for_each(|term| term.weight *= factor);
        Ok(())
    }

    /// Runs `write` on this block with the vector that `fill` yields, held in reused storage.
    ///
    /// # Errors
    /// What `write` returned.
    pub fn with_vector<E>(
        &mut self,
        fill: impl IntoIterator<Item = f64>,
        write: impl FnOnce(&mut [f64], &mut JacobianBlock<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut vector = self.owner.scratch.pop().unwrap_or_default();
        vector.clear();
        vector.extend(fill);
        let outcome = write(&mut vector, self);
        self.owner.scratch.push(vector);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_nest_scale_and_apply() {
        let mut jacobian = ProxJacobian::new();
        let mut whole = jacobian.start(5);
        whole.diagonal()[0] = 2.0;
        let mut part = whole.block(1..5);
        part.scaled(3.0, |block| {
            block.diagonal().fill(1.0);
            block.rank_one(1.0, 1, [1.0, 2.0]);
            block.rank_one_on(-1.0, &[0, 3], [1.0, 1.0]);
            Ok::<_, ()>(())
        })
        .unwrap();
        let mut out = [0.0; 5];
        jacobian.apply(&[1.0, 1.0, 1.0, 1.0, 1.0], &mut out);
        // diag(2, 3, 3, 3, 3) + 3 (e2 + 2 e3)(e2 + 2 e3)' - 3 (e1 + e4)(e1 + e4)'
        assert_eq!(out, [2.0, 3.0 - 6.0, 3.0 + 9.0, 3.0 + 18.0, 3.0 - 6.0]);
    }
}
