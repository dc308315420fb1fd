//! p_j mixed over {0, 1/4, 1/2, 1} in one problem: which row decides, and when?

use super::planted;
use super::planted::{COMPOSITIONS, Composition, Instance, RowKind, mixed_instance, runs};
use super::runs::{over_shares, spaced};
use super::sheet::Sheet;
use super::{Effort, Outcome};

/// 2/(1 + 3p) for p = 0: the order of the roughest row with a multiplier.
const ROUGHEST: f64 = 2.0;

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let shares = spaced(0.5, effort.choose(0.35, 0.08), effort.choose(3, 5));
    let by_composer = COMPOSITIONS.into_iter().map(|composition| {
        let instance = mixed_instance(composition, true, false, 11);
        let run = |eps| runs::ufcm(&instance, eps, true);
        over_shares(composition.name(), &instance, &shares, run).of_order(ROUGHEST)
    });
    let by_multiplier = [0.0, 0.01, 0.1, 1.0].into_iter().map(|multiplier| {
        let instance = rough_constraint(multiplier);
        let run = |eps| runs::ufcm(&instance, eps, true);
        let series = over_shares(&format!("lambda* = {multiplier}"), &instance, &shares, run);
        if multiplier > 0.0 { series.of_order(ROUGHEST) } else { series }
    });
    Ok(vec![
        Sheet::over_accuracies("p = 0, 1/4, 1/2, 1 under every composer", "gradients", by_composer.collect()),
        Sheet::over_accuracies("constraints: lambda* of the row p = 0", "gradients", by_multiplier.collect()),
    ])
}

/// A smooth objective, constraints with p = 1/2 and 1/4, and one with p = 0 and this multiplier.
fn rough_constraint(multiplier: f64) -> Instance {
    let row = |p: f64, multiplier: f64| RowKind { scale: 1.0, p, convexity: None, multiplier };
    let rows = [row(1.0, 1.0), row(0.5, 0.1), row(0.25, 0.1), row(0.0, multiplier)];
    planted::instance(Composition::Constraints, &rows, 30, 11)
}
