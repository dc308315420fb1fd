//! Quadratics that are not convex, and convex ones that only just are.

use crate::measure::{dot, norm};
use crate::random::Rng;
use crate::samples::{Storage, stored};
use ufcm::component::Quadratic;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

/// A random orthonormal basis, by Gram and Schmidt (twice, for the digits).
fn basis(n: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    while basis.len() < n {
        let mut v = rng.vector(n);
        for _ in 0..2 {
            for b in &basis {
                let along = dot(b, &v);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
            let size = norm(&v);
            v.iter_mut().for_each(|v| *v /= size);
        }
        basis.push(v);
    }
    basis
}

/// The symmetric matrix with these eigenvalues and a random basis.
fn with_spectrum(eigenvalues: &[f64], rng: &mut Rng) -> Matrix {
    let n = eigenvalues.len();
    let basis = basis(n, rng);
    let entry = |i: usize, j: usize| -> f64 {
        basis.iter().zip(eigenvalues).map(|(b, value)| value * b[i] * b[j]).sum()
    };
    let values: Vec<f64> = (0..n * n).map(|k| entry((k / n).max(k % n), (k / n).min(k % n))).collect();
    stored(n, n, &values, [Storage::RowMajor, Storage::ColumnMajor, Storage::Csr, Storage::Csc][n % 4])
}

#[test]
fn cheap_checks_refuse_almost_all_indefinite_matrices() {
    let (mut rng, mut caught, trials) = (Rng::new(101), 0, 240);
    for trial in 0..trials {
        let n = 2 + 7 * trial % 141;
        // Eigenvalues in [0, 1] but for one between -1/4 and -1/50.
        let mut eigenvalues: Vec<f64> = (0..n).map(|_| rng.uniform(0.0, 1.0)).collect();
        eigenvalues[0] = -rng.uniform(0.02, 0.25);
        let q = with_spectrum(&eigenvalues, &mut rng);
        let refused = Quadratic::new(&q);
        caught += usize::from(refused.is_err());
        if let Err(error) = refused {
            assert!(error.to_string().contains("not positive semidefinite"), "{error}");
        }
        // What is trusted is refused by a proof.
        let trusted = Quadratic::trusted(&q).expect("symmetric");
        assert!(trusted.prove_convex().is_err(), "order {n}: no proof may succeed");
    }
    println!("{caught} of {trials} indefinite matrices refused without a factorisation");
    assert!(caught * 100 >= 95 * trials, "only {caught} of {trials} were refused");
}

#[test]
fn proofs_find_the_slightest_negative_curvature() {
    let mut rng = Rng::new(102);
    for trial in 0..200 {
        let n = 2 + trial % 40;
        let mut eigenvalues: Vec<f64> = (0..n).map(|_| rng.uniform(0.1, 1.0)).collect();
        // Bounds of the size of Q are up to sqrt(n) too large, and 1e-9 of that counts as rounding.
        eigenvalues[n / 2] = -rng.uniform(1.0, 10.0) * 2e-8;
        let q = Quadratic::trusted(&with_spectrum(&eigenvalues, &mut rng)).expect("symmetric");
        assert!(q.prove_convex().is_err(), "order {n}, eigenvalue {:e}", eigenvalues[n / 2]);
    }
}

#[test]
fn singular_matrices_are_welcome() {
    let mut rng = Rng::new(103);
    for trial in 0..200 {
        let n = 1 + trial % 40;
        let rank = trial % (n + 1);
        let size = 10f64.powi(trial % 13 - 6);
        let eigenvalues: Vec<f64> =
            (0..n).map(|k| if k < rank { size * rng.uniform(0.01, 1.0) } else { 0.0 }).collect();
        let q = Quadratic::new(&with_spectrum(&eigenvalues, &mut rng));
        let q = q.unwrap_or_else(|error| panic!("order {n}, rank {rank}: {error}"));
        assert_eq!(q.prove_convex(), Ok(true), "order {n}, rank {rank}");
    }
    for n in [1, 2, 30] {
        let zero = Quadratic::new(&stored(n, n, &vec![0.0; n * n], Storage::RowMajor)).expect("convex");
        assert_eq!(zero.prove_convex(), Ok(true));
        assert_eq!(zero.evaluate(&vec![3.0; n], None), Ok(0.0));
        let empty = Quadratic::new(&stored(n, n, &vec![0.0; n * n], Storage::Csr)).expect("convex");
        assert_eq!(empty.prove_convex(), Ok(true));
    }
}

/// A Laplacian of a ring of `n` with `extra` on one diagonal entry: singular for 0, indefinite below.
fn ring(n: usize, extra: f64) -> Matrix {
    let entry = |i: usize, j: usize| match (i + n - j) % n {
        0 => 2.0 + if i == 3 { extra } else { 0.0 },
        _ => -1.0,
    };
    let near = |i: usize| {
        let mut columns = vec![(i + n - 1) % n, i, (i + 1) % n];
        columns.sort_unstable();
        columns
    };
    let columns: Vec<usize> = (0..n).flat_map(near).collect();
    let values = columns.iter().enumerate().map(|(k, &j)| entry(k / 3, j)).collect();
    let starts: Vec<usize> = (0..=n).map(|i| 3 * i).collect();
    Matrix::csr(n, n, &starts, &columns, values).expect("sound")
}

#[test]
fn large_sparse_matrices_are_proven_in_their_own_pattern() {
    let n = 30_000; // dense, its factor would take 7 GB
    let prove = |extra: f64| Quadratic::trusted(&ring(n, extra)).expect("symmetric").prove_convex();
    assert_eq!(prove(0.0), Ok(true), "convex, though singular");
    assert_eq!(prove(1.0), Ok(true));
    let error = prove(-1e-2).expect_err("indefinite").to_string();
    assert!(error.contains("not positive semidefinite"), "{error}");
}

#[test]
fn forms_that_are_convex_by_their_form_need_no_proof() {
    let factor = Matrix::row_major(1, 2, vec![1.0, -2.0]).expect("sound");
    assert_eq!(Quadratic::factored(factor, None).expect("sound").prove_convex(), Ok(true));
    assert_eq!(Quadratic::diagonal(vec![0.0, 1.0]).expect("sound").prove_convex(), Ok(true));
}
