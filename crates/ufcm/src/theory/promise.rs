//! N_eps and P_eps: how many gradients and proximal steps each theorem promises to suffice.

use super::constants::Aggregate;
use super::root::self_consistent;

/// Numbers of oracle calls that suffice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// N_eps: evaluations of all values and gradients (outer iterations).
    pub gradients: f64,
    /// P_eps: proximal steps on u and h (inner iterations).
    pub proximal: f64,
}

impl Promise {
    /// P = ceil(N) + ceil(N)^2 Delta M (eq:general-P_eps).
    fn with_sliding(gradients: f64, delta: f64, m: f64) -> Self {
        let steps = gradients.ceil();
        Self { gradients, proximal: steps + steps * steps * delta * m }
    }
}

/// What is known of the way to a saddle point, besides the constants of the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// D_x >= |x0 - x*|.
    pub d_x: f64,
    /// D_lambda >= |lambda0 - lambda*|.
    pub d_lambda: f64,
    /// M >= the spectral norm of the Jacobian in the ball where the iterates stay ([`iterate_radius`]).
    pub m: f64,
}

/// The balancing parameters of the step sizes (prop lemma:h-smooth-lambda-iterate-bound).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// C: beta = C M~, gamma = M~/C.
    pub c: f64,
    /// Delta: S_t = ceil(M_t Delta t).
    pub delta: f64,
}

impl Balance {
    /// C = sqrt(2)/2, Delta = sqrt(2)/(4L): needs no distances (cor:smooth-composite-rates; there r = sqrt(eps)).
    #[must_use]
    pub fn without_distances(l_ada: f64) -> Self {
        Self { c: 0.5f64.sqrt(), delta: 2f64.sqrt() / (4.0 * l_ada) }
    }

    /// C = D_lambda/D_x, Delta = C/(2L) (cor:smooth-composite-rates-primal-dist; there r = D_lambda sqrt(eps)).
    #[must_use]
    pub fn with_distances(l_ada: f64, d_x: f64, d_lambda: f64) -> Self {
        let c = d_lambda / d_x;
        Self { c, delta: c / (2.0 * l_ada) }
    }
}

/// Smooth rows, any C and Delta (thm:smooth-composite-convergence).
#[must_use]
pub fn smooth(l_ada: f64, eps: f64, r: f64, balance: Balance, at: Distances) -> Promise {
    let Balance { c, delta } = balance;
    let primal = (c / delta + 2.0 * l_ada) * at.d_x.powi(2);
    let dual = 2.0 / (c * delta) * (at.d_lambda.powi(2) + r * r);
    Promise::with_sliding(((primal + dual) / eps).sqrt(), delta, at.m)
}

/// Hölder rows, any C and Delta (thm:heterogeneous-composite-convergence, eq:Heterogeneous-complexity-bounds).
#[must_use]
pub fn heterogeneous(l_ada: f64, eps: f64, r: f64, balance: Balance, at: Distances) -> Promise {
    let Balance { c, delta } = balance;
    let primal = (2.0 * c / delta + 4.0 * l_ada) * at.d_x.powi(2);
    let dual = 4.0 / (c * delta) * (at.d_lambda.powi(2) + r * r);
    Promise::with_sliding(((primal + dual) / eps).sqrt(), delta, at.m)
}

/// Hölder rows with C = D_lambda/D_x, Delta = C/(2 L_ADA), r = D_lambda sqrt(eps)
/// (eq:Heterogeneous-complexity-bounds-simpler). Holds for eps <= min(1, 24 L_ADA D_x^2).
#[must_use]
pub fn heterogeneous_balanced(l_ada: f64, eps: f64, at: Distances) -> Promise {
    let gradients = (24.0 * l_ada * at.d_x.powi(2) / eps).sqrt();
    Promise { gradients, proximal: gradients + 48.0 * at.m * at.d_x * at.d_lambda / eps + 1.0 }
}

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

/// The four cases of the restarted method (table tab:composite-heterogeneous-rates).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// 1a: neither the primal nor the dual iterate restarts.
    Neither,
    /// 1b: the dual restarts (h is smooth enough).
    Dual,
    /// 2a: the primal restarts (mu_ADA is large enough).
    Primal,
    /// 2b: both restart.
    Both,
}

impl Case {
    /// Primal restarts if mu_ADA >= 4 eps/D_x^2, dual ones if L_h <= D_lambda^2/eps.
    #[must_use]
    pub fn of(mu_ada: f64, l_h: f64, eps: f64, at: Distances) -> Self {
        match (mu_ada >= 4.0 * eps / at.d_x.powi(2), l_h <= at.d_lambda.powi(2) / eps) {
            (false, false) => Self::Neither,
            (false, true) => Self::Dual,
            (true, false) => Self::Primal,
            (true, true) => Self::Both,
        }
    }
}

/// The number of executions K that suffices: ceil(log2((Q + eps)/eps)), Q the gap function at the start
/// (thm:fully-heteogeneous-component-guarantees). At least 1.
#[must_use]
pub fn executions(initial_gap: f64, eps: f64) -> usize {
    ((initial_gap + eps) / eps).log2().ceil().max(1.0) as usize
}

/// The restarted method with K `executions`, with the explicit constants of section section:proof-of-RUFCM.
#[must_use]
pub fn restarted(l_ada: f64, mu_ada: f64, l_h: f64, eps: f64, executions: usize, at: Distances) -> Promise {
    let Distances { d_x, d_lambda, m } = at;
    let k = executions as f64;
    let per_restart = 1.0 + m * d_lambda / (l_ada * d_x);
    let flat = ((144.0 + 96.0 * 2f64.sqrt()) * l_ada * d_x * d_x / eps).sqrt();
    let convex = k * (1.0 + (96.0 * l_ada / mu_ada).sqrt());
    match Case::of(mu_ada, l_h, eps, at) {
        Case::Neither => Promise {
            gradients: flat + k,
            proximal: flat + 48.0 * m * d_x * d_lambda / eps + k * per_restart,
        },
        Case::Dual => Promise {
            gradients: flat + k,
            proximal: ((6.0 + 4.0 * 2f64.sqrt()) * (48.0 * l_ada + 1152.0 * m * m * l_h) * d_x * d_x / eps)
                .sqrt()
                + k * per_restart,
        },
        Case::Primal => Promise {
            gradients: convex,
            proximal: (1152.0 + 786.0 * 2f64.sqrt()) * m * d_lambda / (mu_ada * eps).sqrt() + convex,
        },
        Case::Both => Promise {
            gradients: convex,
            proximal: k * (1.0 + ((192.0 * l_ada + 73728.0 * m * m * l_h) / mu_ada).sqrt()),
        },
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

/// How far from x* the iterates can get (eq:primal-iterate-bound for smooth rows, eq:primal-iterate-bound-general
/// otherwise, there for as long as t <= sqrt(24 L_ADA D_x^2/eps)).
#[must_use]
pub fn iterate_radius(l_ada: f64, balance: Balance, d_x: f64, d_lambda: f64, smooth: bool) -> f64 {
    let Balance { c, delta } = balance;
    let own = if smooth { 2.0 } else { 50.0 };
    let square = (c / delta + own * l_ada) * d_x * d_x + d_lambda * d_lambda / (c * delta);
    (square / (2.0 * l_ada)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Smoothness;
    use crate::theory::RowConstants;

    const AT: Distances = Distances { d_x: 2.0, d_lambda: 3.0, m: 5.0 };

    #[test]
    fn the_corollary_with_distances_is_the_theorem_at_its_parameters() {
        let (l, eps) = (7.0, 1e-4f64);
        let r = AT.d_lambda * eps.sqrt();
        let balance = Balance::with_distances(l, AT.d_x, AT.d_lambda);
        // (C/Delta + 2L) D_x^2 + 2/(C Delta) (D_lambda^2 + r^2) = 4 L D_x^2 (2 + eps) <= 12 L D_x^2
        let exact = (4.0 * l * AT.d_x.powi(2) * (2.0 + eps) / eps).sqrt();
        assert!((smooth(l, eps, r, balance, AT).gradients / exact - 1.0).abs() < 1e-12);
        let general = heterogeneous(l, eps, r, balance, AT);
        let simple = heterogeneous_balanced(l, eps, AT);
        assert!(general.gradients <= simple.gradients);
        assert!((general.gradients / simple.gradients) > (2.0f64 / 3.0).sqrt() - 1e-12);
    }

    #[test]
    fn the_radii_are_those_of_the_corollaries() {
        // cor:smooth-composite-rates-primal-dist says sqrt(3) D_x, thm:heterogeneous says sqrt(27) D_x.
        let balance = Balance::with_distances(7.0, AT.d_x, AT.d_lambda);
        let radius = |smooth| iterate_radius(7.0, balance, AT.d_x, AT.d_lambda, smooth) / AT.d_x;
        assert!((radius(true) - 3f64.sqrt()).abs() < 1e-12);
        assert!((radius(false) - 27f64.sqrt()).abs() < 1e-12);
        // cor:smooth-composite-rates says sqrt(2 (D_x^2 + D_lambda^2)).
        let balance = Balance::without_distances(7.0);
        let radius = iterate_radius(7.0, balance, AT.d_x, AT.d_lambda, true);
        assert!((radius - (2.0 * (4.0 + 9.0f64)).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_implicit_formula_agrees_with_the_root() {
        let row = |multiplier, constant, exponent| RowConstants {
            multiplier,
            pinned: false,
            smoothness: Smoothness { constant, exponent },
            convexity: None,
        };
        let rows = vec![row(1.0, 2.0, 1.0), row(0.3, 5.0, 0.0), row(0.0, 1.0, 0.5)];
        let theory = Aggregate::new(rows, 1e-3, 1e-2).unwrap();
        let promised = heterogeneous_balanced(theory.l_ada(AT.d_x), 1e-3, AT).gradients;
        assert!((implicit_gradients(&theory, AT.d_x) / promised - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_row_recovers_the_optimal_exponents() {
        for p in [0.0, 0.25, 0.5, 1.0] {
            let smoothness = Smoothness { constant: 3.0, exponent: p };
            let row = RowConstants { multiplier: 1.0, pinned: true, smoothness, convexity: None };
            let at = |eps| {
                let l = Aggregate::new(vec![row], eps, 1.0).unwrap().l_ada(AT.d_x);
                heterogeneous_balanced(l, eps, AT).gradients
            };
            let slope = (at(1e-6) / at(1e-4)).ln() / (k_sm(1e-6, 3.0, p, 2.0) / k_sm(1e-4, 3.0, p, 2.0)).ln();
            assert!((slope - 1.0).abs() < 1e-9, "p = {p}");
        }
    }

    #[test]
    fn cases_follow_the_table() {
        let case = |mu, l_h| Case::of(mu, l_h, 1e-2, AT);
        assert_eq!(case(0.0, f64::INFINITY), Case::Neither);
        assert_eq!(case(0.0, 1.0), Case::Dual);
        assert_eq!(case(1.0, f64::INFINITY), Case::Primal);
        assert_eq!(case(1.0, 1.0), Case::Both);
        assert_eq!(executions(0.0, 1.0), 1);
        assert_eq!(executions(7.0, 1.0), 3);
        // Linear against 1/sqrt(eps): where mu_ADA counts, a hundredth of eps costs a few restarts more.
        let promised =
            |eps: f64, mu| restarted(10.0, mu, f64::INFINITY, eps, executions(1.0, eps), AT).gradients;
        assert!(promised(1e-6, 1.0) / promised(1e-4, 1.0) < 1.6);
        assert!(promised(1e-6, 0.0) / promised(1e-4, 0.0) > 9.0);
    }
}
