//! x'Qx / 2 + c.x + d with Q dense, sparse, diagonal, or F'F plus a diagonal.

mod conic;
mod convexity;
pub(super) use conic::conic_by_hessian;
mod entry;
mod form;

use crate::budget::Budget;
use crate::conic::{Expression, Form as ConicForm};
use crate::error::{DataError, check_finite, check_finite_scalar, check_length};
use crate::kernel::simd;
use crate::matrix::Matrix;
use crate::oracle::{
    Component, Convexity, Curvature, Grounds, MinorantSums, OracleError, QuadraticForm, Smoothness,
};
use crate::pool::Pool;
pub(super) use entry::ENTRY;
use form::Form;
use std::sync::{Arc, OnceLock};

const KIND: &str = "quadratic";

/// A convex quadratic.
///
/// Whether Q is positive semidefinite is proven by a factorisation: when it is made up to order 300, and up to order 1000 when a proof
/// rests on it. Until then it is checked cheaply (diagonal, 2 x 2 minors, a few Lanczos steps: a small multiple of reading Q), which
/// catches most mistakes but proves nothing. [`Quadratic::trusted`] takes the user's word, [`Quadratic::prove_convex`] factors any Q. Diagonal and factored forms
/// are convex by their form. On what convexity rests is told by [`Component::grounds`].
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let q = Matrix::row_major(2, 2, vec![2.0, 1.0, 1.0, 2.0])?;
/// let g = Quadratic::new(&q)?.with_linear(vec![-1.0, 0.0])?;
/// let mut gradient = [0.0; 2];
/// assert_eq!(g.evaluate(&[1.0, 1.0], Some(&mut gradient))?, 2.0);
/// assert_eq!(gradient, [2.0, 3.0]);
///
/// let indefinite = Matrix::row_major(2, 2, vec![1.0, 2.0, 2.0, 1.0])?;
/// assert!(Quadratic::new(&indefinite).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Quadratic {
    form: Form,
    linear: Option<Vec<f64>>,
    constant: f64,
    /// (mu, L) with mu |x|^2 <= x'Qx <= L |x|^2.
    spectrum: (f64, f64),
    /// Whether nobody but the caller says that Q is positive semidefinite.
    trusted: bool,
    /// Whether the data prove it, once somebody asked.
    proven: OnceLock<bool>,
    /// Set where [`Quadratic::prove_convex`] has proven it.
    proven_on_demand: OnceLock<()>,
    pool: Pool,
}

impl Quadratic {
    fn from_form(form: Form) -> Self {
        let spectrum = form.spectrum_bounds();
        let (proven, proven_on_demand, pool) = Default::default();
        Self { form, linear: None, constant: 0.0, spectrum, trusted: false, proven, proven_on_demand, pool }
    }

    /// x'Qx / 2 for a symmetric matrix, dense or sparse.
    ///
    /// # Errors
    /// A matrix that is empty, not square, not symmetric, or found not to be positive semidefinite.
    pub fn new(q: &Matrix) -> Result<Self, DataError> {
        let quadratic = Form::symmetric(q).map(Self::from_form)?;
        // A proof, where one is quick, is worth more than a search for the contrary, and costs no more. Of larger ones it is asked for
        // where a certificate rests on them.
        if !convexity::is_quickly_proven(&quadratic.form) || !quadratic.is_proven() {
            convexity::refute(&quadratic.form, quadratic.spectrum.1, &quadratic.pool)?;
        }
        Ok(quadratic)
    }

    /// As [`Quadratic::new`], with positive semidefiniteness on the caller's word: lower bounds rest on it.
    ///
    /// # Errors
    /// A matrix that is empty, not square or not symmetric.
    pub fn trusted(q: &Matrix) -> Result<Self, DataError> {
        Ok(Self { trusted: true, ..Form::symmetric(q).map(Self::from_form)? })
    }

    /// sum of d_i x_i^2 / 2.
    ///
    /// # Errors
    /// No entries, or one that is negative or not finite.
    pub fn diagonal(diagonal: Vec<f64>) -> Result<Self, DataError> {
        Form::diagonal(diagonal).map(Self::from_form)
    }

    /// |F x|^2 / 2 + sum of d_i x_i^2 / 2, the second part only if `diagonal` is given: the form of choice where Q has
    /// low rank (factor models, F with few rows).
    ///
    /// # Errors
    /// An empty factor, or a diagonal of the wrong length or with an entry that is negative or not finite.
    pub fn factored(factor: Matrix, diagonal: Option<Vec<f64>>) -> Result<Self, DataError> {
        Form::factored(factor, diagonal).map(Self::from_form)
    }

    /// Adds c.x.
    ///
    /// # Errors
    /// The wrong length, or an entry that is not finite.
    pub fn with_linear(mut self, c: Vec<f64>) -> Result<Self, DataError> {
        check_length(KIND, "c", self.form.order(), c.len())?;
        check_finite(KIND, "c", &c)?;
        self.linear = Some(c);
        Ok(self)
    }

    /// Adds a constant.
    ///
    /// # Errors
    /// A constant that is not finite.
    pub fn with_constant(mut self, constant: f64) -> Result<Self, DataError> {
        check_finite_scalar(KIND, "constant", constant)?;
        self.constant = constant;
        Ok(self)
    }

    /// Whether the data prove it, as far as that is quickly told.
    fn is_proven(&self) -> bool {
        *self.proven.get_or_init(|| convexity::is_proven(&self.form, convexity::SMALL_FACTOR))
    }

    /// Proves by a factorisation that Q is positive semidefinite up to rounding: in O(n^3) operations where it is dense, in
    /// as few as its pattern allows where it is sparse. `false` where nothing was proven, because the factor of a sparse Q
    /// would have more than 2^24 entries. What is proven with no more than the rounding of Q's entries counts as convex by
    /// construction from then on.
    ///
    /// # Errors
    /// Q is not.
    pub fn prove_convex(&self) -> Result<bool, DataError> {
        if convexity::is_proven(&self.form, convexity::LARGEST_FACTOR) {
            self.proven_on_demand.get_or_init(|| ());
            return Ok(true);
        }
        convexity::prove(&self.form)
    }
}

impl Component for Quadratic {
    fn kind(&self) -> &'static str {
        KIND
    }

    /// Construction where the data prove it; a Q that is trusted, too large to factor unasked, or indefinite by more than the
    /// rounding of its entries rests on the user's word.
    fn grounds(&self) -> Grounds {
        let proven = self.proven_on_demand.get().is_some() || !self.trusted && self.is_proven();
        if proven { Grounds::Construction } else { Grounds::Trusted }
    }

    fn dimension(&self) -> usize {
        self.form.order()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        OracleError::check_point(self.form.order(), x, gradient.as_deref())?;
        self.pool.with(x.len(), |product| {
            self.product(x, product);
            let value = self.finish(x, product);
            if let Some(gradient) = gradient {
                gradient.copy_from_slice(product);
            }
            OracleError::check_value(value)
        })
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: self.spectrum.1, exponent: 1.0 })
    }

    fn convexity(&self) -> Option<Convexity> {
        (self.spectrum.0 > 0.0).then_some(Convexity { constant: self.spectrum.0, exponent: 1.0 })
    }

    /// x'Qx is not negative.
    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        sums.add_affine(weight, self.constant, self.linear.as_deref());
        true
    }

    fn lower_bound(&self) -> Option<f64> {
        self.linear.is_none().then_some(self.constant)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn quadratic(&self) -> Option<&dyn QuadraticForm> {
        Some(self)
    }

    fn operations(&self) -> Option<u64> {
        Some(self.form.operations() + 4 * self.form.order() as u64)
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let form = self.form.restricted(variables)?;
        let linear = self.linear.as_ref().map(|c| variables.iter().map(|&i| c[i]).collect());
        // A principal part of what is convex is convex, on the same grounds.
        let trusted = true;
        Some(Arc::new(Self { linear, constant: self.constant, trusted, ..Self::from_form(form) }))
    }

    fn is_restrictable(&self) -> bool {
        true
    }

    fn conic(&self, form: &mut ConicForm, x: &[Expression]) -> Option<Expression> {
        let mut sum = conic::half_squares_of(self, form, x)?.shifted(self.constant);
        if let Some(c) = &self.linear {
            sum.add(1.0, &Expression::combination(c.iter().copied().enumerate(), x));
        }
        Some(sum)
    }
}

impl QuadraticForm for Quadratic {
    fn product(&self, x: &[f64], out: &mut [f64]) {
        self.form.apply(x, out, &self.pool);
    }

    fn finish(&self, x: &[f64], product: &mut [f64]) -> f64 {
        let value = 0.5 * simd::dot(x, product) + self.constant;
        let Some(c) = &self.linear else { return value };
        simd::add_scaled(1.0, c, product);
        value + simd::dot(c, x)
    }

    fn needs_factorisation(&self) -> bool {
        let is_known = self.proven.get().is_some() || self.proven_on_demand.get().is_some();
        !is_known && self.spectrum.0 <= 0.0 && !convexity::is_quickly_proven(&self.form)
    }
}

impl Curvature for Quadratic {
    fn add_floor(
        &self,
        x: &[f64],
        _radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, budget)
    }

    fn sparse_floor(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        self.form.lower_entries(weight)
    }

    fn is_piecewise_constant(&self) -> bool {
        true
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_point(self.form.order(), x, None)?;
        OracleError::check_length("diagonal", self.form.order(), diagonal.len())?;
        self.form.add_diagonal(weight, diagonal);
        Ok(())
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, &Budget::unlimited())
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        OracleError::check_point(self.form.order(), x, None)?;
        OracleError::check_length("hessian", self.form.order() * self.form.order(), hessian.len())?;
        budget.component()?;
        Ok(self.form.add_lower_triangle(weight, hessian, &self.pool, budget)?)
    }

    fn hessian_operations(&self) -> Option<u64> {
        Some(self.form.operations())
    }

    fn has_products(&self) -> bool {
        true
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let n = self.form.order();
        OracleError::check_point(n, x, None)?;
        OracleError::check_products(n, vectors, out)?;
        self.pool.with(n, |product| {
            for (v, out) in vectors.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
                self.form.apply(v, product, &self.pool);
                simd::add_scaled(weight, product, out);
            }
        });
        Ok(())
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        self.form.add_diagonal(weight, diagonal);
        true
    }
}
