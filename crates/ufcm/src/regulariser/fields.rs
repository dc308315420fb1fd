//! The fields that regularisers and domains share.

use crate::catalogue::{Built, Field, FieldType, Preset, Values};

/// A weight for each coordinate.
pub(super) const WEIGHTS: Field =
    Field::new("weight", FieldType::PerCoordinate, "one for all, or one for each")
        .symbol("w")
        .bounds("nonnegative")
        .sample("0.5")
        .blamed_as(&["weights"]);

/// One weight.
pub(super) const WEIGHT: Field =
    Field::new("weight", FieldType::Number, "the weight").symbol("w").bounds("nonnegative").sample("0.5");

/// The lower side of a box.
pub(super) const LOWER: Field = Field::new("lower", FieldType::PerCoordinate, "the lower side")
    .symbol("lo")
    .bounds("may be -inf")
    .preset(Preset::Number(f64::NEG_INFINITY))
    .sample("-1");

/// The upper side of a box.
pub(super) const UPPER: Field = Field::new("upper", FieldType::PerCoordinate, "the upper side")
    .symbol("hi")
    .bounds("at least the lower side; may be inf")
    .preset(Preset::Number(f64::INFINITY))
    .sample("[0.25, 1, 2]");

/// The radius of a ball.
pub(super) const RADIUS: Field =
    Field::new("radius", FieldType::Number, "the radius").symbol("R").bounds("positive").sample("1.5");

/// The centre of a ball.
pub(super) const CENTRE: Field = Field::new("centre", FieldType::Spread, "the centre")
    .symbol("center")
    .sample("[0.5, 0, -0.5]")
    .absent("0");

/// The normal of a plane.
pub(super) const NORMAL: Field =
    Field::new("normal", FieldType::Spread, "a").bounds("not 0").sample("[1, 2, -1]");

/// The offset of a plane.
pub(super) const OFFSET: Field = Field::new("offset", FieldType::Number, "b").sample("0.5");

/// The normal, for `n` variables.
pub(super) fn normal(values: &mut Values, n: Option<usize>) -> Built<Vec<f64>> {
    values.spread("normal", n).map(Option::unwrap_or_default)
}
