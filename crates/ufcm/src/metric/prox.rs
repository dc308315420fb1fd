//! The prox of u in the metric of curvature.
//!
//! In |v|^2 = v'(H + delta I)v the model step has the proximal term 1/(2a) |w - z|_H^2 + delta/(2a) |w - z|^2. The first part
//! joins u: [`CurvedRegulariser`] is u(w) + 1/(2a) |w - z|_H^2, whose prox in the plain norm is all that the subproblem
//! solver asks for. That prox is itself a small problem,
//!
//! ```text
//! min over w   u(w) + q(w),   q(w) = s/2 |w - z|_H^2 + tau/2 |w - v|^2,   s = 1/a
//! ```
//!
//! and Newton's method solves it as it does the model step: on w = prox_{u,rho}(w - ∇q(w)/rho), rho >= 2 |Q|, with Q = s H +
//! tau I and S the Jacobian of the prox of u,
//!
//! ```text
//! (I + S (Q - rho I)) d = w_fb - w
//! ```
//!
//! where only the free variables are in the system, and with the forward-backward envelope as merit. The matrix is that of
//! the last step but for the few variables that have become free or not: its factors are kept.

use super::prox_system::CurvedSystem;
use crate::budget::Budget;
use crate::jacobian::{JacobianBlock, SymmetricOperator};
use crate::kernel::simd;
use crate::metric::CurvatureMetric;
use crate::metric::tuning::prox::{LEAST_SHARE, ROUNDING, STEPS, SUFFICIENT};
use crate::oracle::{NewtonRegulariser, OracleError, Regulariser, Weight};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is kept from prox to prox: the last solution, and the factors of the last system. An operator that applies the
/// Jacobian of the last prox.
struct CurvedProx {
    state: Mutex<State>,
}

struct State {
    current: Point,
    trial: Point,
    newton: Vec<f64>,
    system: CurvedSystem,
    /// Whether `current` holds a solution to start from.
    warm: bool,
}

/// w with everything that follows from it.
struct Point {
    w: Vec<f64>,
    /// H (w - z)
    image: Vec<f64>,
    /// ∇q(w)
    gradient: Vec<f64>,
    /// w - ∇q(w)/rho
    argument: Vec<f64>,
    /// prox_{u,rho} of that
    forward_backward: Vec<f64>,
    /// w_fb - w
    step: Vec<f64>,
    /// The forward-backward envelope.
    envelope: f64,
    /// |w - w_fb|^2, and what rounding leaves of the largest entry of w - w_fb.
    square: f64,
    rounding: f64,
}

/// u + s/2 |. - z|_H^2
pub(crate) struct CurvedRegulariser<'a> {
    pub(crate) u: &'a dyn Regulariser,
    pub(crate) metric: &'a Arc<CurvatureMetric>,
    /// z
    pub(crate) centre: &'a [f64],
    /// s
    pub(crate) scale: f64,
    pub(crate) solver: &'a CurvedSolver,
    pub(crate) budget: &'a Budget,
}

/// The solver of proxes, as the operators that it lends: shared, so that handing one out costs nothing.
pub(crate) struct CurvedSolver {
    prox: Arc<CurvedProx>,
    bound: Arc<CurvedBound>,
}

impl CurvedSolver {
    pub(crate) fn new(n: usize) -> Self {
        let prox = Arc::new(CurvedProx::new(n));
        let bound = Arc::new(CurvedBound(prox.clone()));
        Self { prox, bound }
    }

    /// An operator that applies (H + delta I)^-1; `None` where rounding made that indefinite.
    pub(crate) fn inverse(
        &self,
        metric: &Arc<CurvatureMetric>,
        budget: &Budget,
    ) -> Option<&dyn SymmetricOperator> {
        let sound = self.prox.state().system.prepare_bound(metric, (1.0, metric.delta()), budget);
        sound.then_some(&*self.bound)
    }
}

/// An operator that applies Q^-1, which exceeds every Jacobian of the prox.
struct CurvedBound(Arc<CurvedProx>);

impl SymmetricOperator for CurvedBound {
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        self.apply_to_each(v.len(), v, out);
    }

    fn apply_to_each(&self, _n: usize, vectors: &[f64], out: &mut [f64]) {
        self.0.state().system.apply_bound(vectors, out);
    }
}

impl CurvedProx {
    fn new(n: usize) -> Self {
        let (current, trial) = (Point::new(n), Point::new(n));
        let state = State { current, trial, newton: vec![0.0; n], system: CurvedSystem::new(n), warm: false };
        Self { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whatever a panic left behind, each solve starts from finite numbers or afresh.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SymmetricOperator for CurvedProx {
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        self.state().system.apply_jacobian(v, out);
    }

    fn apply_to_each(&self, _n: usize, vectors: &[f64], out: &mut [f64]) {
        self.state().system.apply_jacobian_to_each(vectors, out);
    }
}

impl CurvedRegulariser<'_> {
    /// q in the proximal term tau/2 |w - v|^2.
    fn problem<'p>(&'p self, weight: Weight<'_>, v: &'p [f64]) -> Result<Problem<'p>, OracleError> {
        let tau = weight.require_scalar(self.kind())?;
        let rho = 2.0 * (self.scale * self.metric.bound() + tau);
        let Self { u, metric, centre, scale, budget, .. } = *self;
        Ok(Problem { u, metric, centre, scale, v, tau, rho, budget })
    }
}

impl Regulariser for CurvedRegulariser<'_> {
    fn kind(&self) -> &'static str {
        "regulariser in the metric of curvature"
    }

    fn dimension(&self) -> Option<usize> {
        self.u.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let mut state = self.solver.prox.state();
        let point = &mut state.trial;
        point.argument.iter_mut().zip(x).zip(self.centre).for_each(|((d, x), z)| *d = x - z);
        self.metric.apply(&point.argument, &mut point.image);
        self.u.value(x) + 0.5 * self.scale * simd::dot(&point.argument, &point.image)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        let mut state = self.solver.prox.state();
        state.minimise(&self.problem(weight, x)?)?;
        x.copy_from_slice(&state.current.w);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        false
    }

    /// Nobody asks: bounds are made with u itself.
    fn min_linear(&self, _slope: &[f64], _minimiser: Option<&mut [f64]>) -> f64 {
        f64::NEG_INFINITY
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }
}

impl NewtonRegulariser for CurvedRegulariser<'_> {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let problem = self.problem(weight, point)?;
        let mut state = self.solver.prox.state();
        // From the last solution, which mostly is that of this point.
        state.minimise(&problem)?;
        let State { current, system, .. } = &mut *state;
        system.linearise(&problem, &current.argument)?;
        out.stand_in(self.solver.prox.clone());
        Ok(())
    }

    fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        self.solver.prox.state().system.prepare_bound(self.metric, (self.scale, weight.at(0)), self.budget);
        out.stand_in(self.solver.bound.clone());
    }
}

/// One prox: min u + q.
pub(super) struct Problem<'a> {
    pub(super) u: &'a dyn Regulariser,
    pub(super) metric: &'a Arc<CurvatureMetric>,
    pub(super) centre: &'a [f64],
    pub(super) scale: f64,
    pub(super) v: &'a [f64],
    pub(super) tau: f64,
    pub(super) rho: f64,
    pub(super) budget: &'a Budget,
}

impl Point {
    fn new(n: usize) -> Self {
        let zeros = vec![0.0; n];
        Self {
            w: zeros.clone(),
            image: zeros.clone(),
            gradient: zeros.clone(),
            argument: zeros.clone(),
            forward_backward: zeros.clone(),
            step: zeros,
            envelope: f64::INFINITY,
            square: f64::INFINITY,
            rounding: 0.0,
        }
    }

    /// Fills in what follows from w.
    fn evaluate(&mut self, problem: &Problem<'_>) -> Result<(), OracleError> {
        let Problem { u, metric, centre, scale, v, tau, rho, .. } = *problem;
        self.argument.iter_mut().zip(&self.w).zip(centre).for_each(|((d, w), z)| *d = w - z);
        metric.apply(&self.argument, &mut self.image);
        // Without the constant tau/2 |z - v|^2: where tau is small v is far away, and the square of that would drown the rest.
        let mut q = 0.5 * scale * simd::dot(&self.argument, &self.image);
        self.rounding = 0.0;
        for (i, (gradient, image)) in self.gradient.iter_mut().zip(&self.image).enumerate() {
            let (curved, pull, moved) = (scale * image, tau * (self.w[i] - v[i]), self.argument[i]);
            *gradient = curved + pull;
            q += tau * moved * (0.5 * moved + (centre[i] - v[i]));
            self.argument[i] = self.w[i] - *gradient / rho;
            let size = self.w[i].abs() + (curved.abs() + pull.abs()) / rho;
            self.rounding = self.rounding.max(ROUNDING * size);
        }
        self.forward_backward.copy_from_slice(&self.argument);
        u.prox(Weight::scalar(rho), &mut self.forward_backward)?;
        let (mut linear, mut square) = (0.0, 0.0);
        for (i, gradient) in self.gradient.iter().enumerate() {
            // Not by way of w: where the prox leaves its argument alone, this is -∇q/rho to the last digit.
            let step = (self.forward_backward[i] - self.argument[i]) - gradient / rho;
            self.step[i] = step;
            linear += gradient * step;
            square += step * step;
        }
        self.square = square;
        self.envelope = q + linear + 0.5 * rho * square + u.value(&self.forward_backward);
        Ok(())
    }

    /// max |w - w_fb|
    fn residual(&self) -> f64 {
        self.step.iter().fold(0.0, |m, step| if step.is_nan() { f64::INFINITY } else { m.max(step.abs()) })
    }
}

impl State {
    /// Leaves the solution in `current.w`.
    fn minimise(&mut self, problem: &Problem<'_>) -> Result<(), OracleError> {
        if !self.warm {
            self.current.w.copy_from_slice(problem.centre);
        }
        self.warm = false;
        self.current.evaluate(problem)?;
        for _ in 0..STEPS {
            problem.budget.ask()?;
            if self.current.residual() <= self.current.rounding || !self.step(problem)? {
                break;
            }
        }
        let State { current, .. } = self;
        current.w.copy_from_slice(&current.forward_backward);
        self.warm = current.w.iter().all(|w| w.is_finite());
        Ok(())
    }

    /// Moves between the Newton point and the forward-backward point until the envelope falls enough; false where rounding
    /// lets nothing fall any more.
    fn step(&mut self, problem: &Problem<'_>) -> Result<bool, OracleError> {
        let State { current, trial, newton, system, .. } = self;
        system.linearise(problem, &current.argument)?;
        system.solve(&current.step, newton);
        newton.iter_mut().zip(&current.w).for_each(|(d, w)| *d += w);
        if !newton.iter().all(|w| w.is_finite()) {
            newton.copy_from_slice(&current.forward_backward);
        }
        let certain = 0.25 * problem.rho * current.square;
        let slack = 1e-15 * (1.0 + current.envelope.abs());
        let mut share = 1.0f64;
        loop {
            for (i, w) in trial.w.iter_mut().enumerate() {
                let fallback = current.forward_backward[i];
                *w = fallback + share * (newton[i] - fallback);
            }
            trial.evaluate(problem)?;
            let fallen = trial.envelope <= current.envelope - SUFFICIENT * certain;
            let level = trial.envelope <= current.envelope + slack;
            if fallen || (level && trial.residual() <= 0.5 * current.residual()) {
                std::mem::swap(current, trial);
                return Ok(true);
            }
            if share == 0.0 {
                return Ok(false);
            }
            // A Newton point may lie far beyond the boundary of X while steps of 1/rho towards that would be endless.
            share = match share {
                _ if share > 1e-3 => 0.5 * share,
                _ if share > LEAST_SHARE => 0.1 * share,
                _ => 0.0,
            };
        }
    }
}
