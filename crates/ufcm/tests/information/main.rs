//! Giving more information never makes a run worse: Hessians, hints, bounds, starts, warm starts, radii.

mod bases;
#[path = "../common/random.rs"]
#[allow(dead_code, reason = "other tests draw more kinds of numbers")]
mod random;
mod shown;

use bases::{KINDS, neyman_pearson, problem, qcqp};
use shown::Shows;
use ufcm::certificate::Premise;
use ufcm::component::{LeastSquares, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Ball, L1};
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

const NOTHING: Shows =
    Shows { hessian: false, hints: false, operations: false, lower_bound: false, smoothness: false };
const HESSIAN: Shows = Shows { hessian: true, ..NOTHING };
const ALL: Shows =
    Shows { hessian: true, hints: true, operations: true, lower_bound: true, smoothness: true };

fn solve(problem: &Problem, settings: Settings) -> Report {
    problem.solve(&Settings { max_gradients: Some(20_000), ..settings }).unwrap()
}

fn warm(report: &Report) -> Settings {
    Settings { warm: Some(report.warm_start()), ..Settings::default() }
}

/// What a status is worth.
fn worth(status: Status) -> usize {
    match status {
        Status::Certified => 2,
        Status::Solved => 1,
        _ => 0,
    }
}

/// The same for a report: without a premise it is luck whether a bound is finite, and proves what is solved.
fn standing(report: &Report) -> usize {
    let without = report.certificate.as_ref().is_none_or(|proof| proof.premise == Premise::None);
    worth(report.status).min(if without { 1 } else { 2 })
}

/// What is wrong if `given` is worse than `plain`: in its status, or else in the number of gradients, but for a few that luck
/// decides; or if their bounds contradict each other.
fn compare(label: &str, plain: &Report, given: &Report) -> Option<String> {
    let (worth, before) = (standing(given), standing(plain));
    // A Hessian of so few variables costs about two gradients.
    let effort = |report: &Report| report.counts.gradients + 2 * report.counts.hessians;
    let (gradients, most) = (effort(given), effort(plain));
    // A better status may take more.
    let worse = worth < before || (worth == before && gradients > most + (most / 10).max(3));
    let tolerance = 1e-5 * plain.objective.abs().max(1.0);
    let false_bound = given.lower_bound > plain.upper_bound + tolerance
        || plain.lower_bound > given.upper_bound + tolerance
        || (before > 0 && worth > 0 && (given.objective - plain.objective).abs() > tolerance);
    (worse || false_bound).then(|| {
        format!(
            "{label}: {:?} {most} -> {:?} {gradients}, {} {}",
            plain.status, given.status, plain.objective, given.objective
        )
    })
}

#[test]
fn more_information_is_never_worse() {
    let mut complaints = Vec::new();
    let mut compared = 0;
    for (kind, seed) in (0..KINDS).flat_map(|kind| (1..=4).map(move |seed| (kind, seed))) {
        let at = |shows| problem(kind, 1.0, seed, shows);
        let plain = solve(&at(NOTHING), Settings::default());
        let curved = solve(&at(HESSIAN), Settings::default());
        let hinted = solve(&at(Shows { hints: true, ..HESSIAN }), Settings::default());
        let bounded = solve(&at(Shows { lower_bound: true, ..NOTHING }), Settings::default());
        let costed = solve(&at(ALL), Settings::default());
        let size: f64 = plain.x.iter().map(|x| x * x).sum();
        let radius = Settings { radius: Some(1.0 + 2.0 * size.sqrt()), ..Settings::default() };
        let within = solve(&at(NOTHING), radius);
        let near = solve(&at(NOTHING), Settings { x0: Some(plain.x.clone()), ..Settings::default() });
        let other = solve(&problem(kind, 1.05, seed, NOTHING), Settings::default());
        let next = solve(&at(NOTHING), warm(&other));
        let other = solve(&problem(kind, 1.05, seed, HESSIAN), Settings::default());
        let next_curved = solve(&at(HESSIAN), warm(&other));
        let pairs = [
            ("a Hessian", &plain, &curved),
            ("hints", &curved, &hinted),
            ("a lower bound", &plain, &bounded),
            ("all", &plain, &costed),
            ("a radius", &plain, &within),
            ("a start", &plain, &near),
            ("a warm start", &plain, &next),
            ("a warm start with a Hessian", &curved, &next_curved),
        ];
        for (what, plain, given) in pairs {
            compared += 1;
            complaints.extend(compare(&format!("{kind}/{seed} {what}"), plain, given));
        }
    }
    assert!(compared >= 100);
    assert!(complaints.is_empty(), "{} of {compared}:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn hessians_of_users_are_used_without_being_asked_for() {
    for bound in [0.5, 0.3] {
        let [native, with, without] = [ALL, HESSIAN, NOTHING]
            .map(|shows| solve(&neyman_pearson(31, bound, 11, shows), Settings::default()));
        assert_eq!(with.status, Status::Certified);
        assert!(with.counts.hessians > 0);
        assert!(
            with.counts.gradients <= 2 * native.counts.gradients,
            "{:?} {:?}",
            with.counts,
            native.counts
        );
        assert!(with.counts.gradients < without.counts.gradients, "{:?} {:?}", with.counts, without.counts);
    }
}

/// The number of gradients of each point of a path, all certified and verified.
fn path(problem: impl Fn(f64) -> Problem) -> Vec<usize> {
    let mut before = solve(&problem(1.0), Settings::default());
    let mut gradients = Vec::new();
    for k in 1..20 {
        let problem = problem(0.5f64.powf(f64::from(k) / 19.0));
        let report = solve(&problem, warm(&before));
        assert_eq!(report.status, Status::Certified, "{k}: {:?}", report.trouble);
        report.certificate.as_ref().expect("a certificate").verify(&problem).unwrap();
        let cold = solve(&problem, Settings::default());
        let tolerance = 2e-6 * cold.objective.abs().max(1.0);
        assert!((cold.objective - report.objective).abs() <= tolerance);
        assert!(report.lower_bound <= cold.upper_bound && cold.lower_bound <= report.upper_bound);
        assert_eq!(report.unit, cold.unit, "what the gap is relative to does not depend on the start");
        gradients.push(report.counts.gradients);
        before = report;
    }
    gradients.sort_unstable();
    gradients
}

#[test]
fn a_path_of_bounds_takes_five_gradients_a_point() {
    let paths = [
        path(|bound| neyman_pearson(20, 0.5 * bound, 3, ALL)),
        path(|bound| qcqp(20, 2.0 * bound, 4, ALL)),
        path(|bound| neyman_pearson(20, 0.5 * bound, 3, HESSIAN)),
    ];
    for gradients in paths {
        assert!(gradients[gradients.len() / 2] <= 5, "{gradients:?}");
        assert!(gradients[gradients.len() - 1] <= 12, "{gradients:?}");
    }
}

#[test]
fn multipliers_go_by_name_and_rows_may_come_and_go() {
    let with = |extra: &[f64]| {
        let objective =
            Quadratic::diagonal(vec![1.0, 2.0, 3.0]).unwrap().with_linear(vec![-4.0, 1.0, 2.0]).unwrap();
        let size = Quadratic::diagonal(vec![2.0, 1.0, 1.0]).unwrap();
        let mut builder = Problem::minimise(objective);
        for (k, bound) in extra.iter().enumerate() {
            let scale = 1.0 + k as f64;
            let row = Quadratic::diagonal(vec![scale, 1.0, scale]).unwrap().at_most(*bound);
            builder = builder.subject_to(row.named(format!("extra {k}")));
        }
        builder.subject_to(size.at_most(1.0).named("size")).within(Ball::new(9.0)).build().unwrap()
    };
    let first = solve(&with(&[]), Settings::default());
    let left = first.warm_start();
    assert_eq!(left.multipliers.len(), 2);
    assert_eq!((left.multipliers[1].0.as_str(), left.multipliers[1].1), ("size", first.multipliers[1]));
    for extra in [&[50.0][..], &[0.3], &[0.3, 0.9]] {
        let problem = with(extra);
        let [cold, next] = [Settings::default(), warm(&first)].map(|settings| solve(&problem, settings));
        assert_eq!(next.status, Status::Certified, "{extra:?}");
        assert!(next.counts.gradients <= cold.counts.gradients, "{:?} {:?}", next.counts, cold.counts);
        assert!((next.objective - cold.objective).abs() <= 1e-5);
        let back = solve(&with(&[]), warm(&next));
        assert_eq!(back.status, Status::Certified);
        assert!((back.objective - first.objective).abs() <= 1e-5);
    }
    // Other variables are another problem.
    let other = Problem::minimise(Quadratic::diagonal(vec![1.0; 2]).unwrap()).build().unwrap();
    let told = other.solve(&warm(&first)).unwrap_err().to_string();
    assert!(told.contains("warm start") && told.contains('3') && told.contains('2'), "{told}");
}

#[test]
fn a_warm_start_is_in_the_users_units() {
    let scaled = |bound: f64| {
        let objective = Quadratic::diagonal(vec![1e6, 1e-3, 2.0]).unwrap();
        let objective = objective.with_linear(vec![-1e3, 1e-2, 1.0]).unwrap();
        let size = Quadratic::diagonal(vec![2e6, 1e-3, 1.0]).unwrap().at_most(bound);
        Problem::minimise(objective).subject_to(size).within(Ball::new(1e3)).build().unwrap()
    };
    let first = solve(&scaled(0.8), Settings::default());
    let [cold, next] = [Settings::default(), warm(&first)].map(|settings| solve(&scaled(0.75), settings));
    assert!(first.status.is_success() && cold.status.is_success(), "{:?} {:?}", first.status, cold.status);
    assert!(worth(next.status) >= worth(cold.status), "{:?} {:?}", next.status, next.trouble);
    assert!(next.counts.gradients <= 5, "{:?} {:?}", next.counts, cold.counts);
    assert!((next.objective - cold.objective).abs() <= 1e-5 * cold.objective.abs().max(1.0));
}

#[test]
fn a_start_that_violates_a_constraint_loses_no_premise() {
    // What bounds solutions here is the level set of a feasible point: 0, and not the start.
    let data = Matrix::row_major(2, 2, vec![1.0, 2.0, -1.0, 0.5]).unwrap();
    let problem = Problem::minimise(LeastSquares::new(data, vec![3.0, 1.0]).unwrap())
        .subject_to(Quadratic::diagonal(vec![1.0, 1.0]).unwrap().at_most(0.3))
        .regularised_by(L1::new(0.1).unwrap())
        .build()
        .unwrap();
    for x0 in [None, Some(vec![3.0, 3.0])] {
        let report = solve(&problem, Settings { x0, ..Settings::default() });
        assert_eq!(report.status, Status::Certified);
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let first = solve(&neyman_pearson(40, 0.5, 3, ALL), Settings::default());
    let run = |threads| {
        let report =
            solve(&neyman_pearson(40, 0.45, 3, ALL), Settings { threads: Some(threads), ..warm(&first) });
        (report.x, report.lower_bound.to_bits(), report.counts)
    };
    assert_eq!(run(1), run(2));
}
