//! Section 1.2 of the paper: the max of a smooth and a Lipschitz piece, lambda* swept, lambda^0 fixed, two choices of r.

use super::planted::{runs, smooth_and_lipschitz};
use super::runs::{gradients, spaced};
use super::sheet::{Scale, Series, Sheet};
use super::{Effort, Outcome};

const RADII: [(&str, f64); 2] = [("r = eps^(3/4)", 0.75), ("r = sqrt(eps)", 0.5)];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let eps = effort.choose(0.02, 0.01);
    let sweep: &[f64] =
        effort.choose(&[0.0, 0.1, 1.0], &[0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0]);
    let over_multipliers = RADII.iter().map(|&(label, power)| {
        let at =
            |&share: &f64| gradients(share, &runs::ufcm(&smooth_and_lipschitz(share, eps, power), eps, true));
        Series::new(label, sweep.iter().map(at).collect())
    });
    let multipliers = Sheet {
        title: format!("lambda* of the Lipschitz piece, eps = {eps}"),
        x: ("lambda*", Scale::Linear),
        y: "gradients",
        fitted_from: None,
        series: over_multipliers.collect(),
    };
    let grid = spaced(0.02, effort.choose(0.01, 0.003), effort.choose(3, 6));
    // What the Lipschitz piece counts for: ((lambda* + r) M D/eps)^2, next to sqrt(L D^2/eps) of the smooth one.
    let cases = [(0.0, 0.75, 0.5), (0.0, 0.5, 1.0), (0.1, 0.75, 2.0), (0.1, 0.5, 2.0)];
    let over_accuracies = cases.into_iter().map(|(share, power, order)| {
        let at =
            |&eps: &f64| gradients(eps, &runs::ufcm(&smooth_and_lipschitz(share, eps, power), eps, true));
        let r = if power == 0.5 { RADII[1].0 } else { RADII[0].0 };
        Series::new(format!("lambda* = {share}, {r}"), grid.iter().map(at).collect()).of_order(order)
    });
    Ok(vec![
        multipliers,
        Sheet::over_accuracies("the same for smaller eps", "gradients", over_accuracies.collect()),
    ])
}
