//! The files of a data set: one, or several that are read one after the other. Of text, Parquet and Arrow each rank reads its share alone.

use super::error::ProblemFileError;
use super::files::{Files, Format, InFile};
use super::node::Node;
use super::shares::Part;
use crate::libsvm::{self, Labelled};
use crate::part::Text;
use crate::table::{Options, Table};
use crate::{ReadError, arrow, parquet, sparse};
use std::ops::Range;
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// Reads some rows of a file, or all.
type ReadRows = fn(&Path, Option<Range<usize>>, &Budget) -> std::result::Result<Table, ReadError>;

/// One file of a data set.
pub(super) struct Shard<'a> {
    pub(super) node: Node<'a>,
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

/// Formats of which several files can be given.
const SEVERAL: [Format; 4] = [Format::Csv, Format::Parquet, Format::Arrow, Format::Libsvm];

impl Files<'_> {
    /// The files that `file` names: a text, or an array of texts.
    pub(super) fn shards<'a>(&self, file: &Node<'a>) -> Result<Vec<Shard<'a>>> {
        let located = |node: Node<'a>| {
            let (path, format) = self.locate(&node)?;
            self.base.note(&path);
            Ok(Shard { node, path, format })
        };
        let shards: Vec<Shard<'a>> = file.texts()?.into_iter().map(located).collect::<Result<_>>()?;
        let Some(first) = shards.first() else { return Err(file.error("it names no file")) };
        if let Some(other) = shards.iter().find(|shard| shard.format != first.format) {
            return Err(other
                .node
                .error("the files of a data set have one format; this one has another than the first"));
        }
        if shards.len() > 1 && !SEVERAL.contains(&first.format) {
            let help = "CSV, Parquet, Arrow and LIBSVM may come in several files; put others together first";
            return Err(file.error_with("data of this format are in one file", Some(help.into())));
        }
        Ok(shards)
    }

    /// The rows of tables that are this rank's.
    pub(super) fn table(&self, shards: &[Shard<'_>], delimiter: Option<u8>) -> Result<Table> {
        match shards[0].format {
            Format::Parquet => return self.in_columns(shards, parquet::rows, parquet::read_rows),
            Format::Arrow => return self.in_columns(shards, arrow::rows, arrow::read_rows),
            _ => {}
        }
        let delimiters: Vec<u8> = shards.iter().map(|shard| delimiter.unwrap_or(shard.delimiter())).collect();
        let texts = self.texts(shards)?;
        let parts = self.shares(&texts.iter().map(Text::length).collect::<Vec<_>>());
        let mut lines = Vec::new();
        for ((shard, text), part) in shards.iter().zip(&texts).zip(&parts) {
            lines.push(if self.link.is_some() {
                text.lines(part).in_file(&shard.node)?
            } else {
                part.clone()
            });
        }
        if self.link.is_some() {
            // A quoted cell may hold ends of lines: records are then found by reading from the beginning on.
            let mut quotes = false;
            for ((shard, text), lines) in shards.iter().zip(&texts).zip(&lines) {
                quotes = quotes || text.contains(b'"', lines).in_file(&shard.node)?;
            }
            let told = self.gathered(&shards[0].node, &[f64::from(u8::from(quotes))])?;
            if told.iter().any(|rank| rank[0] > 0.0) {
                for (k, shard) in shards.iter().enumerate() {
                    lines[k] = texts[k].records(&parts[k], delimiters[k]).in_file(&shard.node)?;
                }
            }
        }
        let mut table: Option<Table> = None;
        for (k, shard) in shards.iter().enumerate() {
            // The first file is asked for its columns by every rank.
            if k > 0 && lines[k].is_empty() && self.link.is_some() {
                continue;
            }
            let next = part_of_table(&texts[k], &lines[k], delimiters[k]).in_file(&shard.node)?;
            match &mut table {
                None => table = Some(next),
                Some(table) => table.append(next).in_file(&shard.node)?,
            }
        }
        table.ok_or_else(|| shards[0].node.error("it names no file"))
    }

    /// The table in the file that `node` names, if it is one; every rank reads all of it.
    pub(super) fn whole_table(&self, node: &Node<'_>) -> Result<Option<Table>> {
        let alone = Files { link: None, ..*self };
        let shards = alone.shards(node)?;
        match shards[0].format {
            Format::Csv | Format::Parquet | Format::Arrow => alone.table(&shards, None).map(Some),
            _ => Ok(None),
        }
    }

    fn texts(&self, shards: &[Shard<'_>]) -> Result<Vec<Text>> {
        let (parts, budget) = (self.link.is_some(), self.base.budget());
        let open = |shard: &Shard<'_>| Text::open(&shard.path, parts, budget).in_file(&shard.node);
        shards.iter().map(open).collect()
    }

    /// A table from files that keep columns and know how many rows they have.
    fn in_columns(
        &self,
        shards: &[Shard<'_>],
        count: fn(&Path) -> std::result::Result<usize, ReadError>,
        read: ReadRows,
    ) -> Result<Table> {
        let count = |shard: &Shard<'_>| count(&shard.path).map(|rows| rows as u64).in_file(&shard.node);
        let parts = self.shares(&shards.iter().map(count).collect::<Result<Vec<_>>>()?);
        let mut table: Option<Table> = None;
        for (k, (shard, part)) in shards.iter().zip(parts).enumerate() {
            if k > 0 && part.is_empty() && self.link.is_some() {
                continue;
            }
            let rows = part.start as usize..part.end as usize;
            let next = read(&shard.path, Some(rows), self.base.budget()).in_file(&shard.node)?;
            match &mut table {
                None => table = Some(next),
                Some(table) => table.append(next).in_file(&shard.node)?,
            }
        }
        table.ok_or_else(|| shards[0].node.error("it names no file"))
    }

    /// The rows of LIBSVM files that are this rank's, with their labels.
    pub(super) fn libsvm(
        &self,
        shards: &[Shard<'_>],
        columns: Option<usize>,
    ) -> Result<(Matrix, Vec<f64>, Option<Part>)> {
        let texts = self.texts(shards)?;
        let parts = self.shares(&texts.iter().map(Text::length).collect::<Vec<_>>());
        let (mut read, node) = (Vec::new(), &shards[0].node);
        for ((shard, text), part) in shards.iter().zip(&texts).zip(&parts) {
            let source = text.lines(part).and_then(|lines| text.source(&lines)).in_file(&shard.node)?;
            read.push(libsvm::read(&source, columns).in_file(&shard.node)?);
        }
        let widest = read.iter().map(|data| data.matrix.columns()).max().unwrap_or(0);
        let widest = self.gathered(node, &[widest as f64])?;
        let columns = widest.iter().map(|width| width[0] as usize).max().unwrap_or(0);
        let (matrix, labels) = joined(read, columns).map_err(|error| node.error(error.to_string()))?;
        let part = self.part(node, labels.len())?;
        Ok((matrix, labels, part))
    }
}

impl Shard<'_> {
    /// What stands between the cells of a table, by the end of the file's name.
    fn delimiter(&self) -> u8 {
        let name = self.path.display().to_string();
        if name.trim_end_matches(".gz").ends_with(".tsv") { b'\t' } else { b',' }
    }
}

/// The rows of a table that stand in these bytes of its file.
fn part_of_table(text: &Text, lines: &Range<u64>, delimiter: u8) -> std::result::Result<Table, ReadError> {
    let options = Options { delimiter, ..Options::default() };
    if lines.start == 0 && !lines.is_empty() {
        return Table::read(&text.source(lines)?, &options);
    }
    // The names stand before.
    let names = Some(text.header(delimiter)?);
    Table::read(&text.source(lines)?, &Options { header: false, names, ..options })
}

/// One matrix of the rows of all, with so many columns.
fn joined(
    parts: Vec<Labelled>,
    columns: usize,
) -> std::result::Result<(Matrix, Vec<f64>), ufcm::error::DataError> {
    let mut labels = Vec::new();
    if let [only] = &parts[..]
        && only.matrix.columns() == columns
    {
        return Ok((only.matrix.clone(), only.labels.clone()));
    }
    let (mut entries, mut first) = (Vec::new(), 0);
    for part in parts {
        part.matrix.for_each(|i, j, value| entries.push((first + i, j, value)));
        first += part.matrix.rows();
        labels.extend(part.labels);
    }
    Ok((sparse::from_entries(first, columns, &entries)?, labels))
}
