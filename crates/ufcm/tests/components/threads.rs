//! The same bits for any number of threads, and from call to call.

use crate::list::{Case, LARGE, all};
use crate::measure::{assert_close, bits, dot};
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};
use rayon::{ThreadPool, ThreadPoolBuilder};
use ufcm::component::Quadratic;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

pub fn pools() -> Vec<ThreadPool> {
    (1..=4).map(|k| ThreadPoolBuilder::new().num_threads(k).build().expect("threads")).collect()
}

/// The bits of everything the component computes at `x`. Of the Hessian only where asked, for time.
pub fn outcome(case: &Case, x: &[f64], with_hessian: bool) -> Vec<u64> {
    let (value, mut all) = case.at(x);
    all.extend([value, case.value(x)]);
    if let Some(curvature) = case.component.curvature() {
        let mut diagonal = vec![0.0; x.len()];
        curvature.add_diagonal(x, 1.0, &mut diagonal).expect("finite");
        all.extend(diagonal);
        if with_hessian {
            all.extend(crate::hessian::hessian(curvature, x));
        }
    }
    bits(&all)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (pools, mut rng) = (pools(), Rng::new(61));
    for (rows, columns) in LARGE {
        let samples = Samples::random(rows, columns, 62);
        for storage in STORAGES {
            for case in all(&samples, storage) {
                let x = rng.vector(case.dimension());
                // Hessians once for each kind of loss, not once for each weighting.
                let with_hessian = !case.name.contains("mean") && !case.name.contains("weighted");
                let one = pools[0].install(|| outcome(&case, &x, with_hessian));
                for (k, pool) in pools.iter().enumerate() {
                    let other = pool.install(|| outcome(&case, &x, with_hessian));
                    assert!(one == other, "{}: {} threads give other bits", case.name, k + 1);
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits_for_packed_symmetric_products() {
    let (pools, mut rng, n) = (pools(), Rng::new(63), 800);
    let mut values = rng.vector(n * n);
    for i in 0..n {
        for j in 0..i {
            values[j * n + i] = values[i * n + j];
        }
    }
    // Trusted: a product needs no convexity.
    let q = Quadratic::trusted(&Matrix::row_major(n, n, values.clone()).expect("sound")).expect("symmetric");
    let x = rng.vector(n);
    // Without a linear part the gradient is the product.
    let product = || {
        let mut product = vec![f64::NAN; n];
        q.evaluate(&x, Some(&mut product)).expect("finite");
        product
    };
    let one = pools[0].install(product);
    let naive: Vec<f64> = values.chunks(n).map(|row| dot(row, &x)).collect();
    assert_close("the packed product", &one, &naive, 1e-13);
    for pool in &pools {
        assert_eq!(bits(&one), bits(&pool.install(product)), "{} threads", pool.current_num_threads());
    }
}
