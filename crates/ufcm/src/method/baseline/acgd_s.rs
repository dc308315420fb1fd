//! ACGD-S, accelerated constrained gradient descent with sliding: Z. Zhang and G. Lan, *Solving convex smooth function
//! constrained optimization is almost as easy as unconstrained optimization* (2022).
//!
//! For min g_0(x) + u(x) subject to g_j(x) <= 0 with L_j-smooth g_j it is Algorithm 1 with h(z) = z_0 + indicator(z <= 0),
//! and it runs here as that. What is its own are the constants, as the paper reports them (section
//! section:application-to-func-constrained, and the proof of prop lemma:h-smooth-lambda-iterate-bound):
//!
//! ```text
//! L(Lambda_r) = max over Lambda_r of sum of lambda_j L_j = L_0 + sum of lambda*_j L_j + r |(L_1, ..., L_m)|
//! d(Lambda_r) = |lambda*| + r
//! C = d(Lambda_r)/D_x,  lambda^0 = 0
//! ```
//!
//! Lambda_r is the part of the ball of radius r around lambda* in lambda >= 0; the linear form is largest in the direction
//! of (L_j) >= 0, which leads into lambda >= 0, so the maximum is exact. L_ADA = L_0 + sum of (lambda*_j + r) L_j is larger by
//! r (|L|_1 - |L|_2). Delta = C/(2 L(Lambda_r)), as for Algorithm 1.
//!
//! [`AcgdS::strongly_convex`] is the variant for a mu_0-strongly convex g_0, which needs of the order of sqrt(L(Lambda_r)/mu_0) log(1/eps) gradients.
//! Its step sizes are our own derivation ([`Growing`](crate::method::Growing), decision 0026).

use super::form::Constrained;
use crate::error::{DataError, Position, check_all_nonnegative, check_length, check_positive};
use crate::linalg::norm_of;
use crate::method::start::check_multipliers;
use crate::method::{Ufcm, UfcmParameters};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::theory::promise::Balance;

const KIND: &str = "ACGD-S";

/// What ACGD-S asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct AcgdSParameters {
    /// L_j, the Lipschitz constant of the gradient of each row; 0 for affine ones.
    pub smoothness: Vec<f64>,
    /// lambda*, over all rows, or bounds of it from above.
    pub multipliers: Vec<f64>,
    /// r, the dual radius.
    pub r: f64,
    /// D_x >= |x^0 - x*|.
    pub d_x: f64,
}

impl AcgdSParameters {
    /// L(Lambda_r) and d(Lambda_r).
    ///
    /// # Errors
    /// A problem with a composer other than sums and constraints g <= 0, multipliers outside the domain of h*, or constants that are negative or zero
    /// where they must not be.
    pub fn constants(&self, problem: &Problem) -> Result<(f64, f64), DataError> {
        let Self { smoothness, multipliers, r, d_x } = self;
        let form = Constrained::of(KIND, problem)?;
        check_length(KIND, "L", problem.rows(), smoothness.len())?;
        check_all_nonnegative(KIND, "L", smoothness)?;
        check_multipliers(KIND, "lambda*", problem, multipliers)?;
        check_positive(KIND, "r", *r)?;
        check_positive(KIND, "D_x", *d_x)?;
        let constraints = || form.constraints.iter();
        let dualised: f64 =
            multipliers.iter().zip(smoothness).map(|(l, smoothness)| l.abs() * smoothness).sum();
        let l = dualised + r * norm_of(constraints().map(|&j| smoothness[j]));
        check_positive(KIND, "L(Lambda_r)", l)?;
        let d_lambda = norm_of(constraints().map(|&j| multipliers[j])) + r;
        Ok((l, d_lambda))
    }
}

/// ACGD-S in the making: [`Ufcm`] with the constants of Zhang and Lan.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::method::baseline::{AcgdS, AcgdSParameters};
/// use ufcm::problem::{IntoConstraint, Problem};
///
/// // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2: the answer is (1, 0), with multiplier 1.
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .build()?;
/// let parameters =
///     AcgdSParameters { smoothness: vec![1.0, 1.0], multipliers: vec![1.0, 1.0], r: 0.1, d_x: 1.0 };
/// let mut method = AcgdS::new(&problem, &[0.0, 0.0], &parameters)?;
/// assert!((method.l() - 2.1).abs() < 1e-12);
/// for _ in 0..100 { method.step()?; }
/// assert!((method.average_x()[0] - 1.0).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AcgdS<'a> {
    method: Ufcm<'a>,
    l: f64,
    d_lambda: f64,
}

impl<'a> AcgdS<'a> {
    /// Starts from `x` in X and multipliers 0.
    ///
    /// # Errors
    /// A problem with a composer other than sums and constraints g <= 0, multipliers outside the domain of h*, constants
    /// that are negative or zero where they must not be, or a point outside X.
    pub fn new(problem: &'a Problem, x: &[f64], parameters: &AcgdSParameters) -> Result<Self, DataError> {
        let (l, d_lambda) = parameters.constants(problem)?;
        Self::with_constants(problem, x, l, (parameters.d_x, d_lambda))
    }

    /// Starts from `x` in X and multipliers 0, with L(Lambda_r), D_x and d(Lambda_r) as they are given.
    ///
    /// # Errors
    /// As [`AcgdS::new`].
    pub fn with_constants(
        problem: &'a Problem,
        x: &[f64],
        l: f64,
        (d_x, d_lambda): (f64, f64),
    ) -> Result<Self, DataError> {
        let form = Constrained::of(KIND, problem)?;
        for (field, value) in [("L(Lambda_r)", l), ("D_x", d_x), ("d(Lambda_r)", d_lambda)] {
            check_positive(KIND, field, value)?;
        }
        let parameters = UfcmParameters { l_ada: l, balance: Balance::with_distances(l, d_x, d_lambda) };
        let method = Ufcm::new(problem, x, &form.weights, parameters)?;
        Ok(Self { method, l, d_lambda })
    }

    /// The same for an objective (the rows that are no constraints, with their weights) that is mu-strongly convex. After T iterations Q, and so the
    /// eps of (eps, r)-optimality, is at most 3 L(Lambda_r) D_x^2/(2 Omega_T), and Omega_T grows geometrically.
    ///
    /// ```
    /// use ufcm::component::Quadratic;
    /// use ufcm::method::baseline::AcgdS;
    /// use ufcm::problem::{IntoConstraint, Problem};
    ///
    /// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
    /// let problem = Problem::minimise(objective)
    ///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
    ///     .build()?;
    /// let mut method = AcgdS::strongly_convex(&problem, &[0.0, 0.0], (2.1, 1.0), (1.0, 1.1))?;
    /// for _ in 0..60 { method.step()?; }
    /// assert!((method.average_x()[0] - 1.0).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`AcgdS::new`], or a mu that is not between 0 and L(Lambda_r).
    pub fn strongly_convex(
        problem: &'a Problem,
        x: &[f64],
        (l, mu): (f64, f64),
        distances: (f64, f64),
    ) -> Result<Self, DataError> {
        check_positive(KIND, "mu_0", mu)?;
        if mu > l {
            return Err(DataError::out_of_range(KIND, "mu_0", Position::Scalar, mu, "at most L(Lambda_r)"));
        }
        let Self { method, l, d_lambda } = Self::with_constants(problem, x, l, distances)?;
        Ok(Self { method: method.growing(mu), l, d_lambda })
    }

    /// One outer iteration: one gradient, then sliding.
    ///
    /// # Errors
    /// As [`Ufcm::step`].
    pub fn step(&mut self) -> Result<(), OracleError> {
        self.method.step()
    }

    /// L(Lambda_r).
    #[must_use]
    pub fn l(&self) -> f64 {
        self.l
    }

    /// d(Lambda_r).
    #[must_use]
    pub fn d_lambda(&self) -> f64 {
        self.d_lambda
    }

    /// x^t.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        self.method.x()
    }

    /// The averaged point, the method's answer.
    #[must_use]
    pub fn average_x(&self) -> &[f64] {
        self.method.average_x()
    }

    /// Evaluations of all values and gradients.
    #[must_use]
    pub fn gradients(&self) -> u64 {
        self.method.iterations() as u64
    }

    /// Proximal steps on u and on the multipliers.
    #[must_use]
    pub fn inner_steps(&self) -> u64 {
        self.method.inner_steps()
    }

    /// Algorithm 1, to be told what to keep besides.
    pub(in crate::method) fn method_mut(&mut self) -> &mut Ufcm<'a> {
        &mut self.method
    }

    /// Algorithm 1 as it stands.
    #[must_use]
    pub fn method(&self) -> &Ufcm<'a> {
        &self.method
    }
}
