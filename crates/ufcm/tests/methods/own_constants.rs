//! Published methods with constants that the user gives: no solve before, no refusal, any length; and what a run tells repeats it.

use ufcm::certificate::Certificate;
use ufcm::component::{Linear, Poisson, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::method::RestartPlan;
use ufcm::oracle::Convexity;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::{Report, Status};
use ufcm::settings::{Constants, ExecutionConstants, MethodRule, Settings};
use ufcm::theory::{Aggregate, RowConstants};

/// Two active constraints under a flat objective.
fn qcqp() -> Problem {
    let round = |scales: [f64; 3]| Quadratic::diagonal(scales.to_vec()).unwrap();
    Problem::minimise(Linear::new(vec![-2.0, -1.0, 0.5], 0.0).unwrap())
        .subject_to(round([1.0, 1.0, 1.0]).at_most(0.5))
        .subject_to(round([4.0, 0.5, 1.0]).at_most(0.8))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap()
}

/// A loss whose gradients are no Hölder ones: nothing is known of it but what the user says.
fn poisson() -> Problem {
    let data = Matrix::row_major(2, 1, vec![1.0, -0.5]).unwrap();
    let loss = Poisson::new(data, vec![3.0, 1.0]).unwrap();
    Problem::minimise(loss).within(Bounds::new(-1.0, 1.0).unwrap()).build().unwrap()
}

fn settings(method: MethodRule) -> Settings {
    Settings { method, eps_rel: 1e-3, eps_feas: 1e-3, max_gradients: Some(5000), ..Settings::default() }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn assert_same(a: &Report, b: &Report, label: &str) {
    assert_eq!(bits(&a.x), bits(&b.x), "{label}");
    assert_eq!(bits(&a.multipliers), bits(&b.multipliers), "{label}");
    let numbers = |report: &Report| bits(&[report.objective, report.lower_bound, report.violation]);
    assert_eq!(numbers(a), numbers(b), "{label}");
    assert_eq!((a.status, a.counts), (b.status, b.counts), "{label}");
}

#[test]
fn a_run_is_repeated_bit_for_bit_from_its_own_constants() {
    use MethodRule::{AcgdS, Apdb, Doubling, Restarted, Ufcm};
    let problem = qcqp();
    for method in [Ufcm, Restarted, Doubling, AcgdS, Apdb] {
        let first = problem.solve(&settings(method)).unwrap();
        let found = first.constants.clone().unwrap();
        assert!(first.prelude.unwrap().counts.gradients > 0, "{method}");
        // Through JSON, as the command writes it.
        let told = serde_json::to_string(&found).unwrap();
        let constants: Constants = serde_json::from_str(&told).unwrap();
        assert_eq!(constants, found, "{told}");
        let again = problem.solve(&Settings { constants, ..settings(method) }).unwrap();
        assert_eq!(again.prelude.unwrap().counts.gradients, 0, "{method}: a solve came before");
        assert_same(&first, &again, method.name());
        assert_eq!(again.constants, Some(found.clone()), "{method}");
    }
    // Other constants are another run.
    let first = problem.solve(&settings(Ufcm)).unwrap();
    let larger = Constants {
        delta: None,
        c: None,
        l_ada: first.constants.clone().unwrap().l_ada.map(|l| 2.0 * l),
        ..first.constants.clone().unwrap()
    };
    let other = problem.solve(&Settings { constants: larger, ..settings(Ufcm) }).unwrap();
    assert_ne!(bits(&first.x), bits(&other.x));
}

#[test]
fn what_a_method_was_told_it_uses() {
    let problem = qcqp();
    let run = |constants| problem.solve(&Settings { constants, ..settings(MethodRule::Ufcm) }).unwrap();
    // L_ADA alone: the choice without distances (cor:smooth-composite-rates), and no promise.
    let alone = run(Constants { l_ada: Some(5.0), ..Constants::default() });
    let used = alone.constants.clone().unwrap();
    assert_eq!((used.c, used.delta), (Some(0.5f64.sqrt()), Some(2f64.sqrt() / 20.0)));
    assert_eq!((used.iterations, alone.prelude.unwrap().promised), (None, None));
    assert_eq!(alone.status, Status::Certified, "{alone:?}");
    // With distances: C = D_lambda/D_x, Delta = C/(2L), and N = sqrt(24 L D_x^2/eps).
    let given = Constants {
        l_ada: Some(5.0),
        d_x: Some(1.0),
        d_lambda: Some(3.0),
        eps: Some(1e-3),
        ..Constants::default()
    };
    let balanced = run(given.clone());
    let used = balanced.constants.clone().unwrap();
    assert_eq!((used.c, used.delta, used.r), (Some(3.0), Some(0.3), Some(3.0 * 1e-3f64.sqrt())));
    assert_eq!(used.iterations, Some((24.0 * 5.0 / 1e-3f64).sqrt().ceil() as usize));
    // C and Delta of one's own.
    let own = run(Constants { c: Some(2.0), delta: Some(0.7), ..given.clone() });
    let used = own.constants.clone().unwrap();
    assert_eq!((used.c, used.delta), (Some(2.0), Some(0.7)));
    assert_ne!(bits(&own.x), bits(&balanced.x));
}

#[test]
fn runs_are_as_long_as_asked() {
    let problem = qcqp();
    let exact = Settings { eps_rel: 1e-12, eps_abs: 0.0, eps_feas: 1e-12, ..settings(MethodRule::Ufcm) };
    let given = Constants {
        l_ada: Some(5.0),
        d_x: Some(1.0),
        d_lambda: Some(3.0),
        eps: Some(1e-2),
        ..Constants::default()
    };
    let promised = problem.solve(&Settings { constants: given.clone(), ..exact.clone() }).unwrap();
    let n = promised.prelude.unwrap().promised.unwrap();
    assert_eq!((promised.status, promised.counts.gradients), (Status::IterationLimit, n));
    for iterations in [n / 3, 4 * n] {
        let constants = Constants { iterations: Some(iterations), ..given.clone() };
        let report = problem.solve(&Settings { constants, ..exact.clone() }).unwrap();
        assert_eq!(report.counts.gradients, iterations, "{report:?}");
        assert_eq!(report.prelude.unwrap().promised, Some(n), "the promise does not depend on it");
    }
    // R-UFCM: fewer than its executions take, never more.
    let constants = Constants { executions: Some(3), mu_ada: Some(0.5), eps: Some(1e-2), ..given.clone() };
    let restarted = Settings { method: MethodRule::Restarted, constants: constants.clone(), ..exact };
    let all = problem.solve(&restarted).unwrap();
    let steps = all.constants.clone().unwrap().iterations.unwrap();
    assert_eq!((all.counts.gradients, all.counts.restarts), (steps, 2), "{all:?}");
    for (iterations, taken) in [(steps - 5, steps - 5), (10 * steps, steps)] {
        let constants = Constants { iterations: Some(iterations), ..constants.clone() };
        let report = problem.solve(&Settings { constants, ..restarted.clone() }).unwrap();
        assert_eq!(report.counts.gradients, taken);
    }
}

#[test]
fn with_l_ada_given_nothing_need_be_known_of_the_rows() {
    let problem = poisson();
    let message = problem.solve(&settings(MethodRule::Ufcm)).unwrap_err().to_string();
    assert!(message.contains("has no Hölder smoothness"), "{message}");
    let optimum = problem.solve(&Settings::default()).unwrap().objective;
    let l_ada = Constants { l_ada: Some(8.0), ..Constants::default() };
    for (method, solves_before) in [(MethodRule::Ufcm, false), (MethodRule::Restarted, true)] {
        let report = problem.solve(&Settings { constants: l_ada.clone(), ..settings(method) }).unwrap();
        assert_eq!(report.prelude.unwrap().counts.gradients > 0, solves_before, "{method}");
        assert_eq!(report.status, Status::Certified, "{method}: {report:?}");
        assert!((report.objective - optimum).abs() <= 2e-3 * optimum.abs().max(1.0), "{method}");
    }
    // Nothing restarts without mu_ADA and with a linear h: K = 1 is enough, and known to be.
    let constants = Constants { d_x: Some(1.0), d_lambda: Some(0.1), ..l_ada.clone() };
    let report = problem.solve(&Settings { constants, ..settings(MethodRule::Restarted) }).unwrap();
    assert_eq!(report.prelude.unwrap().counts.gradients, 0);
    assert_eq!(
        (report.constants.clone().unwrap().executions, report.constants.clone().unwrap().mu_ada),
        (Some(1), Some(0.0))
    );
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let problem = qcqp();
    let refused = |method, constants| {
        problem.solve(&Settings { constants, ..settings(method) }).unwrap_err().to_string()
    };
    let none = Constants::default();
    let cases = [
        (
            MethodRule::Ufcm,
            Constants { l_ada: Some(-1.0), ..none.clone() },
            "l_ada is -1; it must be positive",
        ),
        (MethodRule::Ufcm, Constants { d_x: Some(f64::NAN), ..none.clone() }, "d_x is NaN"),
        (MethodRule::Restarted, Constants { mu_ada: Some(-0.5), ..none.clone() }, "mu_ada is -0.5"),
        (
            MethodRule::Restarted,
            Constants { executions: Some(0), ..none.clone() },
            "executions is 0; it must be at least 1",
        ),
        (
            MethodRule::Restarted,
            Constants { c: Some(1.0), ..none.clone() },
            "the method restarted does not take c; it takes l_ada, mu_ada",
        ),
        (
            MethodRule::Ufcm,
            Constants { executions: Some(2), ..none.clone() },
            "the method ufcm does not take executions",
        ),
        (
            MethodRule::Auto,
            Constants { l_ada: Some(1.0), ..none.clone() },
            "the method auto does not take l_ada; it takes no constants",
        ),
    ];
    for (method, constants, part) in cases {
        let message = refused(method, constants);
        assert!(message.starts_with("settings: ") && message.contains(part), "{message}");
    }
    let unknown = serde_json::from_str::<Constants>("{\"l_ado\": 1}").unwrap_err().to_string();
    assert!(unknown.contains("l_ado") && unknown.contains("l_ada"), "{unknown}");
}

/// Constants of three executions for [`qcqp`] with a curved objective: L_ADA grows and mu_ADA falls from one to the next.
fn of_each() -> Constants {
    let own = |l_ada, mu_ada| ExecutionConstants { l_ada, mu_ada };
    Constants {
        d_x: Some(1.0),
        d_lambda: Some(3.0),
        eps: Some(1e-2),
        each: vec![own(4.0, 0.6), own(5.0, 0.5), own(6.0, 0.4)],
        ..Constants::default()
    }
}

#[test]
fn each_execution_may_have_constants_of_its_own() {
    let problem = qcqp();
    let exact = Settings { eps_rel: 1e-12, eps_abs: 0.0, eps_feas: 1e-12, ..settings(MethodRule::Restarted) };
    let run = |constants| problem.solve(&Settings { constants, trace: true, ..exact.clone() }).unwrap();
    let first = run(of_each());
    let used = first.constants.clone().unwrap();
    assert_eq!((used.each.len(), used.executions, used.l_ada, used.mu_ada), (3, Some(3), None, None));
    // T_k = min{sqrt(96 L_k/mu_k), sqrt(24 L_k D_x^2/e_k)}, with e_k = 4e-2, 2e-2, 1e-2.
    let steps = |k: usize, l: f64, mu: f64| {
        let (by_mu, by_way) = ((96.0 * l / mu).sqrt(), (24.0 * l / (1e-2 * [4.0, 2.0, 1.0][k])).sqrt());
        by_mu.min(by_way).ceil() as usize
    };
    let expected = [steps(0, 4.0, 0.6), steps(1, 5.0, 0.5), steps(2, 6.0, 0.4)];
    for (k, (steps, l)) in expected.into_iter().zip([4.0, 5.0, 6.0]).enumerate() {
        let records: Vec<_> = first.trace.iter().filter(|record| record.execution == k).collect();
        assert_eq!(records.len(), steps, "execution {k}");
        assert!(records.iter().all(|record| record.l_ada == l), "execution {k}");
    }
    assert_eq!((first.prelude.unwrap().promised, first.counts.restarts), (None, 2));
    // Through JSON, as the command writes it.
    let told = serde_json::to_string(&used).unwrap();
    let again = run(serde_json::from_str(&told).unwrap());
    assert_same(&first, &again, &told);
    assert_eq!(again.constants, Some(used.clone()));
    assert!(used.to_string().starts_with("L_ADA = 4e0,5e0,6e0, mu_ADA = 6e-1,5e-1,4e-1, "), "{used}");
    // One number given beside an earlier run's list goes first.
    let mixed = Constants { l_ada: Some(7.0), mu_ada: Some(0.1), ..Constants::default() }.or(&used);
    assert_eq!((mixed.l_ada, mixed.each.len(), mixed.executions), (Some(7.0), 0, Some(3)));
    // Without distances they are found, and the rest is the same.
    let coarse =
        |constants| problem.solve(&Settings { constants, ..settings(MethodRule::Restarted) }).unwrap();
    let found = coarse(Constants { d_x: None, d_lambda: None, ..of_each() });
    assert!(found.prelude.unwrap().counts.gradients > 0);
    assert_eq!(found.constants.clone().unwrap().each, used.each);
    assert_same(&found, &coarse(found.constants.clone().unwrap()), "found distances");
}

#[test]
fn the_constants_of_known_rows_are_those_of_the_remark() {
    // One strongly convex row: mu_ADA does not depend on eps, and lists say all that the remark knows.
    let convexity = Some(Convexity { constant: 0.1, exponent: 1.0 });
    let row = RowConstants { convexity, ..RowConstants::smooth(1.0, 3.0) };
    let rows = Aggregate::new(vec![row], 1e-3, 0.1).unwrap();
    let each = RestartPlan::own_constants(&rows, 2.0, 6).unwrap();
    let from_rows = RestartPlan::with_own_constants(&rows, f64::INFINITY, (2.0, 1.0), 6).unwrap();
    let from_lists = RestartPlan::with_constants_of_each(&each, f64::INFINITY, 1e-3, (2.0, 1.0)).unwrap();
    assert_eq!(from_rows, from_lists);
    // q > 1: mu of the first execution stands for larger accuracies, so D_x^(0) and D_x^(1) are no smaller, and nothing else changes.
    let convexity = Some(Convexity { constant: 0.1, exponent: 3.0 });
    let rows = Aggregate::new(vec![RowConstants { convexity, ..row }], 1e-3, 0.1).unwrap();
    let each = RestartPlan::own_constants(&rows, 20.0, 6).unwrap();
    let from_rows = RestartPlan::with_own_constants(&rows, f64::INFINITY, (20.0, 1.0), 6).unwrap();
    let from_lists = RestartPlan::with_constants_of_each(&each, f64::INFINITY, 1e-3, (20.0, 1.0)).unwrap();
    for (k, (a, b)) in from_rows.executions.iter().zip(&from_lists.executions).enumerate() {
        assert_eq!((a.steps, a.l_ada), (b.steps, b.l_ada));
        assert!(if k < 2 { a.d_x <= b.d_x } else { a.d_x == b.d_x }, "execution {k}");
    }
}

#[test]
fn constants_of_each_execution_are_checked() {
    let problem = qcqp();
    let refused = |method, constants| {
        problem.solve(&Settings { constants, ..settings(method) }).unwrap_err().to_string()
    };
    let restarted = |constants| refused(MethodRule::Restarted, constants);
    let mut negative = of_each();
    negative.each[1].l_ada = -1.0;
    assert!(restarted(negative).contains("l_ada is -1"), "a list is checked");
    let twice = restarted(Constants { l_ada: Some(1.0), ..of_each() });
    assert!(twice.contains("given for all executions, and for each"), "{twice}");
    let fewer = restarted(Constants { executions: Some(2), ..of_each() });
    assert!(fewer.contains("l_ada has 3 numbers, one for each execution; executions is 2"), "{fewer}");
    let other = refused(MethodRule::Ufcm, of_each());
    assert!(other.contains("the method ufcm does not take"), "{other}");
}

#[test]
fn the_certificate_tells_the_constants_and_does_not_use_them() {
    let problem = qcqp();
    let report = problem.solve(&settings(MethodRule::Ufcm)).unwrap();
    let certificate = report.certificate.clone().unwrap();
    assert!(certificate.constants.is_some() && certificate.constants == report.constants);
    let verified = certificate.verify(&problem).unwrap();
    let text = serde_json::to_string(&certificate).unwrap();
    let mut fields: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(fields["constants"]["l_ada"].as_f64(), report.constants.unwrap().l_ada);
    // An older certificate has none; other constants prove the same.
    fields.as_object_mut().unwrap().remove("constants");
    let older: Certificate = serde_json::from_value(fields.clone()).unwrap();
    assert_eq!((older.verify(&problem).unwrap(), older.constants), (verified, None));
    fields["constants"] = serde_json::json!({ "l_ada": 1e9 });
    let other: Certificate = serde_json::from_value(fields).unwrap();
    assert_eq!(other.verify(&problem).unwrap(), verified);
    assert_eq!(problem.solve(&Settings::default()).unwrap().certificate.unwrap().constants, None);
}
