//! What the data alone tells about a loss over it, found at first need.

use crate::kernel;
use crate::matrix::Matrix;
use crate::pool::Pool;

/// About what a loss with an exponential and a logarithm costs, in multiplications.
pub(in crate::component) const OPERATIONS_PER_LOSS: u64 = 40;

/// Norms of the rows and columns of sqrt(C) A, C = diag(c).
#[derive(Debug, Clone)]
pub(in crate::component) struct Facts {
    coefficients: Vec<f64>,
    /// |a_i|
    row_norms: Vec<f64>,
    /// sum over i of c_i a_ij^2
    column_squares: Vec<f64>,
    /// An upper bound of the largest eigenvalue of A'CA, ...
    eigenvalue: f64,
    /// ... and a lower bound of the smallest: positive where the diagonal outweighs the rest, as it does for the identity.
    least_eigenvalue: f64,
}

impl Facts {
    pub(in crate::component) fn new(data: &Matrix, coefficient: impl Fn(usize) -> f64, pool: &Pool) -> Self {
        let coefficients: Vec<f64> = (0..data.rows()).map(coefficient).collect();
        let mut squares = vec![0.0; data.rows()];
        let mut sums = vec![0.0; data.rows()];
        data.for_each(|i, _, a| {
            squares[i] += a * a;
            sums[i] += a.abs();
        });
        let mut column_squares = vec![0.0; data.columns()];
        kernel::weighted_squares(data, &coefficients, &mut column_squares, pool);
        // Two bounds that cost one more pass, not a decomposition: the trace, and the largest row sum of |A|'C|A|.
        let mut row_sums = vec![0.0; data.columns()];
        data.for_each(|i, j, a| row_sums[j] += coefficients[i] * a.abs() * sums[i]);
        let trace: f64 = column_squares.iter().sum();
        let eigenvalue = row_sums.iter().copied().fold(0.0, f64::max).min(trace);
        // Gershgorin: the entry on the diagonal less the others of its row, and less their rounding.
        let rounding = 4.0 * (data.rows() + data.columns()) as f64 * f64::EPSILON;
        let discs = column_squares.iter().zip(&row_sums).map(|(d, sum)| 2.0 * d - sum - rounding * (d + sum));
        let least_eigenvalue = discs.fold(f64::INFINITY, f64::min).max(0.0);
        Self {
            coefficients,
            row_norms: squares.into_iter().map(f64::sqrt).collect(),
            column_squares,
            eigenvalue,
            least_eigenvalue,
        }
    }

    /// A lower bound of the smallest eigenvalue of A'CA, 0 where none is cheap.
    pub(in crate::component) fn least_eigenvalue(&self) -> f64 {
        self.least_eigenvalue
    }

    pub(in crate::component) fn column_squares(&self) -> &[f64] {
        &self.column_squares
    }

    /// |a_i|
    pub(in crate::component) fn row_norm(&self, i: usize) -> f64 {
        self.row_norms[i]
    }

    /// S with |sum_i c_i (d_i) a_i| <= S |x - y|^p whenever |d_i| <= |a_i.(x - y)|^p.
    pub(in crate::component) fn spread(&self, p: f64) -> f64 {
        if p == 1.0 {
            return self.eigenvalue;
        }
        self.coefficients.iter().zip(&self.row_norms).map(|(c, norm)| c * norm.powf(1.0 + p)).sum()
    }
}
