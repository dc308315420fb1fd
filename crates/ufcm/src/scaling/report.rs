//! What came of a run in other units, in the user's.

use super::Factors;
use crate::certificate::{Certificate, Infeasibility, Premise, Unboundedness, Witness};
use crate::report::{Record, Report};
use crate::settings::Settings;

/// The settings of a run in these units that asks for the same.
pub(crate) fn settings_inward(settings: &Settings, factors: &Factors) -> Settings {
    let point = |x: &Option<Vec<f64>>| x.as_ref().map(|x| factors.point_inward(x));
    Settings {
        objective_floor: factors.objective * settings.objective_floor,
        // A radius is only kept with one unit for all variables.
        radius: settings.radius.map(|radius| radius / factors.uniform().unwrap_or(1.0)),
        x0: point(&settings.x0),
        interior: point(&settings.interior),
        warm: settings.warm.as_ref().map(|warm| warm.metric_inward(factors)),
        multipliers0: settings.multipliers0.as_ref().map(|l| factors.multipliers_inward(l)),
        ..settings.clone()
    }
}

/// The report of a run in these units, in the user's. What was measured at x is left for the caller to measure there.
pub(crate) fn outward(mut report: Report, factors: &Factors) -> Report {
    let s = factors.objective;
    report.x = factors.point(&report.x);
    report.held = None;
    report.multipliers = factors.multipliers(&report.multipliers);
    report.warm = report.warm.map(|warm| warm.outward(factors));
    report.objective /= s;
    report.lower_bound /= s;
    report.upper_bound /= s;
    report.unit /= s;
    report.violation_worth /= s;
    report.history.iter_mut().for_each(|record| *record = record_outward(record, s));
    if let Some(repaired) = &mut report.feasible {
        repaired.x = factors.point(&repaired.x);
        repaired.upper.objective /= s;
        repaired.upper.rounding /= s;
    }
    if let Some(fault) = &mut report.fault {
        fault.point = factors.point(&fault.point);
    }
    report.certificate = report.certificate.map(|certificate| certificate_outward(certificate, factors));
    report.infeasibility = report.infeasibility.map(|proof| infeasibility_outward(proof, factors));
    report.unboundedness = report.unboundedness.map(|proof| Unboundedness {
        x: factors.point(&proof.x),
        ray: factors.point(&proof.ray),
        ..proof
    });
    report
}

/// A record in the user's units of value.
pub(crate) fn record_outward(record: &Record, s: f64) -> Record {
    let [objective, lower_bound, unit] = [record.objective, record.lower_bound, record.unit].map(|v| v / s);
    Record { objective, lower_bound, unit, ..*record }
}

fn infeasibility_outward(proof: Infeasibility, factors: &Factors) -> Infeasibility {
    let mut proof = Infeasibility {
        premise: premise_outward(proof.premise, factors),
        witnesses: witnesses_outward(&proof.witnesses, factors),
        ..proof
    };
    let multipliers = proof.multipliers();
    for needed in &mut proof.rows {
        needed.multiplier = multipliers[needed.row];
        needed.without = factors.point(&needed.without);
    }
    proof
}

fn certificate_outward(certificate: Certificate, factors: &Factors) -> Certificate {
    let s = factors.objective;
    let d = factors.uniform().unwrap_or(1.0);
    Certificate {
        x: factors.point(&certificate.x),
        lower: certificate.lower / s,
        upper: certificate.upper / s,
        premise: premise_outward(certificate.premise, factors),
        // sum of l_j mu_j: values are s times, squares of distances d^-2 times as large.
        curvature: certificate.curvature / (s * d * d),
        witnesses: witnesses_outward(&certificate.witnesses, factors),
        ..certificate
    }
}

fn witnesses_outward(witnesses: &[Witness], factors: &Factors) -> Vec<Witness> {
    let outward = |witness: &Witness| Witness {
        y: factors.point(&witness.y),
        multipliers: factors.multipliers(&witness.multipliers),
        ..*witness
    };
    witnesses.iter().map(outward).collect()
}

fn premise_outward(premise: Premise, factors: &Factors) -> Premise {
    match premise {
        Premise::LevelSet { start, tau } => {
            Premise::LevelSet { start: factors.point(&start), tau: tau / factors.objective }
        }
        Premise::Radius { centre, radius } => {
            let radius = radius * factors.uniform().unwrap_or(1.0);
            Premise::Radius { centre: factors.point(&centre), radius }
        }
        Premise::ImpliedBounds { lower, upper, rows } => {
            Premise::ImpliedBounds { lower: factors.point(&lower), upper: factors.point(&upper), rows }
        }
        Premise::Reach { centre, reach } => {
            Premise::Reach { centre: factors.point(&centre), reach: factors.point(&reach) }
        }
        premise => premise,
    }
}
