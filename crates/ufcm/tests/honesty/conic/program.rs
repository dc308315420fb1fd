//! min z'Pz/2 + q.z subject to A z + s = b, s in a product of cones; z holds x and the variables of epigraphs.

use super::Expression;
use crate::describe::Law;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, ExponentialConeT, IPSolver, NonnegativeConeT, PowerConeT,
    SecondOrderConeT, SolverStatus, SupportedConeT, ZeroConeT,
};

/// What the reference says of an instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// p*, and how far off it may be.
    Optimum {
        value: f64,
        uncertainty: f64,
    },
    Infeasible,
    Unbounded,
    Unknown,
}

#[derive(Default)]
pub struct Program {
    cost: Vec<f64>,
    constant: f64,
    /// Upper triangle of P as triplets; repeated entries add up.
    curvature: Vec<(usize, usize, f64)>,
    rows: Vec<Expression>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    pub fn over(n: usize) -> Self {
        Self { cost: vec![0.0; n], ..Self::default() }
    }

    pub fn variable(&mut self) -> Expression {
        self.cost.push(0.0);
        Expression::variable(self.cost.len() - 1)
    }

    /// Adds weight e to the objective.
    pub fn pay(&mut self, weight: f64, e: &Expression) {
        e.terms.iter().for_each(|(i, v)| self.cost[*i] += weight * v);
        self.constant += weight * e.constant;
    }

    /// Adds weight e^2 / 2 to the objective.
    pub fn pay_square(&mut self, weight: f64, e: &Expression) {
        assert_eq!(e.constant, 0.0, "squares are of linear functions here");
        for (k, &(i, a)) in e.terms.iter().enumerate() {
            self.curvature.extend(e.terms[..=k].iter().map(|&(j, b)| (i.min(j), i.max(j), weight * a * b)));
        }
    }

    pub fn zero(&mut self, e: Expression) {
        self.cone(ZeroConeT(1), vec![e]);
    }

    pub fn nonnegative(&mut self, e: Expression) {
        self.cone(NonnegativeConeT(1), vec![e]);
    }

    /// |tail| <= head
    pub fn second_order(&mut self, head: Expression, tail: Vec<Expression>) {
        let mut rows = vec![head];
        rows.extend(tail);
        self.cone(SecondOrderConeT(rows.len()), rows);
    }

    fn cone(&mut self, cone: SupportedConeT<f64>, rows: Vec<Expression>) {
        self.cones.push(cone);
        self.rows.extend(rows);
    }

    /// -t <= z <= t
    pub fn absolute(&mut self, t: &Expression, z: &Expression) {
        self.nonnegative(t.clone().plus(1.0, z));
        self.nonnegative(t.clone().plus(-1.0, z));
    }

    /// An expression that can be as small as |z|^2 / 2: |z|^2 <= 2 t is |(z, t - 1/2)| <= t + 1/2.
    pub fn half_square(&mut self, mut z: Vec<Expression>) -> Expression {
        let t = self.variable();
        z.push(t.clone().shifted(-0.5));
        self.second_order(t.clone().shifted(0.5), z);
        t
    }

    /// An expression that can be as small as log sum exp z: sum exp(z_j - t) <= 1.
    pub fn log_sum_exp(&mut self, z: &[Expression]) -> Expression {
        let t = self.variable();
        let mut rest = Expression::constant(1.0);
        for z in z {
            let e = self.above(Law::Exponential, &z.clone().plus(-1.0, &t));
            rest = rest.plus(-1.0, &e);
        }
        self.nonnegative(rest);
        t
    }

    /// An expression that can be as small as the law at z.
    pub fn above(&mut self, law: Law, z: &Expression) -> Expression {
        match law {
            Law::Absolute => {
                let t = self.variable();
                self.absolute(&t, z);
                t
            }
            Law::Square => self.half_square(vec![z.clone()]),
            Law::PositiveSquare => {
                let v = self.positive_part(z);
                self.half_square(vec![v]).times(2.0)
            }
            Law::Huber(delta) => {
                // min over v of (z - v)^2 / 2 + delta |v|
                let v = self.variable();
                let linear = self.above(Law::Absolute, &v);
                self.half_square(vec![z.clone().plus(-1.0, &v)]).plus(delta, &linear)
            }
            Law::Power(p) => {
                let t = self.variable();
                self.cone(PowerConeT(1.0 / p), vec![t.clone(), Expression::constant(1.0), z.clone()]);
                t
            }
            Law::Quantile(level) => {
                let t = self.variable();
                self.nonnegative(t.clone().plus(level - 1.0, z));
                self.nonnegative(t.clone().plus(level, z));
                t
            }
            Law::Softplus => self.log_sum_exp(&[z.clone(), Expression::constant(0.0)]),
            Law::Exponential => {
                let t = self.variable();
                self.cone(ExponentialConeT(), vec![z.clone(), Expression::constant(1.0), t.clone()]);
                t
            }
            Law::SmoothedHinge(gamma) => {
                // min over v >= 0, w >= z - v of v + w^2 / (2 gamma)
                let v = self.variable();
                self.nonnegative(v.clone());
                let w = self.positive_part(&z.clone().plus(-1.0, &v));
                self.half_square(vec![w]).times(1.0 / gamma).plus(1.0, &v)
            }
        }
    }

    /// An expression that can be as small as max(z, 0).
    pub fn positive_part(&mut self, z: &Expression) -> Expression {
        let v = self.variable();
        self.nonnegative(v.clone());
        self.nonnegative(v.clone().plus(-1.0, z));
        v
    }

    pub fn solve(&self) -> Answer {
        let (p, a, b) = self.matrices();
        let mut best = Answer::Unknown;
        // The tightest tolerance that rounding allows differs from instance to instance.
        for tolerance in [1e-12, 1e-11, 1e-10, 1e-9, 1e-8] {
            let settings = DefaultSettings::<f64> {
                tol_gap_abs: tolerance,
                tol_gap_rel: tolerance,
                tol_feas: tolerance,
                ..DefaultSettings::default()
            };
            match (self.attempt(settings, (&p, &a, &b)), best) {
                (verdict @ (Answer::Infeasible | Answer::Unbounded), _) => return verdict,
                (Answer::Optimum { uncertainty: u, .. }, Answer::Optimum { uncertainty: v, .. })
                    if u >= v => {}
                (optimum @ Answer::Optimum { .. }, _) => best = optimum,
                (Answer::Unknown, _) => {}
            }
        }
        best
    }

    /// P, A and b.
    pub fn matrices(&self) -> (CscMatrix<f64>, CscMatrix<f64>, Vec<f64>) {
        let p = matrix(self.cost.len(), self.cost.len(), self.curvature.iter().copied());
        // s = b - A z is to be the expression itself.
        let entries = self.rows.iter().enumerate().flat_map(|(row, expression)| {
            expression.terms.iter().map(move |&(column, value)| (row, column, -value))
        });
        let a = matrix(self.rows.len(), self.cost.len(), entries);
        let b: Vec<f64> = self.rows.iter().map(|row| row.constant).collect();
        (p, a, b)
    }

    /// One run of Clarabel with these tolerances.
    pub fn attempt(
        &self,
        settings: DefaultSettings<f64>,
        (p, a, b): (&CscMatrix<f64>, &CscMatrix<f64>, &[f64]),
    ) -> Answer {
        let settings = DefaultSettings { verbose: false, ..settings };
        let Ok(mut solver) = DefaultSolver::new(p, &self.cost, a, b, &self.cones, settings) else {
            return Answer::Unknown;
        };
        solver.solve();
        let solution = &solver.solution;
        match solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {}
            SolverStatus::PrimalInfeasible => return Answer::Infeasible,
            SolverStatus::DualInfeasible => return Answer::Unbounded,
            _ => return Answer::Unknown,
        }
        let (primal, dual) = (solution.obj_val, solution.obj_val_dual);
        let uncertainty = (primal - dual).abs() + self.residuals(&solution.x, &solution.s, &solution.z);
        Answer::Optimum { value: primal + self.constant, uncertainty }
    }

    /// What the residuals can change the value by: |A x + s - b| in each row times its multiplier, and |P x + q + A'z| in each
    /// variable times the size of x.
    fn residuals(&self, x: &[f64], s: &[f64], z: &[f64]) -> f64 {
        let mut slope = self.cost.clone();
        for &(i, j, v) in &self.curvature {
            slope[i] += v * x[j];
            if i != j {
                slope[j] += v * x[i];
            }
        }
        let mut primal = 0.0;
        for ((row, s), z) in self.rows.iter().zip(s).zip(z) {
            primal += ((row.value(x) - s) * z).abs();
            row.terms.iter().for_each(|(i, v)| slope[*i] -= v * z);
        }
        let largest = x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        primal + 2.0 * largest * slope.iter().map(|r| r.abs()).sum::<f64>()
    }
}

fn matrix(rows: usize, columns: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> CscMatrix<f64> {
    let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in entries {
        i.push(row);
        j.push(column);
        v.push(value);
    }
    CscMatrix::new_from_triplets(rows, columns, i, j, v)
}
