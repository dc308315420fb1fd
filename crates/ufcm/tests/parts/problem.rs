//! The problem builder and the mappings: what is refused, by which name; what is accepted; and that rows, multipliers
//! and Jacobians are where they should be.

use std::sync::Arc;
use ufcm::component::{ComponentExt, Custom, Linear, Logistic, Quadratic};
use ufcm::composer::{Interval, L1Norm, Max, WeightedSum};
use ufcm::jacobian::ProxJacobian;
use ufcm::mapping::{Affine, Rows, Stacked};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Mapping, NewtonRegulariser, OracleError, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem, ProblemError, Term};
use ufcm::regulariser::{Ball, Bounds, L1, L2Norm, Nonnegative, Ridge, Simplex};

fn quadratic(n: usize) -> Quadratic {
    Quadratic::diagonal(vec![1.0; n]).unwrap()
}

fn linear(slope: &[f64]) -> Linear {
    Linear::new(slope.to_vec(), 0.0).unwrap()
}

fn affine(rows: usize, n: usize) -> Affine {
    let values = (0..rows * n).map(|k| (k as f64).sin()).collect();
    Affine::new(Matrix::row_major(rows, n, values).unwrap(), vec![0.5; rows]).unwrap()
}

fn refused(outcome: Result<Problem, ProblemError>, message: &str) {
    let error = outcome.expect_err("this problem must be refused").to_string();
    assert!(error.contains(message), "the message `{error}` should contain `{message}`");
}

#[test]
fn empty_problems_are_refused() {
    refused(Problem::over(3).build(), "the problem is empty");
    refused(Problem::over(0).within(Ball::new(1.0)).build(), "no variables");
}

#[test]
fn wrong_dimensions_name_the_part() {
    let constraint = quadratic(3).at_most(1.0).named("risk");
    refused(
        Problem::minimise(quadratic(2)).subject_to(constraint).build(),
        "risk (quadratic) has 3 variables; the problem has 2",
    );
    refused(
        Problem::minimise(quadratic(2)).subject_to(affine(2, 4).equal_to_zero()).build(),
        "constraint 1 (affine block) has 4 variables; the problem has 2",
    );
    let box3 = Bounds::new(vec![0.0; 3], vec![1.0; 3]).unwrap();
    refused(Problem::minimise(quadratic(2)).within(box3).build(), "has 3 variables; the problem has 2");
    let weights = L1::new(vec![1.0; 5]).unwrap();
    refused(
        Problem::minimise(quadratic(2)).regularised_by(weights).build(),
        "the regulariser (l1 norm) has 5 variables",
    );
}

#[test]
fn wrong_numbers_name_the_part_and_the_field() {
    refused(
        Problem::minimise(quadratic(2)).subject_to(quadratic(2).at_most(f64::NAN)).build(),
        "constraint 1: quadratic: constant is NaN",
    );
    refused(Problem::minimise(quadratic(2)).within(Ball::new(-1.0)).build(), "domain: l2 ball: radius is -1");
    refused(Problem::minimise(quadratic(2)).within(Ball::new(f64::NAN)).build(), "radius is NaN");
    refused(
        Problem::minimise(quadratic(2))
            .subject_to(affine(2, 2).between(vec![1.0, 0.0], vec![0.0, 1.0]))
            .build(),
        "constraint 1",
    );
    let pieces = || -> Vec<Arc<dyn Component>> { vec![Arc::new(quadratic(2)), Arc::new(quadratic(2))] };
    refused(Problem::over(2).plus(Term::smooth_max(pieces(), -1.0).named("soft")).build(), "soft: ");
    refused(Problem::over(2).plus(Term::max(vec![])).build(), "term 1: max: rows is empty");
    refused(
        Problem::over(2).plus(Term::new(Max::new(3).unwrap(), pieces())).build(),
        "term 1: the composer `max` takes 3 rows; there are 2",
    );
    let nan = Logistic::new(Matrix::row_major(1, 2, vec![0.0, 1.0]).unwrap(), &[f64::NAN]);
    assert!(nan.unwrap_err().to_string().contains("logistic loss: labels[0] is NaN"));
    let nan = Matrix::row_major(2, 2, vec![0.0, 1.0, f64::INFINITY, 2.0]);
    assert!(nan.unwrap_err().to_string().contains("values[1, 0] is inf"));
}

#[test]
fn a_composer_that_may_fall_refuses_curved_rows_and_says_why() {
    let rows: Vec<Arc<dyn Component>> = vec![Arc::new(linear(&[1.0, 0.0])), Arc::new(quadratic(2))];
    let term = Term::new(L1Norm::new(vec![1.0, 1.0]).unwrap(), rows.clone()).named("spread");
    let outcome = Problem::over(2).plus(term).build();
    refused(outcome, "spread[1]: the composer `l1 norm of rows` is not nondecreasing in this row");
    let signed = WeightedSum::new(vec![-1.0, 1.0]).unwrap();
    assert!(
        Problem::over(2).plus(Term::new(signed, rows.clone())).build().is_ok(),
        "the negative weight is on the affine row"
    );
    let signed = WeightedSum::new(vec![1.0, -1.0]).unwrap();
    let outcome = Problem::over(2).plus(Term::new(signed, rows)).build();
    refused(outcome, "component (quadratic) is curved");
}

#[test]
fn affine_rows_stand_under_any_composer() {
    let one_sided = Interval::new(vec![-1.0, f64::NEG_INFINITY], vec![1.0, 0.0]).unwrap();
    let problem = Problem::minimise(quadratic(2))
        .plus(Term::affine(L1Norm::new(vec![1.0; 3]).unwrap(), affine(3, 2)))
        .plus(Term::affine(one_sided, affine(2, 2)))
        .subject_to(affine(1, 2).equal_to_zero())
        .subject_to(linear(&[1.0, 1.0]).at_most(0.0))
        .subject_to(affine(2, 2).at_most_zero())
        .build()
        .unwrap();
    assert_eq!(problem.rows(), 1 + 3 + 2 + 1 + 1 + 2);
    assert_eq!(problem.blocks(), [0..1, 1..4, 4..6, 6..7, 7..8, 8..10]);
    assert_eq!(problem.row_names()[4], "term 2[0]");
    assert!(!problem.is_affine(0) && (1..10).all(|row| problem.is_affine(row)));
}

#[test]
fn the_objective_is_row_0_with_its_multiplier_pinned() {
    let problem = Problem::minimise(quadratic(2)).subject_to(quadratic(2).at_most(1.0)).build().unwrap();
    let mut multipliers = [-7.0, 0.3];
    problem.composer().prox_conjugate(Weight::scalar(2.0), &mut multipliers).unwrap();
    assert_eq!(multipliers, [1.0, 0.3]);
    assert_eq!(problem.composer().conjugate(&[0.9, 0.3]), f64::INFINITY);
    assert_eq!(problem.value(&[1.0, 0.0]).unwrap(), 0.5);
    assert_eq!(problem.value(&[2.0, 0.0]).unwrap(), f64::INFINITY);
    assert_eq!(problem.violation(&[2.0, 0.0]).unwrap(), 1.0);
    assert!(matches!(problem.value(&[1.0]), Err(OracleError::Length { what: "x", expected: 2, got: 1 })));
}

#[test]
fn a_regulariser_and_a_domain_join_in_a_ball_or_by_a_ridge() {
    let joint = |u: Box<dyn Regulariser>, x: Box<dyn Regulariser>| {
        Problem::minimise(quadratic(2)).regularised_by(u).within(x).build()
    };
    // Soft thresholds, then the ball.
    let l1: Box<dyn Regulariser> = L1::new(1.0).unwrap().into();
    let problem = joint(l1, Ball::new(5.0).into()).unwrap();
    let mut x = [7.0, -9.0];
    problem.regulariser().prox(Weight::scalar(1.0), &mut x).unwrap();
    assert!((x[0] - 3.0).abs() < 1e-14 && (x[1] + 4.0).abs() < 1e-14, "{x:?}");
    assert_eq!(problem.regulariser().value(&[3.0, -4.0]), 7.0);
    assert_eq!(problem.regulariser().value(&[3.0, -4.1]), f64::INFINITY);
    // min of |x|_1 + 3 x_0 over the ball.
    assert!((problem.regulariser().min_linear(&[3.0, 0.5], None) + 10.0).abs() < 1e-13);
    // Either way round, and around a centre.
    let around = Ball::with_centre(1.0, vec![3.0, 0.0]);
    let problem = joint(around.into(), Nonnegative.into()).unwrap();
    assert_eq!(problem.regulariser().value(&[2.0, 0.0]), 0.0);
    assert_eq!(problem.regulariser().value(&[3.0, -0.5]), f64::INFINITY);
    let apart = joint(Ball::with_centre(1.0, vec![-3.0, 0.0]).into(), Nonnegative.into());
    refused(apart, "the box and the ball do not meet");
    let norm = joint(L2Norm::new(1.0).unwrap().into(), Ball::new(2.0).into()).unwrap();
    assert_eq!(norm.regulariser().value(&[0.0, 2.0]), 2.0);
    let ridge = joint(Ridge::new(3.0).unwrap().into(), Simplex::new(1.0).unwrap().into()).unwrap();
    assert_eq!(ridge.regulariser().strong_convexity(), 3.0);
    assert_eq!(ridge.regulariser().value(&[0.5, 0.5]), 0.75);
    let off_centre = joint(L2Norm::new(1.0).unwrap().into(), Ball::with_centre(2.0, vec![1.0; 2]).into());
    refused(off_centre, "no joint prox for the regulariser `l2 norm`");
}

#[test]
fn a_regulariser_and_a_domain_join_where_both_are_coordinatewise() {
    let problem = Problem::minimise(quadratic(2))
        .regularised_by(L1::new(1.0).unwrap())
        .within(Bounds::new(0.0, 2.0).unwrap())
        .build()
        .unwrap();
    let mut x = [5.0, -3.0];
    problem.regulariser().prox(Weight::scalar(1.0), &mut x).unwrap();
    assert_eq!(x, [2.0, 0.0]);
    assert_eq!(problem.regulariser().value(&[1.5, 0.0]), 1.5);
    assert_eq!(problem.regulariser().value(&[2.5, 0.0]), f64::INFINITY);
    let curved = Problem::minimise(quadratic(2)).regularised_by(L1::new(1.0).unwrap());
    refused(curved.within(Simplex::new(1.0).unwrap()).build(), "no joint prox for the regulariser `l1 norm`");
    let apart = Problem::minimise(quadratic(2)).regularised_by(Bounds::new(0.0, 1.0).unwrap());
    refused(apart.within(Bounds::new(2.0, 3.0).unwrap()).build(), "do not meet");
    let ridge = Problem::minimise(quadratic(2)).regularised_by(Ridge::new(3.0).unwrap());
    let ridge = ridge.within(Bounds::new(0.0, 1.0).unwrap()).build().unwrap();
    assert_eq!(ridge.regulariser().strong_convexity(), 3.0);
}

#[test]
fn oracles_that_fail_are_named_by_row() {
    let failing = |what: &'static str| {
        let g = Custom::new(1, move |x, gradient| {
            if let Some(gradient) = gradient {
                gradient.fill(if what == "gradient" { f64::NAN } else { 1.0 });
            }
            match what {
                "panic" => panic!("out of paper"),
                "error" => Err(OracleError::failed("no answer")),
                "value" => Ok(f64::INFINITY),
                _ => Ok(x[0]),
            }
        });
        let problem = Problem::minimise(quadratic(1)).subject_to(g.unwrap().at_most(0.0)).build().unwrap();
        let mut values = [0.0; 2];
        problem.mapping().linearise(&[1.0], &mut values).unwrap_err().to_string()
    };
    assert_eq!(failing("panic"), "in row 1: the oracle panicked: out of paper");
    assert_eq!(failing("error"), "in row 1: the oracle failed: no answer");
    assert_eq!(failing("value"), "in row 1: value is inf");
    assert_eq!(failing("gradient"), "in row 1: gradient[0] is NaN");
}

/// Rows, an affine block and rows again, against the same numbers by hand.
#[test]
fn mappings_agree_with_their_rows() {
    let n = 5;
    let curved = |k: usize| -> Arc<dyn Component> {
        let diagonal = (0..n).map(|i| 1.0 + ((i * k) as f64).cos()).collect();
        Arc::new(Quadratic::diagonal(diagonal).unwrap().shifted(k as f64).unwrap())
    };
    let block = affine(4, n);
    let parts: Vec<Box<dyn Mapping>> = vec![
        Box::new(Rows::new(vec![curved(1), curved(2)]).unwrap()),
        Box::new(block.clone()),
        Box::new(Rows::new(vec![curved(3)]).unwrap()),
    ];
    let mut mapping = Stacked::new(parts).unwrap();
    let x: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5).sin()).collect();
    let mut values = [0.0; 7];
    mapping.linearise(&x, &mut values).unwrap();
    let mut jacobian = vec![vec![0.0; n]; 7];
    jacobian.iter_mut().enumerate().for_each(|(j, row)| mapping.jacobian_row(j, row));
    for (j, k) in [(0, 1), (1, 2), (6, 3)] {
        let mut gradient = vec![0.0; n];
        let value = curved(k).evaluate(&x, Some(&mut gradient)).unwrap();
        assert_eq!((values[j], &jacobian[j]), (value, &gradient));
        assert!(mapping.component(j).is_some() && !mapping.is_affine(j));
    }
    for j in 2..6 {
        let product: f64 = jacobian[j].iter().zip(&x).map(|(a, x)| a * x).sum();
        assert!((values[j] - (product - 0.5)).abs() < 1e-15);
        assert!(mapping.component(j).is_none() && mapping.is_affine(j));
    }
    let w: Vec<f64> = (0..n).map(|i| i as f64 - 2.0).collect();
    let l: Vec<f64> = (0..7).map(|j| 1.0 / (j as f64 + 1.0)).collect();
    let (mut applied, mut transposed) = (vec![0.0; 7], vec![0.0; n]);
    mapping.apply(&w, &mut applied);
    mapping.apply_transpose(&l, &mut transposed);
    for j in 0..7 {
        let product: f64 = jacobian[j].iter().zip(&w).map(|(a, w)| a * w).sum();
        assert!((applied[j] - product).abs() < 1e-13);
    }
    for i in 0..n {
        let product: f64 = (0..7).map(|j| l[j] * jacobian[j][i]).sum();
        assert!((transposed[i] - product).abs() < 1e-13);
    }
    // J_R S J_R' for a simplex' Jacobian, which has a rank-one part, and for rows in any order.
    let mut s = ProxJacobian::new();
    let simplex = Simplex::new(1.0).unwrap();
    simplex.prox_jacobian(Weight::scalar(2.0), &[0.3, 0.2, 0.4, -1.0, 0.3], &mut s.start(n)).unwrap();
    let rows = [5, 0, 3];
    let (mut gram, mut scratch, mut image) = ([0.0; 9], Vec::new(), vec![0.0; n]);
    mapping.gram(&s, &rows, &mut scratch, &mut gram, &ufcm::budget::Budget::unlimited()).unwrap();
    for b in 0..3 {
        s.apply(&jacobian[rows[b]], &mut image);
        for a in b..3 {
            let expected: f64 = jacobian[rows[a]].iter().zip(&image).map(|(j, s)| j * s).sum();
            assert!((gram[b * 3 + a] - expected).abs() < 1e-13);
        }
    }
    // A fork has the same rows and a linearisation of its own.
    let mut fork = mapping.fork();
    let mut other = [0.0; 7];
    fork.linearise(&w, &mut other).unwrap();
    let mut row = vec![0.0; n];
    mapping.jacobian_row(0, &mut row);
    assert_eq!(row, jacobian[0]);
}

#[test]
fn a_mapping_has_the_same_bits_for_any_number_of_threads() {
    let (rows, n) = (30, 400);
    let q = |k: usize| -> Arc<dyn Component> {
        let values = (0..n * n)
            .map(|e| if e / n == e % n { 40.0 } else { ((e / n * (e % n) + k) as f64).sin() / 20.0 });
        let mut values: Vec<f64> = values.collect();
        for i in 0..n {
            for j in 0..i {
                values[j * n + i] = values[i * n + j];
            }
        }
        Arc::new(Quadratic::trusted(&Matrix::row_major(n, n, values).unwrap()).unwrap())
    };
    let components: Vec<Arc<dyn Component>> = (0..rows).map(q).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut mapping = Rows::new(components.clone()).unwrap();
            let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let (mut values, mut slope) = (vec![0.0; rows], vec![0.0; n]);
            mapping.linearise(&x, &mut values).unwrap();
            mapping.apply_transpose(&values, &mut slope);
            (values, slope)
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn a_problem_can_be_shared_between_threads() {
    let problem = Problem::minimise(quadratic(2)).subject_to(quadratic(2).at_most(1.0)).build().unwrap();
    let values: Vec<f64> = std::thread::scope(|scope| {
        let run = |k: usize| {
            scope.spawn({
                let problem = &problem;
                move || problem.value(&[0.1 * k as f64, 0.0]).unwrap()
            })
        };
        let threads: Vec<_> = (0..4).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(values.len(), 4);
    assert!((values[3] - 0.045).abs() < 1e-15);
}

#[test]
fn constraints_are_nonpositive_rows() {
    let problem = Problem::over(2).subject_to(linear(&[1.0, 2.0]).at_most(3.0)).build().unwrap();
    assert!((problem.violation(&[1.0, 2.0]).unwrap() - 2.0).abs() < 1e-15);
    assert_eq!(problem.value(&[1.0, 1.0]).unwrap(), 0.0);
}
