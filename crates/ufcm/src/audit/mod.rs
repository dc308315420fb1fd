//! Audits of users' oracles: does the gradient belong to the value, is the function convex, is the prox a prox?
//!
//! An audit evaluates an oracle at random points and holds it to the laws that every right oracle obeys. What is
//! broken comes back as [`Finding`]s, each with a witness. An empty list is no proof, but the laws are chosen so
//! that the usual mistakes cannot hide: a wrong sign, scale, index or entry, a stale buffer, a nonconvex term.
//!
//! The laws are inequalities that hold *exactly* for convex functions, smooth or not, at any scale; they are
//! tested up to the rounding that the audit measures at each point, so kinks and bad scaling raise no alarm.
//! Later checks trust earlier ones: where a gradient is wrong, nothing is said of what follows from it.
//!
//! ```
//! use ufcm::audit::{self, AuditOptions, Check};
//! use ufcm::oracle::{Component, OracleError};
//!
//! /// |x|^2 / 2 with the gradient of |x|^2.
//! struct Forgetful;
//!
//! impl Component for Forgetful {
//!     fn kind(&self) -> &'static str { "half square" }
//!     fn dimension(&self) -> usize { 3 }
//!     fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
//!         if let Some(gradient) = gradient {
//!             for (g, x) in gradient.iter_mut().zip(x) { *g = 2.0 * x; }
//!         }
//!         Ok(x.iter().map(|x| x * x / 2.0).sum())
//!     }
//! }
//!
//! let findings = audit::component(&Forgetful, &AuditOptions::default())?;
//! assert!(findings.iter().any(|finding| finding.check == Check::Gradient));
//! # Ok::<(), ufcm::error::DataError>(())
//! ```

mod claims;
mod component;
mod composer;
mod convexity;
mod curvature;
mod derivative;
mod finding;
mod gradient;
mod lanczos;
mod limited;
mod operator;
mod pairs;
mod prox;
mod regulariser;
mod spot;

pub use finding::{Check, Finding, Role};
pub(crate) use operator::rows as products;
pub(crate) use spot::{Places, spot};

use crate::budget::Budget;
use crate::error::{DataError, check_finite, check_length, check_positive};
use crate::oracle::{Component, Composer, LinearOperator, Regulariser};
use crate::random::Random;

/// Where an audit looks, and how hard.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditOptions {
    /// The seed of the random points: the same seed makes the same audit.
    pub seed: u64,
    /// The number of random points.
    pub points: usize,
    /// Be content with about 50 evaluations of a component, at 3 points and few coordinates, instead of some
    /// thousand. Always so for components of many variables or known to be costly.
    pub quick: bool,
    /// The coordinates of the points are the centre's plus normal variates of at most this standard deviation.
    /// Oracles need not make sense far outside.
    pub radius: f64,
    /// The centre of the points, itself the first of them; the origin (and not itself a point) if `None`.
    pub centre: Option<Vec<f64>>,
    /// The relative error that counts as right: how exact the oracles mean to be.
    pub tolerance: f64,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self { seed: 0, points: 12, quick: false, radius: 1.0, centre: None, tolerance: 1e-6 }
    }
}

/// The number of variables above which every audit is a quick one.
const MANY_VARIABLES: usize = 2_000;

/// The number of floating-point operations of an evaluation above which the audit of a component is a quick one.
const COSTLY: u64 = 10_000_000;

impl AuditOptions {
    fn check(&self, n: usize) -> Result<(), DataError> {
        const OBJECT: &str = "audit options";
        check_positive(OBJECT, "radius", self.radius)?;
        check_positive(OBJECT, "tolerance", self.tolerance)?;
        if let Some(centre) = &self.centre {
            check_length(OBJECT, "centre", n, centre.len())?;
            check_finite(OBJECT, "centre", centre)?;
        }
        Ok(())
    }

    /// Whether to be quick with an oracle of n variables.
    fn is_quick(&self, n: usize) -> bool {
        self.quick || n > MANY_VARIABLES
    }

    /// The number of points; two at least, since most laws speak of pairs.
    fn points(&self, quick: bool) -> usize {
        if quick { self.points.clamp(2, 3) } else { self.points.max(2) }
    }

    /// centre + `spread` radius times a normal vector.
    fn point(&self, random: &mut Random, n: usize, spread: f64) -> Vec<f64> {
        let mut x = random.normals(n);
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.centre.as_ref().map_or(0.0, |c| c[i]) + spread * self.radius * *x;
        }
        x
    }
}

/// Audits a component: its answers, gradient, convexity, and whatever else it declares to know.
///
/// # Errors
/// Options that make no sense for it: a centre of another length, a radius that is not positive.
pub fn component(oracle: &dyn Component, options: &AuditOptions) -> Result<Vec<Finding>, DataError> {
    options.check(oracle.dimension())?;
    Ok(component::audit(oracle, options))
}

/// As [`component()`], within a budget that is asked before every evaluation.
///
/// ```
/// use ufcm::audit::{self, AuditOptions};
/// use ufcm::budget::Budget;
/// use ufcm::component::Linear;
///
/// let budget = Budget::unlimited();
/// let linear = Linear::new(vec![1.0, 2.0], 0.0)?;
/// assert!(audit::component_within(&linear, &AuditOptions::default(), &budget)?.is_empty());
/// budget.stop_flag().raise();
/// let stopped = audit::component_within(&linear, &AuditOptions::default(), &budget);
/// assert_eq!(stopped.unwrap_err().to_string(), "audit: stopped on request");
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
///
/// # Errors
/// As [`component()`], and the budget: an audit that was stopped has found nothing.
pub fn component_within(
    oracle: &dyn Component,
    options: &AuditOptions,
    budget: &Budget,
) -> Result<Vec<Finding>, DataError> {
    let findings = component(&limited::Limited { component: oracle, budget }, options)?;
    budget.ask().map_err(|stop| DataError::oracle("audit", stop.into()))?;
    Ok(findings)
}

/// Audits a composer: value and conjugate, the prox of the conjugate and its Jacobian, and what it declares.
///
/// The options' centre and radius are about rows z as well as about multipliers.
///
/// # Errors
/// As [`component()`].
pub fn composer(oracle: &dyn Composer, options: &AuditOptions) -> Result<Vec<Finding>, DataError> {
    options.check(oracle.rows())?;
    Ok(composer::audit(oracle, options))
}

/// Audits a regulariser of `n` variables: value, prox, its Jacobian, and the minimum of linear functions.
///
/// # Errors
/// As [`component()`]; and an `n` that is not the regulariser's own.
pub fn regulariser(
    oracle: &dyn Regulariser,
    n: usize,
    options: &AuditOptions,
) -> Result<Vec<Finding>, DataError> {
    check_length("audit of a regulariser", "the vector of variables", oracle.dimension().unwrap_or(n), n)?;
    options.check(n)?;
    Ok(regulariser::audit(oracle, n, options))
}

/// Audits a matrix that is known by its products: both linear, one the transpose of the other.
///
/// ```
/// use ufcm::audit::{self, AuditOptions, Check};
/// use ufcm::oracle::LinearOperator;
///
/// /// x -> (x_0, x_0 + x_1) with a transpose that forgets the second row.
/// struct Sums;
///
/// impl LinearOperator for Sums {
///     fn kind(&self) -> &'static str { "sums" }
///     fn rows(&self) -> usize { 2 }
///     fn columns(&self) -> usize { 2 }
///     fn apply(&self, x: &[f64], out: &mut [f64]) { out.copy_from_slice(&[x[0], x[0] + x[1]]); }
///     fn apply_transpose(&self, l: &[f64], out: &mut [f64]) { out.copy_from_slice(&[l[0], l[1]]); }
/// }
///
/// let findings = audit::operator(&Sums, &AuditOptions::default())?;
/// assert!(findings.iter().any(|finding| finding.check == Check::Adjoint));
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
///
/// # Errors
/// As [`component()`].
pub fn operator(oracle: &dyn LinearOperator, options: &AuditOptions) -> Result<Vec<Finding>, DataError> {
    options.check(oracle.columns())?;
    Ok(operator::audit(oracle, options))
}

/// <a, b>.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// |a - b|.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// x + h d.
fn shifted(x: &[f64], h: f64, d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + h * d).collect()
}

/// The i-th unit vector.
fn unit(n: usize, i: usize) -> Vec<f64> {
    let mut e = vec![0.0; n];
    e[i] = 1.0;
    e
}

/// The entry of largest size.
fn largest(v: impl IntoIterator<Item = f64>) -> f64 {
    v.into_iter().fold(0.0, |m, v| m.max(v.abs()))
}
