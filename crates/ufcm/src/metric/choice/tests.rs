use super::*;
use crate::metric::tuning::warm::{AFFORDABLE, DAMPING, DISTRUST, MATCH, RENEWALS};
use crate::metric::{CurvatureMatrix, Dense};

const HINTS: [f64; 2] = [1.0, 0.5];

fn open(hessian_cost: Option<f64>) -> MetricChoice {
    let second = hessian_cost.map(|cost| (Kind::Hessian, cost));
    let available =
        Available { variables: 2, diagonal: true, second, quasi_newton: false, other_diagonal: None };
    MetricChoice::open(Metric::Diagonal(HINTS.to_vec()), available)
}

fn identity() -> Option<CurvatureMetric> {
    let matrix = Dense::symmetric(2, vec![1.0, 0.0, 0.0, 1.0]);
    CurvatureMetric::damped(Kind::Hessian, CurvatureMatrix::Dense(matrix), 0.1)
}

fn facts(residual: f64) -> StepFacts {
    StepFacts { residual, l: 9.0, ends: true, mismatch: None }
}

/// Gradients in which the residual falls by `factor`; the curvatures seen on the way are 3 and 7.
fn stretch(choice: &mut MetricChoice, gradients: usize, factor: f64) -> Option<f64> {
    let mut form = |_: Kind, _: f64| Ok(identity());
    assert_eq!(choice.after_step(facts(1.0), &mut form).unwrap(), None);
    for _ in 0..gradients {
        choice.count(1);
        choice.note_pair([&[0.0, 0.0], &[1.0, 1.0]], [&[0.0, 0.0], &[3.0, 7.0]]);
    }
    choice.after_step(facts(factor), &mut form).unwrap()
}

#[test]
fn without_hessians_each_is_tried_and_the_fastest_stays_while_it_is() {
    let mut choice = open(None);
    assert_eq!(stretch(&mut choice, STRETCH, 0.5), Some(1.0));
    assert_eq!(*choice.metric(), Metric::Diagonal(vec![3.0, 7.0]));
    assert_eq!(stretch(&mut choice, STRETCH, 0.9), Some(1.0));
    assert_eq!(*choice.metric(), Metric::Scalar);
    assert_eq!(stretch(&mut choice, STRETCH, 0.1), None, "the plain norm is the fastest and stays");
    assert_eq!(stretch(&mut choice, STRETCH, 0.7), Some(9.0), "it has slowed down");
    assert_eq!(*choice.metric(), Metric::Diagonal(HINTS.to_vec()));
}

#[test]
fn a_fast_one_is_not_disturbed_and_a_short_stretch_proves_nothing() {
    let mut choice = open(None);
    assert_eq!(stretch(&mut choice, STRETCH, 1e-9), None);
    assert_eq!(stretch(&mut choice, STRETCH - 1, 0.9), None);
    let mut alone = MetricChoice::fixed(Metric::Scalar);
    assert_eq!(stretch(&mut alone, 10 * STRETCH, 0.9), None);
}

#[test]
fn hessians_are_formed_where_they_cost_less_than_what_is_left() {
    // At a cost of 5 gradients each, and 18 e-foldings to go.
    let mut cheap = open(Some(5.0));
    assert_eq!(stretch(&mut cheap, FIRST_STRETCH.0, 0.5), Some(1.0));
    assert!(cheap.metric().as_curvature().is_some());
    let mut fast = open(Some(5.0));
    assert_eq!(stretch(&mut fast, FIRST_STRETCH.0, 1e-4), None, "10 gradients more will do");
    let mut dear = open(Some(50.0));
    assert_eq!(stretch(&mut dear, FIRST_STRETCH.0, 0.5), None, "it is too early to tell");
    let mut late = open(Some(5.0));
    late.count(FIRST_STRETCH.0);
    assert_eq!(stretch(&mut late, 1, 0.5), None, "what the first step took tells nothing of progress");
    let mut late = open(Some(5.0));
    late.count(FIRST_STRETCH.0);
    assert_eq!(stretch(&mut late, FIRST_STRETCH.1, 0.5), Some(1.0), "but it has been spent");
}

#[test]
fn second_derivatives_are_renewed_with_less_damping_and_left_where_they_mislead() {
    let mut dampings = Vec::new();
    let mut form = |_: Kind, damping: f64| {
        dampings.push(damping);
        Ok(identity())
    };
    let mut choice = MetricChoice::formed(Kind::Hessian, 2, &mut form).unwrap();
    for residual in [1.0, 0.5, 0.4, 0.2] {
        choice.count(Kind::Hessian.stretch(1));
        choice.after_step(facts(residual), &mut form).unwrap();
    }
    choice.after_step(facts(0.2), &mut form).unwrap();
    assert!(choice.leave_misleading(1.0, &mut form).unwrap().is_some());
    let first = Kind::Hessian.first_damping();
    let second = Kind::Hessian.less_damping(first);
    // Less damping was too little.
    let third = Kind::Hessian.less_damping(second);
    assert_eq!(dampings, [first, second, third, Kind::Hessian.more_damping(third).unwrap()]);
    assert!(second < first);
    let mut choice = open(Some(5.0));
    assert_eq!(stretch(&mut choice, FIRST_STRETCH.0, 0.5), Some(1.0));
    let mut form = |_: Kind, _: f64| Ok(identity());
    assert_eq!(choice.after_step(facts(1.0), &mut form).unwrap(), None);
    let misled = StepFacts { l: 2.0 * MISLEADING, ..facts(0.1) };
    assert_eq!(choice.after_step(misled, &mut form).unwrap(), Some(9.0), "back to what was given");
    assert_eq!(choice.leave_misleading(1.0, &mut form).unwrap(), None, "that cannot mislead");
    assert_eq!(*choice.metric(), Metric::Diagonal(HINTS.to_vec()));
}

#[test]
fn a_quasi_newton_matrix_takes_in_every_other_step_and_is_judged_by_a_stretch() {
    let available =
        Available { variables: 2, diagonal: true, second: None, quasi_newton: true, other_diagonal: None };
    let mut choice = MetricChoice::open(Metric::Scalar, available);
    assert_eq!(stretch(&mut choice, STRETCH, 0.5), Some(1.0));
    let made = choice.metric().as_curvature().cloned().expect("a quasi-Newton matrix");
    assert_eq!(stretch(&mut choice, REFRESH, 0.9), Some(1.0), "refreshed");
    let refreshed = choice.metric().as_curvature().cloned().expect("the same kind");
    assert!(!Arc::ptr_eq(&made, &refreshed));
    choice.start = None;
    assert_eq!(stretch(&mut choice, STRETCH, 1.1), Some(1.0), "it does not get on");
    assert!(matches!(choice.metric(), Metric::Diagonal(_)), "secants are next");
}

#[test]
fn what_cannot_be_had_is_passed_over() {
    let mut choice = open(Some(5.0));
    let mut none = |_: Kind, _: f64| Ok(None);
    assert_eq!(choice.after_step(facts(1.0), &mut none).unwrap(), None);
    choice.count(STRETCH);
    // No Hessian, and secants that tell nothing: the plain norm is left.
    assert_eq!(choice.after_step(facts(0.9), &mut none).unwrap(), Some(1.0));
    assert_eq!(*choice.metric(), Metric::Scalar);
}

#[test]
fn second_derivatives_of_a_warm_start_are_used_at_once_and_renewed_when_they_have_changed() {
    let carried = Arc::new(identity().unwrap());
    let mut dampings = Vec::new();
    let mut form = |_: Kind, damping: f64| {
        dampings.push(damping);
        Ok(identity())
    };
    let mut choice = open(Some(5.0));
    choice.begin_warm(Some(&carried), &mut form).unwrap();
    assert!(choice.is_trusted());
    assert_eq!(choice.metric().as_curvature().unwrap().damping(), DAMPING, "nearly undamped");
    let after = |mismatch, l| StepFacts { residual: 1.0, l, ends: true, mismatch };
    assert_eq!(choice.after_step(after(Some(0.5 * MATCH), 1.0), &mut form).unwrap(), None, "as it was");
    assert_eq!(choice.after_step(after(None, 1.0), &mut form).unwrap(), None, "nothing to tell");
    for _ in 0..RENEWALS {
        assert_eq!(choice.after_step(after(Some(2.0 * MATCH), 1.0), &mut form).unwrap(), Some(1.0));
    }
    assert_eq!(choice.after_step(after(Some(2.0 * MATCH), 1.0), &mut form).unwrap(), None, "often enough");
    choice.after_step(after(None, 2.0 * DISTRUST), &mut form).unwrap();
    assert!(!choice.is_trusted());
    assert_eq!(dampings, [DAMPING; RENEWALS]);
}

#[test]
fn a_warm_start_without_second_derivatives_forms_them_where_they_are_cheap() {
    let mut form = |_: Kind, _: f64| Ok(identity());
    let mut cheap = open(Some(5.0));
    cheap.begin_warm(None, &mut form).unwrap();
    assert!(cheap.is_trusted() && cheap.metric().as_curvature().is_some());
    let mut dear = open(Some(2.0 * AFFORDABLE));
    dear.begin_warm(None, &mut form).unwrap();
    assert!(!dear.is_trusted());
    assert_eq!(*dear.metric(), Metric::Diagonal(HINTS.to_vec()));
    let mut none = open(Some(5.0));
    none.begin_warm(None, &mut |_, _| Ok(None)).unwrap();
    assert_eq!(*none.metric(), Metric::Diagonal(HINTS.to_vec()), "there was none to have");
    // A quasi-Newton matrix goes on from any.
    let available =
        Available { variables: 2, diagonal: true, second: None, quasi_newton: true, other_diagonal: None };
    let mut black_box = MetricChoice::open(Metric::Scalar, available);
    black_box.begin_warm(Some(&Arc::new(identity().unwrap())), &mut |_, _| Ok(None)).unwrap();
    assert!(black_box.is_trusted());
    assert_eq!(stretch(&mut black_box, REFRESH, 0.9), Some(1.0), "it learns");
}
