//! Polyak's switching subgradient method: B. T. Polyak, *A general method for solving extremum problems*, Soviet
//! Mathematics Doklady 8 (1967); with the step sizes of Bayandina, Dvurechensky, Gasnikov, Stonyakin and Titov, *Mirror
//! descent and convex optimization problems with non-smooth inequality constraints* (2018).
//!
//! For min g_0(x) over x in X subject to g_j(x) <= 0, smooth or not:
//!
//! ```text
//! s_k = g_0'(x_k) where max_j g_j(x_k) <= eps (a productive step), else the subgradient of the most violated g_j
//! x_{k+1} = projection onto X of x_k - h_k s_k,  h_k = eps/|s_k|^2
//! ```
//!
//! If all |s_k| <= M, then after N > M^2 |x_0 - x*|^2/eps^2 steps the best productive iterate, and the average of the
//! productive iterates with weights h_k, have g_0 - p* <= eps and g_j <= eps: each step changes |x_k - x*|^2 by at most
//! -2 h_k (g_0(x_k) - p*) + eps h_k or, unproductive, by less than -eps h_k.

use super::form::Constrained;
use super::rival::Rival;
use crate::error::{DataError, check_positive};
use crate::linalg::{dot, norm};
use crate::method::start::check_x;
use crate::oracle::{Mapping, OracleError, Regulariser, Weight};
use crate::problem::Problem;

const KIND: &str = "switching subgradient method";

/// Polyak's switching subgradient method in the making.
///
/// It uses one gradient a step, though the oracles give all of them at once.
///
/// ```
/// use ufcm::component::Linear;
/// use ufcm::method::baseline::SwitchingSubgradient;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Ball;
///
/// // min x_0 + x_1 subject to -x_1 <= 0 in the unit ball: the answer is (-1, 0).
/// let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0)?)
///     .subject_to(Linear::new(vec![0.0, -1.0], 0.0)?.at_most(0.0))
///     .within(Ball::new(1.0))
///     .build()?;
/// let mut method = SwitchingSubgradient::new(&problem, &[0.0, 0.0], 0.01)?;
/// for _ in 0..20_001 { method.step()?; } // M^2 |x_0 - x*|^2/eps^2 = 2/0.01^2
/// let x = method.average_x().expect("a productive step");
/// assert!(x[0] + x[1] <= -1.0 + 0.01 && x[1] >= -0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SwitchingSubgradient<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    form: Constrained,
    eps: f64,
    x: Vec<f64>,
    /// Where the last subgradient was taken.
    at: Vec<f64>,
    row_values: Vec<f64>,
    slope: Vec<f64>,
    /// The productive iterate with the least g_0, and that value.
    best: Vec<f64>,
    best_value: f64,
    average: Vec<f64>,
    weight_sum: f64,
    /// Whether a productive iterate had subgradient 0.
    is_done: bool,
    productive: u64,
    gradients: u64,
}

impl<'a> SwitchingSubgradient<'a> {
    /// Starts from `x` in X.
    ///
    /// # Errors
    /// A problem with a composer other than sums and constraints g <= 0, a regulariser that is more than the indicator of X
    /// (found by evaluating it at a few points), an accuracy that is not positive, or a point outside X.
    pub fn new(problem: &'a Problem, x: &[f64], eps: f64) -> Result<Self, DataError> {
        check_positive(KIND, "eps", eps)?;
        let form = Constrained::of(KIND, problem)?;
        check_x(KIND, problem, x)?;
        if !is_indicator(problem.regulariser(), x) {
            let u = problem.regulariser().kind();
            let message = format!("the regulariser {u} is more than the indicator of a set");
            return Err(DataError::structure(KIND, message));
        }
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            row_values: vec![0.0; form.weights.len()],
            form,
            eps,
            x: x.to_vec(),
            at: x.to_vec(),
            slope: vec![0.0; x.len()],
            best: x.to_vec(),
            best_value: f64::INFINITY,
            average: x.to_vec(),
            weight_sum: 0.0,
            is_done: false,
            productive: 0,
            gradients: 0,
        })
    }

    /// One iteration: one gradient. Once a productive iterate is a minimiser of g_0, it does nothing.
    ///
    /// # Errors
    /// A component, or the projection, that failed; a constraint that no point fulfils.
    pub fn step(&mut self) -> Result<(), OracleError> {
        if self.is_done {
            return Ok(());
        }
        self.problem.budget().gradient()?;
        self.at.copy_from_slice(&self.x);
        self.mapping.linearise(&self.at, &mut self.row_values)?;
        self.gradients += 1;
        let violation = |&j: &usize| self.row_values[j];
        let worst =
            self.form.constraints.iter().copied().max_by(|a, b| violation(a).total_cmp(&violation(b)));
        let violated = worst.filter(|&j| self.row_values[j] > self.eps);
        match violated {
            Some(row) => self.mapping.jacobian_row(row, &mut self.slope),
            None => self.mapping.apply_transpose(&self.form.weights, &mut self.slope),
        }
        let length = norm(&self.slope);
        if violated.is_none() {
            self.record(length);
        } else if length == 0.0 {
            return Err(OracleError::failed(self.infeasible(violated)));
        }
        if length > 0.0 {
            let step = self.eps / length / length;
            self.x.iter_mut().zip(&self.slope).for_each(|(x, slope)| *x -= step * slope);
            self.problem.regulariser().prox(Weight::scalar(1.0), &mut self.x)?;
        }
        Ok(())
    }

    /// Takes a productive iterate, with its subgradient's norm, into the best and the average.
    fn record(&mut self, length: f64) {
        self.productive += 1;
        let value = dot(&self.form.weights, &self.row_values);
        if value < self.best_value {
            self.best_value = value;
            self.best.copy_from_slice(&self.x);
        }
        self.is_done = length == 0.0;
        if self.is_done {
            // An infinite weight: a minimiser of g_0 outweighs all else.
            self.average.copy_from_slice(&self.x);
            return;
        }
        let weight = self.eps / length / length;
        self.weight_sum += weight;
        let share = weight / self.weight_sum;
        for (average, x) in self.average.iter_mut().zip(&self.x) {
            *average += share * (x - *average);
        }
    }

    fn infeasible(&self, row: Option<usize>) -> String {
        let name = row.map_or("", |row| self.problem.row_names()[row].as_str());
        format!("{name} is violated by more than eps at its minimiser: no point fulfils it")
    }

    /// x_k.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The productive iterate with the least objective, once there is one.
    #[must_use]
    pub fn best_x(&self) -> Option<&[f64]> {
        (self.productive > 0).then_some(self.best.as_slice())
    }

    /// The weighted average of the productive iterates, once there is one.
    #[must_use]
    pub fn average_x(&self) -> Option<&[f64]> {
        (self.productive > 0).then_some(self.average.as_slice())
    }

    /// Steps on the objective.
    #[must_use]
    pub fn productive(&self) -> u64 {
        self.productive
    }

    /// Evaluations of all values and gradients.
    #[must_use]
    pub fn gradients(&self) -> u64 {
        self.gradients
    }
}

impl Rival for SwitchingSubgradient<'_> {
    const NAME: &'static str = "switching";

    fn advance(&mut self) -> Result<(), OracleError> {
        self.step()
    }

    /// The method has no multipliers: those of the objective alone.
    fn answer(&self) -> (&[f64], &[f64]) {
        (self.average_x().unwrap_or(&self.x), &self.form.weights)
    }

    fn linearised(&self) -> (&dyn Mapping, &[f64], &[f64]) {
        (&*self.mapping, &self.at, &self.row_values)
    }

    fn spent(&self) -> (u64, u64) {
        (self.gradients, 0)
    }

    /// The inverse of the last step size.
    fn l(&self) -> f64 {
        norm(&self.slope).powi(2) / self.eps
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

/// Whether u is 0 wherever it is finite, as far as a few points tell: some around `x` and what the prox makes of them.
fn is_indicator(u: &dyn Regulariser, x: &[f64]) -> bool {
    let zero_or_outside = |x: &[f64]| {
        let value = u.value(x);
        value == 0.0 || value == f64::INFINITY
    };
    [0.0, 1e-3, -1.0, 1e3].iter().all(|scale| {
        // Uneven, so that differences and sorted sums do not vanish.
        let mut point: Vec<f64> = (0..x.len()).map(|i| x[i] + scale * (1.0 + (i % 3) as f64)).collect();
        let at_point = zero_or_outside(&point);
        let projected = u.prox(Weight::scalar(1e6), &mut point).is_ok();
        at_point && projected && zero_or_outside(&point)
    })
}
