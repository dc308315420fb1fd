//! Certificates changed by somebody who wants them to say more.

use crate::random::Random;
use ufcm::certificate::{Certificate, Infeasibility, Premise, Witness};

/// What is changed.
pub const FORGERIES: [&str; 24] = [
    "lower bound raised",
    "lower bound raised a little",
    "lower bound no number",
    "upper bound lowered",
    "violation lowered",
    "far centre, tiny radius",
    "x as centre, tiny radius",
    "some centre and radius",
    "radius no number",
    "negative radius",
    "level too low",
    "start of the level elsewhere",
    "bounded domain",
    "no premise",
    "multipliers perturbed",
    "multipliers negated",
    "multipliers scaled",
    "weights changed",
    "y moved",
    "curvature raised",
    "witnesses dropped",
    "witnesses doubled",
    "x replaced",
    "grounds emptied",
];

fn some(random: &mut Random, n: usize) -> usize {
    (random.within(0.0, n as f64) as usize).min(n - 1)
}

fn size(random: &mut Random) -> f64 {
    10f64.powf(random.within(-9.0, 2.0))
}

/// Forgery number `kind` of a sound certificate. Whatever is changed, a bound that is as large as can be got away with is
/// claimed besides in every other forgery.
pub fn forge(kind: usize, sound: &Certificate, random: &mut Random) -> Certificate {
    let mut forged = sound.clone();
    let unit = 1.0 + sound.upper.abs();
    match FORGERIES[kind] {
        "lower bound raised" => forged.lower = sound.upper + size(random) * unit,
        "lower bound raised a little" => forged.lower += 1e-6 * size(random).min(1.0) * unit,
        "lower bound no number" => {
            forged.lower = if random.within(0.0, 1.0) < 0.5 { f64::NAN } else { f64::INFINITY }
        }
        "upper bound lowered" => forged.upper -= size(random) * unit,
        "violation lowered" => forged.violation = random.within(-1.0, 0.9) * sound.violation,
        "x replaced" => forged.x.iter_mut().for_each(|x| *x += size(random) * random.within(-1.0, 1.0)),
        "grounds emptied" => forged.grounds.clear(),
        "curvature raised" => forged.curvature = sound.curvature * 2.0 + size(random),
        premise if kind < 14 => forged.premise = forged_premise(premise, sound, random),
        evidence => forge_evidence(evidence, &mut forged.witnesses, random),
    }
    if kind > 4 && random.within(0.0, 1.0) < 0.5 {
        forged.lower = sound.upper - 1e-7 * unit * random.within(0.0, 1.0);
    }
    forged
}

fn forged_premise(kind: &str, sound: &Certificate, random: &mut Random) -> Premise {
    let n = sound.x.len();
    match kind {
        "far centre, tiny radius" => Premise::Radius { centre: vec![1e9; n], radius: 1e-3 },
        "x as centre, tiny radius" => Premise::Radius { centre: sound.x.clone(), radius: size(random) },
        "some centre and radius" => {
            let centre = sound.x.iter().map(|x| x + size(random) * random.within(-1.0, 1.0)).collect();
            Premise::Radius { centre, radius: size(random) }
        }
        "radius no number" => {
            let radius = if random.within(0.0, 1.0) < 0.5 { f64::NAN } else { f64::INFINITY };
            Premise::Radius { centre: sound.x.clone(), radius }
        }
        "negative radius" => Premise::Radius { centre: sound.x.clone(), radius: -size(random) },
        "level too low" => match &sound.premise {
            Premise::LevelSet { start, tau } => {
                Premise::LevelSet { start: start.clone(), tau: tau - size(random) * tau.abs().max(1.0) }
            }
            _ => Premise::LevelSet { start: sound.x.clone(), tau: random.within(-1.0, 1.0) },
        },
        "start of the level elsewhere" => {
            let start = sound.x.iter().map(|x| x + size(random) * random.within(-1.0, 1.0)).collect();
            let tau = match &sound.premise {
                Premise::LevelSet { tau, .. } => *tau,
                _ => size(random),
            };
            Premise::LevelSet { start, tau }
        }
        "bounded domain" => Premise::BoundedDomain,
        _ => Premise::None,
    }
}

fn forge_evidence(kind: &str, witnesses: &mut Vec<Witness>, random: &mut Random) {
    if witnesses.is_empty() {
        return;
    }
    let k = some(random, witnesses.len());
    match kind {
        "multipliers perturbed" => {
            let amount = size(random);
            for l in &mut witnesses[k].multipliers {
                *l += amount * random.within(-1.0, 1.0);
            }
        }
        "multipliers negated" => {
            let j = some(random, witnesses[k].multipliers.len());
            witnesses[k].multipliers[j] *= -1.0;
        }
        "multipliers scaled" => {
            let factor = size(random);
            witnesses[k].multipliers.iter_mut().skip(1).for_each(|l| *l *= factor);
        }
        "weights changed" => {
            let amount = size(random);
            witnesses[k].weight += amount;
            // Half of them still sum to 1.
            if random.within(0.0, 1.0) < 0.5 {
                let other = (k + 1) % witnesses.len();
                witnesses[other].weight -= amount;
            }
        }
        "y moved" => {
            let amount = size(random);
            witnesses[k].y.iter_mut().for_each(|y| *y += amount * random.within(-1.0, 1.0));
        }
        "witnesses dropped" => {
            witnesses.remove(k);
            let total: f64 = witnesses.iter().map(|witness| witness.weight).sum();
            if random.within(0.0, 1.0) < 0.7 && total > 0.0 {
                witnesses.iter_mut().for_each(|witness| witness.weight /= total);
            }
        }
        _ => {
            witnesses.push(witnesses[k].clone());
            if random.within(0.0, 1.0) < 0.7 {
                witnesses[k].weight *= 0.5;
                let last = witnesses.len() - 1;
                witnesses[last].weight *= 0.5;
            }
        }
    }
}

/// A "proof" that a problem has no feasible point, made from what a certificate or a proof holds.
pub fn forge_infeasibility(witnesses: &[Witness], x: &[f64], random: &mut Random) -> Infeasibility {
    let mut forged = witnesses.to_vec();
    for witness in &mut forged {
        // Those of the objective prove nothing.
        witness.multipliers[0] = 0.0;
        let largest = witness.multipliers.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
        if largest > 0.0 {
            witness.multipliers.iter_mut().for_each(|l| *l /= largest);
        }
    }
    let kinds =
        ["multipliers perturbed", "multipliers negated", "weights changed", "y moved", "witnesses dropped"];
    forge_evidence(kinds[some(random, kinds.len())], &mut forged, random);
    let premise = match some(random, 4) {
        0 => Premise::None,
        1 => Premise::BoundedDomain,
        2 => Premise::Radius { centre: x.to_vec(), radius: size(random) },
        _ => Premise::Radius { centre: vec![1e9; x.len()], radius: 1e-3 },
    };
    Infeasibility { premise, witnesses: forged, grounds: Vec::new(), rows: Vec::new() }
}
