//! All rows at once, with their Jacobian.

use super::{Between, Component, Grounds, OracleError};
use crate::budget::{Budget, Stop};
use crate::jacobian::ProxJacobian;
use crate::linalg::RowView;
use crate::ranks::Link;
use std::sync::Arc;

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

impl MinorantSums<'_> {
    /// Adds `weight` times an affine function: its value at 0, and its slope if that is not 0.
    pub fn add_affine(&mut self, weight: f64, constant: f64, slope: Option<&[f64]>) {
        self.offset += weight * constant;
        self.offset_size += (weight * constant).abs();
        for (i, c) in slope.into_iter().flatten().enumerate() {
            self.slope[i] += weight * c;
            self.slope_sizes[i] += (weight * c).abs();
        }
    }
}

const NO_IMAGES: OracleError = OracleError::Unsupported { oracle: "mapping", what: "images of points" };

/// All rows g_0, ..., g_m at once, with the Jacobian of the current linearisation.
///
/// Threads live inside a mapping, and so would ranks of a cluster; nothing outside knows.
pub trait Mapping: Send + Sync {
    /// n, the number of variables.
    fn dimension(&self) -> usize;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// A mapping of the same rows with a linearisation of its own, which starts as this one's: several runs can share a problem.
    fn fork(&self) -> Box<dyn Mapping>;

    /// Lets evaluations ask `budget` before every component; what has no components worth asking for ignores it.
    fn set_budget(&mut self, budget: &Budget) {
        let _ = budget;
    }

    /// Writes the values at `x` and keeps the Jacobian there.
    ///
    /// # Errors
    /// The first row that failed, as [`OracleError::InRow`].
    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError>;

    /// As [`Mapping::linearise`] for the rows that are `wanted`; what there is of the others then means nothing.
    ///
    /// # Errors
    /// As [`Mapping::linearise`].
    fn linearise_some(&mut self, x: &[f64], wanted: &[bool], values: &mut [f64]) -> Result<(), OracleError> {
        let _ = wanted;
        self.linearise(x, values)
    }

    /// Writes the values at `x`; the kept Jacobian stays as it is.
    ///
    /// # Errors
    /// As [`Mapping::linearise`].
    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError>;

    /// How many numbers the image of a point has: products with data that are linear in the point, from which all rows can be had. `None`
    /// where a row is neither affine nor quadratic.
    fn image_size(&self) -> Option<usize> {
        None
    }

    /// Writes the image of `x`, in one read of the data.
    ///
    /// # Errors
    /// The budget; [`OracleError::Unsupported`] where [`Mapping::image_size`] is `None`.
    fn image(&self, x: &[f64], image: &mut [f64]) -> Result<(), OracleError> {
        let _ = (x, image);
        Err(NO_IMAGES)
    }

    /// As [`Mapping::linearise`], without a read of the data.
    ///
    /// # Errors
    /// As [`Mapping::linearise`] and [`Mapping::image`].
    fn linearise_between(&mut self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let _ = (at, values);
        Err(NO_IMAGES)
    }

    /// As [`Mapping::values`], without a read of the data.
    ///
    /// # Errors
    /// As [`Mapping::values`] and [`Mapping::image`].
    fn values_between(&self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let _ = (at, values);
        Err(NO_IMAGES)
    }

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
        super::minorant::add_minorant(self, y, values, multipliers, sums, scratch);
    }

    /// Writes J_R S J_R' for the listed rows R of the kept Jacobian into the lower triangle of a matrix of order
    /// `rows.len()`, stored by columns. `scratch` is storage to reuse from call to call.
    ///
    /// # Errors
    /// The budget, which is asked before every row.
    fn gram(
        &self,
        s: &ProxJacobian,
        rows: &[usize],
        scratch: &mut Vec<f64>,
        out: &mut [f64],
        budget: &Budget,
    ) -> Result<(), Stop> {
        super::gram::gram(self, s, rows, scratch, out, budget)
    }

    /// x -> r_j g_j(D x), where that can be had: the same rows in other units.
    fn in_units(&self, rows: &[f64], columns: &Arc<[f64]>) -> Option<Box<dyn Mapping>> {
        let _ = (rows, columns);
        None
    }

    /// The same rows, with `by` taken from one of them, where that can be had; nothing large is copied.
    fn lowered(&self, row: usize, by: f64) -> Option<Box<dyn Mapping>> {
        let _ = (row, by);
        None
    }

    /// The rows as functions of these variables alone, in increasing order, the others being 0; `None` where that cannot be had.
    fn restricted(&self, variables: &[usize]) -> Option<Box<dyn Mapping>> {
        let _ = variables;
        None
    }

    /// Whether [`Mapping::restricted`] has an answer.
    fn is_restrictable(&self) -> bool {
        self.restricted(&[0]).is_some()
    }

    /// What rows are spread over, where ranks have parts of them.
    fn link(&self) -> Option<&Arc<Link>> {
        None
    }

    /// Whether `row` is affine.
    fn is_affine(&self, row: usize) -> bool;

    /// The scalar component behind `row`, where there is one (rows of affine blocks have none).
    fn component(&self, row: usize) -> Option<&dyn Component>;

    /// On what `row` rests: what its component says; without one on a user's code, unless the mapping says more.
    fn grounds(&self, row: usize) -> Grounds {
        self.component(row).map_or(Grounds::Function, |component| component.grounds())
    }

    /// Floating-point operations of one [`Mapping::linearise`], if known.
    fn operations(&self) -> Option<u64>;

    /// Floating-point operations of one product with the kept Jacobian or its transpose.
    fn product_operations(&self) -> u64 {
        2 * (self.rows() as u64).saturating_mul(self.dimension() as u64)
    }
}

/// A matrix-free operator, of which only products with A and A' are available: a convolution, a Fourier transform, a projector of rays.
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
