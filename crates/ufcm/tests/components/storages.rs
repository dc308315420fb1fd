//! The same data in four storages, in single precision, or as a part of more rows: the same results.

use crate::hessian::{curvature, diagonal, hessian};
use crate::list::{LARGE, SMALL, all};
use crate::measure::assert_close;
use crate::random::Rng;
use crate::samples::{STORAGES, Samples, Storage};
use ufcm::component::LeastSquares;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

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

/// Numbers that single precision holds, in both precisions: the same bits, since all sums are in double precision and in the same order.
#[test]
fn single_precision_has_the_bits_of_the_same_numbers_in_double() {
    let mut rng = Rng::new(55);
    for (rows, columns) in SMALL.into_iter().chain(LARGE) {
        let mut samples = Samples::random(rows, columns, 56);
        samples.values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        let double = samples.matrix(Storage::RowMajor);
        let single = double.in_single_precision().unwrap();
        let targets = rng.vector(rows);
        let losses =
            [&*double, &single].map(|data| LeastSquares::new(data.clone(), targets.clone()).unwrap());
        let x = rng.vector(columns);
        let [ours, theirs] = losses.each_ref().map(|loss| {
            let mut gradient = vec![0.0; columns];
            let value = loss.evaluate(&x, Some(&mut gradient)).unwrap();
            (value, gradient, hessian(loss, &x), diagonal(loss, &x), loss.smoothness())
        });
        assert_eq!(ours, theirs, "{rows} x {columns}");
        let [mut a, mut b] = [vec![0.0; rows], vec![0.0; rows]];
        double.apply(&x, &mut a);
        single.apply(&x, &mut b);
        assert_eq!(a, b);
        let some: Vec<usize> = (0..rows).step_by(3).collect();
        assert_eq!(
            single.selected(&some).unwrap(),
            double.selected(&some).unwrap().in_single_precision().unwrap()
        );
    }
    let error = Matrix::row_major(1, 1, vec![1e39]).unwrap().in_single_precision().unwrap_err();
    assert!(error.to_string().contains("values[0, 0] is inf"), "{error}");
}

#[test]
fn rows_in_a_row_are_shared_and_the_same() {
    for storage in STORAGES {
        let samples = Samples::random(30, 7, 57);
        let whole = samples.matrix(storage);
        let part = whole.row_range(11..25);
        assert_eq!(part, whole.selected(&(11..25).collect::<Vec<_>>()).unwrap(), "{storage:?}");
        assert_eq!(whole.row_range(4..4).rows(), 0);
    }
}
