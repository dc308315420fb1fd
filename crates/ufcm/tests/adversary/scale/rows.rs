//! Rows times positive numbers. The composer above them changes so that the problem stays the same.

use super::objective;
use crate::describe::{Block, BlockRows, Composer, Instance, Law};

pub fn scale(instance: &mut Instance, draw: &mut dyn FnMut() -> f64) {
    for block in &mut instance.blocks {
        let count = count(block);
        let factors = factors(&mut block.composer, count, draw);
        factors.iter().enumerate().for_each(|(row, factor)| multiply(block, row, *factor));
    }
}

fn count(block: &Block) -> usize {
    match &block.rows {
        BlockRows::Components(parts) => parts.len(),
        BlockRows::Affine(rows) => rows.matrix.len(),
    }
}

/// The rows that are constraints of blocks that are nothing else: block and row.
pub fn constraint_rows(instance: &Instance) -> Vec<(usize, usize)> {
    let blocks = instance.blocks.iter().enumerate().filter(|(_, block)| block.composer.is_constraint());
    blocks.flat_map(|(k, block)| (0..count(block)).map(move |row| (k, row))).collect()
}

/// One constraint times a factor.
pub fn scale_row(instance: &mut Instance, (block, row): (usize, usize), factor: f64) {
    let block = &mut instance.blocks[block];
    if let Composer::Between(lower, upper) = &mut block.composer {
        lower[row] *= factor;
        upper[row] *= factor;
    }
    multiply(block, row, factor);
}

fn multiply(block: &mut Block, row: usize, factor: f64) {
    match &mut block.rows {
        BlockRows::Components(parts) => objective::multiply(&mut parts[row], factor),
        BlockRows::Affine(rows) => {
            rows.matrix[row].iter_mut().for_each(|v| *v *= factor);
            rows.offset[row] *= factor;
        }
    }
}

/// A factor for each row of h, which is changed to take them back.
fn factors(h: &mut Composer, count: usize, draw: &mut dyn FnMut() -> f64) -> Vec<f64> {
    let mut one_by_one = || (0..count).map(|_| draw()).collect::<Vec<f64>>();
    match h {
        Composer::Nonpositive | Composer::Equal => one_by_one(),
        Composer::Between(lower, upper) => {
            let factors = one_by_one();
            lower.iter_mut().zip(&factors).for_each(|(l, r)| *l *= r);
            upper.iter_mut().zip(&factors).for_each(|(u, r)| *u *= r);
            factors
        }
        Composer::Sum(weights) => {
            let factors = one_by_one();
            weights.iter_mut().zip(&factors).for_each(|(w, r)| *w /= r);
            factors
        }
        Composer::Stacked(parts) => {
            parts.iter_mut().flat_map(|(count, part)| factors(part, *count, draw)).collect()
        }
        Composer::Scaled(_, inner) => factors(inner, count, draw),
        together => {
            let r = draw();
            take_back(together, r);
            vec![r; count]
        }
    }
}

/// h'(z) with h'(r z) = h(z), for functions of all rows together.
fn take_back(h: &mut Composer, r: f64) {
    match h {
        Composer::L2(w) | Composer::Linf(w) => *w /= r,
        Composer::SquaredHinge(eta) => *eta *= r,
        Composer::Rowwise(law, w) => match law {
            Law::Absolute | Law::Quantile(_) => *w /= r,
            Law::Square => *w /= r * r,
            Law::Huber(delta) => {
                *delta *= r;
                *w /= r * r;
            }
            Law::Power(p) => *w /= r.powf(*p),
            other => unreachable!("no composer is made of {other:?}"),
        },
        Composer::SmoothMax(eta) => {
            *eta *= r;
            objective::multiply_composer(h, 1.0 / r);
        }
        Composer::Max | Composer::Risk(_) => objective::multiply_composer(h, 1.0 / r),
        other => unreachable!("{other:?} takes factors row by row"),
    }
}
