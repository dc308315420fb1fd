//! The same problem twice: as it is, and in other units, in another order, with a row repeated or a variable moved.

use super::{Base, Case, base};
use crate::describe::{BlockRows, Composer, Instance};
use crate::random::Random;
use crate::scale::{Spread, Units, constraint_rows, scale_row, shifted, ten};

const KINDS: [&str; 8] = ["quadratic", "unlike", "lp", "planted", "infeasible", "blend", "ray", "ranked"];

pub fn pair(seed: u64, random: &mut Random) -> [Case; 2] {
    let kinds = KINDS.len() as u64;
    let kind = KINDS[(seed % kinds) as usize];
    // Seeds that the family alone does not reach.
    let plain = base(kind, 10_000_000 + seed / kinds, random);
    let first = random.below(8);
    let twin = (0..8).find_map(|k| change(&plain, (first + k) % 8, random)).unwrap();
    let mut one = plain.plain();
    one.told = kind.into();
    [one, twin]
}

fn change(plain: &Base, which: usize, random: &mut Random) -> Option<Case> {
    let sign = random.pick(&[-1.0, 1.0]);
    let units = |units: Units, random: &mut Random| {
        let mut case = plain.plain();
        case.scale = units.apply(&mut case.instance, random);
        case.reference = case.reference.times(case.scale);
        case.told = units.to_string();
        Some(case)
    };
    match which {
        0 => units(Units { objective: 9.0 * sign, ..Units::PLAIN }, random),
        1 => units(Units { rows: Spread::Uniform(6.0 * sign), ..Units::PLAIN }, random),
        2 => units(Units { columns: Spread::Uniform(6.0 * sign), ..Units::PLAIN }, random),
        3 => units(Units { columns: Spread::Each(6.0), ..Units::PLAIN }, random),
        4 => changed(plain, "one row scaled by 1e±6", |instance| {
            let rows = constraint_rows(instance);
            let row = *rows.get(random.below(rows.len().max(1)))?;
            scale_row(instance, row, ten(6.0 * sign));
            Some(())
        }),
        5 => changed(plain, "rows in another order", |instance| permute(instance, random)),
        6 => changed(plain, "a row repeated", |instance| repeat(instance, random)),
        _ => {
            let t: Vec<f64> =
                (0..plain.instance.dimension()).map(|_| crate::lp::integer(random, 4)).collect();
            changed(plain, "variables shifted", |instance| {
                *instance = shifted(instance, &t)?;
                Some(())
            })
        }
    }
}

fn changed(plain: &Base, told: &str, change: impl FnOnce(&mut Instance) -> Option<()>) -> Option<Case> {
    let mut case = plain.plain();
    change(&mut case.instance)?;
    case.told = told.into();
    Some(case)
}

/// Another order of the blocks, and of the rows of every composer that does not tell them apart.
fn permute(instance: &mut Instance, random: &mut Random) -> Option<()> {
    if instance.blocks.is_empty() {
        return None;
    }
    shuffle(&mut instance.blocks, random);
    for block in &mut instance.blocks {
        if matches!(block.composer, Composer::Sum(_) | Composer::Scaled(..) | Composer::Stacked(_)) {
            continue;
        }
        // The same steps for everything that goes by rows.
        let steps = (random.within(0.0, 1.0) * 2f64.powi(53)) as u64;
        if let Composer::Between(lower, upper) = &mut block.composer {
            shuffle(lower, &mut Random::new(steps));
            shuffle(upper, &mut Random::new(steps));
        }
        match &mut block.rows {
            BlockRows::Components(parts) => shuffle(parts, &mut Random::new(steps)),
            BlockRows::Affine(rows) => {
                shuffle(&mut rows.matrix, &mut Random::new(steps));
                shuffle(&mut rows.offset, &mut Random::new(steps));
            }
        }
    }
    Some(())
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k + 1));
    }
}

/// A constraint once more.
fn repeat(instance: &mut Instance, random: &mut Random) -> Option<()> {
    let rows = constraint_rows(instance);
    let (block, row) = *rows.get(random.below(rows.len().max(1)))?;
    let block = &mut instance.blocks[block];
    if let Composer::Between(lower, upper) = &mut block.composer {
        lower.push(lower[row]);
        upper.push(upper[row]);
    }
    match &mut block.rows {
        BlockRows::Components(parts) => parts.push(parts[row].clone()),
        BlockRows::Affine(rows) => {
            rows.matrix.push(rows.matrix[row].clone());
            rows.offset.push(rows.offset[row]);
        }
    }
    Some(())
}
