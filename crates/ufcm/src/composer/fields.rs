//! The fields that composers share, and what is done with them.

use super::Scaled;
use crate::catalogue::{Built, Field, FieldType, Preset, Rows, Values};
use crate::oracle::Composer;

/// What the whole is multiplied by; in Python, `2 * term`.
pub(super) const WEIGHT: Field = Field::new("weight", FieldType::Number, "times the whole")
    .bounds("positive")
    .preset(Preset::Number(1.0))
    .operator();

/// A weight for each row.
pub(super) const WEIGHTS: Field =
    Field::new("weights", FieldType::Spread, "w, one for each row").sample("[1, 2]").absent("all 1");

/// What each row may be without a penalty.
pub(super) const AT_MOST: Field =
    Field::new("at_most", FieldType::Spread, "the bound of each row").sample("[0.5, -1]").absent("0");

/// The weights of so many rows, times the weight of the whole.
pub(super) fn row_weights(values: &mut Values, rows: usize) -> Built<Vec<f64>> {
    let weight = values.number("weight")?;
    let each = values.spread_or("weights", rows, 1.0)?;
    values.check_length("weights", rows, each.len())?;
    Ok(each.iter().map(|own| weight * own).collect())
}

/// A composer without a weight of its own, times one.
pub(super) fn scaled(values: &Values, composer: impl Composer + 'static) -> Built<Box<dyn Composer>> {
    let weight = values.number("weight")?;
    if weight == 1.0 {
        return Ok(Box::new(composer));
    }
    Ok(Box::new(Scaled::new(weight, Box::new(composer))?))
}

/// Each row minus its bound.
pub(super) fn minus_bounds(values: &mut Values, rows: Rows) -> Built<Rows> {
    let count = rows.count();
    match values.spread("at_most", Some(count))? {
        None => Ok(rows),
        Some(bounds) => {
            values.check_length("at_most", count, bounds.len())?;
            rows.minus(&bounds)
        }
    }
}
