//! The baselines keep what their theories promise, on instances with known solutions.

use crate::random;
use crate::sums as planted;

use planted::Planted;
use random::Random;
use std::sync::Arc;
use ufcm::component::{Custom, Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::baseline::{
    AcgdS, AcgdSParameters, IdealGradient, PrimalDualBacktracking, PrimalDualParameters,
    SwitchingSubgradient, UniversalFastGradient,
};
use ufcm::method::{Ufcm, UfcmParameters};
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, L1, Ridge};
use ufcm::theory::measure::optimality;
use ufcm::theory::promise::{Balance, Distances, smooth};

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn row_values(problem: &Problem, x: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; problem.rows()];
    problem.mapping().values(x, &mut values).expect("finite");
    values
}

/// sum of |x_i - b_i|
fn absolute_deviations(b: Vec<f64>) -> Custom {
    let evaluate = move |x: &[f64], gradient: Option<&mut [f64]>| {
        if let Some(gradient) = gradient {
            for ((g, x), b) in gradient.iter_mut().zip(x).zip(&b) {
                *g = if x == b { 0.0 } else { (x - b).signum() };
            }
        }
        Ok(x.iter().zip(&b).map(|(x, b)| (x - b).abs()).sum())
    };
    Custom::new(3, evaluate).expect("three variables")
}

/// (x - b)'D(x - b)/2 + |x - b|^2/2 as a sum of two rows, + |x|_1; with its solution, least value and L.
fn lasso(seed: u64) -> (Problem, Vec<f64>, f64, f64) {
    let mut random = Random::new(seed);
    let (n, b) = (8, random.vector(8, 2.0));
    let d = random.positive(n, 0.01, 9.0);
    let row = |d: &[f64]| {
        let linear = d.iter().zip(&b).map(|(d, b)| -d * b).collect();
        Arc::new(Quadratic::diagonal(d.to_vec()).and_then(|q| q.with_linear(linear)).expect("convex"))
    };
    let terms: Vec<Arc<dyn Component>> = vec![row(&d), row(&vec![1.0; n])];
    let problem = Problem::over(n).plus(Term::sum(terms)).regularised_by(L1::new(1.0).expect("positive"));
    let problem = problem.build().expect("convex");
    // Coordinate by coordinate: (d + 1)/2 x^2 - (d + 1) b x + |x|.
    let shrunk = |(d, b): (&f64, &f64)| b.signum() * (b.abs() - 1.0 / (d + 1.0)).max(0.0);
    let x: Vec<f64> = d.iter().zip(&b).map(shrunk).collect();
    let value = problem.value(&x).expect("finite");
    (problem, x, value, d.iter().copied().fold(0.0, f64::max) + 1.0)
}

#[test]
fn universal_fast_gradient_keeps_nesterovs_bound_for_smooth_sums() {
    for seed in 0..5 {
        let (problem, solution, least, l) = lasso(seed);
        let (eps, l0) = (1e-9, 1e-3);
        let mut method = UniversalFastGradient::new(&problem, &[3.0; 8], eps, l0).expect("a sum");
        let square = distance(&[3.0; 8], &solution).powi(2);
        for k in 1..=300 {
            method.step().expect("finite");
            let gap = problem.value(method.x()).expect("finite") - least;
            assert!(gap <= 0.5 * square / method.weight_sum() + 0.5 * eps, "seed {seed}, step {k}: {gap:e}");
            let k = f64::from(k);
            assert!(method.weight_sum() >= k * k / (8.0 * l), "seed {seed}: A_{k} = {}", method.weight_sum());
            // L_{k+1} = 2^(trials - 2) L_k, and the last trial's constant is at most 2 L.
            let trials = 2.0 * k + (method.l() / l0).log2();
            assert_eq!((method.gradients() as f64, method.values() as f64), (trials, trials));
            assert!(method.l() <= l);
        }
    }
}

#[test]
fn universal_fast_gradient_keeps_nesterovs_bound_for_absolute_values() {
    let (b, eps) = (vec![0.3, -1.0, 0.2], 0.05);
    let problem = Problem::minimise(absolute_deviations(b.clone())).build().expect("convex");
    let square = dot(&b, &b);
    // Subgradients vary by at most 2 sqrt(3).
    let variation_square = 12.0;
    let mut method = UniversalFastGradient::new(&problem, &[0.0; 3], eps, 1.0).expect("a sum");
    let promised = (4.0 * variation_square * square / (eps * eps)).ceil() as usize;
    for k in 1..=promised {
        method.step().expect("finite");
        let gap = problem.value(method.x()).expect("finite");
        assert!(gap <= 0.5 * square / method.weight_sum() + 0.5 * eps, "step {k}: {gap}");
        assert!(method.weight_sum() >= eps * k as f64 / (4.0 * variation_square), "step {k}");
    }
    assert!(problem.value(method.x()).expect("finite") <= eps);
}

fn acgd_s_parameters(planted: &Planted, r: f64) -> AcgdSParameters {
    AcgdSParameters {
        smoothness: planted.smoothness.clone(),
        multipliers: planted.saddle.multipliers.clone(),
        r,
        d_x: distance(&[0.0; 6], &planted.saddle.x),
    }
}

#[test]
fn acgd_s_is_optimal_once_the_theorem_says_so() {
    for seed in 0..3 {
        let planted = planted::constraints(6, seed);
        let (eps, r) = (1e-3, 0.1);
        let parameters = acgd_s_parameters(&planted, r);
        let mut method = AcgdS::new(&planted.problem, &[0.0; 6], &parameters).expect("constraints");
        let balance = Balance::with_distances(method.l(), parameters.d_x, method.d_lambda());
        let at = Distances { d_x: parameters.d_x, d_lambda: method.d_lambda(), m: 0.0 };
        let promised = smooth(method.l(), eps, r, balance, at).gradients.ceil() as u64;
        assert!(promised < 2000, "{promised} steps say little");
        while method.gradients() < promised {
            method.step().expect("finite");
        }
        let reached = optimality(&planted.problem, method.average_x(), &planted.saddle, r).expect("finite");
        assert!(reached.eps() <= eps, "seed {seed}: {} after {promised} steps", reached.eps());
        assert!(method.inner_steps() >= method.gradients());
    }
}

#[test]
fn acgd_s_uses_the_largest_dualised_smoothness_near_the_multipliers() {
    let planted = planted::constraints(6, 7);
    let r = 0.3;
    let parameters = acgd_s_parameters(&planted, r);
    let method = AcgdS::new(&planted.problem, &[0.0; 6], &parameters).expect("constraints");
    let (smoothness, centre) = (&planted.smoothness, &planted.saddle.multipliers);
    let (mut random, mut largest) = (Random::new(8), 0.0f64);
    for _ in 0..20_000 {
        let step = random.vector(3, 1.0);
        let length = dot(&step, &step).sqrt();
        let near: Vec<f64> = (0..3).map(|j| (centre[j + 1] + r * step[j] / length).max(0.0)).collect();
        largest = largest.max(smoothness[0] + dot(&near, &smoothness[1..]));
    }
    assert!(largest <= method.l() && largest >= 0.999 * method.l(), "{largest} and {}", method.l());
    let l_ada = smoothness[0] + (1..4).map(|j| (centre[j] + r) * smoothness[j]).sum::<f64>();
    assert!(method.l() < l_ada);
    let d_lambda = (0.7f64.powi(2) + 1.5f64.powi(2)).sqrt() + r;
    assert!((method.d_lambda() - d_lambda).abs() < 1e-12);
}

#[test]
fn acgd_s_is_algorithm_1() {
    let planted = planted::constraints(6, 3);
    let parameters = acgd_s_parameters(&planted, 0.1);
    let mut method = AcgdS::new(&planted.problem, &[0.0; 6], &parameters).expect("constraints");
    let balance = Balance::with_distances(method.l(), parameters.d_x, method.d_lambda());
    let own = UfcmParameters { l_ada: method.l(), balance };
    let mut ufcm = Ufcm::new(&planted.problem, &[0.0; 6], &[1.0, 0.0, 0.0, 0.0], own).expect("valid");
    for _ in 0..20 {
        method.step().expect("finite");
        ufcm.step().expect("finite");
    }
    assert_eq!(method.x(), ufcm.x());
    assert_eq!(method.average_x(), ufcm.average_x());
    assert_eq!(method.inner_steps(), ufcm.inner_steps());
}

/// u(x) + <l, g(x)> - h*(l)
fn lagrangian(problem: &Problem, x: &[f64], l: &[f64]) -> f64 {
    dot(l, &row_values(problem, x)) - problem.composer().conjugate(l) + problem.regulariser().value(x)
}

/// Runs without restarts and holds the averages against the theorem at the saddle point and around it.
fn check_primal_dual_bound(problem: &Problem, saddle: (&[f64], &[f64]), start: &[f64], gamma: f64) {
    let x0 = vec![0.0; problem.dimension()];
    let parameters = PrimalDualParameters { tau: 100.0, gamma, restart: None };
    let mut method = PrimalDualBacktracking::new(problem, &x0, start, parameters).expect("valid");
    let mut random = Random::new(91);
    for k in 1..=400 {
        method.step().expect("finite");
        let (average_x, average_l) = (method.average_x(), method.average_multipliers());
        for _ in 0..3 {
            let x: Vec<f64> = saddle.0.iter().map(|x| x + random.within(-0.5, 0.5)).collect();
            // Between two points of the domain of h* there are only such points.
            let share = random.within(0.0, 1.0);
            let l: Vec<f64> =
                (0..start.len()).map(|j| saddle.1[j] + share * (start[j] - saddle.1[j])).collect();
            let gap = lagrangian(problem, average_x, &l) - lagrangian(problem, &x, average_l);
            let from_start = gamma * distance(&x, &x0).powi(2) + distance(&l, start).powi(2);
            let bound = from_start / (2.0 * method.weight_sum());
            assert!(gap <= bound + 1e-12, "step {k}: {gap} > {bound}");
        }
    }
    // tau grows by at most 1.62 a step, which 1.35 shrinkings undo; some 30 more undo the first tau.
    let gradients = method.gradients();
    assert!((401..=971).contains(&gradients), "{gradients} gradients in 400 steps");
}

/// Runs with restarts until x and l are within `accuracy` of the saddle point; returns the gradients that took.
fn primal_dual_gradients(problem: &Problem, saddle: (&[f64], &[f64]), start: &[f64], accuracy: f64) -> u64 {
    let x0 = vec![0.0; problem.dimension()];
    let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: Some(16) };
    let mut method = PrimalDualBacktracking::new(problem, &x0, start, parameters).expect("valid");
    for _ in 0..20_000 {
        method.step().expect("finite");
        if distance(method.x(), saddle.0).max(distance(method.multipliers(), saddle.1)) <= accuracy {
            break;
        }
    }
    let (x_gap, l_gap) = (distance(method.x(), saddle.0), distance(method.multipliers(), saddle.1));
    assert!(x_gap <= accuracy && l_gap <= accuracy, "x off by {x_gap:e}, multipliers by {l_gap:e}");
    method.gradients()
}

#[test]
fn primal_dual_backtracking_keeps_its_bound_and_converges_for_constraints() {
    for seed in 0..3 {
        let Planted { problem, saddle, .. } = planted::constraints(6, seed);
        let pair = (saddle.x.as_slice(), saddle.multipliers.as_slice());
        let start = [1.0, 0.0, 0.0, 0.0];
        check_primal_dual_bound(&problem, pair, &start, 2.0);
        let gradients = primal_dual_gradients(&problem, pair, &start, 1e-10);
        assert!(gradients < 3000, "{gradients}");
    }
}

#[test]
fn primal_dual_backtracking_keeps_its_bound_and_converges_for_max_and_log_sum_exp() {
    for planted in [planted::max(6, 11), planted::log_sum_exp(6, 0.2, 12)] {
        let Planted { problem, saddle, .. } = planted;
        let pair = (saddle.x.as_slice(), saddle.multipliers.as_slice());
        let start = [1.0, 1.0, 0.0, 0.0];
        check_primal_dual_bound(&problem, pair, &start, 0.5);
        let gradients = primal_dual_gradients(&problem, pair, &start, 1e-10);
        assert!(gradients < 3000, "{gradients}");
    }
}

/// min |x|^2/2 (as a regulariser) subject to x_0 + 2 x_1 = 1: (1, 2)/5 with multiplier -1/5.
fn equality() -> Problem {
    let row =
        Affine::new(Matrix::row_major(1, 2, vec![1.0, 2.0]).expect("a row"), vec![1.0]).expect("one target");
    let problem = Problem::over(2).subject_to(row.equal_to_zero());
    problem.regularised_by(Ridge::new(1.0).expect("positive")).build().expect("convex")
}

#[test]
fn primal_dual_backtracking_takes_equalities() {
    let problem = equality();
    let (x, l) = ([0.2, 0.4], [1.0, -0.2]);
    check_primal_dual_bound(&problem, (&x, &l), &[1.0, 0.0], 1.0);
    primal_dual_gradients(&problem, (&x, &l), &[1.0, 0.0], 1e-10);
}

#[test]
fn primal_dual_backtracking_accelerates_where_the_regulariser_is_strongly_convex() {
    // min |x|^2/2 subject to x_{i+1} - x_i = 1: so badly conditioned that x keeps moving.
    let (n, m) = (30, 29);
    let difference = |k: usize| match (k % n).wrapping_sub(k / n) {
        0 => -1.0,
        1 => 1.0,
        _ => 0.0,
    };
    let matrix = Matrix::row_major(m, n, (0..m * n).map(difference).collect()).expect("rows");
    let rows = Affine::new(matrix, vec![1.0; m]).expect("a target for each row");
    let problem = Problem::over(n).subject_to(rows.equal_to_zero());
    let problem = problem.regularised_by(Ridge::new(1.0).expect("positive")).build().expect("convex");
    let start: Vec<f64> = (0..=m).map(|j| if j == 0 { 1.0 } else { 0.0 }).collect();
    let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: None };
    let mut method = PrimalDualBacktracking::new(&problem, &[0.0; 30], &start, parameters).expect("valid");
    // O(1/k^2): sigma_k grows in proportion to k.
    let mut sum_after = |steps: usize| {
        (0..steps).for_each(|_| method.step().expect("finite"));
        method.weight_sum()
    };
    let (first, second) = (sum_after(200), sum_after(200));
    assert!(second >= 3.5 * first, "{first}, then {second}");
}

#[test]
fn primal_dual_backtracking_stays_at_a_solution_and_restarts_do_not_lead_away_from_it() {
    let problem = Problem::minimise(Quadratic::diagonal(vec![1.0]).expect("convex")).build().expect("convex");
    let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: None };
    let mut method = PrimalDualBacktracking::new(&problem, &[0.0], &[1.0], parameters).expect("valid");
    (0..3000).for_each(|_| method.step().expect("finite"));
    assert_eq!((method.x(), method.average_x()), ([0.0].as_slice(), [0.0].as_slice()));

    // min x^2/2 - 2x subject to x^2/2 <= 1/2: last iterates converge linearly here, averages only like 1/k.
    let objective = Quadratic::diagonal(vec![1.0]).and_then(|g| g.with_linear(vec![-2.0])).expect("convex");
    let constraint = Quadratic::diagonal(vec![1.0]).expect("convex").at_most(0.5);
    let problem = Problem::minimise(objective).subject_to(constraint).build().expect("convex");
    let parameters = PrimalDualParameters { tau: 1.0, gamma: 1.0, restart: Some(32) };
    let mut method = PrimalDualBacktracking::new(&problem, &[0.0], &[1.0, 0.0], parameters).expect("valid");
    for k in 1..=3000 {
        method.step().expect("finite");
        let error = (method.x()[0] - 1.0).abs().max((method.multipliers()[1] - 1.0).abs());
        assert!(k < 400 || error <= 1e-12, "step {k}: {error:e}");
    }
}

#[test]
fn switching_subgradient_keeps_its_bound() {
    // min sum |x_i - b_i| subject to x_0 + x_1 + x_2 <= 0.1 and |x|^2/2 <= 2 in a ball: moving down by 1.4 along any
    // coordinates costs 1.4.
    let b = vec![0.5, 0.4, 0.6];
    let (least, eps) = (1.4, 0.05);
    let problem = Problem::minimise(absolute_deviations(b))
        .subject_to(Linear::new(vec![1.0; 3], 0.0).expect("finite").at_most(0.1))
        .subject_to(Quadratic::diagonal(vec![1.0; 3]).expect("convex").at_most(2.0))
        .within(Ball::new(3.0))
        .build()
        .expect("convex");
    let start = [2.0, -1.0, 2.0];
    // (1/2, 2/5, -4/5) is a solution; gradients are at most 3 long in the ball.
    let square = distance(&start, &[0.5, 0.4, -0.8]).powi(2);
    let promised = (9.0 * square / (eps * eps)).floor() as u64 + 1;
    let mut method = SwitchingSubgradient::new(&problem, &start, eps).expect("constraints");
    assert!(method.best_x().is_none() && method.average_x().is_none());
    (0..promised).for_each(|_| method.step().expect("finite"));
    for x in [method.best_x(), method.average_x()] {
        let values = row_values(&problem, x.expect("a productive step"));
        assert!(values[0] <= least + eps, "{values:?}");
        assert!(values[1] <= eps && values[2] <= eps, "{values:?}");
    }
    assert!(method.gradients() == promised && method.productive() < promised);
}

#[test]
fn switching_subgradient_steps_along_what_is_due() {
    let linear = |slope: [f64; 2]| Linear::new(slope.to_vec(), 0.0).expect("finite");
    let problem = Problem::minimise(linear([0.0, 2.0]))
        .subject_to(linear([1.0, 0.0]).at_most(0.0))
        .subject_to(linear([3.0, 4.0]).at_most(0.0))
        .build()
        .expect("convex");
    let moved = |start: [f64; 2]| {
        let mut method = SwitchingSubgradient::new(&problem, &start, 0.5).expect("constraints");
        method.step().expect("finite");
        (method.x()[0] - start[0], method.x()[1] - start[1], method.productive())
    };
    let near = |(a, b, k): (f64, f64, u64), (c, d, l): (f64, f64, u64)| {
        assert!((a - c).abs() < 1e-15 && (b - d).abs() < 1e-15 && k == l, "{:?}", (a, b, k));
    };
    // The most violated row, eps/|slope|^2 far; within eps of feasibility, the objective.
    near(moved([1.0, 1.0]), (-0.5 * 3.0 / 25.0, -0.5 * 4.0 / 25.0, 0));
    near(moved([1.0, -0.75]), (-0.5, 0.0, 0));
    near(moved([0.1, 0.0]), (0.0, -0.25, 1));
}

#[test]
fn switching_subgradient_stops_at_a_minimiser_and_notices_that_there_is_none() {
    let problem = Problem::minimise(absolute_deviations(vec![0.5; 3]))
        .subject_to(Linear::new(vec![1.0; 3], 0.0).expect("finite").at_most(2.0))
        .build()
        .expect("convex");
    let mut method = SwitchingSubgradient::new(&problem, &[0.5; 3], 0.1).expect("constraints");
    (0..3).for_each(|_| method.step().expect("finite"));
    assert_eq!((method.gradients(), method.average_x()), (1, Some([0.5; 3].as_slice())));
    let problem = Problem::minimise(absolute_deviations(vec![0.5; 3]))
        .subject_to(Quadratic::diagonal(vec![1.0; 3]).expect("convex").at_most(-1.0).named("energy"))
        .build()
        .expect("convex");
    let mut method = SwitchingSubgradient::new(&problem, &[0.0; 3], 0.1).expect("constraints");
    let message = method.step().expect_err("infeasible").to_string();
    assert!(message.contains("energy"), "{message}");
}

#[test]
fn ideal_gradient_keeps_fistas_rate() {
    let all = [planted::constraints(6, 21), planted::max(6, 22), planted::log_sum_exp(6, 0.2, 23)];
    for Planted { problem, saddle, smoothness } in &all {
        let l = dot(&saddle.multipliers, smoothness);
        let square = dot(&saddle.x, &saddle.x);
        let dualised = |x: &[f64]| dot(&saddle.multipliers, &row_values(problem, x));
        let least = dualised(&saddle.x);
        let mut method =
            IdealGradient::new(problem, &[0.0; 6], &saddle.multipliers, l).expect("in the domain");
        for k in 1..=200 {
            method.step().expect("finite");
            let bound = 2.0 * l * square / f64::powi(f64::from(k) + 1.0, 2);
            assert!(dualised(method.x()) - least <= bound + 1e-14, "step {k}");
        }
        assert_eq!((method.gradients(), method.values()), (200, 0));
    }
}

#[test]
fn restarts_make_the_ideal_gradient_monotone_and_linear() {
    let Planted { problem, saddle, smoothness } = planted::constraints(6, 24);
    let l = dot(&saddle.multipliers, &smoothness);
    let dualised = |x: &[f64]| dot(&saddle.multipliers, &row_values(&problem, x));
    let new = || IdealGradient::new(&problem, &[0.0; 6], &saddle.multipliers, l).expect("in the domain");
    let (mut plain, mut restarting) = (new(), new().restarting());
    let (mut before, mut increases) = (f64::INFINITY, 0);
    for _ in 0..150 {
        let plain_before = dualised(plain.x());
        plain.step().expect("finite");
        increases += usize::from(dualised(plain.x()) > plain_before);
        restarting.step().expect("finite");
        let value = dualised(restarting.x());
        assert!(value <= before);
        before = value;
    }
    assert!(increases > 0, "an instance on which momentum never overshoots shows nothing");
    assert!(distance(restarting.x(), &saddle.x) <= 1e-7);
    assert_eq!((restarting.gradients(), restarting.values()), (150, 150));
}

fn refused<T>(made: Result<T, ufcm::error::DataError>, word: &str) {
    let message = made.err().expect("wrong data").to_string();
    assert!(message.contains(word), "`{message}` does not speak of `{word}`");
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    let (sum, ..) = lasso(31);
    let x = [0.0; 8];
    refused(UniversalFastGradient::new(&sum, &x, 0.0, 1.0), "eps is 0");
    refused(UniversalFastGradient::new(&sum, &x, 1.0, f64::NAN), "L0 is NaN");
    refused(UniversalFastGradient::new(&sum, &[0.0; 7], 1.0, 1.0), "x0 has length 7");
    refused(SwitchingSubgradient::new(&sum, &x, -1.0), "eps is -1");

    let planted = planted::constraints(6, 32);
    let (problem, x, saddle) = (&planted.problem, [0.0; 6], &planted.saddle);
    let acgd_s = |change: &dyn Fn(&mut AcgdSParameters)| {
        let mut parameters = acgd_s_parameters(&planted, 0.1);
        change(&mut parameters);
        AcgdS::new(problem, &x, &parameters)
    };
    assert!(acgd_s(&|_| ()).is_ok());
    refused(acgd_s(&|p| p.r = 0.0), "r is 0");
    refused(acgd_s(&|p| p.d_x = f64::INFINITY), "D_x is inf");
    refused(acgd_s(&|p| p.smoothness[2] = -1.0), "L[2] is -1");
    refused(acgd_s(&|p| p.smoothness.truncate(3)), "L has length 3");
    refused(acgd_s(&|p| p.smoothness.fill(0.0)), "L(Lambda_r) is 0");
    refused(acgd_s(&|p| p.multipliers[1] = -1.0), "lambda*");
    refused(acgd_s(&|p| p.multipliers[0] = 2.0), "lambda*");

    refused(IdealGradient::new(problem, &x, &saddle.multipliers, 0.0), "L is 0");
    refused(IdealGradient::new(problem, &x, &[0.0; 4], 1.0), "lambda* lies outside");
    refused(IdealGradient::new(problem, &[f64::NAN; 6], &saddle.multipliers, 1.0), "x0[0] is NaN");

    let primal_dual = |tau, gamma, restart, multipliers: &[f64]| {
        let parameters = PrimalDualParameters { tau, gamma, restart };
        PrimalDualBacktracking::new(problem, &x, multipliers, parameters)
    };
    refused(primal_dual(0.0, 1.0, None, &saddle.multipliers), "tau is 0");
    refused(primal_dual(1.0, f64::NAN, None, &saddle.multipliers), "gamma is NaN");
    refused(primal_dual(1.0, 1.0, Some(0), &saddle.multipliers), "restart");
    refused(primal_dual(1.0, 1.0, None, &[1.0, -1.0, 0.0, 0.0]), "lambda0 lies outside");
}

#[test]
fn problems_of_another_form_are_refused_by_name() {
    let (sum, ..) = lasso(33);
    let constrained = planted::constraints(6, 34);
    let max = planted::max(6, 35);
    refused(UniversalFastGradient::new(&constrained.problem, &[0.0; 6], 1.0, 1.0), "nonpositive");
    refused(
        UniversalFastGradient::new(&max.problem, &[0.0; 6], 1.0, 1.0),
        "term 1[0] stands under the composer max",
    );
    refused(AcgdS::new(&max.problem, &[0.0; 6], &acgd_s_parameters(&max, 0.1)), "composer max");
    refused(SwitchingSubgradient::new(&max.problem, &[0.0; 6], 1.0), "composer max");
    refused(SwitchingSubgradient::new(&equality(), &[0.0; 2], 1.0), "equality");
    refused(SwitchingSubgradient::new(&sum, &[0.0; 8], 1.0), "more than the indicator");
    let ball = Problem::over(2).within(Ball::new(1.0)).build().expect("convex");
    refused(SwitchingSubgradient::new(&ball, &[2.0, 0.0], 1.0), "x0 lies outside");
    assert!(SwitchingSubgradient::new(&ball, &[0.5, 0.0], 1.0).is_ok());
}
