//! `ufcm predict`: scores of a model on another file.

pub(crate) mod model;

use crate::arguments::PredictOptions;
use crate::console::Console;
use crate::failure::{Exit, Failure, Outcome};
use crate::load::ending;
use crate::output::{Named, Output, refuse_clashes};
use model::{Column, Link, Model};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use ufcm::budget::Budget;
use ufcm::matrix::Matrix;
use ufcm_io::npz::Archive;
use ufcm_io::table::{Options, Table};
use ufcm_io::{Source, arrow, libsvm, matrix_market, npy, parquet};

/// Scores a file.
pub(crate) fn predict(options: &PredictOptions, console: &mut Console) -> Outcome {
    let named = options.output.as_ref().map(|path| Named::new("--output", path));
    let inputs = [Named::new("the model", &options.model), Named::new("the data", &options.data)];
    refuse_clashes(named.as_slice(), &inputs)?;
    let output = named.map(|named| Output::open(named, &Budget::unlimited())).transpose()?;
    let model = Model::read(&options.model)?;
    let scores = scores(&model, &options.data)?;
    let text = told(&model, &scores);
    let shown = match output {
        Some(output) => output.write(text.into())?,
        None => Some(text.into()),
    };
    shown.iter().for_each(|bytes| console.write(bytes));
    Ok(Exit::Success)
}

fn scores(model: &Model, path: &Path) -> Outcome<Vec<f64>> {
    match ending(path).as_str() {
        "parquet" => return of_table(model, &parquet::read(path)?, path),
        "arrow" | "feather" => return of_table(model, &arrow::read(path)?, path),
        _ => {}
    }
    let source = Source::open(path)?;
    let matrix = match ending(path).as_str() {
        "csv" | "tsv" | "txt" => {
            let table = Table::read(&source, &Options::default())?;
            return of_table(model, &table, path);
        }
        "npy" => npy::read(&source)?.into_matrix().map_err(|fault| Failure::in_file(path, fault))?,
        "npz" => Archive::read(source)?.sparse()?,
        "mtx" => matrix_market::read(&source)?,
        "svm" | "libsvm" => libsvm::read(&source, Some(model.columns.len()))?.matrix,
        other => {
            let message = format!(
                "data end in .csv, .parquet, .arrow, .feather, .npy, .npz, .mtx or .svm, not in \".{other}\""
            );
            return Err(Failure::in_file(path, message));
        }
    };
    of_matrix(model, &matrix, path)
}

/// Scores of the rows of a matrix, whose columns are those of the model in their order.
fn of_matrix(model: &Model, matrix: &Matrix, path: &Path) -> Outcome<Vec<f64>> {
    let (has, needs) = (matrix.columns(), model.columns.len());
    if has != needs {
        return Err(Failure::in_file(path, format!("it has {has} columns; the model has {needs}")));
    }
    let rest: f64 = model.columns.iter().map(|column| column.coefficient * column.mean / column.scale).sum();
    let mut scores = vec![model.intercept - rest; matrix.rows()];
    matrix.for_each(|i, j, value| scores[i] += model.columns[j].coefficient * value / model.columns[j].scale);
    Ok(scores)
}

/// Scores of the rows of a table, whose columns are found by name.
fn of_table(model: &Model, table: &Table, path: &Path) -> Outcome<Vec<f64>> {
    let mut needed: Vec<&str> = Vec::new();
    for column in &model.columns {
        if !needed.contains(&column.column.as_str()) {
            needed.push(&column.column);
        }
    }
    let is_there = |name: &&&str| table.names().iter().any(|other| other == **name);
    let missing: Vec<&str> = needed.iter().filter(|name| !is_there(name)).copied().collect();
    let new: Vec<&str> =
        table.names().iter().map(String::as_str).filter(|name| !needed.contains(name)).collect();
    if !missing.is_empty() {
        let mut message = format!("it has no column {}, which the model needs", missing.join(", "));
        if !new.is_empty() {
            message.push_str(&format!("; it has {}, which the model does not know", new.join(", ")));
        }
        return Err(Failure::in_file(path, message));
    }
    if !new.is_empty() {
        complain_softly(&format!("columns that the model does not know are ignored: {}", new.join(", ")));
    }
    let mut scores = vec![model.intercept; table.rows()];
    for name in needed {
        add(model, table, path, name, &mut scores)?;
    }
    Ok(scores)
}

/// Adds what one column of a table brings.
fn add(model: &Model, table: &Table, path: &Path, name: &str, scores: &mut [f64]) -> Outcome<()> {
    let own: Vec<&Column> = model.columns.iter().filter(|column| column.column == name).collect();
    let levels: BTreeMap<&str, f64> =
        own.iter().filter_map(|column| Some((column.category.as_deref()?, column.coefficient))).collect();
    if levels.is_empty() {
        let Column { mean, scale, coefficient, .. } = own[0];
        for (score, value) in scores.iter_mut().zip(table.numbers(name)?) {
            *score += coefficient * (value - mean) / scale;
        }
        return Ok(());
    }
    for (row, (score, cell)) in scores.iter_mut().zip(table.texts(name)?).enumerate() {
        let Some(coefficient) = levels.get(&*cell) else {
            let known: Vec<&str> = levels.keys().take(8).copied().collect();
            let message = format!(
                "row {}, column \"{name}\": \"{cell}\" is no category of the model, which knows {}{}",
                row + 1,
                known.join(", "),
                if levels.len() > 8 { " and others" } else { "" }
            );
            return Err(Failure::in_file(path, message));
        };
        *score += coefficient;
    }
    Ok(())
}

/// A note beside the scores, which may be on standard output.
fn complain_softly(note: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "note: {note}");
}

/// The scores as CSV, with what they mean.
fn told(model: &Model, scores: &[f64]) -> String {
    let heading = match model.link {
        Link::Logistic => "row,score,probability,positive",
        Link::Sign => "row,score,positive",
        Link::Log => "row,score,rate",
        Link::Identity => "row,score",
    };
    let mut text = format!("{heading}\n");
    for (row, score) in scores.iter().enumerate() {
        let _ = write!(text, "{},{score:?}", row + 1);
        let positive = u8::from(*score > 0.0);
        let _ = match model.link {
            Link::Logistic => write!(text, ",{:?},{positive}", 1.0 / (1.0 + (-score).exp())),
            Link::Sign => write!(text, ",{positive}"),
            Link::Log => write!(text, ",{:?}", score.exp()),
            Link::Identity => Ok(()),
        };
        text.push('\n');
    }
    text
}
