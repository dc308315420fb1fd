//! A solved classifier or regression as a file: columns, what was done to them, coefficients, and which proof stands behind it.

use crate::failure::{Failure, Outcome};
use crate::load::Loaded;
use crate::record::RunRecord;
use crate::summary::Proof;
use serde::{Deserialize, Serialize};
use std::path::Path;
use ufcm::report::Status;

/// What is read as a model.
const FORMAT: &str = "ufcm model 1";

/// A linear model over named columns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    format: String,
    pub(crate) name: String,
    pub(crate) link: Link,
    pub(crate) columns: Vec<Column>,
    /// Added to every score.
    pub(crate) intercept: f64,
    status: Status,
    objective: f64,
    lower_bound: Option<f64>,
    /// FNV-1a of the certificate's text, 64 bits in hexadecimal digits; absent where nothing was proven.
    certificate_digest: Option<String>,
}

/// What a score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Link {
    /// 1 / (1 + exp(-score)) is a probability.
    Logistic,
    /// exp(score) is a rate.
    Log,
    /// The score's sign is a class.
    Sign,
    /// The score is the prediction.
    Identity,
}

/// A column of the data with its coefficient: coefficient (value - mean) / scale, or the coefficient where the column has that category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    pub(crate) mean: f64,
    pub(crate) scale: f64,
    pub(crate) coefficient: f64,
}

/// Refuses problems whose variables are no columns of one table, before they are solved.
pub(crate) fn check(path: &Path, loaded: &Loaded) -> Outcome<()> {
    if loaded.prepared.is_some() {
        return Ok(());
    }
    let message = "--model needs variables that are the columns of one table (a [data.NAME] with a CSV file); those of this problem are not";
    Err(Failure::in_file(path, message))
}

/// The model of a run.
pub(crate) fn content(record: &RunRecord) -> Outcome<Vec<u8>> {
    let report = &record.report;
    let none = || Failure::new("--model: there is no solution to write");
    let prepared = record.variables.as_ref().ok_or_else(none)?;
    if report.x.len() != prepared.variables() || !report.x.iter().all(|x| x.is_finite()) {
        return Err(none());
    }
    let column = |(feature, coefficient): (&ufcm_io::problem_file::Feature, &f64)| {
        let split = feature.name.split_once('=').filter(|_| feature.is_category);
        let (column, category) =
            split.map_or((feature.name.clone(), None), |(c, v)| (c.into(), Some(v.into())));
        Column { column, category, mean: feature.mean, scale: feature.scale, coefficient: *coefficient }
    };
    let columns: Vec<Column> = prepared.features.iter().zip(&report.x).map(column).collect();
    let intercept = if prepared.intercept { report.x[report.x.len() - 1] } else { 0.0 };
    let proof = Proof::of(record).map(|proof| proof.text()).transpose()?;
    let model = Model {
        format: FORMAT.into(),
        name: record.description.name.clone(),
        link: link(record),
        columns,
        intercept,
        status: report.status,
        objective: report.objective,
        lower_bound: Some(report.lower_bound).filter(|bound| bound.is_finite()),
        certificate_digest: proof.map(|text| format!("{:016x}", fnv1a(text.as_bytes()))),
    };
    Ok((serde_json::to_string_pretty(&model)? + "\n").into())
}

/// By the losses of the problem.
fn link(record: &RunRecord) -> Link {
    let has = |kind: &str| record.description.blocks.iter().any(|block| block.component == kind);
    match () {
        () if has("logistic loss") => Link::Logistic,
        () if has("Poisson loss") => Link::Log,
        () if has("squared hinge loss") || has("smoothed hinge loss") => Link::Sign,
        () => Link::Identity,
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Model {
    /// Reads a model.
    pub(crate) fn read(path: &Path) -> Outcome<Self> {
        let source = ufcm_io::Source::open(path)?;
        let model: Self = serde_json::from_str(source.text()?).map_err(|error| {
            Failure::in_file(path, format!("it is no model of `ufcm solve --model`: {error}"))
        })?;
        if model.format != FORMAT {
            let message = format!("its format is \"{}\"; this version reads \"{FORMAT}\"", model.format);
            return Err(Failure::in_file(path, message));
        }
        let sound = |column: &Column| {
            column.mean.is_finite()
                && column.coefficient.is_finite()
                && column.scale.is_finite()
                && column.scale != 0.0
        };
        match model.columns.iter().find(|column| !sound(column)) {
            Some(column) => {
                Err(Failure::in_file(path, format!("the numbers of column \"{}\" cannot be", column.column)))
            }
            None => Ok(model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!([fnv1a(b""), fnv1a(b"a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
    }
}
