//! The orders that the paper compares with, with constant 1, and the corollaries that lead to them.

use super::Promise;
use super::constants::Aggregate;
use super::promise::{Case, Distances};
use super::root::self_consistent;
use crate::method::Growing;

/// The T of cor:Lada-general-implicit-formula (eq:implicit-HS-solve), straight from the rows.
#[must_use]
pub fn implicit_gradients(rows: &Aggregate, d_x: f64) -> f64 {
    // Multiplied by T: T = sum_j C_j T^(1 - (1+3p)/(1+p)) with 1 - (1+3p)/(1+p) = -2p/(1+p) < 1.
    let m = rows.rows().len() as f64;
    self_consistent(rows.rows().iter().map(|row| {
        let p = row.smoothness.exponent;
        let e = (1.0 - p) / (1.0 + p);
        let multiplier = if row.pinned { row.multiplier } else { row.multiplier + rows.r() };
        let scaled = multiplier * row.smoothness.constant / rows.eps();
        (24.0 * (e * m).powf(e) * scaled.powf(2.0 / (1.0 + p)) * d_x * d_x, -2.0 * p / (1.0 + p))
    }))
}

/// K_SM, the optimal order for one (L, p)-Hölder smooth function (eq:optimal-holderSmooth-rate), with constant 1.
#[must_use]
pub fn k_sm(eps: f64, l: f64, p: f64, distance: f64) -> f64 {
    (l / eps).powf(2.0 / (1.0 + 3.0 * p)) * distance.powf((2.0 + 2.0 * p) / (1.0 + 3.0 * p))
}

/// K_UC, the optimal order under uniform convexity (eq:optimal-holderSmoothUniformlyConvex-rate), with constant 1;
/// `gap` is F(x0) - F(x*).
#[must_use]
pub fn k_uc(eps: f64, l: f64, p: f64, mu: f64, q: f64, gap: f64) -> f64 {
    let power = 2.0 / ((1.0 + 3.0 * p) * (1.0 + q));
    let conditioning = l.powf(1.0 + q) / mu.powf(1.0 + p);
    if q > p {
        (conditioning / eps.powf(q - p)).powf(power)
    } else {
        conditioning.powf(power) * (gap / eps).ln()
    }
}

/// Table tab:composite-heterogeneous-rates: the orders, with constant 1.
#[must_use]
pub fn table(l_ada: f64, mu_ada: f64, l_h: f64, eps: f64, at: Distances) -> Promise {
    let Distances { d_x, d_lambda, m } = at;
    let log = (1.0 / eps).ln().max(1.0);
    let flat = (l_ada * d_x * d_x / eps).sqrt();
    let convex = (l_ada / mu_ada).sqrt() * log;
    let case = Case::of(mu_ada, l_h, eps, at);
    let gradients = if matches!(case, Case::Neither | Case::Dual) { flat } else { convex };
    let proximal = match case {
        Case::Neither => flat + m * d_x * d_lambda / eps,
        Case::Dual => ((l_ada + m * m * l_h) * d_x * d_x / eps).sqrt(),
        Case::Primal => convex + m * d_lambda / (mu_ada * eps).sqrt(),
        Case::Both => ((l_ada + m * m * l_h) / mu_ada).sqrt() * log,
    };
    Promise { gradients, proximal }
}

/// The orders of ACGD-S for a mu_0-strongly convex g_0 (section section:application-to-func-constrained), with constant 1: `l` is
/// L(Lambda_r), and D_lambda stands for d(Lambda_r).
#[must_use]
pub fn acgd_s(l: f64, mu_0: f64, eps: f64, at: Distances) -> Promise {
    let gradients = (l / mu_0).sqrt() * ((l * mu_0).sqrt() * at.d_x.powi(2) / eps).ln().max(1.0);
    Promise { gradients, proximal: gradients + at.d_lambda * at.m / (mu_0 * eps).sqrt() }
}

/// What the proof of decision 0026 promises of ACGD-S for a mu_0-strongly convex g_0 (not only its order): the gradients after which
/// 3 L D_x^2/(2 Omega_T) is at most eps, and the inner steps until then. `l` is L(Lambda_r), D_lambda stands for d(Lambda_r), and M bounds the norm of
/// the Jacobian within sqrt(3) D_x of x*.
#[must_use]
pub fn acgd_s_strongly_convex(l: f64, mu_0: f64, eps: f64, at: Distances) -> Promise {
    let sizes = Growing::new(l, mu_0, at.d_lambda / at.d_x);
    let Some((steps, total)) = sizes.steps_to(1.5 * l * at.d_x.powi(2) / eps) else {
        return Promise { gradients: f64::INFINITY, proximal: f64::INFINITY };
    };
    // A full inner step raises sqrt(B) by at least delta/(1 + sqrt(1 + delta/sqrt(L))), and each iteration has one step that is not full.
    let delta = 0.5 * mu_0 * (l.sqrt() * at.d_x / at.d_lambda) / at.m;
    let way = (l + 0.5 * mu_0 * total).sqrt() - l.sqrt();
    let gradients = steps as f64;
    Promise { gradients, proximal: gradients + way * (1.0 + (1.0 + delta / l.sqrt()).sqrt()) / delta }
}
