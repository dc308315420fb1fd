//! Published methods with constants that the user gives: no solve before, no refusal, any length; and what a run tells repeats it.

use ufcm::component::{Linear, Poisson, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::{Report, Status};
use ufcm::settings::{Constants, MethodRule, Settings};

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
        let found = first.constants.unwrap();
        assert!(first.prelude.unwrap().counts.gradients > 0, "{method}");
        // Through JSON, as the command writes it.
        let told = serde_json::to_string(&found).unwrap();
        let constants: Constants = serde_json::from_str(&told).unwrap();
        assert_eq!(constants, found, "{told}");
        let again = problem.solve(&Settings { constants, ..settings(method) }).unwrap();
        assert_eq!(again.prelude.unwrap().counts.gradients, 0, "{method}: a solve came before");
        assert_same(&first, &again, method.name());
        assert_eq!(again.constants, Some(found), "{method}");
    }
    // Other constants are another run.
    let first = problem.solve(&settings(Ufcm)).unwrap();
    let larger = Constants {
        delta: None,
        c: None,
        l_ada: first.constants.unwrap().l_ada.map(|l| 2.0 * l),
        ..first.constants.unwrap()
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
    let used = alone.constants.unwrap();
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
    let balanced = run(given);
    let used = balanced.constants.unwrap();
    assert_eq!((used.c, used.delta, used.r), (Some(3.0), Some(0.3), Some(3.0 * 1e-3f64.sqrt())));
    assert_eq!(used.iterations, Some((24.0 * 5.0 / 1e-3f64).sqrt().ceil() as usize));
    // C and Delta of one's own.
    let own = run(Constants { c: Some(2.0), delta: Some(0.7), ..given });
    let used = own.constants.unwrap();
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
    let promised = problem.solve(&Settings { constants: given, ..exact.clone() }).unwrap();
    let n = promised.prelude.unwrap().promised.unwrap();
    assert_eq!((promised.status, promised.counts.gradients), (Status::IterationLimit, n));
    for iterations in [n / 3, 4 * n] {
        let constants = Constants { iterations: Some(iterations), ..given };
        let report = problem.solve(&Settings { constants, ..exact.clone() }).unwrap();
        assert_eq!(report.counts.gradients, iterations, "{report:?}");
        assert_eq!(report.prelude.unwrap().promised, Some(n), "the promise does not depend on it");
    }
    // R-UFCM: fewer than its executions take, never more.
    let constants = Constants { executions: Some(3), mu_ada: Some(0.5), eps: Some(1e-2), ..given };
    let restarted = Settings { method: MethodRule::Restarted, constants, ..exact };
    let all = problem.solve(&restarted).unwrap();
    let steps = all.constants.unwrap().iterations.unwrap();
    assert_eq!((all.counts.gradients, all.counts.restarts), (steps, 2), "{all:?}");
    for (iterations, taken) in [(steps - 5, steps - 5), (10 * steps, steps)] {
        let constants = Constants { iterations: Some(iterations), ..constants };
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
        let report = problem.solve(&Settings { constants: l_ada, ..settings(method) }).unwrap();
        assert_eq!(report.prelude.unwrap().counts.gradients > 0, solves_before, "{method}");
        assert_eq!(report.status, Status::Certified, "{method}: {report:?}");
        assert!((report.objective - optimum).abs() <= 2e-3 * optimum.abs().max(1.0), "{method}");
    }
    // Nothing restarts without mu_ADA and with a linear h: K = 1 is enough, and known to be.
    let constants = Constants { d_x: Some(1.0), d_lambda: Some(0.1), ..l_ada };
    let report = problem.solve(&Settings { constants, ..settings(MethodRule::Restarted) }).unwrap();
    assert_eq!(report.prelude.unwrap().counts.gradients, 0);
    assert_eq!(
        (report.constants.unwrap().executions, report.constants.unwrap().mu_ada),
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
        (MethodRule::Ufcm, Constants { l_ada: Some(-1.0), ..none }, "l_ada is -1; it must be positive"),
        (MethodRule::Ufcm, Constants { d_x: Some(f64::NAN), ..none }, "d_x is NaN"),
        (MethodRule::Restarted, Constants { mu_ada: Some(-0.5), ..none }, "mu_ada is -0.5"),
        (
            MethodRule::Restarted,
            Constants { executions: Some(0), ..none },
            "executions is 0; it must be at least 1",
        ),
        (
            MethodRule::Restarted,
            Constants { c: Some(1.0), ..none },
            "the method restarted does not take c; it takes l_ada, mu_ada",
        ),
        (
            MethodRule::Ufcm,
            Constants { executions: Some(2), ..none },
            "the method ufcm does not take executions",
        ),
        (
            MethodRule::Auto,
            Constants { l_ada: Some(1.0), ..none },
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
