//! Bad input of every kind: refused, by the name the user gave it.

use std::sync::Arc;
use ufcm::component::{
    ComponentExt, Custom, ExponentialSum, Huber, LeastSquares, Linear, LogSumExp, Logistic,
    MultinomialLogistic, Poisson, Power, Quadratic, SmoothedHinge, SquaredHinge, Sum,
};
use ufcm::error::DataError;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Convexity, Smoothness};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Two samples of three variables.
fn data() -> Matrix {
    Matrix::row_major(2, 3, vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0]).expect("sound")
}

fn matrix(rows: usize, columns: usize, values: &[f64]) -> Matrix {
    Matrix::row_major(rows, columns, values.to_vec()).expect("sound")
}

#[track_caller]
fn refuses<T>(result: Result<T, DataError>, message: &str) {
    match result {
        Ok(_) => panic!("this should have been refused: {message}"),
        Err(error) => assert_eq!(error.to_string(), message),
    }
}

#[test]
fn matrices() {
    let values = |at: usize, bad: f64| (0..6).map(|k| if k == at { bad } else { 1.0 }).collect::<Vec<f64>>();
    let finite = "it must be a finite number";
    refuses(Matrix::row_major(2, 3, values(5, NAN)), &format!("dense matrix: values[1, 2] is NaN; {finite}"));
    refuses(
        Matrix::row_major(2, 3, values(1, -INF)),
        &format!("dense matrix: values[0, 1] is -inf; {finite}"),
    );
    refuses(
        Matrix::column_major(2, 3, &values(5, INF)),
        &format!("dense matrix: values[1, 2] is inf; {finite}"),
    );
    refuses(
        Matrix::column_major(2, 3, &values(1, NAN)),
        &format!("dense matrix: values[1, 0] is NaN; {finite}"),
    );
    refuses(Matrix::row_major(2, 3, vec![1.0; 5]), "dense matrix: values has length 5; expected 6");
    refuses(
        Matrix::row_major(usize::MAX, 2, vec![]),
        &format!("dense matrix: {} x 2 is too large", usize::MAX),
    );
    refuses(
        Matrix::csr(2, 3, &[0, 1, 2], &[0, 2], vec![1.0, NAN]),
        &format!("sparse matrix: values[1, 2] is NaN; {finite}"),
    );
    refuses(
        Matrix::csc(2, 3, &[0, 0, 1, 2], &[1, 0], vec![INF, 1.0]),
        &format!("sparse matrix: values[1, 1] is inf; {finite}"),
    );
    refuses(
        Matrix::csr(1, 3, &[0, 2], &[1, 1], vec![1e308, 1e308]),
        &format!("sparse matrix: values[0, 1] is inf; {finite}"),
    );
    refuses(Matrix::csr(2, 3, &[0, 1], &[0], vec![1.0]), "sparse matrix: starts has length 2; expected 3");
    refuses(
        Matrix::csr(2, 3, &[0, 1, 2], &[0], vec![1.0; 2]),
        "sparse matrix: indices has length 1; expected 2",
    );
    refuses(Matrix::csr(2, 3, &[0, 2, 1], &[0], vec![1.0]), "sparse matrix: starts decreases after entry 1");
    refuses(
        Matrix::csr(2, 3, &[0, 1, 1], &[0, 1], vec![1.0; 2]),
        "sparse matrix: starts must run from 0 to the number of values, 2",
    );
    refuses(
        Matrix::csr(2, 3, &[0, 1, 2], &[0, 3], vec![1.0; 2]),
        "sparse matrix: indices[1] is 3; it must be below 3",
    );
    refuses(
        Matrix::csr(usize::MAX, 3, &[0], &[], vec![]),
        "sparse matrix: rows and columns must number below 2^32",
    );
}

#[test]
fn targets_labels_counts_and_offsets() {
    let finite = "it must be a finite number";
    refuses(LeastSquares::new(data(), vec![1.0]), "least squares: targets has length 1; expected 2");
    refuses(
        LeastSquares::new(data(), vec![1.0, INF]),
        &format!("least squares: targets[1] is inf; {finite}"),
    );
    refuses(Huber::new(data(), vec![NAN, 0.0], 1.0), &format!("Huber loss: targets[0] is NaN; {finite}"));
    refuses(Power::new(data(), vec![0.0; 3], 1.5), "power loss: targets has length 3; expected 2");
    refuses(Poisson::new(data(), vec![1.0]), "Poisson loss: counts has length 1; expected 2");
    refuses(Poisson::new(data(), vec![0.0, -1.0]), "Poisson loss: counts[1] is -1; it must be nonnegative");
    refuses(Poisson::new(data(), vec![NAN, 1.0]), &format!("Poisson loss: counts[0] is NaN; {finite}"));
    refuses(ExponentialSum::new(data(), vec![]), "exponential sum: offsets has length 0; expected 2");
    refuses(
        ExponentialSum::new(data(), vec![0.0, -INF]),
        &format!("exponential sum: offsets[1] is -inf; {finite}"),
    );
    refuses(LogSumExp::new(data(), vec![0.0; 3]), "log-sum-exp: offsets has length 3; expected 2");
    refuses(LogSumExp::new(data(), vec![NAN; 2]), &format!("log-sum-exp: offsets[0] is NaN; {finite}"));
    type Labelled = fn(&[f64]) -> Result<Arc<dyn Component>, DataError>;
    let labelled: [(&str, Labelled); 3] = [
        ("logistic loss", |l| Ok(Arc::new(Logistic::new(data(), l)?))),
        ("squared hinge loss", |l| Ok(Arc::new(SquaredHinge::new(data(), l)?))),
        ("smoothed hinge loss", |l| Ok(Arc::new(SmoothedHinge::new(data(), l, 0.5)?))),
    ];
    for (kind, made) in labelled {
        refuses(made(&[1.0]), &format!("{kind}: labels has length 1; expected 2"));
        refuses(
            made(&[0.0, -1.0]),
            &format!("{kind}: labels[1] is -1; it must be 0 or 1, as the others are"),
        );
        refuses(made(&[1.0, 2.0]), &format!("{kind}: labels[1] is 2; it must be -1 or 1 (or all 0 or 1)"));
        refuses(made(&[NAN, 1.0]), &format!("{kind}: labels[0] is NaN; {finite}"));
        assert!(made(&[1.0, 1.0]).is_ok(), "{kind}: one class alone is no error");
    }
}

#[test]
fn classes_that_are_none() {
    let made = |labels: &[f64], classes| MultinomialLogistic::new(data(), labels, classes);
    let kind = "multinomial logistic loss";
    let whole = "it must be a whole number from 0 to one less than the number of classes";
    refuses(made(&[0.0], 3), &format!("{kind}: labels has length 1; expected 2"));
    refuses(made(&[0.0, 3.0], 3), &format!("{kind}: labels[1] is 3; {whole}"));
    refuses(made(&[-1.0, 1.0], 3), &format!("{kind}: labels[0] is -1; {whole}"));
    refuses(made(&[0.0, 0.5], 3), &format!("{kind}: labels[1] is 0.5; {whole}"));
    refuses(made(&[NAN, 1.0], 3), &format!("{kind}: labels[0] is NaN; {whole}"));
    refuses(made(&[0.0, 0.0], 1), &format!("{kind}: classes is 1; it must be at least 2"));
    let weighted = made(&[0.0, 1.0], 3).expect("sound").weighted(vec![1.0, -1.0]);
    refuses(weighted, &format!("{kind}: weights[1] is -1; it must be nonnegative"));
    refuses(
        MultinomialLogistic::new(matrix(2, 0, &[]), &[0.0, 1.0], 2),
        &format!("{kind}: data columns is empty"),
    );
}

#[test]
fn empty_data() {
    let (no_rows, no_columns) = (|| matrix(0, 3, &[]), || matrix(2, 0, &[]));
    refuses(LeastSquares::new(no_rows(), vec![]), "least squares: data rows is empty");
    refuses(Logistic::new(no_columns(), &[1.0, -1.0]), "logistic loss: data columns is empty");
    refuses(LogSumExp::new(no_rows(), vec![]), "log-sum-exp: data rows is empty");
    refuses(LogSumExp::new(no_columns(), vec![0.0; 2]), "log-sum-exp: data columns is empty");
    refuses(Quadratic::new(&matrix(0, 0, &[])), "quadratic: Q is empty");
    refuses(Quadratic::diagonal(vec![]), "quadratic: the diagonal is empty");
    refuses(Quadratic::factored(no_columns(), None), "quadratic: the factor is empty");
    refuses(Linear::new(vec![], 0.0), "linear component: slope is empty");
    refuses(Linear::constant(0, 0.0), "linear component: slope is empty");
    refuses(Custom::new(0, |_, _| Ok(0.0)), "custom component: x is empty");
    refuses(Sum::new(vec![]), "sum: parts is empty");
}

#[test]
fn weights() {
    let loss = || LeastSquares::new(data(), vec![0.0; 2]).expect("sound");
    let total = "it must be positive and neither tiny nor infinite";
    refuses(loss().weighted(vec![1.0]), "least squares: weights has length 1; expected 2");
    refuses(loss().weighted(vec![1.0, -0.5]), "least squares: weights[1] is -0.5; it must be nonnegative");
    refuses(loss().weighted(vec![NAN, 1.0]), "least squares: weights[0] is NaN; it must be a finite number");
    refuses(loss().weighted(vec![0.0; 2]), &format!("least squares: the sum of weights is 0; {total}"));
    refuses(loss().weighted(vec![1e308; 2]), &format!("least squares: the sum of weights is inf; {total}"));
    assert!(loss().weighted(vec![1e-320; 2]).is_err(), "a mean would divide by a subnormal number");
}

#[test]
fn parameters() {
    let targets = || vec![0.0; 2];
    for p in [0.99, -1.0, NAN, INF] {
        let message = format!("power loss: p is {p}; it must be finite and at least 1");
        refuses(Power::new(data(), targets(), p), &message);
    }
    for (bad, problem) in
        [(0.0, "positive"), (-1.0, "positive"), (NAN, "a finite number"), (INF, "a finite number")]
    {
        refuses(
            Huber::new(data(), targets(), bad),
            &format!("Huber loss: delta is {bad}; it must be {problem}"),
        );
        refuses(
            SmoothedHinge::new(data(), &[1.0, -1.0], bad),
            &format!("smoothed hinge loss: gamma is {bad}; it must be {problem}"),
        );
    }
    let custom = || Custom::new(2, |_, _| Ok(0.0)).expect("sound");
    let smooth = |constant, exponent| custom().with_smoothness(Smoothness { constant, exponent });
    refuses(smooth(-1.0, 1.0), "custom component: L is -1; it must be nonnegative");
    refuses(smooth(INF, 1.0), "custom component: L is inf; it must be a finite number");
    refuses(smooth(1.0, 1.5), "custom component: p is 1.5; it must be between 0 and 1");
    refuses(smooth(1.0, NAN), "custom component: p is NaN; it must be between 0 and 1");
    let convex = |constant, exponent| custom().with_convexity(Convexity { constant, exponent });
    refuses(convex(-1.0, 1.0), "custom component: mu is -1; it must be nonnegative");
    refuses(convex(1.0, 0.5), "custom component: q is 0.5; it must be at least 1");
    refuses(convex(1.0, INF), "custom component: q is inf; it must be a finite number");
    refuses(
        custom().with_lower_bound(-INF),
        "custom component: the lower bound is -inf; it must be a finite number",
    );
    refuses(
        Linear::new(vec![1.0, NAN], 0.0),
        "linear component: slope[1] is NaN; it must be a finite number",
    );
    refuses(Linear::new(vec![1.0], INF), "linear component: constant is inf; it must be a finite number");
}

#[test]
fn quadratics() {
    refuses(Quadratic::new(&matrix(2, 3, &[0.0; 6])), "quadratic: a column of Q has length 2; expected 3");
    let asymmetric = "quadratic: Q is not symmetric: Q[1, 0] is 0.5 and Q[0, 1] is 0.25";
    refuses(Quadratic::new(&matrix(2, 2, &[1.0, 0.25, 0.5, 1.0])), asymmetric);
    let by_columns = Matrix::column_major(2, 2, &[1.0, 0.5, 0.25, 1.0]).expect("sound");
    refuses(Quadratic::new(&by_columns), asymmetric);
    let one_sided = Matrix::csr(2, 2, &[0, 2, 3], &[0, 1, 1], vec![1.0, 0.5, 1.0]).expect("sound");
    refuses(Quadratic::trusted(&one_sided), "quadratic: Q is not symmetric: Q[0, 1] is 0.5 and Q[1, 0] is 0");
    let not_convex = "quadratic: Q is not positive semidefinite, so the quadratic is not convex";
    refuses(Quadratic::new(&matrix(2, 2, &[1.0, 0.0, 0.0, -2.0])), &format!("{not_convex}: Q[1, 1] is -2"));
    refuses(
        Quadratic::new(&matrix(2, 2, &[1.0, 2.0, 2.0, 1.0])),
        &format!("{not_convex}: |Q[1, 0]| = 2 exceeds the root of its diagonal entries, 1"),
    );
    refuses(
        Quadratic::trusted(&matrix(2, 2, &[1.0, 2.0, 2.0, 1.0])).expect("trusted").prove_convex(),
        &format!("{not_convex}: pivot 1 of its factorisation is negative"),
    );
    let at = |i: usize, bad: f64| (0..3).map(|k| if k == i { bad } else { 1.0 }).collect::<Vec<f64>>();
    refuses(Quadratic::diagonal(at(2, -1.0)), "quadratic: the diagonal[2] is -1; it must be nonnegative");
    refuses(Quadratic::diagonal(at(0, NAN)), "quadratic: the diagonal[0] is NaN; it must be a finite number");
    refuses(
        Quadratic::factored(data(), Some(vec![1.0; 2])),
        "quadratic: the diagonal has length 2; expected 3",
    );
    refuses(
        Quadratic::factored(data(), Some(at(1, -0.1))),
        "quadratic: the diagonal[1] is -0.1; it must be nonnegative",
    );
    let sound = || Quadratic::diagonal(vec![1.0; 3]).expect("sound");
    refuses(sound().with_linear(vec![0.0; 4]), "quadratic: c has length 4; expected 3");
    refuses(sound().with_linear(at(1, INF)), "quadratic: c[1] is inf; it must be a finite number");
    refuses(sound().with_constant(NAN), "quadratic: constant is NaN; it must be a finite number");
}

#[test]
fn multiples_and_sums() {
    let curved = || Quadratic::diagonal(vec![1.0; 3]).expect("sound");
    let affine = || Linear::new(vec![1.0; 2], 0.0).expect("sound");
    refuses(curved().scaled(-1.0), "quadratic: weight is -1; it must be nonnegative");
    refuses(curved().scaled(NAN), "quadratic: weight is NaN; it must be a finite number");
    refuses(affine().scaled(INF), "linear component: weight is inf; it must be a finite number");
    refuses(curved().shifted(INF), "quadratic: constant is inf; it must be a finite number");
    assert!(affine().scaled(-1.0).is_ok(), "affine components may be negated");
    let mixed = affine().plus(affine()).and_then(|sum| sum.scaled(-2.0));
    assert!(mixed.is_ok(), "and so may their sums");
    refuses(curved().plus(affine()), "sum: x has length 2; expected 3");
}
