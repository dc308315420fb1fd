//! The audit is silent on right oracles and loud on wrong ones; the rates are printed and asserted.

#[path = "audit/family.rs"]
mod family;

use family::{Closure, FAMILIES, Fault, Planted, Rng, right};
use ufcm::audit::{self, AuditOptions, Check, Finding};
use ufcm::oracle::Component;

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
    for seed in 0..60 {
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
        Some(Fault::Ripple(rng.size(0, component.n - 1), amplitude, frequency))
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
