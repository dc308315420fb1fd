//! After its first call, no component allocates in `evaluate`, on one thread.

#[path = "common/counting.rs"]
mod counting;
#[path = "components/list.rs"]
#[allow(dead_code, reason = "this test evaluates and asks nothing else")]
mod list;
#[path = "components/random.rs"]
mod random;
#[path = "components/samples.rs"]
mod samples;

use counting::allocations;

/// Everything a run calls again and again.
fn evaluate(case: &list::Case, x: &[f64], gradient: &mut [f64], image: &mut [f64]) {
    case.component.evaluate(x, None).expect("finite");
    case.component.evaluate(x, Some(gradient)).expect("finite");
    if let Some(through) = case.component.image() {
        through.image_of(x, image).expect("finite");
        through.evaluate_at_image(x, image, None).expect("finite");
        through.evaluate_at_image(x, image, Some(gradient)).expect("finite");
    }
    if let Some(curvature) = case.component.curvature() {
        curvature.add_diagonal(x, 1.0, gradient).expect("finite");
    }
}

fn check(cases: Vec<list::Case>) {
    let mut rng = random::Rng::new(111);
    for case in cases {
        let n = case.dimension();
        let (x, y, mut gradient) = (rng.vector(n), rng.vector(n), vec![0.0; n]);
        let mut image = vec![0.0; case.component.image().map_or(0, |through| through.image_dimension())];
        evaluate(&case, &x, &mut gradient, &mut image);
        let later = allocations(|| {
            evaluate(&case, &y, &mut gradient, &mut image);
            evaluate(&case, &x, &mut gradient, &mut image);
        });
        assert_eq!(later, 0, "{} allocates in later calls", case.name);
    }
}

#[test]
fn the_count_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))), 1);
}

#[test]
fn small_data_needs_no_allocation_after_the_first_call() {
    check(list::small());
}

#[test]
fn data_of_several_blocks_needs_no_allocation_after_the_first_call() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (rows, columns) in list::LARGE {
        let samples = samples::Samples::random(rows, columns, 112);
        for storage in samples::STORAGES {
            pool.install(|| check(list::all(&samples, storage)));
        }
    }
}
