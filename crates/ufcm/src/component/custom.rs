//! A user's own function, from closures.

use crate::error::{DataError, DataProblem, Position, check_finite_scalar, check_nonnegative};
use crate::oracle::{Component, Convexity, Curvature, Grounds, OracleError, Smoothness};
use crate::pool::Pool;

const KIND: &str = "custom component";

type Evaluate = dyn Fn(&[f64], Option<&mut [f64]>) -> Result<f64, OracleError> + Send + Sync;
type Hessian = dyn Fn(&[f64], &mut [f64]) -> Result<(), OracleError> + Send + Sync;

/// A component from a closure that returns the value and, where a buffer is given, fills it with the gradient.
///
/// Convexity is on the user's word; [`audit`](crate::audit) looks for mistakes.
///
/// ```
/// use ufcm::component::Custom;
/// use ufcm::oracle::Component;
///
/// let g = Custom::new(1, |x, gradient| {
///     if let Some(gradient) = gradient { gradient[0] = x[0].exp(); }
///     Ok(x[0].exp())
/// })?
/// .with_hessian(|x, hessian| { hessian[0] = x[0].exp(); Ok(()) })
/// .with_lower_bound(0.0)?;
/// assert_eq!(g.evaluate(&[0.0], None)?, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Custom {
    n: usize,
    evaluate: Box<Evaluate>,
    hessian: Option<Box<Hessian>>,
    smoothness: Option<Smoothness>,
    convexity: Option<Convexity>,
    lower_bound: Option<f64>,
    pool: Pool,
}

impl std::fmt::Debug for Custom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Custom").field("n", &self.n).finish_non_exhaustive()
    }
}

impl Custom {
    /// A component of `n` variables.
    ///
    /// # Errors
    /// No variables.
    pub fn new(
        n: usize,
        evaluate: impl Fn(&[f64], Option<&mut [f64]>) -> Result<f64, OracleError> + Send + Sync + 'static,
    ) -> Result<Self, DataError> {
        if n == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "x" }));
        }
        Ok(Self {
            n,
            evaluate: Box::new(evaluate),
            hessian: None,
            smoothness: None,
            convexity: None,
            lower_bound: None,
            pool: Pool::default(),
        })
    }

    /// Adds a Hessian: the closure fills an n x n matrix (symmetric, so by rows or by columns; only entries
    /// `hessian[j * n + i]` with i >= j are read). The matrix comes filled with zeros.
    #[must_use]
    pub fn with_hessian(
        mut self,
        hessian: impl Fn(&[f64], &mut [f64]) -> Result<(), OracleError> + Send + Sync + 'static,
    ) -> Self {
        self.hessian = Some(Box::new(hessian));
        self
    }

    /// Declares Hölder smoothness (L, p).
    ///
    /// # Errors
    /// A negative or infinite constant, or an exponent outside [0, 1].
    pub fn with_smoothness(mut self, smoothness: Smoothness) -> Result<Self, DataError> {
        check_nonnegative(KIND, "L", smoothness.constant)?;
        if !(0.0..=1.0).contains(&smoothness.exponent) {
            let (position, expected) = (Position::Scalar, "between 0 and 1");
            return Err(DataError::out_of_range(KIND, "p", position, smoothness.exponent, expected));
        }
        self.smoothness = Some(smoothness);
        Ok(self)
    }

    /// Declares uniform convexity (mu, q).
    ///
    /// # Errors
    /// A negative or infinite constant, or an exponent below 1.
    pub fn with_convexity(mut self, convexity: Convexity) -> Result<Self, DataError> {
        check_nonnegative(KIND, "mu", convexity.constant)?;
        check_finite_scalar(KIND, "q", convexity.exponent)?;
        if convexity.exponent < 1.0 {
            let (position, expected) = (Position::Scalar, "at least 1");
            return Err(DataError::out_of_range(KIND, "q", position, convexity.exponent, expected));
        }
        self.convexity = Some(convexity);
        Ok(self)
    }

    /// Declares a number the function never goes below.
    ///
    /// # Errors
    /// A bound that is not finite.
    pub fn with_lower_bound(mut self, bound: f64) -> Result<Self, DataError> {
        check_finite_scalar(KIND, "the lower bound", bound)?;
        self.lower_bound = Some(bound);
        Ok(self)
    }

    fn with_hessian_at<T>(&self, x: &[f64], work: impl FnOnce(&[f64]) -> T) -> Result<T, OracleError> {
        let what = "a Hessian";
        let hessian = self.hessian.as_ref().ok_or(OracleError::Unsupported { oracle: KIND, what })?;
        OracleError::check_point(self.n, x, None)?;
        self.pool.with(self.n * self.n, |matrix| {
            matrix.fill(0.0);
            hessian(x, matrix)?;
            OracleError::check_finite("hessian", matrix)?;
            Ok(work(matrix))
        })
    }
}

impl Component for Custom {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        OracleError::check_point(self.n, x, gradient.as_deref())?;
        let value = (self.evaluate)(x, gradient.as_deref_mut())?;
        OracleError::check_finite("gradient", gradient.as_deref().unwrap_or_default())?;
        OracleError::check_value(value)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.smoothness
    }

    fn convexity(&self) -> Option<Convexity> {
        self.convexity
    }

    fn lower_bound(&self) -> Option<f64> {
        self.lower_bound
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.hessian.is_some().then_some(self as &dyn Curvature)
    }
}

impl Curvature for Custom {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("diagonal", self.n, diagonal.len())?;
        self.with_hessian_at(x, |matrix| {
            diagonal.iter_mut().enumerate().for_each(|(i, d)| *d += weight * matrix[i * self.n + i]);
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("hessian", self.n * self.n, hessian.len())?;
        self.with_hessian_at(x, |matrix| {
            for j in 0..self.n {
                for i in j..self.n {
                    hessian[j * self.n + i] += weight * matrix[j * self.n + i];
                }
            }
        })
    }
}
