//! Dense storage.

use crate::error::{DataError, DataProblem, Position, check_length};

/// The order of the entries of a dense matrix in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Row after row.
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

/// A dense matrix; see [`Matrix::row_major`](super::Matrix::row_major).
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    rows: usize,
    columns: usize,
    layout: Layout,
    values: Vec<f64>,
}

impl Dense {
    pub(super) fn new(
        rows: usize,
        columns: usize,
        layout: Layout,
        values: Vec<f64>,
    ) -> Result<Self, DataError> {
        const OBJECT: &str = "dense matrix";
        let Some(entries) = rows.checked_mul(columns) else {
            return Err(DataError::structure(OBJECT, format!("{rows} x {columns} is too large")));
        };
        check_length(OBJECT, "values", entries, values.len())?;
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            let (i, j) = match layout {
                Layout::RowMajor => (k / columns, k % columns),
                Layout::ColumnMajor => (k % rows, k / rows),
            };
            let problem =
                DataProblem::NotFinite { field: "values", position: Position::Cell(i, j), value: values[k] };
            return Err(DataError::new(OBJECT, problem));
        }
        Ok(Self { rows, columns, layout, values })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The order of [`Dense::values`].
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The entries, in the order of [`Dense::layout`].
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        match self.layout {
            Layout::RowMajor => {
                for (i, row) in self.values.chunks_exact(self.columns.max(1)).enumerate() {
                    row.iter().enumerate().for_each(|(j, &value)| visit(i, j, value));
                }
            }
            Layout::ColumnMajor => {
                for (j, column) in self.values.chunks_exact(self.rows.max(1)).enumerate() {
                    column.iter().enumerate().for_each(|(i, &value)| visit(i, j, value));
                }
            }
        }
    }

    pub(super) fn copy_row(&self, i: usize, out: &mut [f64]) {
        match self.layout {
            Layout::RowMajor => out.copy_from_slice(&self.values[i * self.columns..][..self.columns]),
            Layout::ColumnMajor => {
                for (j, out) in out.iter_mut().enumerate() {
                    *out = self.values[j * self.rows + i];
                }
            }
        }
    }
}
