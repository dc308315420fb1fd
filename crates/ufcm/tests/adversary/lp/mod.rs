//! Linear programs in at most 6 variables with at most 6 rows, small integers times powers of ten. Their optima, and whether
//! there are any, are computed in exact arithmetic from the numbers that the solver gets.

mod exact;

use crate::describe::{
    Block, BlockRows, Component, Composer, Curve, Domain, Instance, Penalty, Rows, Set, Truth, dot,
};
use crate::family::{Base, Case, Reference};
use crate::random::Random;
use crate::scale::Units;
use exact::Verdict;

/// Integers in [-size, size].
pub fn integer(random: &mut Random, size: usize) -> f64 {
    random.below(2 * size + 1) as f64 - size as f64
}

pub fn base(random: &mut Random) -> Base {
    let instance = draw(random);
    let reference = reference(&instance);
    Base { instance, reference, margin: None }
}

/// In other units, decimal ones where rounding the data does not change what is true of the problem.
pub fn case(random: &mut Random) -> Case {
    let plain = base(random);
    let units = Units::draw(random);
    let seed = (random.within(0.0, 1.0) * 2f64.powi(53)) as u64;
    for decimal in [random.chance(0.7), false] {
        let units = Units { decimal, ..units };
        let mut instance = plain.instance.clone();
        let scale = units.apply(&mut instance, &mut Random::new(seed));
        let exact = reference(&instance);
        if !decimal || alike(&plain.reference, &exact, scale) {
            let told = format!("{units}{}", if decimal { ", decimal" } else { "" });
            return Case { instance, reference: exact, scale, margin: None, told };
        }
    }
    unreachable!("powers of 4 round nothing")
}

fn alike(plain: &Reference, scaled: &Reference, scale: f64) -> bool {
    match (plain, scaled) {
        (Reference::Optimum { value: p, .. }, Reference::Optimum { value: q, .. }) => {
            (p - q / scale).abs() <= 1e-9 * (1.0 + p.abs())
        }
        (Reference::Infeasible, Reference::Infeasible) => true,
        (Reference::Unbounded, Reference::Unbounded) => true,
        _ => false,
    }
}

fn reference(instance: &Instance) -> Reference {
    let constant = instance.objective.constant;
    match exact::solve(&instance.objective.slope, &inequalities(instance)) {
        Verdict::Optimum(value) => {
            let value = value + constant;
            Reference::Optimum { value, uncertainty: 1e-15 * value.abs() }
        }
        Verdict::Infeasible => Reference::Infeasible,
        Verdict::Unbounded => Reference::Unbounded,
    }
}

/// Everything as a.x <= b.
fn inequalities(instance: &Instance) -> Vec<(Vec<f64>, f64)> {
    let mut all = Vec::new();
    let mut between = |row: Vec<f64>, lower: f64, upper: f64| {
        if upper.is_finite() {
            all.push((row.clone(), upper));
        }
        if lower.is_finite() {
            all.push((row.iter().map(|v| -v).collect(), -lower));
        }
    };
    for block in &instance.blocks {
        let BlockRows::Affine(rows) = &block.rows else { unreachable!() };
        for (i, (row, b)) in rows.matrix.iter().zip(&rows.offset).enumerate() {
            match &block.composer {
                Composer::Nonpositive => between(row.clone(), f64::NEG_INFINITY, *b),
                Composer::Equal => between(row.clone(), *b, *b),
                // Offsets are 0 there: a sum would round.
                Composer::Between(lower, upper) => between(row.clone(), lower[i], upper[i]),
                other => unreachable!("{other:?}"),
            }
        }
    }
    let n = instance.dimension();
    for j in 0..n {
        let unit = (0..n).map(|k| f64::from(u8::from(j == k))).collect();
        match &instance.domain.set {
            Set::Free => {}
            Set::Nonnegative => between(unit, 0.0, f64::INFINITY),
            Set::Box { lower, upper } => between(unit, lower[j], upper[j]),
            other => unreachable!("{other:?}"),
        }
    }
    all
}

fn draw(random: &mut Random) -> Instance {
    let n = 1 + random.below(6);
    let mut blocks = Vec::new();
    let inside: Vec<f64> = (0..n).map(|_| integer(random, 4)).collect();
    // Half of them are feasible by construction.
    let planted = random.chance(0.5);
    for _ in 0..random.below(4) {
        let count = 1 + random.below(3);
        let rows = rows(random, n, count, planted.then_some(&inside));
        let block = match random.below(4) {
            0 => Block::affine(Composer::Equal, rows),
            1 => {
                let lower = rows.offset.iter().map(|b| b - integer(random, 3).abs()).collect();
                let free = Rows { offset: vec![0.0; count], ..rows.clone() };
                Block::affine(Composer::Between(lower, rows.offset), free)
            }
            _ => Block::affine(Composer::Nonpositive, rows),
        };
        blocks.push(block);
    }
    let set = set(random, &inside, planted);
    let slope = (0..n).map(|_| integer(random, 5)).collect();
    let constant = if random.chance(0.2) { integer(random, 5) } else { 0.0 };
    let objective = Component { curve: Curve::Flat, slope, constant };
    let domain = Domain { penalty: Penalty::None, set };
    Instance { family: "lp", objective, blocks, domain, truth: Truth::Feasible }
}

/// Integer rows, some of them nearly or exactly the one before.
fn rows(random: &mut Random, n: usize, count: usize, inside: Option<&Vec<f64>>) -> Rows {
    let mut matrix: Vec<Vec<f64>> = Vec::new();
    let mut offset = Vec::new();
    for _ in 0..count {
        let repeated = matrix.last().filter(|_| random.chance(0.2)).cloned();
        let mut row: Vec<f64> = repeated.unwrap_or_else(|| (0..n).map(|_| integer(random, 3)).collect());
        if random.chance(0.1) {
            row[random.below(n)] += 2f64.powi(-20);
        }
        let mut b = match inside {
            Some(x) => dot(&row, x) + integer(random, 2).abs(),
            None => integer(random, 6),
        };
        // Nearly infeasible, or feasible by as little.
        if random.chance(0.1) {
            b += random.pick(&[-1.0, 1.0]) * 2f64.powi(-23);
        }
        matrix.push(row);
        offset.push(b);
    }
    Rows { matrix, offset }
}

fn set(random: &mut Random, inside: &[f64], planted: bool) -> Set {
    match random.below(5) {
        0 => Set::Free,
        1 if !planted || inside.iter().all(|x| *x >= 0.0) => Set::Nonnegative,
        _ => {
            let widths = [0.0, 2f64.powi(-20), 1.0, 5.0, 5.0, 2f64.powi(20), 2f64.powi(30), f64::INFINITY];
            let mut side = |x: &f64, sign: f64| x + sign * random.pick(&widths);
            let lower = inside.iter().map(|x| side(x, -1.0)).collect();
            Set::Box { lower, upper: inside.iter().map(|x| side(x, 1.0)).collect() }
        }
    }
}
