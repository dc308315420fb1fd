//! Dense storage, row after row.

use super::Shared;
use super::entries::{Entries, Number, Stored, whichever};
use crate::error::{DataError, DataProblem, Position, check_length, first_not_finite};
use std::ops::Range;
use std::sync::Arc;

const OBJECT: &str = "dense matrix";
/// Side of the squares in which a matrix is transposed: two of them stay in cache.
const SQUARE: usize = 32;

/// A dense matrix, stored by rows; see [`Matrix::row_major`](super::Matrix::row_major).
#[derive(Clone)]
pub struct Dense {
    rows: usize,
    columns: usize,
    values: Stored,
}

impl std::fmt::Debug for Dense {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, columns, .. } = self;
        f.debug_struct("Dense")
            .field("rows", rows)
            .field("columns", columns)
            .field("values", &self.entries())
            .finish()
    }
}

impl PartialEq for Dense {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.columns, self.entries()) == (other.rows, other.columns, other.entries())
    }
}

impl Dense {
    pub(super) fn from_rows<T: Number>(
        rows: usize,
        columns: usize,
        values: Shared<T>,
    ) -> Result<Self, DataError> {
        let dense = Self::unchecked(rows, columns, values)?;
        dense.check()?;
        Ok(dense)
    }

    pub(super) fn unchecked<T: Number>(
        rows: usize,
        columns: usize,
        values: Shared<T>,
    ) -> Result<Self, DataError> {
        let dense = Self { rows, columns, values: T::stored(values) };
        check_size(rows, columns, dense.entries().len())?;
        Ok(dense)
    }

    pub(super) fn check(&self) -> Result<(), DataError> {
        check_finite(self.entries(), |k| Position::Cell(k / self.columns, k % self.columns))
    }

    /// From values column after column, which are put in order once: a pass by columns would run at half the speed of
    /// one by rows, every time.
    pub(super) fn from_columns(rows: usize, columns: usize, values: &[f64]) -> Result<Self, DataError> {
        check_size(rows, columns, values.len())?;
        check_finite(Entries::Double(values), |k| Position::Cell(k % rows, k / rows))?;
        let mut by_rows = vec![0.0; values.len()];
        for i0 in (0..rows).step_by(SQUARE) {
            for j0 in (0..columns).step_by(SQUARE) {
                for i in i0..(i0 + SQUARE).min(rows) {
                    for j in j0..(j0 + SQUARE).min(columns) {
                        by_rows[i * columns + j] = values[j * rows + i];
                    }
                }
            }
        }
        Ok(Self { rows, columns, values: Stored::Double(Arc::new(by_rows)) })
    }

    /// The same numbers in single precision.
    pub(super) fn single(&self) -> Result<Self, DataError> {
        let mut values = Vec::with_capacity(self.entries().len());
        self.entries().for_each(|_, value| values.push(value as f32));
        Self::from_rows(self.rows, self.columns, Arc::new(values))
    }

    /// Some rows in a row, without a copy.
    pub(super) fn row_range(&self, rows: Range<usize>) -> Self {
        let values = self.values.part(rows.start * self.columns..rows.end * self.columns);
        Self { rows: rows.len(), columns: self.columns, values }
    }

    /// The rows of these indices, in the same precision.
    pub(super) fn selected(&self, rows: &[usize]) -> Result<Self, DataError> {
        let n = self.columns;
        whichever!(self.entries(), values => {
            let taken: Vec<_> = rows.iter().flat_map(|&i| &values[i * n..][..n]).copied().collect();
            Self::from_rows(rows.len(), n, Arc::new(taken))
        })
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

    /// The entries, row after row.
    #[must_use]
    pub fn entries(&self) -> Entries<'_> {
        self.values.entries()
    }

    /// The entries as they are shared, where they are of double precision.
    pub(crate) fn shared_doubles(&self) -> Option<&Shared<f64>> {
        match &self.values {
            Stored::Double(values) => Some(values),
            Stored::Single(_) => None,
        }
    }

    /// Row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> Entries<'_> {
        self.entries().part(i * self.columns..(i + 1) * self.columns)
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows {
            self.row(i).for_each(|j, value| visit(i, j, value));
        }
    }
}

fn check_size(rows: usize, columns: usize, got: usize) -> Result<(), DataError> {
    match rows.checked_mul(columns) {
        Some(entries) => check_length(OBJECT, "values", entries, got),
        None => Err(DataError::structure(OBJECT, format!("{rows} x {columns} is too large"))),
    }
}

fn check_finite(entries: Entries<'_>, position: impl Fn(usize) -> Position) -> Result<(), DataError> {
    let Some(k) = whichever!(entries, values => first_not_finite(values)) else { return Ok(()) };
    let problem = DataProblem::NotFinite { field: "values", position: position(k), value: entries.at(k) };
    Err(DataError::new(OBJECT, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_put_in_order() {
        let (rows, columns) = (70, 45);
        let by_rows: Vec<f64> = (0..rows * columns).map(|k| k as f64).collect();
        let by_columns: Vec<f64> =
            (0..rows * columns).map(|k| by_rows[(k % rows) * columns + k / rows]).collect();
        let expected = Dense::from_rows(rows, columns, Arc::new(by_rows)).unwrap();
        assert_eq!(Dense::from_columns(rows, columns, &by_columns).unwrap(), expected);
        let mut spoilt = by_columns;
        spoilt[3 * rows + 2] = f64::NAN;
        let error = Dense::from_columns(rows, columns, &spoilt).unwrap_err().to_string();
        assert!(error.contains("values[2, 3] is NaN"), "{error}");
    }
}
