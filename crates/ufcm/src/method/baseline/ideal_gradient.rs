//! For comparison, since it needs the solution: accelerated proximal gradients on the problem dualised by the *true* multipliers
//! (eq:dualized-ideal-problem),
//!
//! ```text
//! min over x in X:  f(x) + u(x),  f(x) = sum of lambda*_j g_j(x)
//! ```
//!
//! by FISTA (Beck and Teboulle, SIAM J. Imaging Sciences 2, 2009). With y_1 = x_0 and t_1 = 1:
//!
//! ```text
//! x_k = argmin over w of <∇f(y_k), w> + u(w) + L/2 |w - y_k|^2
//! t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2
//! y_{k+1} = x_k + (t_k - 1)/t_{k+1} (x_k - x_{k-1})
//! ```
//!
//! The dualised objective is then within 2 L |x_0 - x*|^2/(k+1)^2 of its least value, for L >= sum of lambda*_j L_j.
//! Where f or u is strongly convex, its minimiser is x*; else x* is only one of its minimisers.
//!
//! Restarts (O'Donoghue and Candès, Found. Comput. Math. 15, 2015, function scheme) drop a step that increased the
//! objective and its momentum with it: values never increase, and strong convexity is made use of without being known.

use super::rival::Rival;
use crate::error::{DataError, check_positive};
use crate::linalg::dot;
use crate::method::start::{check_multipliers, check_x};
use crate::oracle::{Mapping, OracleError, Weight};
use crate::problem::Problem;

const KIND: &str = "ideal gradient method";

/// FISTA on the dualised problem, in the making.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::method::baseline::IdealGradient;
/// use ufcm::problem::{IntoConstraint, Problem};
///
/// // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2: the answer is (1, 0), with multiplier 1.
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .build()?;
/// let mut method = IdealGradient::new(&problem, &[0.0, 3.0], &[1.0, 1.0], 2.0)?;
/// method.step()?; // L = 2 is exact: one step is enough
/// assert_eq!(method.x(), [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IdealGradient<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    multipliers: Vec<f64>,
    l: f64,
    restarting: bool,
    /// t_k
    t: f64,
    x: Vec<f64>,
    x_before: Vec<f64>,
    y: Vec<f64>,
    /// The dualised objective at x, where restarts watch it.
    value: f64,
    row_values: Vec<f64>,
    /// Where the last gradient was taken, and the rows there.
    at: Vec<f64>,
    values_at: Vec<f64>,
    gradient: Vec<f64>,
    gradients: u64,
    values: u64,
}

impl<'a> IdealGradient<'a> {
    /// Starts from `x` in X with the true `multipliers` over all rows, and `l` >= sum of lambda*_j L_j.
    ///
    /// # Errors
    /// Multipliers outside the domain of h*, a point outside X, or a constant that is not positive.
    pub fn new(problem: &'a Problem, x: &[f64], multipliers: &[f64], l: f64) -> Result<Self, DataError> {
        check_positive(KIND, "L", l)?;
        check_x(KIND, problem, x)?;
        check_multipliers(KIND, "lambda*", problem, multipliers)?;
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            multipliers: multipliers.to_vec(),
            l,
            restarting: false,
            t: 1.0,
            x: x.to_vec(),
            x_before: x.to_vec(),
            y: x.to_vec(),
            value: f64::INFINITY,
            row_values: vec![0.0; multipliers.len()],
            at: x.to_vec(),
            values_at: vec![0.0; multipliers.len()],
            gradient: vec![0.0; x.len()],
            gradients: 0,
            values: 0,
        })
    }

    /// Also restarts the momentum where the objective would increase, at one more evaluation of the values a step.
    #[must_use]
    pub fn restarting(mut self) -> Self {
        self.restarting = true;
        self
    }

    /// One iteration: one gradient, and one evaluation of the values where restarts were asked for.
    ///
    /// # Errors
    /// A component, or a prox, that failed.
    pub fn step(&mut self) -> Result<(), OracleError> {
        self.problem.budget().gradient()?;
        self.at.copy_from_slice(&self.y);
        self.mapping.linearise(&self.at, &mut self.values_at)?;
        self.gradients += 1;
        self.mapping.apply_transpose(&self.multipliers, &mut self.gradient);
        self.x_before.copy_from_slice(&self.x);
        for ((x, y), slope) in self.x.iter_mut().zip(&self.y).zip(&self.gradient) {
            *x = y - slope / self.l;
        }
        self.problem.regulariser().prox(Weight::scalar(self.l), &mut self.x)?;
        if self.restarting && self.has_increased()? {
            self.x.copy_from_slice(&self.x_before);
            self.y.copy_from_slice(&self.x_before);
            self.t = 1.0;
            return Ok(());
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let momentum = (self.t - 1.0) / t;
        self.t = t;
        for ((y, x), before) in self.y.iter_mut().zip(&self.x).zip(&self.x_before) {
            *y = x + momentum * (x - before);
        }
        Ok(())
    }

    /// Whether the objective is larger at x than it was before; keeps its value where it is not.
    fn has_increased(&mut self) -> Result<bool, OracleError> {
        self.mapping.values(&self.x, &mut self.row_values)?;
        self.values += 1;
        let value = dot(&self.multipliers, &self.row_values) + self.problem.regulariser().value(&self.x);
        let increased = value > self.value;
        if !increased {
            self.value = value;
        }
        Ok(increased)
    }

    /// x_k, the method's answer.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Evaluations of all values and gradients.
    #[must_use]
    pub fn gradients(&self) -> u64 {
        self.gradients
    }

    /// Evaluations of all values alone.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }
}

impl Rival for IdealGradient<'_> {
    const NAME: &'static str = "ideal";

    fn advance(&mut self) -> Result<(), OracleError> {
        self.step()
    }

    fn answer(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.multipliers)
    }

    fn linearised(&self) -> (&dyn Mapping, &[f64], &[f64]) {
        (&*self.mapping, &self.at, &self.values_at)
    }

    fn spent(&self) -> (u64, u64) {
        (self.gradients, self.values)
    }

    fn l(&self) -> f64 {
        self.l
    }
}
