//! The last minorants of a run and the best bound they prove together.
//!
//! With weights theta in the simplex, the minimum over x of sum theta_k m_k(x) + u(x) is a lower bound, where the minorants are
//! m_k(x) = offset_k + <slope_k, x> + mu_k/2 |x - y_k|^2, mu_k the strong convexity known (often 0). The best theta is the dual
//! solution of the small problem
//!
//! ```text
//! min over w  max over k   m_k(w)  + u(w)
//! ```
//!
//! which is the method's own model step without a proximal term, the max for h and the minorants for rows. So the model
//! step's Newton method solves it, by a few proximal steps of growing length, on tangents of the m_k at the centre; every
//! theta on the way proves a bound.

use super::evidence::Witness;
use super::minorant::{self, Linearisation};
use super::premise::Floor;
use super::rounding::{SLOPE_SLACK, absolute_dot, unit};
use super::slopes::Slopes;
use crate::certificate::tuning::lower_model::{ENOUGH, FIRST, GROWTH, NEWTON_STEPS, PROXIMAL_STEPS, STALLED};
use crate::composer::Max;
use crate::error::DataError;
use crate::linalg::{dot, norm};
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;
use crate::subproblem::{Accuracy, Solver, Subproblem};

/// A ring of minorants. All storage is made at construction.
///
/// ```
/// use ufcm::certificate::{Floor, LowerModel, Premise};
/// use ufcm::component::Quadratic;
/// use ufcm::metric::Metric;
/// use ufcm::method::{Adaptive, AdaptiveParameters};
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Bounds;
///
/// let objective = Quadratic::diagonal(vec![1.0, 3.0])?.with_linear(vec![-1.0, 1.0])?;
/// let problem = Problem::minimise(objective).within(Bounds::new(-2.0, 2.0)?).build()?;
/// let premise = Premise::implied(&problem, &[0.0, 0.0])?;
/// let mut floor = Floor::new(&problem, &premise);
/// let mut model = LowerModel::new(&problem, 20)?;
/// let parameters = AdaptiveParameters { eps: 1e-9, r: 1.0, l: 1.0 };
/// let mut method = Adaptive::new(&problem, &[0.0, 0.0], &[1.0], parameters, Metric::Scalar)?;
/// for _ in 0..30 {
///     method.step()?;
///     model.push(&method.linearisation())?;
/// }
/// let upper = problem.value(method.x())?;
/// let lower = model.bound(&mut floor, upper);
/// assert!(lower <= -2.0 / 3.0 && upper - lower < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LowerModel {
    n: usize,
    m: usize,
    /// How many minorants there are, and how many there ever were.
    count: usize,
    pushed: usize,
    slopes: Slopes,
    /// S of each minorant (see `rounding`).
    magnitudes: Vec<f64>,
    y: Vec<f64>,
    multipliers: Vec<f64>,
    offsets: Vec<f64>,
    sizes: Vec<f64>,
    /// mu of each minorant.
    curvatures: Vec<f64>,
    /// The slopes of the minorants at the centre of a proximal step.
    tangents: Slopes,
    /// Whether a minorant has been tried on its own.
    tried: Vec<bool>,
    max: Max,
    solver: Solver,
    /// The weights of the last proximal step, and those whose bound is being computed.
    theta: Vec<f64>,
    trial: Vec<f64>,
    /// Offsets, less a constant.
    shifted: Vec<f64>,
    /// Multipliers of a minorant that is not yet kept.
    projected: Vec<f64>,
    /// Vectors of n: the combined slope, a minimiser, the centre and the result of a proximal step.
    slope: Vec<f64>,
    minimiser: Vec<f64>,
    centre: Vec<f64>,
    w: Vec<f64>,
    best: Best,
}

/// The best bound with all that proves it.
struct Best {
    lower: f64,
    curvature: f64,
    theta: Vec<f64>,
    y: Vec<f64>,
    multipliers: Vec<f64>,
}

impl LowerModel {
    /// A model for `problem` that keeps the last `capacity` minorants.
    ///
    /// # Errors
    /// A capacity of 0.
    pub fn new(problem: &Problem, capacity: usize) -> Result<Self, DataError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let (by_variable, by_row) = (vec![0.0; capacity * n], vec![0.0; capacity * m]);
        let (scalars, variables) = (vec![0.0; capacity], vec![0.0; n]);
        Ok(Self {
            n,
            m,
            count: 0,
            pushed: 0,
            max: Max::new(capacity)?,
            slopes: Slopes { n, values: by_variable.clone() },
            magnitudes: by_variable.clone(),
            y: by_variable.clone(),
            multipliers: by_row.clone(),
            offsets: scalars.clone(),
            sizes: scalars.clone(),
            curvatures: scalars.clone(),
            tangents: Slopes { n, values: by_variable.clone() },
            tried: vec![false; capacity],
            solver: Solver::new(capacity, n),
            trial: scalars.clone(),
            shifted: scalars.clone(),
            projected: vec![0.0; m],
            theta: scalars.clone(),
            slope: variables.clone(),
            minimiser: variables.clone(),
            centre: variables.clone(),
            w: variables,
            best: Best {
                lower: f64::NEG_INFINITY,
                curvature: 0.0,
                theta: scalars,
                y: by_variable,
                multipliers: by_row,
            },
        })
    }

    /// Keeps the minorant of a linearisation in place of the oldest; answers whether it is one: whether its multipliers are
    /// in the domain of h*, nonnegative on curved rows, and everything is finite.
    ///
    /// # Errors
    /// An oracle that failed.
    pub fn push(&mut self, at: &Linearisation<'_>) -> Result<bool, OracleError> {
        let (n, m) = (self.n, self.m);
        OracleError::check_length("y", n, at.y.len())?;
        OracleError::check_length("values", m, at.values.len())?;
        OracleError::check_length("multipliers", m, at.multipliers.len())?;
        // Into scratch first: a minorant that is refused leaves the ring as it is.
        if !minorant::project(at.mapping, at.composer, at.multipliers, &mut self.projected)? {
            return Ok(false);
        }
        let at = Linearisation { multipliers: &self.projected, ..*at };
        let Some(offset) = minorant::assemble(&at, &mut self.slope, &mut self.minimiser, &mut self.w) else {
            return Ok(false);
        };
        let capacity = self.offsets.len();
        let slot = self.pushed % capacity;
        self.slopes.values[slot * n..][..n].copy_from_slice(&self.slope);
        self.magnitudes[slot * n..][..n].copy_from_slice(&self.minimiser);
        self.y[slot * n..][..n].copy_from_slice(at.y);
        self.multipliers[slot * m..][..m].copy_from_slice(&self.projected);
        self.offsets[slot] = offset.value;
        self.sizes[slot] = offset.magnitude;
        self.curvatures[slot] = offset.curvature;
        self.tried[slot] = false;
        self.pushed += 1;
        self.count = self.pushed.min(capacity);
        Ok(true)
    }

    /// The best lower bound of F found so far, now that the minorants have been combined; -inf if there is none. `upper`, an
    /// upper bound if one is known (else +inf), tells how much accuracy is worth while.
    ///
    /// Bounds never get worse: should the model step fail, the last one stands.
    pub fn bound(&mut self, floor: &mut Floor<'_>, upper: f64) -> f64 {
        for k in 0..self.count {
            if !self.tried[k] {
                self.tried[k] = true;
                self.trial.fill(0.0);
                self.trial[k] = 1.0;
                self.evaluate(floor);
            }
        }
        if self.count > 1 && upper > self.best.lower {
            self.combine(floor, upper);
        }
        self.best.lower
    }

    /// The best bound so far.
    #[must_use]
    pub fn lower(&self) -> f64 {
        self.best.lower
    }

    /// mu of the minorant that proves the best bound so far: 0 where it uses convexity alone.
    #[must_use]
    pub fn curvature(&self) -> f64 {
        self.best.curvature
    }

    /// What proves the best bound so far; nothing where there is none.
    #[must_use]
    pub fn witnesses(&self) -> Vec<Witness> {
        let (n, m, best) = (self.n, self.m, &self.best);
        let used = best.theta.iter().enumerate().filter(|(_, theta)| **theta > 0.0);
        used.map(|(k, &weight)| Witness {
            weight,
            y: best.y[k * n..][..n].to_vec(),
            multipliers: best.multipliers[k * m..][..m].to_vec(),
        })
        .collect()
    }

    /// Proximal steps on the small problem, from the newest y.
    fn combine(&mut self, floor: &mut Floor<'_>, upper: f64) {
        let newest = (self.pushed - 1) % self.offsets.len();
        self.centre.copy_from_slice(&self.y[newest * self.n..][..self.n]);
        self.fill_up(newest);
        let steepness = norm(self.slopes.row(newest)).max(f64::MIN_POSITIVE);
        let gap = upper - self.best.lower;
        // As long as it takes for a linear function of that slope to cross the gap.
        let length = if gap.is_finite() { gap / steepness } else { 1.0 + norm(&self.centre) };
        let mut a = (FIRST * length / steepness).clamp(1e-100, 1e100);
        self.theta.fill(0.0);
        self.theta[newest] = 1.0;
        for step in 0..PROXIMAL_STEPS {
            let before = self.best.lower;
            if self.proximal_step(floor, a).is_err() {
                return;
            }
            self.trial.copy_from_slice(&self.theta);
            self.evaluate(floor);
            // At any w the small problem's value is an upper bound of what can be proven.
            let highest = (0..self.count).map(|k| self.height(k, &self.w)).fold(f64::NEG_INFINITY, f64::max);
            let missed = highest + floor.regulariser().value(&self.w) - self.best.lower;
            let stalled = step > 2 && self.best.lower - before <= STALLED * missed;
            if stalled || missed <= ENOUGH * (upper.min(f64::MAX) - self.best.lower) {
                return;
            }
            self.centre.copy_from_slice(&self.w);
            a *= GROWTH;
        }
    }

    /// m_k(x)
    fn height(&self, k: usize, x: &[f64]) -> f64 {
        let square = |y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        let curved = match self.curvatures[k] {
            0.0 => 0.0,
            mu => 0.5 * mu * square(&self.y[k * self.n..][..self.n]),
        };
        self.offsets[k] + dot(self.slopes.row(k), x) + curved
    }

    /// Slots that are still empty repeat the newest minorant a step lower: they never count.
    fn fill_up(&mut self, newest: usize) {
        let n = self.n;
        for slot in self.count..self.offsets.len() {
            self.slopes.values.copy_within(newest * n..(newest + 1) * n, slot * n);
            self.y.copy_within(newest * n..(newest + 1) * n, slot * n);
            self.curvatures[slot] = self.curvatures[newest];
            self.offsets[slot] = self.offsets[newest] - (1.0 + self.offsets[newest].abs());
        }
    }

    /// theta and w of the small problem with a proximal term 1/(2a) |w - centre|^2, the minorants replaced by what they are
    /// at least: their tangents at the centre plus the least mu/2 |w - centre|^2.
    fn proximal_step(&mut self, floor: &Floor<'_>, a: f64) -> Result<(), OracleError> {
        let n = self.n;
        let mu = self.curvatures.iter().copied().fold(f64::INFINITY, f64::min);
        // theta does not feel a common constant, but rounding does: heights at the centre are measured from the highest.
        for k in 0..self.offsets.len() {
            self.shifted[k] = self.height(k, &self.centre);
        }
        let highest = self.shifted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = self.shifted[..self.count].iter().copied().fold(f64::INFINITY, f64::min);
        for k in 0..self.offsets.len() {
            let (curvature, y) = (self.curvatures[k], &self.y[k * n..][..n]);
            let tangent = self.tangents.row_mut(k);
            tangent.copy_from_slice(self.slopes.row(k));
            if curvature > 0.0 {
                let away = self.centre.iter().zip(y).map(|(c, y)| c - y);
                tangent.iter_mut().zip(away).for_each(|(t, away)| *t += curvature * away);
            }
            self.shifted[k] -= highest + dot(tangent, &self.centre);
        }
        let subproblem = Subproblem {
            mapping: &self.tangents,
            offset: &self.shifted,
            centre: &self.centre,
            weight: Weight::scalar(1.0 / a + mu),
            composer: &self.max,
            regulariser: floor.regulariser(),
            budget: floor.budget(),
        };
        let tolerance = 1e-9 * (highest - lowest);
        self.solver.solve(
            &subproblem,
            Accuracy::exact(tolerance),
            NEWTON_STEPS,
            &mut self.theta,
            &mut self.w,
        )?;
        Ok(())
    }

    /// Computes the bounds of the weights in `trial`, less rounding, and keeps the best.
    fn evaluate(&mut self, floor: &mut Floor<'_>) {
        self.trial[self.count..].fill(0.0);
        self.trial.iter_mut().for_each(|theta| *theta = theta.max(0.0));
        let total: f64 = self.trial.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return;
        }
        self.trial.iter_mut().for_each(|theta| *theta /= total);
        let offset = self.mix(0.0);
        let least = floor.at(&self.slope, &mut self.minimiser);
        if offset + least.value > self.best.lower && floor.is_clear_of_the_edge(&self.slope) {
            let rounding = self.rounding(floor, least.magnitude, 0.0);
            self.keep(offset + least.value - rounding, 0.0);
        }
        let mu: f64 = self.trial.iter().zip(&self.curvatures).map(|(theta, mu)| theta * mu).sum();
        if mu > 0.0 {
            let offset = self.mix(1.0);
            let Some(least) = floor.curved(&self.slope, mu, &mut self.minimiser) else { return };
            if offset + least.value > self.best.lower {
                let rounding = self.rounding(floor, least.magnitude, 1.0);
                self.keep(offset + least.value - rounding, mu);
            }
        }
    }

    /// Writes the slope at 0 of sum theta_k (offset_k + <slope_k, x> + `share` mu_k/2 |x - y_k|^2) and returns its value there.
    fn mix(&mut self, share: f64) -> f64 {
        self.slope.fill(0.0);
        let mut offset = 0.0;
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            let (theta, mu, y) = (self.trial[k], share * self.curvatures[k], &self.y[k * self.n..][..self.n]);
            offset += theta * (self.offsets[k] + 0.5 * mu * dot(y, y));
            let parts = self.slope.iter_mut().zip(self.slopes.row(k)).zip(y);
            parts.for_each(|((sum, s), y)| *sum += theta * (s - mu * y));
        }
        offset
    }

    /// How far rounding may have moved the bound of `trial`, with `slope` and `minimiser` as `evaluate` left them.
    fn rounding(&mut self, floor: &mut Floor<'_>, least: f64, share: f64) -> f64 {
        let n = self.n;
        let (mut magnitude, mut slack) = (least, 0.0);
        let witnesses = self.trial.iter().filter(|theta| **theta > 0.0).count();
        let unit = unit(n, self.m + witnesses);
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            let (theta, magnitudes, y) =
                (self.trial[k], &self.magnitudes[k * n..][..n], &self.y[k * n..][..n]);
            let mu = share * self.curvatures[k];
            magnitude += theta
                * (self.sizes[k] + absolute_dot(magnitudes, y) + absolute_dot(magnitudes, &self.minimiser));
            magnitude += theta * mu * (2.0 * dot(y, y) + absolute_dot(y, &self.minimiser));
            slack += theta * absolute_dot(&self.slope, y);
        }
        // Curvature holds the minimiser as a strongly convex u does.
        if share == 0.0 {
            self.slope.fill(0.0);
            for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
                let magnitudes = &self.magnitudes[k * n..][..n];
                self.slope.iter_mut().zip(magnitudes).for_each(|(sum, s)| *sum += self.trial[k] * s);
            }
            magnitude += floor.reach(&mut self.slope, &mut self.minimiser);
        }
        // Once for what was computed here, once for what whoever checks it computes.
        2.0 * unit * magnitude + SLOPE_SLACK * slack
    }

    /// Keeps the bound of `trial` if it is the best.
    fn keep(&mut self, lower: f64, curvature: f64) {
        if lower.is_nan() || lower <= self.best.lower {
            return;
        }
        let (n, m) = (self.n, self.m);
        (self.best.lower, self.best.curvature) = (lower, curvature);
        self.best.theta.copy_from_slice(&self.trial);
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            self.best.y[k * n..][..n].copy_from_slice(&self.y[k * n..][..n]);
            self.best.multipliers[k * m..][..m].copy_from_slice(&self.multipliers[k * m..][..m]);
        }
    }
}
