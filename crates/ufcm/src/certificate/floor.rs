//! The minimum over x that a premise makes finite.

use super::premise::Premise;
use super::rounding::{SLOPE_SLACK, absolute_dot};
use crate::budget::Budget;
use crate::linalg::{dot, norm};
use crate::oracle::{Regulariser, ScalarTerm, Weight};
use crate::problem::Problem;

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
    /// Another slope, and another point.
    other: Vec<f64>,
    spare: Vec<f64>,
}

impl<'a> Floor<'a> {
    /// The floor of `problem` under `premise`. A premise of another dimension counts as none.
    #[must_use]
    pub fn new(problem: &'a Problem, premise: &'a Premise) -> Self {
        let fits = match premise {
            Premise::Radius { centre, .. } => centre.len() == problem.dimension(),
            Premise::ImpliedBounds { lower, upper, .. } | Premise::Enclosure { lower, upper, .. } => {
                [lower.len(), upper.len()] == [problem.dimension(); 2]
            }
            _ => true,
        };
        let premise = if fits { premise } else { &Premise::None };
        let (regulariser, budget) = (problem.regulariser(), problem.budget());
        let zeros = vec![0.0; problem.dimension()];
        Self { regulariser, budget, premise, other: zeros.clone(), spare: zeros }
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
        if let Premise::ImpliedBounds { lower, upper, .. } | Premise::Enclosure { lower, upper, .. } =
            self.premise
        {
            return in_bounds(self.regulariser, [lower, upper], slope, minimiser);
        }
        let value = self.regulariser.min_linear(slope, Some(minimiser));
        if value.is_finite() && minimiser.iter().all(|x| x.is_finite()) {
            return FloorValue { value, magnitude: value.abs() + absolute_dot(slope, minimiser) };
        }
        minimiser.fill(0.0);
        match self.premise {
            // No lower bound of the objective speaks of a part of X alone.
            Premise::None
            | Premise::BoundedDomain
            | Premise::ImpliedBounds { .. }
            | Premise::Enclosure { .. }
            | Premise::Curvature { .. }
            | Premise::Reach { .. } => FloorValue { value, magnitude: value.abs() },
            Premise::LevelSet { tau, .. } => self.in_level_set(slope, *tau),
            Premise::Radius { centre, radius } => self.in_ball(slope, centre, *radius, minimiser),
        }
    }

    /// Whether slopes that differ from this one by rounding have a finite floor too: who checks the bound computes one of
    /// them. Only without a premise is there an edge beyond which the floor is -inf; a tenth of the slack is kept from it.
    pub(super) fn is_clear_of_the_edge(&mut self, slope: &[f64]) -> bool {
        let t = 1.0 - 0.1 * SLOPE_SLACK;
        match self.premise {
            Premise::None => self.shrunk(slope, t) > f64::NEG_INFINITY,
            premise @ Premise::ImpliedBounds { lower, upper, .. } if !premise.is_complete() => {
                self.other.iter_mut().zip(slope).for_each(|(other, s)| *other = s / t);
                let least = in_bounds(self.regulariser, [lower, upper], &self.other, &mut self.spare);
                least.value > f64::NEG_INFINITY
            }
            _ => true,
        }
    }

    /// Whether nothing but the slope itself keeps the minimum finite.
    pub(super) fn is_without_premise(&self) -> bool {
        matches!(self.premise, Premise::Reach { .. }) || !self.premise.is_complete()
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
        // Slopes count as inside a dual ball up to this part of it.
        let t = self.scale(slope) * (1.0 + SLOPE_SLACK);
        let (least, penalty) = (t * self.shrunk(slope, t), (t - 1.0) * tau.max(0.0));
        FloorValue { value: least - penalty, magnitude: least.abs() + t * tau.abs() }
    }

    /// The least t >= 1 for which min_linear(s / t) is finite, or one that is larger by rounding.
    fn scale(&mut self, slope: &[f64]) -> f64 {
        const LARGEST: f64 = 1e100;
        if let Some(norm) = self.regulariser.dual_norm(slope).filter(|norm| norm.is_finite()) {
            return norm.max(1.0);
        }
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
        high
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

/// The minimum of <slope, x> + u(x) over the x of X between bounds, and a minimiser; exact where u is a sum of laws of coordinates.
fn in_bounds(
    u: &dyn Regulariser,
    [lower, upper]: [&[f64]; 2],
    slope: &[f64],
    minimiser: &mut [f64],
) -> FloorValue {
    let (mut value, mut magnitude, mut separable) = (0.0, 0.0, true);
    for (i, s) in slope.iter().enumerate() {
        let own = u.scalar_term(i);
        separable &= own.is_some();
        let own = own.unwrap_or(ScalarTerm::ZERO);
        let term = ScalarTerm { lower: own.lower.max(lower[i]), upper: own.upper.min(upper[i]), ..own };
        let x = term.minimiser_of_linear(*s);
        let attained = x.is_finite();
        minimiser[i] = if attained { x } else { 0.0 };
        let least =
            if attained { s * x + own.value(x.max(own.lower).min(own.upper)) } else { f64::NEG_INFINITY };
        value += least;
        magnitude += (s * minimiser[i]).abs() + least.abs();
    }
    if separable && value.is_finite() {
        return FloorValue { value, magnitude };
    }
    // u apart from the slope, or u over all of X.
    minimiser.fill(0.0);
    let flat = if separable { f64::NEG_INFINITY } else { u.min_linear(minimiser, None) };
    let (apart, whole) = (value + flat, u.min_linear(slope, None));
    if whole >= apart {
        FloorValue { value: whole, magnitude: whole.abs() }
    } else {
        FloorValue { value: apart, magnitude: magnitude + flat.abs() }
    }
}
