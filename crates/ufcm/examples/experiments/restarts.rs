//! R-UFCM against UFCM on the same problems: where do restarts begin to pay?

use super::planted::{Composition, runs, uniform_instance};
use super::runs::{decades, over_shares};
use super::sheet::Sheet;
use super::{Effort, Outcome};

const CONVEXITY: f64 = 0.3;

/// A title, q, the order of R-UFCM, and the decades that are swept.
const CASES: [(&str, Option<f64>, f64, i32); 3] = [
    ("constraints, convex", None, 0.5, 6),
    ("constraints, q = 1", Some(1.0), 0.0, 10),
    ("constraints, q = 3", Some(3.0), 0.25, 8),
];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let sheets = CASES.iter().map(|&(title, q, order, last)| {
        let shares = decades(effort.choose(3, last));
        let convexity = q.map(|q| (CONVEXITY, q));
        let instance = uniform_instance(Composition::Constraints, 1.0, convexity, 11);
        let restarted = |label, own| {
            over_shares(label, &instance, &shares, |eps| runs::restarted(&instance, eps, own, true))
                .of_order(order)
        };
        let series = vec![
            over_shares("UFCM", &instance, &shares, |eps| runs::ufcm(&instance, eps, true)).of_order(0.5),
            restarted("R-UFCM, one set", false),
            restarted("R-UFCM, own constants", true),
        ];
        Sheet::over_accuracies(title, "gradients", series)
    });
    Ok(sheets.collect())
}
