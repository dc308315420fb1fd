//! Algorithm 1 of the paper, line by line: it keeps every iterate and every Jacobian, and shares with the library only the oracles.

#![allow(dead_code)] // each test file takes what it needs

use ufcm::oracle::Weight;
use ufcm::problem::Problem;

/// All of Algorithm 1 (alg:FCM), line by line, with S_t and the norms M_t taken from outside.
#[derive(Clone)]
pub struct Literal {
    pub x: Vec<Vec<f64>>,
    pub lambda_tilde: Vec<Vec<f64>>,
    /// The averages after each iteration.
    pub averages: Vec<(Vec<f64>, Vec<f64>)>,
    pub x_bar: Vec<f64>,
    pub lambda_bar: Vec<f64>,
    /// nu_bar^T, and the same average of g(x_^t) - nu^t x_^t.
    pub nu_bar: Vec<Vec<f64>>,
    pub offsets: Vec<f64>,
}

pub fn combine(terms: &[(f64, &[f64])]) -> Vec<f64> {
    (0..terms[0].1.len()).map(|i| terms.iter().map(|(c, v)| c * v[i]).sum()).collect()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// nu' l for a Jacobian as a list of rows.
fn transposed(nu: &[Vec<f64>], l: &[f64]) -> Vec<f64> {
    (0..nu[0].len()).map(|i| nu.iter().zip(l).map(|(row, l)| row[i] * l).sum()).collect()
}

pub fn literal(
    problem: &Problem,
    x0: &[f64],
    lambda0: &[f64],
    l_ada: f64,
    (c, big_delta): (f64, f64),
    norms: &[f64],
) -> Literal {
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
    let mut x = vec![x0.to_vec(), x0.to_vec()];
    let mut x_under = x0.to_vec();
    let mut y = x0.to_vec();
    let (mut lambda, mut lambda_before) = (lambda0.to_vec(), lambda0.to_vec());
    let mut nu = vec![jacobian_at(x0).1];
    let mut m_tilde: Vec<f64> = Vec::new();
    let mut lambda_tilde: Vec<Vec<f64>> = Vec::new();
    let mut intercepts = Vec::new();
    for t in 1..=norms.len() {
        let tf = t as f64;
        let (theta, eta) = (tau(tf) / (tau(tf - 1.0) + 1.0), l_ada / tau(tf + 1.0));
        let (now, before) = (&x[x.len() - 1], &x[x.len() - 2]);
        let x_tilde = combine(&[(1.0 + theta, now), (-theta, before)]);
        x_under = combine(&[(tau(tf) / (1.0 + tau(tf)), &x_under), (1.0 / (1.0 + tau(tf)), &x_tilde)]);
        let (values, rows) = jacobian_at(&x_under);
        intercepts
            .push(rows.iter().zip(&values).map(|(row, g)| g - inner(row, &x_under)).collect::<Vec<f64>>());
        nu.push(rows);
        let s_t = ((norms[t - 1] * big_delta * tf).ceil() as usize).max(1);
        m_tilde.push(s_t as f64 / (big_delta * tf));
        let norm = m_tilde[t - 1];
        let rho = if t == 1 { 1.0 } else { norm / m_tilde[t - 2] };
        let (beta, gamma) = (c * norm, norm / c);
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
    let average = |list: &[Vec<f64>]| {
        let total: f64 = (1..=list.len()).map(|t| t as f64).sum();
        let weighted: Vec<(f64, &[f64])> =
            list.iter().enumerate().map(|(k, v)| ((k + 1) as f64 / total, &v[..])).collect();
        combine(&weighted)
    };
    let averages: Vec<_> =
        (1..=norms.len()).map(|t| (average(&x[2..2 + t]), average(&lambda_tilde[..t]))).collect();
    let (x_bar, lambda_bar) = averages.last().unwrap().clone();
    // eq:averaging-scheme: nu_bar_j is weighted by omega_t lambda~_j^t, and ∇g_j(x^0) where these are all 0.
    let weights = |j: usize| lambda_tilde.iter().enumerate().map(move |(k, l)| (k + 1) as f64 * l[j]);
    let (mut nu_bar, mut offsets) = (Vec::new(), Vec::new());
    for j in 0..m {
        let total: f64 = weights(j).sum();
        if total == 0.0 {
            nu_bar.push(nu[0][j].clone());
            offsets.push(intercepts[0][j]);
            continue;
        }
        let shares: Vec<f64> = weights(j).map(|weight| weight / total).collect();
        let rows: Vec<(f64, &[f64])> = shares.iter().zip(&nu[1..]).map(|(w, nu)| (*w, &nu[j][..])).collect();
        nu_bar.push(combine(&rows));
        offsets.push(shares.iter().zip(&intercepts).map(|(w, offset)| w * offset[j]).sum());
    }
    Literal { x: x.split_off(2), lambda_tilde, averages, x_bar, lambda_bar, nu_bar, offsets }
}
