//! Correlated features: the figures of the metric of curvature, which the default solver takes up by itself.
//!
//! Counts are gradients + Hessians. "scalar" is the same solver in the plain norm, to 1e-8, given up after [`SCALAR_LIMIT`]
//! gradients.

use super::instances::Instance;
use super::runs;
use std::error::Error;
use std::path::Path;
use ufcm::report::{Counts, Status};
use ufcm::settings::{MetricRule, Settings};

const SOLUTION: [f64; 3] = [1e-4, 1e-6, 1e-8];
const CERTIFIED: [f64; 2] = [1e-6, 1e-8];
/// The most that passes is this multiple of what was measured when the figures were written down, and the figure itself.
const ALLOWANCE: f64 = 1.5;
/// Gradients after which a run in the plain norm is given up.
const SCALAR_LIMIT: usize = 1000;

/// Gradients and Hessians.
type Cost = (usize, usize);

/// What is asked of an instance.
struct Expected {
    name: &'static str,
    /// What the solution to 1e-8 and the certificate to 1e-6 took when this was written.
    measured: [Cost; 2],
    /// The figure: the most that the solution to 1e-8 may take.
    most: Option<Cost>,
    /// Whether the plain norm must not get there within [`SCALAR_LIMIT`].
    beats_scalar: bool,
}

const fn figure(name: &'static str, measured: [Cost; 2], most: Cost, beats_scalar: bool) -> Expected {
    Expected { name, measured, most: Some(most), beats_scalar }
}

const fn sweep(name: &'static str, measured: [Cost; 2]) -> Expected {
    Expected { name, measured, most: None, beats_scalar: false }
}

// Hessians are formed from a sample where that is cheaper (decision 0028): their number says less than it did. Those of sparse data cost about a gradient.
const SUITE: [Expected; 18] = [
    figure("np-5000-50-mixed", [(9, 3), (8, 3)], (25, 4), true),
    figure("np-50000-100-mixed", [(8, 2), (10, 3)], (25, 4), true),
    figure("np-a9a", [(26, 9), (25, 9)], (35, 12), true),
    figure("groups-5000-50", [(7, 2), (9, 3)], (20, 3), false),
    figure("groups-50000-100", [(7, 2), (12, 3)], (20, 3), false),
    figure("groups-adult", [(12, 4), (17, 5)], (60, 6), false),
    sweep("np-1e2", [(8, 4), (8, 4)]),
    sweep("np-1e4", [(8, 4), (8, 4)]),
    sweep("np-1e6", [(8, 4), (7, 3)]),
    sweep("np-1e8", [(8, 3), (8, 3)]),
    sweep("groups-1e2", [(7, 2), (7, 2)]),
    sweep("groups-1e4", [(6, 2), (8, 3)]),
    sweep("groups-1e6", [(6, 2), (8, 3)]),
    sweep("groups-1e8", [(6, 2), (8, 3)]),
    sweep("ls-1e2", [(9, 4), (9, 4)]),
    sweep("ls-1e4", [(9, 4), (10, 4)]),
    sweep("ls-1e6", [(9, 4), (9, 4)]),
    sweep("ls-1e8", [(9, 4), (9, 4)]),
];

impl Expected {
    /// The most that passes: the solution to 1e-8, the certificate to 1e-6.
    fn allowed(&self) -> [Cost; 2] {
        let room = |count: usize| (ALLOWANCE * count as f64) as usize;
        let [solution, certified] =
            self.measured.map(|(gradients, hessians)| (room(gradients), room(hessians)));
        let most = self.most.unwrap_or((usize::MAX, usize::MAX));
        [(solution.0.min(most.0), solution.1.min(most.1)), certified]
    }
}

/// Prints the table for the named instances, in the order of the suite; what is missed.
pub fn figures(folder: &Path, names: &[String]) -> Result<Vec<String>, Box<dyn Error>> {
    if let Some(unknown) = names.iter().find(|name| SUITE.iter().all(|expected| expected.name != **name)) {
        return Err(format!("{unknown}: no such instance").into());
    }
    println!(
        "                    gradients + Hessians to the solution         to a certificate   scalar, to"
    );
    println!(
        "instance               1e-4    1e-6    1e-8  allowed         1e-6    1e-8  allowed   the solution"
    );
    let mut missed = Vec::new();
    for expected in SUITE.iter().filter(|expected| names.iter().any(|name| name == expected.name)) {
        missed.extend(line(expected, &Instance::read(folder, expected.name)?)?);
    }
    Ok(missed)
}

/// The line of one instance; what is missed.
fn line(expected: &Expected, instance: &Instance) -> Result<Vec<String>, Box<dyn Error>> {
    let optimum = runs::optimum(instance)?;
    let mut solution = Vec::new();
    for tolerance in SOLUTION {
        let counts = runs::solution(instance, optimum, &runs::asked_for(tolerance))?;
        solution.push(counts.map(cost));
    }
    let mut certified = Vec::new();
    for tolerance in CERTIFIED {
        let report = instance.problem.solve(&runs::asked_for(tolerance))?;
        certified.push((report.status == Status::Certified).then(|| cost(report.counts)));
    }
    let plain = Settings {
        metric: MetricRule::Scalar,
        max_gradients: Some(SCALAR_LIMIT),
        ..runs::asked_for(SOLUTION[2])
    };
    let scalar = runs::solution(instance, optimum, &plain)?.map(|counts| counts.gradients);
    let [for_solution, for_certificate] = expected.allowed();
    println!(
        "{:20} {:>6}  {:>6}  {:>6}  {:>7}       {:>6}  {:>6}  {:>7}   {:>12}",
        expected.name,
        shown(solution[0]),
        shown(solution[1]),
        shown(solution[2]),
        shown(Some(for_solution)),
        shown(certified[0]),
        shown(certified[1]),
        shown(Some(for_certificate)),
        scalar.map_or(format!("> {SCALAR_LIMIT}"), |gradients| gradients.to_string()),
    );
    let mut missed = Vec::new();
    let mut check = |what: &str, got: Option<Cost>, allowed: Cost| {
        if !got.is_some_and(|got| got.0 <= allowed.0 && got.1 <= allowed.1) {
            let (name, got, allowed) = (expected.name, shown(got), shown(Some(allowed)));
            missed.push(format!("{name}: {what}: {got} gradients + Hessians; {allowed} are allowed"));
        }
    };
    check("solution to 1e-8", solution[2], for_solution);
    check("certificate to 1e-6", certified[0], for_certificate);
    check("certificate to 1e-8", certified[1], (usize::MAX, usize::MAX));
    if let Some(gradients) = scalar.filter(|_| expected.beats_scalar) {
        missed.push(format!("{}: the plain norm takes {gradients} gradients only", expected.name));
    }
    Ok(missed)
}

fn cost(counts: Counts) -> Cost {
    (counts.gradients, counts.hessians)
}

fn shown(cost: Option<Cost>) -> String {
    cost.map_or("never".to_owned(), |(gradients, hessians)| format!("{gradients}+{hessians}"))
}
