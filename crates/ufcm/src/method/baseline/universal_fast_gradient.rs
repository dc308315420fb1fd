//! Nesterov's universal fast gradient method: *Universal gradient methods for convex optimization problems*,
//! Mathematical Programming 152 (2015), method (4.1).
//!
//! For f(x) = <w, g(x)>, h being a sum, and u. With A_0 = 0, v_0 = y_0 = x_0, and for L = L_k, 2 L_k, 4 L_k, ...:
//!
//! ```text
//! a > 0 with a^2/(A_k + a) = 1/L,  tau = a/(A_k + a)
//! x  = tau v_k + (1 - tau) y_k
//! x^ = argmin over w of a (<∇f(x), w> + u(w)) + 1/2 |w - v_k|^2
//! y  = tau x^ + (1 - tau) y_k
//! until f(y) <= f(x) + <∇f(x), y - x> + L/2 |y - x|^2 + tau eps/2
//! ```
//!
//! Then y_{k+1} = y, A_{k+1} = A_k + a, L_{k+1} = L/2, and v_{k+1} = argmin over w of
//! 1/2 |w - x_0|^2 + sum of a_i <∇f(x_i), w> + A_{k+1} u(w).
//!
//! F(y_k) - F* <= |x_0 - x*|^2/(2 A_k) + eps/2, whatever the Hölder smoothness (M, p) of f, which the method does not know:
//! A_k >= k^2/(8 M) for p = 1, and A_k >= eps k/(4 M^2) for p = 0 (Theorem 3).

use super::form::sum_weights;
use super::rival::Rival;
use super::{ROUNDING, TRIALS, gave_up};
use crate::error::{DataError, check_positive};
use crate::linalg::dot;
use crate::method::start::check_x;
use crate::oracle::{Mapping, OracleError, Weight};
use crate::problem::Problem;

const KIND: &str = "universal fast gradient method";

/// Below this, L is not halved any more: only affine f come here, and steps must stay finite.
const SMALLEST_L: f64 = 1e-100;

/// Nesterov's universal fast gradient method in the making.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::method::baseline::UniversalFastGradient;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::L1;
///
/// // min |x|^2/2 - 2 x_0 - x_1/2 + |x|_1: the answer is (1, 0).
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, -0.5])?;
/// let problem = Problem::minimise(objective).regularised_by(L1::new(1.0)?).build()?;
/// let mut method = UniversalFastGradient::new(&problem, &[0.0, 0.0], 1e-6, 0.01)?;
/// for _ in 0..50 { method.step()?; }
/// assert!((method.x()[0] - 1.0).abs() < 1e-3 && method.x()[1].abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UniversalFastGradient<'a> {
    problem: &'a Problem,
    mapping: Box<dyn Mapping>,
    weights: Vec<f64>,
    eps: f64,
    /// L_k
    l: f64,
    /// A_k
    weight_sum: f64,
    start: Vec<f64>,
    /// Sum of a_i ∇f(x_i).
    slope_sum: Vec<f64>,
    v: Vec<f64>,
    y: Vec<f64>,
    /// x, x^ and y of a trial.
    point: Vec<f64>,
    step: Vec<f64>,
    y_trial: Vec<f64>,
    gradient: Vec<f64>,
    /// g at x and at y of a trial.
    point_values: Vec<f64>,
    row_buffer: Vec<f64>,
    gradients: u64,
    values: u64,
}

impl<'a> UniversalFastGradient<'a> {
    /// Starts from `x` in X; `l` is the first guess L_0 of the constant, best too small.
    ///
    /// # Errors
    /// A problem with any composer other than sums, a parameter that is not positive, or a point outside X.
    pub fn new(problem: &'a Problem, x: &[f64], eps: f64, l: f64) -> Result<Self, DataError> {
        check_positive(KIND, "eps", eps)?;
        check_positive(KIND, "L0", l)?;
        let weights = sum_weights(KIND, problem)?;
        check_x(KIND, problem, x)?;
        let zeros = vec![0.0; x.len()];
        Ok(Self {
            problem,
            mapping: problem.mapping(),
            point_values: vec![0.0; weights.len()],
            row_buffer: vec![0.0; weights.len()],
            weights,
            eps,
            l,
            weight_sum: 0.0,
            start: x.to_vec(),
            slope_sum: zeros.clone(),
            v: x.to_vec(),
            y: x.to_vec(),
            point: zeros.clone(),
            step: zeros.clone(),
            y_trial: zeros.clone(),
            gradient: zeros,
            gradients: 0,
            values: 0,
        })
    }

    /// One iteration: as many gradients, and as many values, as it takes trials (two on average).
    ///
    /// # Errors
    /// A component, or a prox, that failed; no constant that passes the test.
    pub fn step(&mut self) -> Result<(), OracleError> {
        let mut l = self.l;
        for _ in 0..TRIALS {
            let a = (1.0 + (1.0 + 4.0 * l * self.weight_sum).sqrt()) / (2.0 * l);
            if self.trial(l, a)? {
                return self.accept(l, a);
            }
            l *= 2.0;
        }
        Err(gave_up(KIND))
    }

    /// Whether the trial with this L passes.
    fn trial(&mut self, l: f64, a: f64) -> Result<bool, OracleError> {
        let tau = a / (self.weight_sum + a);
        for ((x, v), y) in self.point.iter_mut().zip(&self.v).zip(&self.y) {
            *x = tau * v + (1.0 - tau) * y;
        }
        self.problem.budget().gradient()?;
        self.mapping.linearise(&self.point, &mut self.point_values)?;
        self.gradients += 1;
        let f_x = self.problem.composer().value(&self.point_values);
        self.mapping.apply_transpose(&self.weights, &mut self.gradient);
        for ((step, v), slope) in self.step.iter_mut().zip(&self.v).zip(&self.gradient) {
            *step = v - a * slope;
        }
        self.problem.regulariser().prox(Weight::scalar(1.0 / a), &mut self.step)?;
        for ((trial, step), y) in self.y_trial.iter_mut().zip(&self.step).zip(&self.y) {
            *trial = tau * step + (1.0 - tau) * y;
        }
        self.mapping.values(&self.y_trial, &mut self.row_buffer)?;
        self.values += 1;
        let f_y = self.problem.composer().value(&self.row_buffer);
        let size: f64 = self.weights.iter().zip(&self.row_buffer).map(|(w, g)| (w * g).abs()).sum();
        // y - x takes the place of x^, which is in y by now.
        for ((step, y), x) in self.step.iter_mut().zip(&self.y_trial).zip(&self.point) {
            *step = y - x;
        }
        let model = f_x + dot(&self.gradient, &self.step) + 0.5 * l * dot(&self.step, &self.step);
        Ok(f_y <= model + 0.5 * self.eps * tau + ROUNDING * size)
    }

    fn accept(&mut self, l: f64, a: f64) -> Result<(), OracleError> {
        self.l = (0.5 * l).max(SMALLEST_L);
        self.weight_sum += a;
        self.y.copy_from_slice(&self.y_trial);
        self.slope_sum.iter_mut().zip(&self.gradient).for_each(|(sum, slope)| *sum += a * slope);
        for ((v, start), sum) in self.v.iter_mut().zip(&self.start).zip(&self.slope_sum) {
            *v = start - sum;
        }
        self.problem.regulariser().prox(Weight::scalar(1.0 / self.weight_sum), &mut self.v)
    }

    /// y_k, the method's answer.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.y
    }

    /// L_k, from which the next iteration's trials start.
    #[must_use]
    pub fn l(&self) -> f64 {
        self.l
    }

    /// A_k: F(x) - F* <= |x_0 - x*|^2/(2 A_k) + eps/2.
    #[must_use]
    pub fn weight_sum(&self) -> f64 {
        self.weight_sum
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

impl Rival for UniversalFastGradient<'_> {
    const NAME: &'static str = "ufgm";

    fn advance(&mut self) -> Result<(), OracleError> {
        self.step()
    }

    fn answer(&self) -> (&[f64], &[f64]) {
        (&self.y, &self.weights)
    }

    /// The last trial passed, so that what it wrote belongs to y.
    fn row_values(&self) -> Option<&[f64]> {
        Some(&self.row_buffer)
    }

    fn linearised(&self) -> (&dyn Mapping, &[f64], &[f64]) {
        (&*self.mapping, &self.point, &self.point_values)
    }

    fn spent(&self) -> (u64, u64) {
        (self.gradients, self.values)
    }

    fn l(&self) -> f64 {
        self.l
    }
}
