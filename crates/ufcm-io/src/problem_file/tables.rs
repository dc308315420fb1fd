//! Tables as data sets: which columns are features, which is the label.

use super::data::Raw;
use super::error::ProblemFileError;
use super::files::{Files, Format, InFile};
use super::labels;
use super::node::{Node, Section};
use super::shards::Shard;
use super::tabular;
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
    let missing = section.get("missing");
    section.finish()?;
    let delimiter = delimiter.as_ref().map(one_character).transpose()?;
    let table = files.table(shards, delimiter)?;
    if delimiter.is_none() && shards[0].format == Format::Csv {
        tabular::check_delimiter(&table, file)?;
    }
    check_columns(&table, &listed)?;
    if table.rows() == 0 && files.link.is_none() {
        return Err(file.error("it has the names of columns and no rows"));
    }
    check_twice(&listed)?;
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
    let unnamed = label.first().filter(|_| positive.is_none()).map(String::as_str);
    tabular::check_numbers(&table, &features, unnamed, file)?;
    let columns = features.into_iter().map(Column::Number);
    let columns: Vec<Column> = columns.chain(one_hot.into_iter().map(Column::OneHot)).collect();
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
    let category = made.sources.iter().map(|(_, category)| category.is_some()).collect();
    let label = listed[3].1.as_ref();
    let label =
        label.map(|node| labels::in_table(files, &table, node, positive.as_ref(), file)).transpose()?;
    let part = files.part(file, table.rows())?;
    let Features { matrix, names: features, sources } = made;
    Ok(Raw { matrix, label, features, sources, category, table: Some(table), part, notes })
}

/// Refuses a column that is named twice: as a feature and as something else, or two times as a feature.
fn check_twice(listed: &[(&str, Option<Node<'_>>)]) -> Result<()> {
    let words = |key: &str| match key {
        "label" => "the label",
        "ignore" => "left out by `ignore`",
        "one_hot" => "in `one_hot`",
        _ => "in `features`",
    };
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    // The label first, so that it is the feature that is marked.
    let order = [3, 2, 0, 1].map(|k| &listed[k]);
    for (key, node) in order {
        for name in node.as_ref().map_or(Ok(Vec::new()), Node::texts)? {
            let column = name.text()?;
            let message = match seen.insert(column, key) {
                None => continue,
                // To leave out the label, or a column twice, changes nothing.
                Some("label" | "ignore") if *key == "ignore" => continue,
                Some(other) if other == *key => format!("column \"{column}\" is named twice"),
                Some(other) => {
                    let already = words(other);
                    format!("column \"{column}\" is {already} already; it cannot be a feature as well")
                }
            };
            return Err(name.error(message));
        }
    }
    Ok(())
}

/// A delimiter.
fn one_character(node: &Node<'_>) -> Result<u8> {
    match node.text()?.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err(node.error("a delimiter is one character")),
    }
}

/// Refuses names of columns that the table does not have.
fn check_columns(table: &Table, listed: &[(&str, Option<Node<'_>>)]) -> Result<()> {
    for (_, node) in listed {
        for name in node.iter().map(Node::texts).collect::<Result<Vec<_>>>()?.iter().flatten() {
            if !table.names().iter().any(|column| column == name.text().unwrap_or_default()) {
                return Err(
                    name.unknown("column", table.names().iter().map(String::as_str).collect::<Vec<_>>())
                );
            }
        }
    }
    Ok(())
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
