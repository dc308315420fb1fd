//! Proofs that no point satisfies the constraints.

use super::Linearisation;
use super::error::{CertificateError, check_vector};
use super::evidence::{Conjugate, Evidence, Witness};
use super::ground::{self, Ground};
use super::needed::NeededRow;
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
///     witnesses: vec![Witness::at(vec![2.0], vec![0.0, 1.0])],
///     grounds: Vec::new(),
///     rows: Vec::new(),
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
    /// The constraints that have multipliers, by name; empty where nobody has named them.
    #[serde(default)]
    pub rows: Vec<NeededRow>,
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
        ground::rests_on(&self.premise, &ground::found_anew(problem, &self.premise, &self.grounds, &[]), true)
    }

    /// Checks the proof and returns its margin, a lower bound of the left-hand side, less rounding.
    ///
    /// # Errors
    /// What is wrong with the proof, by name.
    pub fn verify(&self, problem: &Problem) -> Result<f64, CertificateError> {
        self.premise.check(problem)?;
        let mut evidence = Evidence::of(problem, &self.witnesses, support)?;
        self.check_rows(problem)?;
        let unit = evidence.unit(problem);
        // What rounding can have done to the slope.
        let mut rounding: Vec<f64> = evidence.magnitudes.iter().map(|size| unit * size).collect();
        if let Some(exact) = self.exact_slope(problem)? {
            [evidence.slope, rounding] = exact;
        }
        let opposite: Vec<f64> = rounding.iter().map(|s| -s).collect();
        let (mut least, mut magnitude) = least_over_domain(problem, &evidence.slope);
        // It counts at either end of X; where that is infinite, the y stand for it.
        let mut charge: f64 = [&rounding, &opposite].iter().map(|s| least_over_domain(problem, s).1).sum();
        if let Some((nearby, size)) = least_nearby(problem, &self.premise, &evidence.slope)
            && nearby > least
        {
            // ... or at any point that the premise speaks of.
            let sizes = [&rounding, &opposite]
                .map(|s| least_nearby(problem, &self.premise, s).map_or(0.0, |(_, size)| size));
            (least, magnitude, charge) = (nearby, size, sizes[0] + sizes[1]);
        }
        if matches!(self.premise, Premise::Reach { .. }) && self.is_affine(problem) {
            self.check_slope(problem, &evidence)?;
        }
        let margin = evidence.offset + least - charge - unit * (evidence.magnitude + magnitude);
        if margin > 0.0 { Ok(margin) } else { Err(CertificateError::NotSeparating { margin }) }
    }
}

impl Infeasibility {
    /// Whether the rows that it speaks of are all affine.
    fn is_affine(&self, problem: &Problem) -> bool {
        let used = |row: usize| self.witnesses.iter().any(|witness| witness.multipliers[row] != 0.0);
        (0..problem.rows()).all(|row| problem.is_affine(row) || !used(row))
    }

    /// J'l summed in twice the precision where the rows are affine and stored, and what is left to rounding in each entry. Entries of a
    /// matrix are data; those of a component may have been rounded.
    fn exact_slope(&self, problem: &Problem) -> Result<Option<[Vec<f64>; 2]>, CertificateError> {
        let mut mapping = problem.mapping();
        let ([witness], true) = (&self.witnesses[..], mapping.has_rows() && self.is_affine(problem)) else {
            return Ok(None);
        };
        let n = problem.dimension();
        mapping.linearise(&witness.y, &mut vec![0.0; problem.rows()])?;
        let (mut sums, mut rounding) = (vec![(0.0f64, 0.0f64); n], vec![0.0; n]);
        let tiny = problem.rows() as f64 * f64::EPSILON * f64::EPSILON;
        let (used, mut scratch) = (witness.multipliers.iter().enumerate(), Vec::new());
        for (row, l) in used.filter(|(_, l)| **l != 0.0) {
            let charge = tiny + if problem.component(row).is_some() { 4.0 * f64::EPSILON } else { 0.0 };
            mapping.with_row(row, &mut scratch, &mut |view| {
                view.for_each(|i, a| {
                    let ((high, low), product) = (sums[i], l * a);
                    let sum = high + product;
                    let part = sum - high;
                    let lost = (high - (sum - part)) + (product - part);
                    sums[i] = (sum, low + lost + l.mul_add(a, -product));
                    rounding[i] += charge * product.abs();
                });
            });
        }
        let slope: Vec<f64> = sums.iter().map(|(high, low)| high + low).collect();
        rounding.iter_mut().zip(&slope).for_each(|(r, s)| *r += f64::EPSILON * s.abs());
        Ok(Some([slope, rounding]))
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
