//! What a proof says of the same problem with other bounds of one or two constraints.
//!
//! A lower bound is sum_j l_j g_j(y) + ... - h*(l) + min over x of <slope, x> + u(x). A bound c stands in one row alone, as g_r - c:
//! so the same points y and multipliers l prove
//!
//! ```text
//! L(c) = L(c_0) - l_r (c - c_0)
//! ```
//!
//! for every c, and likewise for the bounds of several rows, as long as what the minimum over x rests on does not speak of c. Where it does, the premise is checked at both ends of
//! the range, which is enough: a tighter bound leaves fewer points and makes F larger everywhere. A premise that does not hold
//! leaves the bound itself, which holds for all tighter ones. Decision 0044.

use super::evidence::{self, Witness};
use super::rounding::unit;
use super::{Certificate, CertificateError, Infeasibility, Premise, enclosed, own_floor};
use crate::problem::Problem;

/// The bounds of D constraints that a curve or a surface speaks of. They are measured by how loose they are: s = c for c at most, s = -c for c at
/// least.
pub(crate) struct Range<const D: usize> {
    /// The rows whose bounds they are.
    pub(crate) rows: [usize; D],
    /// 1 where a row is at most its bound, -1 where it is at least.
    pub(crate) signs: [f64; D],
    /// The tightest bounds, and the problem with them.
    pub(crate) tightest: ([f64; D], Problem),
    /// The loosest.
    pub(crate) loosest: ([f64; D], Problem),
}

/// F >= value + <slope, s - at> for problems with bounds from `from` to `to`: a line for one bound, a plane for two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane<const D: usize> {
    pub(crate) at: [f64; D],
    pub(crate) value: f64,
    pub(crate) slope: [f64; D],
    pub(crate) from: [f64; D],
    pub(crate) to: [f64; D],
}

impl<const D: usize> Plane<D> {
    /// The bound at `s`; -inf where the plane says nothing.
    pub(crate) fn height(&self, s: [f64; D]) -> f64 {
        let inside = (0..D).all(|k| self.from[k] <= s[k] && s[k] <= self.to[k]);
        let rise: f64 = (0..D).map(|k| self.slope[k] * (s[k] - self.at[k])).sum();
        if inside { self.value + rise } else { f64::NEG_INFINITY }
    }

    /// What the proof of a lower bound of `problem`, whose bounds are `at`, says of the others. The optimum with the tightest bounds is at most
    /// `level`.
    pub(crate) fn of(
        proof: &Certificate,
        problem: &Problem,
        at: [f64; D],
        range: &Range<D>,
        level: f64,
    ) -> Result<Self, CertificateError> {
        let flat = Self { at, value: proof.lower, slope: [0.0; D], from: range.tightest.0, to: at };
        if proof.witnesses.is_empty() {
            // What the components say of themselves, which is least with the loosest bounds.
            let value = own_floor(&range.loosest.1).min(proof.lower);
            return Ok(Self { value, to: range.loosest.0, ..flat });
        }
        let units = unit(problem.dimension(), problem.rows() + proof.witnesses.len());
        let (mut slope, mut charge) = ([0.0; D], 0.0);
        for k in 0..D {
            slope[k] = -range.signs[k] * multiplier(&proof.witnesses, problem, range.rows[k])?;
            let sizes = at[k].abs() + range.tightest.0[k].abs() + range.loosest.0[k].abs();
            charge += 4.0 * units * slope[k].abs() * sizes;
        }
        let value = proof.lower - charge;
        let whole = Self { at, value, slope, from: range.tightest.0, to: range.loosest.0 };
        let holds = |problem: &Problem| proof.premise.check(problem).is_ok();
        Ok(match &proof.premise {
            Premise::ImpliedBounds { .. } if holds(&range.loosest.1) => whole,
            Premise::ImpliedBounds { .. } => {
                implied_again(proof, problem, range, &whole, charge)?.unwrap_or(Self { to: at, ..whole })
            }
            Premise::LevelSet { .. } => match [&range.tightest.1, &range.loosest.1].map(holds) {
                [true, true] => whole,
                // The start is feasible with these bounds, and so with looser ones.
                [false, true] => Self { from: at, ..whole },
                _ => flat,
            },
            Premise::Enclosure { .. } => enclosed_again(proof, &whole, range, level)?.unwrap_or(flat),
            _ => whole,
        })
    }
}

/// The plane of a proof that rests on a box, with a box for all bounds of the range: what is no worse than the tightest optimum, with the loosest
/// bounds.
fn enclosed_again<const D: usize>(
    proof: &Certificate,
    whole: &Plane<D>,
    range: &Range<D>,
    level: f64,
) -> Result<Option<Plane<D>>, CertificateError> {
    let (loosest, problem) = &range.loosest;
    let ([witness], true) = (&proof.witnesses[..], level.is_finite()) else { return Ok(None) };
    let Some([lower, upper]) = enclosed::enclosure(problem, witness, level)? else { return Ok(None) };
    let premise = Premise::Enclosure { level, lower, upper };
    let (value, _) = Certificate { premise, ..proof.clone() }.bound(problem)?;
    Ok(value.is_finite().then_some(Plane { at: *loosest, value: value.min(level), ..*whole }))
}

/// The plane of a proof that rests on bounds that do not hold with the loosest bounds, with those that do.
fn implied_again<const D: usize>(
    proof: &Certificate,
    problem: &Problem,
    range: &Range<D>,
    whole: &Plane<D>,
    charge: f64,
) -> Result<Option<Plane<D>>, CertificateError> {
    let Some(premise) = Premise::of_rows(&range.loosest.1)? else { return Ok(None) };
    let (value, _) = Certificate { premise, ..proof.clone() }.bound(problem)?;
    Ok(value.is_finite().then_some(Plane { value: value.min(proof.lower) - charge, ..*whole }))
}

/// The multiplier of `row` in the combination of the witnesses.
fn multiplier(witnesses: &[Witness], problem: &Problem, row: usize) -> Result<f64, CertificateError> {
    let total: f64 = witnesses.iter().map(|witness| witness.weight).sum();
    let mut sum = 0.0;
    for (k, witness) in witnesses.iter().enumerate() {
        let mut multipliers = witness.multipliers.clone();
        evidence::conjugate(problem, k, &mut multipliers)?;
        sum += witness.weight / total * problem.bound_multiplier(row, &multipliers);
    }
    Ok(sum)
}

/// Where problems with other bounds are infeasible, too: for all s with <normal, s> < least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hopeless<const D: usize> {
    pub(crate) normal: [f64; D],
    pub(crate) least: f64,
    /// Where the proof does not speak of the bounds all are infeasible, else those that are not looser than `at`.
    pub(crate) everywhere: bool,
    pub(crate) at: [f64; D],
}

impl<const D: usize> Hopeless<D> {
    /// Whether no point is feasible with bounds `s` of the range.
    pub(crate) fn holds(&self, s: [f64; D]) -> bool {
        let tighter = (0..D).all(|k| s[k] <= self.at[k]);
        self.everywhere || tighter || (0..D).map(|k| self.normal[k] * s[k]).sum::<f64>() < self.least
    }

    /// What a proof that `problem`, whose bounds are `at`, is infeasible shows of other bounds.
    pub(crate) fn of(
        proof: &Infeasibility,
        problem: &Problem,
        at: [f64; D],
        range: &Range<D>,
    ) -> Result<Self, CertificateError> {
        let nothing = Self { normal: [0.0; D], least: f64::NEG_INFINITY, everywhere: false, at };
        let margin = proof.verify(problem)?;
        let total: f64 = proof.witnesses.iter().map(|witness| witness.weight).sum();
        let of_row = |row: usize| -> f64 {
            let one = |witness: &Witness| problem.bound_multiplier(row, &witness.multipliers);
            proof.witnesses.iter().map(|witness| witness.weight / total * one(witness)).sum()
        };
        let speaks_of_bound = matches!(
            proof.premise,
            Premise::ImpliedBounds { .. } | Premise::LevelSet { .. } | Premise::Enclosure { .. }
        );
        if speaks_of_bound {
            return Ok(nothing);
        }
        let units = unit(problem.dimension(), problem.rows() + proof.witnesses.len());
        let (mut normal, mut least) = ([0.0; D], margin);
        for k in 0..D {
            normal[k] = (range.signs[k] * of_row(range.rows[k])).max(0.0);
            least += normal[k] * at[k] - 4.0 * units * normal[k] * (at[k].abs() + range.loosest.0[k].abs());
        }
        // A proof without the rows holds for every bound.
        Ok(Self { normal, least, everywhere: normal.iter().all(|n| *n == 0.0), at })
    }
}

/// The looseness below which a proof that `problem`, whose bound is `at`, is infeasible shows that there is no feasible point.
pub(crate) fn first_feasible(
    proof: &Infeasibility,
    problem: &Problem,
    at: f64,
    range: &Range<1>,
) -> Result<f64, CertificateError> {
    let hopeless = Hopeless::of(proof, problem, [at], range)?;
    let loosest = range.loosest.0[0];
    if hopeless.everywhere {
        return Ok(loosest);
    }
    let beyond = hopeless.least / hopeless.normal[0];
    Ok(if beyond.is_finite() { beyond.max(at).min(loosest) } else { at })
}
