//! Writing matrices.

use std::fmt::Write;
use ufcm::matrix::Matrix;

/// The text of a Matrix Market file: `coordinate` for a sparse matrix, `array` for a dense one. Numbers are written so that
/// the same ones are read again.
///
/// ```
/// use ufcm::matrix::Matrix;
/// use ufcm_io::{Source, matrix_market};
///
/// let matrix = Matrix::csr(2, 3, &[0, 1, 1], &[2], vec![0.1])?;
/// let text = matrix_market::text(&matrix);
/// assert_eq!(matrix_market::read(&Source::from_bytes("a.mtx", text.into())?)?, matrix);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn text(matrix: &Matrix) -> String {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = match matrix {
        Matrix::Dense(_) => write!(text, "%%MatrixMarket matrix array real general\n{rows} {columns}\n"),
        Matrix::Sparse(_) => {
            write!(
                text,
                "%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}\n",
                matrix.stored()
            )
        }
    };
    match matrix {
        Matrix::Dense(dense) => {
            for (i, j) in (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))) {
                let _ = writeln!(text, "{:?}", dense.row(i).at(j));
            }
        }
        Matrix::Sparse(_) => matrix.for_each(|i, j, value| {
            let _ = writeln!(text, "{} {} {value:?}", i + 1, j + 1);
        }),
    }
    text
}
