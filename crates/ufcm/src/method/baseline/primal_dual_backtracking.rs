//! The accelerated primal-dual method with backtracking, APDB: E. Y. Hamedani and N. S. Aybat, *A primal-dual algorithm
//! with line search for general convex-concave saddle point problems*, SIAM J. Optim. 31 (2021), for
//!
//! ```text
//! min over x, max over l:  u(x) + <l, g(x)> - h*(l)
//! ```
//!
//! With sigma_k = gamma_k tau_k, theta_k = sigma_{k-1}/sigma_k and momentum on the coupling's gradient in l, which is g:
//!
//! ```text
//! l_{k+1} = argmin over l of h*(l) - <g(x_k) + theta_k (g(x_k) - g(x_{k-1})), l> + |l - l_k|^2/(2 sigma_k)
//! x_{k+1} = argmin over x of u(x) + <∇g(x_k)' l_{k+1}, x> + |x - x_k|^2/(2 tau_k)
//! until <l_{k+1}, (∇g(x_{k+1}) - ∇g(x_k))(x_{k+1} - x_k)> + sigma_k/(2c) |g(x_{k+1}) - g(x_k)|^2
//!           <= c/(2 tau_k) |x_{k+1} - x_k|^2,   tau_k shrinking by 0.7 from trial to trial
//! gamma_{k+1} = gamma_k (1 + mu tau_k),  tau_{k+1} = tau_k sqrt(gamma_k/gamma_{k+1} (1 + tau_k/tau_{k-1}))
//! ```
//!
//! where mu is the strong convexity of u. The averages with weights sigma_k then have, for all x and l,
//!
//! ```text
//! L(x_bar, l) - L(x, l_bar) <= (gamma_0 |x - x_0|^2 + |l - l_0|^2)/(2 sum of sigma_k)
//! ```
//!
//! What is simplified: Euclidean distances; the constants of the paper are c_alpha = c = 0.9, c_beta = 0 (the coupling is
//! affine in l) and delta = 1 - c, with which the test's dual terms cancel; rows of sums, whose multipliers cannot move, are
//! left out of |g(x_{k+1}) - g(x_k)|. Restarts, which are not in that paper, come after N, 2N, 4N, ... steps, go on from
//! the last iterates or from the averages, whichever a plain proximal step moves less, and forget momentum, gamma and
//! averages. A step that leaves x where it is says nothing of the step sizes and leaves them too.
//!
//! The gradients of a trial that passes serve the next step, so that a step costs as many gradients as trials. (Values
//! alone could take the place of the test's first term in exact arithmetic; near a solution they cannot be told apart.)

use super::form::moving_rows;
use super::rival::Rival;
use super::{ROUNDING, TRIALS, gave_up};
use crate::error::{DataError, DataProblem, check_positive};
use crate::linalg::dot;
use crate::method::start::{check_multipliers, check_x};
use crate::oracle::{Mapping, OracleError, Weight};
use crate::problem::Problem;

const KIND: &str = "primal-dual method with backtracking";

/// c of the test.
const SHARE: f64 = 0.9;
/// How tau shrinks from trial to trial.
const SHRINKING: f64 = 0.7;
/// tau and gamma grow up to here, and no further.
const LARGEST: f64 = 1e50;

/// What the method asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimalDualParameters {
    /// tau_0, the first trial of the primal step size, best too large.
    pub tau: f64,
    /// gamma_0, the ratio of the dual to the primal step size: |l_0 - l*|^2/|x_0 - x*|^2 where that is known.
    pub gamma: f64,
    /// N, the steps before the first restart; `None` to go without.
    pub restart: Option<usize>,
}

/// APDB in the making.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::method::baseline::{PrimalDualBacktracking, PrimalDualParameters};
/// use ufcm::problem::{IntoConstraint, Problem};
///
/// // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2: the answer is (1, 0), with multiplier 1.
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .build()?;
/// let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: Some(32) };
/// let mut method = PrimalDualBacktracking::new(&problem, &[0.0, 0.0], &[1.0, 0.0], parameters)?;
/// for _ in 0..500 { method.step()?; }
/// assert!((method.x()[0] - 1.0).abs() < 1e-6 && (method.multipliers()[1] - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PrimalDualBacktracking<'a> {
    problem: &'a Problem,
    /// Linearised at x_k.
    mapping: Box<dyn Mapping>,
    /// Linearised at the trial.
    mapping_next: Box<dyn Mapping>,
    /// Rows whose multiplier can move.
    moving: Vec<bool>,
    mu: f64,
    gamma_start: f64,
    gamma: f64,
    tau: f64,
    tau_before: f64,
    sigma_before: f64,
    x: Vec<f64>,
    x_next: Vec<f64>,
    multipliers: Vec<f64>,
    multipliers_next: Vec<f64>,
    /// g at x_k, x_{k-1} and the trial.
    row_values: Vec<f64>,
    row_values_before: Vec<f64>,
    row_values_next: Vec<f64>,
    /// ∇g' l, then x_{k+1} - x_k.
    slope: Vec<f64>,
    /// ∇g (x_{k+1} - x_k) with the Jacobians at x_k and at x_{k+1}.
    change: Vec<f64>,
    change_next: Vec<f64>,
    average_x: Vec<f64>,
    average_multipliers: Vec<f64>,
    weight_sum: f64,
    /// Steps since the last restart, and how many there are to be.
    run: usize,
    run_length: Option<usize>,
    /// Whether `mapping` is linearised at x, as it is after the first step.
    is_linearised: bool,
    gradients: u64,
}

impl<'a> PrimalDualBacktracking<'a> {
    /// Starts from `x` in X and `multipliers` in the domain of h*, over all rows.
    ///
    /// # Errors
    /// A parameter that is not positive, or a starting point that is outside.
    pub fn new(
        problem: &'a Problem,
        x: &[f64],
        multipliers: &[f64],
        parameters: PrimalDualParameters,
    ) -> Result<Self, DataError> {
        let PrimalDualParameters { tau, gamma, restart } = parameters;
        check_positive(KIND, "tau", tau)?;
        check_positive(KIND, "gamma", gamma)?;
        if restart == Some(0) {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "restart" }));
        }
        check_x(KIND, problem, x)?;
        check_multipliers(KIND, "lambda0", problem, multipliers)?;
        let rows = vec![0.0; multipliers.len()];
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            mapping_next: problem.mapping(),
            moving: moving_rows(problem),
            mu: problem.regulariser().strong_convexity(),
            gamma_start: gamma,
            gamma,
            tau,
            tau_before: tau,
            sigma_before: gamma * tau,
            x: x.to_vec(),
            x_next: x.to_vec(),
            multipliers: multipliers.to_vec(),
            multipliers_next: multipliers.to_vec(),
            row_values: rows.clone(),
            row_values_before: rows.clone(),
            row_values_next: rows.clone(),
            slope: vec![0.0; x.len()],
            change: rows.clone(),
            change_next: rows,
            average_x: x.to_vec(),
            average_multipliers: multipliers.to_vec(),
            weight_sum: 0.0,
            run: 0,
            run_length: restart,
            is_linearised: false,
            gradients: 0,
        })
    }

    /// One iteration: as many gradients as trials, and one more at the start and after a restart.
    ///
    /// # Errors
    /// A component, or a prox, that failed; no step size that passes the test.
    pub fn step(&mut self) -> Result<(), OracleError> {
        if !self.is_linearised {
            self.problem.budget().gradient()?;
            self.mapping.linearise(&self.x, &mut self.row_values)?;
            self.gradients += 1;
            self.row_values_before.copy_from_slice(&self.row_values);
            self.is_linearised = true;
        }
        if self.run_length == Some(self.run) {
            self.restart()?;
        }
        for _ in 0..TRIALS {
            if self.trial()? {
                self.accept();
                return Ok(());
            }
            self.tau *= SHRINKING;
        }
        Err(gave_up(KIND))
    }

    /// Starts anew, for twice as many steps; tau is as good a first trial as any.
    fn restart(&mut self) -> Result<(), OracleError> {
        self.problem.budget().gradient()?;
        self.mapping_next.linearise(&self.average_x, &mut self.row_values_next)?;
        self.gradients += 1;
        if self.residual(true)? < self.residual(false)? {
            self.x.copy_from_slice(&self.average_x);
            self.multipliers.copy_from_slice(&self.average_multipliers);
            std::mem::swap(&mut self.row_values, &mut self.row_values_next);
            std::mem::swap(&mut self.mapping, &mut self.mapping_next);
        }
        self.row_values_before.copy_from_slice(&self.row_values);
        self.gamma = self.gamma_start;
        self.tau_before = self.tau;
        self.weight_sum = 0.0;
        self.run = 0;
        self.run_length = self.run_length.map(|length| length.saturating_mul(2));
        Ok(())
    }

    /// |x - x+|^2/tau + |l - l+|^2/sigma for a plain proximal step from the averages (linearised in `mapping_next`) or from
    /// the last iterates: 0 exactly at saddle points.
    fn residual(&mut self, of_averages: bool) -> Result<f64, OracleError> {
        let (mapping, x, multipliers, values) = if of_averages {
            (&self.mapping_next, &self.average_x, &self.average_multipliers, &self.row_values_next)
        } else {
            (&self.mapping, &self.x, &self.multipliers, &self.row_values)
        };
        let (tau, sigma) = (self.tau, self.gamma * self.tau);
        mapping.apply_transpose(multipliers, &mut self.slope);
        for ((next, x), slope) in self.x_next.iter_mut().zip(x).zip(&self.slope) {
            *next = x - tau * slope;
        }
        self.problem.regulariser().prox(Weight::scalar(1.0 / tau), &mut self.x_next)?;
        for ((next, l), value) in self.multipliers_next.iter_mut().zip(multipliers).zip(values) {
            *next = l + sigma * value;
        }
        self.problem.composer().prox_conjugate(Weight::scalar(1.0 / sigma), &mut self.multipliers_next)?;
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        Ok(square(x, &self.x_next) / tau + square(multipliers, &self.multipliers_next) / sigma)
    }

    /// Whether the trial with this tau passes.
    fn trial(&mut self) -> Result<bool, OracleError> {
        let (tau, sigma) = (self.tau, self.gamma * self.tau);
        let theta = self.sigma_before / sigma;
        for (j, l) in self.multipliers_next.iter_mut().enumerate() {
            let (now, before) = (self.row_values[j], self.row_values_before[j]);
            *l = self.multipliers[j] + sigma * (now + theta * (now - before));
        }
        self.problem.composer().prox_conjugate(Weight::scalar(1.0 / sigma), &mut self.multipliers_next)?;
        self.mapping.apply_transpose(&self.multipliers_next, &mut self.slope);
        for ((next, x), slope) in self.x_next.iter_mut().zip(&self.x).zip(&self.slope) {
            *next = x - tau * slope;
        }
        self.problem.regulariser().prox(Weight::scalar(1.0 / tau), &mut self.x_next)?;
        self.problem.budget().gradient()?;
        self.mapping_next.linearise(&self.x_next, &mut self.row_values_next)?;
        self.gradients += 1;
        for ((step, next), x) in self.slope.iter_mut().zip(&self.x_next).zip(&self.x) {
            *step = next - x;
        }
        self.mapping.apply(&self.slope, &mut self.change);
        self.mapping_next.apply(&self.slope, &mut self.change_next);
        let (mut curvature, mut size, mut coupling) = (0.0, 0.0, 0.0);
        for (j, l) in self.multipliers_next.iter().enumerate() {
            curvature += l * (self.change_next[j] - self.change[j]);
            size += l.abs() * (self.change_next[j].abs() + self.change[j].abs());
            if self.moving[j] {
                coupling += (self.row_values_next[j] - self.row_values[j]).powi(2);
            }
        }
        let room = 0.5 * SHARE / tau * dot(&self.slope, &self.slope);
        Ok(curvature + 0.5 * sigma / SHARE * coupling <= room + ROUNDING * size)
    }

    fn accept(&mut self) {
        let (tau, sigma) = (self.tau, self.gamma * self.tau);
        self.x.copy_from_slice(&self.x_next);
        self.multipliers.copy_from_slice(&self.multipliers_next);
        self.weight_sum += sigma;
        let share = sigma / self.weight_sum;
        for (average, x) in self.average_x.iter_mut().zip(&self.x) {
            *average += share * (x - *average);
        }
        for (average, l) in self.average_multipliers.iter_mut().zip(&self.multipliers) {
            *average += share * (l - *average);
        }
        if self.slope.iter().any(|&step| step != 0.0) {
            let gamma = (self.gamma * (1.0 + self.mu * tau)).min(LARGEST);
            self.tau = (tau * (self.gamma / gamma * (1.0 + tau / self.tau_before)).sqrt()).min(LARGEST);
            self.gamma = gamma;
        }
        self.tau_before = tau;
        self.sigma_before = sigma;
        self.run += 1;
        std::mem::swap(&mut self.row_values_before, &mut self.row_values);
        std::mem::swap(&mut self.row_values, &mut self.row_values_next);
        std::mem::swap(&mut self.mapping, &mut self.mapping_next);
    }

    /// x_k.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// l_k.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The weighted average of x since the last restart.
    #[must_use]
    pub fn average_x(&self) -> &[f64] {
        &self.average_x
    }

    /// The weighted average of the multipliers since the last restart.
    #[must_use]
    pub fn average_multipliers(&self) -> &[f64] {
        &self.average_multipliers
    }

    /// The sum of sigma_k since the last restart, which bounds the gap of the averages.
    #[must_use]
    pub fn weight_sum(&self) -> f64 {
        self.weight_sum
    }

    /// Evaluations of all values and gradients.
    #[must_use]
    pub fn gradients(&self) -> u64 {
        self.gradients
    }
}

impl Rival for PrimalDualBacktracking<'_> {
    const NAME: &'static str = "apdb";

    fn advance(&mut self) -> Result<(), OracleError> {
        self.step()
    }

    fn answer(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.multipliers)
    }

    fn row_values(&self) -> Option<&[f64]> {
        Some(&self.row_values)
    }

    fn linearised(&self) -> (&dyn Mapping, &[f64], &[f64]) {
        (&*self.mapping, &self.x, &self.row_values)
    }

    fn spent(&self) -> (u64, u64) {
        (self.gradients, 0)
    }

    fn l(&self) -> f64 {
        1.0 / self.tau
    }
}
