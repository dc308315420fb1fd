//! The smallest instances of what random ones have found.

use ufcm::component::{Linear, Quadratic};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

/// At 0 the second constraint is nearly flat (slope 0.1 in x_1), so its multiplier is some 5 L, while the first one
/// sends x_0 to 1, where the second is curved: the linearisation's error, 5 L times 1/2, exceeds L/2 |x|^2 whatever L.
/// The answer is (1, 6).
#[test]
fn multipliers_that_grow_with_l_do_not_stop_the_method() {
    let flat = Quadratic::diagonal(vec![1.0, 0.0]).unwrap().with_linear(vec![0.0, -0.1]).unwrap();
    let problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 1.0]).unwrap())
        .subject_to(Linear::new(vec![-1.0, 0.0], 1.0).unwrap().at_most(0.0))
        .subject_to(flat.at_most(-0.1))
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings { max_gradients: Some(500), ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::Certified, "{report:?}");
    assert!((report.objective - 18.5).abs() < 1e-4 && report.lower_bound <= 18.5, "{report:?}");
}
