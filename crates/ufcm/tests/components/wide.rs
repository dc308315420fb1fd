//! Sparse data with so many columns that gradients are gathered in two passes.

use crate::hessian::diagonal;
use crate::list::{on_classes, on_data};
use crate::measure::assert_close;
use crate::random::Rng;
use crate::samples::{Samples, Storage};
use std::sync::Arc;
use ufcm::matrix::Matrix;

const COLUMNS: usize = 1 << 16;

/// Where column j of the narrow matrix stands in the wide one.
fn place(j: usize) -> usize {
    1500 * j + 17
}

/// `samples` with empty columns in between.
fn widened(samples: &Samples, storage: Storage) -> Arc<Matrix> {
    let narrow = &samples.values;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let wide = match storage {
        Storage::Csr => {
            for row in narrow.chunks(samples.columns) {
                for j in (0..samples.columns).filter(|&j| row[j] != 0.0) {
                    indices.push(place(j));
                    values.push(row[j]);
                }
                starts.push(values.len());
            }
            Matrix::csr(samples.rows, COLUMNS, &starts, &indices, values)
        }
        _ => {
            let mut column = 0;
            for wide in 0..COLUMNS {
                if column < samples.columns && wide == place(column) {
                    for i in (0..samples.rows).filter(|i| narrow[i * samples.columns + column] != 0.0) {
                        indices.push(i);
                        values.push(narrow[i * samples.columns + column]);
                    }
                    column += 1;
                }
                starts.push(values.len());
            }
            Matrix::csc(samples.rows, COLUMNS, &starts, &indices, values)
        }
    };
    Arc::new(wide.expect("sound"))
}

fn spread(x: &[f64]) -> Vec<f64> {
    let mut wide = vec![0.0; COLUMNS];
    x.iter().enumerate().for_each(|(j, &x)| wide[place(j)] = x);
    wide
}

#[test]
fn wide_data_agrees_with_the_same_data_made_narrow() {
    let mut rng = Rng::new(71);
    // One block, and several.
    for (rows, columns) in [(50, 12), (4500, 40)] {
        let samples = Samples::random(rows, columns, 72);
        let narrow = on_data(&samples.matrix(Storage::RowMajor), &samples);
        let x = rng.vector(columns);
        let wide_x = spread(&x);
        for storage in [Storage::Csr, Storage::Csc] {
            let wide = on_data(&widened(&samples, storage), &samples);
            for (wide, narrow) in wide.iter().zip(&narrow) {
                if narrow.name.contains("affine") {
                    continue; // its diagonal and slope are drawn for the number of columns
                }
                let name = format!("{} [{rows} rows, {storage:?}]", narrow.name);
                let ((value, gradient), (expected, slope)) = (wide.at(&wide_x), narrow.at(&x));
                assert_close(&name, &[value], &[expected], 1e-12);
                assert_close(&name, &[wide.value(&wide_x)], &[expected], 1e-12);
                assert_close(&name, &gradient, &spread(&slope), 1e-12);
                if let (Some(wide), Some(narrow)) = (wide.component.curvature(), narrow.component.curvature())
                {
                    assert_close(&name, &diagonal(wide, &wide_x), &spread(&diagonal(narrow, &x)), 1e-12);
                }
            }
        }
    }
}

#[test]
fn wide_data_agrees_with_the_same_data_made_narrow_for_several_classes() {
    let (pools, mut rng) = (crate::threads::pools(), Rng::new(75));
    for (rows, columns) in [(50, 12), (4500, 40)] {
        let samples = Samples::random(rows, columns, 76);
        let narrow = on_classes(&samples.matrix(Storage::RowMajor), &samples);
        for (wide, narrow) in on_classes(&widened(&samples, Storage::Csr), &samples).iter().zip(&narrow) {
            let x = rng.vector(narrow.dimension());
            let spread = |x: &[f64]| x.chunks(columns).flat_map(spread).collect::<Vec<f64>>();
            let wide_x = spread(&x);
            let ((value, gradient), (expected, slope)) = (wide.at(&wide_x), narrow.at(&x));
            assert_close(&wide.name, &[value, wide.value(&wide_x)], &[expected, expected], 1e-12);
            assert_close(&wide.name, &gradient, &spread(&slope), 1e-12);
            for pool in &pools {
                let other = pool.install(|| wide.at(&wide_x));
                assert!(other == (value, gradient.clone()), "{}: other bits", wide.name);
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits_on_wide_data() {
    let (pools, mut rng) = (crate::threads::pools(), Rng::new(73));
    let samples = Samples::random(9000, 40, 74);
    let x = spread(&rng.vector(40));
    for case in on_data(&widened(&samples, Storage::Csr), &samples) {
        let one = pools[0].install(|| crate::threads::outcome(&case, &x, false));
        for (k, pool) in pools.iter().enumerate() {
            let other = pool.install(|| crate::threads::outcome(&case, &x, false));
            assert!(one == other, "{}: {} threads give other bits", case.name, k + 1);
        }
    }
}
