//! Everything with everything: any terms and constraints over any domain, up to 200 variables and 300 rows, most of them
//! small. Rows are repeated, nearly repeated, or leave a slit of 1e-7.

use super::{Base, honest};
use crate::describe::{Block, Composer, Growth, Instance, Rows, Truth};
use crate::generate::Plan;
use crate::generate::unlike::Maker;
use crate::random::Random;

const TERMS: [&str; 13] = [
    "weighted sum",
    "max",
    "log-sum-exp",
    "squared hinge",
    "l1 norm",
    "l2 norm",
    "linf norm",
    "huber",
    "quantile",
    "power sum",
    "quadratic",
    "scaled",
    "stacked",
];

pub fn base(random: &mut Random) -> Base {
    let seed = (random.within(0.0, 1.0) * 2f64.powi(53)) as u64;
    let most = if random.chance(0.03) { 200.0 } else { random.pick(&[4.0, 10.0, 30.0]) };
    let n = 1 + (most * random.within(0.0, 1.0).powi(2)) as usize;
    let mut plan = Plan { random: Random::new(seed), n, inside: Vec::new() };
    let domain = plan.domain();
    let bounded = domain.growth() != Growth::Fast;
    let mut maker = Maker { plan, bounded };
    let objective = maker.part();
    let mut blocks: Vec<Block> = (0..random.below(3)).map(|_| maker.term(random.pick(&TERMS))).collect();
    for _ in 0..random.below(4) {
        blocks.push(constraint(&mut maker, random));
    }
    let instance = Instance { family: "blend", objective, blocks, domain, truth: Truth::Feasible };
    Base { reference: honest::reference(&instance), instance, margin: None }
}

fn constraint(maker: &mut Maker, random: &mut Random) -> Block {
    let count = if random.chance(0.03) { 1 + random.below(300) } else { 1 + random.below(8) };
    match random.below(4) {
        0 => maker.constraint(),
        1 => {
            // As many as there are variables leave one point.
            let count = count.min(random.pick(&[1, 3, maker.plan.n]).min(maker.plan.n));
            let mut rows = maker.plan.rows_through(count);
            repeat(&mut rows, random);
            Block::affine(Composer::Equal, rows)
        }
        2 => {
            let mut rows = maker.plan.rows_through(count);
            repeat(&mut rows, random);
            let count = rows.matrix.len();
            let width = random.pick(&[1e-7, 0.3, 1e6]);
            let lower = (0..count).map(|_| -width * random.within(0.0, 1.0)).collect();
            let upper = (0..count).map(|_| if random.chance(0.3) { 0.0 } else { width }).collect();
            Block::affine(Composer::Between(lower, upper), rows)
        }
        _ => {
            let mut rows = maker.plan.rows_through(count);
            repeat(&mut rows, random);
            let near = random.below(rows.matrix.len());
            rows.matrix.push(rows.matrix[near].iter().map(|v| v * (1.0 + 2f64.powi(-20))).collect());
            rows.offset.push(rows.offset[near] * (1.0 + 2f64.powi(-20)) + 2f64.powi(-20));
            let slack = |random: &mut Random| random.pick(&[0.0, 1e-7, 0.3]);
            rows.offset.iter_mut().for_each(|b| *b += slack(random));
            Block::affine(Composer::Nonpositive, rows)
        }
    }
}

/// Some rows again, times a power of 2: exactly dependent.
fn repeat(rows: &mut Rows, random: &mut Random) {
    for k in 0..rows.matrix.len() {
        if random.chance(0.2) {
            let factor = random.pick(&[1.0, 0.5, 4.0]);
            rows.matrix.push(rows.matrix[k].iter().map(|v| factor * v).collect());
            rows.offset.push(factor * rows.offset[k]);
        }
    }
}
