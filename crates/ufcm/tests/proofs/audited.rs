//! The audit before a success: what it finds, what it costs, and what the report says of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use ufcm::budget::Budget;
use ufcm::component::{Custom, Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{LinearOperator, OracleError, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Bounds, Hyperplane};
use ufcm::report::{Control, Report, Status, Trouble};
use ufcm::settings::Settings;
use ufcm::summary::Summary;

/// a |x - c|^2 with the gradient of `b` |x - c|^2.
fn square(n: usize, a: f64, b: f64, c: f64) -> Custom {
    Custom::new(n, move |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * b * (x - c));
        }
        Ok(x.iter().map(|x| a * (x - c) * (x - c)).sum())
    })
    .unwrap()
}

fn boxed(objective: impl ufcm::oracle::Component + 'static) -> Problem {
    Problem::minimise(objective).within(Bounds::new(-5.0, 5.0).unwrap()).build().unwrap()
}

fn solved(problem: &Problem) -> Report {
    problem.solve(&Settings::default()).unwrap()
}

#[test]
fn a_concave_function_at_its_top_is_no_success() {
    // Reproduction 7: the start is stationary, and all that the run sees is flat.
    let report = solved(&boxed(square(2, -1.0, -1.0, 0.0)));
    assert_eq!(report.status, Status::NumericalError);
    let Some(Trouble::Audit { part, finding }) = &report.trouble else { panic!("{:?}", report.trouble) };
    assert_eq!((part.as_str(), finding.points.len()), ("objective", 2), "the pair of points is told");
    let told = report.meaning();
    assert!(told.contains("objective") && told.contains("x = [") && !told.contains('\n'), "{told}");
    assert_eq!(report.fault.as_ref().map(|fault| fault.row.as_str()), Some("objective"));
    assert_eq!(report.lower_bound, f64::NEG_INFINITY, "bounds are void");
    assert!(report.counts.audit_gradients > 0);
}

#[test]
fn a_gradient_that_lacks_a_term_ends_the_run_long_before_its_limit() {
    // |x - 1|^2 + sum of exp(x_i), with the gradient of the first part: the run goes round in circles.
    let lacking = Custom::new(3, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - 1.0));
        }
        Ok(x.iter().map(|x| (x - 1.0) * (x - 1.0) + x.exp()).sum())
    });
    let free = Problem::minimise(lacking.unwrap()).build().unwrap();
    let report = solved(&free);
    assert!(matches!(report.trouble, Some(Trouble::Audit { .. })), "{}: {:?}", report.status, report.trouble);
    assert!(report.counts.gradients < 3000, "{}", report.counts.gradients);
}

#[test]
fn trusted_data_that_are_not_convex_are_no_success() {
    // Reproduction 8.
    for least in [-1.0, -1e-3] {
        let q = Matrix::row_major(2, 2, vec![1.0, 0.0, 0.0, least]).unwrap();
        let report = solved(&boxed(Quadratic::trusted(&q).unwrap()));
        assert!(matches!(report.trouble, Some(Trouble::Audit { .. })), "{least}: {:?}", report.trouble);
    }
    let q = Matrix::row_major(2, 2, vec![1.0, 0.5, 0.5, 1.0]).unwrap();
    let report = solved(&boxed(Quadratic::trusted(&q).unwrap()));
    assert_eq!(report.status, Status::Certified);
    let premise = report.premise();
    assert!(premise.contains("`objective` is convex on the user's word: convexity checked at"), "{premise}");
}

#[test]
fn a_quadratic_need_only_be_convex_where_the_domain_is() {
    // x^2 - y^2 is convex on the line y = 0.
    let q = Matrix::row_major(2, 2, vec![2.0, 0.0, 0.0, -2.0]).unwrap();
    let problem = Problem::minimise(Quadratic::trusted(&q).unwrap())
        .within(Hyperplane::new(vec![0.0, 1.0], 0.0).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings { x0: Some(vec![3.0, 0.0]), ..Settings::default() }).unwrap();
    assert!(report.status.is_success(), "{:?}", report.trouble);
}

#[test]
fn the_report_tells_what_was_checked_and_what_was_not() {
    let problem = boxed(square(2, 1.0, 1.0, 1.0));
    let report = solved(&problem);
    assert_eq!(report.status, Status::Certified);
    let points = report.counts.audit_gradients;
    assert!((10..=24).contains(&points), "{points}");
    let premise = format!(
        "the domain is bounded or the regulariser grows fast; `objective` is a user's function: gradient and convexity \
         checked at {points} points, not proven"
    );
    assert_eq!(report.premise(), premise);
    let settings = Settings { audit: false, ..Settings::default() };
    let unaudited = problem.solve(&settings).unwrap();
    assert_eq!((unaudited.status, unaudited.counts.audit_gradients), (Status::Certified, 0));
    assert!(
        unaudited.premise().ends_with("neither checked (no audit ran) nor proven"),
        "{}",
        unaudited.premise()
    );
    assert_eq!(unaudited.x, report.x, "the run itself is the same");
    assert_eq!(unaudited.counts.gradients, report.counts.gradients);
    let told = serde_json::to_value(Summary::new(&unaudited, &[], &settings)).unwrap();
    assert_eq!((&told["audit_gradients"], &told["settings"]["audit"]), (&0.into(), &false.into()));
    let certificate = report.certificate.unwrap();
    assert!(certificate.grounds[0].audited && certificate.grounds[0].points == points);
    assert!(certificate.verify(&problem).is_ok());
}

#[test]
fn declared_constants_are_the_users_word_and_checked_as_such() {
    let declared = || square(1, 1.0, 1.0, 1.0).with_lower_bound(0.5).unwrap();
    let report = solved(&boxed(declared()));
    assert!(!report.status.is_success(), "{:?}: the minimum is 0", report.status);
    let right = square(1, 1.0, 1.0, 1.0).with_lower_bound(0.0).unwrap();
    let report = solved(&boxed(right));
    assert!(report.premise().contains("constants that it declares checked at"), "{}", report.premise());
}

#[test]
fn constraints_and_proofs_of_infeasibility_are_audited() {
    let problem = |constraint: Custom, bound: f64| {
        Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
            .subject_to(constraint.at_most(bound).named("disc"))
            .within(Bounds::new(-5.0, 5.0).unwrap())
            .build()
            .unwrap()
    };
    let report = solved(&problem(square(2, 1.0, 1.0, 0.0), 1.0));
    assert_eq!(report.status, Status::Certified);
    assert!(report.premise().contains("`disc` is a user's function"), "{}", report.premise());
    let report = solved(&problem(square(2, 1.0, 1.0, 0.0), -1.0));
    assert_eq!(report.status, Status::Infeasible);
    assert!(report.premise().contains("`disc` is a user's function"), "{}", report.premise());
    assert!(report.counts.audit_gradients > 0);
    // Its gradient is too large: the linearisation seems to leave nothing.
    let report = solved(&problem(square(2, 1.0, 3.0, 1.5), 0.1));
    assert!(!report.status.is_success() && report.status != Status::Infeasible, "{:?}", report.status);
}

#[test]
fn an_audit_asks_the_budget_and_is_the_same_every_time() {
    let calls = Arc::new(AtomicUsize::new(0));
    let budget = Budget::unlimited();
    let (flag, counter) = (budget.stop_flag(), calls.clone());
    let limit = Arc::new(AtomicUsize::new(usize::MAX));
    let last = limit.clone();
    let function = Custom::new(2, move |x, gradient| {
        if counter.fetch_add(1, Ordering::Relaxed) == last.load(Ordering::Relaxed) {
            flag.raise();
        }
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - 1.0));
        }
        Ok(x.iter().map(|x| (x - 1.0) * (x - 1.0)).sum())
    });
    let problem = boxed(function.unwrap());
    let without = Settings { audit: false, ..Settings::default() };
    problem.solve(&without).unwrap();
    let run = calls.swap(0, Ordering::Relaxed);
    let first = solved(&problem);
    let with = calls.swap(0, Ordering::Relaxed);
    // The value alone is asked for once beside the points.
    assert_eq!(with, run + first.counts.audit_gradients + 1);
    let again = solved(&problem);
    assert_eq!(again.counts, first.counts);
    assert_eq!(again.premise(), first.premise());
    calls.store(0, Ordering::Relaxed);
    limit.store(run + 4, Ordering::Relaxed);
    let stopped = problem.solve_within(&Settings::default(), &budget, &mut |_| Control::Continue).unwrap();
    assert_eq!(stopped.status, Status::Interrupted, "a success that nobody could check is none");
    assert!(calls.load(Ordering::Relaxed) <= run + 7, "it ends at once");
}

#[test]
fn functions_that_are_undefined_elsewhere_raise_no_alarm() {
    // x - log x, which makes no sense below 0, on a domain that goes further.
    let barrier = Custom::new(1, |x, gradient| {
        if x[0] <= 0.0 {
            return Err(OracleError::NotFinite { what: "value", index: None, value: f64::NAN });
        }
        if let Some(gradient) = gradient {
            gradient[0] = 1.0 - 1.0 / x[0];
        }
        Ok(x[0] - x[0].ln())
    });
    let problem = boxed(barrier.unwrap());
    let report = problem.solve(&Settings { x0: Some(vec![1.5]), ..Settings::default() }).unwrap();
    let told = report.meaning();
    assert!(!told.contains("audit"), "{told}");
}

/// Products with a matrix; the transpose forgets the second row.
struct Forgetful;

impl LinearOperator for Forgetful {
    fn kind(&self) -> &'static str {
        "forgetful"
    }

    fn rows(&self) -> usize {
        2
    }

    fn columns(&self) -> usize {
        2
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[x[0], x[0] + x[1]]);
    }

    fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[l[0], 0.0]);
    }
}

/// The nonnegative numbers, with a prox that forgets the second coordinate.
struct Half;

impl Regulariser for Half {
    fn kind(&self) -> &'static str {
        "half"
    }

    fn value(&self, x: &[f64]) -> f64 {
        if x.iter().all(|x| *x >= 0.0) { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, _weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        x[0] = x[0].max(0.0);
        x[1] = x[1].abs();
        Ok(())
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if let Some(minimiser) = minimiser {
            minimiser.fill(0.0);
        }
        if slope.iter().all(|s| *s >= 0.0) { 0.0 } else { f64::NEG_INFINITY }
    }
}

#[test]
fn users_operators_and_regularisers_are_audited_too() {
    let objective = || Quadratic::diagonal(vec![1.0, 1.0]).unwrap().with_linear(vec![-1.0, -1.0]).unwrap();
    let problem = Problem::minimise(objective())
        .subject_to(Affine::by_products(Forgetful, vec![9.0, 9.0]).unwrap().at_most_zero().named("rows"))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap();
    let report = solved(&problem);
    assert!(
        matches!(&report.trouble, Some(Trouble::Audit { part, .. }) if part == "rows"),
        "{:?}",
        report.trouble
    );
    let problem = Problem::minimise(objective()).within(Half).build().unwrap();
    let report = solved(&problem);
    assert!(
        matches!(&report.trouble, Some(Trouble::Audit { part, .. }) if part == "regulariser"),
        "{:?}",
        report.trouble
    );
}
