//! Arrow files (Feather), as pandas, Polars and DuckDB write them: a [`Table`] of their columns.
//!
//! | column | read as |
//! |---|---|
//! | booleans, integers, floats of 32 and 64 bits, decimals of 128 | numbers |
//! | texts, also by dictionaries (categories) | texts |
//! | dates and times, lists, structures, anything else | not at all: whoever asks for the column gets an error |
//!
//! Columns may be plain or packed with LZ4. A null is a missing value, told by its row and column where one is needed. Of the batches of a file
//! only those with rows that are asked for are read. Streams without a list of their batches are refused: they are no files.
//!
//! The reader is our own: the crates of Arrow are large, and what is needed of them is little (decision 0042).

mod batch;
mod flat;
mod kind;

use crate::error::{Fault, ReadError};
use crate::origin::Origin;
use crate::source::unpacked_limit;
use crate::table::{Cells, Table};
use batch::{Batch, Dictionaries};
use flat::{Flat, broken, long_of, taken};
use kind::{Column, Kind};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use ufcm::budget::Budget;

const MAGIC: &[u8; 6] = b"ARROW1";
/// What messages begin with.
const CONTINUES: [u8; 4] = [0xFF; 4];

/// Reads a table.
///
/// ```no_run
/// let table = ufcm_io::arrow::read("people.feather")?;
/// println!("{:?}", table.names());
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// A file that cannot be opened, is no Arrow file, unfolds to too much, or has names of columns that are empty or given twice.
pub fn read(path: impl AsRef<Path>) -> Result<Table, ReadError> {
    read_rows(path.as_ref(), None, &Budget::unlimited())
}

/// The number of rows, from the descriptions of the batches.
pub(crate) fn rows(path: &Path) -> Result<usize, ReadError> {
    let open = || Ok(Opened::new(path)?.batches.iter().map(|(_, rows)| rows).sum());
    open().map_err(|fault| origin(path).error(None, None, fault))
}

/// Some rows, or all.
pub(crate) fn read_rows(
    path: &Path,
    rows: Option<Range<usize>>,
    budget: &Budget,
) -> Result<Table, ReadError> {
    let read = || {
        let mut file = Opened::new(path)?;
        let all = file.batches.iter().map(|(_, rows)| rows).sum();
        let rows = rows.clone().unwrap_or(0..all);
        file.columns(&rows, budget).map(|columns| (rows.start, columns))
    };
    let (first, columns) = read().map_err(|fault| origin(path).error(None, None, fault))?;
    Table::of_columns(origin(path), first, columns)
}

fn origin(path: &Path) -> Origin {
    Origin::whole(path.display().to_string())
}

/// Where a message is: its place, the length of its description, and that of its body.
#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    described: u64,
    body: u64,
}

struct Opened {
    file: File,
    length: u64,
    columns: Vec<Column>,
    dictionaries: Vec<Block>,
    /// With the rows of each.
    batches: Vec<(Block, usize)>,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Fault> {
        let mut file = File::open(path).map_err(Fault::Io)?;
        let kind = file.metadata().map_err(Fault::Io)?;
        if !kind.is_file() {
            return Err(Fault::expected("a file", "a folder, a pipe or a device"));
        }
        let length = kind.len();
        let head = part(&mut file, 0, length.min(8))?;
        if head.starts_with(&CONTINUES) {
            let advice = "write a file instead: df.to_feather(path), or pyarrow.ipc.new_file";
            return Err(Fault::unsupported("an Arrow stream", advice));
        }
        let tail = part(&mut file, length.saturating_sub(10), length.min(10))?;
        if !head.starts_with(MAGIC) || !tail.ends_with(MAGIC) || length < 24 {
            return Err(Fault::expected(
                "an Arrow file, which begins and ends with ARROW1",
                "something else",
            ));
        }
        let footer = u64::from(u32::from_le_bytes(taken(&tail, 0)?));
        let start = (length - 10).checked_sub(footer).ok_or_else(broken)?;
        let footer = part(&mut file, start, footer)?;
        let table = Flat::root(&footer)?;
        let schema = table.table(1)?.ok_or_else(broken)?;
        if schema.short(0)?.unwrap_or(0) != 0 {
            return Err(Fault::unsupported(
                "numbers with their bytes in big-endian order",
                "write it on another machine",
            ));
        }
        let columns = schema.tables(1)?.iter().map(kind::column).collect::<Result<_, _>>()?;
        let blocks = |field: usize| -> Result<Vec<Block>, Fault> {
            table.records::<24>(field)?.iter().map(|record| Block::of(record, length)).collect()
        };
        let (dictionaries, blocks) = (blocks(2)?, blocks(3)?);
        let mut opened = Self { file, length, columns, dictionaries, batches: Vec::new() };
        for block in blocks {
            let described = opened.described(&block)?;
            let header = header(&described, 3)?;
            let rows = usize::try_from(header.long(0)?.unwrap_or(0)).map_err(|_| broken())?;
            opened.batches.push((block, rows));
        }
        opened.refuse_bombs()?;
        Ok(opened)
    }

    /// Rows are limited as the sizes of other packed files are.
    fn refuse_bombs(&self) -> Result<(), Fault> {
        let rows: u128 = self.batches.iter().map(|(_, rows)| *rows as u128).sum();
        let limit = u128::from(unpacked_limit(self.length as usize));
        let size = 8 * rows * self.columns.len().max(1) as u128;
        if size > limit {
            let advice = " (convert it to another format first if it is to be trusted)";
            return Err(Fault::TooLarge { what: "the unpacked size".into(), size, limit, advice });
        }
        Ok(())
    }

    /// The description of a message, without the length before it.
    fn described(&mut self, block: &Block) -> Result<Vec<u8>, Fault> {
        let bytes = part(&mut self.file, block.offset, block.described)?;
        let skipped = if bytes.starts_with(&CONTINUES) { 8 } else { 4 };
        bytes.get(skipped..).map(<[u8]>::to_vec).ok_or_else(broken)
    }

    fn body(&mut self, block: &Block) -> Result<Vec<u8>, Fault> {
        part(&mut self.file, block.offset + block.described, block.body)
    }

    /// The texts of all dictionaries.
    fn known(&mut self) -> Result<Dictionaries, Fault> {
        let mut known = Dictionaries::new();
        let limit = unpacked_limit(self.length as usize);
        for block in self.dictionaries.clone() {
            let (described, body) = (self.described(&block)?, self.body(&block)?);
            let header = header(&described, 2)?;
            let (id, more) = (header.long(0)?.unwrap_or(0), header.byte(2)?.unwrap_or(0) != 0);
            let of = |column: &Column| match &column.kind {
                Kind::Dictionary { id: other, texts, .. } if *other == id && texts.holds_texts() => {
                    Some((**texts).clone())
                }
                _ => None,
            };
            // Others are those of columns that are not read.
            let Some(column) = self.columns.iter().find_map(of) else { continue };
            let batch = Batch::new(&header.table(1)?.ok_or_else(broken)?, &body, limit)?;
            let texts = batch.dictionary(&column)?;
            match (known.get_mut(&id), more) {
                (Some(before), true) => before.extend(texts),
                _ => {
                    known.insert(id, texts);
                }
            }
        }
        Ok(known)
    }

    /// The columns with their cells in `rows`.
    fn columns(&mut self, rows: &Range<usize>, budget: &Budget) -> Result<Vec<(String, Cells)>, Fault> {
        let known = self.known()?;
        let columns = self.columns.clone();
        let mut cells: Vec<Cells> = columns.iter().map(|column| empty(column, rows.len())).collect();
        let limit = unpacked_limit(self.length as usize);
        let mut first = 0;
        for (block, count) in self.batches.clone() {
            let [start, end] = [rows.start, rows.end].map(|at| at.saturating_sub(first).min(count));
            first += count;
            if start >= end {
                continue;
            }
            budget.ask().map_err(Fault::Stopped)?;
            let (described, body) = (self.described(&block)?, self.body(&block)?);
            let batch = Batch::new(&header(&described, 3)?, &body, limit)?;
            batch.columns(&columns, |k, column, at| {
                batch.read(column, at, start..end, &known, &mut cells[k])
            })?;
        }
        if cells.iter().any(|cells| cells.len() != rows.len()) {
            return Err(broken());
        }
        Ok(columns.into_iter().map(|column| column.name).zip(cells).collect())
    }
}

impl Block {
    fn of(record: &[u8; 24], length: u64) -> Result<Self, Fault> {
        let described = u64::from(u32::from_le_bytes(taken(record, 8)?));
        let number = |k: usize| u64::try_from(long_of(record, k)?).map_err(|_| broken());
        let (offset, body) = (number(0)?, number(2)?);
        let end = offset.checked_add(described).and_then(|end| end.checked_add(body));
        match end {
            Some(end) if end <= length => Ok(Self { offset, described, body }),
            _ => Err(broken()),
        }
    }
}

/// What a column is read into.
fn empty(column: &Column, rows: usize) -> Cells {
    match &column.kind {
        _ if column.holds_texts() => Cells::texts(),
        Kind::Dictionary { texts, .. } if texts.holds_texts() => Cells::texts(),
        Kind::Dictionary { .. } => {
            Cells::Unreadable { count: rows, what: "a dictionary of other things than texts" }
        }
        Kind::Unreadable(what) => Cells::Unreadable { count: rows, what },
        Kind::Float(16) => Cells::Unreadable { count: rows, what: "a column of half precision" },
        Kind::Decimal { bits, .. } if *bits != 128 => {
            Cells::Unreadable { count: rows, what: "a column of such decimals" }
        }
        _ => Cells::Numbers(Vec::new()),
    }
}

/// The header of a message, which must be of this type.
fn header(described: &[u8], kind: u8) -> Result<Flat<'_>, Fault> {
    let message = Flat::root(described)?;
    match message.byte(1)? {
        Some(found) if found == kind => message.table(2)?.ok_or_else(broken),
        _ => Err(broken()),
    }
}

fn part(file: &mut File, start: u64, length: u64) -> Result<Vec<u8>, Fault> {
    file.seek(SeekFrom::Start(start)).map_err(Fault::Io)?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).map_err(Fault::Io)?;
    if bytes.len() as u64 != length {
        return Err(broken());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
