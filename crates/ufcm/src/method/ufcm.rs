//! Algorithm 1: the Universal Fast Composite Method (alg:FCM), exactly as published.
//!
//! Each outer iteration evaluates all components once, at the averaged point x_ (line 4), and then slides: S_t primal-dual
//! proximal steps on the linearised problem (lines 6 to 9) that cost no gradient.

mod slide;

use super::growing::Growing;
use super::nu_average::NuAverage;
use super::spectral_norm::SpectralNorm;
use super::start::{check_multipliers, check_x};
use super::step_sizes::{self, Outer, Record};
use crate::certificate::Linearisation;
use crate::error::{DataError, check_positive};
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::theory::promise::Balance;

const KIND: &str = "UFCM";

/// Why a method cannot start.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A parameter or a starting point that makes no sense.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An oracle that failed at the start.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// What Algorithm 1 asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UfcmParameters {
    /// L_ADA or an upper bound of it.
    pub l_ada: f64,
    /// C and Delta.
    pub balance: Balance,
}

impl UfcmParameters {
    pub(super) fn check(&self) -> Result<(), DataError> {
        check_positive(KIND, "L_ADA", self.l_ada)?;
        check_positive(KIND, "C", self.balance.c)?;
        check_positive(KIND, "Delta", self.balance.delta)
    }
}

/// The weighted averages that Algorithm 1 returns (eq:averaging-scheme).
#[derive(Debug, Clone, PartialEq)]
pub struct Averages {
    /// x_bar^T
    pub x: Vec<f64>,
    /// lambda_bar^T
    pub multipliers: Vec<f64>,
    /// nu_bar^T, row after row, where it was asked for; ∇g_j(x^0) for rows whose multiplier was 0 throughout.
    pub jacobian: Option<Vec<f64>>,
    /// A lower bound of -g*(nu_bar), row by row, where nu_bar was asked for: the average of the linearisations'
    /// offsets g_j(x_) - <nu_j, x_>, which by concavity of -g* does not exceed it.
    pub offsets: Option<Vec<f64>>,
}

/// Algorithm 1 in the making: every buffer lives here, and [`Ufcm::step`] allocates nothing.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::method::{Ufcm, UfcmParameters};
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::theory::promise::Balance;
///
/// // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2: the answer is (1, 0), with multiplier 1.
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .build()?;
/// let l_ada = 1.0 + 1.1; // L_0 + (lambda* + r) L_1
/// let parameters = UfcmParameters { l_ada, balance: Balance::with_distances(l_ada, 1.0, 1.0) };
/// let mut method = Ufcm::new(&problem, &[0.0, 0.0], &[1.0, 0.0], parameters)?;
/// for _ in 0..100 { method.step()?; }
/// let averages = method.averages();
/// assert!((averages.x[0] - 1.0).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ufcm<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    parameters: UfcmParameters,
    /// t, the outer iterations done.
    t: usize,
    /// The inner steps done, over all iterations.
    inner_steps: u64,
    /// x^t
    x: Vec<f64>,
    /// x^(t-1)
    x_before: Vec<f64>,
    /// x_^t, the averaged point at which gradients are taken.
    x_under: Vec<f64>,
    /// g(x_^t)
    values: Vec<f64>,
    /// g(x_^t) - nu^t x_^t: the linearisation at 0.
    offset: Vec<f64>,
    /// y_s
    y: Vec<f64>,
    /// lambda_s
    multipliers: Vec<f64>,
    /// lambda_{s-1}
    multipliers_before: Vec<f64>,
    /// (nu^t)'(lambda_S - lambda_{S-1}): all that line 7 needs of the old Jacobian in the next iteration.
    carried: Vec<f64>,
    /// h~, the extrapolated slope of line 7.
    slope: Vec<f64>,
    /// nu y + offset, and other vectors of one number for each row.
    row_buffer: Vec<f64>,
    /// The sum of y_s over the inner loop.
    x_sum: Vec<f64>,
    /// The sum of lambda_s over the inner loop, then lambda~^t.
    multiplier_sum: Vec<f64>,
    /// The weighted averages so far, and the sum of their weights.
    x_average: Vec<f64>,
    multiplier_average: Vec<f64>,
    weight_sum: f64,
    /// Where nu_bar was asked for.
    nu_average: Option<NuAverage>,
    /// A point at which the averaged linearisation is asked for: storage for the rows, and the average so far.
    reference: Option<(Vec<f64>, Vec<f64>, f64)>,
    spectral: SpectralNorm,
    last: Option<Record>,
    /// The step sizes for a strongly convex g_0, in the place of Algorithm 1's own.
    growing: Option<Growing>,
}

impl<'a> Ufcm<'a> {
    /// Starts from `x` in X and `multipliers` in the domain of h* (over all rows: row 0 is g_0 with multiplier 1).
    ///
    /// # Errors
    /// A parameter that is not positive and finite, or a starting point of the wrong length, not finite, or outside.
    pub fn new(
        problem: &'a Problem,
        x: &[f64],
        multipliers: &[f64],
        parameters: UfcmParameters,
    ) -> Result<Self, DataError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let mut method = Self {
            problem,
            mapping: problem.mapping(),
            parameters,
            t: 0,
            inner_steps: 0,
            x: vec![0.0; n],
            x_before: vec![0.0; n],
            x_under: vec![0.0; n],
            values: vec![0.0; m],
            offset: vec![0.0; m],
            y: vec![0.0; n],
            multipliers: vec![0.0; m],
            multipliers_before: vec![0.0; m],
            carried: vec![0.0; n],
            slope: vec![0.0; n],
            row_buffer: vec![0.0; m],
            x_sum: vec![0.0; n],
            multiplier_sum: vec![0.0; m],
            x_average: vec![0.0; n],
            multiplier_average: vec![0.0; m],
            weight_sum: 0.0,
            nu_average: None,
            reference: None,
            spectral: SpectralNorm::new(m, n),
            last: None,
            growing: None,
        };
        method.restart(x, multipliers, parameters)?;
        Ok(method)
    }

    /// Also keeps nu_bar, an m x n matrix.
    #[must_use]
    pub fn keeping_jacobian(mut self) -> Self {
        self.nu_average = Some(NuAverage::new(self.values.len(), self.x.len()));
        self
    }

    /// With the step sizes of ACGD-S for a mu-strongly convex g_0 (decision 0026). Only before the first step.
    pub(super) fn growing(mut self, mu: f64) -> Self {
        self.growing = Some(Growing::new(self.parameters.l_ada, mu, self.parameters.balance.c));
        self
    }

    /// Also keeps <lambda_bar, nu_bar x + offsets> at a point x: all that the gap function Q needs of nu_bar, at one product each
    /// iteration.
    pub(super) fn referring_to(&mut self, x: Vec<f64>) {
        self.reference = Some((x, vec![0.0; self.values.len()], 0.0));
    }

    /// <lambda_bar, nu_bar x + offsets> at the point that was asked for: lambda_bar_j nu_bar_j is the average of lambda~_j^t nu_j^t.
    pub(super) fn linearised_at_reference(&self) -> Option<f64> {
        self.reference.as_ref().map(|(_, _, average)| *average)
    }

    /// Starts anew from another point with other parameters, in the same buffers. Counts of inner steps go on.
    ///
    /// # Errors
    /// As [`Ufcm::new`].
    pub fn restart(
        &mut self,
        x: &[f64],
        multipliers: &[f64],
        parameters: UfcmParameters,
    ) -> Result<(), DataError> {
        parameters.check()?;
        check_x(KIND, self.problem, x)?;
        check_multipliers(KIND, "lambda0", self.problem, multipliers)?;
        self.parameters = parameters;
        self.t = 0;
        for point in [&mut self.x, &mut self.x_before, &mut self.x_under, &mut self.y] {
            point.copy_from_slice(x);
        }
        self.multipliers.copy_from_slice(multipliers);
        self.multipliers_before.copy_from_slice(multipliers);
        self.carried.fill(0.0);
        self.x_average.copy_from_slice(x);
        self.multiplier_average.copy_from_slice(multipliers);
        self.weight_sum = 0.0;
        self.nu_average.iter_mut().for_each(NuAverage::clear);
        self.reference.iter_mut().for_each(|(_, _, average)| *average = 0.0);
        self.last = None;
        self.growing.iter_mut().for_each(Growing::restart);
        Ok(())
    }

    /// One outer iteration: lines 3 to 12. Stopped by the problem's budget, it is left unfinished, and only a
    /// [`Ufcm::restart`] may follow.
    ///
    /// # Errors
    /// A component, or a prox, that failed; or the budget.
    pub fn step(&mut self) -> Result<(), OracleError> {
        let t = self.t + 1;
        let outer = match &mut self.growing {
            None => step_sizes::outer(t, self.parameters.l_ada),
            Some(growing) => growing.outer(),
        };
        self.move_averaged_point(&outer);
        // Line 4. The linearisation at w is nu w + offset.
        self.mapping.linearise(&self.x_under, &mut self.values)?;
        self.mapping.apply(&self.x_under, &mut self.offset);
        for (offset, value) in self.offset.iter_mut().zip(&self.values) {
            *offset = value - *offset;
        }
        // Line 5.
        let enough = match &self.growing {
            // S_t = ceil(M_t Delta t) is 1 for every M_t up to 1/(Delta t).
            None => 1.0 / (self.parameters.balance.delta * t as f64),
            Some(growing) => growing.norm_for_one_step(outer.omega),
        };
        let jacobian_norm = self.spectral.bound(&*self.mapping, self.problem.budget(), enough)?;
        let previous = self.last.map(|record| record.inner.norm);
        let inner = step_sizes::inner(t, jacobian_norm, previous, self.parameters.balance);
        self.x_before.copy_from_slice(&self.x);
        self.x_sum.fill(0.0);
        self.multiplier_sum.fill(0.0);
        let inner = self.slide(&outer, inner, jacobian_norm)?;
        self.last = Some(Record { outer, inner, jacobian_norm });
        self.t = t;
        Ok(())
    }

    /// Line 3: x~ = x + theta (x - x_before), x_ = (tau x_ + x~)/(1 + tau).
    fn move_averaged_point(&mut self, outer: &Outer) {
        let Outer { tau, theta, .. } = *outer;
        for ((under, x), before) in self.x_under.iter_mut().zip(&self.x).zip(&self.x_before) {
            let ahead = x + theta * (x - before);
            *under = (tau * *under + ahead) / (1.0 + tau);
        }
    }

    /// t: outer iterations since the last start, each one evaluation of all values and gradients.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.t
    }

    /// Proximal steps on u and on h*, over all starts.
    #[must_use]
    pub fn inner_steps(&self) -> u64 {
        self.inner_steps
    }

    /// x^t.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// lambda~^t, the mean of the inner loop (the starting multipliers before the first iteration).
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        if self.t == 0 { &self.multipliers } else { &self.multiplier_sum }
    }

    /// x_bar^t.
    #[must_use]
    pub fn average_x(&self) -> &[f64] {
        &self.x_average
    }

    /// lambda_bar^t.
    #[must_use]
    pub fn average_multipliers(&self) -> &[f64] {
        &self.multiplier_average
    }

    /// The rows linearised at x_ of the last iteration, with lambda~^t: a minorant of the objective.
    #[must_use]
    pub fn linearisation(&self) -> Linearisation<'_> {
        Linearisation {
            mapping: &*self.mapping,
            composer: self.problem.composer(),
            y: &self.x_under,
            values: &self.values,
            multipliers: self.multipliers(),
        }
    }

    /// What the method was given, for the execution under way.
    #[must_use]
    pub fn parameters(&self) -> UfcmParameters {
        self.parameters
    }

    /// The step sizes of the last iteration.
    #[must_use]
    pub fn last_step_sizes(&self) -> Option<&Record> {
        self.last.as_ref()
    }

    /// Everything Algorithm 1 returns.
    #[must_use]
    pub fn averages(&self) -> Averages {
        Averages {
            x: self.x_average.clone(),
            multipliers: self.multiplier_average.clone(),
            jacobian: self.nu_average.as_ref().map(NuAverage::jacobian),
            offsets: self.nu_average.as_ref().map(NuAverage::offsets),
        }
    }
}
