//! Dense storage, row after row.

use crate::error::{DataError, DataProblem, Position, check_length, first_not_finite};

const OBJECT: &str = "dense matrix";
/// Side of the squares in which a matrix is transposed: two of them stay in cache.
const SQUARE: usize = 32;

/// A dense matrix, stored by rows; see [`Matrix::row_major`](super::Matrix::row_major).
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Dense {
    pub(super) fn from_rows(rows: usize, columns: usize, values: Vec<f64>) -> Result<Self, DataError> {
        check_size(rows, columns, values.len())?;
        check_finite(&values, |k| Position::Cell(k / columns, k % columns))?;
        Ok(Self { rows, columns, values })
    }

    /// From values column after column, which are put in order once: a pass by columns would run at half the speed of
    /// one by rows, every time.
    pub(super) fn from_columns(rows: usize, columns: usize, values: &[f64]) -> Result<Self, DataError> {
        check_size(rows, columns, values.len())?;
        check_finite(values, |k| Position::Cell(k % rows, k / rows))?;
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
        Ok(Self { rows, columns, values: by_rows })
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
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..][..self.columns]
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for i in 0..self.rows {
            self.row(i).iter().enumerate().for_each(|(j, &value)| visit(i, j, value));
        }
    }
}

fn check_size(rows: usize, columns: usize, got: usize) -> Result<(), DataError> {
    match rows.checked_mul(columns) {
        Some(entries) => check_length(OBJECT, "values", entries, got),
        None => Err(DataError::structure(OBJECT, format!("{rows} x {columns} is too large"))),
    }
}

fn check_finite(values: &[f64], position: impl Fn(usize) -> Position) -> Result<(), DataError> {
    let Some(k) = first_not_finite(values) else { return Ok(()) };
    let problem = DataProblem::NotFinite { field: "values", position: position(k), value: values[k] };
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
        let expected = Dense::from_rows(rows, columns, by_rows).unwrap();
        assert_eq!(Dense::from_columns(rows, columns, &by_columns).unwrap(), expected);
        let mut spoilt = by_columns;
        spoilt[3 * rows + 2] = f64::NAN;
        let error = Dense::from_columns(rows, columns, &spoilt).unwrap_err().to_string();
        assert!(error.contains("values[2, 3] is NaN"), "{error}");
    }
}
