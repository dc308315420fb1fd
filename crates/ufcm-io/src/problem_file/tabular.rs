//! What is usual in tables and needs a word in the data's section: another delimiter, columns of text, cells that are missing.

use super::error::{ProblemFileError, list};
use super::files::InFile;
use super::node::{Node, Section};
use crate::table::Table;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// Refuses a table of one column whose name has separators of another kind.
pub(super) fn check_delimiter(table: &Table, file: &Node<'_>) -> Result<()> {
    let [name] = table.names() else { return Ok(()) };
    let by_name = if file.text()?.trim_end_matches(".gz").ends_with(".tsv") { '\t' } else { ',' };
    let Some(other) = [';', '\t', ',', '|'].into_iter().find(|c| *c != by_name && name.contains(*c)) else {
        return Ok(());
    };
    let other = other.escape_debug();
    let message = format!(
        "its columns are separated by `{other}`, it seems: the first line has no `{}`",
        by_name.escape_debug()
    );
    Err(file.error_with(message, Some(format!("add delimiter = \"{other}\""))))
}

/// Refuses columns of text among the features, all at once. Where the `label` is text, too, and no value of it is positive, that is told with them: most
/// losses refuse it, but only once the features are numbers.
pub(super) fn check_numbers(
    table: &Table,
    features: &[String],
    label: Option<&str>,
    file: &Node<'_>,
) -> Result<()> {
    let mut texts = Vec::new();
    for name in features {
        if table.is_text(name).in_file(file)? {
            texts.push(name.as_str());
        }
    }
    let Some(first) = texts.first() else { return Ok(()) };
    let cell = table
        .values(first)
        .in_file(file)?
        .first()
        .map_or(String::new(), |cell| format!(", such as '{cell}'"));
    let (columns, hold) = if texts.len() == 1 { ("column", "holds") } else { ("columns", "hold") };
    let message = format!("{columns} {} {hold} text{cell}", list(texts.iter().copied()));
    let quoted = texts.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut help =
        format!("add one_hot = [{quoted}] for a column of 0 and 1 for each value, or ignore = [{quoted}]");
    if let Some(label) = label
        && table.is_text(label).in_file(file)?
        && let Some(value) = table.values(label).in_file(file)?.last()
    {
        let told = format!(
            "; the label \"{label}\" is text, too: losses of two classes need positive = \"{value}\""
        );
        help.push_str(&told);
    }
    Err(file.error_with(message, Some(help)))
}

/// The table without the rows in which one of `columns` is missing, where `missing` asks for that; and what is to be said of it.
pub(super) fn without_missing<'c>(
    table: Table,
    missing: Option<&Node<'_>>,
    columns: impl Iterator<Item = &'c str>,
    section: &Section<'_>,
    file: &Node<'_>,
) -> Result<(Table, Vec<String>)> {
    let drop = match missing {
        None => false,
        Some(node) => match node.text()? {
            "drop" => true,
            "error" => false,
            _ => return Err(node.unknown("way with missing cells", ["drop", "error"])),
        },
    };
    let columns: Vec<&str> = columns.collect();
    let incomplete = table.incomplete(columns.iter().copied()).in_file(file)?;
    let Some(&first) = incomplete.first() else { return Ok((table, Vec::new())) };
    let (count, all) = (incomplete.len(), table.rows());
    if !drop {
        let lacks = |name: &&str| table.incomplete([*name]).is_ok_and(|rows| rows.contains(&first));
        let place = table.place_of(first);
        let column = columns.iter().copied().find(lacks).unwrap_or_default();
        let cells = if count == 1 { "a cell is".to_owned() } else { format!("cells of {count} rows are") };
        let message = format!("{cells} missing, the first in {place}, column \"{column}\"");
        let help = "add missing = \"drop\" to leave out such rows, or ignore = [...] to leave out columns";
        return Err(file.error_with(message, Some(help.into())));
    }
    let kept: Vec<usize> = (0..all).filter(|row| incomplete.binary_search(row).is_err()).collect();
    if kept.is_empty() {
        return Err(file.error("every row has a cell that is missing"));
    }
    let rows = if count == 1 { "row" } else { "rows" };
    let note = format!("[{}] left out {count} {rows} of {all}, in which a cell is missing", section.path);
    Ok((table.keeping(&kept), vec![note]))
}
