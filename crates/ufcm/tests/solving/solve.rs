//! The default solver as a user meets it: certified answers, every status, limits, observers, warm starts, and oracles that
//! misbehave.

use crate::planted;

use planted::{COMPOSITIONS, Random, uniform_instance};
use std::sync::Arc;
use ufcm::component::{
    ComponentExt, Custom, LeastSquares, Linear, LogSumExp, Logistic, Power, Quadratic, Reduction,
};
use ufcm::composer::{L1Norm, Max, Nonpositive, Quantile, Stacked};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, OracleError};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds, L1, Ridge, Simplex};
use ufcm::report::{Control, Report, Status, Trouble};
use ufcm::settings::{MethodRule, Settings};

/// A certified report proves what it says: its certificate verifies, and the bounds enclose.
fn check_certified(problem: &Problem, report: &Report, label: &str) {
    assert_eq!(
        report.status,
        Status::Certified,
        "{label}: {} {} {:?} {:?}",
        report.objective,
        report.lower_bound,
        report.counts,
        report.trouble
    );
    assert!(report.violation <= 1e-6, "{label}");
    assert!(report.gap_rel() <= 1.1e-6, "{label}: {}", report.gap_rel());
    let verified =
        report.certificate.as_ref().expect("a certificate").verify(problem).expect("a sound certificate");
    assert!(verified.lower >= report.lower_bound - 1e-9 * (1.0 + report.lower_bound.abs()), "{label}");
    // Where nothing is curved the first subproblem is the whole problem; a smooth h takes a few more.
    assert!(report.counts.newton_steps <= 10 * report.counts.gradients + 200, "{label}: {:?}", report.counts);
}

#[test]
fn planted_instances_are_certified_for_every_composer() {
    for composition in COMPOSITIONS {
        for convexity in [None, Some((0.5, 1.0))] {
            let instance = uniform_instance(composition, 1.0, convexity, 61);
            let report = instance.problem.solve(&Settings::default()).unwrap();
            let label = format!("{composition:?}, {convexity:?}");
            check_certified(&instance.problem, &report, &label);
            let value = instance.saddle.value;
            assert!(report.lower_bound <= value + 1e-9, "{label}: {} above {value}", report.lower_bound);
            assert!(report.objective - value <= 2e-6 * (1.0 + value.abs()), "{label}");
            // Without strong convexity the curvatures spread over six decades: the order 1/sqrt(eps) is what there is.
            let most = if convexity.is_some() { 150 } else { 5000 };
            assert!(report.counts.gradients <= most, "{label}: {:?}", report.counts);
        }
    }
}

/// A quadratically constrained problem like those of the measured suite.
fn qcqp(n: usize, m: usize, seed: u64) -> Problem {
    let mut random = Random(seed);
    let mut row = |j: usize| {
        let k = if j > 0 && j.is_multiple_of(3) { (n / 10).max(1) } else { n };
        let decay: f64 = if j == 0 { -2.0 } else { -1.0 };
        let mut factor = Vec::with_capacity(k * n);
        for i in 0..k {
            let scale = 10f64.powf(decay * i as f64 / k as f64 / 2.0) * (3.0 / n as f64).sqrt();
            factor.extend((0..n).map(|_| scale * random.uniform()));
        }
        let slope = random.vector(n, if j == 0 { 5.0 } else { 1.0 });
        let factor = Matrix::row_major(k, n, factor).unwrap();
        Quadratic::factored(factor, None).unwrap().with_linear(slope).unwrap()
    };
    let builder = Problem::minimise(row(0));
    let builder = (1..=m).fold(builder, |builder, j| builder.subject_to(row(j).at_most(1.5)));
    builder.within(Bounds::new(-10.0, 10.0).unwrap()).build().unwrap()
}

/// Logistic loss on one class, bounded on the other, with columns of different scales.
fn neyman_pearson(rows: usize, n: usize, seed: u64) -> Problem {
    let mut random = Random(seed);
    let direction = random.vector(n, 3.0);
    let (mut one, mut zero) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut row: Vec<f64> =
            (0..n).map(|j| 2.0 * random.uniform() * 10f64.powf(-2.0 * j as f64 / n as f64)).collect();
        row[0] = 1.0;
        let score: f64 = row.iter().zip(&direction).map(|(a, b)| a * b).sum();
        let class = if score + 2.0 * random.uniform() > 0.0 { &mut one } else { &mut zero };
        class.extend(row);
    }
    let loss = |data: Vec<f64>, label: f64| {
        let count = data.len() / n;
        Logistic::new(Matrix::row_major(count, n, data).unwrap(), &vec![label; count]).unwrap()
    };
    Problem::minimise(loss(one, 1.0))
        .subject_to(loss(zero, -1.0).at_most(0.4).named("false alarms"))
        .within(Ball::new(10.0))
        .build()
        .unwrap()
}

#[test]
fn the_usual_problems_take_few_gradients() {
    // The bounds are those of the measured suite (method.md, section 4) for solutions, twice for certificates.
    for (label, problem, most) in [
        ("qcqp 60/6", qcqp(60, 6, 1), 90),
        ("qcqp 150/10", qcqp(150, 10, 2), 90),
        ("neyman-pearson 2000 x 30", neyman_pearson(2000, 30, 3), 60),
    ] {
        let report = problem.solve(&Settings::default()).unwrap();
        check_certified(&problem, &report, label);
        assert!(report.counts.gradients <= most, "{label}: {:?}", report.counts);
        assert!(report.counts.newton_steps <= 3 * report.counts.gradients, "{label}: {:?}", report.counts);
    }
}

#[test]
fn other_forms_are_certified_too() {
    let mut random = Random(8);
    let (rows, n) = (40, 8);
    let data = random.vector(rows * n, (rows * n) as f64 / 4.0);
    let targets = random.vector(rows, 5.0);
    let matrix = Arc::new(Matrix::row_major(rows, n, data).unwrap());
    let affine = || Affine::new(matrix.clone(), targets.clone()).unwrap();
    let least_squares = || LeastSquares::new(matrix.clone(), targets.clone()).unwrap();
    let problems = [
        (
            "l1 regression",
            Problem::over(n)
                .plus(Term::affine(L1Norm::new(vec![1.0; rows]).unwrap(), affine()))
                .within(Ball::new(20.0)),
        ),
        (
            "quantile regression",
            Problem::over(n)
                .plus(Term::affine(Quantile::new(rows, 0.3, 1.0).unwrap(), affine()))
                .within(Ball::new(20.0)),
        ),
        ("lasso, level set", Problem::minimise(least_squares()).regularised_by(L1::new(0.05).unwrap())),
        ("ridge", Problem::minimise(least_squares()).regularised_by(Ridge::new(0.01).unwrap())),
        ("simplex", Problem::minimise(least_squares()).within(Simplex::new(1.0).unwrap())),
        (
            "linear program",
            Problem::minimise(Linear::new(random.vector(n, 1.0), 0.0).unwrap())
                .subject_to(Affine::new(matrix.clone(), vec![1.0; rows]).unwrap().at_most_zero())
                .within(Bounds::new(-3.0, 3.0).unwrap()),
        ),
    ];
    for (label, builder) in problems {
        let problem = builder.build().unwrap();
        let report = problem.solve(&Settings { max_gradients: Some(3000), ..Settings::default() }).unwrap();
        check_certified(&problem, &report, label);
    }
}

#[test]
fn without_a_bound_the_status_says_so_and_a_radius_helps() {
    // Flat in one direction, and no loss of 0: neither curvature nor the loss's own bound proves anything.
    let data = Matrix::row_major(3, 2, vec![0.3, 0.7, 0.6, 1.4, 0.9, 2.1]).unwrap();
    let problem = Problem::minimise(LeastSquares::new(data, vec![0.1, 1.0, -0.4]).unwrap()).build().unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Solved);
    assert_eq!(report.lower_bound, f64::NEG_INFINITY);
    // t = 0.3 x_0 + 0.7 x_1 with 14 t = 0.1 + 2.0 - 1.2
    assert!((0.3 * report.x[0] + 0.7 * report.x[1] - 0.9 / 14.0).abs() < 1e-5, "{:?}", report.x);
    let settings = Settings { radius: Some(10.0), ..Settings::default() };
    let report = problem.solve(&settings).unwrap();
    assert_eq!(report.status, Status::Certified);
    assert!(report.certificate.unwrap().premise.to_string().contains("within 1e1"));
}

#[test]
fn infeasible_and_unbounded_problems_are_told() {
    let apart = Problem::minimise(Quadratic::diagonal(vec![1.0, 1.0]).unwrap())
        .subject_to(Linear::new(vec![1.0, 1.0], 0.0).unwrap().at_most(-1.0))
        .subject_to(Linear::new(vec![-1.0, -1.0], 0.0).unwrap().at_most(-1.0))
        .within(Ball::new(10.0))
        .build()
        .unwrap();
    let report = apart.solve(&Settings { max_gradients: Some(500), ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::Infeasible, "{report:?}");
    assert!(report.infeasibility.unwrap().verify(&apart).unwrap() > 0.0);
    let curved = Problem::minimise(Linear::new(vec![1.0, 0.0], 0.0).unwrap())
        .subject_to(Quadratic::diagonal(vec![2.0, 2.0]).unwrap().at_most(1.0))
        .subject_to(Linear::new(vec![0.0, 1.0], 0.0).unwrap().at_most(-2.0))
        .within(Ball::new(10.0))
        .build()
        .unwrap();
    let report = curved.solve(&Settings { max_gradients: Some(500), ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::Infeasible, "{report:?}");
    let falling = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap()).build().unwrap();
    let floor = Settings { objective_floor: -1e6, ..Settings::default() };
    assert_eq!(falling.solve(&floor).unwrap().status, Status::Unbounded, "a proof says more than the floor");
    let steps = Settings { method: MethodRule::Adaptive, ..floor };
    assert_eq!(falling.solve(&steps).unwrap().status, Status::BelowFloor);
}

#[test]
fn constraints_inside_a_stack_are_no_part_of_the_objective() {
    // max(-x) subject to x - 1 <= 0, written as one composer: the answer is 1, the value -1.
    let stack = Stacked::new(vec![Box::new(Max::new(1).unwrap()), Box::new(Nonpositive::new(1))]);
    let rows: Vec<Arc<dyn Component>> = vec![
        Arc::new(Linear::new(vec![-1.0], 0.0).unwrap()),
        Arc::new(Linear::new(vec![1.0], -1.0).unwrap()),
    ];
    let problem = Problem::over(1)
        .plus(Term::new(stack, rows))
        .within(Bounds::new(-2.0, 2.0).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    check_certified(&problem, &report, "a stack");
    assert!((report.objective + 1.0).abs() < 1e-5, "{report:?}");
}

#[test]
fn a_strictly_feasible_point_gives_a_true_upper_bound() {
    // An ellipse approached from outside: the method's points violate the constraint to the end.
    let problem = Problem::minimise(Linear::new(vec![1.0, 0.3], 0.0).unwrap())
        .subject_to(Quadratic::diagonal(vec![2.0, 1.0]).unwrap().at_most(1.0))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap();
    let settings = Settings { x0: Some(vec![4.0, 4.0]), ..Settings::default() };
    let value = -f64::sqrt(1.0 + 2.0 * 0.09);
    let without = problem.solve(&settings).unwrap();
    let with = problem.solve(&Settings { interior: Some(vec![0.0, 0.0]), ..settings }).unwrap();
    // Given, met on the way or found beside the answer: there is a point inside, and the bounds enclose.
    for report in [with, without] {
        assert!(report.violation > 0.0, "{report:?}");
        assert!(report.lower_bound <= value && value <= report.upper_bound, "{report:?}");
        assert!(report.upper_bound <= value + 1e-5, "{report:?}");
        assert_eq!(problem.violation(&report.feasible.unwrap().x).unwrap(), 0.0);
    }
}

#[test]
fn an_infimum_that_no_point_attains_is_certified_by_what_the_loss_says_of_itself() {
    // Separable data, and nothing that keeps x from growing.
    let data = Matrix::row_major(3, 2, vec![1.0, 0.5, 2.0, 0.1, -1.0, 0.3]).unwrap();
    let problem = Problem::minimise(Logistic::new(data, &[1.0, 1.0, -1.0]).unwrap()).build().unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    check_certified(&problem, &report, "a loss that is not negative");
    assert!(report.objective <= 1.1e-6 && report.lower_bound <= 0.0, "{report:?}");
    // A constraint has no part in it, and its multiplier says so.
    let data = Matrix::row_major(3, 2, vec![1.0, 0.5, 2.0, 0.1, -1.0, 0.3]).unwrap();
    let bounded = Problem::minimise(Logistic::new(data, &[1.0, 1.0, -1.0]).unwrap())
        .subject_to(Linear::new(vec![-1.0, 0.0], 0.0).unwrap().at_most(-1.0))
        .build()
        .unwrap();
    let told = bounded.solve(&Settings::default()).unwrap();
    check_certified(&bounded, &told, "with a constraint");
    assert_eq!(told.multipliers, [1.0, 0.0]);
    // The certificate claims no more than that.
    let mut certificate = report.certificate.unwrap();
    assert!(certificate.witnesses.is_empty());
    certificate.lower = 1e-9;
    assert!(certificate.verify(&problem).is_err());
}

#[test]
fn a_premise_that_the_answer_disproves_is_told() {
    // The solution is 3 away from the start.
    let problem = Problem::minimise(
        Quadratic::diagonal(vec![1.0]).unwrap().plus(Linear::new(vec![-3.0], 0.0).unwrap()).unwrap(),
    );
    let problem = problem.build().unwrap();
    let within = |radius| problem.solve(&Settings { radius: Some(radius), ..Settings::default() }).unwrap();
    let report = within(1.0);
    assert_eq!(report.status, Status::NumericalError, "{report:?}");
    assert!(matches!(report.trouble, Some(Trouble::RadiusTooSmall { .. })), "{report:?}");
    assert!(report.lower_bound == f64::NEG_INFINITY && report.certificate.is_none());
    let report = within(4.0);
    assert_eq!(report.status, Status::Certified);
    assert!(report.lower_bound <= -4.5 && report.upper_bound >= -4.5);
}

#[test]
fn two_sided_rows_and_domains_have_upper_bounds_too() {
    // A vertex of rows and of the box; the second row holds from below.
    let rows =
        Affine::new(Matrix::row_major(2, 3, vec![1.0, 1.0, 1.0, 1.0, -1.0, 0.5]).unwrap(), vec![0.0; 2])
            .unwrap();
    let problem = Problem::minimise(Linear::new(vec![-1.0, -0.7, -3.0], 0.0).unwrap())
        .subject_to(rows.between(vec![-1.0, 0.3], vec![1.0, 0.8]))
        .within(Bounds::new(0.0, 0.6).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings { x0: Some(vec![0.6; 3]), ..Settings::default() }).unwrap();
    check_certified(&problem, &report, "two-sided rows");
    assert!(report.upper_bound <= report.lower_bound + 1e-5, "{report:?}");
}

#[test]
fn limits_and_observers_stop_a_run_and_keep_the_best_point() {
    let problem = qcqp(60, 6, 1);
    let report = problem.solve(&Settings { max_gradients: Some(5), ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::IterationLimit);
    assert_eq!(report.counts.gradients, 5, "a limit is not exceeded, not even by the attempts of one step");
    assert!(report.objective.is_finite() && report.lower_bound <= report.objective.max(0.0));
    let report = problem.solve(&Settings { time_limit: Some(1e-9), ..Settings::default() }).unwrap();
    assert_eq!((report.status, report.counts.steps), (Status::TimeLimit, 0));
    let mut seen = Vec::new();
    let mut observer = |progress: &ufcm::report::Progress<'_>| {
        seen.push(progress.record);
        if seen.len() == 4 { Control::Stop } else { Control::Continue }
    };
    let report = problem.solve_observed(&Settings::default(), &mut observer).unwrap();
    assert_eq!((report.status, report.counts.steps, seen.len()), (Status::Interrupted, 4, 4));
    assert_eq!(report.history, seen);
    assert!(seen.windows(2).all(|pair| pair[0].lower_bound <= pair[1].lower_bound), "bounds never get worse");
    for (settings, field) in [
        (Settings { eps_rel: -1.0, ..Settings::default() }, "eps_rel"),
        (Settings { time_limit: Some(f64::NAN), ..Settings::default() }, "time_limit"),
        (Settings { threads: Some(0), ..Settings::default() }, "threads"),
        (Settings { x0: Some(vec![0.0; 3]), ..Settings::default() }, "x0 has length 3; expected 60"),
    ] {
        let message = problem.solve(&settings).unwrap_err().to_string();
        assert!(message.contains(field), "{message}");
    }
}

#[test]
fn warm_starts_save_gradients() {
    let problem = neyman_pearson(500, 10, 5);
    let cold = problem.solve(&Settings::default()).unwrap();
    let settings = Settings {
        x0: Some(cold.x.clone()),
        multipliers0: Some(cold.multipliers.clone()),
        ..Settings::default()
    };
    let warm = problem.solve(&settings).unwrap();
    assert_eq!(warm.status, Status::Certified);
    assert!(warm.counts.gradients < cold.counts.gradients, "{:?} and {:?}", warm.counts, cold.counts);
}

/// At an active constraint the row is 0 up to rounding, which must not pass for nonconvexity.
#[test]
fn a_warm_start_at_the_solution_is_no_trouble() {
    for seed in 0..5 {
        let problem = neyman_pearson(200, 6, seed);
        let first = problem.solve(&Settings::default()).unwrap();
        let settings = Settings {
            x0: Some(first.x.clone()),
            multipliers0: Some(first.multipliers.clone()),
            ..Settings::default()
        };
        let again = problem.solve(&settings).unwrap();
        assert_eq!(again.status, Status::Certified, "{seed}: {:?}", again.trouble);
        assert!(again.counts.gradients <= first.counts.gradients, "{seed}: {:?}", again.counts);
    }
}

/// Where nothing bounds the optimum, the multipliers are those of the point that is stationary.
#[test]
fn multipliers_of_a_solved_problem_belong_to_its_point() {
    // min |x - 2|^2 over R^5 subject to log sum exp(x_i) <= 1: x_i = 1 - log 5, l = 10 (2 - x_i).
    let n = 5;
    let identity: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect();
    let matrix = Matrix::row_major(n, n, identity).unwrap();
    let objective = Quadratic::diagonal(vec![2.0; n]).unwrap().with_linear(vec![-4.0; n]).unwrap();
    let problem = Problem::minimise(objective)
        .subject_to(LogSumExp::new(matrix, vec![0.0; n]).unwrap().at_most(1.0))
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert!(report.status.is_success(), "{}", report.status);
    let exact = 10.0 * (1.0 + 5f64.ln());
    assert!((report.multipliers[1] - exact).abs() <= 1e-3 * exact, "{} {exact}", report.multipliers[1]);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let problem = neyman_pearson(6000, 40, 6);
    let run = |threads: usize| {
        let report = problem.solve(&Settings { threads: Some(threads), ..Settings::default() }).unwrap();
        (report.x, report.lower_bound.to_bits(), report.counts)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn oracles_that_misbehave_have_a_defined_answer() {
    let failing = |kind: &'static str, after: usize| {
        let calls = std::sync::atomic::AtomicUsize::new(0);
        let oracle = Custom::new(2, move |x, gradient| {
            let call = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let broken = call >= after;
            if let Some(gradient) = gradient {
                gradient.copy_from_slice(&[x[0] - 3.0, 2.0 * x[1]]);
                if broken && kind == "gradient" {
                    gradient[1] = f64::NAN;
                }
            }
            match (broken, kind) {
                (true, "panic") => panic!("gave up"),
                (true, "error") => Err(OracleError::failed("gave up")),
                (true, "value") => Ok(f64::NAN),
                _ => Ok(0.5 * (x[0] - 3.0).powi(2) + x[1] * x[1]),
            }
        });
        Problem::minimise(Linear::new(vec![0.0, 0.1], 0.0).unwrap())
            .subject_to(oracle.unwrap().at_most(1.0))
            .within(Ball::new(10.0))
            .build()
            .unwrap()
    };
    for kind in ["panic", "error", "value", "gradient"] {
        let report = failing(kind, 7)
            .solve(&Settings { eps_rel: 1e-12, eps_abs: 0.0, ..Settings::default() })
            .unwrap();
        assert_eq!(report.status, Status::NumericalError, "{kind}");
        let trouble = report.trouble.expect("a reason").to_string();
        assert!(trouble.contains("row 1"), "{kind}: {trouble}");
        assert!(report.x.iter().all(|x| x.is_finite()), "{kind}");
        let fault = report.fault.expect("where it happened");
        assert_eq!((fault.row.as_str(), fault.step), ("constraint 1", report.counts.steps + 1), "{kind}");
        assert_eq!(fault.point.len(), 2);
    }
    let concave = Custom::new(1, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient[0] = -2.0 * x[0];
        }
        Ok(-x[0] * x[0])
    });
    let problem =
        Problem::minimise(concave.unwrap()).within(Bounds::new(-1.0, 2.0).unwrap()).build().unwrap();
    let report = problem.solve(&Settings { x0: Some(vec![0.5]), ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::NumericalError, "{report:?}");
    assert!(matches!(report.trouble, Some(Trouble::NotConvex { .. })), "{:?}", report.trouble);
    assert_eq!(report.lower_bound, f64::NEG_INFINITY, "nothing is called proven afterwards");
}

#[test]
fn max_of_mixed_pieces() {
    let n = 50;
    let mut random = Random(12);
    let mut piece = |j: usize| -> Arc<dyn Component> {
        if j.is_multiple_of(2) {
            let diagonal: Vec<f64> = (0..n).map(|i| 10f64.powf(-2.0 * i as f64 / n as f64)).collect();
            let g = Quadratic::diagonal(diagonal).unwrap().with_linear(random.vector(n, 3.0)).unwrap();
            return Arc::new(g.with_constant(10.0).unwrap());
        }
        // The kinks lie far out: on a kink a black box is as hard as any Lipschitz function.
        let matrix = Matrix::row_major(5, n, random.vector(5 * n, 1.0)).unwrap();
        let g = Power::new(matrix, vec![20.0; 5], 1.0).unwrap().reduced_by(Reduction::Sum);
        Arc::new(g.shifted(-90.0).unwrap())
    };
    let pieces: Vec<Arc<dyn Component>> = (0..6).map(&mut piece).collect();
    let problem =
        Problem::over(n).plus(Term::max(pieces)).within(Bounds::new(-10.0, 10.0).unwrap()).build().unwrap();
    let report = problem.solve(&Settings { max_gradients: Some(1000), ..Settings::default() }).unwrap();
    check_certified(&problem, &report, "max of 6");
    assert!(report.counts.gradients <= 450, "{:?}", report.counts);
}

#[test]
fn settings_reports_and_certificates_survive_json() {
    let problem = qcqp(20, 2, 3);
    let settings = Settings { max_gradients: Some(40), x0: Some(vec![0.1; 20]), ..Settings::default() };
    let written = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&written).unwrap(), settings);
    assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
    let message = serde_json::from_str::<Settings>(r#"{"eps_real": 1e-6}"#).unwrap_err().to_string();
    assert!(message.contains("eps_real") && message.contains("eps_rel"), "{message}");
    // One step in, nothing is proven yet: -inf must survive too.
    for settings in [settings, Settings { max_gradients: Some(1), ..Settings::default() }] {
        let report = problem.solve(&settings).unwrap();
        let read: Report = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
        assert_eq!(read, report);
        read.certificate.unwrap().verify(&problem).unwrap();
    }
    let message = serde_json::from_str::<ufcm::report::Record>(r#"{"seconds": 0, "objective": "low"}"#);
    assert!(message.unwrap_err().to_string().contains("\"low\" is no number"));
}
