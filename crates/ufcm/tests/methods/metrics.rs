//! Metrics for many variables and for black boxes, each where it pays: gradients against the plain norm, certified.

#[path = "../../examples/metrics/instances.rs"]
mod instances;

use instances::{black_boxes, factors, text};
use ufcm::component::{Custom, Linear};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::{Counts, Status};
use ufcm::settings::{MetricRule, Settings};

/// Measured: gradients, and products with Hessians.
const DAMPED: usize = 20;
const LOW_RANK: (usize, usize) = (21, 40);
const QUASI_NEWTON: usize = 201;

/// What a certificate of a gap of 1e-6 costs.
fn certified(problem: &Problem, metric: MetricRule) -> Counts {
    let settings = Settings { metric, max_gradients: Some(5000), ..Settings::default() };
    let report = problem.solve(&settings).unwrap();
    assert_eq!(report.status, Status::Certified, "{metric:?}: {:?}", report.trouble);
    report.certificate.expect("certified").verify(problem).unwrap();
    println!("{metric:?}: {:?}", report.counts);
    report.counts
}

#[test]
fn damped_scales_pay_on_sparse_data_and_are_where_many_variables_start() {
    let problem = text(1500, 4000, 30, 0.0).unwrap();
    let plain = certified(&problem, MetricRule::Scalar);
    let damped = certified(&problem, MetricRule::Damped);
    let hints = certified(&problem, MetricRule::Hints);
    assert!(damped.gradients <= DAMPED * 3 / 2, "{damped:?}");
    assert!(damped.gradients < hints.gradients && hints.gradients < plain.gradients);
    assert!(damped.gradients * 3 <= plain.gradients * 2, "{damped:?} {plain:?}");
    assert_eq!(certified(&problem, MetricRule::Auto).gradients, damped.gradients);
}

#[test]
fn a_low_rank_pays_where_features_share_factors() {
    let problem = factors(200, 3200, 10).unwrap();
    let plain = certified(&problem, MetricRule::Scalar);
    let low_rank = certified(&problem, MetricRule::LowRank);
    assert!(low_rank.gradients <= LOW_RANK.0 * 3 / 2, "{low_rank:?}");
    assert!(low_rank.hessian_products <= LOW_RANK.1 * 3 / 2 && low_rank.hessians == 0, "{low_rank:?}");
    // A product costs about as much as a gradient.
    let auto = certified(&problem, MetricRule::Auto);
    for counts in [low_rank, auto] {
        assert!(2 * (counts.gradients + counts.hessian_products) <= plain.gradients, "{counts:?} {plain:?}");
    }
}

#[test]
fn a_quasi_newton_matrix_pays_for_black_boxes() {
    for penalty in [0.0, 1e-3] {
        let problem = black_boxes(50, 1e4, penalty).unwrap();
        let plain = certified(&problem, MetricRule::Scalar);
        let quasi_newton = certified(&problem, MetricRule::QuasiNewton);
        let auto = certified(&problem, MetricRule::Auto);
        assert!(quasi_newton.gradients <= QUASI_NEWTON * 3 / 2, "{quasi_newton:?}");
        assert!(2 * quasi_newton.gradients <= plain.gradients, "{quasi_newton:?} {plain:?}");
        assert!(3 * auto.gradients <= 2 * plain.gradients, "{auto:?} {plain:?}");
        assert_eq!((auto.hessians, auto.hessian_products), (0, 0));
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let cases = [
        (text(6000, 3200, 30, 0.0).unwrap(), MetricRule::Damped),
        (factors(100, 3200, 10).unwrap(), MetricRule::LowRank),
        (black_boxes(30, 1e3, 0.0).unwrap(), MetricRule::QuasiNewton),
    ];
    for (problem, metric) in cases {
        let run = |threads| {
            let settings = Settings { threads: Some(threads), metric, ..Settings::default() };
            let report = problem.solve(&settings).unwrap();
            (report.x, report.lower_bound.to_bits(), report.counts)
        };
        let one = run(1);
        assert_eq!(one, run(2), "{metric:?}");
        assert_eq!(one, run(4), "{metric:?}");
    }
}

#[test]
fn what_cannot_be_had_is_refused_by_name() {
    let black_box = Custom::new(2, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        }
        Ok(x[0] * x[0] + x[1] * x[1])
    });
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(black_box.unwrap().at_most(1.0))
        .within(Ball::new(3.0))
        .build()
        .unwrap();
    let settings = Settings { metric: MetricRule::LowRank, ..Settings::default() };
    let message = problem.solve(&settings).unwrap_err().to_string();
    assert!(message.contains("products with its second derivatives"), "{message}");
    // Without hints the plain norm does.
    assert_eq!(certified(&problem, MetricRule::Damped), certified(&problem, MetricRule::Scalar));
}

#[test]
fn metrics_are_named_in_settings() {
    for (name, metric) in [
        ("auto", MetricRule::Auto),
        ("scalar", MetricRule::Scalar),
        ("hints", MetricRule::Hints),
        ("damped", MetricRule::Damped),
        ("curvature", MetricRule::Curvature),
        ("low-rank", MetricRule::LowRank),
        ("quasi-newton", MetricRule::QuasiNewton),
    ] {
        let settings: Settings = serde_json::from_str(&format!("{{\"metric\": \"{name}\"}}")).unwrap();
        assert_eq!(settings.metric, metric);
    }
}
