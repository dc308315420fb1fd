//! The audit is silent on right oracles and loud on wrong ones; the rates are printed and asserted.

mod composers;
mod family;
mod regression;
mod regularisers;

use family::{Closure, FAMILIES, Fault, Planted, Rng, dot, right};
use regression::{Flaw, Regression};
use std::sync::atomic::{AtomicUsize, Ordering};
use ufcm::audit::{self, AuditOptions, Check, Finding};
use ufcm::oracle::{Component, OracleError};

fn findings(component: &dyn Component, seed: u64) -> Vec<Finding> {
    audit::component(component, &AuditOptions { seed, ..AuditOptions::default() }).unwrap()
}

fn shown(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

/// The gradient of a right component at a point of its own: says which entries tell something.
fn reference_gradient(component: &Closure, rng: &mut Rng) -> Vec<f64> {
    let mut gradient = vec![0.0; component.n];
    (component.evaluate)(&rng.vector(component.n), &mut gradient);
    gradient
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| m.max(v.abs()))
}

#[test]
fn right_components_raise_no_alarm() {
    let mut audited = 0;
    for seed in 0..30 {
        for family in 0..FAMILIES {
            let component = right(family, &mut Rng::new(1000 * seed + family as u64));
            let found = findings(&component, seed);
            assert!(found.is_empty(), "seed {seed}, n = {}:\n{}", component.n, shown(&found));
            audited += 1;
        }
    }
    println!("right components: {audited} audited, 0 false alarms");
}

/// Plants `fault` into `count` right components of the given families and counts how many audits notice.
fn catch_rate(
    name: &str,
    families: &[usize],
    count: usize,
    fault: impl Fn(&Closure, &mut Rng) -> Option<Fault>,
    caught: impl Fn(&[Finding], Fault) -> bool,
) -> f64 {
    let (mut planted, mut noticed, mut seed) = (0, 0, 0_u64);
    while planted < count {
        seed += 1;
        let family = families[seed as usize % families.len()];
        let mut rng = Rng::new(77_777 + seed);
        let component = right(family, &mut rng);
        let Some(fault) = fault(&component, &mut rng) else { continue };
        let (kind, n) = (component.kind, component.n);
        let found = findings(&Planted::new(component, fault), seed);
        planted += 1;
        if caught(&found, fault) {
            noticed += 1;
        } else {
            println!("  missed: {kind}, n = {n}, seed {seed}, {fault:?}\n{}", shown(&found));
        }
    }
    let rate = f64::from(noticed) / count as f64;
    println!("{name}: {noticed} of {count} caught ({:.1} %)", 100.0 * rate);
    rate
}

const ALL: [usize; FAMILIES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

fn blames_gradient(found: &[Finding], _: Fault) -> bool {
    found.iter().any(|f| matches!(f.check, Check::Gradient | Check::GradientEntry))
}

fn blames_entry(found: &[Finding], fault: Fault) -> bool {
    let right = |i: usize| match fault {
        Fault::Entry(k, _) | Fault::Zeroed(k) => i == k,
        Fault::Swapped(k, l) => i == k || i == l,
        _ => false,
    };
    found.iter().any(|f| f.check == Check::GradientEntry && f.index.is_some_and(right))
}

#[test]
fn wrong_signs_and_scales_are_caught() {
    assert_eq!(
        catch_rate("flipped sign", &ALL, 200, |_, _| Some(Fault::GradientTimes(-1.0)), blames_gradient),
        1.0
    );
    for c in [1.1, 0.9, 2.0] {
        let name = format!("gradient times {c}");
        assert_eq!(catch_rate(&name, &ALL, 200, |_, _| Some(Fault::GradientTimes(c)), blames_gradient), 1.0);
    }
    let forgotten = |component: &Closure, rng: &mut Rng| {
        let c = if rng.uniform() < 0.5 { 2.0 } else { 1.0 / (component.n + 1) as f64 };
        Some(Fault::ValueTimes(c))
    };
    assert_eq!(catch_rate("value of another scale", &ALL, 200, forgotten, blames_gradient), 1.0);
}

#[test]
fn wrong_indices_and_entries_are_caught() {
    let swapped = |component: &Closure, rng: &mut Rng| {
        let g = reference_gradient(component, rng);
        let by = |a: &usize, b: &usize| g[*a].total_cmp(&g[*b]);
        let (low, high) = ((0..g.len()).min_by(by)?, (0..g.len()).max_by(by)?);
        // Really different, and not at that one point alone.
        let differ = (0..6).all(|_| {
            let g = reference_gradient(component, rng);
            (g[low] - g[high]).abs() > 0.01 * largest(&g)
        });
        differ.then_some(Fault::Swapped(low, high))
    };
    assert_eq!(catch_rate("swapped entries", &ALL, 200, swapped, blames_entry), 1.0);

    let moved = |component: &Closure, _: &mut Rng| (component.n > 1).then_some(Fault::Shifted);
    assert_eq!(catch_rate("shifted entries", &ALL, 200, moved, blames_gradient), 1.0);

    let entry = |component: &Closure, rng: &mut Rng| {
        let g = reference_gradient(component, rng);
        let i = rng.size(0, g.len() - 1);
        let noticeable = g[i].abs() > 1e-2 * largest(&g);
        Some(if noticeable && rng.uniform() < 0.5 {
            Fault::Zeroed(i)
        } else {
            Fault::Entry(i, 0.1 * largest(&g))
        })
    };
    let rate = catch_rate("one wrong entry", &ALL, 200, entry, blames_entry);
    assert!(rate >= 0.99, "{rate}");
}

#[test]
fn stale_gradients_and_lost_constants_are_caught() {
    let curved = [0, 1, 3, 5, 6, 7, 8, 9, 10];
    let any = |found: &[Finding], _: Fault| !found.is_empty();
    assert_eq!(
        catch_rate("gradient of the previous point", &curved, 200, |_, _| Some(Fault::Stale), any),
        1.0
    );
    let lost = |component: &Closure, rng: &mut Rng| {
        let mut own = vec![0.0; component.n];
        let value = (component.evaluate)(&rng.vector(component.n), &mut own);
        Some(Fault::LostConstant(0.01 * value))
    };
    let alone = |found: &[Finding], _: Fault| found.iter().any(|f| f.check == Check::ValueAlone);
    assert_eq!(catch_rate("constant lost in one branch", &ALL, 200, lost, alone), 1.0);
}

fn only_nonconvex(found: &[Finding], _: Fault) -> bool {
    !found.is_empty()
        && found.iter().all(|f| matches!(f.check, Check::Convex | Check::Subgradient | Check::Monotone))
}

#[test]
fn nonconvexity_is_caught_and_not_blamed_on_the_gradient() {
    // A typical curvature of the base.
    let curvature = |component: &Closure, rng: &mut Rng| {
        let (x, y) = (rng.vector(component.n), rng.vector(component.n));
        let (mut gx, mut gy) = (vec![0.0; component.n], vec![0.0; component.n]);
        (component.evaluate)(&x, &mut gx);
        (component.evaluate)(&y, &mut gy);
        let distance =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        distance(&gx, &gy) / distance(&x, &y)
    };
    let ripple = |component: &Closure, rng: &mut Rng| {
        let frequency = 3.0 + 7.0 * rng.uniform();
        // The ripple's curvature is twice a typical one of the base.
        let amplitude = 2.0 * curvature(component, rng) / (frequency * frequency);
        (amplitude > 0.0).then_some(Fault::Ripple(rng.size(0, component.n - 1), amplitude, frequency))
    };
    let dent = |share: f64| {
        move |component: &Closure, rng: &mut Rng| {
            let n = component.n;
            let (i, j) = (rng.size(0, n - 1), rng.size(0, n - 1));
            if i == j {
                return None;
            }
            // The quadratic's own curvature along e_i + e_j, and that less `share` of a typical one.
            let gradient_at = |t: f64| {
                let (mut x, mut g) = (vec![0.0; n], vec![0.0; n]);
                (x[i], x[j]) = (t, t);
                (component.evaluate)(&x, &mut g);
                g[i] + g[j]
            };
            let own = gradient_at(1.0) - gradient_at(0.0);
            Some(Fault::Dent(i, j, (own + share * curvature(component, rng)) / 4.0))
        }
    };
    let kink = |component: &Closure, rng: &mut Rng| {
        let g = reference_gradient(component, rng);
        Some(Fault::ConcaveKink(rng.size(0, component.n - 1), 0.1 * rng.signed(), 0.5 * largest(&g)))
    };
    let quadratics = [0, 9];
    let smooth = [0, 1, 3, 9];
    let rates = [
        catch_rate("ripple", &smooth, 200, ripple, only_nonconvex),
        catch_rate("indefinite, 10 % of the curvature", &quadratics, 200, dent(0.1), only_nonconvex),
        catch_rate("indefinite, 1 % of the curvature", &quadratics, 200, dent(0.01), only_nonconvex),
        catch_rate("concave kink", &[0, 1, 2, 3, 4, 9], 200, kink, only_nonconvex),
    ];
    for rate in rates {
        assert!(rate >= 0.95, "{rates:?}");
    }
}

#[test]
fn bad_answers_are_named() {
    let cases = [
        (Fault::Nan, Check::Finite),
        (Fault::Fails, Check::Failure),
        (Fault::Panics, Check::Panic),
        (Fault::Unwritten(0), Check::Written),
        (Fault::Drifts(1e-14), Check::Repeatable),
        (Fault::Drifts(1e-3), Check::Repeatable),
    ];
    for (fault, check) in cases {
        for family in 0..FAMILIES {
            let component = right(family, &mut Rng::new(family as u64));
            let found = findings(&Planted::new(component, fault), 3);
            assert!(found.iter().any(|f| f.check == check), "{fault:?}, family {family}:\n{}", shown(&found));
        }
    }
}

#[test]
fn a_finding_can_be_reproduced_from_its_witness() {
    let component = right(0, &mut Rng::new(5));
    let n = component.n;
    let planted = Planted::new(component, Fault::GradientTimes(1.1));
    let found = findings(&planted, 0);
    let finding = found.iter().find(|f| f.check == Check::Gradient).unwrap();
    let point = |name: &str| finding.points.iter().find(|(key, _)| *key == name).unwrap().1.clone();
    let number = |name: &str| finding.numbers.iter().find(|(key, _)| *key == name).unwrap().1;
    let (x, d, h) = (point("x"), point("d"), number("h"));
    let mut gradient = vec![0.0; n];
    let value = planted.evaluate(&x, Some(&mut gradient)).unwrap();
    let ahead: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + h * d).collect();
    assert_eq!(number("(f(x + h d) - f(x))/h"), (planted.evaluate(&ahead, None).unwrap() - value) / h);
    assert_eq!(number("<g(x), d>"), dot(&gradient, &d));
    assert!(finding.severity() > 1e3, "{finding}");
    let text = finding.to_string();
    for part in ["component 'least squares'", "<g(x), d> = ", "x = [", "d = ["] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_convexity_witness_is_a_segment_that_bulges() {
    let component = right(9, &mut Rng::new(9));
    let planted = Planted::new(component, Fault::Ripple(0, 1e9, 5.0));
    let found = findings(&planted, 1);
    let finding = found.iter().find(|f| f.check == Check::Convex).unwrap();
    let (x, y, theta) = (&finding.points[0].1, &finding.points[1].1, finding.numbers[0].1);
    let between: Vec<f64> = x.iter().zip(y).map(|(x, y)| (1.0 - theta) * x + theta * y).collect();
    let f = |x: &[f64]| planted.evaluate(x, None).unwrap();
    let excess = f(&between) - ((1.0 - theta) * f(x) + theta * f(y));
    assert!(excess > finding.tolerance && (excess - finding.excess).abs() <= finding.tolerance, "{finding}");
}

#[test]
fn the_same_seed_makes_the_same_audit() {
    let planted = || Planted::new(right(3, &mut Rng::new(4)), Fault::GradientTimes(1.1));
    assert_eq!(findings(&planted(), 8), findings(&planted(), 8));
    assert_ne!(findings(&planted(), 8), findings(&planted(), 9));
}

#[test]
fn declared_knowledge_is_checked() {
    let cases = [
        (Flaw::Smoothness, Check::Smoothness),
        (Flaw::Convexity, Check::UniformConvexity),
        (Flaw::LowerBound, Check::LowerBound),
        (Flaw::Affine, Check::Affine),
        (Flaw::Diagonal, Check::Diagonal),
        (Flaw::HessianEntry, Check::Hessian),
        (Flaw::HessianScale, Check::Hessian),
        (Flaw::HessianIndefinite, Check::Semidefinite),
        (Flaw::HessianOverwrites, Check::Accumulates),
        (Flaw::HessianUpper, Check::Accumulates),
        (Flaw::DiagonalBound, Check::DiagonalBound),
    ];
    const EACH: u64 = 40;
    for seed in 0..EACH {
        let found = findings(&Regression::new(&mut Rng::new(seed), Flaw::None), seed);
        assert!(found.is_empty(), "seed {seed}:\n{}", shown(&found));
    }
    for (flaw, check) in cases {
        let noticed = (0..EACH)
            .filter(|&seed| {
                let found = findings(&Regression::new(&mut Rng::new(seed), flaw), seed);
                found.iter().any(|f| f.check == check)
            })
            .count();
        println!("{flaw:?}: {noticed} of {EACH} caught");
        assert_eq!(noticed as u64, EACH, "{flaw:?}");
    }
}

/// Wraps a component and counts its evaluations.
struct Counted(Closure, AtomicUsize);

impl Component for Counted {
    fn kind(&self) -> &'static str {
        self.0.kind
    }

    fn dimension(&self) -> usize {
        self.0.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.evaluate(x, gradient)
    }
}

/// sum of log cosh(x_i - a_i) over many variables, one gradient entry of it wrong by a factor.
fn large(n: usize, wrong: Option<(usize, f64)>) -> Closure {
    let evaluate = move |x: &[f64], gradient: &mut [f64]| {
        let mut sum = 0.0;
        for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
            let t = x - (i % 7) as f64 * 0.1;
            sum += t.abs() + (-2.0 * t.abs()).exp().ln_1p();
            *g = t.tanh();
            if let Some((k, c)) = wrong
                && i == k
            {
                *g += c;
            }
        }
        sum
    };
    Closure { kind: "log cosh", n, evaluate: Box::new(evaluate) }
}

#[test]
fn large_problems_cost_about_fifty_evaluations() {
    let counted = Counted(large(100_000, None), AtomicUsize::new(0));
    assert!(findings(&counted, 0).is_empty());
    let evaluations = counted.1.into_inner();
    println!("n = 100000: {evaluations} evaluations");
    assert!(evaluations <= 60, "{evaluations}");
}

#[test]
fn one_wrong_entry_among_many_is_found_by_halving() {
    for (seed, index) in [17, 4_999, 12_345, 19_999].into_iter().enumerate() {
        let found = findings(&large(20_000, Some((index, 0.5))), seed as u64);
        let entry = found.iter().find(|f| f.check == Check::GradientEntry);
        assert_eq!(entry.and_then(|f| f.index), Some(index), "{}", shown(&found));
    }
}

#[test]
fn a_centre_on_a_kink_or_far_out_raises_no_alarm() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let n = rng.size(1, 20);
        let evaluate = move |x: &[f64], gradient: &mut [f64]| {
            x.iter().zip(gradient).for_each(|(x, g)| *g = if *x > 0.0 { 1.0 } else { -1.0 });
            x.iter().map(|x| x.abs()).sum()
        };
        let component = Closure { kind: "l1 norm", n, evaluate: Box::new(evaluate) };
        for (centre, radius) in [(0.0, 1.0), (1e6, 1.0), (-3.0, 1e-3), (0.0, 1e5)] {
            let options =
                AuditOptions { seed, radius, centre: Some(vec![centre; n]), ..AuditOptions::default() };
            let found = audit::component(&component, &options).unwrap();
            assert!(found.is_empty(), "seed {seed}, centre {centre}:\n{}", shown(&found));
        }
    }
}

/// Least squares in single precision, the gradient times `c`.
fn single_precision(rng: &mut Rng, c: f32) -> Closure {
    let n = rng.size(1, 30);
    let rows: Vec<Vec<f32>> = (0..n + 3).map(|_| rng.vector(n).iter().map(|a| *a as f32).collect()).collect();
    let evaluate = move |x: &[f64], gradient: &mut [f64]| {
        let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
        let mut g = vec![0.0_f32; n];
        let mut sum = 0.0_f32;
        for row in &rows {
            let r = row.iter().zip(&x).map(|(a, x)| a * x).sum::<f32>() - 0.5;
            sum += 0.5 * r * r;
            g.iter_mut().zip(row).for_each(|(g, a)| *g += c * r * a);
        }
        gradient.iter_mut().zip(&g).for_each(|(out, g)| *out = f64::from(*g));
        f64::from(sum)
    };
    Closure { kind: "single precision", n, evaluate: Box::new(evaluate) }
}

#[test]
fn single_precision_is_rounding_not_a_fault() {
    for seed in 0..100 {
        let found = findings(&single_precision(&mut Rng::new(seed), 1.0), seed);
        assert!(found.is_empty(), "seed {seed}:\n{}", shown(&found));
        let found = findings(&single_precision(&mut Rng::new(seed), 1.2), seed);
        assert!(blames_gradient(&found, Fault::Stale), "seed {seed}:\n{}", shown(&found));
    }
}

#[test]
fn an_oracle_that_overflows_far_out_is_audited_nearer() {
    struct Steep(f64);
    impl Component for Steep {
        fn kind(&self) -> &'static str {
            "steep"
        }
        fn dimension(&self) -> usize {
            1
        }
        fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
            let value = (1e4 * x[0]).exp();
            if (1e4 * value).is_infinite() {
                return Err(OracleError::Overflow { term: 0, argument: 1e4 * x[0] });
            }
            if let Some(gradient) = gradient {
                gradient[0] = self.0 * 1e4 * value;
            }
            Ok(value)
        }
    }
    let found = findings(&Steep(1.0), 0);
    assert!(found.is_empty(), "{}", shown(&found));
    assert!(blames_gradient(&findings(&Steep(1.1), 0), Fault::Stale));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let component = right(0, &mut Rng::new(1));
    for options in [
        AuditOptions { radius: f64::NAN, ..AuditOptions::default() },
        AuditOptions { tolerance: 0.0, ..AuditOptions::default() },
        AuditOptions { centre: Some(vec![0.0; component.n + 1]), ..AuditOptions::default() },
        AuditOptions { centre: Some(vec![f64::INFINITY; component.n]), ..AuditOptions::default() },
    ] {
        assert!(audit::component(&component, &options).is_err(), "{options:?}");
    }
    let few = AuditOptions { points: 0, ..AuditOptions::default() };
    assert!(audit::component(&component, &few).unwrap().is_empty());
}

#[test]
fn right_regularisers_raise_no_alarm() {
    for seed in 0..240 {
        let (regulariser, n) = regularisers::right(seed as usize, &mut Rng::new(seed));
        let options = AuditOptions { seed, ..AuditOptions::default() };
        let found = audit::regulariser(regulariser.as_ref(), n, &options).unwrap();
        assert!(found.is_empty(), "seed {seed}, n = {n}:\n{}", shown(&found));
    }
}

#[test]
fn wrong_regularisers_are_caught() {
    use regularisers::Fault;
    // Each fault with the families (box, l1, one-sided l1 + ridge, elastic net in a box, l1 on x >= 0, ball) in
    // which it is a fault.
    let cases: [(Fault, &[usize], &[Check]); 11] = [
        (Fault::InverseWeight, &[1, 2, 3, 4], &[Check::ProxOptimal]),
        (Fault::NoWeight, &[1, 2, 3, 4], &[Check::ProxOptimal]),
        (Fault::Unclipped, &[0, 3, 4, 5], &[Check::ProxDomain]),
        (Fault::HardThreshold, &[0, 1, 2, 3, 4], &[Check::FirmlyNonexpansive, Check::ProxOptimal]),
        (Fault::MinimumTooHigh, &[0, 1, 2, 3, 4, 5], &[Check::MinLinear, Check::ProxMinLinear]),
        (
            Fault::MinimumMirrored,
            &[0, 2, 3, 4, 5],
            &[Check::MinLinear, Check::Minimiser, Check::ProxMinLinear],
        ),
        (Fault::WrongMinimiser, &[0, 1, 2, 3, 4, 5], &[Check::Minimiser]),
        (Fault::JacobianConvention, &[0, 1, 2, 3, 4, 5], &[Check::ProxJacobian, Check::ProxJacobianRange]),
        (Fault::JacobianIdentity, &[0, 1, 2, 3, 4, 5], &[Check::ProxJacobian]),
        (Fault::StrongConvexity, &[0, 1, 2, 3, 4, 5], &[Check::StrongConvexity]),
        (Fault::Nonconvex, &[0, 1, 3], &[Check::Convex, Check::StrongConvexity, Check::ProxOptimal]),
    ];
    for (fault, families, checks) in cases {
        const EACH: u64 = 36;
        let mut noticed = 0;
        for seed in 0..EACH {
            let family = families[seed as usize % families.len()];
            let (inner, n) = regularisers::right(family, &mut Rng::new(500 + seed));
            let options = AuditOptions { seed, ..AuditOptions::default() };
            let planted = regularisers::Planted { inner, fault };
            let found = audit::regulariser(&planted, n, &options).unwrap();
            if found.iter().any(|f| checks.contains(&f.check)) {
                noticed += 1;
            } else {
                println!("  missed: {fault:?}, family {family}, n = {n}, seed {seed}\n{}", shown(&found));
            }
        }
        println!("regulariser, {fault:?}: {noticed} of {EACH} caught");
        assert_eq!(noticed, EACH, "{fault:?}");
    }
}

#[test]
fn right_composers_raise_no_alarm() {
    for seed in 0..240 {
        let composer = composers::right(seed as usize, &mut Rng::new(seed));
        let options = AuditOptions { seed, ..AuditOptions::default() };
        let found = audit::composer(composer.as_ref(), &options).unwrap();
        assert!(found.is_empty(), "seed {seed}, rows {}:\n{}", composer.rows(), shown(&found));
    }
}

#[test]
fn wrong_composers_are_caught() {
    use composers::Fault;
    // Each fault with the families (constraint, squared hinge, hinge, abs, sum, max) in which it is a fault.
    let cases: [(Fault, &[usize], &[Check]); 11] = [
        (Fault::ClaimsNondecreasing, &[3], &[Check::Nondecreasing]),
        (Fault::Mirrored, &[0, 1, 2, 4], &[Check::Nondecreasing]),
        (Fault::ProxWithoutWeight, &[1, 5], &[Check::ProxOptimal, Check::ProxConjugate]),
        (
            Fault::ProxScaled,
            &[0, 1, 2, 3, 4, 5],
            &[Check::ProxDomain, Check::ProxOptimal, Check::ProxConjugate],
        ),
        (Fault::Conjugate, &[0, 1, 2, 3, 4, 5], &[Check::ProxConjugate]),
        (Fault::Value, &[1, 2, 3, 4, 5], &[Check::FenchelYoung, Check::ProxConjugate, Check::Multipliers]),
        (Fault::Multipliers, &[1, 2, 3, 4, 5], &[Check::Multipliers]),
        (Fault::JacobianConvention, &[0, 1, 2, 3, 5], &[Check::ProxJacobian, Check::ProxJacobianRange]),
        (Fault::Smoothness, &[1], &[Check::Smoothness]),
        (Fault::Distance, &[0, 1, 2, 3, 4, 5], &[Check::DomainDistance]),
        (Fault::Nonconvex, &[0, 2, 3, 4, 5], &[Check::Convex]),
    ];
    for (fault, families, checks) in cases {
        const EACH: u64 = 36;
        let mut noticed = 0;
        for seed in 0..EACH {
            let family = families[seed as usize % families.len()];
            let inner = composers::right(family, &mut Rng::new(900 + seed));
            let options = AuditOptions { seed, ..AuditOptions::default() };
            let rows = inner.rows();
            let found = audit::composer(&composers::Planted { inner, fault }, &options).unwrap();
            if found.iter().any(|f| checks.contains(&f.check)) {
                noticed += 1;
            } else {
                println!("  missed: {fault:?}, family {family}, rows {rows}, seed {seed}\n{}", shown(&found));
            }
        }
        println!("composer, {fault:?}: {noticed} of {EACH} caught");
        assert_eq!(noticed, EACH, "{fault:?}");
    }
}
