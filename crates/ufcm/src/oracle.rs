//! The seams of the solver: what a component, a mapping, a composer and a regulariser must tell.
//!
//! All four are object-safe: the solver is compiled once and serves every implementation, ours and a user's.
//! What an implementation does not know it says so (`None`, `false`, an [`OracleError::Unsupported`]), and the
//! solver falls back on what needs less.

pub use crate::guard::guarded;

use crate::error::{DataError, first_not_finite};
use crate::jacobian::{JacobianBlock, ProxJacobian, RowView};
use crate::regulariser::ScalarTerm;

/// What went wrong inside an oracle during a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// A vector of the wrong length was handed to an oracle.
    #[error("{what} has length {got}; expected {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// The length that was expected.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A value or a gradient entry came back as NaN or infinite.
    #[error("{what}{} is {value}", index.map_or_else(String::new, |i| format!("[{i}]")))]
    NotFinite {
        /// Which quantity: `value`, `gradient`, ...
        what: &'static str,
        /// The entry, for a vector.
        index: Option<usize>,
        /// What came.
        value: f64,
    },
    /// A term grew beyond the range of f64 at a finite point, as the exponential in a Poisson loss can.
    #[error("term {term} overflows: its argument is {argument:e}")]
    Overflow {
        /// The sample or row.
        term: usize,
        /// The argument that is too large.
        argument: f64,
    },
    /// The oracle cannot do what was asked; ask for less.
    #[error("{oracle} does not support {what}")]
    Unsupported {
        /// The oracle's kind.
        oracle: &'static str,
        /// What was asked.
        what: &'static str,
    },
    /// A user's oracle reported an error.
    #[error("the oracle failed: {message}")]
    Failed {
        /// The user's message.
        message: String,
    },
    /// A user's oracle panicked.
    #[error("the oracle panicked: {message}")]
    Panicked {
        /// The panic message.
        message: String,
    },
    /// Any of the above, with the row in which it happened.
    #[error("in row {row}: {source}")]
    InRow {
        /// The row of the mapping (0 is the objective g_0).
        row: usize,
        /// What happened there.
        source: Box<OracleError>,
    },
}

impl OracleError {
    /// The same error, saying in which row of a mapping it happened.
    #[must_use]
    pub fn in_row(self, row: usize) -> Self {
        match self {
            Self::InRow { row: inner, source } => Self::InRow { row: row + inner, source },
            source => Self::InRow { row, source: Box::new(source) },
        }
    }

    /// Whether a term grew beyond the range of f64, in whatever row.
    pub(crate) fn is_overflow(&self) -> bool {
        match self {
            Self::Overflow { .. } => true,
            Self::InRow { source, .. } => source.is_overflow(),
            _ => false,
        }
    }

    pub(crate) fn check_length(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got { Ok(()) } else { Err(Self::Length { what, expected, got }) }
    }

    /// Checks what a component is handed: `n` finite numbers, and a gradient as long as that where one is wanted.
    pub(crate) fn check_point(n: usize, x: &[f64], gradient: Option<&[f64]>) -> Result<(), Self> {
        Self::check_length("x", n, x.len())?;
        if let Some(gradient) = gradient {
            Self::check_length("gradient", n, gradient.len())?;
        }
        Self::check_finite("x", x)
    }

    /// Checks what products with a Hessian of order `n` are handed.
    pub(crate) fn check_products(n: usize, vectors: &[f64], out: &[f64]) -> Result<(), Self> {
        let expected = vectors.len().next_multiple_of(n);
        Self::check_length("vectors", expected, vectors.len())?;
        Self::check_length("products", expected, out.len())?;
        Self::check_finite("vectors", vectors)
    }

    /// Checks that `values` are finite.
    pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Self> {
        match first_not_finite(values) {
            None => Ok(()),
            Some(i) => Err(Self::NotFinite { what, index: Some(i), value: values[i] }),
        }
    }

    /// The value of a component, if it is a number.
    pub(crate) fn check_value(value: f64) -> Result<f64, Self> {
        if value.is_finite() { Ok(value) } else { Err(Self::NotFinite { what: "value", index: None, value }) }
    }
}

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

    /// Second-order knowledge, if there is any.
    fn curvature(&self) -> Option<&dyn Curvature> {
        None
    }

    /// The linear image through which the component sees x, if it has one.
    fn image(&self) -> Option<&dyn LinearImage> {
        None
    }

    /// Floating-point operations of one value and gradient, if known. Decisions use this, never a clock.
    fn operations(&self) -> Option<u64> {
        None
    }
}

/// Second-order knowledge of a component: its Hessian, or a generalised one where it is only piecewise smooth, or the
/// curvature of a quadratic that touches it and lies above it where derivatives are not even Lipschitz continuous. Metrics
/// are made of it; no bound rests on it.
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
}

/// A component that sees x only through a linear image: A x for a loss over data, Q x for a quadratic.
///
/// Images of affine combinations of points are the same combinations of images, so values and gradients at
/// such points need no further pass to form the image (method.md, section 6).
pub trait LinearImage: Send + Sync {
    /// The length of the image.
    fn image_dimension(&self) -> usize;

    /// Writes the image of `x`.
    ///
    /// # Errors
    /// As [`Component::evaluate`].
    fn image_of(&self, x: &[f64], image: &mut [f64]) -> Result<(), OracleError>;

    /// As [`Component::evaluate`], given the image of `x`: the value costs no pass over the data, a gradient at
    /// most one (none for a quadratic).
    ///
    /// # Errors
    /// As [`Component::evaluate`].
    fn evaluate_at_image(
        &self,
        x: &[f64],
        image: &[f64],
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, OracleError>;
}

/// The sums that [`Mapping::add_minorant`] adds to.
pub struct MinorantSums<'a> {
    /// <l, g(y) - J y>
    pub offset: f64,
    /// sum_j |l_j g_j(y)|
    pub offset_size: f64,
    /// J'l
    pub slope: &'a mut [f64],
    /// sum_j |l_j J_ji|, or more.
    pub slope_sizes: &'a mut [f64],
}

/// All rows g_0, ..., g_m at once, with the Jacobian of the current linearisation.
///
/// Threads live inside a mapping, and so would ranks of a cluster; nothing outside knows.
pub trait Mapping: Send + Sync {
    /// n, the number of variables.
    fn dimension(&self) -> usize;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// A fresh mapping of the same rows with a linearisation of its own, so that several runs can share a problem.
    fn fork(&self) -> Box<dyn Mapping>;

    /// Writes the values at `x` and keeps the Jacobian there.
    ///
    /// # Errors
    /// The first row that failed, as [`OracleError::InRow`].
    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError>;

    /// Writes the values at `x`; the kept Jacobian stays as it is.
    ///
    /// # Errors
    /// As [`Mapping::linearise`].
    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError>;

    /// `out = J w` with the kept Jacobian.
    fn apply(&self, w: &[f64], out: &mut [f64]);

    /// `out = J' multipliers` with the kept Jacobian.
    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]);

    /// Writes row `row` of the kept Jacobian.
    fn jacobian_row(&self, row: usize, out: &mut [f64]);

    /// Whether a row of the Jacobian costs no more than reading it: not so where all that is known are products.
    fn has_rows(&self) -> bool {
        true
    }

    /// Shows row `row` of the kept Jacobian to `look` as it is stored: a sparse block never becomes dense. `scratch` is
    /// storage to reuse from call to call.
    fn with_row(&self, row: usize, scratch: &mut Vec<f64>, look: &mut dyn FnMut(RowView<'_>)) {
        scratch.resize(self.dimension(), 0.0);
        self.jacobian_row(row, scratch);
        look(RowView::Dense(scratch));
    }

    /// Adds <l, g(y) - J y> and J'l with the sizes of their terms, given g(y): what lower bounds are made of. Only what is
    /// stored is passed over, once, and only rows whose multiplier is not 0. `scratch` is storage to reuse from call to call.
    fn add_minorant(
        &self,
        y: &[f64],
        values: &[f64],
        multipliers: &[f64],
        sums: &mut MinorantSums<'_>,
        scratch: &mut Vec<f64>,
    ) {
        crate::mapping::add_minorant(self, y, values, multipliers, sums, scratch);
    }

    /// Writes J_R S J_R' for the listed rows R of the kept Jacobian into the lower triangle of a matrix of order
    /// `rows.len()`, stored by columns. `scratch` is storage to reuse from call to call.
    fn gram(&self, s: &ProxJacobian, rows: &[usize], scratch: &mut Vec<f64>, out: &mut [f64]) {
        crate::mapping::gram(self, s, rows, scratch, out);
    }

    /// Whether `row` is affine.
    fn is_affine(&self, row: usize) -> bool;

    /// The scalar component behind `row`, where there is one (rows of affine blocks have none).
    fn component(&self, row: usize) -> Option<&dyn Component>;

    /// Floating-point operations of one [`Mapping::linearise`], if known.
    fn operations(&self) -> Option<u64>;

    /// Floating-point operations of one product with the kept Jacobian or its transpose.
    fn product_operations(&self) -> u64 {
        2 * (self.rows() as u64).saturating_mul(self.dimension() as u64)
    }
}

/// A matrix that is known by its products alone: a convolution, a Fourier transform, a projector of rays.
///
/// ```
/// use ufcm::mapping::Affine;
/// use ufcm::oracle::{LinearOperator, Mapping};
///
/// /// x -> (x_1 - x_0, x_2 - x_1, ...)
/// struct Differences(usize);
///
/// impl LinearOperator for Differences {
///     fn kind(&self) -> &'static str { "differences" }
///     fn rows(&self) -> usize { self.0 - 1 }
///     fn columns(&self) -> usize { self.0 }
///     fn apply(&self, x: &[f64], out: &mut [f64]) {
///         for (out, pair) in out.iter_mut().zip(x.windows(2)) { *out = pair[1] - pair[0]; }
///     }
///     fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
///         out.fill(0.0);
///         for (j, l) in l.iter().enumerate() {
///             out[j] -= l;
///             out[j + 1] += l;
///         }
///     }
/// }
///
/// let block = Affine::by_products(Differences(3), vec![0.0; 2])?;
/// let mut values = [0.0; 2];
/// block.values(&[1.0, 3.0, 2.0], &mut values)?;
/// assert_eq!(values, [2.0, -1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LinearOperator: Send + Sync {
    /// What this is, in words for messages: `convolution`.
    fn kind(&self) -> &'static str;

    /// The number of rows of A.
    fn rows(&self) -> usize;

    /// The number of columns of A.
    fn columns(&self) -> usize;

    /// `out = A x`, every entry overwritten. It must give the same bits for the same x.
    fn apply(&self, x: &[f64], out: &mut [f64]);

    /// `out = A'l`, every entry overwritten; [`audit::operator`](crate::audit::operator) checks that it belongs to
    /// [`LinearOperator::apply`].
    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]);

    /// Floating-point operations of one product, if known; those of a dense matrix are assumed otherwise.
    fn operations(&self) -> Option<u64> {
        None
    }
}

/// The weight of a proximal term: 1/2 |x - v|_W^2 with W = `scale` times the identity or times a positive diagonal.
///
/// This is the paper's convention (eq:prox-def): a weight *multiplies* the quadratic, so a large weight stays close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight<'a> {
    scale: f64,
    diagonal: Option<&'a [f64]>,
}

impl<'a> Weight<'a> {
    /// W = `scale` I.
    #[must_use]
    pub fn scalar(scale: f64) -> Self {
        Self { scale, diagonal: None }
    }

    /// W = `scale` diag(`diagonal`).
    #[must_use]
    pub fn diagonal(scale: f64, diagonal: &'a [f64]) -> Self {
        Self { scale, diagonal: Some(diagonal) }
    }

    /// Entry i of the diagonal of W.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize) -> f64 {
        match self.diagonal {
            None => self.scale,
            Some(d) => self.scale * d[i],
        }
    }

    /// tau, where W = tau I.
    #[must_use]
    pub fn as_scalar(&self) -> Option<f64> {
        self.diagonal.is_none().then_some(self.scale)
    }

    /// c W.
    #[must_use]
    pub fn times(&self, c: f64) -> Self {
        Self { scale: c * self.scale, ..*self }
    }

    /// The part of W that belongs to a range of indices.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        Self { scale: self.scale, diagonal: self.diagonal.map(|d| &d[range]) }
    }

    /// An error where the diagonal does not hold one entry for each of `n` variables.
    pub(crate) fn check_length(&self, n: usize) -> Result<(), OracleError> {
        self.diagonal.map_or(Ok(()), |d| OracleError::check_length("the metric's diagonal", n, d.len()))
    }

    /// An error for oracles that have no prox in a diagonal metric; tau otherwise.
    pub(crate) fn require_scalar(&self, oracle: &'static str) -> Result<f64, OracleError> {
        self.as_scalar().ok_or(OracleError::Unsupported { oracle, what: "a prox in a diagonal metric" })
    }
}

/// h: how the rows combine. Closed and convex; nondecreasing in every row that holds a curved component.
pub trait Composer: Send + Sync {
    /// What this is, in words for messages: `max`.
    fn kind(&self) -> &'static str;

    /// The number of rows it takes.
    fn rows(&self) -> usize;

    /// h(z), `f64::INFINITY` outside its domain.
    fn value(&self, z: &[f64]) -> f64;

    /// h*(multipliers), `f64::INFINITY` outside its domain. The domain of h* is where multipliers live.
    fn conjugate(&self, multipliers: &[f64]) -> f64;

    /// The sum of the absolute values of everything summed in h*(multipliers), and of what the multipliers' own rounding
    /// does to it: the size of its rounding error, in units of the machine precision.
    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.conjugate(multipliers).abs()
    }

    /// In place: argmin over l of h*(l) + 1/2 |l - multipliers|_W^2.
    ///
    /// # Errors
    /// [`OracleError::Unsupported`] for a diagonal W where [`Composer::has_diagonal_prox`] says no.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError>;

    /// Whether [`Composer::prox_conjugate`] takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool;

    /// An element of the generalised Jacobian of [`Composer::prox_conjugate`] at `point` (the argument of the
    /// prox, not its result), in the convention of [`ProxJacobian`].
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;

    /// A subgradient of h at `z`; where z is outside the domain, at its projection. Always in the domain of h*.
    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]);

    /// L_h, the Lipschitz constant of the gradient of h; `f64::INFINITY` where h is not smooth.
    fn smoothness(&self) -> f64;

    /// Whether h is nondecreasing in this row, so that the row may hold a curved component.
    fn is_nondecreasing(&self, row: usize) -> bool;

    /// Whether the multiplier of this row can have one value only, as those of a sum and of g_0 can.
    fn is_pinned(&self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// Whether h is the indicator of a set, 0 on it and infinite elsewhere: a constraint, which is no part of the objective.
    fn is_constraint(&self) -> bool {
        false
    }

    /// The composers that this one puts side by side, if that is what it does.
    fn as_stack(&self) -> Option<&crate::composer::Stacked> {
        None
    }

    /// The Euclidean distance from `z` to the domain of h: 0 for finite h, the violation for constraints.
    fn domain_distance(&self, z: &[f64]) -> f64;

    /// The ends of the interval in which this row must be for h to be finite; `None` where that depends on other rows, or is
    /// not known.
    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        let _ = row;
        None
    }

    /// In place: argmin over w of h(w) + 1/2 |w - z|_W^2, by Moreau's decomposition. It allocates; no step uses it.
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox(&self, weight: Weight<'_>, z: &mut [f64]) -> Result<(), OracleError> {
        let inverse: Vec<f64> = (0..z.len()).map(|i| 1.0 / weight.at(i)).collect();
        let mut multipliers: Vec<f64> = (0..z.len()).map(|i| weight.at(i) * z[i]).collect();
        let dual = match weight.as_scalar() {
            Some(tau) => Weight::scalar(1.0 / tau),
            None => Weight::diagonal(1.0, &inverse),
        };
        self.prox_conjugate(dual, &mut multipliers)?;
        for ((z, l), inverse) in z.iter_mut().zip(&multipliers).zip(&inverse) {
            *z -= l * inverse;
        }
        Ok(())
    }
}

/// u together with the set X: closed, convex, with a prox.
pub trait Regulariser: Send + Sync {
    /// What this is, in words for messages: `l2 ball`.
    fn kind(&self) -> &'static str;

    /// n where the regulariser fixes it; `None` if it fits any number of variables.
    fn dimension(&self) -> Option<usize>;

    /// u(x), `f64::INFINITY` outside X. Points within rounding of X (see [`MEMBERSHIP`]) count as inside.
    fn value(&self, x: &[f64]) -> f64;

    /// In place: argmin over w in X of u(w) + 1/2 |w - x|_W^2 (eq:prox-def).
    ///
    /// # Errors
    /// [`OracleError::Unsupported`] for a diagonal W where [`Regulariser::has_diagonal_prox`] says no.
    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError>;

    /// Whether [`Regulariser::prox`] takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool;

    /// An element of the generalised Jacobian of [`Regulariser::prox`] at `point` (the argument of the prox, not
    /// its result), in the convention of [`ProxJacobian`].
    ///
    /// # Errors
    /// As [`Regulariser::prox`].
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;

    /// Writes a matrix that exceeds every Jacobian of [`Regulariser::prox`] in this metric, in the convention of
    /// [`ProxJacobian`]: W^-1, or less where u is known to be curved.
    fn prox_jacobian_bound(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        out.diagonal().iter_mut().enumerate().for_each(|(i, d)| *d = 1.0 / weight.at(i));
    }

    /// min over x in X of <slope, x> + u(x), `f64::NEG_INFINITY` where unbounded; and a minimiser, where asked
    /// for and the minimum is finite and attained. Otherwise the buffer's content is unspecified.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64;

    /// mu, the strong convexity of u in the Euclidean norm; 0 if it has none.
    fn strong_convexity(&self) -> f64 {
        0.0
    }

    /// The law of coordinate `i`, where u is a sum of such laws: two regularisers that both are can be had together.
    fn scalar_term(&self, i: usize) -> Option<ScalarTerm> {
        let _ = i;
        None
    }

    /// Data that is wrong, for the builder to report: for types that are made without a `Result`.
    ///
    /// # Errors
    /// What is wrong with the data.
    fn check(&self) -> Result<(), DataError> {
        Ok(())
    }
}

/// How far outside its set a point may lie, relative to the set's scale, and still count as inside: the rounding
/// of a projection. Boxes are exact and do not use it.
pub const MEMBERSHIP: f64 = 1e-10;
