//! One convex function, and what more it may know of itself.

use super::{ErrorRates, Grounds, MinorantSums, OracleError, QuadraticForm};
use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::ranks::{Link, Split};
use std::sync::Arc;

/// Hölder smoothness (L, p): |∇f(x) - ∇f(y)| <= L |x - y|^p, p in [0, 1] (eq:intro-Holder-def).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothness {
    /// L >= 0.
    pub constant: f64,
    /// p in [0, 1]: 1 is Lipschitz gradients, 0 is bounded variation of subgradients.
    pub exponent: f64,
}

/// Uniform convexity (mu, q): f(y) >= f(x) + <∇f(x), y - x> + mu/(q+1) |y - x|^(q+1), q >= 1 (eq:intro-UC-def).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convexity {
    /// mu >= 0.
    pub constant: f64,
    /// q >= 1: 1 is strong convexity.
    pub exponent: f64,
}

/// One convex function g_j.
///
/// # Example
///
/// A user's own component needs two methods and a name:
///
/// ```
/// use ufcm::oracle::{Component, OracleError};
///
/// /// x -> sum of x_i^4 / 4
/// struct Quartic(usize);
///
/// impl Component for Quartic {
///     fn kind(&self) -> &'static str { "quartic" }
///     fn dimension(&self) -> usize { self.0 }
///     fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
///         if let Some(gradient) = gradient {
///             for (g, x) in gradient.iter_mut().zip(x) { *g = x.powi(3); }
///         }
///         Ok(x.iter().map(|x| x.powi(4) / 4.0).sum())
///     }
/// }
///
/// let mut gradient = [0.0; 2];
/// assert_eq!(Quartic(2).evaluate(&[2.0, 0.0], Some(&mut gradient)).unwrap(), 4.0);
/// assert_eq!(gradient, [8.0, 0.0]);
/// ```
pub trait Component: Send + Sync {
    /// What this is, in words for messages: `logistic loss`.
    fn kind(&self) -> &'static str;

    /// n, the number of variables.
    fn dimension(&self) -> usize;

    /// The value at `x`; and, where a buffer is given, the gradient (or a subgradient), overwriting it.
    ///
    /// Both in one call, so that nobody computes them in two passes over the data by accident.
    ///
    /// # Errors
    /// Whatever kept the oracle from answering with finite numbers.
    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError>;

    /// On what it rests that the component is convex, that its gradient is right, and what it says of itself below: on a
    /// user's code, unless it says more. Certificates name what does not rest on construction, and a run audits it before it
    /// claims a success. Say [`Grounds::Construction`] only where the data prove it.
    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    /// Hölder smoothness (L, p) that holds on the whole space, if known.
    fn smoothness(&self) -> Option<Smoothness> {
        None
    }

    /// Uniform convexity (mu, q) that holds on the whole space, if known to be more than plain convexity.
    fn convexity(&self) -> Option<Convexity> {
        None
    }

    /// Whether the component is affine: its multiplier may then have any sign and any composer may hold it.
    fn is_affine(&self) -> bool {
        false
    }

    /// A number the component never goes below, if known (losses are nonnegative).
    fn lower_bound(&self) -> Option<f64> {
        None
    }

    /// Adds `weight` times an affine function that lies below the component everywhere, and answers whether one is known: a loss has a
    /// lower bound, a quadratic its linear part. The weight is negative for affine components alone. Where there is none, what was
    /// added means nothing.
    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        let Some(bound) = self.lower_bound() else { return false };
        sums.add_affine(weight, bound, None);
        true
    }

    /// Second-order knowledge, if there is any.
    fn curvature(&self) -> Option<&dyn Curvature> {
        None
    }

    /// The component as a quadratic, if that is what it is; affine ones may be, too.
    fn quadratic(&self) -> Option<&dyn QuadraticForm> {
        None
    }

    /// Floating-point operations of one value and gradient, if known. Decisions use this, never a clock.
    fn operations(&self) -> Option<u64> {
        None
    }

    /// The component as a function of these variables alone, in increasing order, the others being 0; `None` where it cannot be had. Methods
    /// for sparse answers work on a few variables at a time.
    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let _ = variables;
        None
    }

    /// Whether [`Component::restricted`] has an answer, which is asked before there is use for one: it copies data.
    fn is_restrictable(&self) -> bool {
        self.restricted(&[0]).is_some()
    }

    /// The value at `x` with the error rates there, from one read of the data; `None` for all but losses over samples with the labels 1 and -1. Where
    /// ranks have their own samples, all of them ask.
    fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        let _ = x;
        None
    }

    /// How the component is made of what several ranks have, where each has its own samples: a mean or a sum of parts over data; whole, the same
    /// on every rank, unless it says otherwise.
    fn split(&self) -> Split {
        Split::Whole
    }

    /// Adds the numbers, other than samples, that ranks must have in common where each has its own samples: factors, constants, parameters of a loss.
    fn add_parameters(&self, out: &mut Vec<f64>) {
        let _ = out;
    }

    /// What it is spread over, where ranks have parts of it.
    fn link(&self) -> Option<&Arc<Link>> {
        None
    }

    /// Writes the component down as part of a conic program, of arguments that are these expressions: an expression that can
    /// be as small as its value, and what holds that. `None` where there is no such form, or none that is small enough.
    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let _ = (form, x);
        None
    }
}

/// Second-order knowledge of a component: its Hessian, or a generalised one where it is only piecewise smooth, or the
/// curvature of a quadratic that touches it and lies above it where derivatives are not even Lipschitz continuous. Metrics
/// are made of it; bounds rest on [`Curvature::add_floor`] alone.
pub trait Curvature: Send + Sync {
    /// Adds `weight` times the diagonal of the Hessian at `x`.
    ///
    /// # Errors
    /// As [`Component::evaluate`].
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError>;

    /// Adds `weight` times the Hessian at `x` to the lower triangle of an n x n matrix, stored by columns:
    /// entry (i, j), i >= j, is `hessian[j * n + i]`. What stands above the diagonal is left as it is.
    ///
    /// # Errors
    /// As [`Component::evaluate`].
    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError>;

    /// As [`Curvature::add_hessian`], within a budget: a Hessian that takes long asks it now and then.
    ///
    /// # Errors
    /// As [`Component::evaluate`], and the budget.
    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        budget.component()?;
        self.add_hessian(x, weight, hessian)
    }

    /// The terms of rank one that the Hessian is a sum of, where some of them can stand for all: the samples of a loss over data. 1 where it is
    /// no such sum.
    fn terms(&self) -> usize {
        1
    }

    /// As [`Curvature::add_hessian_within`], from about this share of the terms, in (0, 1], which stand for the others: the same ones every
    /// time. A metric proves nothing, so that its Hessian need not be exact.
    ///
    /// # Errors
    /// As [`Curvature::add_hessian_within`].
    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let _ = share;
        self.add_hessian_within(x, weight, hessian, budget)
    }

    /// Operations of [`Curvature::add_hessian`], if known.
    fn hessian_operations(&self) -> Option<u64> {
        None
    }

    /// Whether there are products with the Hessian that cost no more than a few gradients and form no matrix.
    fn has_products(&self) -> bool {
        false
    }

    /// Adds `weight` times the Hessian at `x` times each of the vectors, of n entries each and one after the other, to what
    /// stands in their places in `out`.
    ///
    /// # Errors
    /// As [`Component::evaluate`]; [`OracleError::Unsupported`] where [`Curvature::has_products`] says no.
    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let _ = (x, weight, vectors, out);
        Err(OracleError::Unsupported { oracle: "component", what: "products with its Hessian" })
    }

    /// Adds `weight` times a diagonal d with Hessian diagonals <= d at every point, and answers whether there is
    /// one (column norms of the data, the diagonal of Q). It costs no pass over the data once known.
    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let _ = (weight, diagonal);
        false
    }

    /// Adds `weight` >= 0 times a matrix that the second derivatives exceed everywhere within `radius` of `x`, which may be infinite,
    /// to the lower triangle of a matrix as [`Curvature::add_hessian`] does. Lower bounds rest on it where X is unbounded. Nothing
    /// is added where nothing is proven.
    ///
    /// # Errors
    /// As [`Component::evaluate`], and the budget.
    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let _ = (x, radius, weight, hessian, budget);
        Ok(())
    }

    /// `weight` times what [`Curvature::add_floor`] adds for an infinite radius, as entries (i, j, value) with i >= j, some perhaps in
    /// parts: where they are few and all that there is for every radius (a sparse Q). Proofs then work on these alone.
    fn sparse_floor(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        let _ = weight;
        None
    }

    /// Whether second derivatives are the same at all points between kinks of the gradient, as those of squares, squared hinges and Huber's function
    /// are: what is made of such functions and affine rows is a quadratic program.
    fn is_piecewise_constant(&self) -> bool {
        false
    }
}
