//! What the data alone tells about a loss over it, each found at first need.

use crate::kernel::{self, simd, sums};
use crate::linalg::RowView;
use crate::matrix::Matrix;
use crate::pool::Pool;
use std::sync::{Arc, OnceLock};

/// About what a loss with an exponential and a logarithm costs, in multiplications.
pub(in crate::component) const OPERATIONS_PER_LOSS: u64 = 40;

/// Norms of the rows and columns of sqrt(C) A, C = diag(c). Columns take a read of the data, rows and eigenvalues another.
#[derive(Debug, Clone)]
pub(in crate::component) struct Facts {
    data: Arc<Matrix>,
    pool: Pool,
    coefficients: Vec<f64>,
    /// sum over i of c_i a_ij^2
    column_squares: OnceLock<Vec<f64>>,
    sizes: OnceLock<Sizes>,
}

#[derive(Debug, Clone)]
struct Sizes {
    /// |a_i|
    row_norms: Vec<f64>,
    /// An upper bound of the largest eigenvalue of A'CA, ...
    eigenvalue: f64,
    /// ... and a lower bound of the smallest: positive where the diagonal outweighs the rest, as it does for the identity.
    least_eigenvalue: f64,
}

impl Facts {
    pub(in crate::component) fn new(
        data: &Arc<Matrix>,
        coefficient: impl Fn(usize) -> f64,
        pool: &Pool,
    ) -> Self {
        let coefficients: Vec<f64> = (0..data.rows()).map(coefficient).collect();
        let (column_squares, sizes) = Default::default();
        Self { data: data.clone(), pool: pool.clone(), coefficients, column_squares, sizes }
    }

    fn sizes(&self) -> &Sizes {
        self.sizes.get_or_init(|| self.measure())
    }

    /// Two bounds of eigenvalues that cost a read, not a decomposition: the trace, and row sums of |A|'C|A|.
    fn measure(&self) -> Sizes {
        let (data, columns) = (&self.data, self.column_squares());
        let (mut row_norms, mut row_sums) = (vec![0.0; data.rows()], vec![0.0; data.columns()]);
        for (i, (norm, c)) in row_norms.iter_mut().zip(&self.coefficients).enumerate() {
            match data.view_row(i) {
                RowView::Dense(row) => {
                    *norm = simd::dot(row, row).sqrt();
                    let by = c * sums::absolute_sum(row);
                    simd::vectorised(|| {
                        row_sums.iter_mut().zip(row).for_each(|(sum, a)| *sum += by * a.abs())
                    });
                }
                RowView::Single(row) => {
                    let (mut square, mut sum) = (0.0, 0.0);
                    row.iter().map(|a| f64::from(*a)).for_each(|a| {
                        square += a * a;
                        sum += a.abs();
                    });
                    *norm = f64::sqrt(square);
                    row_sums.iter_mut().zip(row).for_each(|(out, a)| *out += c * sum * f64::from(*a).abs());
                }
                RowView::Sparse { columns, values } => {
                    *norm = simd::dot(values, values).sqrt();
                    let by = c * sums::absolute_sum(values);
                    columns.iter().zip(values).for_each(|(&j, a)| row_sums[j as usize] += by * a.abs());
                }
            }
        }
        let trace: f64 = columns.iter().sum();
        let eigenvalue = row_sums.iter().copied().fold(0.0, f64::max).min(trace);
        // Gershgorin: the entry on the diagonal less the others of its row, and less their rounding.
        let rounding = 4.0 * (data.rows() + data.columns()) as f64 * f64::EPSILON;
        let discs = columns.iter().zip(&row_sums).map(|(d, sum)| 2.0 * d - sum - rounding * (d + sum));
        Sizes { row_norms, eigenvalue, least_eigenvalue: discs.fold(f64::INFINITY, f64::min).max(0.0) }
    }

    /// A lower bound of the smallest eigenvalue of A'CA, 0 where none is cheap.
    pub(in crate::component) fn least_eigenvalue(&self) -> f64 {
        self.sizes().least_eigenvalue
    }

    pub(in crate::component) fn column_squares(&self) -> &[f64] {
        self.column_squares.get_or_init(|| {
            let mut squares = vec![0.0; self.data.columns()];
            kernel::weighted_squares(&self.data, &self.coefficients, &mut squares, &self.pool);
            squares
        })
    }

    /// |a_i|
    pub(in crate::component) fn row_norm(&self, i: usize) -> f64 {
        self.sizes().row_norms[i]
    }

    /// S with |sum_i c_i (d_i) a_i| <= S |x - y|^p whenever |d_i| <= |a_i.(x - y)|^p.
    pub(in crate::component) fn spread(&self, p: f64) -> f64 {
        let Sizes { row_norms, eigenvalue, .. } = self.sizes();
        if p == 1.0 {
            return *eigenvalue;
        }
        self.coefficients.iter().zip(row_norms).map(|(c, norm)| c * norm.powf(1.0 + p)).sum()
    }
}
