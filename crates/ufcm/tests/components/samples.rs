//! Random data sets, in every storage.

use crate::random::Rng;
use std::sync::Arc;
use ufcm::matrix::Matrix;

/// How a matrix is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Storage {
    RowMajor,
    ColumnMajor,
    Csr,
    Csc,
}

pub const STORAGES: [Storage; 4] = [Storage::RowMajor, Storage::ColumnMajor, Storage::Csr, Storage::Csc];

/// Row-major `values` in any storage; the sparse ones hold what is not zero.
pub fn stored(rows: usize, columns: usize, values: &[f64], storage: Storage) -> Matrix {
    let entry = |i: usize, j: usize| values[i * columns + j];
    let compressed = |lines: usize, width: usize, entry: &dyn Fn(usize, usize) -> f64| {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for k in 0..lines {
            for i in (0..width).filter(|&i| entry(k, i) != 0.0) {
                indices.push(i);
                values.push(entry(k, i));
            }
            starts.push(indices.len());
        }
        (starts, indices, values)
    };
    let matrix = match storage {
        Storage::RowMajor => Matrix::row_major(rows, columns, values.to_vec()),
        Storage::ColumnMajor => {
            let by_columns: Vec<f64> = (0..rows * columns).map(|k| entry(k % rows, k / rows)).collect();
            Matrix::column_major(rows, columns, &by_columns)
        }
        Storage::Csr => {
            let (starts, indices, values) = compressed(rows, columns, &entry);
            Matrix::csr(rows, columns, &starts, &indices, values)
        }
        Storage::Csc => {
            let (starts, indices, values) = compressed(columns, rows, &|j, i| entry(i, j));
            Matrix::csc(rows, columns, &starts, &indices, values)
        }
    };
    matrix.expect("the test's own matrix is sound")
}

/// A data matrix with targets of every kind. Half of the entries are zero; products with standard normal points are
/// of size one.
pub struct Samples {
    pub rows: usize,
    pub columns: usize,
    /// By rows.
    pub values: Vec<f64>,
    pub targets: Vec<f64>,
    /// -1 and 1.
    pub signs: Vec<f64>,
    /// 0, 1, 2, ...
    pub counts: Vec<f64>,
    /// Some are zero.
    pub weights: Vec<f64>,
}

impl Samples {
    pub fn random(rows: usize, columns: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let size = 1.5 / (0.5 * columns as f64).sqrt();
        let mut entry = || if rng.uniform(0.0, 1.0) < 0.5 { 0.0 } else { size * rng.normal() };
        let mut values: Vec<f64> = (0..rows * columns).map(|_| entry()).collect();
        values[0] = size; // never all zero
        let signs = (0..rows).map(|_| if rng.uniform(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 }).collect();
        let counts = (0..rows).map(|_| rng.uniform(0.0, 5.0).floor()).collect();
        let mut weights: Vec<f64> = (0..rows).map(|_| rng.uniform(-0.5, 2.0).max(0.0)).collect();
        weights[0] = 1.0;
        Self { rows, columns, values, targets: rng.vector(rows), signs, counts, weights }
    }

    pub fn matrix(&self, storage: Storage) -> Arc<Matrix> {
        Arc::new(stored(self.rows, self.columns, &self.values, storage))
    }
}
