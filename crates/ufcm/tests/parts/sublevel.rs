//! Sublevel sets of composers: projections, support functions and Jacobians against their definitions, and problems whose answers are known.

use crate::composers_common::Stream;
use ufcm::audit::{self, AuditOptions};
use ufcm::component::Linear;
use ufcm::composer::{
    ConditionalValueAtRisk, Huber, L1Norm, L2Norm, LinfNorm, LogSumExp, Max, Nonpositive, Penalty, PowerSum,
    Quadratic, Quantile, Scaled, SquaredHinge, Sublevel, WeightedSum,
};
use ufcm::jacobian::ProxJacobian;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Composer, Weight};
use ufcm::problem::{Constraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

/// Composers of `m` rows, each with levels above its least value.
fn inner(m: usize) -> Vec<(&'static str, Box<dyn Composer>, Vec<f64>)> {
    let any = || vec![-2.0, 0.0, 3.0];
    let positive = || vec![1e-3, 1.0, 40.0];
    vec![
        ("l1", Box::new(L1Norm::new(vec![1.5; m]).unwrap()), positive()),
        ("l2", Box::new(L2Norm::new(m, 2.0).unwrap()), positive()),
        ("linf", Box::new(LinfNorm::new(m, 0.5).unwrap()), positive()),
        ("quantile", Box::new(Quantile::new(m, 0.8, 1.0).unwrap()), positive()),
        ("penalty", Box::new(Penalty::new(m, 3.0).unwrap()), positive()),
        ("power 1.3", Box::new(PowerSum::new(m, 1.3, 0.7).unwrap()), positive()),
        ("power 2", Box::new(PowerSum::new(m, 2.0, 2.0).unwrap()), positive()),
        ("huber", Box::new(Huber::new(m, 0.5, 2.0).unwrap()), positive()),
        ("squares", Box::new(Quadratic::new(vec![2.0; m]).unwrap()), positive()),
        ("squared hinge", Box::new(SquaredHinge::new(m, 0.5).unwrap()), positive()),
        ("max", Box::new(Max::new(m).unwrap()), any()),
        ("risk", Box::new(ConditionalValueAtRisk::new(m, 0.6).unwrap()), any()),
        ("log-sum-exp", Box::new(LogSumExp::new(m, 0.5).unwrap()), any()),
        ("sum", Box::new(WeightedSum::new((0..m).map(|j| 1.0 + j as f64).collect()).unwrap()), any()),
        (
            "3 l1",
            Box::new(Scaled::new(3.0, Box::new(L1Norm::new(vec![1.0; m]).unwrap())).unwrap()),
            positive(),
        ),
    ]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Visits every set with weights and points of several sizes.
fn visit(mut check: impl FnMut(&str, &Sublevel, &dyn Composer, f64, &[f64], &[f64], &mut Stream)) {
    let mut stream = Stream(46);
    for m in [1, 2, 3, 7] {
        for ((name, plain, levels), (_, again, _)) in inner(m).into_iter().zip(inner(m)) {
            let mut plain = Some(plain);
            for (k, level) in levels.iter().enumerate() {
                let boxed = match k {
                    0 => plain.take().unwrap(),
                    _ => inner(m).into_iter().find(|(other, ..)| *other == name).unwrap().1,
                };
                let set = Sublevel::new(boxed, *level).unwrap();
                for scale in [0.1, 3.0, 100.0] {
                    for diagonal in [false, true] {
                        let one = stream.magnitude(0.1, 10.0);
                        let w: Vec<f64> = (0..m)
                            .map(|_| if diagonal { stream.magnitude(0.1, 10.0) } else { one })
                            .collect();
                        let v = stream.point(m, scale, &[0.0, 1.0]);
                        let label = format!("{name} of {m} rows at most {level}, w = {w:?}, v = {v:?}");
                        check(&label, &set, &*again, *level, &w, &v, &mut stream);
                    }
                }
            }
        }
    }
}

fn prox(set: &Sublevel, w: &[f64], v: &[f64]) -> Vec<f64> {
    let mut l = v.to_vec();
    set.prox_conjugate(Weight::diagonal(1.0, w), &mut l).unwrap();
    l
}

/// z = W (v - l) is in the set, and <l, z> is the largest of <l, .> over it, which the conjugate says: so z is the projection of W v.
#[test]
fn the_prox_of_the_conjugate_is_a_projection() {
    let mut outside = 0;
    visit(|label, set, inner, level, w, v, _| {
        let l = prox(set, w, v);
        let z: Vec<f64> = (0..v.len()).map(|j| w[j] * (v[j] - l[j])).collect();
        let size = norm(&z) + w.iter().zip(v).map(|(w, v)| (w * v).abs()).sum::<f64>() + level.abs();
        let excess = inner.value(&z) - level;
        assert!(excess <= 1e-9 * (1.0 + size) * (1.0 + inner.value(&z).abs()), "{label}: off by {excess:e}");
        let gap = set.conjugate(&l) - dot(&l, &z);
        assert!(gap.abs() <= 1e-9 * (1.0 + norm(&l) * size), "{label}: l = {l:?}, gap {gap:e}");
        let moved = w.iter().zip(v).map(|(w, v)| w * v).collect::<Vec<f64>>();
        assert_eq!(set.value(&moved) == f64::INFINITY, l.iter().any(|l| *l != 0.0), "{label}");
        outside += usize::from(l.iter().any(|l| *l != 0.0));
    });
    assert!(outside > 500, "{outside}");
}

/// No point of the set has a larger product than the conjugate says, and no t a smaller bound.
#[test]
fn the_conjugate_is_the_support_function() {
    visit(|label, set, inner, level, w, v, stream| {
        let l = prox(set, w, v);
        let sigma = set.conjugate(&l);
        for size in [0.1, 1.0, 10.0] {
            let mut z = stream.point(l.len(), size, &[0.0]);
            // Into the set.
            inner.prox(Weight::scalar(1e-3), &mut z).unwrap();
            if set.value(&z) == 0.0 {
                assert!(dot(&l, &z) <= sigma + 1e-9 * (1.0 + norm(&l) * norm(&z)), "{label}: {z:?}");
            }
        }
        let t = set.multiplier(&l);
        for factor in [0.5, 0.9, 1.1, 2.0] {
            let k: Vec<f64> = l.iter().map(|l| l / (factor * t)).collect();
            let other = factor * t * (level + inner.conjugate(&k));
            assert!(
                t == 0.0 || other >= sigma - 1e-9 * (1.0 + sigma.abs()),
                "{label}: {other} below {sigma}"
            );
        }
        let distance = set.domain_distance(v);
        assert_eq!(distance > 0.0, set.value(v) == f64::INFINITY, "{label}");
        let near = prox(set, &vec![1.0; v.len()], v);
        assert!((distance - norm(&near)).abs() <= 1e-9 * (1.0 + distance), "{label}: {distance}");
    });
}

#[test]
fn jacobians_are_the_derivatives_of_the_prox() {
    let (mut storage, mut compared, mut met) = (ProxJacobian::new(), 0, 0);
    visit(|label, set, _, _, w, v, _| {
        let composer: &dyn Composer = set;
        composer.prox_conjugate_jacobian(Weight::diagonal(1.0, w), v, &mut storage.start(v.len())).unwrap();
        let step = 1e-6 * (1e-3 + norm(v));
        for j in 0..v.len() {
            let quotient = |direction: f64| -> Vec<f64> {
                let mut moved = v.to_vec();
                moved[j] += direction * step;
                let (there, here) = (prox(set, w, &moved), prox(set, w, v));
                there.iter().zip(&here).map(|(a, b)| (a - b) / (direction * step)).collect()
            };
            let (ahead, behind) = (quotient(1.0), quotient(-1.0));
            met += 1;
            let apart: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| a - b).collect();
            if norm(&apart) > 1e-3 {
                continue;
            }
            compared += 1;
            // The ordinary Jacobian is S W.
            let mut unit = vec![0.0; v.len()];
            unit[j] = w[j];
            let mut column = vec![0.0; v.len()];
            storage.apply(&unit, &mut column);
            for (i, (a, b)) in ahead.iter().zip(&behind).enumerate() {
                let error = (0.5 * (a + b) - column[i]).abs();
                assert!(error <= 2e-3, "{label}, ({i}, {j}): {} against {}", 0.5 * (a + b), column[i]);
            }
        }
    });
    assert!(compared * 10 > met * 8, "{compared} of {met}");
}

#[test]
fn an_audit_finds_nothing_wrong() {
    for (name, plain, levels) in inner(4) {
        let set = Sublevel::new(plain, levels[2]).unwrap();
        let found = audit::composer(&set, &AuditOptions { quick: true, ..AuditOptions::default() }).unwrap();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn what_cannot_be_bounded_is_refused() {
    let l1 = || Box::new(L1Norm::new(vec![1.0; 2]).unwrap());
    for level in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Sublevel::new(l1(), level).is_err(), "{level}");
    }
    assert!(Sublevel::new(Box::new(Nonpositive::new(2)), 1.0).is_err());
    assert!(Sublevel::new(Box::new(Sublevel::new(l1(), 1.0).unwrap()), 1.0).is_err());
}

/// A set's name, c, the composer, its bound, and the least of c.x.
type Case<'a> = (&'a str, &'a [f64], Box<dyn Composer>, f64, f64);

/// The least of c.x over each set, in a box that does not matter: minus its support function at -c, from the formulas of textbooks.
#[test]
fn linear_functions_have_their_known_minima() {
    let c = [-3.0, 1.0, -2.0, 0.5];
    let share = [-0.4, -0.3, -0.2, -0.1];
    let p = |p: f64| c.iter().map(|c: &f64| c.abs().powf(p / (p - 1.0))).sum::<f64>().powf((p - 1.0) / p);
    let entropy: f64 = share.iter().map(|c: &f64| c.abs() * c.abs().ln()).sum();
    let cases: Vec<Case<'_>> = vec![
        ("l1", &c, Box::new(L1Norm::new(vec![1.0; 4]).unwrap()), 2.0, -6.0),
        ("l2", &c, Box::new(L2Norm::new(4, 1.0).unwrap()), 2.0, -2.0 * norm(&c)),
        ("linf", &c, Box::new(LinfNorm::new(4, 1.0).unwrap()), 2.0, -2.0 * 6.5),
        ("power", &c, Box::new(PowerSum::new(4, 1.5, 1.0).unwrap()), 2.0, -p(1.5) * 2f64.powf(1.0 / 1.5)),
        // Above 0 a row costs 0.2 of its size, below 0.8.
        ("quantile", &c, Box::new(Quantile::new(4, 0.8, 1.0).unwrap()), 2.0, -2.0 * 3.0 / 0.2),
        ("squares", &c, Box::new(Quadratic::new(vec![2.0; 4]).unwrap()), 4.0, -2.0 * norm(&c)),
        ("risk", &share, Box::new(ConditionalValueAtRisk::new(4, 0.5).unwrap()), 3.0, -3.0),
        ("smooth max", &share, Box::new(LogSumExp::new(4, 1.0).unwrap()), 3.0, -3.0 - entropy),
        (
            "3 times l1",
            &c,
            Box::new(Scaled::new(3.0, Box::new(L1Norm::new(vec![1.0; 4]).unwrap())).unwrap()),
            6.0,
            -6.0,
        ),
    ];
    for (name, c, composer, level, expected) in cases {
        let identity: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
        let rows = Affine::new(Matrix::row_major(4, 4, identity).unwrap(), vec![0.0; 4]).unwrap();
        let set = Sublevel::new(composer, level).unwrap();
        let problem = Problem::minimise(Linear::new(c.to_vec(), 0.0).unwrap())
            .subject_to(Constraint::affine(set, rows).named("bound"))
            .within(Bounds::new(-100.0, 100.0).unwrap())
            .build()
            .unwrap();
        let report = problem.solve(&Settings::default()).unwrap();
        assert_eq!(report.status, Status::Certified, "{name}: {}", report.meaning());
        let allowed = 1e-5 * (1.0 + expected.abs());
        assert!(
            (report.objective - expected).abs() <= allowed,
            "{name}: {} against {expected}",
            report.objective
        );
        assert!(report.lower_bound <= expected + allowed, "{name}: {} above {expected}", report.lower_bound);
        report.certificate.unwrap().verify(&problem).unwrap();
    }
}

#[test]
fn a_set_that_the_domain_does_not_meet_is_infeasible() {
    let rows = Affine::new(Matrix::row_major(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap(), vec![0.0; 2]).unwrap();
    let set = Sublevel::new(Box::new(L1Norm::new(vec![1.0; 2]).unwrap()), 1.0).unwrap();
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(Constraint::affine(set, rows))
        .within(Bounds::new(1.0, 5.0).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Infeasible, "{}", report.meaning());
}
