//! Data sets: a matrix of features with labels, whatever the file, and the rows that a component takes of it.

use super::error::{ProblemFileError, suggestion};
use super::files::{Files, Format, InFile};
use super::labels::{Labels, there_are};
use super::node::{Node, Section};
use super::one_file::in_one_file;
use super::prepared::Prepared;
use super::rows::{self, Comparison, Literal, Relation};
use super::shares::Part;
use super::tables::in_table;
use super::transform::{Scales, run, scales, standardised, taken, with_intercept};
use crate::mapped::container::Labelled;
use crate::table::Table;
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
    /// How the columns of the file became variables.
    pub(super) prepared: Prepared,
    /// Which rows these are, where ranks have their own.
    part: Option<Part>,
    /// Whether the last column is of ones.
    pub(super) has_intercept: bool,
    /// What the user should know of how it was read.
    pub(super) notes: Vec<String>,
}

/// The samples that a component takes of a data set.
pub(super) struct Selected {
    pub(super) matrix: Arc<Matrix>,
    pub(super) label: Option<Labels>,
    /// Which rows of the set they are; `None` for all.
    pub(super) rows: Option<Vec<usize>>,
    /// Which of all selected rows these are, where ranks have their own.
    pub(super) part: Option<Part>,
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
pub(super) struct Raw {
    pub(super) matrix: Matrix,
    pub(super) label: Option<Labels>,
    pub(super) features: Vec<String>,
    /// The column of the table that each feature is from, and the category for which it is 1.
    pub(super) sources: Vec<(String, Option<String>)>,
    /// Whether a column is 0 or 1 for a category, and is not standardised.
    pub(super) category: Vec<bool>,
    pub(super) table: Option<Table>,
    pub(super) part: Option<Part>,
    pub(super) notes: Vec<String>,
}

impl Raw {
    pub(super) fn of_matrix(matrix: Matrix, label: Option<Vec<f64>>, part: Option<Part>) -> Self {
        let category = vec![false; matrix.columns()];
        let label = label.map(Labels::Numbers);
        let (features, sources, notes) = Default::default();
        Self { matrix, label, features, sources, category, table: None, part, notes }
    }

    /// From a matrix of which every rank can see all rows.
    pub(super) fn of_whole(
        files: &Files<'_>,
        section: &Section<'_>,
        matrix: Matrix,
        label: Option<Vec<f64>>,
        mapped: bool,
    ) -> Result<Self> {
        check_labels(section, label.as_deref(), matrix.rows())?;
        let own = files.own_rows(matrix, label, mapped).map_err(|error| section.error(error.to_string()))?;
        let (matrix, label, part) = own;
        Ok(Self::of_matrix(matrix, label, part))
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
                Raw::of_whole(files, &section, matrix, label, true)?
            }
            None if options.mapped => {
                let (file, label) = (section.require("file")?, section.get("label"));
                section.finish()?;
                let (matrix, own) = match files.container(&file)? {
                    Some(Labelled { matrix, labels }) => (matrix, labels),
                    None => (files.mapped_set(&file)?, None),
                };
                let label = label.map(|label| files.vector(&label, Some(matrix.rows()))).transpose()?;
                Raw::of_whole(files, &section, matrix, label.or(own), true)?
            }
            None => in_file(files, &section)?,
        };
        let numbers = match &raw.label {
            Some(Labels::Numbers(numbers)) => Some(numbers.as_slice()),
            _ => None,
        };
        check_labels(&section, numbers, raw.matrix.rows())?;
        if options.single && matches!(raw.matrix, Matrix::Sparse(_)) {
            return Err(section.error("only dense data are held in single precision; these are sparse"));
        }
        let sums = |own: &[f64]| {
            let mut sums = vec![0.0; own.len()];
            for numbers in files.gathered(node, own)? {
                sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            }
            Ok(sums)
        };
        let scales = if options.standardise {
            Some(scales(&raw.matrix, &raw.category, raw.part.map(|part| part.total), sums)?)
        } else {
            None
        };
        Self::assemble(raw, &options, scales).map_err(|error| section.error(error.to_string()))
    }

    fn assemble(raw: Raw, options: &Options, scales: Option<Scales>) -> std::result::Result<Self, DataError> {
        let Raw { mut matrix, label, mut features, sources, table, part, notes, .. } = raw;
        let mut prepared = Prepared::of(sources, options.intercept);
        if let Some(scales) = scales {
            prepared.standardise(&scales, matches!(matrix, Matrix::Dense(_)));
            matrix = standardised(&matrix, &scales)?;
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
        let (matrix, mapped, has_intercept) = (Arc::new(matrix), options.mapped, options.intercept);
        Ok(Self { matrix, label, features, mapped, table, prepared, part, has_intercept, notes })
    }

    /// The features and labels of the rows that `selection` takes; all without one.
    pub(super) fn select(&self, files: &Files<'_>, selection: Option<&Node<'_>>) -> Result<Selected> {
        let Some(node) = selection else {
            let (matrix, label) = (self.matrix.clone(), self.label.clone());
            return Ok(Selected { matrix, label, rows: None, part: self.part });
        };
        let own = self.matrix.rows();
        let kept = rows::parse(node)?.rows(own, &|comparison| self.holds(node, comparison))?;
        let rows: Vec<usize> = (0..own).filter(|&row| kept[row]).collect();
        let part = self.part.map_or(Ok(None), |_| files.part(node, rows.len()))?;
        if part.map_or(rows.len(), |part| part.total) == 0 {
            let all = self.part.map_or(kept.len(), |part| part.total);
            return Err(node.error(format!("no row of {all} is like that")));
        }
        if self.mapped && !rows.is_empty() && run(&rows).is_none() {
            let help = "sort the rows of the file, so that those of each component follow each other";
            let message =
                "these rows of mapped data do not follow each other, so that they would have to be copied";
            return Err(node.error_with(message, Some(help.into())));
        }
        let matrix = taken(&self.matrix, &rows).map_err(|error| node.error(error.to_string()))?;
        let label = self.label.as_ref().map(|label| label.of(&rows));
        Ok(Selected { matrix: Arc::new(matrix), label, rows: Some(rows), part })
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

    /// Whether the table has a column of this name.
    pub(super) fn has_column(&self, name: &str) -> bool {
        self.table.as_ref().is_some_and(|table| table.names().iter().any(|other| other == name))
    }

    /// In which rows a comparison holds.
    fn holds(&self, node: &Node<'_>, comparison: &Comparison) -> Result<Vec<bool>> {
        let column = comparison.column.as_str();
        let in_table = self.table.as_ref().filter(|table| table.names().iter().any(|name| name == column));
        match (in_table, column, &self.label) {
            (Some(table), ..) => {
                // Of ranks, one need not have every value.
                if self.part.is_none() {
                    check_value(table, comparison, node)?;
                }
                let cells = table.texts(column).in_file(node)?;
                Ok(cells.map(|cell| comparison.holds_for_text(&cell)).collect())
            }
            (None, "label", Some(Labels::Numbers(label))) => {
                Ok(label.iter().map(|cell| comparison.holds_for_number(*cell)).collect())
            }
            (None, "row", _) => {
                let first = self.part.map_or(0, |part| part.first);
                let holds = |row: usize| comparison.holds_for_number((first + row) as f64);
                Ok((0..self.matrix.rows()).map(holds).collect())
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
    if !matches!(comparison.relation, Relation::Equal | Relation::Unequal) || values.contains(text) {
        return Ok(());
    }
    let column = &comparison.column;
    Err(node.error_with(format!("no cell of column \"{column}\" is '{text}'"), Some(there_are(&values))))
}

pub(super) fn check_labels(section: &Section<'_>, label: Option<&[f64]>, rows: usize) -> Result<()> {
    match label {
        Some(label) if label.len() != rows => {
            let message = format!("there are {} labels for {rows} rows", label.len());
            Err(section.get("label").map_or_else(|| section.error(&message), |node| node.error(&message)))
        }
        _ => Ok(()),
    }
}

fn in_file(files: &Files<'_>, section: &Section<'_>) -> Result<Raw> {
    let file = section.require("file")?;
    let shards = files.shards(&file)?;
    match shards[0].format {
        Format::Csv | Format::Parquet | Format::Arrow => in_table(files, section, &shards),
        Format::Libsvm => {
            let columns = section.get("columns").map(|node| node.count()).transpose()?;
            section.finish()?;
            let (matrix, labels, part) = files.libsvm(&shards, columns)?;
            Ok(Raw::of_matrix(matrix, Some(labels), part))
        }
        format => in_one_file(files, section, &shards[0].node, format),
    }
}
