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

/// Sum or mean.
pub(super) const REDUCTION: Field =
    Field::new("reduction", FieldType::Choice(&["mean", "sum"]), "the mean over the rows, or their sum")
        .preset(Preset::Word("sum"))
        .keyword();

/// What each row may be without a penalty.
pub(super) const AT_MOST: Field =
    Field::new("at_most", FieldType::Spread, "the bound of each row").sample("[0.5, -1]").absent("0");

/// The weight of a sum over so many rows, divided by their number where the mean is asked for.
pub(super) fn weight(values: &Values, rows: usize) -> Built<f64> {
    let weight = values.number("weight")?;
    Ok(match values.word("reduction")? {
        "mean" => weight / rows.max(1) as f64,
        _ => weight,
    })
}

/// The weights of so many rows, times the weight of the whole.
pub(crate) fn row_weights(values: &mut Values, rows: usize) -> Built<Vec<f64>> {
    let weight = weight(values, rows)?;
    let each = values.spread_or("weights", rows, 1.0)?;
    values.check_length("weights", rows, each.len())?;
    Ok(each.iter().map(|own| weight * own).collect())
}

/// A composer without a weight of its own, times one.
pub(super) fn scaled(values: &Values, composer: impl Composer + 'static) -> Built<Box<dyn Composer>> {
    times(values.number("weight")?, composer)
}

/// A composer times a weight.
pub(super) fn times(weight: f64, composer: impl Composer + 'static) -> Built<Box<dyn Composer>> {
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
