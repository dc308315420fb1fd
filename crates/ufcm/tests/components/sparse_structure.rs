//! Sparse matrices in any disorder (unsorted, entries given twice, empty lines) are the matrices they stand for.

use crate::hessian::{diagonal, hessian};
use crate::measure::assert_close;
use crate::random::Rng;
use proptest::prelude::*;
use std::sync::Arc;
use ufcm::component::{Logistic, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

/// Rows, columns, and entries (row, column, value) in any order, possibly repeated. Values are small multiples of
/// 1/8, so that sums of repeated entries are exact in any order.
fn entries() -> impl Strategy<Value = (usize, usize, Vec<(usize, usize, f64)>)> {
    (1usize..20, 1usize..20).prop_flat_map(|(rows, columns)| {
        let entry = (0..rows, 0..columns, -16i32..16).prop_map(|(i, j, v)| (i, j, f64::from(v) / 8.0));
        (Just(rows), Just(columns), prop::collection::vec(entry, 0..80))
    })
}

/// Compressed by the first index, in the order in which the entries come.
fn compressed(lines: usize, entries: &[(usize, usize, f64)]) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for k in 0..lines {
        for &(_, i, value) in entries.iter().filter(|entry| entry.0 == k) {
            indices.push(i);
            values.push(value);
        }
        starts.push(indices.len());
    }
    (starts, indices, values)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: prop::test_runner::RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn disorder_changes_nothing((rows, columns, entries) in entries()) {
        let mut values = vec![0.0; rows * columns];
        entries.iter().for_each(|&(i, j, value)| values[i * columns + j] += value);
        let swapped: Vec<_> = entries.iter().map(|&(i, j, value)| (j, i, value)).collect();
        let (starts, indices, by_rows) = compressed(rows, &entries);
        let csr = Matrix::csr(rows, columns, &starts, &indices, by_rows).unwrap();
        let (starts, indices, by_columns) = compressed(columns, &swapped);
        let csc = Matrix::csc(rows, columns, &starts, &indices, by_columns).unwrap();
        prop_assert_eq!(&csr, &csc);
        prop_assert!(csr.stored() <= entries.len());

        let dense = Matrix::row_major(rows, columns, values.clone()).unwrap();
        let mut row = vec![f64::NAN; columns];
        for (i, expected) in values.chunks(columns).enumerate() {
            csr.copy_row(i, &mut row);
            prop_assert_eq!(&row[..], expected);
        }
        let mut rebuilt = vec![0.0; rows * columns];
        csc.for_each(|i, j, value| rebuilt[i * columns + j] += value);
        prop_assert_eq!(&rebuilt, &values);

        let mut rng = Rng::new((rows * 31 + columns) as u64);
        let x = rng.vector(columns);
        let labels: Vec<f64> = (0..rows).map(|i| (i % 2) as f64).collect();
        let both = |matrix: &Matrix| -> Vec<Vec<f64>> {
            let logistic = Logistic::new(Arc::new(matrix.clone()), &labels).unwrap();
            let factored = Quadratic::factored(matrix.clone(), None).unwrap();
            [&logistic as &dyn Component, &factored].into_iter().flat_map(|component| {
                let mut gradient = vec![f64::NAN; columns];
                let value = component.evaluate(&x, Some(&mut gradient)).unwrap();
                let curvature = component.curvature().unwrap();
                vec![vec![value], gradient, diagonal(curvature, &x), hessian(curvature, &x)]
            }).collect()
        };
        for (sparse, dense) in both(&csr).iter().zip(both(&dense)) {
            assert_close("sparse and dense", sparse, &dense, 1e-12);
        }
    }
}
