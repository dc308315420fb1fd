//! Errors of users' oracles, as values, wherever they can come out; and runs that are asked to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use ufcm::audit::{self, AuditOptions, Check};
use ufcm::budget::Budget;
use ufcm::component::Custom;
use ufcm::oracle::{OracleError, Smoothness};
use ufcm::problem::Problem;
use ufcm::regulariser::Bounds;
use ufcm::report::{Control, Report, Status, Trouble};
use ufcm::settings::{MethodRule, Settings};

/// A user's own error.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("no answer from {0}")]
struct NoAnswer(&'static str);

#[test]
fn the_oracles_own_error_comes_back_as_a_value() {
    let failing = |after: usize| {
        let calls = AtomicUsize::new(0);
        let oracle = Custom::new(1, move |x, gradient| {
            if calls.fetch_add(1, Ordering::Relaxed) >= after {
                return Err(OracleError::failed(NoAnswer("server")));
            }
            if let Some(gradient) = gradient {
                gradient[0] = x[0].sinh();
            }
            Ok(x[0].cosh())
        });
        let objective =
            oracle.unwrap().with_smoothness(Smoothness { constant: 10.0, exponent: 1.0 }).unwrap();
        Problem::minimise(objective).within(Bounds::new(-1.0, 2.0).unwrap()).build().unwrap()
    };
    let settings = |method| Settings { method, x0: Some(vec![1.0]), ..Settings::default() };
    let during = failing(3).solve(&settings(MethodRule::Auto)).unwrap();
    let trouble = during.trouble.as_ref().expect("a reason");
    assert_eq!(trouble.cause().and_then(|cause| cause.downcast_ref()), Some(&NoAnswer("server")));
    assert_eq!(during.meaning(), "in row 0: the oracle failed: no answer from server");
    // A report that is written and read back keeps the sentence.
    let read: Report = serde_json::from_str(&serde_json::to_string(&during).unwrap()).unwrap();
    assert_eq!((&read, read.meaning()), (&during, during.meaning()));
    assert!(matches!(read.trouble, Some(Trouble::Told(_))));
    // At the start, and in the solve that finds the constants of a published method, there is no report.
    for (after, method) in [(0, MethodRule::Auto), (0, MethodRule::Ufcm), (3, MethodRule::Ufcm)] {
        let error = failing(after).solve(&settings(method)).unwrap_err();
        let cause = error.cause().and_then(|cause| cause.downcast_ref());
        assert_eq!(cause, Some(&NoAnswer("server")), "{method:?}: {error}");
    }
}

#[test]
fn findings_hold_the_oracles_own_error() {
    let oracle = Custom::new(1, |_, _| Err(OracleError::failed(NoAnswer("server")))).unwrap();
    let findings = audit::component(&oracle, &AuditOptions::default()).unwrap();
    let error = findings[0].error.as_ref().expect("the error behind the message");
    assert_eq!(findings[0].check, Check::Failure);
    assert_eq!(findings[0].message, Some(error.to_string()));
    assert_eq!(error.cause().and_then(|cause| cause.downcast_ref()), Some(&NoAnswer("server")));
}

#[test]
fn a_raised_flag_stops_a_run() {
    let objective = Custom::new(1, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient[0] = x[0].signum();
        }
        Ok(x[0].abs())
    });
    let problem =
        Problem::minimise(objective.unwrap()).within(Bounds::new(-1.0, 2.0).unwrap()).build().unwrap();
    let budget = Budget::unlimited();
    let settings = Settings { eps_rel: 1e-15, eps_abs: 0.0, x0: Some(vec![0.7]), ..Settings::default() };
    let mut steps = 0;
    let report = problem.solve_within(&settings, &budget, &mut |_| {
        steps += 1;
        if steps == 2 {
            budget.stop_flag().raise();
        }
        Control::Continue
    });
    let report = report.unwrap();
    assert_eq!((report.status, report.counts.steps), (Status::Interrupted, 2));
    assert_eq!(report.meaning(), "stopped on request");
}
