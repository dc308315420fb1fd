//! Sparse matrices from entries in any order.

use ufcm::error::DataError;
use ufcm::matrix::Matrix;

/// The matrix of `entries` (row, column, value); entries given twice are added.
pub(crate) fn from_entries(
    rows: usize,
    columns: usize,
    entries: &[(usize, usize, f64)],
) -> Result<Matrix, DataError> {
    let mut starts = vec![0; rows + 1];
    entries.iter().for_each(|&(i, ..)| starts[i + 1] += 1);
    for i in 0..rows {
        starts[i + 1] += starts[i];
    }
    let (mut next, mut indices, mut values) =
        (starts.clone(), vec![0; entries.len()], vec![0.0; entries.len()]);
    for &(i, j, value) in entries {
        indices[next[i]] = j;
        values[next[i]] = value;
        next[i] += 1;
    }
    Matrix::csr(rows, columns, &starts, &indices, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_any_order_and_add_up() {
        let a = from_entries(2, 2, &[(1, 0, 3.0), (0, 1, 1.0), (1, 0, 0.5)]).unwrap();
        assert_eq!(a, Matrix::csr(2, 2, &[0, 1, 2], &[1, 0], vec![1.0, 3.5]).unwrap());
    }
}
