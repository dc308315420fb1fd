//! Far out and close to zero: right to the last digits, or an error that says where.

use crate::list::{Case, Order, small};
use crate::random::Rng;
use std::sync::Arc;
use ufcm::component::{
    ExponentialSum, Huber, LeastSquares, Linear, LogSumExp, Logistic, MultinomialLogistic, Poisson, Power,
    SmoothedHinge, SquaredHinge,
};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, OracleError};

/// The 1 x 1 matrix 1: the component becomes its scalar loss.
fn unit() -> Matrix {
    Matrix::row_major(1, 1, vec![1.0]).expect("sound")
}

/// Value, derivative and second derivative of a loss at one product.
fn scalar(loss: &dyn Component, t: f64) -> (f64, f64, f64) {
    let (mut slope, mut second) = ([0.0], [0.0]);
    let value = loss.evaluate(&[t], Some(&mut slope)).expect("finite");
    assert_eq!(loss.evaluate(&[t], None), Ok(value));
    if let Some(curvature) = loss.curvature() {
        curvature.add_diagonal(&[t], 1.0, &mut second).expect("finite");
    }
    (value, slope[0], second[0])
}

/// Asserts that `a` is within a few units in the last place of `b`; subnormal numbers have fewer digits.
#[track_caller]
fn assert_exact(what: &str, a: f64, b: f64) {
    assert!((a - b).abs() <= 4.0 * f64::EPSILON * b.abs() + 1e-323, "{what}: {a:e} should be {b:e}");
}

/// Margin, log(1 + e^-m), its derivative and its second derivative, from 60-digit decimal arithmetic.
#[allow(clippy::excessive_precision, clippy::approx_constant)]
const LOGISTIC: [(f64, f64, f64, f64); 25] = [
    (0.0, 0.6931471805599453, -0.5, 0.25),
    (1e-17, 0.6931471805599453, -0.5, 0.25),
    (-1e-17, 0.6931471805599453, -0.5, 0.25),
    (1e-09, 0.6931471800599454, -0.49999999975, 0.25),
    (0.3, 0.5543552444685271, -0.425557483188341, 0.24445831169074586),
    (-0.3, 0.8543552444685271, -0.574442516811659, 0.24445831169074586),
    (1.0, 0.3132616875182228, -0.2689414213699951, 0.19661193324148185),
    (-2.5, 2.5788897342925496, -0.9241418199787564, 0.07010371654510816),
    (8.0, 0.00033540637289576885, -0.0003353501304664781, 0.00033523767075647424),
    (-8.0, 8.000335406372896, -0.9996646498695335, 0.00033523767075647424),
    (17.0, 4.139937633089748e-08, -4.1399375473943306e-08, 4.1399373760035016e-08),
    (-17.0, 17.000000041399375, -0.9999999586006245, 4.1399373760035016e-08),
    (36.0, 2.319522830243569e-16, -2.3195228302435686e-16, 2.319522830243568e-16),
    (-36.0, 36.0, -0.9999999999999998, 2.319522830243568e-16),
    (37.0, 8.533047625744066e-17, -8.533047625744065e-17, 8.533047625744065e-17),
    (-37.0, 37.0, -0.9999999999999999, 8.533047625744065e-17),
    (40.0, 4.248354255291589e-18, -4.248354255291589e-18, 4.248354255291589e-18),
    (-40.0, 40.0, -1.0, 4.248354255291589e-18),
    (100.0, 3.720075976020836e-44, -3.720075976020836e-44, 3.720075976020836e-44),
    (-100.0, 100.0, -1.0, 3.720075976020836e-44),
    (700.0, 9.85967654375977e-305, -9.85967654375977e-305, 9.85967654375977e-305),
    (-700.0, 700.0, -1.0, 9.85967654375977e-305),
    (745.0, 5e-324, -5e-324, 5e-324),
    (1e4, 0.0, 0.0, 0.0),
    (-1e4, 1e4, -1.0, 0.0),
];

#[test]
fn the_logistic_loss_is_exact_everywhere() {
    for sign in [1.0, -1.0] {
        let loss = Logistic::new(unit(), &[sign]).expect("sound");
        for (margin, value, slope, second) in LOGISTIC {
            let (v, s, h) = scalar(&loss, sign * margin);
            assert_exact(&format!("value at margin {margin}"), v, value);
            assert_exact(&format!("slope at margin {margin}"), sign * s, slope);
            assert_exact(&format!("second derivative at margin {margin}"), h, second);
        }
        assert_eq!(scalar(&loss, -sign * 1e300), (1e300, -sign, 0.0));
        assert_eq!(scalar(&loss, sign * 1e300).0, 0.0);
    }
}

/// Terms, and their log-sum-exp and weights from 60-digit decimal arithmetic.
#[allow(clippy::excessive_precision, clippy::approx_constant)]
const LOG_SUM_EXP: [(&[f64], f64, &[f64]); 10] = [
    (&[0.0, 0.0], 0.6931471805599453, &[0.5, 0.5]),
    (&[0.0, -40.0], 4.248354255291589e-18, &[1.0, 4.248354255291589e-18]),
    (&[1e4, 1e4], 10000.69314718056, &[0.5, 0.5]),
    (&[-1e4, -10001.0], -9999.68673831248, &[0.7310585786300049, 0.2689414213699951]),
    (&[1e4, 9990.0], 10000.0000453989, &[0.9999546021312976, 4.5397868702434395e-05]),
    (&[3.0, 1.0, -2.0], 3.1328452337275756, &[0.8756005950630876, 0.11849965453500959, 0.005899750401902781]),
    (&[1e-17, -1e-17], 0.6931471805599453, &[0.5, 0.5]),
    (
        &[-702.0, -701.0, -700.0],
        -699.5923940355556,
        &[0.09003057317038046, 0.24472847105479764, 0.6652409557748219],
    ),
    (&[1e4, -1e4], 1e4, &[1.0, 0.0]),
    (&[1e300, 0.0, -1e300], 1e300, &[1.0, 0.0, 0.0]),
];

#[test]
fn log_sum_exp_is_exact_however_far_apart_its_terms() {
    for (terms, value, weights) in LOG_SUM_EXP {
        let k = terms.len();
        let identity = (0..k * k).map(|i| if i / k == i % k { 1.0 } else { 0.0 }).collect();
        let lse =
            LogSumExp::new(Matrix::row_major(k, k, identity).expect("sound"), vec![0.0; k]).expect("sound");
        let mut gradient = vec![0.0; k];
        let found = lse.evaluate(terms, Some(&mut gradient)).expect("finite");
        assert_exact(&format!("{terms:?}"), found, value);
        for (g, w) in gradient.iter().zip(weights) {
            assert_exact(&format!("gradient at {terms:?}"), *g, *w);
        }
        // The same terms in several tiles and blocks: repeated, with the repetition taken off again.
        let copies = 40_000;
        let starts: Vec<usize> = (0..=copies * k).collect();
        let columns: Vec<usize> = (0..copies * k).map(|i| (i / 7) % k).collect();
        let counts: Vec<f64> = (0..k).map(|j| columns.iter().filter(|&&c| c == j).count() as f64).collect();
        let offsets = columns.iter().map(|&c| -counts[c].ln()).collect();
        let data = Matrix::csr(copies * k, k, &starts, &columns, vec![1.0; copies * k]).expect("sound");
        let many = LogSumExp::new(data, offsets).expect("sound").evaluate(terms, Some(&mut gradient));
        assert!((many.expect("finite") - value).abs() <= 1e-12 * (1.0 + value.abs()), "many of {terms:?}");
        for (g, w) in gradient.iter().zip(weights) {
            assert!((g - w).abs() <= 1e-11, "gradient of many at {terms:?}: {g} {w}");
        }
    }
}

#[test]
fn losses_that_grow_linearly_take_any_number() {
    let huber = Huber::new(unit(), vec![0.0], 2.0).expect("sound");
    assert_eq!(scalar(&huber, 1e300), (2e300, 2.0, 0.0));
    assert_eq!(scalar(&huber, -1e4), (2e4 - 2.0, -2.0, 0.0));
    assert_eq!(scalar(&huber, 1e-200).1, 1e-200);
    for gamma in [1e-3, 0.5, 1e10, 1e200] {
        let hinge = SmoothedHinge::new(unit(), &[1.0], gamma).expect("sound");
        assert_eq!(scalar(&hinge, -1e300), (1e300, -1.0, 0.0), "gamma {gamma}");
        assert_eq!(scalar(&hinge, 1e300), (0.0, 0.0, 0.0), "gamma {gamma}");
    }
    let absolute = Power::new(unit(), vec![0.0], 1.0).expect("sound");
    assert_eq!(scalar(&absolute, -1e300), (1e300, -1.0, 1e-300));
    let linear = Linear::new(vec![2.0], 1.0).expect("sound");
    assert_eq!(linear.evaluate(&[-1e300], None), Ok(-2e300));
}

#[test]
fn losses_that_grow_faster_are_right_as_long_as_there_are_numbers() {
    let squares = LeastSquares::new(unit(), vec![1.0]).expect("sound");
    assert_eq!(scalar(&squares, 2f64.powi(500)), (2f64.powi(999), 2f64.powi(500), 1.0));
    assert_eq!(scalar(&squares, 1.0 + 1e-12).1, (1.0 + 1e-12) - 1.0);
    let hinge = SquaredHinge::new(unit(), &[-1.0]).expect("sound");
    assert_eq!(scalar(&hinge, 1e4), (10_001f64.powi(2), 20_002.0, 2.0));
    assert_eq!(scalar(&hinge, -1e300), (0.0, 0.0, 0.0));
    for (residual, p, value, slope) in [
        (1e-8, 1.25, 1e-10, 0.0125),
        (3e-5, 1.5, 1.6431676725154984e-07, 0.008215838362577492),
        (0.7, 1.25, 0.6402838534600861, 1.143364024035868),
        (1234.5, 1.5, 43374.71571808858, 52.70317827228259),
        (1e200, 1.25, 1e250, 1.25e50),
        (2.0, 3.0, 8.0, 12.0),
        (1e-100, 4.0, 0.0, 4e-300),
        (1e100, 3.0, 1e300, 3e200),
        (1e-300, 1.5, 0.0, 1.5e-150),
    ] {
        let power = Power::new(unit(), vec![0.0], p).expect("sound");
        let (v, s, _) = scalar(&power, -residual);
        assert_exact("power", v, value);
        assert_exact("power's slope", s, -slope);
    }
    let poisson = Poisson::new(unit(), vec![3.0]).expect("sound");
    assert_eq!(scalar(&poisson, -1e4), (3e4, -3.0, 0.0));
    assert_exact("e^700 - 2100", scalar(&poisson, 700.0).0, 1.0142320547350045e304);
}

/// With two classes the loss is the logistic one of the difference of their scores.
#[test]
fn two_classes_are_right_to_the_last_digits() {
    let loss = MultinomialLogistic::new(unit(), &[1.0], 2).expect("sound");
    for (margin, value, slope, second) in LOGISTIC {
        let (x, mut gradient, mut diagonal) = ([0.0, margin], [0.0; 2], [0.0; 2]);
        assert_exact("value", loss.evaluate(&x, Some(&mut gradient)).expect("finite"), value);
        assert_exact("slope", gradient[1], slope);
        assert_exact("slope of the other", gradient[0], -slope);
        loss.curvature().expect("known").add_diagonal(&x, 1.0, &mut diagonal).expect("finite");
        assert_exact("second derivative", diagonal[1], second);
    }
}

#[test]
fn many_classes_do_not_overflow_and_blame_the_sample_where_scores_do() {
    let data = Matrix::row_major(2, 1, vec![1.0, 1e200]).expect("sound");
    let loss = MultinomialLogistic::new(data, &[0.0, 2.0], 3).expect("sound");
    let mut gradient = [0.0; 3];
    // The second sample has all scores equal or 0.
    let value = loss.evaluate(&[1e-190, 0.0, 0.0], Some(&mut gradient)).expect("finite");
    assert_eq!(value, 0.5 * (3f64.ln() + 1e10));
    assert_exact("slope", gradient[2], -0.5e200);
    let error = OracleError::Overflow { term: 1, argument: f64::INFINITY };
    assert_eq!(loss.evaluate(&[1e150, 0.0, 0.0], Some(&mut gradient)), Err(error.clone()));
    assert_eq!(loss.evaluate(&[1e150, 0.0, 0.0], None), Err(error));
}

#[test]
fn overflow_names_the_sample() {
    let data = || Matrix::row_major(3, 1, vec![1.0, 2.0, -1.0]).expect("sound");
    let losses: [Arc<dyn Component>; 2] = [
        Arc::new(Poisson::new(data(), vec![1.0, 2.0, 3.0]).expect("sound")),
        Arc::new(ExponentialSum::new(data(), vec![0.0; 3]).expect("sound")),
    ];
    for loss in losses {
        let (mut gradient, mut diagonal) = ([0.0], [0.0]);
        for (x, term, argument) in [(500.0, 1, 1000.0), (-1e4, 2, 1e4)] {
            let expected = OracleError::Overflow { term, argument };
            assert_eq!(loss.evaluate(&[x], None), Err(expected.clone()));
            assert_eq!(loss.evaluate(&[x], Some(&mut gradient)), Err(expected.clone()));
            let curvature = loss.curvature().expect("known");
            assert_eq!(curvature.add_diagonal(&[x], 1.0, &mut diagonal), Err(expected.clone()));
            assert_eq!(curvature.add_hessian(&[x], 1.0, &mut diagonal), Err(expected));
            assert_eq!(diagonal, [0.0], "nothing is added on failure");
        }
    }
}

/// Far out, a component answers with numbers or with an error; never with NaN, never with a panic.
#[test]
fn far_out_there_are_numbers_or_errors() {
    let mut rng = Rng::new(81);
    let answered = |case: &Case, x: &[f64]| {
        let mut gradient = vec![f64::NAN; x.len()];
        match case.component.evaluate(x, Some(&mut gradient)) {
            Ok(value) => {
                let finite = value.is_finite() && gradient.iter().all(|g| g.is_finite());
                assert!(finite, "{}: {value} {gradient:?}", case.name);
                true
            }
            Err(OracleError::Overflow { .. } | OracleError::NotFinite { .. }) => false,
            Err(error) => panic!("{}: {error}", case.name),
        }
    };
    for case in small() {
        let direction = rng.vector(case.dimension());
        let point = |scale: f64| direction.iter().map(|d| scale * d).collect::<Vec<f64>>();
        for scale in [1e5, 1e100, 1e154, 1e200, 1e300, 1e307] {
            answered(&case, &point(scale));
        }
        assert!(answered(&case, &point(1e-300)), "{}: close to 0", case.name);
        let exponential = case.name.contains("Poisson") || case.name.contains("exponential");
        assert!(exponential || answered(&case, &point(1e4)), "{}: at 1e4", case.name);
        // Kinks are no exception, nor is the origin.
        assert!(answered(&case, &point(0.0)), "{}: at 0", case.name);
        assert!(case.order != Order::Affine || answered(&case, &point(1e300)), "{}: at 1e300", case.name);
    }
}
