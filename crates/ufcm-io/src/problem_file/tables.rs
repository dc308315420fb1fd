//! Tables as data sets: which columns are features, which is the label.

use super::data::Raw;
use super::error::ProblemFileError;
use super::files::{Files, Format, InFile};
use super::node::{Node, Section};
use super::shards::Shard;
use super::transform::stored;
use crate::table::{Column, DENSE_SHARE, Features, Table};
use std::collections::BTreeMap;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// The columns of a table: `features` (all others unless told), `one_hot`, the `label`, and what to `ignore`.
pub(super) fn in_table(files: &Files<'_>, section: &Section<'_>, shards: &[Shard<'_>]) -> Result<Raw> {
    let file = &shards[0].node;
    let names = |node: Option<Node<'_>>| -> Result<Vec<String>> {
        let nodes = node.map_or(Ok(Vec::new()), |node| node.texts())?;
        nodes.iter().map(|node| node.text().map(str::to_owned)).collect()
    };
    let listed: Vec<(&str, Option<Node<'_>>)> =
        ["features", "one_hot", "ignore", "label"].map(|key| (key, section.get(key))).into();
    let positive = section.get("positive");
    let delimiter = section.get("delimiter").filter(|_| shards[0].format == Format::Csv);
    section.finish()?;
    let delimiter = match &delimiter {
        Some(node) => match node.text()?.as_bytes() {
            [byte] => Some(*byte),
            _ => return Err(node.error("a delimiter is one character")),
        },
        None => None,
    };
    let table = files.table(shards, delimiter)?;
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
    let columns: Vec<Column> = match given {
        true => features.into_iter().map(Column::Number).collect(),
        false => table.names().iter().filter(|name| !used(name)).cloned().map(Column::Number).collect(),
    };
    let columns: Vec<Column> = columns.into_iter().chain(one_hot.into_iter().map(Column::OneHot)).collect();
    let rows: Vec<usize> = (0..table.rows()).collect();
    let made = match files.link {
        None => table.features(&columns, &rows).in_file(file)?,
        Some(_) => {
            // Every rank has a column for the values that any of them has.
            let mut levels = BTreeMap::new();
            for name in columns.iter().filter_map(Column::category) {
                let own = table.levels(name).in_file(file)?;
                levels.insert(name.to_owned(), files.joined_texts(file, own)?);
            }
            let made = table.features_with(&columns, &rows, &levels).in_file(file)?;
            Features { matrix: stored_alike(files, file, made.matrix)?, ..made }
        }
    };
    let numbers = columns.iter().filter(|column| matches!(column, Column::Number(_))).count();
    let category = (0..made.names.len()).map(|k| k >= numbers).collect();
    let label =
        label.first().map(|label| labels(files, &table, label, positive.as_ref(), file)).transpose()?;
    let part = files.part(file, table.rows())?;
    Ok(Raw { matrix: made.matrix, label, features: made.names, category, table: Some(table), part })
}

/// The labels of a table: 1 where they are `positive` and -1 elsewhere, or the numbers that stand there.
fn labels(
    files: &Files<'_>,
    table: &Table,
    label: &str,
    positive: Option<&Node<'_>>,
    file: &Node<'_>,
) -> Result<Vec<f64>> {
    let Some(node) = positive else { return table.numbers(label).in_file(file) };
    let value = if node.is_number() { node.number()?.to_string() } else { node.text()?.to_owned() };
    let mut labels = vec![-1.0; table.rows()];
    let rows = table.rows_where(label, &value).in_file(file)?;
    let found = files.gathered(node, &[rows.len() as f64])?;
    if found.iter().all(|rank| rank[0] == 0.0) {
        return Err(node.error(format!("no cell of column \"{label}\" is \"{value}\"")));
    }
    rows.into_iter().for_each(|row| labels[row] = 1.0);
    Ok(labels)
}

/// The rows of this rank, dense or sparse as those of all ranks together would be.
fn stored_alike(files: &Files<'_>, file: &Node<'_>, matrix: Matrix) -> Result<Matrix> {
    let mut entries = 0.0;
    matrix.for_each(|_, _, value| entries += f64::from(u8::from(value != 0.0)));
    let told = files.gathered(file, &[entries, matrix.rows() as f64])?;
    let [entries, rows] = [0, 1].map(|k| told.iter().map(|rank| rank[k]).sum::<f64>());
    let dense = rows * matrix.columns() as f64 <= DENSE_SHARE as f64 * entries;
    stored(matrix, dense).map_err(|error| file.error(error.to_string()))
}
