//! The constraints that a proof of infeasibility needs, by name.

use super::error::{CertificateError, check_vector};
use super::infeasibility::Infeasibility;
use super::rounding::unit;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// A constraint that a proof of infeasibility uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeededRow {
    /// The row of the problem.
    pub row: usize,
    /// Its name.
    pub name: String,
    /// Its multiplier in the proof; the sum over the witnesses.
    pub multiplier: f64,
    /// A point of X that satisfies all the others up to rounding, which shows that this one is needed. Empty where none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<f64>,
}

/// Names that are told; more are counted.
const TOLD: usize = 6;
/// How far a listed multiplier may be from the one in the witnesses, relative to its size.
const MULTIPLIER_ROUNDING: f64 = 1e-9;
/// What a row that holds may be off by, in units of rounding.
const HOLDS: f64 = 4.0;

fn refused(reason: String) -> CertificateError {
    CertificateError::Rows { reason }
}

impl Infeasibility {
    /// The multipliers of all rows, summed over the witnesses.
    #[must_use]
    pub fn multipliers(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.witnesses.first().map_or(0, |witness| witness.multipliers.len())];
        for witness in &self.witnesses {
            sum.iter_mut().zip(&witness.multipliers).for_each(|(sum, l)| *sum += witness.weight * l);
        }
        sum
    }

    /// Whether every constraint that the proof uses is shown to be needed.
    #[must_use]
    pub fn is_irreducible(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|needed| !needed.without.is_empty())
    }

    /// Which constraints have no common point, in words.
    #[must_use]
    pub fn conflict(&self) -> String {
        let name = |needed: &NeededRow| format!("`{}`", needed.name);
        let mut names: Vec<String> = self.rows.iter().take(TOLD).map(name).collect();
        let (count, needed) = (self.rows.len(), self.is_irreducible());
        match (names.pop(), count) {
            (None, _) => "no point satisfies the constraints".to_owned(),
            (Some(only), 1) => format!("no point of the domain satisfies {only}"),
            (Some(last), _) => {
                let list = match count > TOLD {
                    true => format!("{}, {last} and {} more", names.join(", "), count - TOLD),
                    false => format!("{} and {last}", names.join(", ")),
                };
                let all = if needed { ", and none of them can be left out" } else { "" };
                format!("{list} have no common point{all}")
            }
        }
    }

    /// The proof with the constraints that it uses by name; what is known of each stays.
    pub(crate) fn named(mut self, problem: &Problem) -> Self {
        let used = self.multipliers().into_iter().enumerate().filter(|(_, l)| *l != 0.0);
        let rows = used.map(|(row, multiplier)| {
            let known = self.rows.iter().find(|needed| needed.row == row);
            let without = known.map_or_else(Vec::new, |needed| needed.without.clone());
            NeededRow { row, name: problem.row_names()[row].clone(), multiplier, without }
        });
        self.rows = rows.collect();
        self
    }

    /// Leaves the points out where what is said of the constraints does not hold, as sums rounded in other units may make it.
    pub(crate) fn forget_what_fails(&mut self, problem: &Problem) {
        if self.check_rows(problem).is_err() {
            self.rows.iter_mut().for_each(|needed| needed.without.clear());
        }
    }

    /// Checks what is said of the constraints that the proof uses; nothing need be.
    pub(super) fn check_rows(&self, problem: &Problem) -> Result<(), CertificateError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let multipliers = self.multipliers();
        let used: Vec<usize> = (0..multipliers.len()).filter(|row| multipliers[*row] != 0.0).collect();
        if !used.iter().eq(self.rows.iter().map(|needed| &needed.row)) {
            return Err(refused("the constraints that are named are not those that have multipliers".into()));
        }
        for NeededRow { row, name, multiplier, without } in &self.rows {
            let (known, l) = (&problem.row_names()[*row], multipliers[*row]);
            if name != known {
                return Err(refused(format!("row {row} is `{known}`, not `{name}`")));
            }
            let off = (multiplier - l).abs();
            if off.is_nan() || off > MULTIPLIER_ROUNDING * l.abs() {
                return Err(refused(format!("the multiplier of `{name}` is {l:e}, not {multiplier:e}")));
            }
            let others: Vec<usize> = used.iter().copied().filter(|other| other != row).collect();
            if !without.is_empty() && !satisfies(problem, &others, without)? {
                return Err(refused(format!("the point without `{name}` does not satisfy the others")));
            }
        }
        Ok(())
    }
}

/// Whether a point of X satisfies the listed rows up to rounding.
pub(crate) fn satisfies(problem: &Problem, listed: &[usize], x: &[f64]) -> Result<bool, CertificateError> {
    check_vector("a point without a constraint", problem.dimension(), x)?;
    let (mut mapping, mut values) = (problem.mapping(), vec![0.0; problem.rows()]);
    if !problem.regulariser().value(x).is_finite() || !mapping.has_rows() {
        return Ok(false);
    }
    mapping.linearise(x, &mut values)?;
    let (charge, mut scratch) = (HOLDS * unit(problem.dimension(), problem.rows()), Vec::new());
    for (range, composer) in problem.parts() {
        for (k, row) in range.enumerate().filter(|(_, row)| listed.contains(row)) {
            let Some([low, high]) = composer.row_domain(k) else { return Ok(false) };
            let mut size = values[row].abs();
            mapping.with_row(row, &mut scratch, &mut |view| view.for_each(|i, a| size += (a * x[i]).abs()));
            let room = charge * size;
            if !(values[row] <= high + room && values[row] >= low - room) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
