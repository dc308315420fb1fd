//! Points that are no points: an error, never a panic and never a number.

use crate::list::small;
use crate::random::Rng;
use ufcm::component::{ComponentExt, Custom, Linear};
use ufcm::oracle::{Component, OracleError};

#[test]
fn points_that_are_not_finite_are_refused() {
    let mut rng = Rng::new(91);
    for case in small() {
        let (n, name) = (case.dimension(), &case.name);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for index in [0, n - 1] {
                let mut x = rng.vector(n);
                x[index] = bad;
                let names_it = |error: OracleError| {
                    assert!(
                        matches!(error, OracleError::NotFinite { what: "x", index: Some(i), .. } if i == index),
                        "{name}: {error}"
                    );
                };
                let (mut gradient, mut square) = (vec![0.0; n], vec![0.0; n * n]);
                names_it(case.component.evaluate(&x, None).unwrap_err());
                names_it(case.component.evaluate(&x, Some(&mut gradient)).unwrap_err());
                if let Some(curvature) = case.component.curvature() {
                    names_it(curvature.add_diagonal(&x, 1.0, &mut gradient).unwrap_err());
                    names_it(curvature.add_hessian(&x, 1.0, &mut square).unwrap_err());
                    if curvature.has_products() {
                        let sound = vec![0.0; n];
                        names_it(curvature.add_products(&x, 1.0, &sound, &mut gradient).unwrap_err());
                        let vectors = curvature.add_products(&sound, 1.0, &x, &mut gradient);
                        assert!(vectors.unwrap_err().to_string().starts_with("vectors["), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn wrong_lengths_are_named() {
    for case in small() {
        let (n, name) = (case.dimension(), &case.name);
        let is_length =
            |result: Result<(), OracleError>, what: &str, expected: usize, got: usize| match result {
                Err(OracleError::Length { what: w, expected: e, got: g }) => {
                    assert_eq!((w, e, g), (what, expected, got), "{name}");
                }
                other => panic!("{name}: a wrong {what} gave {other:?}"),
            };
        let zeros = |n: usize| vec![0.0; n];
        let x = zeros(n);
        for m in [n - 1, n + 1, 0] {
            let wrong = zeros(m);
            let g = &mut zeros(n);
            is_length(case.component.evaluate(&wrong, None).map(drop), "x", n, m);
            is_length(case.component.evaluate(&wrong, Some(g)).map(drop), "x", n, m);
            is_length(case.component.evaluate(&x, Some(&mut zeros(m))).map(drop), "gradient", n, m);
            if let Some(curvature) = case.component.curvature() {
                is_length(curvature.add_diagonal(&wrong, 1.0, g), "x", n, m);
                is_length(curvature.add_diagonal(&x, 1.0, &mut zeros(m)), "diagonal", n, m);
                is_length(curvature.add_hessian(&wrong, 1.0, &mut zeros(n * n)), "x", n, m);
                is_length(curvature.add_hessian(&x, 1.0, &mut zeros(n * n + 1)), "hessian", n * n, n * n + 1);
                if curvature.has_products() {
                    is_length(curvature.add_products(&wrong, 1.0, &x, g), "x", n, m);
                    let parts = 2 * n + n / 2;
                    if n > 1 {
                        is_length(curvature.add_products(&x, 1.0, &zeros(parts), g), "vectors", 3 * n, parts);
                    }
                    is_length(curvature.add_products(&x, 1.0, &zeros(2 * n), g), "products", 2 * n, n);
                }
            }
        }
    }
}

#[test]
fn what_a_users_closure_returns_is_checked() {
    let returning = |value: f64, slope: f64| {
        let custom = Custom::new(1, move |_, gradient| {
            if let Some(gradient) = gradient {
                gradient[0] = slope;
            }
            Ok(value)
        });
        custom.expect("sound").with_hessian(move |_, hessian| {
            hessian[0] = slope;
            Ok(())
        })
    };
    let text = |result: Result<f64, OracleError>| result.unwrap_err().to_string();
    assert_eq!(text(returning(f64::NAN, 0.0).evaluate(&[0.0], None)), "value is NaN");
    let slope = returning(0.0, f64::INFINITY);
    assert_eq!(text(slope.evaluate(&[0.0], Some(&mut [0.0]))), "gradient[0] is inf");
    let hessian = slope.curvature().expect("given").add_hessian(&[0.0], 1.0, &mut [0.0]);
    assert_eq!(hessian.unwrap_err().to_string(), "hessian[0] is inf");
    let failing = Custom::new(1, |_, _| Err(OracleError::failed("no licence")));
    assert_eq!(text(failing.expect("sound").evaluate(&[0.0], None)), "the oracle failed: no licence");
}

#[test]
fn multiples_and_sums_do_not_overflow_silently() {
    let steep = || Linear::new(vec![1e308], 0.0).expect("sound");
    let sum = steep().plus(steep()).expect("sound");
    let multiple = steep().scaled(2.0).expect("sound");
    for component in [&sum as &dyn Component, &multiple] {
        assert!(component.evaluate(&[0.5], None).is_ok());
        assert!(component.evaluate(&[1.0], None).is_err());
        assert!(component.evaluate(&[1.0], Some(&mut [0.0])).is_err());
    }
}
