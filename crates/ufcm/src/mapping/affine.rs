//! An affine block A x - b: many rows, one matrix, its own Jacobian.

use super::operator::Guarded;
use crate::error::{DataError, DataProblem, check_finite, check_length, first_not_finite};
use crate::kernel::{self, simd};
use crate::linalg::RowView;
use crate::linalg::norm;
use crate::matrix::Matrix;
use crate::oracle::{Between, Component, Grounds, LinearOperator, Mapping, MinorantSums, OracleError};
use crate::pool::Pool;
use std::sync::Arc;

const KIND: &str = "affine block";

/// x -> A x - b, dense, sparse or matrix-free (only products are available). It may stand under any composer.
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
#[derive(Clone)]
pub struct Affine {
    rows: Rows,
    offset: Arc<[f64]>,
    /// The part of b that is bounds of the rows, where there are any.
    bounds: Option<Arc<[f64]>>,
    pool: Pool,
}

/// A.
#[derive(Clone)]
enum Rows {
    Matrix(Arc<Matrix>),
    Operator(Guarded),
}

impl Affine {
    /// A x - b with `matrix` A and `offset` b.
    ///
    /// # Errors
    /// No rows, no columns, an offset of the wrong length or with an entry that is not finite.
    pub fn new(matrix: impl Into<Arc<Matrix>>, offset: Vec<f64>) -> Result<Self, DataError> {
        Self::of(Rows::Matrix(matrix.into()), offset)
    }

    /// A x - b with an A of which only products are known, and `offset` b.
    ///
    /// # Errors
    /// As [`Affine::new`].
    pub fn by_products(operator: impl LinearOperator + 'static, offset: Vec<f64>) -> Result<Self, DataError> {
        Self::of(Rows::Operator(Guarded::new(Arc::new(operator))), offset)
    }

    /// The matrix with one row for each pair of groups: the mean of the rows of the first minus that of the second, so that the block is how far the mean
    /// scores a_i.x of two groups are apart. `groups` has the group of each row; pairs are in the order of their numbers.
    ///
    /// ```
    /// use ufcm::mapping::Affine;
    /// use ufcm::matrix::Matrix;
    ///
    /// let people = Matrix::row_major(3, 2, vec![1.0, 0.0, 3.0, 2.0, 5.0, 5.0])?;
    /// let parity = Affine::differences_of_means(&people, &[7, 7, 9])?;
    /// assert_eq!(parity, Matrix::row_major(1, 2, vec![2.0 - 5.0, 1.0 - 5.0])?);
    /// # Ok::<(), ufcm::error::DataError>(())
    /// ```
    ///
    /// # Errors
    /// Another number of groups than of rows, or fewer than two different ones.
    pub fn differences_of_means(matrix: &Matrix, groups: &[usize]) -> Result<Matrix, DataError> {
        check_length(KIND, "groups", matrix.rows(), groups.len())?;
        let mut numbers = groups.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            return Err(DataError::structure(KIND, "there are fewer than two groups to compare"));
        }
        let place = |group: &usize| numbers.binary_search(group).unwrap_or(0);
        let mut counts = vec![0.0; numbers.len()];
        groups.iter().for_each(|group| counts[place(group)] += 1.0);
        let mut means = vec![vec![0.0; matrix.columns()]; numbers.len()];
        matrix.for_each(|i, j, value| {
            let k = place(&groups[i]);
            means[k][j] += value / counts[k];
        });
        let mut rows = Vec::new();
        for (k, first) in means.iter().enumerate() {
            for second in &means[k + 1..] {
                rows.extend(first.iter().zip(second).map(|(first, second)| first - second));
            }
        }
        Matrix::row_major(numbers.len() * (numbers.len() - 1) / 2, matrix.columns(), rows)
    }

    fn of(rows: Rows, offset: Vec<f64>) -> Result<Self, DataError> {
        let (m, n) = rows.size();
        for (field, size) in [("matrix rows", m), ("matrix columns", n)] {
            if size == 0 {
                return Err(DataError::new(KIND, DataProblem::Empty { field }));
            }
        }
        check_length(KIND, "offset", m, offset.len())?;
        check_finite(KIND, "offset", &offset)?;
        Ok(Self { rows, offset: offset.into(), bounds: None, pool: Pool::default() })
    }

    /// The same A with another b.
    ///
    /// # Errors
    /// As [`Affine::new`].
    pub fn with_offset(&self, offset: Vec<f64>) -> Result<Self, DataError> {
        Self::of(self.rows.clone(), offset)
    }

    /// A x - b - `by`: each row minus a bound.
    ///
    /// # Errors
    /// As [`Affine::new`].
    pub fn minus(&self, by: &[f64]) -> Result<Self, DataError> {
        check_length(KIND, "offset", self.offset.len(), by.len())?;
        if by.iter().all(|by| *by == 0.0) {
            return Ok(self.clone());
        }
        let moved = self.with_offset(self.offset.iter().zip(by).map(|(offset, by)| offset + by).collect())?;
        let bounds = (0..by.len()).map(|row| self.bound(row) + by[row]).collect();
        Ok(Self { bounds: Some(bounds), ..moved })
    }

    /// What [`Affine::minus`] has taken from a row.
    pub(crate) fn bound(&self, row: usize) -> f64 {
        self.bounds.as_ref().map_or(0.0, |bounds| bounds[row])
    }

    /// A, where it is stored.
    #[must_use]
    pub fn matrix(&self) -> Option<&Matrix> {
        match &self.rows {
            Rows::Matrix(matrix) => Some(matrix),
            Rows::Operator(_) => None,
        }
    }

    /// A, where it is stored, for others to hold.
    pub(crate) fn shared_matrix(&self) -> Option<Arc<Matrix>> {
        match &self.rows {
            Rows::Matrix(matrix) => Some(matrix.clone()),
            Rows::Operator(_) => None,
        }
    }

    /// A, where only its products are known.
    #[must_use]
    pub fn operator(&self) -> Option<&dyn LinearOperator> {
        match &self.rows {
            Rows::Matrix(_) => None,
            Rows::Operator(operator) => Some(operator.inner()),
        }
    }

    /// b.
    #[must_use]
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }
}

impl Rows {
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Matrix(matrix) => (matrix.rows(), matrix.columns()),
            Self::Operator(operator) => (operator.inner().rows(), operator.inner().columns()),
        }
    }
}

impl Mapping for Affine {
    fn dimension(&self) -> usize {
        self.rows.size().1
    }

    fn rows(&self) -> usize {
        self.offset.len()
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
        self.apply(x, values);
        if let Rows::Operator(operator) = &self.rows {
            operator.check()?;
        }
        values.iter_mut().zip(&*self.offset).for_each(|(value, b)| *value -= b);
        match first_not_finite(values) {
            None => Ok(()),
            Some(j) => Err(OracleError::NotFinite { what: "value", index: None, value: values[j] }.in_row(j)),
        }
    }

    fn image_size(&self) -> Option<usize> {
        Some(self.offset.len())
    }

    fn image(&self, x: &[f64], image: &mut [f64]) -> Result<(), OracleError> {
        self.apply(x, image);
        Ok(())
    }

    fn linearise_between(&mut self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        self.values_between(at, values)
    }

    fn values_between(&self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        at.combine(values);
        values.iter_mut().zip(&*self.offset).for_each(|(value, b)| *value -= b);
        OracleError::check_finite("values", values)
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        match &self.rows {
            Rows::Matrix(matrix) => matrix.apply(w, out),
            Rows::Operator(operator) => operator.apply(w, out),
        }
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        match &self.rows {
            Rows::Matrix(matrix) => kernel::transpose_product(matrix, multipliers, out, &self.pool),
            Rows::Operator(operator) => operator.apply_transpose(multipliers, out),
        }
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        match &self.rows {
            Rows::Matrix(matrix) => matrix.copy_row(row, out),
            // A product for a row: dear, and asked for only where rows are few.
            Rows::Operator(operator) => self.pool.with(self.rows(), |unit| {
                unit.fill(0.0);
                unit[row] = 1.0;
                operator.apply_transpose(unit, out);
            }),
        }
    }

    fn has_rows(&self) -> bool {
        matches!(self.rows, Rows::Matrix(_))
    }

    fn with_row(&self, row: usize, scratch: &mut Vec<f64>, look: &mut dyn FnMut(RowView<'_>)) {
        if let Rows::Matrix(matrix) = &self.rows {
            return look(matrix.view_row(row));
        }
        scratch.resize(self.dimension(), 0.0);
        self.jacobian_row(row, scratch);
        look(RowView::Dense(scratch));
    }

    fn add_minorant(
        &self,
        y: &[f64],
        values: &[f64],
        multipliers: &[f64],
        sums: &mut MinorantSums<'_>,
        scratch: &mut Vec<f64>,
    ) {
        let Rows::Operator(operator) = &self.rows else {
            return crate::oracle::add_minorant(self, y, values, multipliers, sums, scratch);
        };
        scratch.resize(self.dimension(), 0.0);
        operator.apply_transpose(multipliers, scratch);
        // No column is longer than |A|, so that sum_j |l_j a_ji| <= |l| |A|.
        let size = operator.norm() * norm(multipliers);
        sums.offset += simd::dot(multipliers, values) - simd::dot(scratch, y);
        sums.offset_size += multipliers.iter().zip(values).map(|(l, g)| (l * g).abs()).sum::<f64>();
        for (i, s) in scratch.iter().enumerate() {
            sums.slope[i] += s;
            sums.slope_sizes[i] += size;
        }
    }

    fn in_units(&self, rows: &[f64], columns: &Arc<[f64]>) -> Option<Box<dyn Mapping>> {
        let matrix = self.matrix()?.scaled(rows, columns).ok()?;
        let offset = self.offset.iter().zip(rows).map(|(b, r)| r * b).collect();
        Some(Box::new(Self::new(matrix, offset).ok()?))
    }

    fn restricted(&self, variables: &[usize]) -> Option<Box<dyn Mapping>> {
        let matrix = self.matrix()?.with_columns(variables).ok()?;
        Some(Box::new(Self::new(matrix, self.offset.to_vec()).ok()?))
    }

    fn is_restrictable(&self) -> bool {
        self.matrix().is_some()
    }

    fn lowered(&self, row: usize, by: f64) -> Option<Box<dyn Mapping>> {
        let mut all = vec![0.0; self.rows()];
        all[row] = by;
        Some(Box::new(self.minus(&all).ok()?))
    }

    fn is_affine(&self, _row: usize) -> bool {
        true
    }

    fn grounds(&self, _row: usize) -> Grounds {
        match &self.rows {
            Rows::Matrix(_) => Grounds::Construction,
            // That the products are linear, and one the transpose of the other, is up to the user's code.
            Rows::Operator(_) => Grounds::Function,
        }
    }

    fn component(&self, _row: usize) -> Option<&dyn Component> {
        None
    }

    fn operations(&self) -> Option<u64> {
        Some(self.product_operations())
    }

    fn product_operations(&self) -> u64 {
        match &self.rows {
            Rows::Matrix(matrix) => 2 * matrix.stored() as u64,
            Rows::Operator(operator) => {
                let dense = 2 * (self.rows() as u64).saturating_mul(self.dimension() as u64);
                operator.inner().operations().unwrap_or(dense)
            }
        }
    }
}
