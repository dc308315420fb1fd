//! A proof of infeasibility from phase one: the least violation that the constraints leave, by interior points, whose multipliers are
//! corrected until their slopes cancel. Decision 0021.

use super::Run;
use super::infeasible::premises_near;
use super::tuning::{CHEAP_LOOK, FIRST_LOOK, PRECISELY, SUPPORTS};
use crate::certificate::{Infeasibility, Witness};
use crate::method::{Leave, PhaseOne};
use crate::oracle::OracleError;

impl Run<'_> {
    /// A verified proof, if phase one leads to one. Without a `cause` it is only looked for now and then: where the run has cost as
    /// much as phase one would.
    pub(super) fn infeasibility_of_phase_one(
        &mut self,
        cause: bool,
    ) -> Result<Option<Infeasibility>, OracleError> {
        // A published method evaluates what its theorem says, and nothing beside.
        if self.settings.method.asks_for_constants() {
            return Ok(None);
        }
        let share = if cause { PRECISELY } else { 1.0 };
        let violated = self.best.violation > share * self.settings.eps_feas;
        let due = cause || self.counts.steps >= self.schedule.phase_one.max(FIRST_LOOK);
        if !violated || !due || self.schedule.phase_one == usize::MAX {
            return Ok(None);
        }
        self.schedule.phase_one = self.next_attempt();
        let listed = self.constraint_rows();
        let Some(program) = PhaseOne::of(self.problem, &listed, Leave::Violation) else {
            self.schedule.phase_one = usize::MAX;
            return Ok(None);
        };
        if program.operations > CHEAP_LOOK.max(self.spent()) {
            return Ok(None);
        }
        // What it finds does not depend on the run: once is enough.
        self.schedule.phase_one = usize::MAX;
        let Some(least) = program.solve(&self.budget).filter(|least| least.violation > 0.0) else {
            return Ok(None);
        };
        self.corrected_proof(&least.x, &least.multipliers)
    }

    /// Which rows are constraints.
    pub(super) fn constraint_rows(&self) -> Vec<bool> {
        let mut listed = vec![false; self.problem.rows()];
        for (rows, _) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            listed[rows].fill(true);
        }
        listed
    }

    /// A verified proof by multipliers near these, rows linearised near `x`: small multipliers are dropped, more and more of them, and
    /// the others are corrected.
    pub(super) fn corrected_proof(
        &self,
        x: &[f64],
        multipliers: &[f64],
    ) -> Result<Option<Infeasibility>, OracleError> {
        let largest = multipliers.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return Ok(None);
        }
        for share in SUPPORTS {
            let mut y = x.to_vec();
            let keep = |l: &f64| if l.abs() > share * largest { l / largest } else { 0.0 };
            let mut l: Vec<f64> = multipliers.iter().map(keep).collect();
            let curved = l.iter_mut().enumerate().filter(|(row, _)| !self.problem.is_affine(*row));
            curved.for_each(|(_, l)| *l = l.max(0.0));
            self.cancel(&mut y, &mut l)?;
            for l in simplified(&l).iter().chain([&l]) {
                if let Some(proof) = self.proof_by(&y, l)? {
                    return Ok(Some(proof));
                }
            }
        }
        Ok(None)
    }

    /// A verified proof by these multipliers, if it is one. Where all rows are affine it matters not where they are linearised, and
    /// least is rounded at 0.
    pub(super) fn proof_by(&self, y: &[f64], l: &[f64]) -> Result<Option<Infeasibility>, OracleError> {
        let size: f64 = l.iter().map(|l| l.abs()).sum();
        if !(size > 0.0 && size.is_finite()) {
            return Ok(None);
        }
        let affine = (0..l.len()).all(|row| l[row] == 0.0 || self.problem.is_affine(row));
        let multipliers: Vec<f64> = l.iter().map(|l| l / size).collect();
        let at = if affine { vec![0.0; y.len()] } else { y.to_vec() };
        for premise in premises_near(y, self.bounds.premise()) {
            self.budget.gradient()?;
            let witness = Witness::at(at.clone(), multipliers.clone());
            let proof =
                Infeasibility { premise, witnesses: vec![witness], grounds: Vec::new(), rows: Vec::new() };
            if proof.verify(self.problem).is_ok() {
                return Ok(Some(proof));
            }
        }
        Ok(None)
    }
}

/// The same multipliers in short numbers, if they are such up to rounding: slopes of short numbers cancel without a rest.
fn simplified(l: &[f64]) -> Option<Vec<f64>> {
    let reference = l.iter().copied().find(|l| *l != 0.0)?.abs();
    (1..=DENOMINATORS).find_map(|denominator| {
        let short = |l: &f64| {
            if *l == 0.0 {
                return Some(0.0);
            }
            let exact = l / reference * f64::from(denominator);
            let unit = 2f64.powi(exact.abs().log2().floor() as i32 - SHORT);
            let short = (exact / unit).round() * unit;
            ((short - exact).abs() <= SIMPLE * exact.abs()).then_some(short)
        };
        l.iter().map(short).collect()
    })
}

/// Denominators that are tried, bits of a short number, and how near it must be.
const DENOMINATORS: u32 = 24;
const SHORT: i32 = 8;
const SIMPLE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_become_short_numbers_where_they_are_nearly_that() {
        let third = 1.0 / 3.0 + 1e-12;
        assert_eq!(simplified(&[1.0, 0.0, third, -0.125]), Some(vec![3.0, 0.0, 1.0, -0.375]));
        assert_eq!(simplified(&[1.0, 0.123_456_789]), None);
        assert_eq!(simplified(&[0.0]), None);
    }
}
