//! The adaptive method and its subproblem: right answers without constants, in few gradients and few Newton steps.

use crate::planted;

use planted::{COMPOSITIONS, Composition, Random, distance, uniform_instance};
use std::sync::Arc;
use ufcm::component::{Custom, Linear, Logistic, Quadratic};
use ufcm::composer::{Equality, Huber, Interval, L1Norm, L2Norm, LinfNorm, PowerSum, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::{Adaptive, AdaptiveParameters, StepError};
use ufcm::metric::Metric;
use ufcm::oracle::{Component, Weight};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{
    Ball, Bounds, ElasticNet, GroupL2, L1, Ridge, SecondOrderCone, Simplex, TotalVariation,
};
use ufcm::subproblem::{Accuracy, Solver, Subproblem};

const PARAMETERS: AdaptiveParameters = AdaptiveParameters { eps: 1e-10, r: 1e-2, l: 1.0 };

#[test]
fn planted_saddle_points_are_found_without_constants() {
    for composition in COMPOSITIONS {
        for (p, convexity, tolerance) in
            [(1.0, Some((0.5, 1.0)), 1e-6), (1.0, Some((0.5, 3.0)), 1e-5), (0.5, Some((0.5, 1.0)), 1e-4)]
        {
            // Strongly or uniformly convex, so that x* is the only solution and can be compared with.
            let instance = uniform_instance(composition, p, convexity, 41);
            let parameters = AdaptiveParameters { eps: 1e-12, ..PARAMETERS };
            let start = (&instance.x0[..], &instance.multipliers0[..]);
            let mut method =
                Adaptive::new(&instance.problem, start.0, start.1, parameters, Metric::Scalar).unwrap();
            let mut gradients = 0;
            while gradients < 400 && distance(method.x(), &instance.saddle.x) > tolerance {
                gradients += method.step().unwrap().counts.gradients;
            }
            let missed = distance(method.x(), &instance.saddle.x);
            assert!(
                missed <= tolerance,
                "{composition:?}, p = {p}, {convexity:?}: {missed:e} after {gradients}"
            );
        }
    }
}

/// The subproblem's own optimality: l is in ∂h(J w + b), and w minimises <J'l, .> + u + 1/2 |. - z|_W^2.
fn check_subproblem(problem: &Problem, seed: u64, weight: f64, metric: &Metric, label: &str) -> usize {
    let (m, n) = (problem.rows(), problem.dimension());
    let mut random = Random(seed);
    let (y, z) = (random.vector(n, 0.5), random.vector(n, 0.7));
    let mut mapping = problem.mapping();
    let (mut offset, mut product) = (vec![0.0; m], vec![0.0; m]);
    mapping.linearise(&y, &mut offset).unwrap();
    mapping.apply(&y, &mut product);
    offset.iter_mut().zip(&product).for_each(|(offset, product)| *offset -= product);
    let (mut l, mut w) = (vec![0.0; m], vec![0.0; n]);
    problem.composer().multipliers_at(&offset, &mut l);
    let subproblem = Subproblem {
        mapping: &*mapping,
        offset: &offset,
        centre: &z,
        weight: metric.weight(weight),
        composer: problem.composer(),
        regulariser: problem.regulariser(),
        budget: problem.budget(),
    };
    let outcome = Solver::new(m, n).solve(&subproblem, Accuracy::exact(1e-11), 100, &mut l, &mut w).unwrap();
    assert!(outcome.residual <= 1e-9, "{label}: {outcome:?}");
    // Checked through proxes with other weights than the solver used.
    let mut rows = vec![0.0; m];
    mapping.apply(&w, &mut rows);
    let mut moved: Vec<f64> = (0..m).map(|j| l[j] + (rows[j] + offset[j]) / 0.37).collect();
    problem.composer().prox_conjugate(Weight::scalar(0.37), &mut moved).unwrap();
    assert!(
        distance(&moved, &l) < 1e-7,
        "the multipliers are not a subgradient of h: {:e}",
        distance(&moved, &l)
    );
    let mut slope = vec![0.0; n];
    mapping.apply_transpose(&l, &mut slope);
    let weighted = |i: usize| metric.weight(weight).at(i) * (z[i] - w[i]);
    let mut stayed: Vec<f64> = (0..n).map(|i| w[i] + (weighted(i) - slope[i]) / 1.9).collect();
    problem.regulariser().prox(Weight::scalar(1.9), &mut stayed).unwrap();
    assert!(distance(&stayed, &w) < 1e-9, "w does not minimise: {:e}", distance(&stayed, &w));
    outcome.steps
}

#[test]
fn the_subproblem_is_solved_for_every_composer_and_many_regularisers() {
    let n = 12;
    let curved = |seed: u64| -> Arc<dyn Component> {
        let mut random = Random(seed);
        let diagonal = random.vector(n, 3.0).iter().map(|d| d.abs()).collect();
        Arc::new(Quadratic::diagonal(diagonal).unwrap().with_linear(random.vector(n, 1.0)).unwrap())
    };
    let affine = |rows: usize, seed: u64| {
        let values = Random(seed).vector(rows * n, (rows * n) as f64 / 8.0);
        Affine::new(Matrix::row_major(rows, n, values).unwrap(), Random(seed + 1).vector(rows, 0.4)).unwrap()
    };
    let rows = || (2..6).map(curved).collect::<Vec<_>>();
    let terms: Vec<Box<dyn Fn() -> Term>> = vec![
        Box::new(move || Term::sum(rows())),
        Box::new(move || Term::max(rows())),
        Box::new(move || Term::smooth_max(rows(), 0.3)),
        Box::new(move || Term::squared_hinge(rows(), 0.7)),
        Box::new(move || Term::affine(L1Norm::new(vec![0.7; 5]).unwrap(), affine(5, 8))),
        Box::new(move || Term::affine(L2Norm::new(5, 0.7).unwrap(), affine(5, 9))),
        Box::new(move || Term::affine(LinfNorm::new(5, 0.7).unwrap(), affine(5, 10))),
        Box::new(move || Term::affine(Huber::new(5, 0.2, 1.0).unwrap(), affine(5, 11))),
        Box::new(move || Term::affine(Quantile::new(5, 0.3, 1.0).unwrap(), affine(5, 12))),
        Box::new(move || Term::affine(PowerSum::new(5, 1.5, 1.0).unwrap(), affine(5, 13))),
        Box::new(move || Term::affine(Equality::new(3), affine(3, 14))),
        Box::new(move || Term::affine(Interval::new(vec![-0.1; 5], vec![0.2; 5]).unwrap(), affine(5, 15))),
    ];
    let (mut steps, mut count) = (0, 0);
    for (k, term) in terms.iter().enumerate() {
        for kind in 0..8 {
            let builder = Problem::minimise(curved(1)).plus(term());
            let problem = match kind {
                0 => builder.within(Ball::new(2.0)),
                1 => builder.within(Bounds::new(-1.0, 1.0).unwrap()),
                2 => builder.regularised_by(L1::new(0.2).unwrap()),
                3 => builder.regularised_by(Ridge::new(0.5).unwrap()),
                4 => builder.regularised_by(GroupL2::new(n, [0..4, 4..8, 8..12], 0.3).unwrap()),
                5 => builder.regularised_by(TotalVariation::new(0.2).unwrap()),
                6 => builder.regularised_by(ElasticNet::new(0.1, 0.2).unwrap()),
                _ => builder.within(SecondOrderCone),
            };
            let problem = problem.build().unwrap();
            let diagonal = (0..n).map(|i| 10f64.powf(-2.0 * i as f64 / n as f64)).collect();
            for (weight, metric) in
                [(1.0, Metric::Scalar), (0.05, Metric::Scalar), (1.0, Metric::Diagonal(diagonal))]
            {
                steps += check_subproblem(
                    &problem,
                    100 + k as u64,
                    weight,
                    &metric,
                    &format!("term {k}, regulariser {kind}, weight {weight}"),
                );
                count += 1;
            }
        }
    }
    let mean = steps as f64 / f64::from(count);
    assert!(mean <= 8.0, "{mean} Newton steps on average from a cold start");
}

#[test]
fn a_simplex_domain_works_too() {
    let objective = Quadratic::diagonal(vec![3.0, 2.0, 1.0]).unwrap();
    let problem = Problem::minimise(objective)
        .subject_to(Linear::new(vec![0.0, 0.0, 1.0], 0.0).unwrap().at_most(0.3))
        .within(Simplex::new(1.0).unwrap())
        .build()
        .unwrap();
    let mut method =
        Adaptive::new(&problem, &[1.0, 0.0, 0.0], &[1.0, 0.0], PARAMETERS, Metric::from_hints(&problem))
            .unwrap();
    (0..60).for_each(|_| {
        method.step().unwrap();
    });
    // x_2 = 0.3, and 3 x_0 = 2 x_1 on what is left.
    assert!(distance(method.x(), &[0.28, 0.42, 0.3]) < 1e-5, "{:?}", method.x());
}

#[test]
fn an_oracle_that_contradicts_itself_ends_with_a_hint_and_not_in_a_loop() {
    // The value without a gradient is another one than with: no step can pass the test, however short.
    let wrong = Custom::new(2, |x, gradient| {
        let value = 0.5 * (x[0] * x[0] + x[1] * x[1]);
        Ok(match gradient {
            None => value + 1.0,
            Some(gradient) => {
                gradient.copy_from_slice(x);
                value
            }
        })
    });
    let problem = Problem::minimise(wrong.unwrap()).within(Ball::new(1.0)).build().unwrap();
    let mut method = Adaptive::new(&problem, &[0.5, 0.5], &[1.0], PARAMETERS, Metric::Scalar).unwrap();
    let outcome = method.step();
    assert!(matches!(outcome, Err(StepError::Untestable { .. })), "{outcome:?}");
    assert!(outcome.unwrap_err().to_string().contains("run the audit"));
}

#[test]
fn hints_make_up_for_columns_of_different_scales() {
    let (rows, n) = (400, 12);
    let mut random = Random(77);
    let mut values = Vec::new();
    for _ in 0..rows {
        values.extend((0..n).map(|j| random.uniform() * 10f64.powf(-2.0 * j as f64 / n as f64)));
    }
    let labels: Vec<f64> =
        (0..rows).map(|i| if values[i * n] + 0.3 * random.uniform() > 0.0 { 1.0 } else { -1.0 }).collect();
    let loss = Logistic::new(Matrix::row_major(rows, n, values).unwrap(), &labels).unwrap();
    let problem = Problem::minimise(loss).within(Ball::new(5.0)).build().unwrap();
    let count = |metric: Metric| {
        let mut method = Adaptive::new(&problem, &vec![0.0; n], &[1.0], PARAMETERS, metric).unwrap();
        let (mut gradients, mut before) = (0, f64::INFINITY);
        while gradients < 2000 {
            gradients += method.step().unwrap().counts.gradients;
            let now = method.row_values()[0];
            if (before - now).abs() < 1e-11 {
                break;
            }
            before = now;
        }
        gradients
    };
    let (plain, hinted) = (count(Metric::Scalar), count(Metric::from_hints(&problem)));
    assert!(3 * hinted < 2 * plain, "{hinted} against {plain}");
}

#[test]
fn the_largest_of_many_multipliers_is_remembered() {
    // Constraints that wake up late: a chain in which each is tight only once the one before is nearly met.
    let instance = uniform_instance(Composition::Constraints, 1.0, Some((0.2, 1.0)), 55);
    let mut method = Adaptive::new(
        &instance.problem,
        &instance.x0,
        &instance.multipliers0,
        AdaptiveParameters { l: 1e-3, ..PARAMETERS },
        Metric::Scalar,
    )
    .unwrap();
    let mut gradients = 0;
    while distance(method.x(), &instance.saddle.x) > 1e-5 {
        gradients += method.step().unwrap().counts.gradients;
        assert!(gradients < 300, "a start with L far too small must recover");
    }
}
