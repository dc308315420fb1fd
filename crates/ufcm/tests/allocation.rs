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
use ufcm::certificate::{Floor, LowerModel, Premise};
use ufcm::component::{LeastSquares, Quadratic};
use ufcm::composer::ConditionalValueAtRisk;
use ufcm::jacobian::ProxJacobian;
use ufcm::matrix::Matrix;
use ufcm::method::{Adaptive, AdaptiveParameters};
use ufcm::metric::Metric;
use ufcm::oracle::{Composer, NewtonComposer, NewtonRegulariser, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Ball, SortedL1};

/// Everything a run calls again and again.
fn evaluate(case: &list::Case, x: &[f64], gradient: &mut [f64]) {
    case.component.evaluate(x, None).expect("finite");
    case.component.evaluate(x, Some(gradient)).expect("finite");
    if let Some(curvature) = case.component.curvature() {
        curvature.add_diagonal(x, 1.0, gradient).expect("finite");
    }
}

fn check(cases: Vec<list::Case>) {
    let mut rng = random::Rng::new(111);
    for case in cases {
        let n = case.dimension();
        let (x, y, mut gradient) = (rng.vector(n), rng.vector(n), vec![0.0; n]);
        evaluate(&case, &x, &mut gradient);
        let later = allocations(|| {
            evaluate(&case, &y, &mut gradient);
            evaluate(&case, &x, &mut gradient);
        });
        assert_eq!(later, 0, "{} allocates in later calls", case.name);
    }
}

#[test]
fn the_count_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))), 1);
}

#[test]
fn sorting_and_selecting_need_no_allocation_after_the_first_call() {
    let n = 40;
    let mut rng = random::Rng::new(112);
    let u = SortedL1::new((0..n).map(|k| 1.0 / (1 + k) as f64).collect()).expect("sound");
    let h = ConditionalValueAtRisk::new(n, 0.3).expect("sound");
    let (v, mut x, unit) = (rng.vector(n), vec![0.0; n], Weight::scalar(1.0));
    let mut jacobian = ProxJacobian::new();
    let mut call = || {
        x.copy_from_slice(&v);
        u.prox(unit, &mut x).expect("a prox");
        u.prox_jacobian(unit, &v, &mut jacobian.start(n)).expect("a Jacobian");
        std::hint::black_box((u.value(&x), u.min_linear(&v, Some(&mut x))));
        x.copy_from_slice(&v);
        h.prox_conjugate(unit, &mut x).expect("a prox");
        h.prox_conjugate_jacobian(unit, &v, &mut jacobian.start(n)).expect("a Jacobian");
        h.multipliers_at(&v, &mut x);
        std::hint::black_box((h.value(&v), h.conjugate(&x)));
    };
    call();
    assert_eq!(allocations(call), 0);
}

#[test]
fn lower_bounds_need_no_allocation_after_the_model_is_made() {
    let n = 6;
    let quadratic = |shift: f64| {
        let linear: Vec<f64> = (0..n).map(|i| shift - i as f64 / 7.0).collect();
        Quadratic::diagonal(vec![1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
            .expect("data")
            .with_linear(linear)
            .expect("data")
    };
    let problem = Problem::minimise(quadratic(0.1))
        .subject_to(quadratic(0.7).at_most(0.2))
        .within(Ball::new(2.0))
        .build()
        .expect("a sound problem");
    let parameters = AdaptiveParameters { eps: 1e-9, r: 1.0, l: 10.0 };
    let mut method =
        Adaptive::new(&problem, &[0.0; 6], &[1.0, 0.0], parameters, Metric::Scalar).expect("a start");
    let premise = Premise::implied(&problem, &[0.0; 6]).expect("finite");
    let mut floor = Floor::new(&problem, &premise);
    let mut model = LowerModel::new(&problem, 5).expect("a capacity");
    for k in 0..30 {
        let count = allocations(|| {
            method.step().expect("a step");
        });
        // The first step fills the pools of the components.
        assert!(k == 0 || count == 0, "step {k} of the adaptive method allocates {count} times");
        let linearisation = method.linearisation();
        let count = allocations(|| {
            assert!(model.push(&linearisation).expect("finite"));
            model.bound(&mut floor, f64::INFINITY);
        });
        assert!(model.lower().is_finite());
        assert_eq!(count, 0);
    }
}

#[test]
fn steps_in_metrics_of_curvature_need_no_allocation_where_the_metric_stays() {
    let n = 8;
    let data: Vec<f64> = (0..20 * n).map(|k| (0.7 * k as f64).sin()).collect();
    let targets: Vec<f64> = (0..20).map(|k| f64::from(k).cos()).collect();
    let data = Matrix::row_major(20, n, data).expect("data");
    let problem = Problem::minimise(LeastSquares::new(data, targets).expect("data"))
        .subject_to(Quadratic::diagonal(vec![1.0; n]).expect("data").at_most(0.05))
        .within(Ball::new(2.0))
        .build()
        .expect("a sound problem");
    let parameters = AdaptiveParameters { eps: 1e-9, r: 1.0, l: 10.0 };
    let start =
        || Adaptive::new(&problem, &[0.0; 8], &[1.0, 0.0], parameters, Metric::Scalar).expect("a start");
    let methods = [
        ("curvature", start().with_curvature().expect("Hessians")),
        ("low rank", start().with_low_rank().expect("products")),
        ("quasi-Newton", start().with_quasi_newton()),
    ];
    for (name, mut method) in methods {
        let (mut still, mut curved) = (0, false);
        for k in 0..40 {
            let mut step = None;
            let count = allocations(|| step = Some(method.step().expect("a step")));
            let step = step.expect("taken");
            // A step that changes the metric makes a new one, and the first in it makes room for its factors.
            let changes = step.restarted || step.counts.hessians + step.counts.hessian_products > 0;
            if k > 0 && !changes && curved {
                assert_eq!(count, 0, "{name}: step {k}");
                still += 1;
            }
            curved = !changes;
        }
        assert!(still > 0, "{name}: no two steps in one metric");
    }
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
