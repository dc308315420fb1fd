//! `ufcm predict`: scores of a model on another file.

pub(crate) mod model;

use crate::arguments::PredictOptions;
use crate::commands::solve::solution::quoted;
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

/// The scores of each class; of a model without classes, of one.
type Scores = Vec<Vec<f64>>;

fn scores(model: &Model, path: &Path) -> Outcome<Scores> {
    match ending(path).as_str() {
        "parquet" => return of_table(model, &parquet::read(path)?, path),
        "arrow" | "feather" => return of_table(model, &arrow::read(path)?, path),
        _ => {}
    }
    let source = Source::open(path)?;
    let matrix = match ending(path).as_str() {
        "csv" | "tsv" | "txt" => {
            let delimiter = if ending(path) == "tsv" { b'\t' } else { b',' };
            let table = Table::read(&source, &Options { delimiter, ..Options::default() })?;
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

/// The intercept and the coefficients of each class, or those of the model.
fn weights(model: &Model) -> Vec<(f64, Vec<f64>)> {
    if model.classes.is_empty() {
        return vec![(model.intercept, model.columns.iter().map(|column| column.coefficient).collect())];
    }
    model.classes.iter().map(|class| (class.intercept, class.coefficients.clone())).collect()
}

/// Scores of the rows of a matrix, whose columns are those of the model in their order.
fn of_matrix(model: &Model, matrix: &Matrix, path: &Path) -> Outcome<Scores> {
    let (has, needs) = (matrix.columns(), model.columns.len());
    if has != needs {
        return Err(Failure::in_file(path, format!("it has {has} columns; the model has {needs}")));
    }
    if let Some(offset) = &model.offset {
        let message = format!(
            "the model adds the column \"{offset}\" to every score, and these data have no columns by name; give a table"
        );
        return Err(Failure::in_file(path, message));
    }
    let of_class = |(intercept, coefficients): (f64, Vec<f64>)| {
        let rest = model.columns.iter().zip(&coefficients).map(|(column, c)| c * column.mean / column.scale);
        let mut scores = vec![intercept - rest.sum::<f64>(); matrix.rows()];
        matrix.for_each(|i, j, value| scores[i] += coefficients[j] * value / model.columns[j].scale);
        scores
    };
    Ok(weights(model).into_iter().map(of_class).collect())
}

/// Scores of the rows of a table, whose columns are found by name.
fn of_table(model: &Model, table: &Table, path: &Path) -> Outcome<Scores> {
    let mut needed: Vec<&str> = Vec::new();
    for name in model.columns.iter().map(|column| column.column.as_str()) {
        if !needed.contains(&name) {
            needed.push(name);
        }
    }
    let features = needed.len();
    needed.extend(model.offset.as_deref().filter(|offset| !needed.contains(offset)));
    let is_there = |name: &&&str| table.names().iter().any(|other| other == **name);
    let missing: Vec<&str> = needed.iter().filter(|name| !is_there(name)).copied().collect();
    let new: Vec<&str> =
        table.names().iter().map(String::as_str).filter(|name| !needed.contains(name)).collect();
    if !missing.is_empty() {
        let mut message = format!("it has no column {}, which the model needs", missing.join(", "));
        if let Some(offset) = model.offset.as_deref().filter(|offset| missing.contains(offset)) {
            message.push_str(&format!(" ({offset} is added to every score; a column of 0 adds nothing)"));
        }
        if !new.is_empty() {
            message.push_str(&format!("; it has {}, which the model does not know", new.join(", ")));
        }
        return Err(Failure::in_file(path, message));
    }
    if !new.is_empty() {
        complain_softly(&format!("columns that the model does not know are ignored: {}", new.join(", ")));
    }
    let weights = weights(model);
    let mut scores: Scores = weights.iter().map(|(intercept, _)| vec![*intercept; table.rows()]).collect();
    for name in &needed[..features] {
        add(model, &weights, table, path, name, &mut scores)?;
    }
    if let Some(offset) = &model.offset {
        let added = table.numbers(offset)?;
        scores.iter_mut().for_each(|own| own.iter_mut().zip(&added).for_each(|(score, o)| *score += o));
    }
    Ok(scores)
}

/// Adds what one column of a table brings.
fn add(
    model: &Model,
    weights: &[(f64, Vec<f64>)],
    table: &Table,
    path: &Path,
    name: &str,
    scores: &mut Scores,
) -> Outcome<()> {
    let own: Vec<(usize, &Column)> =
        model.columns.iter().enumerate().filter(|(_, column)| column.column == name).collect();
    for (j, column) in own.iter().filter(|(_, column)| column.category.is_none()) {
        let numbers = table.numbers(name)?;
        for (scores, (_, coefficients)) in scores.iter_mut().zip(weights) {
            for (score, value) in scores.iter_mut().zip(&numbers) {
                *score += coefficients[*j] * (value - column.mean) / column.scale;
            }
        }
    }
    let levels: BTreeMap<&str, usize> =
        own.iter().filter_map(|(j, column)| Some((column.category.as_deref()?, *j))).collect();
    if levels.is_empty() {
        return Ok(());
    }
    for (row, cell) in table.texts(name)?.enumerate() {
        let Some(j) = levels.get(&*cell) else {
            let known: Vec<&str> = levels.keys().take(8).copied().collect();
            let message = format!(
                "row {}, column \"{name}\": \"{cell}\" is no category of the model, which knows {}{}",
                row + 1,
                known.join(", "),
                if levels.len() > 8 { " and others" } else { "" }
            );
            return Err(Failure::in_file(path, message));
        };
        scores.iter_mut().zip(weights).for_each(|(scores, (_, c))| scores[row] += c[*j]);
    }
    Ok(())
}

/// A note beside the scores, which may be on standard output.
fn complain_softly(note: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "note: {note}");
}

/// The scores as CSV, with what they mean.
fn told(model: &Model, scores: &Scores) -> String {
    if model.link == Link::Softmax {
        return told_by_class(model, scores);
    }
    let scores = scores.first().map_or(&[][..], Vec::as_slice);
    let heading = match model.link {
        Link::Logistic => "row,score,probability,positive",
        Link::Sign => "row,score,positive",
        Link::Log => "row,score,rate",
        Link::Identity | Link::Softmax => "row,score",
    };
    let mut text = format!("{heading}\n");
    for (row, score) in scores.iter().enumerate() {
        let _ = write!(text, "{},{score:?}", row + 1);
        let positive = u8::from(*score > 0.0);
        let _ = match model.link {
            Link::Logistic => write!(text, ",{:?},{positive}", 1.0 / (1.0 + (-score).exp())),
            Link::Sign => write!(text, ",{positive}"),
            Link::Log => write!(text, ",{:?}", score.exp()),
            Link::Identity | Link::Softmax => Ok(()),
        };
        text.push('\n');
    }
    text
}

/// The likeliest class of each row, and the probability of each.
fn told_by_class(model: &Model, scores: &Scores) -> String {
    let mut text = "row,class".to_owned();
    model.classes.iter().for_each(|class| text.push_str(&format!(",{}", quoted(&class.name))));
    text.push('\n');
    for row in 0..scores.first().map_or(0, Vec::len) {
        let own: Vec<f64> = scores.iter().map(|class| class[row]).collect();
        // Of equals, the first.
        let likeliest = (0..own.len()).fold(0, |best, k| if own[k] > own[best] { k } else { best });
        let exponentials: Vec<f64> = own.iter().map(|score| (score - own[likeliest]).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        let _ = write!(text, "{},{}", row + 1, quoted(&model.classes[likeliest].name));
        exponentials.iter().for_each(|e| text.push_str(&format!(",{:?}", e / sum)));
        text.push('\n');
    }
    text
}
