//! The fields that losses over data share, and how samples are weighed.

use super::{Glm, Loss, Reduction};
use crate::catalogue::{Built, Field, FieldType, Preset, Values};
use crate::error::DataError;
use crate::oracle::Component;
use std::sync::Arc;

/// The rows a_i.
pub(crate) const MATRIX: Field = Field::new("matrix", FieldType::Matrix, "the rows a_i, one for each sample")
    .symbol("A")
    .sample("[[1, 0.5], [-1, 2], [0.5, -1]]")
    .blamed_as(&["data rows", "data columns"]);

/// Class labels.
pub(super) const LABELS: Field = Field::new("target", FieldType::Labels, "the labels")
    .symbol("y")
    .bounds("-1 and 1, or 0 and 1")
    .sample("[1, 0, 1]")
    .blamed_as(&["labels"]);

/// What a_i.x is to meet.
pub(super) const TARGETS: Field = Field::new("target", FieldType::Labels, "what the a_i.x are to meet")
    .symbol("b")
    .sample("[1, 0.5, -2]")
    .blamed_as(&["targets"]);

/// What is added to a_i.x.
pub(crate) const OFFSETS: Field = Field::new("offset", FieldType::Labels, "added to the a_i.x")
    .symbol("b")
    .sample("[0.5, 0, -1]")
    .blamed_as(&["offsets"])
    .absent("0");

/// What is added to a_i.x, where that is not its usual form.
pub(super) const OFFSET: Field =
    Field::new("offset", FieldType::Spread, "o, added to the a_i.x, one for each sample")
        .absent("0")
        .keyword();

/// Weights of samples.
pub(crate) const WEIGHTS: Field = Field::new("weights", FieldType::Spread, "one weight for each sample")
    .bounds("nonnegative, not all 0")
    .sample("[1, 2, 0.5]")
    .blamed_as(&["the sum of weights"])
    .absent("all 1")
    .keyword();

/// Mean or sum.
pub(crate) const REDUCTION: Field =
    Field::new("reduction", FieldType::Choice(&["mean", "sum"]), "the mean over the samples, or their sum")
        .preset(Preset::Word("mean"))
        .keyword();

/// The reduction that the values ask for.
pub(crate) fn reduction(values: &Values) -> Built<Reduction> {
    Ok(match values.word("reduction")? {
        "sum" => Reduction::Sum,
        _ => Reduction::Mean,
    })
}

/// A loss with the weights and the reduction that the values ask for.
pub(super) fn weighed<L: Loss + 'static>(
    loss: Result<Glm<L>, DataError>,
    values: &mut Values,
) -> Built<Arc<dyn Component>> {
    let mut loss = loss?.reduced_by(reduction(values)?);
    let rows = loss.data.rows();
    if values.takes("offset")
        && let Some(offsets) = values.spread("offset", Some(rows))?
    {
        loss = loss.with_offsets(offsets)?;
    }
    if let Some(weights) = values.spread("weights", Some(rows))? {
        loss = loss.weighted(weights)?;
    }
    Ok(Arc::new(loss))
}

/// The matrix, and a number for each of its rows: `field`, or 0 where it is left out.
pub(crate) fn samples(
    values: &mut Values,
    field: &'static str,
) -> Built<(Arc<crate::matrix::Matrix>, Vec<f64>)> {
    let matrix = values.matrix("matrix")?;
    let numbers = values.spread_or(field, matrix.rows(), 0.0)?;
    Ok((matrix, numbers))
}
