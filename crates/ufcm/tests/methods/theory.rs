//! The theory, checked by running it: on instances with a planted saddle point the published method does what its
//! theorems promise, within the oracle calls they promise.

use crate::planted;

use planted::runs::{self, fitted_slope};
use planted::{COMPOSITIONS, Composition, Instance, RowKind, uniform_instance};
use ufcm::method::{Doubling, Ufcm, UfcmParameters};
use ufcm::theory::measure::{DualPoint, gap, lagrangian, optimality};
use ufcm::theory::promise::{self, Balance, Case, Errors};

#[test]
fn planted_saddle_points_are_saddle_points() {
    for composition in COMPOSITIONS {
        for (p, convexity) in
            [(0.0, None), (0.5, None), (1.0, None), (1.0, Some((0.5, 1.0))), (1.0, Some((0.5, 3.0)))]
        {
            let instance = uniform_instance(composition, p, convexity, 3);
            let saddle = &instance.saddle;
            let at_saddle = DualPoint::at(&instance.problem, &saddle.x, &saddle.multipliers).unwrap();
            let value = lagrangian(&instance.problem, &saddle.x, &at_saddle);
            assert!(
                (value - saddle.value).abs() < 1e-12,
                "{composition:?}: {value} against {}",
                saddle.value
            );
            let mut random = planted::Random(5);
            for _ in 0..50 {
                let x = random.vector(30, 2.0);
                assert!(lagrangian(&instance.problem, &x, &at_saddle) >= saddle.value - 1e-10);
                let mut g = vec![0.0; instance.problem.rows()];
                instance.problem.mapping().values(&x, &mut g).unwrap();
                let mut multipliers = vec![0.0; g.len()];
                instance.problem.composer().multipliers_at(&g, &mut multipliers);
                if instance.problem.composer().conjugate(&multipliers).is_finite() {
                    let dual = DualPoint::at(&instance.problem, &x, &multipliers).unwrap();
                    assert!(lagrangian(&instance.problem, &saddle.x, &dual) <= saddle.value + 1e-10);
                    // Q(z, z*) >= 0 (below eq:gap-function).
                    assert!(gap(&instance.problem, (&x, &dual), (&saddle.x, &at_saddle)) >= -1e-10);
                }
            }
            let exact = optimality(&instance.problem, &saddle.x, saddle, 0.1).unwrap();
            assert!(exact.eps().abs() < 1e-9, "{composition:?}: x* is optimal: {exact:?}");
        }
    }
}

#[test]
fn the_promised_steps_suffice_for_every_composer_and_exponent() {
    for composition in COMPOSITIONS {
        for (p, eps) in [(0.0, 0.3), (0.25, 0.1), (0.5, 0.03), (1.0, 1e-3)] {
            let instance = uniform_instance(composition, p, None, 11);
            let run = runs::ufcm(&instance, eps, false);
            let label = format!("{composition:?}, p = {p}, eps = {eps}");
            assert!(run.reached <= eps, "{label}: {} after {} steps", run.reached, run.promised.gradients);
            assert!(run.hit as f64 <= run.promised.gradients.ceil());
            assert!(
                run.inner_steps as f64 <= run.promised.proximal,
                "{label}: {} inner steps",
                run.inner_steps
            );
            assert!(run.excursion <= 1.0, "{label}: the iterates left the proven ball, {}", run.excursion);
        }
    }
}

#[test]
fn observed_rates_match_the_exponents() {
    // The order in 1/eps is 2/(1 + 3p). A fit over two decades at most cannot be exact; a wrong p would be off by more.
    for composition in COMPOSITIONS {
        for (p, first, last) in [(0.0, 0.6, 0.2), (0.25, 0.15, 1e-2), (0.5, 0.15, 1e-3), (1.0, 0.15, 1e-5)] {
            let instance = uniform_instance(composition, p, None, 11);
            let accuracies = runs::accuracies(&instance, first, last, 5);
            let list: Vec<_> = accuracies.into_iter().map(|eps| runs::ufcm(&instance, eps, true)).collect();
            let (slope, order) = (fitted_slope(&list), 2.0 / (1.0 + 3.0 * p));
            // The squared hinge starts nearly optimal at the coarse accuracies a test can afford for p = 0.
            let coarse = p == 0.0 && matches!(composition, Composition::SquaredHinge(_));
            let range = if coarse { 0.7..1.8 } else { 0.7..1.3 };
            assert!(
                range.contains(&(slope / order)),
                "{composition:?}, p = {p}: {slope:.2} against {order:.2}"
            );
        }
    }
}

#[test]
fn restarts_keep_their_promises_in_all_four_cases() {
    let mut seen = Vec::new();
    for composition in COMPOSITIONS {
        for convexity in [None, Some((0.3, 1.0)), Some((0.3, 2.0)), Some((0.3, 3.0))] {
            let instance = uniform_instance(composition, 1.0, convexity, 11);
            let eps = 1e-3 * runs::initial(&instance);
            let theory = instance.theory(eps).unwrap();
            let l_h = runs::composer_smoothness(&instance);
            seen.push(Case::of(theory.mu_ada(), l_h, eps, instance.distances(1.0)));
            for own in [false, true] {
                let run = runs::restarted(&instance, eps, own, false);
                let label = format!("{composition:?}, {convexity:?}, own constants {own}: {run:?}");
                assert!(run.reached <= eps, "{label}");
                assert!(run.gradients as f64 <= run.promised.gradients.ceil(), "{label}");
                assert!(run.inner_steps as f64 <= run.promised.proximal, "{label}");
            }
        }
    }
    for case in [Case::Neither, Case::Dual, Case::Primal, Case::Both] {
        assert!(seen.contains(&case), "{case:?} was not tried");
    }
}

#[test]
fn strong_convexity_makes_restarts_linear() {
    // Table 1: each factor in eps costs the same number of gradients more, where Algorithm 1 pays a factor.
    for composition in COMPOSITIONS {
        let instance = uniform_instance(composition, 1.0, Some((0.3, 1.0)), 11);
        let start = runs::initial(&instance);
        let gradients: Vec<usize> = [1e-2, 1e-4, 1e-6, 1e-8]
            .map(|share| {
                let run = runs::restarted(&instance, share * start, true, false);
                assert!(run.reached <= run.eps, "{composition:?}: {run:?}");
                run.gradients
            })
            .to_vec();
        let steps: Vec<usize> = gradients.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (least, most) = (steps.iter().min().unwrap(), steps.iter().max().unwrap());
        assert!(*most <= 2 * *least, "{composition:?}: {gradients:?}");
    }
}

#[test]
fn each_executions_own_constants_never_cost_more() {
    for composition in COMPOSITIONS {
        for q in [2.0, 3.0] {
            let instance = uniform_instance(composition, 1.0, Some((0.3, q)), 11);
            let eps = 1e-4 * runs::initial(&instance);
            let (one, own) =
                (runs::restarted(&instance, eps, false, false), runs::restarted(&instance, eps, true, false));
            assert!(
                own.gradients <= one.gradients,
                "{composition:?}, q = {q}: {} and {}",
                own.gradients,
                one.gradients
            );
        }
    }
}

#[test]
fn strongly_convex_constraints_count() {
    // Section application-to-func-constrained: mu_ADA = mu_0 + sum of lambda*_j mu_j, not mu_0 alone.
    let row = |convexity: Option<(f64, f64)>, multiplier: f64| RowKind {
        scale: 1.0,
        p: 1.0,
        convexity,
        multiplier,
    };
    let make = |constraint: Option<(f64, f64)>| {
        let kinds = [row(Some((0.01, 1.0)), 1.0), row(constraint, 2.0)];
        Instance::new(Composition::Constraints, &kinds, 30, 9).unwrap()
    };
    let (flat, curved) = (make(None), make(Some((0.5, 1.0))));
    let eps = 1e-5;
    assert!((flat.theory(eps).unwrap().mu_ada() - 0.01).abs() < 1e-12);
    assert!((curved.theory(eps).unwrap().mu_ada() - 1.01).abs() < 1e-12);
    let (flat, curved) =
        (runs::restarted(&flat, eps, true, false), runs::restarted(&curved, eps, true, false));
    assert!(flat.reached <= eps && curved.reached <= eps);
    assert!(3 * curved.gradients < flat.gradients, "{} and {}", curved.gradients, flat.gradients);
}

#[test]
fn inactive_constraints_do_not_slow_it_down() {
    let hit = |count: usize, scale: f64| {
        let row = |scale: f64, multiplier: f64| RowKind { scale, p: 1.0, convexity: None, multiplier };
        let mut kinds = vec![row(1.0, 1.0), row(2.0, 0.7)];
        kinds.extend((0..count).map(|_| row(scale, 0.0)));
        let run = runs::ufcm(&Instance::new(Composition::Constraints, &kinds, 30, 7).unwrap(), 1e-4, true);
        (run.hit as f64, run.promised.gradients)
    };
    let (alone, promised_alone) = hit(0, 1.0);
    let (beside, promised_beside) = hit(10, 10.0);
    assert!(beside <= 1.2 * alone, "{beside} against {alone}");
    assert!(promised_beside <= 1.2 * promised_alone, "r is small, so is (lambda* + r) L");
}

#[test]
fn a_smooth_and_a_lipschitz_piece_go_over_into_each_other() {
    // Section 1.2: promised sqrt((1 - lambda*) L D^2/eps) + (lambda* M D/eps)^2 up to constants; observed accordingly.
    // lambda^0 = (1/2, 1/2) at every point of the sweep: what it costs must not depend on a lucky start.
    let eps = 0.02;
    let run =
        |lipschitz: f64, power| runs::ufcm(&planted::smooth_and_lipschitz(lipschitz, eps, power), eps, true);
    let sweep: Vec<_> = [0.0, 0.01, 0.1, 0.3].into_iter().map(|share| run(share, 0.75)).collect();
    for run in &sweep {
        assert!(run.hit as f64 <= run.promised.gradients.ceil(), "{run:?}");
    }
    let promised: Vec<f64> = sweep.iter().map(|run| run.promised.gradients).collect();
    assert!(promised.windows(2).all(|pair| pair[0] < pair[1]), "{promised:?}");
    assert!(sweep.windows(2).all(|pair| pair[0].hit < pair[1].hit), "{sweep:?}");
    assert!(sweep[0].hit < 250 && sweep[3].hit > 40 * sweep[0].hit, "{sweep:?}");
    // The paper's r = eps^(3/4): with r = sqrt(eps) the Lipschitz piece counts for (r M D/eps)^2 = M^2 D^2/eps where lambda* = 0.
    let (small, large) = (sweep[0].promised.gradients, run(0.0, 0.5).promised.gradients);
    assert!(2.0 * small < large, "{small} and {large}");
}

#[test]
fn both_parameter_choices_and_any_c_and_delta_keep_the_smooth_theorem() {
    for composition in COMPOSITIONS {
        let instance = uniform_instance(composition, 1.0, None, 21);
        let eps: f64 = 1e-3;
        let choices = [
            (None, eps.sqrt()),
            (Some((1.0, 1.0)), instance.d_lambda * eps.sqrt()),
            (Some((0.3, 4.0)), 0.05),
            (Some((5.0, 0.2)), 0.2),
        ];
        for (factors, r) in choices {
            let theory = ufcm::theory::Aggregate::new(instance.constants.clone(), eps, r).unwrap();
            let l_ada = theory.l_ada_smooth();
            let balanced = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda.max(0.1));
            let balance = match factors {
                None => Balance::without_distances(l_ada),
                Some((c, delta)) => Balance { c: c * balanced.c, delta: delta * balanced.delta },
            };
            let radius =
                promise::iterate_radius(l_ada, balance, instance.d_x, instance.d_lambda, Errors::None);
            let promised = promise::smooth(l_ada, eps, r, balance, instance.distances(radius));
            let mut method = Ufcm::new(
                &instance.problem,
                &instance.x0,
                &instance.multipliers0,
                UfcmParameters { l_ada, balance },
            )
            .unwrap();
            for _ in 0..promised.gradients.ceil() as usize {
                method.step().unwrap();
                let excursion = planted::distance(method.x(), &instance.saddle.x);
                assert!(
                    excursion <= radius * (1.0 + 1e-9),
                    "{composition:?}: {excursion} leaves the ball of {radius}"
                );
            }
            let reached =
                optimality(&instance.problem, method.average_x(), &instance.saddle, r).unwrap().eps();
            assert!(reached <= eps, "{composition:?}, {factors:?}: {reached}");
            assert!(method.inner_steps() as f64 <= promised.proximal);
        }
    }
}

#[test]
fn the_gap_function_is_bounded_as_proven() {
    // The sum behind thm:smooth-composite-convergence, for the averages of x, lambda and nu, at every T.
    for composition in COMPOSITIONS {
        let instance = uniform_instance(composition, 1.0, None, 31);
        let (eps, r) = (1e-3, 0.1);
        let theory = ufcm::theory::Aggregate::new(instance.constants.clone(), eps, r).unwrap();
        let l_ada = theory.l_ada_smooth();
        let balance = Balance::with_distances(l_ada, instance.d_x, instance.d_lambda.max(0.1));
        let parameters = UfcmParameters { l_ada, balance };
        let method = Ufcm::new(&instance.problem, &instance.x0, &instance.multipliers0, parameters).unwrap();
        let mut method = method.keeping_jacobian();
        let saddle =
            DualPoint::at(&instance.problem, &instance.saddle.x, &instance.saddle.multipliers).unwrap();
        for t in 1..=60 {
            method.step().unwrap();
            let averages = method.averages();
            let dual = DualPoint {
                multipliers: averages.multipliers.clone(),
                jacobian: averages.jacobian.unwrap(),
                offsets: averages.offsets.unwrap(),
            };
            let q = gap(&instance.problem, (&averages.x, &dual), (&instance.saddle.x, &saddle));
            let Balance { c, delta } = balance;
            let total =
                (c / delta + 2.0 * l_ada) * instance.d_x.powi(2) + instance.d_lambda.powi(2) / (c * delta);
            assert!(q <= total / (t * t) as f64 + 1e-12, "{composition:?}, T = {t}: {q}");
            assert!(q >= -1e-10, "{composition:?}, T = {t}: Q(z, z*) = {q} must not be negative");
        }
    }
}

#[test]
fn doubling_finds_the_constant_at_a_constant_factor() {
    for composition in [Composition::Constraints, Composition::Max] {
        let instance = uniform_instance(composition, 1.0, None, 11);
        let eps = 1e-3;
        let l_ada = instance.theory(eps).unwrap().l_ada(instance.d_x);
        let distances = (instance.d_x, instance.d_lambda);
        let mut schedule =
            Doubling::new(&instance.problem, &instance.x0, &instance.multipliers0, eps, distances).unwrap();
        loop {
            let ended = schedule.step().unwrap();
            if ended && schedule.l() >= l_ada {
                break;
            }
        }
        let reached = runs::measured(&instance, schedule.method().average_x(), eps);
        assert!(reached <= eps, "{composition:?}: {reached}");
        // A geometric sum of ratio sqrt(2) that may overshoot L_ADA by 2.
        let single = (24.0 * l_ada * instance.d_x.powi(2) / eps).sqrt();
        let factor = 2f64.sqrt() / (1.0 - 0.5f64.sqrt());
        assert!(schedule.gradients() as f64 <= factor * single + 20.0);
    }
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    let instance = uniform_instance(Composition::Constraints, 1.0, None, 3);
    let good = UfcmParameters { l_ada: 1.0, balance: Balance { c: 1.0, delta: 1.0 } };
    let start = |x: &[f64], multipliers: &[f64], parameters| {
        Ufcm::new(&instance.problem, x, multipliers, parameters).err().map(|error| error.to_string())
    };
    let (x0, l0) = (&instance.x0[..], &instance.multipliers0[..]);
    assert_eq!(start(x0, l0, good), None);
    let refused = |message: Option<String>, part: &str| {
        let message = message.unwrap_or_else(|| panic!("`{part}` expected"));
        assert!(message.contains(part), "`{message}` should contain `{part}`");
    };
    refused(start(x0, l0, UfcmParameters { l_ada: f64::NAN, ..good }), "L_ADA is NaN");
    refused(start(x0, l0, UfcmParameters { l_ada: -1.0, ..good }), "L_ADA is -1; it must be positive");
    let balance = |c, delta| UfcmParameters { balance: Balance { c, delta }, ..good };
    refused(start(x0, l0, balance(0.0, 1.0)), "C is 0; it must be positive");
    refused(start(x0, l0, balance(1.0, f64::INFINITY)), "Delta is inf");
    refused(start(&x0[1..], l0, good), "x0 has length 29; expected 30");
    refused(start(&vec![f64::NAN; 30], l0, good), "x0[0] is NaN");
    refused(start(&vec![10.0; 30], l0, good), "x0 lies outside the domain of u (l2 ball)");
    refused(start(x0, &[1.0, 0.0], good), "lambda0 has length 2; expected 3");
    refused(start(x0, &[1.0, -0.5, 0.0], good), "lambda0 lies outside the domain of h*");
    refused(start(x0, &[0.5, 0.0, 0.0], good), "lambda0 lies outside the domain of h*");
    let doubling = |eps, d: (f64, f64)| {
        Doubling::new(&instance.problem, x0, l0, eps, d).err().map(|error| error.to_string())
    };
    refused(doubling(0.0, (1.0, 1.0)), "eps is 0");
    refused(doubling(1.0, (f64::NAN, 1.0)), "D_x is NaN");
    refused(doubling(1.0, (1.0, -2.0)), "D_lambda is -2");
    let plan = |l_ada, mu, l_h, eps, d, k| {
        ufcm::method::RestartPlan::new(l_ada, mu, l_h, eps, d, k).err().map(|error| error.to_string())
    };
    refused(plan(0.0, 0.0, 1.0, 1.0, (1.0, 1.0), 1), "L_ADA is 0");
    refused(plan(1.0, -1.0, 1.0, 1.0, (1.0, 1.0), 1), "mu_ADA is -1");
    refused(plan(1.0, 0.0, f64::NAN, 1.0, (1.0, 1.0), 1), "L_h is NaN");
    refused(plan(1.0, 0.0, f64::INFINITY, -1.0, (1.0, 1.0), 1), "eps is -1");
    refused(plan(1.0, 0.0, f64::INFINITY, 1.0, (1.0, 1.0), 0), "executions is empty");
    let measure =
        |r| optimality(&instance.problem, x0, &instance.saddle, r).err().map(|error| error.to_string());
    refused(measure(0.0), "r is 0");
}
