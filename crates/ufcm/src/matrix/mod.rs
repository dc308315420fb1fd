//! Data matrices, dense or sparse, given by rows or by columns and held by rows.
//!
//! A matrix is checked once, when it is made; what is in it afterwards is finite and in range.

mod dense;
mod entries;
mod sparse;

pub use dense::Dense;
pub(crate) use entries::whichever;
pub use entries::{Entries, Number};
pub(crate) use sparse::Lines;
pub use sparse::{CompressedLines, LinesView, Shared, Sparse};

use crate::error::DataError;
use crate::linalg::RowView;
use sparse::narrow;
use std::ops::Range;
use std::sync::Arc;

/// A real matrix, dense or sparse. It knows its products; the fused passes of losses are in the kernels.
///
/// ```
/// use ufcm::matrix::Matrix;
///
/// let dense = Matrix::row_major(2, 3, vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0])?;
/// let sparse = Matrix::csr(2, 3, &[0, 2, 3], &[0, 2, 1], vec![1.0, 2.0, 3.0])?;
/// let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
/// dense.apply(&[1.0, 1.0, 1.0], &mut a);
/// sparse.apply(&[1.0, 1.0, 1.0], &mut b);
/// assert_eq!(a, [3.0, 3.0]);
/// assert_eq!(a, b);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// All entries are stored.
    Dense(Dense),
    /// Only the nonzero entries are stored.
    Sparse(Sparse),
}

impl Matrix {
    /// A dense matrix whose `values` come row after row.
    ///
    /// # Errors
    /// The wrong number of values, or one that is not finite.
    pub fn row_major(rows: usize, columns: usize, values: Vec<f64>) -> Result<Self, DataError> {
        Self::row_major_shared(rows, columns, Arc::new(values))
    }

    /// As [`Matrix::row_major`], without copying: the entries are read where their owner keeps them, in double or in single
    /// precision. Sums are in double precision either way.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ufcm::matrix::Matrix;
    ///
    /// let values = Arc::new(vec![1.0f32, 0.5]);
    /// let matrix = Matrix::row_major_shared::<f32>(1, 2, values.clone())?;
    /// let mut out = [0.0];
    /// matrix.apply(&[1.0, 0.1], &mut out);
    /// assert_eq!((out, Arc::strong_count(&values)), ([1.05], 2));
    /// # Ok::<(), ufcm::error::DataError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Matrix::row_major`].
    pub fn row_major_shared<T: Number>(
        rows: usize,
        columns: usize,
        values: Shared<T>,
    ) -> Result<Self, DataError> {
        Dense::from_rows(rows, columns, values).map(Self::Dense)
    }

    /// As [`Matrix::row_major_shared`], without a look at the entries: whoever keeps rows of it asks [`Matrix::check`] of those.
    ///
    /// # Errors
    /// The wrong number of values.
    pub fn row_major_unchecked<T: Number>(
        rows: usize,
        columns: usize,
        values: Shared<T>,
    ) -> Result<Self, DataError> {
        Dense::unchecked(rows, columns, values).map(Self::Dense)
    }

    /// Whether all entries are finite, as they are in a matrix that was not made unchecked.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), DataError> {
        match self {
            Self::Dense(a) => a.check(),
            Self::Sparse(_) => Ok(()),
        }
    }

    /// A dense matrix with its entries in single precision, which takes half the space and half the time to read. Sparse ones
    /// stay as they are.
    ///
    /// # Errors
    /// An entry beyond what single precision holds.
    pub fn in_single_precision(&self) -> Result<Self, DataError> {
        match self {
            Self::Dense(a) => a.single().map(Self::Dense),
            Self::Sparse(_) => Ok(self.clone()),
        }
    }

    /// Some rows in a row, which share the entries with this matrix.
    ///
    /// # Panics
    /// If there are no such rows.
    #[must_use]
    pub fn row_range(&self, rows: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows(), "{rows:?} of {} rows", self.rows());
        match self {
            Self::Dense(a) => Self::Dense(a.row_range(rows)),
            Self::Sparse(a) => Self::Sparse(a.row_range(rows)),
        }
    }

    /// A dense matrix whose `values` come column after column. They are copied into rows, once.
    ///
    /// # Errors
    /// As [`Matrix::row_major`].
    pub fn column_major(rows: usize, columns: usize, values: &[f64]) -> Result<Self, DataError> {
        Dense::from_columns(rows, columns, values).map(Self::Dense)
    }

    /// A sparse matrix in compressed rows: row i holds `columns[starts[i]..starts[i + 1]]` with their `values`.
    /// Indices may come in any order; entries given twice are added.
    ///
    /// # Errors
    /// Arrays that do not fit together, an index out of range, or a value that is not finite.
    pub fn csr(
        rows: usize,
        columns: usize,
        starts: &[usize],
        indices: &[usize],
        values: Vec<f64>,
    ) -> Result<Self, DataError> {
        let (indices, values) = (narrow(indices, columns)?, Arc::new(values));
        Self::csr_shared(rows, columns, starts.to_vec(), indices, values)
    }

    /// As [`Matrix::csr`], without copying: the entries are read where their owner keeps them, if indices increase within
    /// each row. If they do not, a sorted copy is made.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ufcm::matrix::Matrix;
    ///
    /// let (indices, values) = (Arc::new(vec![0, 2, 1]), Arc::new(vec![1.0, 2.0, 3.0]));
    /// let matrix = Matrix::csr_shared(2, 3, vec![0, 2, 3], indices.clone(), values.clone())?;
    /// assert_eq!(Arc::strong_count(&values), 2);
    /// assert_eq!(matrix.stored(), 3);
    /// # Ok::<(), ufcm::error::DataError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Matrix::csr`].
    pub fn csr_shared(
        rows: usize,
        columns: usize,
        starts: Vec<usize>,
        indices: Shared<u32>,
        values: Shared<f64>,
    ) -> Result<Self, DataError> {
        Sparse::from_rows(rows, columns, starts, indices, values).map(Self::Sparse)
    }

    /// A sparse matrix of entries that were checked when they were written down: in range, finite and in order. Where rows start is checked; kernels
    /// check indices where they use them. Wide matrices need the entries by columns, too; without these they are put in order, in memory.
    ///
    /// # Errors
    /// Arrays that do not fit together.
    pub fn csr_unchecked(
        columns: usize,
        by_rows: CompressedLines,
        by_columns: Option<CompressedLines>,
    ) -> Result<Self, DataError> {
        Sparse::unchecked(columns, by_rows, by_columns).map(Self::Sparse)
    }

    /// The entries of a sparse matrix by rows, and by columns where it keeps these.
    #[must_use]
    pub fn compressed(&self) -> Option<(LinesView<'_>, Option<LinesView<'_>>)> {
        match self {
            Self::Dense(_) => None,
            Self::Sparse(a) => Some((a.by_rows().view(), a.by_columns().map(|lines| lines.view()))),
        }
    }

    /// A sparse matrix in compressed columns: column j holds `rows[starts[j]..starts[j + 1]]` with their `values`.
    ///
    /// # Errors
    /// As [`Matrix::csr`].
    pub fn csc(
        rows: usize,
        columns: usize,
        starts: &[usize],
        indices: &[usize],
        values: Vec<f64>,
    ) -> Result<Self, DataError> {
        let (indices, values) = (narrow(indices, rows)?, Arc::new(values));
        Self::csc_shared(rows, columns, starts.to_vec(), indices, values)
    }

    /// As [`Matrix::csc`], from entries that someone else keeps. A matrix is held by rows, so there is a copy; but none
    /// beside it.
    ///
    /// # Errors
    /// As [`Matrix::csr`].
    pub fn csc_shared(
        rows: usize,
        columns: usize,
        starts: Vec<usize>,
        indices: Shared<u32>,
        values: Shared<f64>,
    ) -> Result<Self, DataError> {
        Sparse::from_columns(rows, columns, starts, indices, values).map(Self::Sparse)
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(a) => a.rows(),
            Self::Sparse(a) => a.rows(),
        }
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(a) => a.columns(),
            Self::Sparse(a) => a.columns(),
        }
    }

    /// The number of stored entries.
    #[must_use]
    pub fn stored(&self) -> usize {
        match self {
            Self::Dense(a) => a.entries().len(),
            Self::Sparse(a) => a.by_rows().stored(),
        }
    }

    /// Calls `visit(i, j, a_ij)` for every stored entry, in storage order.
    pub fn for_each(&self, visit: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(a) => a.for_each(visit),
            Self::Sparse(a) => a.by_rows().for_each(visit),
        }
    }

    /// Row `i` as it is stored.
    #[must_use]
    pub fn view_row(&self, i: usize) -> RowView<'_> {
        match self {
            Self::Dense(a) => match a.row(i) {
                Entries::Double(row) => RowView::Dense(row),
                Entries::Single(row) => RowView::Single(row),
            },
            Self::Sparse(a) => {
                let (columns, values) = a.by_rows().line(i);
                RowView::Sparse { columns, values }
            }
        }
    }

    /// diag(rows) A diag(columns).
    ///
    /// # Errors
    /// An entry that overflows.
    pub(crate) fn scaled(&self, rows: &[f64], columns: &[f64]) -> Result<Self, DataError> {
        match self {
            Self::Dense(a) => {
                let mut values = Vec::with_capacity(a.entries().len());
                for (i, r) in rows.iter().enumerate() {
                    a.row(i).for_each(|j, a| values.push(a * (r * columns[j])));
                }
                Self::row_major(a.rows(), a.columns(), values)
            }
            Self::Sparse(a) => {
                let lines = a.by_rows();
                let (mut starts, mut indices) = (vec![0], Vec::with_capacity(lines.stored()));
                let mut values = Vec::with_capacity(lines.stored());
                for (i, r) in rows.iter().enumerate() {
                    let (at, entries) = lines.line(i);
                    indices.extend_from_slice(at);
                    values.extend(at.iter().zip(entries).map(|(&j, a)| a * (r * columns[j as usize])));
                    starts.push(values.len());
                }
                Self::csr_shared(a.rows(), a.columns(), starts, Arc::new(indices), Arc::new(values))
            }
        }
    }

    /// The rows of these indices, in their order.
    ///
    /// # Errors
    /// None: what is selected was checked when the matrix was made.
    pub fn selected(&self, rows: &[usize]) -> Result<Self, DataError> {
        match self {
            Self::Dense(a) => a.selected(rows).map(Self::Dense),
            Self::Sparse(a) => {
                let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for &i in rows {
                    let (at, entries) = a.by_rows().line(i);
                    indices.extend_from_slice(at);
                    values.extend_from_slice(entries);
                    starts.push(values.len());
                }
                Self::csr_shared(rows.len(), a.columns(), starts, Arc::new(indices), Arc::new(values))
            }
        }
    }

    /// The columns of these indices, in increasing order.
    ///
    /// # Errors
    /// None: what is selected was checked when the matrix was made.
    pub(crate) fn with_columns(&self, columns: &[usize]) -> Result<Self, DataError> {
        match self {
            Self::Dense(a) => {
                let mut values = Vec::with_capacity(a.rows() * columns.len());
                for i in 0..a.rows() {
                    let row = a.row(i);
                    values.extend(columns.iter().map(|&j| row.at(j)));
                }
                Self::row_major(a.rows(), columns.len(), values)
            }
            Self::Sparse(a) => a.with_columns(columns).map(Self::Sparse),
        }
    }

    /// Writes row `i`, zeros included.
    pub fn copy_row(&self, i: usize, out: &mut [f64]) {
        match self {
            Self::Dense(a) => a.row(i).copy_to(out),
            Self::Sparse(a) => {
                out.fill(0.0);
                let (columns, values) = a.by_rows().line(i);
                for (&j, &value) in columns.iter().zip(values) {
                    out[j as usize] = value;
                }
            }
        }
    }
}
