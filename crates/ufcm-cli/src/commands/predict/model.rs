//! A solved classifier or regression as a file: columns, what was done to them, coefficients, and which proof stands behind it.

use crate::failure::{Failure, Outcome};
use crate::load::Loaded;
use crate::record::RunRecord;
use crate::summary::Proof;
use serde::{Deserialize, Serialize};
use std::path::Path;
use ufcm::report::Status;
use ufcm_io::problem_file::{Feature, Offset};

/// What is read as a model: the second has offsets or classes, which readers of the first do not know.
const FORMATS: [&str; 2] = ["ufcm model 1", "ufcm model 2"];

/// A linear model over named columns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    format: String,
    pub(crate) name: String,
    pub(crate) link: Link,
    pub(crate) columns: Vec<Column>,
    /// Added to every score.
    pub(crate) intercept: f64,
    /// The column that is added to every score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<String>,
    /// The classes, where there are several with a score each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) classes: Vec<Class>,
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
    /// exp(score) over the sum of those of all classes is a probability.
    Softmax,
}

/// A class with its own coefficients, in the order of the columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) intercept: f64,
    pub(crate) coefficients: Vec<f64>,
}

/// A column of the data with its coefficient: coefficient (value - mean) / scale, or the coefficient where the column has that category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    pub(crate) mean: f64,
    pub(crate) scale: f64,
    /// 0 where each class has its own.
    #[serde(default)]
    pub(crate) coefficient: f64,
}

/// Refuses problems whose variables are no columns of one table, before they are solved.
pub(crate) fn check(path: &Path, loaded: &Loaded) -> Outcome<()> {
    let message = match &loaded.prepared {
        None => {
            "--model needs variables that are the columns of one table (a [data.NAME] with a CSV file); those of this problem are not"
        }
        Some(prepared) if prepared.offset == Offset::Other => {
            "--model needs an `offset` that is a column of the table, the same for all losses: scores of other files would lack it"
        }
        Some(_) => return Ok(()),
    };
    Err(Failure::in_file(path, message))
}

/// The model of a run.
pub(crate) fn content(record: &RunRecord) -> Outcome<Vec<u8>> {
    let report = &record.report;
    let none = || Failure::new("--model: there is no solution to write");
    let prepared = record.variables.as_ref().ok_or_else(none)?;
    let count = prepared.classes.len().max(1);
    if report.x.len() != prepared.variables() * count || !report.x.iter().all(|x| x.is_finite()) {
        return Err(none());
    }
    let column = |(feature, coefficient): (&Feature, &f64)| {
        let Feature { column, category, mean, scale } = feature.clone();
        let coefficient = if prepared.classes.is_empty() { *coefficient } else { 0.0 };
        Column { column, category, mean, scale, coefficient }
    };
    let columns: Vec<Column> = prepared.features.iter().zip(&report.x).map(column).collect();
    let intercept_of = |x: &[f64]| x.last().copied().filter(|_| prepared.intercept).unwrap_or(0.0);
    let class = |(name, x): (&String, &[f64])| Class {
        name: name.clone(),
        intercept: intercept_of(x),
        coefficients: x[..prepared.features.len()].to_vec(),
    };
    let classes: Vec<Class> =
        prepared.classes.iter().zip(report.x.chunks(prepared.variables().max(1))).map(class).collect();
    let intercept = if classes.is_empty() { intercept_of(&report.x) } else { 0.0 };
    let offset = match &prepared.offset {
        Offset::Column(column) => Some(column.clone()),
        _ => None,
    };
    let proof = Proof::of(record).map(|proof| proof.text()).transpose()?;
    let model = Model {
        format: FORMATS[usize::from(offset.is_some() || !classes.is_empty())].into(),
        name: record.description.name.clone(),
        link: link(record),
        columns,
        intercept,
        offset,
        classes,
        status: report.status,
        objective: report.objective,
        lower_bound: Some(report.lower_bound).filter(|bound| bound.is_finite()),
        certificate_digest: proof.map(|text| format!("{:016x}", fnv1a(text.as_bytes()))),
    };
    Ok((serde_json::to_string_pretty(&model)? + "\n").into())
}

/// By the losses of the problem.
fn link(record: &RunRecord) -> Link {
    let has = |kind: &str| {
        record.description.blocks.iter().any(|block| block.component == kind)
            || record.losses.iter().any(|loss| loss.component.kind() == kind)
    };
    match () {
        () if record.variables.as_ref().is_some_and(|prepared| !prepared.classes.is_empty()) => Link::Softmax,
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
        if !FORMATS.contains(&model.format.as_str()) {
            let known = FORMATS.join("\" and \"");
            let message = format!("its format is \"{}\"; this version reads \"{known}\"", model.format);
            return Err(Failure::in_file(path, message));
        }
        let fits = |class: &Class| {
            let mut all = class.coefficients.iter().chain([&class.intercept]);
            class.coefficients.len() == model.columns.len() && all.all(|number| number.is_finite())
        };
        if let Some(class) = model.classes.iter().find(|class| !fits(class)) {
            return Err(Failure::in_file(path, format!("the numbers of class \"{}\" cannot be", class.name)));
        }
        if (model.link == Link::Softmax) == model.classes.is_empty() {
            return Err(Failure::in_file(path, "what its scores mean does not fit its classes"));
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
