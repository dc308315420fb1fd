//! The published method against a straight transcription of Algorithm 1 that keeps every iterate and every Jacobian, and
//! shares with it only the oracles.

use crate::literal;
use crate::planted;

use literal::{combine, literal};
use planted::{COMPOSITIONS, Composition, Instance, uniform_instance};
use ufcm::method::step_sizes::{CONDITIONS, Record, holds};
use ufcm::method::{Ufcm, UfcmParameters};
use ufcm::oracle::Weight;
use ufcm::theory::promise::Balance;

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
    let (x0, lambda0) = (&instance.x0, &instance.multipliers0);
    let reference = literal(&instance.problem, x0, lambda0, l_ada, (balance.c, balance.delta), &norms);
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
            let l_ada = instance.theory(0.1).unwrap().l_ada(instance.d_x);
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
    let l_ada = instance.theory(0.1).unwrap().l_ada(instance.d_x);
    let balance = Balance { c: 1.0, delta: 1.0 / l_ada };
    let inner = compare(&instance, l_ada, balance, 30, "max");
    assert!(inner > 90, "the old Jacobian only matters where there is more than one inner step: {inner}");
}

#[test]
fn with_a_sum_it_is_an_accelerated_proximal_gradient_method() {
    // h = sum: lambda = 1 throughout, S_t = 1, and each step is x^t = prox of
    // (eta x^{t-1} + beta x^{t-1} - sum_j ∇g_j(x_)) / (eta + beta), with no trace of the dual.
    let instance = uniform_instance(Composition::Sum, 1.0, None, 23);
    let l_ada = instance.theory(1e-3).unwrap().l_ada(instance.d_x);
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
