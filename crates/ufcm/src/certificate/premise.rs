//! What a lower bound rests on besides the problem.

use super::error::{CertificateError, check_vector};
use super::ground::ball;
use super::implied::{ImpliedBounds, implied_bounds};
use super::rounding::unit;
use super::upper::Upper;
use crate::linalg::norm;
use crate::oracle::OracleError;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a lower bound takes for granted.
///
/// ```
/// use ufcm::certificate::Premise;
/// use ufcm::component::LeastSquares;
/// use ufcm::matrix::Matrix;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::L1;
///
/// let data = Matrix::row_major(1, 2, vec![1.0, 2.0])?;
/// let problem = Problem::minimise(LeastSquares::new(data, vec![3.0])?).regularised_by(L1::new(0.5)?).build()?;
/// let premise = Premise::implied(&problem, &[0.0, 0.0])?;
/// assert!(matches!(premise, Premise::LevelSet { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Premise {
    /// Nothing: the bound is finite where <slope, x> + u(x) happens to be bounded below.
    None,
    /// Nothing either: X is bounded or u outgrows every linear function, so that every slope has a finite minimum.
    BoundedDomain,
    /// Solutions are no worse than `start`, so that u is at most tau = F(start) - inf (g_0 + h(g)) there.
    LevelSet {
        /// A point where F is finite.
        start: Vec<f64>,
        /// What u is at most.
        tau: f64,
    },
    /// Nothing is taken for granted: constraints, and X, bound the variables.
    ImpliedBounds {
        /// The smallest that each variable can be, possibly -inf, ...
        #[serde(with = "crate::serde_infinity::vector")]
        lower: Vec<f64>,
        /// ... and the largest, possibly inf.
        #[serde(with = "crate::serde_infinity::vector")]
        upper: Vec<f64>,
        /// The names of the rows that they follow from.
        rows: Vec<String>,
    },
    /// Nothing is taken for granted: for the multipliers of the one witness, the Lagrangian is mu-strongly convex within `radius` of
    /// its y, and that holds the minimum.
    Curvature {
        /// mu
        mu: f64,
        /// How far around y it is so curved, possibly inf.
        #[serde(with = "crate::serde_infinity")]
        radius: f64,
    },
    /// Nothing is taken for granted: every x of X with F(x) <= `level`, which is no less than the bound, lies in a box, as the one
    /// witness shows.
    Enclosure {
        /// F of the answer, about.
        level: f64,
        /// The smallest that each variable can be there, ...
        lower: Vec<f64>,
        /// ... and the largest.
        upper: Vec<f64>,
    },
    /// A solution lies within `radius` of `centre`: the user says so.
    Radius {
        /// The centre.
        centre: Vec<f64>,
        /// The radius.
        radius: f64,
    },
    /// Nothing is taken for granted, but all that is said is said of x with |x_i - centre_i| <= reach_i, a box that the solver chose:
    /// for proofs of infeasibility where rounding leaves a slope in an unbounded domain.
    Reach {
        /// The centre.
        centre: Vec<f64>,
        /// How far it reaches in each variable.
        reach: Vec<f64>,
    },
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "no premise"),
            Self::BoundedDomain => {
                write!(f, "no premise: the domain is bounded or the regulariser grows fast")
            }
            Self::LevelSet { tau, .. } => {
                write!(f, "level set of the starting point: the regulariser is at most {tau:e} there")
            }
            Self::ImpliedBounds { rows, .. } => {
                write!(f, "no premise: the variables are bounded by {}", listed(rows))
            }
            Self::Curvature { mu, radius } if radius.is_finite() => {
                write!(f, "no premise: the components are curved by {mu:e} within {radius:e} of the answer")
            }
            Self::Curvature { mu, .. } => write!(f, "no premise: the components are curved by {mu:e}"),
            Self::Enclosure { lower, upper, .. } => {
                let widest =
                    lower.iter().zip(upper).fold(0.0f64, |widest, (low, high)| widest.max(high - low));
                write!(f, "no premise: points that are no worse than the answer are within {widest:e} of it")
            }
            Self::Radius { centre, radius } => f.write_str(&ball(centre, *radius)),
            Self::Reach { reach, .. } => {
                let least = reach.iter().copied().fold(f64::INFINITY, f64::min);
                write!(
                    f,
                    "no premise, but it speaks of points within {least:e} of where the run was, no farther"
                )
            }
        }
    }
}

/// The first few names.
fn listed(rows: &[String]) -> String {
    const MOST: usize = 3;
    let names = rows.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    match rows.len() {
        0 => "the domain".to_owned(),
        count if count > MOST => format!("{names} and {} more rows", count - MOST),
        _ => names,
    }
}

/// Slopes steeper and gentler than the growth of any norm in use.
const STEEP: f64 = 1e60;
const GENTLE: f64 = 1e-60;

/// Whether slopes of this size, up and down, have a finite minimum. Their entries are all different and none is 0, so that
/// each coordinate speaks for itself.
fn all_finite(problem: &Problem, size: f64) -> bool {
    let n = problem.dimension();
    let slope =
        |sign: f64| -> Vec<f64> { (0..n).map(|i| sign * size * (1.0 + i as f64 / n as f64)).collect() };
    [1.0, -1.0].iter().all(|&sign| problem.regulariser().min_linear(&slope(sign), None).is_finite())
}

/// Whether X is bounded, or u outgrows every linear function.
pub(crate) fn is_bounded(problem: &Problem) -> bool {
    all_finite(problem, STEEP)
}

impl Premise {
    /// The strongest premise that the problem itself proves: bounds of all variables that follow from constraints, a bounded
    /// domain, the level set of F(`x`), bounds of some variables, or none.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x` or at 0.
    pub fn implied(problem: &Problem, x: &[f64]) -> Result<Self, OracleError> {
        let bounds = Self::of_rows(problem)?;
        if let Some(bounds) = bounds.as_ref().filter(|bounds| bounds.is_complete()) {
            return Ok(bounds.clone());
        }
        if all_finite(problem, STEEP) {
            return Ok(Self::BoundedDomain);
        }
        // A u that is flat in some direction bounds nothing there.
        let tau = if all_finite(problem, GENTLE) { level(problem, x)? } else { None };
        let level_set = tau.map(|tau| Self::LevelSet { start: x.to_vec(), tau });
        Ok(level_set.or(bounds).unwrap_or(Self::None))
    }

    /// The bounds that constraints imply.
    pub(super) fn of_rows(problem: &Problem) -> Result<Option<Self>, OracleError> {
        let named = |ImpliedBounds { lower, upper, rows }: ImpliedBounds| {
            let rows = rows.iter().map(|row| problem.row_names()[*row].clone()).collect();
            Self::ImpliedBounds { lower, upper, rows }
        };
        Ok(implied_bounds(problem)?.map(named))
    }

    /// Its name, for programs: `none`, `bounded domain`, `level set`, `implied bounds`, `curvature`, `enclosure`, `radius`, `reach`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::BoundedDomain => "bounded domain",
            Self::LevelSet { .. } => "level set",
            Self::ImpliedBounds { .. } => "implied bounds",
            Self::Curvature { .. } => "curvature",
            Self::Enclosure { .. } => "enclosure",
            Self::Radius { .. } => "radius",
            Self::Reach { .. } => "reach",
        }
    }

    /// Whether it makes the minimum of every linear function finite.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        match self {
            Self::None => false,
            Self::ImpliedBounds { lower, upper, .. } => lower.iter().chain(upper).all(|b| b.is_finite()),
            _ => true,
        }
    }

    /// Checks that the premise holds for `problem`, as far as that can be checked: a radius is the user's word.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), CertificateError> {
        match self {
            // Curvature and boxes are checked with their witness.
            Self::None | Self::Curvature { .. } | Self::Enclosure { .. } => Ok(()),
            Self::BoundedDomain if all_finite(problem, STEEP) => Ok(()),
            Self::BoundedDomain => {
                Err(CertificateError::Premise("the domain is not bounded, and the regulariser grows slowly"))
            }
            Self::LevelSet { start, tau } => {
                check_vector("the start of the level set", problem.dimension(), start)?;
                let proven = level(problem, start)?;
                let proven =
                    proven.ok_or(CertificateError::Premise("no level of u follows from the start"))?;
                // Written so that a NaN is refused.
                if *tau >= proven { Ok(()) } else { Err(CertificateError::Premise("tau is too small")) }
            }
            Self::ImpliedBounds { lower, upper, .. } => check_bounds(problem, lower, upper),
            Self::Radius { centre, radius } => {
                check_vector("the centre", problem.dimension(), centre)?;
                let sound = radius.is_finite() && *radius >= 0.0;
                if sound { Ok(()) } else { Err(CertificateError::Premise("the radius is no radius")) }
            }
            Self::Reach { centre, reach } => {
                check_vector("the centre", problem.dimension(), centre)?;
                check_vector("the reach", problem.dimension(), reach)?;
                let sound = reach.iter().all(|r| *r >= 0.0);
                if sound { Ok(()) } else { Err(CertificateError::Premise("the reach is no reach")) }
            }
        }
    }
}

/// Checks bounds that a certificate states against those that follow from the problem.
fn check_bounds(problem: &Problem, lower: &[f64], upper: &[f64]) -> Result<(), CertificateError> {
    const REFUSED: CertificateError =
        CertificateError::Premise("the bounds do not follow from the constraints");
    let proven = implied_bounds(problem)?.ok_or(REFUSED)?;
    if [lower.len(), upper.len()] != [problem.dimension(); 2] {
        return Err(CertificateError::Premise("the bounds are not as many as the variables"));
    }
    // Written so that a NaN is refused.
    let below = lower.iter().zip(&proven.lower).all(|(stated, proven)| stated <= proven);
    let above = upper.iter().zip(&proven.upper).all(|(stated, proven)| stated >= proven);
    if below && above { Ok(()) } else { Err(REFUSED) }
}

/// How far outside the ball of a premise a point may lie by rounding, relative to the sizes in it.
const BALL_ROUNDING: f64 = 1e-9;

impl Premise {
    /// Checks that the point of a certificate lies where the premise says that a solution is.
    pub(crate) fn check_point(&self, x: &[f64]) -> Result<(), CertificateError> {
        let Self::Radius { centre, radius } = self else { return Ok(()) };
        let away: Vec<f64> = x.iter().zip(centre).map(|(x, c)| x - c).collect();
        let (distance, radius) = (norm(&away), *radius);
        let rounding = BALL_ROUNDING * radius + f64::EPSILON * (norm(x) + norm(centre));
        // Written so that a NaN is refused.
        if distance <= radius + rounding {
            Ok(())
        } else {
            Err(CertificateError::OutsideRadius { distance, radius })
        }
    }
}

/// tau = F(x) - inf (g_0 + h(g)), rounded up, where the components' lower bounds give that infimum.
fn level(problem: &Problem, x: &[f64]) -> Result<Option<f64>, OracleError> {
    let upper = Upper::at(problem, x)?;
    let floor = composite_floor(problem);
    let tau = floor.map(|CompositeFloor { value, magnitude, .. }| {
        let rounding = unit(problem.dimension(), problem.rows()) * (magnitude + upper.objective.abs());
        upper.value() + upper.rounding - value + rounding
    });
    Ok(tau.filter(|tau| tau.is_finite()))
}

/// A lower bound of F that needs no minorant, less its rounding: what the components and u say of themselves. -inf where they
/// say nothing.
pub(crate) fn own_floor(problem: &Problem) -> f64 {
    let Some(CompositeFloor { value, magnitude, .. }) = composite_floor(problem) else {
        return f64::NEG_INFINITY;
    };
    let least = problem.regulariser().min_linear(&vec![0.0; problem.dimension()], None);
    value + least - unit(problem.dimension(), problem.rows()) * (magnitude + least.abs())
}

/// The multipliers behind [`own_floor`], if it is finite.
pub(crate) fn own_multipliers(problem: &Problem) -> Option<Vec<f64>> {
    composite_floor(problem).map(|floor| floor.multipliers)
}

/// A lower bound of g_0 + h(g), the sum of the absolute values in it, and its multipliers.
struct CompositeFloor {
    value: f64,
    magnitude: f64,
    multipliers: Vec<f64>,
}

/// sum_j l_j inf g_j - h*(l) for multipliers l >= 0 that vanish on rows without a lower bound.
fn composite_floor(problem: &Problem) -> Option<CompositeFloor> {
    let composer = problem.composer();
    let bounds: Vec<Option<f64>> =
        (0..problem.rows()).map(|row| problem.component(row).and_then(|g| g.lower_bound())).collect();
    // Where h is nondecreasing a row far below 0 gets no multiplier; elsewhere, the middle is a better guess.
    let guess = |row: usize| if composer.is_nondecreasing(row) { -f64::MAX.sqrt() } else { 0.0 };
    let z: Vec<f64> = bounds.iter().enumerate().map(|(row, b)| b.unwrap_or_else(|| guess(row))).collect();
    let mut multipliers = vec![0.0; z.len()];
    composer.multipliers_at(&z, &mut multipliers);
    let conjugate = composer.conjugate(&multipliers);
    let (mut value, mut magnitude) = (-conjugate, conjugate.abs());
    for (l, bound) in multipliers.iter().zip(&bounds).filter(|(l, _)| **l != 0.0) {
        let term = l * bound.filter(|_| *l > 0.0)?;
        value += term;
        magnitude += term.abs();
    }
    magnitude.is_finite().then_some(CompositeFloor { value, magnitude, multipliers })
}
