//! Algorithm 2 (R-UFCM) against a straight transcription, and its distances D_x^(k), D_lambda^(k) against the true ones, in all four
//! cases of table 1 and with rows of exponents p < 1.

use crate::literal;
use crate::planted;

use literal::{Literal, literal};
use planted::{COMPOSITIONS, Composition, Instance, mixed_instance, runs, uniform_instance};
use proptest::prelude::*;
use ufcm::method::{RestartPlan, Restarted};
use ufcm::oracle::{Convexity, Smoothness};
use ufcm::theory::measure::{DualPoint, gap};
use ufcm::theory::promise::{self, Case};
use ufcm::theory::{Aggregate, RowConstants};

/// What Algorithm 2 is given.
#[derive(Debug, Clone, Copy)]
struct Given {
    l_ada: f64,
    mu_ada: f64,
    l_h: f64,
    eps: f64,
    executions: usize,
}

/// One execution of the library.
struct Execution {
    start: (Vec<f64>, Vec<f64>),
    /// M_t, and the averages after each step.
    steps: Vec<(f64, Vec<f64>, Vec<f64>)>,
}

/// All executions of the library.
fn run(instance: &Instance, plan: RestartPlan) -> Vec<Execution> {
    let (x, multipliers) = (&instance.x0, &instance.multipliers0);
    let mut method = Restarted::new(&instance.problem, x, multipliers, plan.clone()).unwrap();
    let mut done: Vec<Execution> = Vec::new();
    while !method.is_done() {
        let before = method.execution();
        method.step().unwrap();
        let inner = method.method();
        if done.is_empty() || method.execution() > before {
            // Where the execution started, by the rule of the plan: what the one before has left, or the start.
            let (x, multipliers) = match done.last() {
                None => (x.clone(), multipliers.clone()),
                Some(last) => {
                    let rule = plan.executions[done.len() - 1];
                    let (_, x_bar, lambda_bar) = last.steps.last().unwrap();
                    let x = if rule.restart_x { x_bar } else { x };
                    (x.clone(), if rule.restart_multipliers { lambda_bar } else { multipliers }.clone())
                }
            };
            done.push(Execution { start: (x, multipliers), steps: Vec::new() });
        }
        let norm = inner.last_step_sizes().unwrap().jacobian_norm;
        let averages = (norm, inner.average_x().to_vec(), inner.average_multipliers().to_vec());
        done.last_mut().unwrap().steps.push(averages);
    }
    done
}

/// Algorithm 2, straight from the paper (alg:R-FCM, eq:R-UFCM-initializations); M_t are those of the library's run.
fn transcribed(instance: &Instance, given: Given, norms: &[Vec<f64>]) -> Vec<(Literal, f64, f64)> {
    let Given { l_ada, mu_ada, l_h, eps, executions } = given;
    let k_all = executions as i32;
    let (big_d_x, big_d_lambda) = (instance.d_x, instance.d_lambda);
    let convex = mu_ada >= 4.0 * eps / (big_d_x * big_d_x);
    let mut d_x = if convex { (2f64.powi(k_all + 1) * eps / mu_ada).sqrt() } else { big_d_x };
    let mut d_lambda = big_d_lambda.min((2f64.powi(k_all + 1) * eps * l_h).sqrt());
    let (mut x, mut lambda) = (instance.x0.clone(), instance.multipliers0.clone());
    let mut outputs = Vec::new();
    for k in 0..k_all {
        let t_k = if convex {
            (96.0 * l_ada / mu_ada).sqrt()
        } else {
            (24.0 * l_ada * big_d_x * big_d_x / (2f64.powi(k_all - k - 1) * eps)).sqrt()
        };
        let steps = (t_k.ceil() as usize).max(1);
        assert_eq!(norms[k as usize].len(), steps, "execution {k}: ceil(T_k)");
        let c = d_lambda / d_x;
        let delta = c / (2.0 * l_ada);
        let output = literal(&instance.problem, &x, &lambda, l_ada, (c, delta), &norms[k as usize]);
        outputs.push((output.clone(), d_x, d_lambda));
        if convex {
            x = output.x_bar;
            d_x = (2f64.powi(k_all - k) * eps / mu_ada).sqrt();
        } else {
            x = instance.x0.clone();
            d_x = big_d_x;
        }
        let dual = (2f64.powi(k_all - k) * eps * l_h).sqrt();
        if dual <= big_d_lambda {
            lambda = output.lambda_bar;
            d_lambda = dual;
        } else {
            lambda = instance.multipliers0.clone();
            d_lambda = big_d_lambda;
        }
    }
    outputs
}

fn given(instance: &Instance, eps: f64) -> Given {
    let theory = instance.theory(eps).unwrap();
    let executions = promise::executions(runs::initial_gap(instance), eps);
    let (l_ada, mu_ada) = (theory.l_ada_convex(instance.d_x), theory.mu_ada());
    Given { l_ada, mu_ada, l_h: instance.problem.composer().smoothness(), eps, executions }
}

fn assert_close(a: &[f64], b: &[f64], label: &str) {
    let difference = planted::distance(a, b);
    assert!(difference <= 1e-9 * (1.0 + planted::length(b)), "{label}: {difference:e}");
}

/// Both runs, compared step by step; and the induction of the proof, held against the planted saddle point.
fn compare(instance: &Instance, eps: f64, label: &str) -> Case {
    let given = given(instance, eps);
    let Given { l_ada, mu_ada, l_h, executions, .. } = given;
    let distances = (instance.d_x, instance.d_lambda);
    let plan = RestartPlan::new(l_ada, mu_ada, l_h, eps, distances, executions).unwrap();
    let ours = run(instance, plan.clone());
    let norms: Vec<Vec<f64>> =
        ours.iter().map(|execution| execution.steps.iter().map(|step| step.0).collect()).collect();
    let reference = transcribed(instance, given, &norms);
    assert_eq!(ours.len(), executions, "{label}");
    for (k, (ours, (paper, d_x, d_lambda))) in ours.iter().zip(&reference).enumerate() {
        let label = format!("{label}, execution {k} of {executions}");
        for (t, (_, x, multipliers)) in ours.steps.iter().enumerate() {
            assert_close(x, &paper.averages[t].0, &format!("{label}, x_bar^{}", t + 1));
            assert_close(multipliers, &paper.averages[t].1, &format!("{label}, lambda_bar^{}", t + 1));
        }
        // eq:restarted-induction-step-two: the distances of the plan are bounds of the true ones ...
        let (planned, rounding) = (plan.executions[k], 1.0 + 1e-9);
        assert!((planned.d_x / d_x - 1.0).abs() < 1e-12 && (planned.d_lambda / d_lambda - 1.0).abs() < 1e-12);
        let true_x = planted::distance(&ours.start.0, &instance.saddle.x);
        let true_lambda = planted::distance(&ours.start.1, &instance.saddle.multipliers);
        assert!(true_x <= planned.d_x * rounding, "{label}: |x - x*| = {true_x}, {planned:?}");
        assert!(
            true_lambda <= planned.d_lambda * rounding,
            "{label}: |lambda - lambda*| = {true_lambda}, {planned:?}"
        );
        // ... and eq:restarted-induction-step-one: Q falls to 2^(K-k-1) eps.
        let target = 2f64.powi((executions - k - 1) as i32) * eps;
        let q = gap_at(instance, paper);
        assert!(q <= target, "{label}: Q = {q:e}, and {target:e} is promised");
    }
    let reached = runs::measured(instance, &ours.last().unwrap().steps.last().unwrap().1, eps);
    assert!(reached <= eps, "{label}: {reached}");
    Case::of(mu_ada, l_h, eps, instance.distances(1.0))
}

/// Q((x_bar; lambda_bar, nu_bar), (x*; lambda*, ∇g(x_bar))).
fn gap_at(instance: &Instance, output: &Literal) -> f64 {
    let (problem, saddle) = (&instance.problem, &instance.saddle);
    let ideal = DualPoint::at(problem, &output.x_bar, &saddle.multipliers).unwrap();
    let dual = DualPoint {
        multipliers: output.lambda_bar.clone(),
        jacobian: output.nu_bar.concat(),
        offsets: output.offsets.clone(),
    };
    gap(problem, (&output.x_bar, &dual), (&saddle.x, &ideal))
}

#[test]
fn the_restarted_method_equals_its_transcription_in_all_four_cases() {
    let mut seen = Vec::new();
    // Sums are left out: with L_h = 0 the paper's D_lambda^(0) is 0, and C with it.
    for composition in &COMPOSITIONS[1..] {
        for (p, convexity, share) in [
            (1.0, None, 0.02),
            (0.5, None, 0.2),
            (1.0, Some((0.3, 1.0)), 0.02),
            (0.5, Some((1.0, 2.0)), 0.02),
            (0.5, Some((1.0, 1.0)), 0.02),
        ] {
            let instance = uniform_instance(*composition, p, convexity, 11);
            let eps = (share * runs::initial(&instance)).min(1.0);
            let label = format!("{composition:?}, p = {p}, {convexity:?}, eps = {eps:e}");
            let case = compare(&instance, eps, &label);
            seen.push((case, p < 1.0));
        }
    }
    for case in [Case::Neither, Case::Dual, Case::Primal, Case::Both] {
        for rough in [false, true] {
            assert!(
                seen.contains(&(case, rough)),
                "case {case:?} with p < 1: {rough}, was not tried: {seen:?}"
            );
        }
    }
}

#[test]
fn rows_of_different_exponents_keep_every_promise() {
    // Each row has its own p_j and its own q_j; the fully general L_ADA is no longer a plain sum.
    for composition in COMPOSITIONS {
        let instance = mixed_instance(composition, true, false, 5);
        let eps = (0.5 * runs::initial(&instance)).min(0.5);
        let run = runs::ufcm(&instance, eps, false);
        assert!(run.reached <= eps && run.excursion <= 1.0, "{composition:?}: {run:?}");
        assert!(run.inner_steps as f64 <= run.promised.proximal, "{composition:?}: {run:?}");
        let instance = mixed_instance(composition, false, true, 5);
        // Small enough for primal restarts.
        let mut eps = (0.1 * runs::initial(&instance)).min(1.0);
        while instance.theory(eps).unwrap().mu_ada() < 5.0 * eps / instance.d_x.powi(2) {
            eps *= 0.7;
        }
        let theory = instance.theory(eps).unwrap();
        let (general, plain) = (theory.l_ada_convex(instance.d_x), theory.l_ada(instance.d_x));
        assert!(general < 0.99 * plain, "{composition:?}: mu_ADA is to count, {general} and {plain}");
        for own in [false, true] {
            let run = runs::restarted(&instance, eps, own, false);
            assert!(run.reached <= eps, "{composition:?}, own {own}: {run:?}");
            assert!(
                run.gradients as f64 <= run.promised.gradients.ceil(),
                "{composition:?}, own {own}: {run:?}"
            );
            assert!(run.inner_steps as f64 <= run.promised.proximal, "{composition:?}, own {own}: {run:?}");
        }
    }
}

#[test]
fn the_distances_of_own_constants_are_bounds_of_the_true_ones() {
    for composition in COMPOSITIONS {
        for (p, q) in [(1.0, 1.0), (1.0, 3.0), (0.5, 2.0)] {
            let instance = uniform_instance(composition, p, Some((0.5, q)), 11);
            let eps = (0.05 * runs::initial(&instance)).min(1.0);
            let given = given(&instance, eps);
            let distances = (instance.d_x, instance.d_lambda);
            let theory = instance.theory(eps).unwrap();
            let plan =
                RestartPlan::with_own_constants(&theory, given.l_h, distances, given.executions).unwrap();
            for (k, execution) in run(&instance, plan.clone()).iter().enumerate() {
                let planned = plan.executions[k];
                let true_x = planted::distance(&execution.start.0, &instance.saddle.x);
                let true_lambda = planted::distance(&execution.start.1, &instance.saddle.multipliers);
                let label = format!(
                    "{composition:?}, p = {p}, q = {q}, execution {k}: {true_x}, {true_lambda}, {planned:?}"
                );
                assert!(true_x <= planned.d_x * (1.0 + 1e-9), "{label}");
                assert!(true_lambda <= planned.d_lambda * (1.0 + 1e-9), "{label}");
            }
        }
    }
}

/// What the proof asks of an execution with accuracy e_k (eq:restarted-induction-step-one): its bound of Q is at most e_k.
fn is_long_enough(execution: &ufcm::method::Execution, rows: &Aggregate, target: f64) -> bool {
    let own = Aggregate::new(rows.rows().to_vec(), target, rows.r()).unwrap();
    let steps = execution.steps as f64;
    // The smallest error delta for which L_ADA is still large enough, by bisection: L_{delta,r} falls with delta.
    let (mut low, mut high) = (1e-300f64.ln(), 1e300f64.ln());
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if own.l_delta(middle.exp()) <= execution.l_ada * (1.0 + 1e-9) {
            high = middle;
        } else {
            low = middle;
        }
    }
    let error =
        if own.l_delta(f64::MIN_POSITIVE) <= execution.l_ada * (1.0 + 1e-9) { 0.0 } else { high.exp() };
    // eq:Q-bound-Holder with C = D_lambda/D_x, Delta = C/(2L), r <= D_lambda: 12 L D_x^2/(T (T+1)) + delta (T+2)/6.
    let bound = 12.0 * execution.l_ada * execution.d_x.powi(2) / (steps * (steps + 1.0))
        + error * (steps + 2.0) / 6.0;
    bound <= target * (1.0 + 1e-6)
}

#[test]
fn the_first_execution_with_own_constants_is_long_enough_for_where_it_starts() {
    // With D_x^(0) = D_x, T_0 = 98 where 307 steps are needed.
    let row = RowConstants {
        convexity: Some(Convexity { constant: 1.0, exponent: 1.0 }),
        ..RowConstants::smooth(1.0, 100.0).pinned()
    };
    let eps = 1e-3;
    let rows = Aggregate::new(vec![row], eps, 1.0).unwrap();
    let d_x = (307.0f64.powi(2) * 256.0 * eps / 2400.0).sqrt();
    let plan = RestartPlan::with_own_constants(&rows, f64::INFINITY, (d_x, 1.0), 9).unwrap();
    assert_eq!(plan.executions[0].steps, 98);
    for (k, execution) in plan.executions.iter().enumerate() {
        let target = 2f64.powi(8 - k as i32) * eps;
        let needed = (24.0 * execution.l_ada * execution.d_x.powi(2) / target).sqrt();
        assert!(needed <= execution.steps as f64, "execution {k}: {needed} steps, and {execution:?}");
    }
}

proptest! {
    #[test]
    fn every_execution_is_long_enough_for_its_own_distance(
        rows in prop::collection::vec((0.0..3.0f64, 1e-2..1e3f64, 0.0..=1.0f64, 1e-4..1e2f64, 1.0..4.0f64), 1..4),
        eps in 1e-6..1.0f64,
        d_x in 1e-2..1e2f64,
        executions in 1..16usize,
        l_h in prop_oneof![Just(f64::INFINITY), 1e-3..1e3f64],
    ) {
        let row = |(multiplier, constant, exponent, mu, q): (f64, f64, f64, f64, f64)| RowConstants {
            multiplier,
            pinned: false,
            smoothness: Smoothness { constant, exponent },
            convexity: Some(Convexity { constant: mu, exponent: q }),
        };
        let rows = Aggregate::new(rows.into_iter().map(row).collect(), eps, 1e-3).unwrap();
        let plan = RestartPlan::with_own_constants(&rows, l_h, (d_x, 1.0), executions).unwrap();
        for (k, execution) in plan.executions.iter().enumerate() {
            let target = 2f64.powi((executions - k - 1) as i32) * eps;
            prop_assert!(is_long_enough(execution, &rows, target), "execution {k}: {execution:?}");
        }
        // The same for one set of constants, where the theorem's conditions hold.
        let (l_ada, mu_ada) = (rows.l_ada_convex(d_x), rows.mu_ada());
        prop_assume!(24.0 * l_ada * d_x * d_x >= eps && 96.0 * l_ada >= mu_ada);
        let plan = RestartPlan::new(l_ada, mu_ada, l_h, eps, (d_x, 1.0), executions).unwrap();
        for (k, execution) in plan.executions.iter().enumerate() {
            // L_ADA is that of the last accuracy, so the error is eps over the steps of that.
            let target = 2f64.powi((executions - k - 1) as i32) * eps;
            let steps = execution.steps as f64;
            let error = eps / (24.0 * l_ada * d_x * d_x / eps).sqrt().min((96.0 * l_ada / mu_ada).sqrt());
            let bound = 12.0 * l_ada * execution.d_x.powi(2) / (steps * (steps + 1.0)) + error * (steps + 2.0) / 6.0;
            prop_assert!(bound <= target * (1.0 + 1e-9), "execution {k}: {bound} above {target}, {execution:?}");
        }
    }
}

#[test]
fn a_composition_without_curvature_in_h_keeps_its_multipliers() {
    // L_h = 0: lambda cannot move, whatever D_lambda the step sizes are made with.
    let instance = uniform_instance(Composition::Sum, 1.0, Some((0.3, 1.0)), 11);
    let given = given(&instance, 1e-3);
    let plan = RestartPlan::new(given.l_ada, given.mu_ada, 0.0, 1e-3, (instance.d_x, 0.1), given.executions)
        .unwrap();
    assert!(plan.executions.iter().all(|execution| execution.d_lambda == 0.1));
    for execution in run(&instance, plan) {
        assert!(execution.steps.iter().all(|(_, _, multipliers)| multipliers.iter().all(|&l| l == 1.0)));
    }
}
