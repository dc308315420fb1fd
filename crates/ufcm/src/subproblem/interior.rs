//! The model step where u has no say.
//!
//! Without u, the saddle point of <l, J w + b> - h*(l) + 1/2 |w - z|_Q^2 has w = z - Q^-1 J'l. What is left is a problem in the
//! multipliers, whose matrix is G = J Q^-1 J'. With G = K K' it is a model step again, in no more variables than rows:
//!
//! ```text
//! min over v  max over l   <l, K v + b + J z> - h*(l) + 1/2 |v|^2,     v = -K'l
//! ```
//!
//! All solves with Q are those for the rows of J, which are made together; Newton's method on the multipliers costs no more of them. Where
//! the prox of u leaves w where it is, 0 is a slope of u at w, so that w solves the model step with u as well. Decision 0034.

use super::model::Model;
use super::semismooth::Semismooth;
use super::solver::judged;
use super::{Outcome, Subproblem};
use crate::budget::Budget;
use crate::jacobian::{JacobianBlock, ProxJacobian, SymmetricOperator};
use crate::kernel::simd;
use crate::oracle::{OracleError, Regulariser, Weight, gram_of_rows};
use crate::regulariser::Zero;
use crate::subproblem::tuning::interior::{MOVED, REFINEMENTS, SPENT};

/// The solver, with all its buffers.
pub(crate) struct Interior {
    newton: Semismooth,
    /// J and J Q^-1, row after row.
    rows: Vec<f64>,
    solved: Vec<f64>,
    /// G, all of it, and K, row after row.
    gram: Vec<f64>,
    root: Vec<f64>,
    /// What the pivots of K leave of the diagonal of G, in units of that.
    rest: Vec<f64>,
    /// b + J z
    offset: Vec<f64>,
    centre: Vec<f64>,
    /// l and v
    found: Vec<f64>,
    small: Vec<f64>,
    /// J w + b, and K v + b + J z.
    values: Vec<f64>,
    expected: Vec<f64>,
    /// What the prox of u makes of a point.
    proximal: Vec<f64>,
}

impl Interior {
    /// A solver for model steps with `m` rows and `n` variables.
    pub(crate) fn new(m: usize, n: usize) -> Self {
        Self {
            newton: Semismooth::new(m, m),
            rows: vec![0.0; m * n],
            solved: vec![0.0; m * n],
            gram: vec![0.0; m * m],
            root: vec![0.0; m * m],
            rest: vec![0.0; m],
            offset: vec![0.0; m],
            centre: vec![0.0; m],
            found: vec![0.0; m],
            small: vec![0.0; m],
            values: vec![0.0; m],
            expected: vec![0.0; m],
            proximal: vec![0.0; n],
        }
    }

    /// Whether 0 is a slope of u at `x`.
    pub(crate) fn is_at_rest(&mut self, u: &dyn Regulariser, weight: Weight<'_>, x: &[f64]) -> bool {
        self.proximal.copy_from_slice(x);
        let stays = |(p, x): (&f64, &f64)| (p - x).abs() <= MOVED * (1.0 + x.abs());
        u.prox(weight, &mut self.proximal).is_ok() && self.proximal.iter().zip(x).all(stays)
    }

    /// As [`Solver::solve`](super::Solver::solve), with `inverse` in place of the weight's; `None` where u has a say, or where rounding spoils the
    /// answer. The multipliers are then as they were.
    pub(crate) fn solve(
        &mut self,
        problem: &Subproblem<'_>,
        inverse: &dyn SymmetricOperator,
        (tolerance, most): (f64, usize),
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Option<Outcome>, OracleError> {
        let n = w.len();
        self.prepare(problem, inverse)?;
        self.found.copy_from_slice(multipliers);
        let mut steps = 0;
        for _ in 0..REFINEMENTS {
            let Self { newton, offset, centre, root, .. } = self;
            let model = Reduced { problem, offset, centre, root };
            let outcome = newton.solve(&model, tolerance, most, &mut self.found, &mut self.small)?;
            steps += outcome.steps;
            if !judged(outcome, problem).solved {
                return Ok(None);
            }
            w.copy_from_slice(problem.centre);
            let rows = self.found.iter().zip(self.solved.chunks_exact(n));
            for (l, solved) in rows.filter(|(l, _)| **l != 0.0) {
                simd::add_scaled(-l, solved, w);
            }
            let off = self.correct(problem, w);
            if !off.is_finite() {
                return Ok(None);
            }
            if off <= tolerance {
                if !self.is_at_rest(problem.regulariser, problem.weight, w) {
                    return Ok(None);
                }
                w.copy_from_slice(&self.proximal);
                multipliers.copy_from_slice(&self.found);
                return Ok(Some(Outcome { steps, residual: outcome.residual.max(off), solved: true }));
            }
        }
        Ok(None)
    }

    /// J, Q^-1 J', G, K and b + J z.
    fn prepare(
        &mut self,
        problem: &Subproblem<'_>,
        inverse: &dyn SymmetricOperator,
    ) -> Result<(), OracleError> {
        let (m, n) = (problem.mapping.rows(), problem.mapping.dimension());
        for (j, row) in self.rows.chunks_exact_mut(n).enumerate() {
            problem.mapping.jacobian_row(j, row);
        }
        problem.budget.ask()?;
        inverse.apply_to_each(n, &self.rows, &mut self.solved);
        for (solved, gram) in self.solved.chunks_exact(n).zip(self.gram.chunks_exact_mut(m)) {
            simd::row_dots(&self.rows, solved, gram);
        }
        problem.budget.note_system((m * m * n) as u64);
        self.take_root(m);
        problem.mapping.apply(problem.centre, &mut self.offset);
        self.offset.iter_mut().zip(problem.offset).for_each(|(row, b)| *row += b);
        Ok(())
    }

    /// K, by Cholesky's method with the largest pivot next: it ends where nothing but rounding is left.
    fn take_root(&mut self, m: usize) {
        let Self { gram, root, rest, .. } = self;
        root.fill(0.0);
        (0..m).for_each(|i| rest[i] = if gram[i * m + i] > 0.0 { 1.0 } else { 0.0 });
        for k in 0..m {
            let pivot = (0..m).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
            // Also where an entry is not a number.
            if rest[pivot].is_nan() || rest[pivot] <= SPENT {
                return;
            }
            let diagonal = gram[pivot * m + pivot] * rest[pivot];
            rest[pivot] = 0.0;
            root[pivot * m + k] = diagonal.sqrt();
            for i in 0..m {
                if rest[i] == 0.0 {
                    continue;
                }
                let known = simd::dot(&root[i * m..][..k], &root[pivot * m..][..k]);
                let entry = (gram[i * m + pivot] - known) / diagonal.sqrt();
                root[i * m + k] = entry;
                rest[i] = (rest[i] - entry * entry / gram[i * m + i]).max(0.0);
            }
        }
    }

    /// Takes what rounding has made of the rows into the offset, and says how much that was.
    fn correct(&mut self, problem: &Subproblem<'_>, w: &[f64]) -> f64 {
        problem.mapping.apply(w, &mut self.values);
        simd::row_dots(&self.root, &self.small, &mut self.expected);
        let mut largest = 0.0f64;
        for (j, offset) in self.offset.iter_mut().enumerate() {
            let off = self.values[j] + problem.offset[j] - (self.expected[j] + *offset);
            *offset += off;
            largest = if off.is_finite() { largest.max(off.abs()) } else { f64::INFINITY };
        }
        largest
    }
}

/// The model step in v.
struct Reduced<'a> {
    problem: &'a Subproblem<'a>,
    offset: &'a [f64],
    centre: &'a [f64],
    root: &'a [f64],
}

impl Model for Reduced<'_> {
    fn offset(&self) -> &[f64] {
        self.offset
    }

    fn centre(&self) -> &[f64] {
        self.centre
    }

    fn weight(&self) -> Weight<'_> {
        Weight::scalar(1.0)
    }

    fn regulariser(&self) -> &dyn Regulariser {
        &Zero
    }

    fn apply(&self, v: &[f64], out: &mut [f64]) {
        simd::row_dots(self.root, v, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (l, row) in multipliers.iter().zip(self.root.chunks_exact(out.len().max(1))) {
            simd::add_scaled(*l, row, out);
        }
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.root[row * out.len()..][..out.len()]);
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
        self.problem.composer.is_pinned(row)
    }

    fn has_diagonal_prox(&self) -> bool {
        self.problem.composer.has_diagonal_prox()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.problem.composer.conjugate(multipliers)
    }

    fn prox_conjugate(&self, metric: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        self.problem.composer.prox_conjugate(metric, multipliers)
    }

    fn prox_conjugate_jacobian(
        &self,
        metric: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        self.problem.composer.prox_conjugate_jacobian(metric, point, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Quadratic;
    use crate::metric::{CurvatureMetric, CurvedRegulariser, CurvedSolver};
    use crate::problem::{IntoConstraint, Problem};
    use crate::regulariser::Ball;
    use crate::subproblem::{Accuracy, Solver};
    use std::sync::Arc;

    const N: usize = 5;

    fn quadratic(k: usize) -> Quadratic {
        let diagonal = (0..N).map(|i| 1.0 + ((i + k) % 3) as f64).collect();
        let linear = (0..N).map(|i| ((7 * i + 3 * k) as f64).sin() * 3.0).collect();
        Quadratic::diagonal(diagonal).unwrap().with_linear(linear).unwrap()
    }

    /// w and l+ at 0 in the metric of curvature, inside of a ball of this radius: by all of u, and without it.
    fn solutions(radius: f64) -> [Option<(Vec<f64>, Vec<f64>)>; 2] {
        // The last constraint is the first again: G is singular.
        let problem = Problem::minimise(quadratic(0))
            .subject_to(quadratic(1).at_most(-0.05))
            .subject_to(quadratic(2).at_most(0.1))
            .subject_to(quadratic(1).at_most(-0.05))
            .within(Ball::new(radius))
            .build()
            .unwrap();
        let (m, x) = (problem.rows(), vec![0.0; N]);
        let mut mapping = problem.mapping();
        let mut offset = vec![0.0; m];
        mapping.linearise(&x, &mut offset).unwrap();
        let metric = Arc::new(CurvatureMetric::dense(&problem, &x, &[1.0; 4], 0.01).unwrap().unwrap());
        let (curved, budget) = (CurvedSolver::new(N), Budget::unlimited());
        let subproblem = Subproblem {
            mapping: &*mapping,
            offset: &offset,
            centre: &x,
            weight: Weight::scalar(metric.delta()),
            composer: problem.composer(),
            regulariser: problem.regulariser(),
            budget: &budget,
        };
        let of_u = CurvedRegulariser {
            u: problem.regulariser(),
            metric: &metric,
            centre: &x,
            scale: 1.0,
            solver: &curved,
            budget: &budget,
        };
        let (mut w, mut l) = (vec![0.0; N], vec![1.0, 0.0, 0.0, 0.0]);
        let whole = Subproblem { regulariser: &of_u, ..subproblem };
        let outcome = Solver::new(m, N).solve(&whole, Accuracy::exact(1e-12), 200, &mut l, &mut w).unwrap();
        assert!(outcome.solved);
        let by_all = Some((w, l));
        let (mut w, mut l) = (vec![0.0; N], vec![1.0, 0.0, 0.0, 0.0]);
        let inverse = curved.inverse(&metric, &budget).unwrap();
        let mut interior = Interior::new(m, N);
        let outcome = interior.solve(&subproblem, inverse, (1e-12, 200), &mut l, &mut w).unwrap();
        assert!(outcome.is_some() || l == [1.0, 0.0, 0.0, 0.0], "multipliers are as they were");
        [by_all, outcome.map(|_| (w, l))]
    }

    #[test]
    fn without_u_a_model_step_is_the_same_where_u_has_no_say() {
        let [by_all, without] = solutions(100.0);
        let ((w, l), (v, k)) = (by_all.unwrap(), without.unwrap());
        assert!(l[1] + l[3] > 0.1, "a constraint is active: {l:?}");
        for (w, v) in w.iter().zip(v) {
            assert!((w - v).abs() < 1e-9, "{w} and {v}");
        }
        assert!((l[1] + l[3] - k[1] - k[3]).abs() < 1e-8 && (l[2] - k[2]).abs() < 1e-8, "{l:?} {k:?}");
    }

    #[test]
    fn where_u_has_a_say_it_is_left_to_others() {
        let inside = solutions(100.0)[1].clone().unwrap().0;
        let norm = simd::dot(&inside, &inside).sqrt();
        let [by_all, without] = solutions(0.5 * norm);
        assert!(by_all.is_some() && without.is_none());
    }
}
