//! Objectives that fall for ever within cones, and some that do not.

use ufcm::certificate::Unboundedness;
use ufcm::component::Linear;
use ufcm::composer::Cones;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::Problem;
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// min c.x with x - b in a cone.
fn over(cone: Cones, slope: [f64; 3], b: [f64; 3], method: MethodRule) -> Report {
    let identity = Matrix::row_major(3, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let rows = Affine::new(identity, b.to_vec()).unwrap().in_cones(cone);
    let problem =
        Problem::minimise(Linear::new(slope.to_vec(), 0.0).unwrap()).subject_to(rows).build().unwrap();
    let settings = Settings { method, max_gradients: Some(5_000), ..Settings::default() };
    let report = problem.solve(&settings).unwrap();
    if let Some(proof) = &report.unboundedness {
        assert!(proof.verify(&problem).unwrap() > 0.0);
    }
    report
}

fn second_order() -> Cones {
    Cones::second_order(&[3]).unwrap()
}

#[test]
fn what_falls_for_ever_within_a_cone_is_told() {
    let power = || Cones::power(&[0.3]).unwrap();
    let falling = [
        ("the axis of a second-order cone", second_order(), [-1.0, 0.0, 0.0], [0.0; 3]),
        ("across it", second_order(), [0.5, -1.0, 0.2], [1.0, -2.0, 0.5]),
        ("the last of an exponential cone", Cones::exponential(1), [0.1, -1.0, -1.0], [0.0, 1.0, 0.0]),
        ("all of a power cone", power(), [-1.0, -1.0, 0.1], [0.0; 3]),
    ];
    for (what, cone, slope, b) in falling {
        for method in [MethodRule::Auto, MethodRule::InteriorPoint] {
            let report = over(cone.clone(), slope, b, method);
            assert_eq!(report.status, Status::Unbounded, "{what}: {:?}", report.trouble);
        }
    }
}

#[test]
fn what_a_cone_holds_is_not() {
    let held = [
        // Along the edge (1, 1, 0) the objective stays as it is.
        ("an edge of a second-order cone", second_order(), [1.0, -1.0, 0.0], [0.0; 3]),
        ("its axis", second_order(), [1.0, 0.3, -0.2], [1.0, 2.0, 3.0]),
        // y exp(x / y) <= z: x may grow like a logarithm, at a price.
        ("an exponential cone", Cones::exponential(1), [-1.0, 1.5, 1.0], [0.0; 3]),
        ("a power cone", Cones::power(&[0.5]).unwrap(), [1.0, 1.0, -1.9], [0.0; 3]),
    ];
    for (what, cone, slope, b) in held {
        let report = over(cone, slope, b, MethodRule::Auto);
        assert!(report.unboundedness.is_none() && report.status != Status::Unbounded, "{what}");
    }
}

/// |x| <= 1e12, as a cone with a constant head: farther away than a point 1e8 times as far as the answer is, but no ray.
#[test]
fn a_set_that_ends_far_away_allows_no_ray() {
    let matrix = Matrix::row_major(3, 2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    let ball = Affine::new(matrix, vec![-1e12, 0.0, 0.0]).unwrap().in_cones(second_order());
    let problem =
        Problem::minimise(Linear::new(vec![-1.0, 0.0], 0.0).unwrap()).subject_to(ball).build().unwrap();
    let claim = Unboundedness { x: vec![0.0; 2], ray: vec![1.0, 0.0], violation: 0.0 };
    assert!(claim.verify(&problem).unwrap_err().to_string().contains("does not allow it"));
    let report = problem.solve(&Settings { max_gradients: Some(5_000), ..Settings::default() }).unwrap();
    assert_ne!(report.status, Status::Unbounded);
}
