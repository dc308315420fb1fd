//! An affine block A x - b: many rows, one matrix, its own Jacobian.

use crate::error::{DataError, DataProblem, check_finite, check_length};
use crate::jacobian::RowView;
use crate::kernel;
use crate::matrix::Matrix;
use crate::oracle::{Component, Mapping, OracleError};
use crate::pool::Pool;
use std::sync::Arc;

const KIND: &str = "affine block";

/// x -> A x - b, dense or sparse. It may stand under any composer.
///
/// ```
/// use ufcm::mapping::Affine;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Mapping;
///
/// let block = Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0])?, vec![3.0])?;
/// let mut value = [0.0];
/// block.values(&[1.0, 1.0], &mut value)?;
/// assert_eq!(value, [-1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Affine {
    matrix: Arc<Matrix>,
    offset: Arc<[f64]>,
    pool: Pool,
}

impl Affine {
    /// A x - b with `matrix` A and `offset` b.
    ///
    /// # Errors
    /// No rows, no columns, an offset of the wrong length or with an entry that is not finite.
    pub fn new(matrix: impl Into<Arc<Matrix>>, offset: Vec<f64>) -> Result<Self, DataError> {
        let matrix = matrix.into();
        for (field, size) in [("matrix rows", matrix.rows()), ("matrix columns", matrix.columns())] {
            if size == 0 {
                return Err(DataError::new(KIND, DataProblem::Empty { field }));
            }
        }
        check_length(KIND, "offset", matrix.rows(), offset.len())?;
        check_finite(KIND, "offset", &offset)?;
        Ok(Self { matrix, offset: offset.into(), pool: Pool::default() })
    }

    /// A.
    #[must_use]
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// b.
    #[must_use]
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }
}

impl Mapping for Affine {
    fn dimension(&self) -> usize {
        self.matrix.columns()
    }

    fn rows(&self) -> usize {
        self.matrix.rows()
    }

    fn fork(&self) -> Box<dyn Mapping> {
        Box::new(self.clone())
    }

    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        self.values(x, values)
    }

    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("x", self.dimension(), x.len())?;
        OracleError::check_length("values", self.rows(), values.len())?;
        self.matrix.apply(x, values);
        values.iter_mut().zip(&*self.offset).for_each(|(value, b)| *value -= b);
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(j) => Err(OracleError::NotFinite { what: "value", index: None, value: values[j] }.in_row(j)),
        }
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        self.matrix.apply(w, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        kernel::transpose_product(&self.matrix, multipliers, out, &self.pool);
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        self.matrix.copy_row(row, out);
    }

    fn with_row(&self, row: usize, _scratch: &mut Vec<f64>, look: &mut dyn FnMut(RowView<'_>)) {
        look(self.matrix.view_row(row));
    }

    fn is_affine(&self, _row: usize) -> bool {
        true
    }

    fn component(&self, _row: usize) -> Option<&dyn Component> {
        None
    }

    fn operations(&self) -> Option<u64> {
        Some(2 * self.matrix.stored() as u64)
    }
}
