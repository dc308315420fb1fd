//! Constraints that contradict each other by a planted margin, from 1e-7 to 1, under every regulariser and in every domain.

use super::{Base, Reference};
use crate::describe::{Block, Component, Composer, Curve, Domain, Instance, Penalty, Rows, Set, Truth, dot};
use crate::generate::Plan;
use crate::lp::integer;
use crate::random::Random;
use crate::scale::ten;

pub fn base(random: &mut Random) -> Base {
    let seed = (random.within(0.0, 1.0) * 2f64.powi(53)) as u64;
    let n = 1 + (random.pick(&[5.0, 20.0, 60.0]) * random.within(0.0, 1.0).powi(2)) as usize;
    let mut plan = Plan { random: Random::new(seed), n, inside: Vec::new() };
    let domain = domain(&mut plan);
    let objective = plan.component();
    let margin = ten(random.within(-7.0, 0.0));
    // Constraints that can be met hide those that cannot.
    let mut blocks = Vec::new();
    if random.chance(0.5) {
        blocks.push(plan.intervals());
    }
    let (block, margin) = match random.below(5) {
        0 | 1 => half_spaces(random, n, margin),
        2 => equalities(random, n, margin),
        3 => intervals(random, n, margin),
        _ => balls(random, n, margin),
    };
    blocks.push(block);
    let instance = Instance { family: "infeasible", objective, blocks, domain, truth: Truth::Infeasible };
    Base { instance, reference: Reference::Infeasible, margin: Some(margin) }
}

/// Any domain of the honesty suite, weights by size, the second-order cone, or none at all.
fn domain(plan: &mut Plan) -> Domain {
    match plan.random.below(17) {
        0 => {
            plan.inside = plan.random.vector(plan.n, 1.0);
            Domain { penalty: Penalty::None, set: Set::Free }
        }
        1 => {
            plan.inside = plan.random.vector(plan.n, 1.0);
            let mut weights = plan.random.positive(plan.n, 0.01, 1.0);
            weights.sort_by(|a, b| b.total_cmp(a));
            Domain { penalty: Penalty::Sorted(weights), set: Set::Free }
        }
        2 => {
            plan.inside = vec![0.0; plan.n];
            plan.inside[0] = 1.0;
            Domain { penalty: Penalty::None, set: Set::SecondOrderCone }
        }
        _ => plan.domain(),
    }
}

fn row(random: &mut Random, n: usize) -> Vec<f64> {
    let mut row: Vec<f64> = (0..n).map(|_| integer(random, 3)).collect();
    row[random.below(n)] = 2.0;
    row
}

/// Rows with levels, and weights y of them: their combination contradicts what is added.
struct Combination {
    matrix: Vec<Vec<f64>>,
    levels: Vec<f64>,
    sum: Vec<f64>,
    level: f64,
    /// The norm of (y, 1): no point violates by less than what the sum lacks, over this.
    norm: f64,
}

fn combine(random: &mut Random, n: usize) -> Combination {
    let count = 1 + random.below(4);
    let x: Vec<f64> = (0..n).map(|_| integer(random, 8) / 4.0).collect();
    let matrix: Vec<Vec<f64>> = (0..count).map(|_| row(random, n)).collect();
    let levels: Vec<f64> = matrix.iter().map(|row| dot(row, &x)).collect();
    let y: Vec<f64> = (0..count).map(|_| 1.0 + random.below(3) as f64).collect();
    let sum = (0..n).map(|j| matrix.iter().zip(&y).map(|(row, y)| y * row[j]).sum()).collect();
    Combination { sum, level: dot(&levels, &y), norm: (1.0 + dot(&y, &y)).sqrt(), matrix, levels }
}

/// a_i.x <= b_i, and y.A x >= y.b + lack.
fn half_spaces(random: &mut Random, n: usize, lack: f64) -> (Block, f64) {
    let mut c = combine(random, n);
    c.matrix.push(c.sum.iter().map(|v| -v).collect());
    c.levels.push(-c.level - lack);
    let rows = Rows { matrix: c.matrix, offset: c.levels };
    (Block::affine(Composer::Nonpositive, rows), lack / c.norm)
}

fn equalities(random: &mut Random, n: usize, lack: f64) -> (Block, f64) {
    let mut c = combine(random, n);
    c.matrix.push(c.sum);
    c.levels.push(c.level + lack);
    let rows = Rows { matrix: c.matrix, offset: c.levels };
    (Block::affine(Composer::Equal, rows), lack / c.norm)
}

/// b_i - 1 <= a_i.x <= b_i, and y.A x in [y.b + lack, y.b + 1 + lack].
fn intervals(random: &mut Random, n: usize, lack: f64) -> (Block, f64) {
    let mut c = combine(random, n);
    c.matrix.push(c.sum);
    let mut lower: Vec<f64> = c.levels.iter().map(|b| b - 1.0).collect();
    let mut upper = c.levels;
    lower.push(c.level + lack);
    upper.push(c.level + 1.0 + lack);
    let offset = vec![0.0; lower.len()];
    let rows = Rows { matrix: c.matrix, offset };
    (Block::affine(Composer::Between(lower, upper), rows), lack / c.norm)
}

/// Two balls that do not meet, or a square that is to be negative.
fn balls(random: &mut Random, n: usize, margin: f64) -> (Block, f64) {
    let identity: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    if random.chance(0.3) {
        let factor = (0..1 + random.below(3)).map(|_| row(random, n)).collect();
        let g = Component { curve: Curve::Quadratic(factor), slope: vec![0.0; n], constant: margin };
        return (Block::components(Composer::Nonpositive, vec![g]), margin);
    }
    // |x|^2 / 2 and |x - 4 e|^2 / 2 at most 2 - margin: between the centres both are 2.
    let mut slope = vec![0.0; n];
    let near =
        Component { curve: Curve::Quadratic(identity.clone()), slope: slope.clone(), constant: margin - 2.0 };
    slope[random.below(n)] = -4.0;
    let far = Component { curve: Curve::Quadratic(identity), slope, constant: 8.0 + margin - 2.0 };
    (Block::components(Composer::Nonpositive, vec![near, far]), margin * 2f64.sqrt())
}
