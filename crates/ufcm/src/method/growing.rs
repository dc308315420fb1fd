//! The step sizes of ACGD-S for a strongly convex g_0, whose weights grow geometrically (decision 0026 has their derivation).
//!
//! g_0 is modelled by its linearisation plus mu/2 |y - x_|^2. Half of mu pays for growing weights of the outer iterations, the other half for
//! growing weights of the inner steps:
//!
//! ```text
//! outer:  E_t = L + mu/2 Omega_{t-1},  L omega_t^2 = E_t Omega_t,  Omega_t = Omega_{t-1} + omega_t
//!         tau_t = Omega_{t-1}/omega_t,  theta_t = omega_{t-1}/omega_t,  eta_t = E_t/omega_t
//! inner:  B = L + mu/2 (the weights of all inner steps before),  G = L/C^2,  w = min(what is left of omega_t, sqrt(G B)/M_t)
//!         beta = B/w,  gamma = G/w,  rho = (w before)/w
//! ```

use super::step_sizes::{InnerStep, Outer};

/// Weights stop growing here, far beyond any accuracy: smaller ones than the recursion allows keep all conditions.
const LARGEST_WEIGHT: f64 = 1e150;

/// Iterations beyond which nobody counts.
const MOST_STEPS: usize = 100_000_000;

/// Where the recursion stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growing {
    l: f64,
    mu: f64,
    /// G, what gamma times a weight stays.
    dual: f64,
    /// Omega_t, and omega_t.
    total: f64,
    omega: f64,
    /// The weights of all inner steps, and of the last one.
    inner_total: f64,
    inner_weight: Option<f64>,
}

impl Growing {
    /// For an L-smooth Lagrangian of a mu-strongly convex g_0, and C = D_lambda/D_x.
    #[must_use]
    pub fn new(l: f64, mu: f64, c: f64) -> Self {
        let dual = l / (c * c);
        Self { l, mu, dual, total: 0.0, omega: 0.0, inner_total: 0.0, inner_weight: None }
    }

    /// From the beginning.
    pub(super) fn restart(&mut self) {
        *self = Self { total: 0.0, omega: 0.0, inner_total: 0.0, inner_weight: None, ..*self };
    }

    /// mu, the weight of the proximal term around x_.
    pub(super) fn mu(&self) -> f64 {
        self.mu
    }

    /// Omega_t, the sum of all weights so far: Q <= 3 L D_x^2/(2 Omega_t).
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The step sizes of the next outer iteration.
    pub fn outer(&mut self) -> Outer {
        let (before, total) = (self.omega, self.total);
        let e = self.l + 0.5 * self.mu * total;
        // The larger root of L omega^2 = E (Omega + omega).
        let root = (e + (e * e + 4.0 * self.l * e * total).sqrt()) / (2.0 * self.l);
        self.omega = root.min(LARGEST_WEIGHT);
        self.total = total + self.omega;
        let omega = self.omega;
        Outer { omega, tau: total / omega, theta: before / omega, eta: e / omega }
    }

    /// sqrt(G B): an inner step may have this weight for each unit of 1/M_t.
    fn reach(&self) -> f64 {
        (self.dual * (self.l + 0.5 * self.mu * self.inner_total)).sqrt()
    }

    /// The largest M_t for which one inner step is enough for an iteration of this weight.
    pub(super) fn norm_for_one_step(&self, omega: f64) -> f64 {
        self.reach() / omega
    }

    /// The next inner step, with a Jacobian of norm at most `norm`, where `left` of the iteration's weight is left.
    pub fn inner(&mut self, norm: f64, left: f64) -> InnerStep {
        let b = self.l + 0.5 * self.mu * self.inner_total;
        let full = self.reach() / norm;
        // A Jacobian that is not finite leaves no step at all; one is taken, and the rows speak for themselves.
        let weight = if full > 0.0 { left.min(full) } else { left };
        let rho = self.inner_weight.map_or(1.0, |before| before / weight);
        self.inner_weight = Some(weight);
        self.inner_total += weight;
        InnerStep { weight, beta: b / weight, gamma: self.dual / weight, rho }
    }

    /// The outer iterations after which Omega_t is at least `total`, and Omega_t then; `None` where that takes for ever.
    #[must_use]
    pub fn steps_to(mut self, total: f64) -> Option<(usize, f64)> {
        self.restart();
        for step in 1..=MOST_STEPS {
            self.outer();
            if self.total >= total {
                return Some((step, self.total));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_conditions_of_the_proof_hold(
            l in 1e-3..1e3f64,
            share in 0.0..1.0f64,
            c in 1e-2..1e2f64,
            norms in prop::collection::vec(prop_oneof![Just(0.0), 1e-3..1e3f64], 2..30),
        ) {
            let mut sizes = Growing::new(l, share * l, c);
            let at_least = |a: f64, b: f64| a >= b * (1.0 - 1e-10);
            let (mut total, mut before): (f64, Option<Outer>) = (0.0, None);
            // B of the inner step before, with its weight and norm.
            let mut last: Option<(f64, f64, f64)> = None;
            for norm in norms {
                let Outer { omega, tau, theta, eta } = sizes.outer();
                prop_assert!(at_least(omega * tau, total) && at_least(total, omega * tau), "A2");
                if let Some(before) = before {
                    prop_assert!(at_least(before.omega * (before.eta + 0.5 * share * l), omega * eta), "A1");
                    prop_assert!(at_least(before.eta * tau, theta * l), "A3");
                }
                prop_assert!(at_least(eta * (tau + 1.0), l), "A4");
                total += omega;
                let (mut left, mut sum, mut steps) = (omega, 0.0, 0);
                while left > 0.0 {
                    // After some steps of an iteration a flat Jacobian ends it.
                    let norm = if steps < 50 { norm } else { 0.0 };
                    steps += 1;
                    let step = sizes.inner(norm, left);
                    let (b, g) = (step.beta * step.weight, step.gamma * step.weight);
                    prop_assert!(at_least(step.gamma * step.beta, norm * norm), "B3");
                    prop_assert!((g / (l / (c * c)) - 1.0).abs() < 1e-12, "C2");
                    if let Some((b_before, weight, norm_before)) = last {
                        prop_assert!(at_least(b_before + 0.5 * share * l * weight, b), "C1");
                        prop_assert!((step.rho * step.weight / weight - 1.0).abs() < 1e-12, "C3");
                        prop_assert!(at_least(g * b, (weight * norm_before).powi(2)), "C3");
                    }
                    last = Some((b, step.weight, norm));
                    left -= step.weight;
                    sum += step.weight;
                }
                prop_assert!((sum / omega - 1.0).abs() < 1e-9, "the weights of inner steps make up the iteration's");
                before = Some(Outer { omega, tau, theta, eta });
            }
        }

        #[test]
        fn weights_grow_as_promised(l in 1e-3..1e3f64, share in 0.0..1.0f64, steps in 1..300i32) {
            let mut sizes = Growing::new(l, share * l, 1.0);
            (0..steps).for_each(|_| { sizes.outer(); });
            let t = f64::from(steps);
            prop_assert!(sizes.total() >= 0.25 * (t + 1.0).powi(2) * (1.0 - 1e-9));
            let geometric = (1.0 + 0.5 * (0.5 * share).sqrt()).powi(2 * (steps - 1));
            prop_assert!(sizes.total() >= geometric.min(LARGEST_WEIGHT) * (1.0 - 1e-9));
        }
    }

    #[test]
    fn the_weights_stay_finite() {
        let mut sizes = Growing::new(1.0, 1.0, 1.0);
        for _ in 0..5000 {
            let outer = sizes.outer();
            assert!(outer.omega.is_finite() && outer.eta > 0.0 && outer.tau.is_finite());
        }
        assert_eq!(Growing::new(1.0, 1.0, 1.0).steps_to(1.0), Some((1, 1.0)));
    }
}
