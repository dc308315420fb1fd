//! m from 1 to 1 000 constraints, one of them active: what do the others cost?

use super::planted;
use super::planted::{Composition, Instance, RowKind, runs};
use super::runs::gradients;
use super::sheet::{Count, Point, Scale, Series, Sheet};
use super::{Effort, Outcome};

/// (L, p)
type Smoothness = (f64, f64);

/// A name, the accuracy, the smoothness of the active constraint and of those that are not.
const KINDS: [(&str, f64, [Smoothness; 2]); 4] = [
    ("all p = 1", 1e-4, [(1.0, 1.0), (1.0, 1.0)]),
    ("inactive L = 10", 1e-4, [(1.0, 1.0), (10.0, 1.0)]),
    ("active p = 1/2", 1e-2, [(1.0, 0.5), (1.0, 1.0)]),
    ("inactive p = 1/2", 1e-2, [(1.0, 1.0), (1.0, 0.5)]),
];

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    let counts: &[usize] = effort.choose(&[1, 10, 100], &[1, 3, 10, 30, 100, 300, 1000]);
    let (mut by_gradients, mut by_inner_steps) = (Vec::new(), Vec::new());
    for (label, eps, [active, inactive]) in KINDS {
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        for &m in counts {
            let run = runs::ufcm(&instance(m, active, inactive), eps, true);
            outer.push(gradients(m as f64, &run));
            inner.push(Point {
                x: m as f64,
                observed: Count::Reached(run.inner_steps as f64),
                promised: Ok(run.promised.proximal),
            });
        }
        by_gradients.push(Series::new(label, outer));
        by_inner_steps.push(Series::new(label, inner));
    }
    let sheet = |title: &str, y, series| {
        let x = ("m", Scale::Log);
        Sheet { title: title.to_owned(), x, y, fitted_from: Some(0.0), series }
    };
    Ok(vec![
        sheet("gradients, one of m constraints active", "gradients", by_gradients),
        sheet("inner steps of the same runs", "inner steps", by_inner_steps),
    ])
}

fn instance(m: usize, active: Smoothness, inactive: Smoothness) -> Instance {
    let row = |(scale, p): Smoothness, multiplier| RowKind { scale, p, convexity: None, multiplier };
    let mut kinds = vec![row((1.0, 1.0), 1.0), row(active, 0.7)];
    kinds.extend((1..m).map(|_| row(inactive, 0.0)));
    planted::instance(Composition::Constraints, &kinds, 30, 7)
}
