//! The objective times a positive number.

use crate::describe::{Component, Composer, Curve, Instance, Penalty};

pub fn scale(instance: &mut Instance, factor: f64) {
    if factor == 1.0 {
        return;
    }
    multiply(&mut instance.objective, factor);
    for block in &mut instance.blocks {
        multiply_composer(&mut block.composer, factor);
    }
    multiply_penalty(&mut instance.domain.penalty, factor);
}

/// factor g
pub fn multiply(g: &mut Component, factor: f64) {
    if factor == 1.0 {
        return;
    }
    g.slope.iter_mut().for_each(|v| *v *= factor);
    g.constant *= factor;
    g.curve = match std::mem::replace(&mut g.curve, Curve::Flat) {
        Curve::Flat => Curve::Flat,
        Curve::Quadratic(mut rows) => {
            rows.iter_mut().flatten().for_each(|v| *v *= factor.sqrt());
            Curve::Quadratic(rows)
        }
        Curve::Times(by, curve) => Curve::Times(by * factor, curve),
        curve => Curve::Times(factor, Box::new(curve)),
    };
}

/// factor h; constraints stay what they are.
pub fn multiply_composer(h: &mut Composer, factor: f64) {
    if factor == 1.0 {
        return;
    }
    match h {
        Composer::Sum(weights) => weights.iter_mut().for_each(|w| *w *= factor),
        Composer::Rowwise(_, w) | Composer::L2(w) | Composer::Linf(w) | Composer::Scaled(w, _) => {
            *w *= factor
        }
        Composer::Nonpositive | Composer::Equal | Composer::Between(..) | Composer::AtMost(..) => {}
        Composer::Stacked(parts) => parts.iter_mut().for_each(|(_, part)| multiply_composer(part, factor)),
        Composer::Max | Composer::Risk(_) | Composer::SmoothMax(_) | Composer::SquaredHinge(_) => {
            *h = Composer::Scaled(factor, Box::new(h.clone()));
        }
    }
}

fn multiply_penalty(penalty: &mut Penalty, factor: f64) {
    match penalty {
        Penalty::None => {}
        Penalty::L1(w) | Penalty::Ridge(w) | Penalty::L2(w) | Penalty::Linf(w) => *w *= factor,
        Penalty::Groups { weight, .. } => *weight *= factor,
        Penalty::ElasticNet { l1, ridge } => {
            *l1 *= factor;
            *ridge *= factor;
        }
        Penalty::Weighted { l1, ridge } => l1.iter_mut().chain(ridge).for_each(|w| *w *= factor),
        Penalty::Sorted(weights) => weights.iter_mut().for_each(|w| *w *= factor),
    }
}
