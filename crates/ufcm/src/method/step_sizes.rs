//! The step sizes of Algorithm 1 as pure functions, and the conditions they must meet.

use crate::theory::promise::Balance;

/// Outer step sizes of iteration t (eq:outerloop-stepsizes).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outer {
    /// omega_t, the weight of the iteration in the averages.
    pub omega: f64,
    /// tau_t, the weight of the old averaged point.
    pub tau: f64,
    /// theta_t, the momentum.
    pub theta: f64,
    /// eta_t, the weight of the proximal term around x^(t-1).
    pub eta: f64,
}

/// tau_t = (t-1)/2, eta_t = L/tau_{t+1}, theta_t = tau_t/(tau_{t-1} + 1), omega_t = t, for t = 1, 2, ...
#[must_use]
pub fn outer(t: usize, l_ada: f64) -> Outer {
    let tau = |t: f64| (t - 1.0) / 2.0;
    let t = t as f64;
    Outer { omega: t, tau: tau(t), theta: tau(t) / (tau(t - 1.0) + 1.0), eta: l_ada / tau(t + 1.0) }
}

/// Inner step sizes of iteration t (eq:innerloop-stepsizes).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inner {
    /// S_t, the number of inner steps.
    pub steps: usize,
    /// M~_t = S_t/(Delta t) >= M_t.
    pub norm: f64,
    /// beta^(t), the weight of the proximal term around the last y.
    pub beta: f64,
    /// gamma^(t), the weight of the proximal term around the last multipliers.
    pub gamma: f64,
    /// rho^(t), the extrapolation across the change of Jacobian.
    pub rho: f64,
}

/// S_t = ceil(M_t Delta t), beta = C M~_t, gamma = M~_t/C, rho = M~_t/M~_{t-1}.
///
/// `norm` is M_t or any upper bound of it. S_t is at least 1, also where all gradients vanish. Before the first iteration
/// there is no M~_0; rho then multiplies a difference that is 0, and is 1.
#[must_use]
pub fn inner(t: usize, norm: f64, previous: Option<f64>, balance: Balance) -> Inner {
    let span = balance.delta * t as f64;
    let steps = (norm * span).ceil().max(1.0);
    let norm = steps / span;
    Inner {
        steps: steps as usize,
        norm,
        beta: balance.c * norm,
        gamma: norm / balance.c,
        rho: previous.map_or(1.0, |previous| norm / previous),
    }
}

/// The step sizes of one inner step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InnerStep {
    /// The weight of its y and lambda in the means of the iteration.
    pub weight: f64,
    /// The weight of the proximal term around the last y.
    pub beta: f64,
    /// The weight of the proximal term around the last multipliers.
    pub gamma: f64,
    /// The extrapolation.
    pub rho: f64,
}

impl Inner {
    /// Inner step s = 0, ..., S_t - 1 of Algorithm 1: all are alike, but for rho across the change of Jacobian.
    pub(super) fn step(&self, s: usize) -> Option<InnerStep> {
        let rho = if s == 0 { self.rho } else { 1.0 };
        (s < self.steps).then_some(InnerStep { weight: 1.0, beta: self.beta, gamma: self.gamma, rho })
    }
}

/// All step sizes of one iteration, with the norm of its Jacobian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// The outer ones.
    pub outer: Outer,
    /// The inner ones.
    pub inner: Inner,
    /// |nu^t|, the spectral norm.
    pub jacobian_norm: f64,
}

impl Record {
    /// omega~^(t) = omega_t/S_t.
    fn aggregate_weight(&self) -> f64 {
        self.outer.omega / self.inner.steps as f64
    }
}

/// The conditions under which the paper's analysis holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// omega_t eta_t <= omega_{t-1} eta_{t-1}
    A1,
    /// omega_t tau_t <= omega_{t-1} (tau_{t-1} + 1)
    A2,
    /// eta_{t-1} tau_t >= theta_t L_ADA with theta_t = omega_{t-1}/omega_t
    A3,
    /// eta_T (tau_T + 1) >= L_ADA
    A4,
    /// gamma beta >= |nu^t|^2
    B3,
    /// omega~^(t) beta^(t) >= omega~^(t+1) beta^(t+1)
    C1,
    /// omega~^(t) gamma^(t) >= omega~^(t+1) gamma^(t+1)
    C2,
    /// gamma beta >= rho^2 |nu^{t-1}|^2 with rho^(t+1) = omega~^(t)/omega~^(t+1)
    C3,
}

/// a >= b up to rounding.
fn at_least(a: f64, b: f64) -> bool {
    a >= b - 1e-12 * a.abs().max(b.abs())
}

fn equal(a: f64, b: f64) -> bool {
    at_least(a, b) && at_least(b, a)
}

/// Whether a pair of consecutive iterations meets a condition (cond:a1 to cond:c3). A4 and B3 look at `now` alone; A4
/// must hold for the last iteration, and ours holds for all.
#[must_use]
pub fn holds(condition: Condition, before: &Record, now: &Record, l_ada: f64) -> bool {
    let (o, p) = (&now.outer, &before.outer);
    match condition {
        Condition::A1 => at_least(p.omega * p.eta, o.omega * o.eta),
        Condition::A2 => at_least(p.omega * (p.tau + 1.0), o.omega * o.tau),
        Condition::A3 => equal(o.theta, p.omega / o.omega) && at_least(p.eta * o.tau, o.theta * l_ada),
        Condition::A4 => at_least(o.eta * (o.tau + 1.0), l_ada),
        Condition::B3 => at_least(now.inner.gamma * now.inner.beta, now.jacobian_norm.powi(2)),
        Condition::C1 => {
            at_least(before.aggregate_weight() * before.inner.beta, now.aggregate_weight() * now.inner.beta)
        }
        Condition::C2 => {
            at_least(before.aggregate_weight() * before.inner.gamma, now.aggregate_weight() * now.inner.gamma)
        }
        Condition::C3 => {
            equal(now.inner.rho, before.aggregate_weight() / now.aggregate_weight())
                && at_least(now.inner.gamma * now.inner.beta, (now.inner.rho * before.jacobian_norm).powi(2))
        }
    }
}

/// All conditions, in the paper's order.
pub const CONDITIONS: [Condition; 8] = [
    Condition::A1,
    Condition::A2,
    Condition::A3,
    Condition::A4,
    Condition::B3,
    Condition::C1,
    Condition::C2,
    Condition::C3,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records(norms: &[f64], l_ada: f64, balance: Balance) -> Vec<Record> {
        let mut previous = None;
        let record = |(k, &norm): (usize, &f64)| {
            let inner = inner(k + 1, norm, previous, balance);
            previous = Some(inner.norm);
            Record { outer: outer(k + 1, l_ada), inner, jacobian_norm: norm }
        };
        norms.iter().enumerate().map(record).collect()
    }

    proptest! {
        #[test]
        fn all_conditions_hold_whatever_the_jacobians(
            norms in prop::collection::vec(prop_oneof![Just(0.0), 1e-6..1e6f64], 2..60),
            l_ada in 1e-6..1e6f64,
            c in 1e-3..1e3f64,
            delta in 1e-6..1.0f64,
        ) {
            for pair in records(&norms, l_ada, Balance { c, delta }).windows(2) {
                for condition in CONDITIONS {
                    prop_assert!(holds(condition, &pair[0], &pair[1], l_ada), "{condition:?}: {pair:?}");
                }
            }
        }

        #[test]
        fn a_larger_constant_than_the_step_sizes_were_made_for_is_noticed(
            norms in prop::collection::vec(1e-3..1e3f64, 3..20),
            l_ada in 1e-3..1e3f64,
        ) {
            let records = records(&norms, l_ada, Balance { c: 1.0, delta: 0.1 });
            let (before, now) = (&records[records.len() - 2], &records[records.len() - 1]);
            prop_assert!(!holds(Condition::A3, before, now, 10.0 * l_ada));
            prop_assert!(!holds(Condition::A4, before, now, 10.0 * l_ada));
            let steeper = Record { jacobian_norm: 1.01 * now.inner.norm, ..*now };
            prop_assert!(!holds(Condition::B3, before, &steeper, l_ada));
            let restless = Record { inner: Inner { rho: 1.1 * now.inner.rho, ..now.inner }, ..*now };
            prop_assert!(!holds(Condition::C3, before, &restless, l_ada));
        }
    }
}
