//! The same bits for any number of threads, and from call to call.

use crate::list::{Case, LARGE, all};
use crate::measure::bits;
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};
use rayon::{ThreadPool, ThreadPoolBuilder};

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
    if let Some(image) = case.component.image() {
        let (mut product, mut gradient) = (vec![0.0; image.image_dimension()], vec![0.0; x.len()]);
        image.image_of(x, &mut product).expect("finite");
        all.push(image.evaluate_at_image(x, &product, Some(&mut gradient)).expect("finite"));
        all.extend(product);
        all.extend(gradient);
    }
    bits(&all)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (pools, mut rng) = (pools(), Rng::new(61));
    for (rows, columns) in LARGE {
        let samples = Samples::random(rows, columns, 62);
        let x = rng.vector(columns);
        for storage in STORAGES {
            for case in all(&samples, storage) {
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
