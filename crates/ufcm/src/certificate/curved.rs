//! Lower bounds without a bounded domain, from curvature. For fixed multipliers l the Lagrangian
//!
//! ```text
//! Phi(x) = sum_j l_j g_j(x) - h*(l) + u(x)
//! ```
//!
//! is convex and nowhere above F. Where it is mu-strongly convex within r of y, it is there at least
//!
//! ```text
//! m(x) = offset + <slope, x> + mu/2 |x - y|^2 + u(x),      with the minimiser w over X
//! ```
//!
//! and on the sphere |x - y| = r at least m(w) + mu/2 (r - |w - y|)^2. If that is at least Phi(y), then Phi is no smaller beyond
//! the sphere than on it, by convexity on the way from y; so m(w) bounds F on all of X. The curvature comes from the data of the
//! components ([`Curvature::add_floor`](crate::oracle::Curvature::add_floor)): least squares over columns of full rank, logistic
//! losses of classes that overlap. mu is proven by a Cholesky factorisation of H - mu I with room for rounding. Decision 0022.

use super::evidence::{self, Evidence, Witness};
use super::floor::Floor;
use super::premise::Premise;
use super::rounding::{SLOPE_SLACK, absolute_dot, unit};
use super::second::SecondDerivatives;
use super::tuning::curved::{AROUND, LEAST, SHRINK};
use super::upper::Upper;
use super::{Certificate, CertificateError};
use crate::linalg::{dot, norm};
use crate::oracle::OracleError;
use crate::problem::Problem;

/// A certificate of `x` whose lower bound rests on curvature, if there is enough of it there.
///
/// # Errors
/// An oracle that failed, or the budget.
pub(crate) fn certify_by_curvature(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
) -> Result<Option<Certificate>, CertificateError> {
    let witness = Witness::at(x.to_vec(), multipliers.to_vec());
    let Some((mu, radius)) = curvature_around(problem, &witness)? else { return Ok(None) };
    let at_x = Upper::at(problem, x)?;
    let premise = Premise::Curvature { mu, radius };
    let Some((lower, _)) = bound(problem, &witness, mu, radius)? else { return Ok(None) };
    Ok(Some(Certificate {
        x: x.to_vec(),
        lower,
        upper: at_x.objective + at_x.rounding,
        violation: at_x.violation,
        premise,
        curvature: 0.0,
        witnesses: vec![witness],
        grounds: problem.grounds(),
        constants: None,
    }))
}

/// mu and r: everywhere, where the components are curved everywhere; else near y, as far as the bound needs.
fn curvature_around(problem: &Problem, witness: &Witness) -> Result<Option<(f64, f64)>, CertificateError> {
    let Some(everywhere) = SecondDerivatives::floor(problem, witness, f64::INFINITY)? else {
        return Ok(None);
    };
    if let Some(mu) = strongest(&everywhere) {
        return Ok(Some((mu, f64::INFINITY)));
    }
    // What is known by its entries is the same everywhere.
    if let SecondDerivatives::Sparse { .. } = everywhere {
        return Ok(None);
    }
    let y = &witness.y;
    let rounding = f64::EPSILON.sqrt() * (1.0 + norm(y));
    let within = |radius: f64| -> Result<Option<f64>, OracleError> {
        Ok(SecondDerivatives::floor(problem, witness, radius)?.and_then(|hessian| strongest(&hessian)))
    };
    let Some(here) = within(rounding)? else { return Ok(None) };
    let evidence = Evidence::of(problem, std::slice::from_ref(witness), evidence::conjugate)?;
    let Some(model) = Model::of(problem, &evidence, y, here) else { return Ok(None) };
    // Far enough that the model rises by more than rounding.
    let charge = unit(problem.dimension(), problem.rows() + 1) * model.magnitude;
    let radius = AROUND * (model.way + (charge / here).sqrt()) + rounding;
    Ok(within(radius)?.map(|mu| (mu, radius)))
}

/// A mu with H - mu I positive definite beyond rounding: the first of a falling sequence, if there is one.
pub(super) fn strongest(hessian: &SecondDerivatives) -> Option<f64> {
    let least = hessian.diagonal().into_iter().fold(f64::INFINITY, f64::min);
    let mut mu = least;
    while mu > LEAST * least && mu > 0.0 {
        mu *= SHRINK;
        if hessian.exceed(mu) {
            return Some(mu);
        }
    }
    None
}

/// m, and where its minimum is.
struct Model {
    /// m(w), and the sum of the absolute values in it.
    least: f64,
    magnitude: f64,
    /// |w - y|
    way: f64,
}

impl Model {
    fn of(problem: &Problem, evidence: &Evidence, y: &[f64], mu: f64) -> Option<Self> {
        let slope: Vec<f64> = evidence.slope.iter().zip(y).map(|(s, y)| s - mu * y).collect();
        let (none, mut w) = (Premise::None, vec![0.0; y.len()]);
        let least = Floor::new(problem, &none).curved(&slope, mu, &mut w)?;
        let away: Vec<f64> = w.iter().zip(y).map(|(w, y)| w - y).collect();
        let square = mu * dot(y, y);
        let sizes = absolute_dot(&evidence.magnitudes, &w) + mu * absolute_dot(y, &w);
        Some(Self {
            least: evidence.offset + 0.5 * square + least.value,
            magnitude: evidence.magnitude + 2.0 * square + least.magnitude + sizes,
            way: norm(&away),
        })
    }
}

/// The lower bound that a witness proves with curvature mu within `radius` of its y, and what it was lowered by for rounding.
fn bound(
    problem: &Problem,
    witness: &Witness,
    mu: f64,
    radius: f64,
) -> Result<Option<(f64, f64)>, CertificateError> {
    let evidence = Evidence::of(problem, std::slice::from_ref(witness), evidence::conjugate)?;
    let y = &witness.y;
    let Some(model) = Model::of(problem, &evidence, y, mu) else { return Ok(None) };
    let unit = unit(problem.dimension(), problem.rows() + 1);
    let slack = SLOPE_SLACK * absolute_dot(&evidence.slope, &evidence.reach);
    let rounding = unit * model.magnitude + slack;
    let here = evidence.offset + dot(&evidence.slope, y) + problem.regulariser().value(y);
    let left = radius - model.way;
    // Written so that a NaN is refused.
    let holds = left > 0.0 && model.least + 0.5 * mu * left * left >= here + 2.0 * rounding;
    Ok(holds.then_some((model.least - rounding, rounding)))
}

/// Checks that the witness proves its bound; answers with the bound and what it was lowered by for rounding.
pub(super) fn recompute(
    problem: &Problem,
    witnesses: &[Witness],
    mu: f64,
    radius: f64,
) -> Result<(f64, f64), CertificateError> {
    let [witness] = witnesses else {
        return Err(CertificateError::Premise("curvature is that around one witness"));
    };
    if witness.own || witness.y.len() != problem.dimension() || witness.multipliers.len() != problem.rows() {
        return Err(CertificateError::Premise("the witness is no linearisation, or has another dimension"));
    }
    // Written so that a NaN is refused.
    if !(mu > 0.0 && radius > 0.0 && problem.regulariser().value(&witness.y).is_finite()) {
        return Err(CertificateError::Premise("there is no curvature around the witness"));
    }
    if !SecondDerivatives::floor(problem, witness, radius)?.is_some_and(|hessian| hessian.exceed(mu)) {
        return Err(CertificateError::Premise("the components are not as curved around the witness"));
    }
    bound(problem, witness, mu, radius)?
        .ok_or(CertificateError::Premise("the curvature does not hold the minimum within the radius"))
}
