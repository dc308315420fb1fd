//! The same instance as a conic program for Clarabel: min z'Pz/2 + q.z subject to A z + s = b, s in a product of cones,
//! where z holds x and the auxiliary variables of epigraphs.

use crate::instance::{Constraint, Domain, Instance, Quad, Rows, Term};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
    SupportedConeT, ZeroConeT,
};

/// p*, and how far off it may be.
#[derive(Debug, Clone, Copy)]
pub struct Optimum {
    pub value: f64,
    pub uncertainty: f64,
}

/// An affine function of z.
#[derive(Debug, Clone, Default)]
struct Expression {
    terms: Vec<(usize, f64)>,
    constant: f64,
}

impl Expression {
    fn constant(constant: f64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn variable(index: usize) -> Self {
        Self { terms: vec![(index, 1.0)], constant: 0.0 }
    }

    fn dense(slope: &[f64], constant: f64) -> Self {
        Self { terms: slope.iter().copied().enumerate().collect(), constant }
    }

    /// self + factor other
    fn plus(mut self, factor: f64, other: &Self) -> Self {
        self.terms.extend(other.terms.iter().map(|(i, v)| (*i, factor * v)));
        self.constant += factor * other.constant;
        self
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.constant + self.terms.iter().map(|(i, v)| v * z[*i]).sum::<f64>()
    }

    fn times(self, factor: f64) -> Self {
        Self::default().plus(factor, &self)
    }
}

#[derive(Default)]
struct Program {
    cost: Vec<f64>,
    constant: f64,
    /// Upper triangle of P as triplets; repeated entries add up.
    curvature: Vec<(usize, usize, f64)>,
    rows: Vec<Expression>,
    cones: Vec<SupportedConeT<f64>>,
}

/// The optimum of an instance, where Clarabel finds it and knows it to some 1e-9.
pub fn optimum_of(instance: &Instance) -> Option<Optimum> {
    let mut program = Program { cost: vec![0.0; instance.dimension()], ..Program::default() };
    program.add_quadratic(1.0, &instance.objective);
    instance.terms.iter().for_each(|term| program.add_term(term));
    instance.constraints.iter().for_each(|constraint| program.add_constraint(constraint));
    program.add_domain(&instance.domain, instance.dimension());
    program.solve()
}

impl Program {
    fn variable(&mut self, cost: f64) -> Expression {
        self.cost.push(cost);
        Expression::variable(self.cost.len() - 1)
    }

    fn zero(&mut self, expression: Expression) {
        self.rows.push(expression);
        self.cones.push(ZeroConeT(1));
    }

    fn nonnegative(&mut self, expression: Expression) {
        self.rows.push(expression);
        self.cones.push(NonnegativeConeT(1));
    }

    /// |tail| <= head
    fn second_order(&mut self, head: Expression, tail: Vec<Expression>) {
        self.cones.push(SecondOrderConeT(1 + tail.len()));
        self.rows.push(head);
        self.rows.extend(tail);
    }

    /// -t <= z <= t
    fn absolute(&mut self, t: &Expression, z: &Expression) {
        self.nonnegative(t.clone().plus(1.0, z));
        self.nonnegative(t.clone().plus(-1.0, z));
    }

    /// g(x) <= t. With tau = t - c.x - d this is |F x|^2 <= 2 tau, or |(F x, tau - 1/2)| <= tau + 1/2.
    fn at_most(&mut self, g: &Quad, t: &Expression) {
        let tau = t.clone().plus(-1.0, &Expression::dense(&g.linear, g.constant));
        if g.factor.is_empty() {
            return self.nonnegative(tau);
        }
        let mut tail: Vec<_> = g.factor.iter().map(|row| Expression::dense(row, 0.0)).collect();
        tail.push(tau.clone().plus(-0.5, &Expression::constant(1.0)));
        self.second_order(tau.plus(0.5, &Expression::constant(1.0)), tail);
    }

    /// Adds weight g(x) to the objective.
    fn add_quadratic(&mut self, weight: f64, g: &Quad) {
        self.cost.iter_mut().zip(&g.linear).for_each(|(q, c)| *q += weight * c);
        self.constant += weight * g.constant;
        for row in &g.factor {
            for (j, b) in row.iter().enumerate() {
                self.curvature.extend(row[..=j].iter().enumerate().map(|(i, a)| (i, j, weight * a * b)));
            }
        }
    }

    fn add_term(&mut self, term: &Term) {
        match term {
            Term::Sum(parts) => parts.iter().for_each(|g| self.add_quadratic(1.0, g)),
            Term::Max(parts) => {
                let t = self.variable(1.0);
                parts.iter().for_each(|g| self.at_most(g, &t));
            }
            Term::L1 { rows, weight } => {
                for z in expressions(rows) {
                    let t = self.variable(*weight);
                    self.absolute(&t, &z);
                }
            }
            Term::Linf { rows, weight } => {
                let t = self.variable(*weight);
                expressions(rows).iter().for_each(|z| self.absolute(&t, z));
            }
            Term::L2 { rows, weight } => {
                let t = self.variable(*weight);
                self.second_order(t, expressions(rows));
            }
            Term::Quantile { rows, level, weight } => {
                for z in expressions(rows) {
                    let t = self.variable(*weight);
                    self.nonnegative(t.clone().plus(-level, &z));
                    self.nonnegative(t.plus(1.0 - level, &z));
                }
            }
            Term::Huber { rows, delta, weight } => {
                // min over v of (z - v)^2 / 2 + delta |v|
                for z in expressions(rows) {
                    let (v, t) = (self.variable(0.0), self.variable(weight * delta));
                    self.absolute(&t, &v);
                    let rest = self.variable(0.0);
                    self.curvature.push((rest.terms[0].0, rest.terms[0].0, *weight));
                    self.zero(z.plus(-1.0, &v).plus(-1.0, &rest));
                }
            }
        }
    }

    fn add_constraint(&mut self, constraint: &Constraint) {
        match constraint {
            Constraint::AtMost(g, bound) => self.at_most(g, &Expression::constant(*bound)),
            Constraint::RowsAtMost(rows) => {
                expressions(rows).into_iter().for_each(|z| self.nonnegative(z.times(-1.0)));
            }
            Constraint::Equal(rows) => expressions(rows).into_iter().for_each(|z| self.zero(z)),
            Constraint::Between(rows, lower, upper) => {
                for (z, (l, u)) in expressions(rows).into_iter().zip(lower.iter().zip(upper)) {
                    self.nonnegative(z.clone().plus(-l, &Expression::constant(1.0)));
                    self.nonnegative(z.times(-1.0).plus(*u, &Expression::constant(1.0)));
                }
            }
        }
    }

    fn add_domain(&mut self, domain: &Domain, n: usize) {
        match domain {
            Domain::Box { lower, upper } => self.add_box(lower, upper),
            Domain::L1Box { weight, lower, upper } => {
                self.add_box(lower, upper);
                for i in 0..n {
                    let t = self.variable(*weight);
                    self.absolute(&t, &Expression::variable(i));
                }
            }
            Domain::Ball { radius, centre } => {
                let shifted = |(i, c): (usize, &f64)| Expression { terms: vec![(i, 1.0)], constant: -c };
                let tail = centre.iter().enumerate().map(shifted).collect();
                self.second_order(Expression::constant(*radius), tail);
            }
            Domain::Simplex { total } => {
                (0..n).for_each(|i| self.nonnegative(Expression::variable(i)));
                self.zero(Expression::dense(&vec![1.0; n], -total));
            }
            Domain::Ridge { weight } => self.curvature.extend((0..n).map(|i| (i, i, *weight))),
        }
    }

    fn add_box(&mut self, lower: &[f64], upper: &[f64]) {
        for (i, (l, u)) in lower.iter().zip(upper).enumerate() {
            self.nonnegative(Expression { terms: vec![(i, 1.0)], constant: -l });
            self.nonnegative(Expression { terms: vec![(i, -1.0)], constant: *u });
        }
    }

    fn solve(&self) -> Option<Optimum> {
        let variables = self.cost.len();
        let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for &(row, column, value) in &self.curvature {
            i.push(row);
            j.push(column);
            v.push(value);
        }
        let p = CscMatrix::new_from_triplets(variables, variables, i, j, v);
        let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
        // s = b - A z is to be the expression itself.
        for (row, expression) in self.rows.iter().enumerate() {
            for &(column, value) in &expression.terms {
                i.push(row);
                j.push(column);
                v.push(-value);
            }
        }
        let a = CscMatrix::new_from_triplets(self.rows.len(), variables, i, j, v);
        let b: Vec<f64> = self.rows.iter().map(|row| row.constant).collect();
        // The tightest tolerance that rounding allows differs from instance to instance.
        let attempts = [1e-12, 1e-11, 1e-10, 1e-9].map(|tolerance| self.attempt(tolerance, (&p, &a, &b)));
        let best = attempts.into_iter().flatten().min_by(|a, b| a.uncertainty.total_cmp(&b.uncertainty))?;
        (best.uncertainty <= 1e-9 * (1.0 + best.value.abs())).then_some(best)
    }

    fn attempt(
        &self,
        tolerance: f64,
        (p, a, b): (&CscMatrix<f64>, &CscMatrix<f64>, &[f64]),
    ) -> Option<Optimum> {
        let settings = DefaultSettings::<f64> {
            verbose: false,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: tolerance,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(p, &self.cost, a, b, &self.cones, settings).ok()?;
        solver.solve();
        let solution = &solver.solution;
        if !matches!(solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
            return None;
        }
        let (primal, dual) = (solution.obj_val, solution.obj_val_dual);
        // Besides the gap, what the residuals of both sides can change the value by.
        let primal_residual = self.rows.iter().zip(&solution.s).zip(&solution.z);
        let primal_residual = primal_residual.map(|((row, s), z)| ((row.value(&solution.x) - s) * z).abs());
        let largest = solution.x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        let residuals = primal_residual.sum::<f64>() + solution.r_dual * largest;
        Some(Optimum { value: primal + self.constant, uncertainty: (primal - dual).abs() + residuals })
    }
}

fn expressions(rows: &Rows) -> Vec<Expression> {
    rows.matrix.iter().zip(&rows.offset).map(|(row, b)| Expression::dense(row, -b)).collect()
}
