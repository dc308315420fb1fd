//! Proofs that no point satisfies the constraints.

use super::Linearisation;
use super::error::{CertificateError, check_vector};
use super::evidence::{Conjugate, Evidence, Witness};
use super::ground::{self, Ground};
use super::premise::Premise;
use super::rounding::absolute_dot;
use crate::linalg::{dot, norm};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Multipliers on the constraints alone, for which sum_j l_j (linearisation_j)(x) - sigma(l) > 0 for all x in X, sigma the
/// support function of the domain of h (0 for g <= 0 and g = 0). At a feasible x the first sum is at most <l, g(x)>, which
/// is at most sigma(l): so there is none.
///
/// ```
/// use ufcm::certificate::{Infeasibility, Premise, Witness};
/// use ufcm::component::{ComponentExt, Quadratic};
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Bounds;
///
/// // x^2 <= 1 and x in [2, 3]
/// let problem = Problem::over(1)
///     .subject_to(Quadratic::diagonal(vec![2.0])?.at_most(1.0))
///     .within(Bounds::new(2.0, 3.0)?)
///     .build()?;
/// let proof = Infeasibility {
///     premise: Premise::None,
///     witnesses: vec![Witness { weight: 1.0, y: vec![2.0], multipliers: vec![0.0, 1.0] }],
///     grounds: Vec::new(),
/// };
/// assert!((proof.verify(&problem)? - 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Infeasibility {
    /// What the proof rests on: with a radius it says that there is no feasible point so near.
    pub premise: Premise,
    /// Convex combinations of proofs are proofs.
    pub witnesses: Vec<Witness>,
    /// As [`Certificate::grounds`](super::Certificate::grounds).
    #[serde(default)]
    pub grounds: Vec<Ground>,
}

/// Whether a linearisation with multipliers on the constraints alone may prove it on this premise: the margin without the
/// charge for rounding, from what is at hand. It costs no oracle.
pub(crate) fn may_separate(problem: &Problem, premise: &Premise, at: &Linearisation<'_>) -> bool {
    let mut slope = vec![0.0; problem.dimension()];
    at.mapping.apply_transpose(at.multipliers, &mut slope);
    let heights: f64 = at.multipliers.iter().zip(at.values).map(|(l, g)| l * g).sum();
    let Ok(support) = support(problem, 0, &mut at.multipliers.to_vec()) else { return false };
    let over_domain = least_over_domain(problem, &slope).0;
    let nearby = least_nearby(problem, premise, &slope).map(|(nearby, _)| nearby);
    let least = nearby.map_or(over_domain, |nearby| nearby.max(over_domain));
    heights - dot(&slope, at.y) - support.value + least > 0.0
}

/// (min of <slope, x> over the part of X that the premise speaks of, the sum of the absolute values in it), if it speaks of a part.
fn least_nearby(problem: &Problem, premise: &Premise, slope: &[f64]) -> Option<(f64, f64)> {
    match premise {
        Premise::Radius { centre, radius } => {
            let size = absolute_dot(slope, centre) + radius * norm(slope);
            Some((dot(slope, centre) - radius * norm(slope), size))
        }
        Premise::Reach { centre, reach } => Some(least_in_reach(problem, centre, reach, slope)),
        _ => None,
    }
}

/// The same over a box. Where X is a box as well, over both.
fn least_in_reach(problem: &Problem, centre: &[f64], reach: &[f64], slope: &[f64]) -> (f64, f64) {
    let (mut least, mut size) = (0.0, 0.0);
    for (i, ((c, r), s)) in centre.iter().zip(reach).zip(slope).enumerate() {
        let law = problem.regulariser().scalar_term(i);
        let [low, high] = law.map_or([f64::NEG_INFINITY, f64::INFINITY], |law| [law.lower, law.upper]);
        let end = if *s > 0.0 { (c - r).max(low) } else { (c + r).min(high) };
        least += s * end;
        size += (s * end).abs() + s.abs() * f64::EPSILON * (c.abs() + r);
    }
    (least, size)
}

/// Makes u small beside the slope: what is left is the linear function over X.
const LOUD: f64 = 1e60;
/// Points of X beyond this count as infinitely far.
const FAR_OUT: f64 = 1e30;

impl Infeasibility {
    /// As [`Certificate::rests_on`](super::Certificate::rests_on).
    #[must_use]
    pub fn rests_on(&self) -> String {
        ground::rests_on(&self.premise, &self.grounds, false)
    }

    /// As [`Certificate::rests_on_in`](super::Certificate::rests_on_in).
    #[must_use]
    pub fn rests_on_in(&self, problem: &Problem) -> String {
        ground::rests_on(&self.premise, &ground::found_anew(problem, &self.grounds), true)
    }

    /// Checks the proof and returns its margin, a lower bound of the left-hand side, less rounding.
    ///
    /// # Errors
    /// What is wrong with the proof, by name.
    pub fn verify(&self, problem: &Problem) -> Result<f64, CertificateError> {
        self.premise.check(problem)?;
        let evidence = Evidence::of(problem, &self.witnesses, support)?;
        let (mut least, mut magnitude) = least_over_domain(problem, &evidence.slope);
        // The rounding of the slope counts at either end of X; where that is infinite, the y stand for it.
        for sign in [1.0, -1.0] {
            let direction: Vec<f64> = evidence.magnitudes.iter().map(|s| sign * s).collect();
            magnitude += least_over_domain(problem, &direction).1;
        }
        if let Some((nearby, size)) = least_nearby(problem, &self.premise, &evidence.slope)
            && nearby > least
        {
            // The rounding of the slope counts at any point that the premise speaks of.
            let opposite: Vec<f64> = evidence.magnitudes.iter().map(|s| -s).collect();
            let ends = [&evidence.magnitudes, &opposite];
            let sizes =
                ends.map(|slope| least_nearby(problem, &self.premise, slope).map_or(0.0, |(_, size)| size));
            (least, magnitude) = (nearby, size + sizes[0] + sizes[1]);
        }
        if matches!(self.premise, Premise::Reach { .. }) && self.is_affine(problem) {
            self.check_slope(problem, &evidence)?;
        }
        let margin = evidence.offset + least - evidence.unit(problem) * (evidence.magnitude + magnitude);
        if margin > 0.0 { Ok(margin) } else { Err(CertificateError::NotSeparating { margin }) }
    }
}

impl Infeasibility {
    /// Whether the rows that it speaks of are all affine.
    fn is_affine(&self, problem: &Problem) -> bool {
        let used = |row: usize| self.witnesses.iter().any(|witness| witness.multipliers[row] != 0.0);
        (0..problem.rows()).all(|row| problem.is_affine(row) || !used(row))
    }

    /// Rows that are affine have no common point, however far, if their slopes cancel; what is left of them where X does not hold it must
    /// be rounding. A slope that is merely small leads to a point far out.
    fn check_slope(&self, problem: &Problem, evidence: &Evidence) -> Result<(), CertificateError> {
        let charge = CANCELLED * evidence.unit(problem);
        for (i, (s, terms)) in evidence.slope.iter().zip(&evidence.magnitudes).enumerate() {
            let law = problem.regulariser().scalar_term(i);
            let [low, high] = law.map_or([f64::NEG_INFINITY, f64::INFINITY], |law| [law.lower, law.upper]);
            let held = if *s > 0.0 { low > f64::NEG_INFINITY } else { high < f64::INFINITY };
            if !held && s.abs() > charge * terms {
                return Err(CertificateError::NotSeparating { margin: f64::NEG_INFINITY });
            }
        }
        Ok(())
    }
}

/// What slopes that have cancelled may leave, in units of rounding.
const CANCELLED: f64 = 16.0;

/// (min over x in X of <slope, x>, the sum of the absolute values in it).
fn least_over_domain(problem: &Problem, slope: &[f64]) -> (f64, f64) {
    let largest = slope.iter().fold(0.0f64, |largest, s| largest.max(s.abs()));
    if largest == 0.0 {
        return (0.0, 0.0);
    }
    let loud: Vec<f64> = slope.iter().map(|s| LOUD * (s / largest)).collect();
    let mut minimiser = vec![0.0; slope.len()];
    let value = problem.regulariser().min_linear(&loud, Some(&mut minimiser)) * (largest / LOUD);
    // A u that grows fast has a minimum for every slope; that far out it is the growth that holds it, not X.
    let held = value.is_finite() && minimiser.iter().all(|x| x.abs() < FAR_OUT);
    if held { (value, value.abs() + absolute_dot(slope, &minimiser)) } else { (f64::NEG_INFINITY, 0.0) }
}

/// sigma(l), the support function of the domain of h, which is h* on constraints and 0 for l = 0.
fn support(
    problem: &Problem,
    witness: usize,
    multipliers: &mut [f64],
) -> Result<Conjugate, CertificateError> {
    check_vector("multipliers", problem.rows(), multipliers)?;
    let mut sum = Conjugate { value: 0.0, magnitude: 0.0 };
    for (range, composer) in problem.parts() {
        let part = || problem.row_names()[range.start].clone();
        let l = &multipliers[range.clone()];
        if l.iter().all(|l| *l == 0.0) {
            continue;
        }
        if !composer.is_constraint() {
            return Err(CertificateError::NotConstraint { part: part(), composer: composer.kind() });
        }
        let sigma = composer.conjugate(l);
        if !sigma.is_finite() {
            return Err(CertificateError::OutsideDomain { witness, part: part() });
        }
        sum.value += sigma;
        sum.magnitude += composer.conjugate_magnitude(l);
    }
    Ok(sum)
}
