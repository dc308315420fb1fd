//! The active rows at the start of the walk.

use super::Walk;
use super::tuning::{DEPENDENT, MOST_OPERATIONS, PERTURBATION, TOLERANCE};
use crate::budget::Budget;
use crate::linalg::{dot, norm};
use crate::method::interior_point::engine::{engine_settings, run_engine};
use crate::method::interior_point::operations::Factors;
use crate::method::tuning::interior_point::{ATTEMPTS, Attempt, FAR_AWAY};
use crate::random::Random;
use clarabel::solver::SolverStatus;
use std::sync::Arc;

impl Walk {
    /// Perturbs the program, and solves it with the loosest bound: which rows are active. Rows are tightened, so that the points on the way are feasible;
    /// where that leaves none, they are loosened.
    pub(super) fn begin(&mut self, factors: Factors, budget: &Budget) -> Option<Vec<bool>> {
        self.perturb(-PERTURBATION);
        self.solved(factors, budget).or_else(|| {
            self.perturb(PERTURBATION);
            self.solved(factors, budget)
        })
    }

    fn solved(&mut self, factors: Factors, budget: &Budget) -> Option<Vec<bool>> {
        let mut sides = self.program.b.clone();
        sides.iter_mut().zip(&self.loosened).for_each(|(b, by)| *b += by);
        let program = Arc::new(self.program.with_sides(self.priced(), sides));
        let settings = engine_settings(&Attempt { tolerance: TOLERANCE, ..ATTEMPTS[1] }, factors, false);
        let outcome = run_engine(&program, settings, true, budget)?;
        self.iterations += outcome.iterations;
        if let SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible = outcome.status {
            return None;
        }
        let (y, dual) = (&outcome.y, &outcome.dual);
        let largest = y.iter().fold(f64::MIN_POSITIVE, |most, y| most.max(y.abs()));
        let price = |row: usize| dual[row] * self.row_size(row);
        let highest = (0..dual.len()).fold(f64::MIN_POSITIVE, |most, row| most.max(price(row).abs()));
        let needed = self.needed_equations()?;
        // Slack and multiplier are compared as parts of the largest there are, so that units of rows do not count.
        let is_active = |row: usize| {
            let (size, slack) = (self.row_size(row), program.b[row] - self.data.product(row, y));
            size > 0.0 && price(row) / highest > slack / (largest * size)
        };
        let active = |row: usize| if self.is_equation[row] { needed[row] } else { is_active(row) };
        Some((0..program.b.len()).map(active).collect())
    }

    /// The largest entry of a row.
    fn row_size(&self, row: usize) -> f64 {
        self.data.rows[row].iter().fold(0.0, |largest, (_, a)| a.abs().max(largest))
    }

    /// Loosens every inequality by about `part` of its size, and prices it by a little, which keeps the dual feasible.
    fn perturb(&mut self, part: f64) {
        let mut random = Random::new(20);
        let rows = 0..self.program.b.len();
        let far = |row: usize| self.program.b[row].abs() / self.row_size(row).max(f64::MIN_POSITIVE);
        let distances: Vec<f64> = rows.clone().map(far).filter(|far| 0.0 < *far && *far < FAR_AWAY).collect();
        let reach = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
        let dearest = self.program.q.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        let dearest = self.data.curvature.iter().fold(dearest, |most, (_, _, v)| most.max(v.abs() * reach));
        let (mut loosened, mut prices) = (self.loosened.clone(), self.prices.clone());
        for row in rows.filter(|row| !self.is_equation[*row]) {
            let size = self.row_size(row);
            let [by, price] = [part, PERTURBATION].map(|part| part * (0.5 + random.uniform()));
            loosened[row] = by * (self.program.b[row].abs() + reach * size);
            prices[row] = if size > 0.0 { price * dearest / size } else { 0.0 };
        }
        (self.loosened, self.prices) = (loosened, prices);
    }

    /// Which equations are no combinations of those before them: the others say nothing new, and would make the systems singular. Nothing where
    /// finding out takes too long.
    fn needed_equations(&self) -> Option<Vec<bool>> {
        let mut needed = vec![false; self.is_equation.len()];
        let count = self.is_equation.iter().filter(|is| **is).count() as f64;
        if count * count * self.data.columns as f64 > MOST_OPERATIONS {
            return None;
        }
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for row in (0..needed.len()).filter(|row| self.is_equation[*row]) {
            let mut left = vec![0.0; self.data.columns];
            self.data.rows[row].iter().for_each(|(column, a)| left[*column] += a);
            let length = norm(&left);
            // Twice: the first time leaves rounding of the size of what it takes.
            for other in basis.iter().chain(&basis) {
                let share = dot(other, &left);
                left.iter_mut().zip(other).for_each(|(left, other)| *left -= share * other);
            }
            let rest = norm(&left);
            needed[row] = rest > DEPENDENT * length;
            if needed[row] {
                left.iter_mut().for_each(|left| *left /= rest);
                basis.push(left);
            }
        }
        Some(needed)
    }
}
