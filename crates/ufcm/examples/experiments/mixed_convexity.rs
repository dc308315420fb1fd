//! q_j mixed over {1, 2, 3} in one problem: which row decides how restarts go on?

use super::planted;
use super::planted::{Composition, Instance, RowKind, runs};
use super::runs::{over_shares, spaced};
use super::sheet::Sheet;
use super::{Effort, Outcome};

/// q of the objective and of two active constraints, and the least q of a row with a multiplier.
const MIXES: [(&str, [Option<f64>; 3], f64); 5] = [
    ("q = 1, 1, 1", [Some(1.0), Some(1.0), Some(1.0)], 1.0),
    ("q = 1, 2, 3", [Some(1.0), Some(2.0), Some(3.0)], 1.0),
    ("q = 3, 2, 1", [Some(3.0), Some(2.0), Some(1.0)], 1.0),
    ("q = 2, 2, 3", [Some(2.0), Some(2.0), Some(3.0)], 2.0),
    ("q = 3, 3, 3", [Some(3.0), Some(3.0), Some(3.0)], 3.0),
];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let shares = spaced(1e-1, effort.choose(1e-3, 1e-8), effort.choose(3, 8));
    let sheet = |title: &str, own: bool| {
        let series = MIXES.iter().map(|(label, mix, least)| {
            let instance = instance(mix);
            let run = |eps| runs::restarted(&instance, eps, own, true);
            // sqrt(L/mu_ADA) with mu_ADA of the order eps^((q-1)/(q+1)); L is a constant for p = 1.
            over_shares(label, &instance, &shares, run).of_order((least - 1.0) / (2.0 * (least + 1.0)))
        });
        Sheet::over_accuracies(title, "gradients", series.collect())
    };
    Ok(vec![sheet("R-UFCM, constants of each execution", true), sheet("R-UFCM, one set of constants", false)])
}

/// Smooth rows: an objective and two active constraints.
fn instance(mix: &[Option<f64>; 3]) -> Instance {
    let kinds = mix.iter().zip([1.0, 0.7, 0.4]).map(|(q, multiplier)| RowKind {
        scale: 1.0,
        p: 1.0,
        convexity: q.map(|q| (0.3, q)),
        multiplier,
    });
    planted::instance(Composition::Constraints, &kinds.collect::<Vec<_>>(), 30, 11)
}
