//! Lower bounds without a bounded domain, from what components say of themselves. A linearisation at the answer has slopes that the
//! domain or u must hold, and rounding leaves some that they do not: -1e-10 where x_i >= 0 has no end. Where components have affine
//! functions below them everywhere (a loss is not negative, a quadratic exceeds its linear part), for the same multipliers l
//!
//! ```text
//! F(x) >= (1 - t) (linearisation at y) + t (sum_j l_j own_j(x) - h*(l)) + u(x)      for every t in [0, 1]
//! ```
//!
//! and the smallest t whose slope is held costs t times the difference of both at the answer. Dose planning pays for each unit of
//! intensity: t = 1e-7 makes up for a slope of -1e-10. So do norms: |x|_1 holds slopes up to its weight. Decision 0027.

use super::evidence::{self, Evidence, Witness};
use super::floor::Floor;
use super::premise::Premise;
use super::rounding::unit;
use super::tuning::mixed::SHARES;
use super::upper::Upper;
use super::{Certificate, CertificateError};
use crate::problem::Problem;

/// A certificate of `x` whose lower bound mixes the linearisation there with what the components say of themselves, if that proves one.
///
/// # Errors
/// An oracle that failed, the budget, or a component that says nothing of itself.
pub(crate) fn certify_by_mixing(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
) -> Result<Option<Certificate>, CertificateError> {
    let there = Witness::at(x.to_vec(), multipliers.to_vec());
    let own = Witness { own: true, ..there.clone() };
    let [at_x, of_own] = [&there, &own]
        .map(|witness| Evidence::of(problem, std::slice::from_ref(witness), evidence::conjugate));
    let Some(share) = least_share(problem, &at_x?, &of_own?) else { return Ok(None) };
    let upper = Upper::at(problem, x)?;
    let mut certificate = Certificate {
        x: x.to_vec(),
        lower: f64::NEG_INFINITY,
        upper: upper.objective + upper.rounding,
        violation: upper.violation,
        premise: Premise::None,
        curvature: 0.0,
        witnesses: vec![Witness { weight: 1.0 - share, ..there }, Witness { weight: share, ..own }],
        grounds: problem.grounds(),
        constants: None,
    };
    certificate.lower = certificate.bound(problem)?.0.min(certificate.upper);
    Ok(Some(certificate))
}

/// The smallest share of what components say of themselves for which u and X hold the slope, also where rounding has moved it.
fn least_share(problem: &Problem, at_x: &Evidence, own: &Evidence) -> Option<f64> {
    let (none, unit) = (Premise::None, unit(problem.dimension(), problem.rows() + 2));
    let mut floor = Floor::new(problem, &none);
    let (mut slope, mut minimiser) = (vec![0.0; at_x.slope.len()], vec![0.0; at_x.slope.len()]);
    let mut is_held = |t: f64, side: f64| {
        let mix = |a: &[f64], b: &[f64], i: usize| (1.0 - t) * a[i] + t * b[i];
        for (i, s) in slope.iter_mut().enumerate() {
            let blur = 2.0 * unit * mix(&at_x.magnitudes, &own.magnitudes, i);
            *s = mix(&at_x.slope, &own.slope, i) + side * blur;
        }
        floor.at(&slope, &mut minimiser).value.is_finite() && floor.is_clear_of_the_edge(&slope)
    };
    let (first, last) = SHARES;
    let shares = std::iter::successors(Some(first), |t| Some(2.0 * t)).take_while(|t| *t <= last);
    shares.into_iter().find(|t| is_held(*t, -1.0) && is_held(*t, 1.0))
}
