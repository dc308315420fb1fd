//! The same data in four storages: the same results.

use crate::hessian::{curvature, diagonal, hessian};
use crate::list::{LARGE, SMALL, all};
use crate::measure::assert_close;
use crate::random::Rng;
use crate::samples::{STORAGES, Samples, Storage};

#[test]
fn products_agree() {
    let mut rng = Rng::new(51);
    for (rows, columns) in SMALL.into_iter().chain(LARGE) {
        let samples = Samples::random(rows, columns, 52);
        let x = rng.vector(columns);
        let naive: Vec<f64> =
            samples.values.chunks(columns).map(|row| crate::measure::dot(row, &x)).collect();
        for storage in STORAGES {
            let mut product = vec![f64::NAN; rows];
            samples.matrix(storage).apply(&x, &mut product);
            assert_close(&format!("{rows} x {columns} {storage:?}"), &product, &naive, 1e-13);
        }
    }
}

#[test]
fn components_agree() {
    let mut rng = Rng::new(53);
    for (rows, columns) in SMALL.into_iter().chain(LARGE) {
        let samples = Samples::random(rows, columns, 54);
        let reference = all(&samples, Storage::RowMajor);
        for storage in [Storage::ColumnMajor, Storage::Csr, Storage::Csc] {
            for (case, reference) in all(&samples, storage).iter().zip(&reference) {
                let (name, x) = (&case.name, rng.vector(case.dimension()));
                let ((value, gradient), (expected, slope)) = (case.at(&x), reference.at(&x));
                assert_close(name, &[value], &[expected], 1e-12);
                assert_close(name, &gradient, &slope, 1e-12);
                if let (Some(ours), Some(theirs)) = (curvature(case), curvature(reference)) {
                    assert_close(name, &diagonal(ours, &x), &diagonal(theirs, &x), 1e-12);
                    // Large Hessians are compared once for each kind of loss, not once for each weighting.
                    if rows < 100 || !(name.contains("mean") || name.contains("weighted")) {
                        assert_close(name, &hessian(ours, &x), &hessian(theirs, &x), 1e-12);
                    }
                    let (mut a, mut b) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                    ours.add_diagonal_bound(1.0, &mut a);
                    theirs.add_diagonal_bound(1.0, &mut b);
                    assert_close(name, &a, &b, 1e-12);
                }
                let constants = |c: &crate::list::Case| {
                    [
                        c.component.smoothness().map_or(0.0, |s| s.constant),
                        c.component.lower_bound().unwrap_or(0.0),
                    ]
                };
                assert_close(name, &constants(case), &constants(reference), 1e-12);
            }
        }
    }
}
