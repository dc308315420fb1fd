//! Fewer constraints in a proof of infeasibility: each in turn is left out. Either the others have a point in common, which shows that it
//! is needed, or they prove the same without it. A few runs of phase one are spent on this. Decision 0021.

use super::Run;
use super::least_change::take_away;
use super::ray::Held;
use super::tuning::{CLEANINGS, HEAVY, REDUCTION, REDUCTION_RUNS};
use crate::certificate::{Infeasibility, satisfies};
use crate::method::{Leave, PhaseOne};
use crate::oracle::{OracleError, Weight};

/// What may still be spent.
struct Allowance {
    runs: usize,
    operations: f64,
}

impl Run<'_> {
    /// The proof, or one by fewer constraints; with what is known of each, by name.
    pub(super) fn reduced(&self, proof: Infeasibility) -> Infeasibility {
        let named = proof.named(self.problem);
        let mut allowance = Allowance { runs: REDUCTION_RUNS, operations: REDUCTION.max(self.spent()) };
        let reduced = self.filter(named.clone(), &mut allowance).unwrap_or_else(|_| named.clone());
        // What is said of the rows is checked with the rest.
        if reduced.verify(self.problem).is_ok() { reduced } else { named }
    }

    fn filter(
        &self,
        mut proof: Infeasibility,
        allowance: &mut Allowance,
    ) -> Result<Infeasibility, OracleError> {
        let mut order: Vec<(usize, f64)> = proof.rows.iter().map(|r| (r.row, r.multiplier.abs())).collect();
        if order.len() > REDUCTION_RUNS {
            return Ok(proof);
        }
        // The smallest first: they are the least likely to be needed.
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (row, _) in order {
            if !proof.rows.iter().any(|needed| needed.row == row) {
                continue;
            }
            let others: Vec<usize> = proof.rows.iter().map(|r| r.row).filter(|other| *other != row).collect();
            if let Some(x) = self.common_point(&others, allowance)? {
                proof.rows.iter_mut().filter(|r| r.row == row).for_each(|r| r.without.clone_from(&x));
            } else if let Some(mut smaller) = self.proof_among(&others, allowance)? {
                smaller.rows = proof.rows;
                proof = smaller.named(self.problem);
            }
        }
        Ok(proof)
    }

    /// A point of X that satisfies these rows, if one is found.
    fn common_point(
        &self,
        rows: &[usize],
        allowance: &mut Allowance,
    ) -> Result<Option<Vec<f64>>, OracleError> {
        let mut x = match rows {
            [] => self.best.x.clone(),
            _ => match self.phase_one_among(rows, Leave::Room, allowance) {
                Some(least) => least.x,
                None => return Ok(None),
            },
        };
        for _ in 0..CLEANINGS {
            self.problem.regulariser().prox(Weight::scalar(HEAVY), &mut x)?;
            if satisfies(self.problem, rows, &x).is_ok_and(|holds| holds) {
                return Ok(Some(x));
            }
            self.step_onto(rows, &mut x)?;
        }
        Ok(None)
    }

    /// The least move after which those of the rows hold that do not, as far as they are affine.
    pub(super) fn step_onto(&self, listed: &[usize], x: &mut [f64]) -> Result<(), OracleError> {
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; self.problem.rows()]);
        mapping.linearise(x, &mut values)?;
        let (mut rows, mut residual) = (Vec::new(), Vec::new());
        for (range, composer) in self.problem.parts() {
            for (k, row) in range.enumerate().filter(|(_, row)| listed.contains(row)) {
                let Some([low, high]) = composer.row_domain(k) else { continue };
                let off = (values[row] - high).max(0.0) - (low - values[row]).max(0.0);
                if off != 0.0 {
                    rows.push(row);
                    residual.push(off);
                }
            }
        }
        let free = vec![true; x.len()];
        let held = Held { mapping: &*mapping, rows, hessian: &[], free: &free };
        take_away(&held, &mut residual, x, 0.0, &self.budget)?;
        Ok(())
    }

    /// A verified proof that uses no other rows than these.
    fn proof_among(
        &self,
        rows: &[usize],
        allowance: &mut Allowance,
    ) -> Result<Option<Infeasibility>, OracleError> {
        let least = self.phase_one_among(rows, Leave::Violation, allowance);
        match least.filter(|least| least.violation > 0.0) {
            Some(least) => self.corrected_proof(&least.x, &least.multipliers),
            None => Ok(None),
        }
    }

    fn phase_one_among(
        &self,
        rows: &[usize],
        leave: Leave,
        allowance: &mut Allowance,
    ) -> Option<crate::method::Least> {
        let listed: Vec<bool> = (0..self.problem.rows()).map(|row| rows.contains(&row)).collect();
        let program = PhaseOne::of(self.problem, &listed, leave)?;
        if rows.is_empty() || allowance.runs == 0 || program.operations > allowance.operations {
            return None;
        }
        allowance.runs -= 1;
        allowance.operations -= program.operations;
        program.solve(&self.budget)
    }
}
