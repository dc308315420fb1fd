//! ACGD-S for a strongly convex objective: what decision 0026 proves holds at every step, and the rate is linear.

use ufcm::component::Quadratic;
use ufcm::method::Growing;
use ufcm::method::baseline::{AcgdS, AcgdSParameters};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::Report;
use ufcm::settings::{Constants, MethodRule, Settings};
use ufcm::theory::measure::{SaddlePoint, optimality};
use ufcm::theory::promise::{self, Distances};

/// Curvatures from `least` to 1, evenly on a log scale: neither strong convexity nor smoothness is met by a few directions alone.
fn spectrum(n: usize, least: f64) -> Vec<f64> {
    (0..n).map(|i| least.powf(i as f64 / (n - 1) as f64)).collect()
}

/// Values in (-1, 1), the same for each k.
fn wave(n: usize, k: f64) -> Vec<f64> {
    (0..n).map(|i| ((1.7 + k) * (i as f64 + 1.0)).sin()).collect()
}

struct Instance {
    problem: Problem,
    saddle: SaddlePoint,
    smoothness: Vec<f64>,
    mu: f64,
    d_x: f64,
    /// |∇g_j(x*)|
    slopes: Vec<f64>,
}

/// min x'Dx/2 + c.x subject to |x|^2/2 + b_j.x <= d_j: two constraints, the first active with multiplier 0.8, the second not.
fn instance(n: usize, mu: f64) -> Instance {
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let x = wave(n, 0.0);
    let (d, multipliers) = (spectrum(n, mu), vec![1.0, 0.8, 0.0]);
    let slope = |k: usize| -> Vec<f64> { x.iter().zip(wave(n, k as f64)).map(|(x, b)| x + b).collect() };
    let value = |k: usize| -> f64 { x.iter().zip(wave(n, k as f64)).map(|(x, b)| 0.5 * x * x + b * x).sum() };
    let c: Vec<f64> = (0..n).map(|i| -d[i] * x[i] - 0.8 * slope(1)[i]).collect();
    let objective_slope: Vec<f64> = (0..n).map(|i| d[i] * x[i] + c[i]).collect();
    let constraint =
        |k: usize| Quadratic::diagonal(vec![1.0; n]).unwrap().with_linear(wave(n, k as f64)).unwrap();
    let problem = Problem::minimise(Quadratic::diagonal(d).unwrap().with_linear(c).unwrap())
        .subject_to(constraint(1).at_most(value(1)))
        .subject_to(constraint(2).at_most(value(2) + 0.5))
        .within(Ball::new(50.0))
        .build()
        .unwrap();
    let d_x = norm(&x);
    let slopes = vec![norm(&objective_slope), norm(&slope(1)), norm(&slope(2))];
    let saddle = SaddlePoint::new(&problem, x, multipliers).unwrap();
    Instance { problem, saddle, smoothness: vec![1.0; 3], mu, d_x, slopes }
}

impl Instance {
    /// L(Lambda_r), and D_x, d(Lambda_r), M within sqrt(3) D_x of x*.
    fn constants(&self, r: f64) -> (f64, Distances) {
        let (smoothness, multipliers) = (self.smoothness.clone(), self.saddle.multipliers.clone());
        let parameters = AcgdSParameters { smoothness, multipliers, r, d_x: self.d_x };
        let (l, d_lambda) = parameters.constants(&self.problem).unwrap();
        let reach = 3f64.sqrt() * self.d_x;
        let m = self.slopes.iter().map(|slope| (slope + reach).powi(2)).sum::<f64>().sqrt();
        (l, Distances { d_x: self.d_x, d_lambda, m })
    }
}

#[test]
fn every_step_keeps_what_is_proven() {
    for (n, mu) in [(12, 0.1), (20, 1e-2), (20, 1e-3)] {
        let instance = instance(n, mu);
        let r = 0.1;
        let (l, at) = instance.constants(r);
        let distances = (at.d_x, at.d_lambda);
        let x0 = vec![0.0; n];
        let mut method = AcgdS::strongly_convex(&instance.problem, &x0, (l, mu), distances).unwrap();
        let mut sizes = Growing::new(l, mu, at.d_lambda / at.d_x);
        let promised = promise::acgd_s_strongly_convex(l, mu, 1e-8, at);
        let mut reached = f64::INFINITY;
        for t in 1..=promised.gradients as usize {
            method.step().unwrap();
            sizes.outer();
            let bound = 1.5 * l * at.d_x.powi(2) / sizes.total();
            let measured = optimality(&instance.problem, method.average_x(), &instance.saddle, r).unwrap();
            reached = measured.eps();
            assert!(
                reached <= bound * (1.0 + 1e-9) + 1e-12,
                "mu = {mu}, T = {t}: {reached:e} above {bound:e}"
            );
            let away =
                method.x().iter().zip(&instance.saddle.x).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(away <= 3f64.sqrt() * at.d_x, "mu = {mu}, T = {t}: {away} from x*");
        }
        assert!(reached <= 1e-8, "mu = {mu}: {reached:e}");
        let inner = method.inner_steps() as f64;
        assert!(inner <= promised.proximal, "mu = {mu}: {inner} inner steps, {} promised", promised.proximal);
    }
}

#[test]
fn the_rate_is_linear_and_beats_that_of_plain_convexity() {
    let instance = instance(20, 1e-2);
    let r = 0.1;
    let (l, at) = instance.constants(r);
    let distances = (at.d_x, at.d_lambda);
    let gradients = |mut method: AcgdS<'_>, eps: f64| -> u64 {
        for _ in 0..4000 {
            method.step().unwrap();
            if optimality(&instance.problem, method.average_x(), &instance.saddle, r).unwrap().eps() <= eps {
                break;
            }
        }
        method.gradients()
    };
    let x0 = vec![0.0; 20];
    let strong = |eps| {
        gradients(AcgdS::strongly_convex(&instance.problem, &x0, (l, instance.mu), distances).unwrap(), eps)
    };
    let plain = |eps| gradients(AcgdS::with_constants(&instance.problem, &x0, l, distances).unwrap(), eps);
    let taken: Vec<u64> = [1e-2, 1e-4, 1e-6, 1e-8].into_iter().map(strong).collect();
    // Two decades more cost as much as the two before, up to a half.
    for three in taken.windows(3) {
        let (before, after) = (three[1] - three[0], three[2] - three[1]);
        assert!(2 * after <= 3 * before + 4, "{taken:?}");
    }
    let plain: Vec<u64> = [1e-2, 1e-4, 1e-6].into_iter().map(plain).collect();
    assert!(
        plain[2] - plain[1] > 3 * (plain[1] - plain[0]),
        "without mu_0 two decades cost ten times: {plain:?}"
    );
    assert!(3 * taken[2] < plain[2], "{taken:?} against {plain:?}");
    // sqrt(L/mu_0) log(1/eps): a hundredth of mu_0 costs about ten times.
    let promised = |mu| {
        let fine = promise::acgd_s_strongly_convex(l, mu, 1e-10, at).gradients;
        fine - promise::acgd_s_strongly_convex(l, mu, 1e-8, at).gradients
    };
    let ratio = promised(1e-4) / promised(1e-2);
    assert!((8.0..12.0).contains(&ratio), "{ratio}");
}

fn bits(report: &Report) -> Vec<u64> {
    report.x.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn a_solve_knows_mu_0_of_its_objective_and_repeats_itself() {
    let instance = instance(12, 0.05);
    let settings =
        Settings { method: MethodRule::AcgdS, eps_rel: 1e-6, eps_feas: 1e-6, ..Settings::default() };
    let run =
        |constants: Constants| instance.problem.solve(&Settings { constants, ..settings.clone() }).unwrap();
    let found = run(Constants::default());
    let used = found.constants.clone().unwrap();
    assert_eq!(used.mu_ada, Some(0.05));
    assert!(found.status.is_success(), "{found:?}");
    assert!(found.counts.gradients <= found.prelude.unwrap().promised.unwrap());
    let again = run(used.clone());
    assert_eq!((bits(&found), again.prelude.unwrap().counts.gradients), (bits(&again), 0));
    assert_eq!(again.constants, Some(used.clone()));
    // mu_ada = 0 is the method for plain convexity.
    let plain =
        run(Constants { mu_ada: Some(0.0), iterations: Some(found.counts.gradients), ..used.clone() });
    assert_ne!(bits(&plain), bits(&found));
    assert_eq!(plain.constants.clone().unwrap().mu_ada, Some(0.0));
    let refused = instance
        .problem
        .solve(&Settings { constants: Constants { mu_ada: Some(1e3), ..used }, ..settings.clone() });
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("mu_0 is 1000; it must be at most L(Lambda_r)"), "{told}");
}
