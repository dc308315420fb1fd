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

mod bounds;
mod combine;

use super::evidence::Witness;
use super::floor::Floor;
use super::minorant::{self, Linearisation};
use super::rounding::largest;
use super::slopes::Slopes;
use crate::error::DataError;
use crate::oracle::{MinorantSums, OracleError};
use crate::problem::Problem;
use crate::subproblem::Solver;

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
    /// The largest entry of sum_j |l_j J_ji| over the rows of the objective, of each minorant; which rows are not; storage.
    objectives: Vec<f64>,
    is_constraint: Vec<bool>,
    own: Vec<f64>,
    own_slope: Vec<f64>,
    /// The slopes of the minorants at the centre of a proximal step.
    tangents: Slopes,
    /// Whether a minorant has been tried on its own.
    tried: Vec<bool>,
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
    operations: f64,
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
        // Each zeroed by itself: memory that is not written is not even fetched then, which copies of zeros would be.
        let (by_variable, by_row) = (|| vec![0.0; capacity * n], || vec![0.0; capacity * m]);
        let (scalars, variables) = (|| vec![0.0; capacity], || vec![0.0; n]);
        let mut is_constraint = vec![false; m];
        for (rows, _) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            is_constraint[rows].fill(true);
        }
        Ok(Self {
            n,
            m,
            count: 0,
            pushed: 0,
            slopes: Slopes { n, count: 0, values: by_variable() },
            magnitudes: by_variable(),
            y: by_variable(),
            multipliers: by_row(),
            offsets: scalars(),
            sizes: scalars(),
            curvatures: scalars(),
            objectives: scalars(),
            is_constraint,
            own: vec![0.0; m],
            own_slope: variables(),
            tangents: Slopes { n, count: 0, values: by_variable() },
            tried: vec![false; capacity],
            solver: Solver::new(capacity, n),
            trial: scalars(),
            shifted: scalars(),
            projected: vec![0.0; m],
            theta: scalars(),
            slope: variables(),
            minimiser: variables(),
            centre: variables(),
            w: variables(),
            best: Best {
                lower: f64::NEG_INFINITY,
                curvature: 0.0,
                theta: scalars(),
                y: by_variable(),
                multipliers: by_row(),
            },
            operations: 0.0,
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
        self.own.copy_from_slice(at.multipliers);
        self.own.iter_mut().zip(&self.is_constraint).filter(|(_, is)| **is).for_each(|(l, _)| *l = 0.0);
        self.centre.fill(0.0);
        self.own_slope.fill(0.0);
        let (slope, slope_sizes) = (&mut self.centre[..], &mut self.own_slope[..]);
        let mut sums = MinorantSums { offset: 0.0, offset_size: 0.0, slope, slope_sizes };
        at.mapping.add_minorant(at.y, at.values, &self.own, &mut sums, &mut self.w);
        self.objectives[slot] = largest(&self.own_slope);
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
        (self.slopes.count, self.tangents.count) = (self.count, self.count);
        Ok(true)
    }

    /// The best lower bound of F found so far, now that the minorants have been combined; -inf if there is none. `upper`, an
    /// upper bound if one is known (else +inf), tells how much accuracy is worth while.
    ///
    /// Bounds never get worse: should the model step fail, the last one stands.
    pub fn bound(&mut self, floor: &mut Floor<'_>, upper: f64) -> f64 {
        self.bound_alone(floor);
        if self.count > 1 && upper > self.best.lower {
            self.combine(floor, upper);
        }
        self.best.lower
    }

    /// The same from each minorant alone, in some operations for each variable.
    pub(crate) fn bound_alone(&mut self, floor: &mut Floor<'_>) -> f64 {
        for k in 0..self.count {
            if !self.tried[k] {
                self.tried[k] = true;
                self.trial.fill(0.0);
                self.trial[k] = 1.0;
                self.evaluate(floor);
            }
        }
        self.best.lower
    }

    /// Operations that combinations have taken, about.
    pub(crate) fn operations(&self) -> f64 {
        self.operations
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
            own: false,
        })
        .collect()
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
