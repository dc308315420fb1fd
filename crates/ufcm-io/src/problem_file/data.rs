//! Data sets: a matrix of features with labels, whatever the file, and the rows that a component takes of it.

use super::array::read_table;
use super::error::{ProblemFileError, suggestion};
use super::files::{Files, Format, InFile};
use super::labels::{self, Labels, there_are};
use super::node::{Node, Section};
use super::rows::{self, Comparison, Literal, Relation};
use super::tabular;
use super::transform::{run, standardised, taken, with_intercept};
use crate::mapped::container::Labelled;
use crate::npz::Archive;
use crate::table::{Column, Table};
use crate::{libsvm, matrix_market, npy};
use std::sync::Arc;
use ufcm::error::DataError;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// Features with labels.
pub(super) struct DataSet {
    pub(super) matrix: Arc<Matrix>,
    pub(super) label: Option<Labels>,
    /// The name of each feature; none for files that do not tell.
    pub(super) features: Vec<String>,
    /// Whether the matrix stays in its file: no copy of any part is made then.
    mapped: bool,
    pub(super) table: Option<Table>,
    /// Whether the last column is of ones.
    pub(super) has_intercept: bool,
    /// What the user should know of how it was read.
    pub(super) notes: Vec<String>,
}

/// The rows that a component takes of a data set.
pub(super) struct Selected {
    pub(super) matrix: Arc<Matrix>,
    pub(super) label: Option<Labels>,
    /// Which they are; `None` for all.
    pub(super) rows: Option<Vec<usize>>,
}

/// What becomes of the data of a file.
struct Options {
    standardise: bool,
    intercept: bool,
    /// Whether they are held in single precision.
    single: bool,
    mapped: bool,
}

impl Options {
    fn of(section: &Section<'_>) -> Result<Self> {
        let flag = |key: &'static str| section.get(key).map_or(Ok(false), |node| node.boolean());
        let single = match section.get("dtype") {
            None => false,
            Some(node) => match node.text()? {
                "f64" | "float64" => false,
                "f32" | "float32" => true,
                _ => return Err(node.unknown("type of numbers", ["f64", "f32"])),
            },
        };
        let (standardise, intercept, mapped) = (flag("standardise")?, flag("intercept")?, flag("mapped")?);
        let refused = [("standardise", standardise), ("intercept", intercept), ("dtype", single)];
        if let Some((key, _)) = refused.iter().find(|(_, asked)| mapped && *asked) {
            let help = "change the data once, where they are written";
            let message =
                format!("mapped data stay as they are in their file, so that `{key}` cannot change them");
            return Err(section.get(key).map_or_else(
                || section.error(message.clone()),
                |node| node.error_with(message.clone(), Some(help.into())),
            ));
        }
        Ok(Self { standardise, intercept, single, mapped })
    }
}

/// What a file holds before options change it.
struct Raw {
    matrix: Matrix,
    label: Option<Labels>,
    features: Vec<String>,
    /// Whether a column is 0 or 1 for a category, and is not standardised.
    category: Vec<bool>,
    table: Option<Table>,
    notes: Vec<String>,
}

impl Raw {
    fn of_matrix(matrix: Matrix, label: Option<Vec<f64>>) -> Self {
        let category = vec![false; matrix.columns()];
        let label = label.map(Labels::Numbers);
        Self { matrix, label, features: Vec::new(), category, table: None, notes: Vec::new() }
    }
}

impl DataSet {
    /// Reads `[data.NAME]`.
    pub(super) fn read(files: &Files<'_>, node: &Node<'_>) -> Result<Self> {
        let section = node.section()?;
        let options = Options::of(&section)?;
        let raw = match section.get("matrix") {
            Some(matrix) => {
                let label = section.get("label");
                section.finish()?;
                let matrix = files.matrix(&matrix)?;
                let label = label.map(|label| files.vector(&label, Some(matrix.rows()))).transpose()?;
                Raw::of_matrix(matrix, label)
            }
            None if options.mapped => {
                let (file, label) = (section.require("file")?, section.get("label"));
                section.finish()?;
                let (matrix, own) = match files.container(&file)? {
                    Some(Labelled { matrix, labels }) => (matrix, labels),
                    None => (files.mapped_set(&file)?, None),
                };
                let label = label.map(|label| files.vector(&label, Some(matrix.rows()))).transpose()?;
                Raw::of_matrix(matrix, label.or(own))
            }
            None => in_file(files, &section)?,
        };
        if let Some(Labels::Numbers(label)) = &raw.label
            && label.len() != raw.matrix.rows()
        {
            let message = format!("there are {} labels for {} rows", label.len(), raw.matrix.rows());
            return Err(section
                .get("label")
                .map_or_else(|| section.error(&message), |node| node.error(&message)));
        }
        if options.single && matches!(raw.matrix, Matrix::Sparse(_)) {
            return Err(section.error("only dense data are held in single precision; these are sparse"));
        }
        Self::assemble(raw, &options).map_err(|error| section.error(error.to_string()))
    }

    fn assemble(raw: Raw, options: &Options) -> std::result::Result<Self, DataError> {
        let Raw { mut matrix, label, mut features, category, table, notes } = raw;
        if options.standardise {
            matrix = standardised(&matrix, &category)?;
        }
        if options.intercept {
            matrix = with_intercept(&matrix)?;
            if !features.is_empty() {
                features.push("intercept".into());
            }
        }
        if options.single {
            matrix = matrix.in_single_precision()?;
        }
        let (mapped, has_intercept) = (options.mapped, options.intercept);
        Ok(Self { matrix: Arc::new(matrix), label, features, mapped, table, has_intercept, notes })
    }

    /// The features and labels of the rows that `selection` takes; all without one.
    pub(super) fn select(&self, selection: Option<&Node<'_>>) -> Result<Selected> {
        let Some(node) = selection else {
            return Ok(Selected { matrix: self.matrix.clone(), label: self.label.clone(), rows: None });
        };
        let all = self.matrix.rows();
        let kept = rows::parse(node)?.rows(all, &|comparison| self.holds(node, comparison))?;
        let rows: Vec<usize> = (0..all).filter(|&row| kept[row]).collect();
        if rows.is_empty() {
            return Err(node.error(format!("no row of {all} is like that")));
        }
        if self.mapped && run(&rows).is_none() {
            let help = "sort the rows of the file, so that those of each component follow each other";
            let message =
                "these rows of mapped data do not follow each other, so that they would have to be copied";
            return Err(node.error_with(message, Some(help.into())));
        }
        let matrix = taken(&self.matrix, &rows).map_err(|error| node.error(error.to_string()))?;
        let label = self.label.as_ref().map(|label| label.of(&rows));
        Ok(Selected { matrix: Arc::new(matrix), label, rows: Some(rows) })
    }

    /// The numbers of a column that stands beside the features, in the rows that were selected; `None` where there is no such column.
    pub(super) fn column(&self, node: &Node<'_>, rows: Option<&[usize]>) -> Result<Option<Vec<f64>>> {
        let name = node.text()?;
        let Some(table) = self.table.as_ref().filter(|table| table.names().iter().any(|other| other == name))
        else {
            return Ok(None);
        };
        let all = table.numbers(name).in_file(node)?;
        Ok(Some(rows.map_or(all.clone(), |rows| rows.iter().map(|row| all[*row]).collect())))
    }

    /// In which rows a comparison holds.
    fn holds(&self, node: &Node<'_>, comparison: &Comparison) -> Result<Vec<bool>> {
        let column = comparison.column.as_str();
        let in_table = self.table.as_ref().filter(|table| table.names().iter().any(|name| name == column));
        match (in_table, column, &self.label) {
            (Some(table), ..) => {
                check_value(table, comparison, node)?;
                let cells = table.texts(column).in_file(node)?;
                Ok(cells.map(|cell| comparison.holds_for_text(cell)).collect())
            }
            (None, "label", Some(Labels::Numbers(label))) => {
                Ok(label.iter().map(|cell| comparison.holds_for_number(*cell)).collect())
            }
            (None, "row", _) => {
                Ok((0..self.matrix.rows()).map(|row| comparison.holds_for_number(row as f64)).collect())
            }
            _ => {
                let names = self.table.iter().flat_map(Table::names).map(String::as_str);
                let known: Vec<&str> =
                    names.chain(self.label.as_ref().map(|_| "label")).chain(["row"]).collect();
                let help = suggestion(column, known, "it has");
                Err(node.error_with(format!("the data have no column \"{column}\""), Some(help)))
            }
        }
    }
}

/// Refuses a comparison with a text that stands in no cell of the column.
fn check_value(table: &Table, comparison: &Comparison, node: &Node<'_>) -> Result<()> {
    let Literal::Text(text) = &comparison.literal else { return Ok(()) };
    let values = table.values(&comparison.column).in_file(node)?;
    if !matches!(comparison.relation, Relation::Equal | Relation::Unequal) || values.contains(&text.as_str())
    {
        return Ok(());
    }
    let column = &comparison.column;
    Err(node.error_with(format!("no cell of column \"{column}\" is '{text}'"), Some(there_are(&values))))
}

fn in_file(files: &Files<'_>, section: &Section<'_>) -> Result<Raw> {
    let file = section.require("file")?;
    let (source, format) = files.open(&file)?;
    match format {
        Format::Csv => in_table(section, &file, &source),
        Format::Libsvm => {
            let columns = section.get("columns").map(|node| node.count()).transpose()?;
            section.finish()?;
            let data = libsvm::read(&source, columns).in_file(&file)?;
            Ok(Raw::of_matrix(data.matrix, Some(data.labels)))
        }
        Format::Npz => {
            let (array, label) = (section.get("array"), section.get("label"));
            section.finish()?;
            let archive = Archive::read(source).in_file(&file)?;
            let matrix = match array {
                Some(array) => archive.matrix(array.text()?).in_file(&array)?,
                None => archive.sparse().in_file(&file)?,
            };
            let member = |node: &Node<'_>| archive.vector(node.text()?).in_file(node);
            let label = match &label {
                Some(node) if node.is_text() => Some(member(node)?),
                Some(node) => Some(files.vector(node, Some(matrix.rows()))?),
                None => None,
            };
            Ok(Raw::of_matrix(matrix, label))
        }
        // Opening them was refused.
        Format::Ufcm | Format::Csr => Err(file.error("data of this format are mapped")),
        Format::Npy | Format::MatrixMarket => {
            let label = section.get("label");
            section.finish()?;
            let matrix = match format {
                Format::Npy => npy::read(&source).in_file(&file)?.into_matrix().in_file(&file)?,
                _ => matrix_market::read(&source).in_file(&file)?,
            };
            let label = label.map(|label| files.vector(&label, Some(matrix.rows()))).transpose()?;
            Ok(Raw::of_matrix(matrix, label))
        }
    }
}

/// The columns of a table: `features` (all others unless told), `one_hot`, the `label`, and what to `ignore`.
fn in_table(section: &Section<'_>, file: &Node<'_>, source: &crate::Source) -> Result<Raw> {
    let names = |node: Option<Node<'_>>| -> Result<Vec<String>> {
        let nodes = node.map_or(Ok(Vec::new()), |node| node.texts())?;
        nodes.iter().map(|node| node.text().map(str::to_owned)).collect()
    };
    let listed: Vec<(&str, Option<Node<'_>>)> =
        ["features", "one_hot", "ignore", "label"].map(|key| (key, section.get(key))).into();
    let positive = section.get("positive");
    let delimiter = section.get("delimiter");
    let missing = section.get("missing");
    section.finish()?;
    let delimiter = match &delimiter {
        Some(node) => match node.text()?.as_bytes() {
            [byte] => Some(*byte),
            _ => return Err(node.error("a delimiter is one character")),
        },
        None => None,
    };
    if delimiter.is_none() {
        tabular::check_delimiter(source, file)?;
    }
    let table = read_table(source, delimiter).in_file(file)?;
    for (_, node) in &listed {
        for name in node.iter().map(Node::texts).collect::<Result<Vec<_>>>()?.iter().flatten() {
            if !table.names().iter().any(|column| column == name.text().unwrap_or_default()) {
                return Err(
                    name.unknown("column", table.names().iter().map(String::as_str).collect::<Vec<_>>())
                );
            }
        }
    }
    let given = listed[0].1.is_some();
    let [features, one_hot, ignored, label] = [0, 1, 2, 3].map(|k| names(listed[k].1.clone()));
    let (features, one_hot, ignored, label) = (features?, one_hot?, ignored?, label?);
    let used = |name: &String| one_hot.contains(name) || ignored.contains(name) || label.contains(name);
    let features: Vec<String> = match given {
        true => features,
        false => table.names().iter().filter(|name| !used(name)).cloned().collect(),
    };
    let all = features.iter().chain(&one_hot).chain(&label).map(String::as_str);
    let (table, notes) = tabular::without_missing(table, missing.as_ref(), all, section, file)?;
    tabular::check_numbers(&table, &features, file)?;
    let columns = features.into_iter().map(Column::Number);
    let columns: Vec<Column> = columns.chain(one_hot.into_iter().map(Column::OneHot)).collect();
    let rows: Vec<usize> = (0..table.rows()).collect();
    let made = table.features(&columns, &rows).in_file(file)?;
    let numbers = columns.iter().filter(|column| matches!(column, Column::Number(_))).count();
    let category = (0..made.names.len()).map(|k| k >= numbers).collect();
    let label = listed[3].1.as_ref().map(|node| labels::in_table(&table, node, positive.as_ref(), file));
    let label = label.transpose()?;
    Ok(Raw { matrix: made.matrix, label, features: made.names, category, table: Some(table), notes })
}
