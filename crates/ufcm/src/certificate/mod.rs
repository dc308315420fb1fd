//! Proven bounds: lower bounds from the steps of a run, upper bounds from its points, and certificates that another
//! program can check without trusting the solver (method.md, section 5).
//!
//! For any y and any multipliers l in the domain of h*, nonnegative on curved rows, convexity gives for all x
//!
//! ```text
//! F(x) >= sum_j l_j (g_j(y) + <grad g_j(y), x - y>) - h*(l) + u(x)
//! ```
//!
//! and the minimum of the right-hand side over x is a lower bound, for each step of a run ([`LowerModel`]) and for every
//! convex combination of steps. It is finite under a [`Premise`]. All bounds are lowered (or raised) by what rounding can
//! have done to them.

mod curved;
mod enclosed;
mod error;
mod evidence;
mod floor;
mod ground;
mod implied;
mod infeasibility;
mod lower_model;
mod minorant;
mod mixed;
mod needed;
mod plane;
mod premise;
mod rounding;
mod second;
mod slopes;
mod together;
pub(crate) mod tuning;
mod unboundedness;
mod upper;
mod violation;

pub(crate) use curved::certify_by_curvature;
pub(crate) use enclosed::{certify_by_enclosure, certify_by_level};
pub use error::CertificateError;
pub use evidence::Witness;
pub(crate) use evidence::combined_multipliers;
pub use floor::{Floor, FloorValue};
pub use ground::Ground;
pub(crate) use implied::{ImpliedBounds, implied_bounds};
pub use infeasibility::Infeasibility;
pub(crate) use infeasibility::may_separate;
pub use lower_model::LowerModel;
pub use minorant::Linearisation;
pub(crate) use minorant::nearby_bound;
pub(crate) use mixed::certify_by_mixing;
pub use needed::NeededRow;
pub(crate) use needed::satisfies;
pub(crate) use plane::{Hopeless, Plane, Range, first_feasible};
pub use premise::Premise;
pub(crate) use premise::{is_bounded, own_floor, own_multipliers};
pub(crate) use together::convex_together;
pub use unboundedness::Unboundedness;
pub(crate) use upper::violation_rounding;
pub use upper::{Repaired, Upper, repair};
pub(crate) use upper::{margin, rounding_worth};
pub(crate) use violation::Measured;

use crate::constants::Constants;
use crate::oracle::OracleError;
use crate::problem::Problem;
use error::{check_numbers, check_vector};
use evidence::Evidence;
use rounding::{SLOPE_SLACK, absolute_dot, is_drowned, largest};
use serde::{Deserialize, Serialize};

/// A point, bounds of the optimal value, and what proves them: plain data.
///
/// ```
/// use ufcm::certificate::{Certificate, Premise, Witness};
/// use ufcm::component::Quadratic;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Bounds;
///
/// // min x^2 - x, solved by x = 1/2
/// let objective = Quadratic::diagonal(vec![2.0])?.with_linear(vec![-1.0])?;
/// let problem = Problem::minimise(objective).within(Bounds::new(-1.0, 1.0)?).build()?;
/// let mut certificate = Certificate {
///     x: vec![0.5],
///     lower: -0.25 - 1e-12,
///     upper: -0.25,
///     violation: 0.0,
///     premise: Premise::BoundedDomain,
///     curvature: 0.0,
///     witnesses: vec![Witness::at(vec![0.5], vec![1.0])],
///     grounds: Vec::new(),
///     constants: None,
/// };
/// assert!(certificate.verify(&problem)?.gap() < 1e-12);
/// certificate.lower = -0.24;
/// assert!(certificate.verify(&problem).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The answer.
    pub x: Vec<f64>,
    /// No point has a smaller F, under the premise. Without witnesses it is what components and u say of themselves, such as
    /// that a loss is not negative; -inf claims nothing.
    #[serde(with = "crate::serde_infinity")]
    pub lower: f64,
    /// F(x), without the constraints that x violates.
    #[serde(with = "crate::serde_infinity")]
    pub upper: f64,
    /// The Euclidean distance from g(x) to the domain of h.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// What the lower bound takes for granted.
    pub premise: Premise,
    /// mu of the combined minorant where the lower bound uses the strong convexity that components claim: the bound then
    /// rests on these claims too. 0 where it uses convexity alone.
    pub curvature: f64,
    /// What proves the lower bound.
    pub witnesses: Vec<Witness>,
    /// The parts of the problem that are not convex by construction, and how far they were checked: the proof rests on them,
    /// too. Empty means that there are none. It is for readers; [`Certificate::rests_on_in`] finds them anew.
    #[serde(default)]
    pub grounds: Vec<Ground>,
    /// The constants that a published method was run with, given or found. They are for readers, who can repeat the run with them; the
    /// proof does not use them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constants: Option<Constants>,
}

/// What a certificate proves, recomputed from its data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verified {
    /// A lower bound of the optimal value, under the certificate's premise.
    pub lower: f64,
    /// F(x) without the constraints that x violates, raised by rounding: an upper bound of the optimal value where the
    /// violation is 0.
    pub upper: f64,
    /// The Euclidean distance from g(x) to the domain of h.
    pub violation: f64,
}

impl Verified {
    /// upper - lower
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.upper - self.lower
    }
}

impl Certificate {
    /// The certificate of `x` with the best bound of `model`, which was computed under `premise`.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn new(
        problem: &Problem,
        x: &[f64],
        model: &LowerModel,
        premise: &Premise,
    ) -> Result<Self, OracleError> {
        let own = Self::of_own_floor(problem, x)?;
        let (lower, curvature, witnesses) = (model.lower(), model.curvature(), model.witnesses());
        Ok(Self { lower, curvature, witnesses, premise: premise.clone(), ..own })
    }

    /// All that the certificate says it rests on, in words: its premise, and the parts that are not convex by construction.
    #[must_use]
    pub fn rests_on(&self) -> String {
        ground::rests_on(&self.premise, &self.grounds, false)
    }

    /// All that the certificate rests on for `problem`, in words. Which parts are not convex by construction is asked of the
    /// problem, whatever the certificate lists.
    #[must_use]
    pub fn rests_on_in(&self, problem: &Problem) -> String {
        ground::rests_on(
            &self.premise,
            &ground::found_anew(problem, &self.premise, &self.grounds, &self.witnesses),
            true,
        )
    }

    /// The certificate of `x` with the bound that components and u say of themselves.
    pub(crate) fn of_own_floor(problem: &Problem, x: &[f64]) -> Result<Self, OracleError> {
        let upper = Upper::at(problem, x)?;
        Ok(Self {
            x: x.to_vec(),
            lower: own_floor(problem),
            upper: upper.objective + upper.rounding,
            violation: upper.violation,
            premise: Premise::None,
            curvature: 0.0,
            witnesses: Vec::new(),
            grounds: problem.grounds(),
            constants: None,
        })
    }

    /// Recomputes everything from the oracles alone and checks that the data prove what is claimed, up to rounding.
    ///
    /// # Errors
    /// What is wrong with the certificate, by name.
    pub fn verify(&self, problem: &Problem) -> Result<Verified, CertificateError> {
        check_vector("x", problem.dimension(), &self.x)?;
        let numbers = [self.upper, self.violation, self.curvature];
        check_numbers("the upper bound, the violation and the curvature", &numbers)?;
        self.premise.check(problem)?;
        self.premise.check_point(&self.x)?;
        if problem.regulariser().value(&self.x) == f64::INFINITY {
            return Err(CertificateError::OutsideX);
        }
        // Where the bound was proven at x itself, one read of the data serves both.
        let shared = self.witnesses.iter().any(|witness| witness.y == self.x && !witness.own);
        let linearised = if shared { Some(problem.linearised_at(&self.x)?.0) } else { None };
        let problem = linearised.as_ref().unwrap_or(problem);
        let at_x = Upper::at(problem, &self.x)?;
        let upper = at_x.objective + at_x.rounding;
        refuse_unless(self.upper >= at_x.objective - at_x.rounding, "the upper bound", self.upper, upper)?;
        let short = at_x.violation * (1.0 - 1e-9) - self.violation;
        // A violation far below the rows' terms is rounding for the most part.
        let enough = short <= 0.0 || short <= violation_rounding(problem, &self.x)?;
        refuse_unless(enough, "the violation", self.violation, at_x.violation)?;
        let (lower, rounding) = match (self.lower, &*self.witnesses) {
            (f64::NEG_INFINITY, []) => (self.lower, 0.0),
            (lower, []) if lower <= own_floor(problem) => (own_floor(problem), 0.0),
            // Witnesses that are missing are told there.
            _ => self.recompute(problem)?,
        };
        refuse_unless(self.lower <= lower + rounding, "the lower bound", self.lower, lower)?;
        // What is proven of all points holds for this one, too.
        if at_x.violation == 0.0 && self.lower.max(lower) > upper {
            return Err(CertificateError::AboveValue { lower: self.lower.max(lower), value: upper });
        }
        Ok(Verified { lower, upper, violation: at_x.violation })
    }

    /// The lower bound that the witnesses prove, and what it was lowered by for rounding.
    pub(crate) fn recompute(&self, problem: &Problem) -> Result<(f64, f64), CertificateError> {
        if let Premise::Curvature { mu, radius } = self.premise {
            return curved::recompute(problem, &self.witnesses, mu, radius);
        }
        if let Premise::Enclosure { level, lower, upper } = &self.premise {
            enclosed::check(problem, &self.witnesses, self.lower, *level, [lower, upper])?;
        }
        self.bound(problem)
    }

    /// The same, where the premise has been checked.
    pub(crate) fn bound(&self, problem: &Problem) -> Result<(f64, f64), CertificateError> {
        let evidence = Evidence::of(problem, &self.witnesses, evidence::conjugate)?;
        let mut floor = Floor::new(problem, &self.premise);
        let mut end = vec![0.0; problem.dimension()];
        if self.curvature > 0.0 {
            return self.recompute_curved(&evidence, &floor, evidence.unit(problem));
        }
        let least = floor.at(&evidence.slope, &mut end);
        let sizes = [&evidence.magnitudes, &evidence.slope].map(|v| largest(v));
        let drowned = floor.is_without_premise()
            && is_drowned(evidence.unit(problem), sizes[0], sizes[1], evidence.objective);
        if !least.value.is_finite() || drowned {
            return Ok((f64::NEG_INFINITY, 0.0));
        }
        let mut magnitude = evidence.magnitude + least.magnitude + absolute_dot(&evidence.magnitudes, &end);
        magnitude += floor.reach(&mut evidence.magnitudes.clone(), &mut end);
        let slack = SLOPE_SLACK * absolute_dot(&evidence.slope, &evidence.reach);
        let rounding = evidence.unit(problem) * magnitude + slack;
        Ok((evidence.offset + least.value - rounding, rounding))
    }
}

impl Certificate {
    /// As [`Certificate::recompute`], with the strong convexity that the components claim.
    fn recompute_curved(
        &self,
        evidence: &Evidence,
        floor: &Floor<'_>,
        unit: f64,
    ) -> Result<(f64, f64), CertificateError> {
        let mu = evidence.curvature;
        refuse_unless(self.curvature <= mu * (1.0 + 1e-9), "the curvature", self.curvature, mu)?;
        let mut end = vec![0.0; evidence.slope.len()];
        let Some(least) = floor.curved(&evidence.curved_slope, mu, &mut end) else {
            return Ok((f64::NEG_INFINITY, 0.0));
        };
        let magnitude = evidence.magnitude
            + evidence.curved_magnitude
            + least.magnitude
            + absolute_dot(&evidence.magnitudes, &end)
            + absolute_dot(&evidence.curved_magnitudes, &end);
        let slack = SLOPE_SLACK * absolute_dot(&evidence.curved_slope, &evidence.reach);
        let rounding = unit * magnitude + slack;
        Ok((evidence.curved_offset + least.value - rounding, rounding))
    }
}

/// An error unless the claim holds; a comparison with a NaN does not.
fn refuse_unless(holds: bool, what: &'static str, claimed: f64, proven: f64) -> Result<(), CertificateError> {
    if holds { Ok(()) } else { Err(CertificateError::Claim { what, claimed, proven }) }
}
