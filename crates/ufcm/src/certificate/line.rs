//! What a proof says of the same problem with another bound of one constraint.
//!
//! A lower bound is sum_j l_j g_j(y) + ... - h*(l) + min over x of <slope, x> + u(x). A bound c stands in one row alone, as g_r - c:
//! so the same points y and multipliers l prove
//!
//! ```text
//! L(c) = L(c_0) - l_r (c - c_0)
//! ```
//!
//! for every c, as long as what the minimum over x rests on does not speak of c. Where it does, the premise is checked at both ends of
//! the curve, which is enough: a tighter bound leaves fewer points and makes F larger everywhere. A premise that does not hold
//! leaves the bound itself, which holds for all tighter ones. Decision 0044.

use super::evidence::{self, Witness};
use super::rounding::unit;
use super::{Certificate, CertificateError, Infeasibility, Premise, enclosed, own_floor};
use crate::problem::Problem;

/// The bounds that a curve speaks of. They are measured by how loose they are: s = c for c at most, s = -c for c at least.
pub(crate) struct Range {
    /// The row whose bound it is.
    pub(crate) row: usize,
    /// 1 where the row is at most its bound, -1 where it is at least.
    pub(crate) sign: f64,
    /// The tightest bound, and the problem with it.
    pub(crate) tightest: (f64, Problem),
    /// The loosest.
    pub(crate) loosest: (f64, Problem),
}

/// F >= value + slope (s - at) for problems with bounds from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    pub(crate) at: f64,
    pub(crate) value: f64,
    pub(crate) slope: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Line {
    /// The bound at `s`; -inf where the line says nothing.
    pub(crate) fn height(&self, s: f64) -> f64 {
        let inside = self.from <= s && s <= self.to;
        if inside { self.value + self.slope * (s - self.at) } else { f64::NEG_INFINITY }
    }

    /// What the proof of a lower bound of `problem`, whose bound is `at`, says of the others. The optimum with the tightest bound is at most
    /// `level`.
    pub(crate) fn of(
        proof: &Certificate,
        problem: &Problem,
        at: f64,
        range: &Range,
        level: f64,
    ) -> Result<Self, CertificateError> {
        let flat = Self { at, value: proof.lower, slope: 0.0, from: range.tightest.0, to: at };
        if proof.witnesses.is_empty() {
            // What the components say of themselves, which is least with the loosest bound.
            let value = own_floor(&range.loosest.1).min(proof.lower);
            return Ok(Self { value, to: range.loosest.0, ..flat });
        }
        let slope = -range.sign * multiplier(&proof.witnesses, problem, range.row)?;
        let sizes = at.abs() + range.tightest.0.abs() + range.loosest.0.abs();
        let units = unit(problem.dimension(), problem.rows() + proof.witnesses.len());
        let value = proof.lower - 4.0 * units * slope.abs() * sizes;
        let whole = Self { at, value, slope, from: range.tightest.0, to: range.loosest.0 };
        let holds = |problem: &Problem| proof.premise.check(problem).is_ok();
        Ok(match &proof.premise {
            Premise::ImpliedBounds { .. } if holds(&range.loosest.1) => whole,
            Premise::ImpliedBounds { .. } => Self { to: at, ..whole },
            Premise::LevelSet { .. } => match [&range.tightest.1, &range.loosest.1].map(holds) {
                [true, true] => whole,
                // The start is feasible with this bound, and so with looser ones.
                [false, true] => Self { from: at, ..whole },
                _ => flat,
            },
            Premise::Enclosure { .. } => enclosed_again(proof, &whole, range, level)?.unwrap_or(flat),
            _ => whole,
        })
    }
}

/// The line of a proof that rests on a box, with a box for all bounds of the range: what is no worse than the tightest optimum, with the loosest
/// bound.
fn enclosed_again(
    proof: &Certificate,
    whole: &Line,
    range: &Range,
    level: f64,
) -> Result<Option<Line>, CertificateError> {
    let (loosest, problem) = &range.loosest;
    let ([witness], true) = (&proof.witnesses[..], level.is_finite()) else { return Ok(None) };
    let Some([lower, upper]) = enclosed::enclosure(problem, witness, level)? else { return Ok(None) };
    let premise = Premise::Enclosure { level, lower, upper };
    let (value, _) = Certificate { premise, ..proof.clone() }.bound(problem)?;
    Ok(value.is_finite().then_some(Line { at: *loosest, value: value.min(level), ..*whole }))
}

/// The multiplier of `row` in the combination of the witnesses.
fn multiplier(witnesses: &[Witness], problem: &Problem, row: usize) -> Result<f64, CertificateError> {
    let total: f64 = witnesses.iter().map(|witness| witness.weight).sum();
    let mut sum = 0.0;
    for (k, witness) in witnesses.iter().enumerate() {
        let mut multipliers = witness.multipliers.clone();
        evidence::conjugate(problem, k, &mut multipliers)?;
        sum += witness.weight / total * multipliers[row];
    }
    Ok(sum)
}

/// The looseness below which a proof that `problem`, whose bound is `at`, is infeasible shows that there is no feasible point.
pub(crate) fn first_feasible(
    proof: &Infeasibility,
    problem: &Problem,
    at: f64,
    range: &Range,
) -> Result<f64, CertificateError> {
    let margin = proof.verify(problem)?;
    let total: f64 = proof.witnesses.iter().map(|witness| witness.weight).sum();
    let multiplier: f64 =
        proof.witnesses.iter().map(|witness| witness.weight / total * witness.multipliers[range.row]).sum();
    let speaks_of_bound = matches!(
        proof.premise,
        Premise::ImpliedBounds { .. } | Premise::LevelSet { .. } | Premise::Enclosure { .. }
    );
    let falls = range.sign * multiplier;
    if speaks_of_bound || falls <= 0.0 {
        // A proof without the row holds for every bound.
        let for_all = !speaks_of_bound && falls <= 0.0;
        return Ok(if for_all { range.loosest.0 } else { at });
    }
    let units = unit(problem.dimension(), problem.rows() + proof.witnesses.len());
    let charge = 4.0 * units * falls * (at.abs() + range.loosest.0.abs());
    Ok((at + ((margin - charge) / falls).max(0.0)).min(range.loosest.0))
}
