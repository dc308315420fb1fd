//! The published method against a straight transcription of Algorithm 1 that keeps every iterate and every Jacobian, and
//! shares with it only the oracles.

mod planted;

use planted::{COMPOSITIONS, Composition, Instance, uniform_instance};
use ufcm::method::step_sizes::{CONDITIONS, Record, holds};
use ufcm::method::{Ufcm, UfcmParameters};
use ufcm::oracle::Weight;
use ufcm::theory::promise::Balance;

/// All of Algorithm 1 (alg:FCM), line by line, with S_t and the norms M_t taken from outside.
struct Literal {
    x: Vec<Vec<f64>>,
    lambda_tilde: Vec<Vec<f64>>,
    x_bar: Vec<f64>,
    lambda_bar: Vec<f64>,
}

fn combine(terms: &[(f64, &[f64])]) -> Vec<f64> {
    (0..terms[0].1.len()).map(|i| terms.iter().map(|(c, v)| c * v[i]).sum()).collect()
}

/// nu' l for a Jacobian as a list of rows.
fn transposed(nu: &[Vec<f64>], l: &[f64]) -> Vec<f64> {
    (0..nu[0].len()).map(|i| nu.iter().zip(l).map(|(row, l)| row[i] * l).sum()).collect()
}

fn literal(instance: &Instance, l_ada: f64, balance: Balance, norms: &[f64]) -> Literal {
    let problem = &instance.problem;
    let (n, m) = (problem.dimension(), problem.rows());
    let jacobian_at = |point: &[f64]| {
        let mut mapping = problem.mapping();
        let mut values = vec![0.0; m];
        mapping.linearise(point, &mut values).unwrap();
        let rows: Vec<Vec<f64>> = (0..m)
            .map(|j| {
                let mut row = vec![0.0; n];
                mapping.jacobian_row(j, &mut row);
                row
            })
            .collect();
        (values, rows)
    };
    let tau = |t: f64| (t - 1.0) / 2.0;
    // x[0] is x^{-1}, x[1] is x^0.
    let mut x = vec![instance.x0.clone(), instance.x0.clone()];
    let mut x_under = instance.x0.clone();
    let mut y = instance.x0.clone();
    let (mut lambda, mut lambda_before) = (instance.multipliers0.clone(), instance.multipliers0.clone());
    let mut nu = vec![jacobian_at(&instance.x0).1];
    let mut m_tilde: Vec<f64> = Vec::new();
    let mut lambda_tilde = Vec::new();
    for t in 1..=norms.len() {
        let tf = t as f64;
        let (theta, eta) = (tau(tf) / (tau(tf - 1.0) + 1.0), l_ada / tau(tf + 1.0));
        let (now, before) = (&x[x.len() - 1], &x[x.len() - 2]);
        let x_tilde = combine(&[(1.0 + theta, now), (-theta, before)]);
        x_under = combine(&[(tau(tf) / (1.0 + tau(tf)), &x_under), (1.0 / (1.0 + tau(tf)), &x_tilde)]);
        let (values, rows) = jacobian_at(&x_under);
        nu.push(rows);
        let s_t = ((norms[t - 1] * balance.delta * tf).ceil() as usize).max(1);
        m_tilde.push(s_t as f64 / (balance.delta * tf));
        let norm = m_tilde[t - 1];
        let rho = if t == 1 { 1.0 } else { norm / m_tilde[t - 2] };
        let (beta, gamma) = (balance.c * norm, norm / balance.c);
        let anchor = now.clone();
        let (mut x_sum, mut lambda_sum) = (vec![0.0; n], vec![0.0; m]);
        for s in 1..=s_t {
            let difference = combine(&[(1.0, &lambda), (-1.0, &lambda_before)]);
            let base = transposed(&nu[t], &lambda);
            // The subtle change: the old Jacobian at s = 1.
            let change =
                if s == 1 { transposed(&nu[t - 1], &difference) } else { transposed(&nu[t], &difference) };
            let h_tilde = combine(&[(1.0, &base), (if s == 1 { rho } else { 1.0 }, &change)]);
            let weight = eta + beta;
            y = combine(&[(eta / weight, &anchor), (beta / weight, &y), (-1.0 / weight, &h_tilde)]);
            problem.regulariser().prox(Weight::scalar(weight), &mut y).unwrap();
            lambda_before = lambda.clone();
            let moved = combine(&[(1.0, &y), (-1.0, &x_under)]);
            for j in 0..m {
                let linear: f64 = nu[t][j].iter().zip(&moved).map(|(a, d)| a * d).sum();
                lambda[j] += (linear + values[j]) / gamma;
            }
            problem.composer().prox_conjugate(Weight::scalar(gamma), &mut lambda).unwrap();
            x_sum = combine(&[(1.0, &x_sum), (1.0, &y)]);
            lambda_sum = combine(&[(1.0, &lambda_sum), (1.0, &lambda)]);
        }
        x.push(combine(&[(1.0 / s_t as f64, &x_sum)]));
        lambda_tilde.push(combine(&[(1.0 / s_t as f64, &lambda_sum)]));
    }
    let total: f64 = (1..=norms.len()).map(|t| t as f64).sum();
    let average = |list: &[Vec<f64>]| {
        let weighted: Vec<(f64, &[f64])> =
            list.iter().enumerate().map(|(k, v)| ((k + 1) as f64 / total, &v[..])).collect();
        combine(&weighted)
    };
    let (x_bar, lambda_bar) = (average(&x[2..]), average(&lambda_tilde));
    Literal { x: x.split_off(2), lambda_tilde, x_bar, lambda_bar }
}

fn assert_close(a: &[f64], b: &[f64], label: &str) {
    let scale = 1.0 + planted::length(b);
    assert!(planted::distance(a, b) <= 1e-12 * scale, "{label}: {:e}", planted::distance(a, b));
}

/// Runs both for `steps` and compares every iterate.
fn compare(instance: &Instance, l_ada: f64, balance: Balance, steps: usize, label: &str) -> u64 {
    let parameters = UfcmParameters { l_ada, balance };
    let mut method = Ufcm::new(&instance.problem, &instance.x0, &instance.multipliers0, parameters).unwrap();
    let (mut iterates, mut norms, mut before): (Vec<_>, Vec<f64>, Option<Record>) =
        (Vec::new(), Vec::new(), None);
    for _ in 0..steps {
        method.step().unwrap();
        iterates.push((method.x().to_vec(), method.multipliers().to_vec()));
        let record = *method.last_step_sizes().unwrap();
        norms.push(record.jacobian_norm);
        if let Some(before) = before {
            for condition in CONDITIONS {
                assert!(holds(condition, &before, &record, l_ada), "{label}: {condition:?} fails");
            }
        }
        before = Some(record);
    }
    let reference = literal(instance, l_ada, balance, &norms);
    for (t, (x, multipliers)) in iterates.iter().enumerate() {
        assert_close(x, &reference.x[t], &format!("{label}, x^{}", t + 1));
        assert_close(multipliers, &reference.lambda_tilde[t], &format!("{label}, lambda~^{}", t + 1));
    }
    assert_close(method.average_x(), &reference.x_bar, &format!("{label}, x_bar"));
    assert_close(method.average_multipliers(), &reference.lambda_bar, &format!("{label}, lambda_bar"));
    method.inner_steps()
}

#[test]
fn the_method_equals_its_transcription() {
    for composition in COMPOSITIONS {
        for p in [0.0, 0.5, 1.0] {
            let instance = uniform_instance(composition, p, None, 17);
            let l_ada = instance.theory(0.1).l_ada(instance.d_x);
            let balance = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda.max(0.3));
            // Delta ten times larger: many inner steps, also for the composers that would need few.
            for stretch in [1.0, 10.0] {
                let balance = Balance { delta: stretch * balance.delta, ..balance };
                let label = format!("{composition:?}, p = {p}, stretch {stretch}");
                compare(&instance, l_ada, balance, 40, &label);
            }
        }
    }
}

#[test]
fn sliding_is_exercised() {
    let instance = uniform_instance(Composition::Max, 1.0, None, 17);
    let l_ada = instance.theory(0.1).l_ada(instance.d_x);
    let balance = Balance { c: 1.0, delta: 1.0 / l_ada };
    let inner = compare(&instance, l_ada, balance, 30, "max");
    assert!(inner > 90, "the old Jacobian only matters where there is more than one inner step: {inner}");
}

#[test]
fn with_a_sum_it_is_an_accelerated_proximal_gradient_method() {
    // h = sum: lambda = 1 throughout, S_t = 1, and each step is x^t = prox of
    // (eta x^{t-1} + beta x^{t-1} - sum_j ∇g_j(x_)) / (eta + beta), with no trace of the dual.
    let instance = uniform_instance(Composition::Sum, 1.0, None, 23);
    let l_ada = instance.theory(1e-3).l_ada(instance.d_x);
    let balance = Balance::with_distances(l_ada, instance.d_x, 1e-6);
    let parameters = UfcmParameters { l_ada, balance };
    let mut method = Ufcm::new(&instance.problem, &instance.x0, &instance.multipliers0, parameters).unwrap();
    let (n, problem) = (instance.x0.len(), &instance.problem);
    let (mut x, mut before, mut under) = (instance.x0.clone(), instance.x0.clone(), instance.x0.clone());
    let mut mapping = problem.mapping();
    let mut values = vec![0.0; problem.rows()];
    for t in 1..=200usize {
        method.step().unwrap();
        let tf = t as f64;
        let (tau, theta) = ((tf - 1.0) / 2.0, (tf - 1.0) / tf);
        let ahead = combine(&[(1.0 + theta, &x), (-theta, &before)]);
        under = combine(&[(tau / (1.0 + tau), &under), (1.0 / (1.0 + tau), &ahead)]);
        mapping.linearise(&under, &mut values).unwrap();
        let mut gradient = vec![0.0; n];
        mapping.apply_transpose(&vec![1.0; problem.rows()], &mut gradient);
        let beta = balance.c * method.last_step_sizes().unwrap().inner.norm;
        let weight = 2.0 * l_ada / tf + beta;
        let mut next = combine(&[(1.0, &x), (-1.0 / weight, &gradient)]);
        problem.regulariser().prox(Weight::scalar(weight), &mut next).unwrap();
        before = std::mem::replace(&mut x, next);
        assert_close(method.x(), &x, &format!("x^{t}"));
    }
    assert_eq!(method.inner_steps(), 200);
    assert!(method.average_multipliers().iter().all(|&l| l == 1.0));
}
