//! The restarted primal-dual method, for many affine rows: two products with the matrix for each step, nothing else.
//!
//! ```text
//! T(x, l):  x+ = prox_{u, W}(x - W^-1 J(x)'l)                       W = (L + omega |A^|) D^-1
//!           l+ = prox_{h*, V}(l + V^-1 (2 g(x+) - g(x)))            V = (|A^| / omega) E^-1
//! z_k+1   = (k+1)/(k+2) (z_k + delta (T(z_k) - z_k)) + 1/(k+2) z_0
//! ```
//!
//! That is Halpern's iteration on the (reflected) operator of Chambolle and Pock, or of Condat and Vu where the objective is
//! curved; z_0, the anchor, moves to T(z_k) once the fixed-point residual |z - T(z)|_P has fallen enough. There the primal
//! weight omega moves to the ratio of the distances travelled, in logarithms half way. D and E precondition (`scaling`), A^ is
//! the matrix so scaled, and L the Lipschitz constant of the curved rows' gradient: T is averaged with these weights.
//!
//! All rows whose multipliers move must be affine. With nothing curved this is a restarted primal-dual LP solver.

mod aim;
mod kkt;
mod scaling;
mod seam;
mod state;

pub use aim::Aim;
pub use kkt::Kkt;

use super::StepError;
use super::seam::Step;
use super::start::{check_multipliers, check_x};
use crate::budget::{Activity, Budget};
use crate::error::DataError;
use crate::halpern::{Halpern, balanced};
use crate::linalg::norm_of;
use crate::method::tuning::primal_dual::{ITERATIONS, RAISE, ROUNDING, SAFETY};
use crate::oracle::{Composer, Mapping, OracleError, Weight};
use crate::problem::Problem;
use crate::report::Counts;
use scaling::Scaling;
use std::ops::Range;

const KIND: &str = "primal-dual method";

/// z = (x, l) with g(x) and J(x)'l.
#[derive(Clone)]
struct Point {
    x: Vec<f64>,
    l: Vec<f64>,
    values: Vec<f64>,
    slope: Vec<f64>,
}

impl Point {
    fn copy_from(&mut self, other: &Self) {
        self.x.copy_from_slice(&other.x);
        self.l.copy_from_slice(&other.l);
        self.values.copy_from_slice(&other.values);
        self.slope.copy_from_slice(&other.slope);
    }
}

/// delta: T is averaged with 1/2, with 2/3 where the objective is curved.
fn relaxation(curved: bool) -> f64 {
    if curved { 1.5 } else { 2.0 }
}

/// What one application of T shows.
struct Movement {
    /// |z - T(z)|_P
    residual: f64,
    /// |A^| is at least this.
    norm: f64,
    /// L is at least this.
    curvature: f64,
}

/// Two points, the later first, whose difference may be a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Displacement<'a> {
    /// In x.
    pub x: [&'a [f64]; 2],
    /// In the multipliers.
    pub l: [&'a [f64]; 2],
}

/// The restarted primal-dual method in the making: every buffer lives here.
///
/// ```
/// use ufcm::component::Linear;
/// use ufcm::mapping::Affine;
/// use ufcm::matrix::Matrix;
/// use ufcm::method::PrimalDual;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Bounds;
///
/// // min -x_0 - 2 x_1 subject to x_0 + x_1 <= 1, x >= 0
/// let row = Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0])?, vec![1.0])?;
/// let problem = Problem::minimise(Linear::new(vec![-1.0, -2.0], 0.0)?)
///     .subject_to(row.at_most_zero())
///     .within(Bounds::new(0.0, f64::INFINITY)?)
///     .build()?;
/// let mut method = PrimalDual::new(&problem, &[0.0, 0.0], &[1.0, 0.0])?;
/// while method.kkt().error() > 1e-8 { method.step()?; }
/// assert!((method.x()[1] - 1.0).abs() < 1e-6 && (method.multipliers()[1] - 2.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PrimalDual<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    /// The composers that stand in the objective, with their rows.
    terms: Vec<(Range<usize>, &'a dyn Composer)>,
    pinned: Vec<bool>,
    curved: bool,
    aim: Aim,
    scaling: Scaling,
    omega: f64,
    /// W = scales[0] D^-1, V = scales[1] E^-1.
    scales: [f64; 2],
    epoch: Halpern,
    at: Point,
    next: Point,
    anchor: Point,
    /// Where rows are linearised with [`Aim::Multipliers`].
    centre: Point,
    /// Whether `next` is T(at) already.
    mapped: bool,
    iterations: usize,
    /// Iterations between two measurements, and the last of those.
    batch: usize,
    kkt: Kkt,
    /// |b| over the rows whose multipliers move, and the norm of the gradient of the others at 0.
    row_size: f64,
    slope_size: f64,
}

impl<'a> PrimalDual<'a> {
    /// Whether the method takes the problem: the rows whose multipliers move are affine, and the others have Lipschitz
    /// gradients, so that they can be evaluated everywhere.
    #[must_use]
    pub fn takes(problem: &Problem) -> bool {
        let lipschitz = |row: usize| {
            let smoothness = problem.component(row).and_then(|component| component.smoothness());
            smoothness.is_some_and(|smoothness| smoothness.exponent == 1.0)
        };
        let pinned = |row: usize| problem.composer().is_pinned(row);
        (0..problem.rows()).all(|row| problem.is_affine(row) || (pinned(row) && lipschitz(row)))
    }

    /// Starts from `x` in X and `multipliers` in the domain of h*.
    ///
    /// # Errors
    /// A problem that the method does not take, or a starting point of the wrong length, not finite, or outside.
    pub fn new(problem: &'a Problem, x: &[f64], multipliers: &[f64]) -> Result<Self, DataError> {
        if !Self::takes(problem) {
            let message =
                "only rows of a sum may be curved, with Lipschitz gradients; the others must be affine";
            return Err(DataError::structure(KIND, message));
        }
        check_x(KIND, problem, x)?;
        check_multipliers(KIND, "lambda0", problem, multipliers)?;
        let failed = |error: OracleError| DataError::oracle(KIND, error);
        let (n, m) = (problem.dimension(), problem.rows());
        let mut mapping = problem.mapping();
        let pinned: Vec<bool> = (0..m).map(|row| problem.composer().is_pinned(row)).collect();
        let curved = (0..m).any(|row| !problem.is_affine(row));
        let scaling = Scaling::new(problem, &mut *mapping, &pinned, x).map_err(failed)?;
        let point =
            Point { x: x.to_vec(), l: multipliers.to_vec(), values: vec![0.0; m], slope: vec![0.0; n] };
        let mut method = Self {
            problem,
            mapping,
            terms: problem.parts().filter(|(_, composer)| !composer.is_constraint()).collect(),
            pinned,
            curved,
            aim: Aim::Optimum,
            scaling,
            omega: 1.0,
            scales: [1.0; 2],
            epoch: Halpern::new(relaxation(curved)),
            next: point.clone(),
            anchor: point.clone(),
            centre: point.clone(),
            at: point,
            mapped: false,
            iterations: 0,
            batch: ITERATIONS,
            kkt: Kkt::UNKNOWN,
            row_size: 0.0,
            slope_size: 0.0,
        };
        method.size_up().map_err(failed)?;
        method.evaluate().map_err(failed)?;
        method.begin_epoch();
        Ok(method)
    }

    /// The sizes of the data, and the first omega: the ratio of the scaled sizes of slope and rows.
    fn size_up(&mut self) -> Result<(), OracleError> {
        let ones: Vec<f64> = self.pinned.iter().map(|pinned| f64::from(u8::from(*pinned))).collect();
        // At 0, wherever the start is: what is small must not depend on that.
        let zero = vec![0.0; self.next.x.len()];
        self.mapping.linearise(&zero, &mut self.next.values)?;
        self.mapping.apply_transpose(&ones, &mut self.next.slope);
        let Point { slope, values, .. } = &self.next;
        let (primal, dual) = (self.scaling.primal(1.0), self.scaling.dual(1.0));
        // Rows that stand at 0 may still be asked to be elsewhere.
        let mut target = values.clone();
        self.problem.composer().prox(Weight::scalar(1.0), &mut target)?;
        let moved =
            |j: usize| if self.pinned[j] { 0.0 } else { values[j].abs().max((values[j] - target[j]).abs()) };
        let scaled_slope = norm_of(slope.iter().enumerate().map(|(i, s)| s / primal.at(i).sqrt()));
        let scaled_rows = norm_of((0..values.len()).map(|j| moved(j) / dual.at(j).sqrt()));
        self.row_size = norm_of((0..values.len()).map(moved));
        self.slope_size = norm_of(slope.iter().copied());
        let ratio = scaled_slope / scaled_rows;
        self.omega = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
        Ok(())
    }

    /// A batch of iterations and a measurement, within the problem's budget.
    ///
    /// # Errors
    /// An oracle that failed, or the budget.
    pub fn step(&mut self) -> Result<Step, StepError> {
        let budget = self.problem.budget().clone();
        self.step_within(&budget)
    }

    /// As [`PrimalDual::step`], within another budget: a batch is short where that is spent after its first iteration.
    fn step_within(&mut self, budget: &Budget) -> Result<Step, StepError> {
        let (before, mut restarts) = (self.iterations, 0);
        budget.doing(Activity::Modelling);
        while self.iterations - before < self.batch {
            match budget.gradient() {
                Err(_) if self.iterations > before => break,
                allowed => allowed?,
            }
            if self.mapped {
                restarts += usize::from(self.advance()?);
            }
            self.map(budget)?;
        }
        if self.curved {
            self.mapping.linearise(&self.next.x, &mut self.next.values)?;
            self.mapping.apply_transpose(&self.next.l, &mut self.next.slope);
        }
        self.kkt = self.measure();
        let iterations = self.iterations - before;
        let (gradients, values, steps) = (iterations, iterations, iterations);
        let counts = Counts { gradients, values, steps, restarts, ..Counts::default() };
        Ok(Step { counts, l: self.scales[0], restarted: restarts > 0, finished: false })
    }

    fn primal_weight(&self) -> Weight<'_> {
        self.scaling.primal(self.scales[0])
    }

    fn dual_weight(&self) -> Weight<'_> {
        self.scaling.dual(self.scales[1])
    }

    /// L + omega |A^| and |A^| / omega: their product exceeds |A^|^2 by as much as the curvature asks for.
    fn choose_scales(&mut self) {
        // Without rows or slopes any step size will do.
        let norm = if self.scaling.norm > 0.0 { self.scaling.norm / SAFETY } else { 1.0 };
        self.scales = [self.scaling.curvature + self.omega * norm, norm / self.omega];
    }

    /// Makes `at` the anchor.
    fn begin_epoch(&mut self) {
        self.choose_scales();
        self.anchor.copy_from(&self.at);
        self.epoch.begin();
        self.mapped = false;
    }

    /// g(x) and J(x)'l at z.
    fn evaluate(&mut self) -> Result<(), OracleError> {
        let Point { x, l, values, slope } = &mut self.at;
        if self.aim.is_homogeneous() {
            self.mapping.apply(x, values);
        } else {
            self.mapping.linearise(x, values)?;
        }
        self.mapping.apply_transpose(l, slope);
        Ok(())
    }

    /// T(z), with step sizes that suit it. The first application is paid for.
    fn map(&mut self, budget: &Budget) -> Result<(), OracleError> {
        loop {
            self.apply_operator()?;
            self.iterations += 1;
            let movement = self.movement();
            if !self.raise_constants(&movement) {
                self.epoch.note(movement.residual);
                self.mapped = true;
                return Ok(());
            }
            self.begin_epoch();
            budget.gradient()?;
        }
    }

    fn apply_operator(&mut self) -> Result<(), OracleError> {
        let (primal, dual) = (self.scaling.primal(self.scales[0]), self.scaling.dual(self.scales[1]));
        let (at, next) = (&self.at, &mut self.next);
        for (i, x) in next.x.iter_mut().enumerate() {
            *x = at.x[i] - at.slope[i] / primal.at(i);
        }
        self.aim.prox(self.problem.regulariser(), primal, &self.centre.x, &mut next.x)?;
        self.aim.values(&*self.mapping, &next.x, &mut next.values)?;
        for (j, l) in next.l.iter_mut().enumerate() {
            *l = at.l[j] + (2.0 * next.values[j] - at.values[j]) / dual.at(j);
        }
        self.aim.prox_conjugate(self.problem.composer(), &self.terms, dual, &mut next.l)?;
        if !self.curved {
            self.mapping.apply_transpose(&next.l, &mut next.slope);
        }
        Ok(())
    }

    fn movement(&self) -> Movement {
        let (at, next) = (&self.at, &self.next);
        let (primal, dual) = (self.scaling.primal(1.0), self.scaling.dual(1.0));
        let (mut x_square, mut slope) = (0.0, 0.0);
        for (i, (next, x)) in next.x.iter().zip(&at.x).enumerate() {
            x_square += primal.at(i) * (next - x).powi(2);
            slope += at.slope[i] * (next - x);
        }
        let mut l_square = 0.0;
        // <dl, A dx>; g_0(x+) - g_0(x) + <l, A dx>; and the sizes of their terms.
        let (mut cross, mut cross_size, mut rise, mut rise_size) = (0.0, 0.0, 0.0, 0.0);
        for (j, (next_l, l)) in next.l.iter().zip(&at.l).enumerate() {
            let (change, size) = (next.values[j] - at.values[j], next.values[j].abs() + at.values[j].abs());
            l_square += dual.at(j) * (next_l - l).powi(2);
            cross += (next_l - l) * change;
            cross_size += (next_l - l).abs() * size;
            rise += l * change;
            rise_size += l.abs() * size;
        }
        let excess = rise - slope - ROUNDING * (rise_size + slope.abs());
        let [primal, dual] = self.scales;
        Movement {
            residual: (primal * x_square + dual * l_square - 2.0 * cross).max(0.0).sqrt(),
            norm: (cross.abs() - ROUNDING * cross_size) / (x_square * l_square).sqrt(),
            curvature: if self.curved { 2.0 * excess / x_square } else { 0.0 },
        }
    }

    /// Where a step shows that |A^| or L was estimated too small, raises it and answers so.
    fn raise_constants(&mut self, shown: &Movement) -> bool {
        let Scaling { norm, curvature, .. } = &mut self.scaling;
        let raise = |constant: &mut f64, shown: f64| {
            // Written so that a NaN raises nothing.
            let raises = shown > *constant && shown.is_finite();
            if raises {
                *constant = RAISE * shown;
            }
            raises
        };
        let (norm, curvature) = (raise(norm, shown.norm), raise(curvature, shown.curvature));
        norm || curvature
    }

    /// The next z; answers whether it starts an epoch.
    fn advance(&mut self) -> Result<bool, OracleError> {
        if self.epoch.is_over(self.iterations) {
            self.balance();
            self.at.copy_from(&self.next);
            if self.curved {
                self.evaluate()?;
            }
            self.begin_epoch();
            return Ok(true);
        }
        let blend = |at: &mut [f64], next: &[f64], anchor: &[f64]| self.epoch.blend(at, next, anchor);
        blend(&mut self.at.x, &self.next.x, &self.anchor.x);
        blend(&mut self.at.l, &self.next.l, &self.anchor.l);
        if self.curved {
            self.evaluate()?;
        } else {
            // Affine in z; exact values come back with every epoch.
            blend(&mut self.at.values, &self.next.values, &self.anchor.values);
            blend(&mut self.at.slope, &self.next.slope, &self.anchor.slope);
        }
        self.epoch.advance();
        self.mapped = false;
        Ok(false)
    }

    /// Moves omega towards the ratio of the distances that l and x have travelled in this epoch.
    fn balance(&mut self) {
        let (primal, dual) = (self.scaling.primal(1.0), self.scaling.dual(1.0));
        let (next, anchor) = (&self.next, &self.anchor);
        let x = norm_of((0..next.x.len()).map(|i| primal.at(i).sqrt() * (next.x[i] - anchor.x[i])));
        let l = norm_of((0..next.l.len()).map(|j| dual.at(j).sqrt() * (next.l[j] - anchor.l[j])));
        self.omega = balanced(self.omega, l / x);
    }
}
