//! The trace of a published method: every iteration, with what a run by hand gives.

use crate::planted;

use planted::{COMPOSITIONS, Composition, uniform_instance};
use ufcm::method::{Ufcm, UfcmParameters};
use ufcm::problem::Problem;
use ufcm::report::{Report, TraceRecord};
use ufcm::settings::{Constants, MethodRule, Settings};
use ufcm::theory::measure::{DualPoint, SaddlePoint, gap, optimality};
use ufcm::theory::promise::Balance;

fn traced(method: MethodRule, constants: Constants, saddle: Option<SaddlePoint>) -> Settings {
    let (eps_rel, eps_abs) = (1e-14, 0.0);
    Settings {
        method,
        constants,
        trace: true,
        saddle,
        eps_rel,
        eps_abs,
        eps_feas: 1e-14,
        ..Settings::default()
    }
}

fn solve(problem: &Problem, settings: &Settings) -> Report {
    problem.solve(settings).unwrap()
}

#[test]
fn every_iteration_is_there_with_the_numbers_of_a_run_by_hand() {
    for composition in COMPOSITIONS {
        let instance = uniform_instance(composition, 0.5, None, 7);
        let (problem, saddle) = (&instance.problem, &instance.saddle);
        let (l_ada, r) = (30.0, 0.05);
        let d_lambda = instance.d_lambda.max(0.3);
        let constants = Constants {
            l_ada: Some(l_ada),
            d_x: Some(instance.d_x),
            d_lambda: Some(d_lambda),
            r: Some(r),
            iterations: Some(60),
            ..Constants::default()
        };
        let mut settings = traced(MethodRule::Ufcm, constants, Some(saddle.clone()));
        settings.x0 = Some(instance.x0.clone());
        settings.multipliers0 = Some(instance.multipliers0.clone());
        let report = solve(problem, &settings);
        let balance = Balance::with_distances(l_ada, instance.d_x, d_lambda);
        let method =
            Ufcm::new(problem, &instance.x0, &instance.multipliers0, UfcmParameters { l_ada, balance })
                .unwrap();
        let mut method = method.keeping_jacobian();
        assert_eq!(report.trace.len(), 60, "{composition:?}: {}", report.status);
        let mut inner_steps = 0;
        for (k, record) in report.trace.iter().enumerate() {
            method.step().unwrap();
            let label = format!("{composition:?}, t = {}", k + 1);
            assert_eq!((record.execution, record.t, record.gradients), (0, k + 1, k + 1), "{label}");
            inner_steps += record.inner_steps;
            assert_eq!(inner_steps as u64, method.inner_steps(), "{label}");
            let sizes = method.last_step_sizes().unwrap();
            assert_eq!((record.jacobian_norm, record.l_ada), (sizes.jacobian_norm, l_ada), "{label}");
            let violation = problem.violation(method.average_x()).unwrap();
            assert_eq!(record.violation, violation, "{label}");
            if violation == 0.0 {
                assert!(
                    (record.objective - problem.value(method.average_x()).unwrap()).abs() < 1e-12,
                    "{label}"
                );
            }
            // Q without the m x n numbers of nu_bar, against Q with them.
            let averages = method.averages();
            let dual = DualPoint {
                multipliers: averages.multipliers,
                jacobian: averages.jacobian.unwrap(),
                offsets: averages.offsets.unwrap(),
            };
            let ideal = DualPoint::at(problem, &averages.x, &saddle.multipliers).unwrap();
            let q = gap(problem, (&averages.x, &dual), (&saddle.x, &ideal));
            assert!(
                (record.gap.unwrap() - q).abs() <= 1e-9 * (1.0 + q.abs()),
                "{label}: {:?} for {q}",
                record.gap
            );
            let measure = optimality(problem, &averages.x, saddle, r).unwrap().eps();
            assert_eq!(record.measure, Some(measure), "{label}");
        }
    }
}

#[test]
fn executions_are_marked() {
    let instance = uniform_instance(Composition::Constraints, 1.0, Some((0.3, 1.0)), 11);
    let given = Constants { d_x: Some(1.0), d_lambda: Some(1.0), eps: Some(0.1), ..Constants::default() };
    let restarted = Constants { l_ada: Some(5.0), mu_ada: Some(0.5), executions: Some(3), ..given.clone() };
    let doubling = Constants { iterations: Some(100), ..given.clone() };
    for (method, constants, runs) in
        [(MethodRule::Restarted, restarted, 3), (MethodRule::Doubling, doubling, 3)]
    {
        let report = solve(&instance.problem, &traced(method, constants, None));
        assert_eq!(report.trace.len(), report.counts.gradients, "{method}");
        let mut expected = (0, 0);
        let mut seen = 0;
        for record in &report.trace {
            if record.execution > expected.0 {
                expected = (expected.0 + 1, 0);
                seen += 1;
            }
            expected.1 += 1;
            assert_eq!((record.execution, record.t), expected, "{method}");
            assert_eq!((record.gap, record.measure), (None, None));
            if method == MethodRule::Doubling {
                assert_eq!(record.l_ada, 2f64.powi(record.execution as i32));
            }
        }
        assert!(seen + 1 >= runs, "{method}: {seen}");
    }
}

#[test]
fn a_trace_is_only_made_where_it_was_asked_for_and_can_be() {
    let instance = uniform_instance(Composition::Constraints, 1.0, None, 11);
    let constants = Constants { l_ada: Some(5.0), iterations: Some(5), ..Constants::default() };
    let quiet = Settings { trace: false, ..traced(MethodRule::Ufcm, constants.clone(), None) };
    assert!(solve(&instance.problem, &quiet).trace.is_empty());
    let told = instance.problem.solve(&traced(MethodRule::Auto, Constants::default(), None)).unwrap_err();
    assert!(told.to_string().contains("the method auto has no trace"), "{told}");
    let short = SaddlePoint { x: vec![0.0], multipliers: vec![1.0], value: 0.0 };
    let told = instance.problem.solve(&traced(MethodRule::Ufcm, constants, Some(short))).unwrap_err();
    assert!(told.to_string().contains("x* has length 1; expected 30"), "{told}");
    let saddle = &instance.saddle;
    let known = SaddlePoint::new(&instance.problem, saddle.x.clone(), saddle.multipliers.clone()).unwrap();
    assert!((known.value - saddle.value).abs() < 1e-12);
    let record = TraceRecord {
        execution: 1,
        t: 2,
        gradients: 3,
        inner_steps: 4,
        jacobian_norm: 0.5,
        l_ada: 6.0,
        objective: -7.0,
        violation: 0.0,
        gap: None,
        measure: Some(0.125),
    };
    assert_eq!(record.cells().join(","), "1,2,3,4,5e-1,6e0,-7e0,0e0,,1.25e-1");
    assert_eq!(TraceRecord::COLUMNS.len(), record.cells().len());
}
