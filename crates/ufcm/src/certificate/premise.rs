//! What a lower bound rests on besides the problem, and the minimum over x that it makes finite.

use super::error::{CertificateError, check_vector};
use super::ground::ball;
use super::rounding::{SLOPE_SLACK, absolute_dot, unit};
use super::upper::Upper;
use crate::budget::Budget;
use crate::linalg::{dot, norm};
use crate::oracle::{OracleError, Regulariser, Weight};
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

impl Premise {
    /// The strongest premise that the problem itself proves: a bounded domain, the level set of F(`x`), or none.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn implied(problem: &Problem, x: &[f64]) -> Result<Self, OracleError> {
        if all_finite(problem, STEEP) {
            return Ok(Self::BoundedDomain);
        }
        // A u that is flat in some direction bounds nothing there.
        let tau = if all_finite(problem, GENTLE) { level(problem, x)? } else { None };
        Ok(tau.map_or(Self::None, |tau| Self::LevelSet { start: x.to_vec(), tau }))
    }

    /// Checks that the premise holds for `problem`, as far as that can be checked: a radius is the user's word.
    pub(super) fn check(&self, problem: &Problem) -> Result<(), CertificateError> {
        match self {
            Self::None => Ok(()),
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

/// A lower bound of <slope, x> + u(x) over the x that the premise speaks of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloorValue {
    /// The bound, possibly -inf.
    pub value: f64,
    /// The sum of the absolute values of everything summed in it.
    pub magnitude: f64,
}

/// slope -> a lower bound of <slope, x> + u(x) over the x that a premise speaks of, with its storage.
pub struct Floor<'a> {
    regulariser: &'a dyn Regulariser,
    budget: &'a Budget,
    premise: &'a Premise,
    /// Another slope.
    other: Vec<f64>,
}

impl<'a> Floor<'a> {
    /// The floor of `problem` under `premise`. A premise of another dimension counts as none.
    #[must_use]
    pub fn new(problem: &'a Problem, premise: &'a Premise) -> Self {
        let fits = match premise {
            Premise::Radius { centre, .. } => centre.len() == problem.dimension(),
            _ => true,
        };
        let premise = if fits { premise } else { &Premise::None };
        let (regulariser, budget) = (problem.regulariser(), problem.budget());
        Self { regulariser, budget, premise, other: vec![0.0; problem.dimension()] }
    }

    /// What combining minorants may spend.
    pub(super) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// u.
    pub(super) fn regulariser(&self) -> &'a dyn Regulariser {
        self.regulariser
    }

    /// The floor at `slope`. Where a minimiser comes with it, it is written; else 0 is.
    pub fn at(&mut self, slope: &[f64], minimiser: &mut [f64]) -> FloorValue {
        let value = self.regulariser.min_linear(slope, Some(minimiser));
        if value.is_finite() && minimiser.iter().all(|x| x.is_finite()) {
            return FloorValue { value, magnitude: value.abs() + absolute_dot(slope, minimiser) };
        }
        minimiser.fill(0.0);
        match self.premise {
            // No lower bound of the objective speaks of a part of X alone.
            Premise::None | Premise::BoundedDomain | Premise::Reach { .. } => {
                FloorValue { value, magnitude: value.abs() }
            }
            Premise::LevelSet { tau, .. } => self.in_level_set(slope, *tau),
            Premise::Radius { centre, radius } => self.in_ball(slope, centre, *radius, minimiser),
        }
    }

    /// Whether slopes that differ from this one by rounding have a finite floor too: who checks the bound computes one of
    /// them. Only without a premise is there an edge beyond which the floor is -inf; a tenth of the slack is kept from it.
    pub(super) fn is_clear_of_the_edge(&mut self, slope: &[f64]) -> bool {
        match self.premise {
            Premise::None => self.shrunk(slope, 1.0 - 0.1 * SLOPE_SLACK) > f64::NEG_INFINITY,
            _ => true,
        }
    }

    /// Whether nothing but the slope itself keeps the minimum finite.
    pub(super) fn is_without_premise(&self) -> bool {
        matches!(self.premise, Premise::None | Premise::Reach { .. })
    }

    /// The minimum of <slope, x> + mu/2 |x|^2 + u(x) over X for mu > 0, which needs no premise, and its minimiser.
    ///
    /// `None` where the prox of u does not answer.
    pub(super) fn curved(&self, slope: &[f64], mu: f64, minimiser: &mut [f64]) -> Option<FloorValue> {
        minimiser.iter_mut().zip(slope).for_each(|(x, s)| *x = -s / mu);
        self.regulariser.prox(Weight::scalar(mu), minimiser).ok()?;
        let (u, square) = (self.regulariser.value(minimiser), 0.5 * mu * dot(minimiser, minimiser));
        let value = dot(slope, minimiser) + square + u;
        // Twice: once for this sum, once for what a minimiser that is off by rounding leaves in it.
        let magnitude = 2.0 * (absolute_dot(slope, minimiser) + square + u.abs());
        (value.is_finite() && magnitude.is_finite()).then_some(FloorValue { value, magnitude })
    }

    /// How large sum_i S_i |x_i| can be where the premise holds, as far as the two ends in the direction S = `magnitudes` >= 0
    /// tell: exact but for a factor 2 on boxes, balls, simplices and level sets of norms. 0 where an end is infinite.
    /// `magnitudes` is overwritten.
    pub(super) fn reach(&mut self, magnitudes: &mut [f64], minimiser: &mut [f64]) -> f64 {
        // A strongly convex u holds its minimisers: they move by no more than rounding, and one end was charged already.
        if self.regulariser.strong_convexity() > 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for _ in 0..2 {
            magnitudes.iter_mut().for_each(|s| *s = -*s);
            let end = self.at(magnitudes, minimiser);
            sum += if end.magnitude.is_finite() { end.magnitude } else { 0.0 };
        }
        sum
    }

    /// Where u <= tau: <s, x> + u(x) >= <s, x> + t u(x) - (t - 1) tau >= t min_linear(s/t) - (t - 1) tau for every t >= 1;
    /// the best t for a norm is its dual norm of s, the smallest for which the minimum is finite.
    fn in_level_set(&mut self, slope: &[f64], tau: f64) -> FloorValue {
        const LARGEST: f64 = 1e100;
        let mut high = 2.0;
        while self.shrunk(slope, high) == f64::NEG_INFINITY && high < LARGEST {
            high *= high;
        }
        let mut low = if high > 2.0 { high.sqrt() } else { 1.0 };
        // By the geometric mean while they are far apart; then 50 halvings reach the last digit.
        for _ in 0..60 {
            let middle = if high > 2.0 * low { (low * high).sqrt() } else { low.midpoint(high) };
            if middle <= low || middle >= high {
                break;
            }
            if self.shrunk(slope, middle) == f64::NEG_INFINITY {
                low = middle;
            } else {
                high = middle;
            }
        }
        // Slopes count as inside a dual ball up to this part of it.
        let t = high * (1.0 + SLOPE_SLACK);
        let (least, penalty) = (t * self.shrunk(slope, t), (t - 1.0) * tau.max(0.0));
        FloorValue { value: least - penalty, magnitude: least.abs() + t * tau.abs() }
    }

    /// min_linear(s / t)
    fn shrunk(&mut self, slope: &[f64], t: f64) -> f64 {
        self.other.iter_mut().zip(slope).for_each(|(other, s)| *other = s / t);
        self.regulariser.min_linear(&self.other, None)
    }

    /// Where |x - c| <= R: <s, x> + u(x) >= min_linear(p) + <s - p, c> - R |s - p| for every p. Taken are p = 0 and the
    /// slope nearest to s with a finite minimum, s + prox_u(-s) by Moreau, shrunk by rounding.
    fn in_ball(&mut self, slope: &[f64], centre: &[f64], radius: f64, minimiser: &mut [f64]) -> FloorValue {
        minimiser.iter_mut().zip(slope).for_each(|(x, s)| *x = -s);
        let nearest = self.regulariser.prox(Weight::scalar(1.0), minimiser).is_ok();
        for ((other, s), x) in self.other.iter_mut().zip(slope).zip(&*minimiser) {
            *other = if nearest { (s + x) * (1.0 - 4.0 * f64::EPSILON) } else { 0.0 };
        }
        let first = self.split(slope, centre, radius, minimiser);
        self.other.fill(0.0);
        let second = self.split(slope, centre, radius, minimiser);
        minimiser.fill(0.0);
        if first.value > second.value { first } else { second }
    }

    /// The bound of [`Floor::in_ball`] for p = `self.other`; `rest` is storage.
    fn split(&self, slope: &[f64], centre: &[f64], radius: f64, rest: &mut [f64]) -> FloorValue {
        let least = self.regulariser.min_linear(&self.other, None);
        rest.iter_mut().zip(slope).zip(&self.other).for_each(|((rest, s), p)| *rest = s - p);
        let reach = radius * norm(rest);
        let magnitude = least.abs() + reach + absolute_dot(rest, centre) + radius * norm(slope);
        FloorValue { value: least + dot(rest, centre) - reach, magnitude }
    }
}
