//! Matrices made from matrices: some rows, other scales, a column more.

use crate::sparse::from_entries;
use std::ops::Range;
use ufcm::error::DataError;
use ufcm::matrix::Matrix;

/// Some rows of a matrix, in increasing order, stored as it is; those that follow each other are shared.
pub(super) fn taken(matrix: &Matrix, rows: &[usize]) -> Result<Matrix, DataError> {
    match run(rows) {
        Some(run) => Ok(matrix.row_range(run)),
        None => matrix.selected(rows),
    }
}

/// The range of rows that follow each other.
pub(super) fn run(rows: &[usize]) -> Option<Range<usize>> {
    let range = *rows.first()?..rows.last()? + 1;
    (range.len() == rows.len()).then_some(range)
}

/// What is taken from each column, and what it is divided by.
pub(super) struct Scales {
    pub(super) means: Vec<f64>,
    pub(super) scales: Vec<f64>,
}

/// What makes columns of mean 0 and standard deviation 1 over all rows; `total` is their number and `sums` adds up over ranks where each has its own. A sparse
/// matrix is only scaled, to a root mean square of 1, since centring would fill it. Columns of categories and columns without spread keep their scale.
pub(super) fn scales<E>(
    matrix: &Matrix,
    category: &[bool],
    total: Option<usize>,
    sums: impl Fn(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<Scales, E> {
    let (rows, n) = (total.unwrap_or(matrix.rows()) as f64, matrix.columns());
    let dense = matches!(matrix, Matrix::Dense(_));
    let (mut means, mut squares) = (vec![0.0; n], vec![0.0; n]);
    if dense {
        matrix.for_each(|_, j, value| means[j] += value / rows);
        means = sums(&means)?;
        category.iter().zip(&mut means).filter(|(category, _)| **category).for_each(|(_, mean)| *mean = 0.0);
    }
    matrix.for_each(|_, j, value| squares[j] += (value - means[j]) * (value - means[j]) / rows);
    let squares = sums(&squares)?;
    let scale = |j: usize| match category[j] || squares[j].sqrt() <= 1e-12 * means[j].abs() {
        true => 1.0,
        false => squares[j].sqrt(),
    };
    Ok(Scales { scales: (0..n).map(scale).collect(), means })
}

/// The matrix with other columns.
pub(super) fn standardised(matrix: &Matrix, by: &Scales) -> Result<Matrix, DataError> {
    let (dense, Scales { means, scales }) = (matches!(matrix, Matrix::Dense(_)), by);
    let (mut values, mut entries) = (Vec::new(), Vec::new());
    matrix.for_each(|i, j, value| match dense {
        true => values.push((value - means[j]) / scales[j]),
        false => entries.push((i, j, value / scales[j])),
    });
    match dense {
        true => Matrix::row_major(matrix.rows(), matrix.columns(), values),
        false => from_entries(matrix.rows(), matrix.columns(), &entries),
    }
}

/// The matrix stored as all ranks have decided to.
pub(super) fn stored(matrix: Matrix, dense: bool) -> Result<Matrix, DataError> {
    let (rows, n) = (matrix.rows(), matrix.columns());
    match (&matrix, dense) {
        (Matrix::Dense(_), false) => {
            let mut entries = Vec::new();
            matrix.for_each(|i, j, value| entries.extend((value != 0.0).then_some((i, j, value))));
            from_entries(rows, n, &entries)
        }
        (Matrix::Sparse(_), true) => {
            let mut values = vec![0.0; rows * n];
            matrix.for_each(|i, j, value| values[i * n + j] = value);
            Matrix::row_major(rows, n, values)
        }
        _ => Ok(matrix),
    }
}

/// A last column of ones.
pub(super) fn with_intercept(matrix: &Matrix) -> Result<Matrix, DataError> {
    let (rows, n) = (matrix.rows(), matrix.columns());
    if let Matrix::Dense(dense) = matrix {
        let mut values = vec![1.0; rows * (n + 1)];
        for (i, row) in values.chunks_exact_mut(n + 1).enumerate() {
            dense.row(i).copy_to(&mut row[..n]);
        }
        return Matrix::row_major(rows, n + 1, values);
    }
    let mut entries: Vec<_> = (0..rows).map(|i| (i, n, 1.0)).collect();
    matrix.for_each(|i, j, value| entries.push((i, j, value)));
    from_entries(rows, n + 1, &entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standardising_keeps_categories_constants_and_sparsity() {
        let dense = Matrix::row_major(2, 3, vec![1.0, 5.0, 1.0, 3.0, 5.0, 0.0]).unwrap();
        let expected = Matrix::row_major(2, 3, vec![-1.0, 0.0, 1.0, 1.0, 0.0, 0.0]).unwrap();
        let alone = |matrix: &Matrix, category: &[bool]| {
            let scales = scales(matrix, category, None, |own| Ok::<_, DataError>(own.to_vec())).unwrap();
            standardised(matrix, &scales).unwrap()
        };
        assert_eq!(alone(&dense, &[false, false, true]), expected);
        let sparse = Matrix::csr(2, 2, &[0, 1, 2], &[0, 0], vec![3.0, 3.0]).unwrap();
        let scaled = alone(&sparse, &[false, false]);
        assert_eq!(scaled, Matrix::csr(2, 2, &[0, 1, 2], &[0, 0], vec![1.0, 1.0]).unwrap());
    }

    #[test]
    fn rows_are_taken_and_ones_added_however_stored() {
        let dense = Matrix::row_major(2, 1, vec![3.0, 4.0]).unwrap();
        assert_eq!(taken(&dense, &[1]).unwrap(), Matrix::row_major(1, 1, vec![4.0]).unwrap());
        assert_eq!(
            with_intercept(&dense).unwrap(),
            Matrix::row_major(2, 2, vec![3.0, 1.0, 4.0, 1.0]).unwrap()
        );
        let sparse = Matrix::csr(2, 1, &[0, 0, 1], &[0], vec![4.0]).unwrap();
        assert_eq!(taken(&sparse, &[1]).unwrap(), Matrix::csr(1, 1, &[0, 1], &[0], vec![4.0]).unwrap());
        let wide = Matrix::csr(2, 2, &[0, 1, 3], &[1, 0, 1], vec![1.0, 4.0, 1.0]).unwrap();
        assert_eq!(with_intercept(&sparse).unwrap(), wide);
    }
}
