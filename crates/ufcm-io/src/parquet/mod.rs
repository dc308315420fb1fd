//! Parquet, as pandas, Polars, DuckDB and Spark write it: a [`Table`] of its columns.
//!
//! | column | read as |
//! |---|---|
//! | BOOLEAN, INT32, INT64, FLOAT, DOUBLE, decimals of up to 18 digits | numbers |
//! | BYTE_ARRAY that holds UTF-8 | texts |
//! | dates and times, lists, structures, anything else | not at all: whoever asks for the column gets an error |
//!
//! Pages may be plain or packed with Snappy or gzip. A null is a missing value, told by its row and column where one is needed. What a file
//! may unfold to is limited as for other packed files ([`UNPACKED_RATIO`](crate::UNPACKED_RATIO)).

mod column;

use crate::error::{Fault, ReadError};
use crate::origin::Origin;
use crate::source::unpacked_limit;
use crate::table::{Cells, Table};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use ufcm::budget::Budget;

/// Reads a table.
///
/// ```no_run
/// let table = ufcm_io::parquet::read("people.parquet")?;
/// println!("{:?}", table.names());
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// A file that cannot be opened, is no Parquet, unfolds to too much, or has names of columns that are empty or given twice.
pub fn read(path: impl AsRef<Path>) -> Result<Table, ReadError> {
    read_rows(path.as_ref(), None, &Budget::unlimited())
}

/// The number of rows, from the end of the file.
pub(crate) fn rows(path: &Path) -> Result<usize, ReadError> {
    let open = || Ok(Opened::new(path)?.rows);
    contained(open).map_err(|fault| origin(path).error(None, None, fault))
}

/// Some rows, or all. Groups of rows that hold none of them are not read.
pub(crate) fn read_rows(
    path: &Path,
    rows: Option<Range<usize>>,
    budget: &Budget,
) -> Result<Table, ReadError> {
    let read = || {
        let file = Opened::new(path)?;
        let rows = rows.clone().unwrap_or(0..file.rows);
        file.columns(&rows, budget).map(|columns| (rows.start, columns))
    };
    let (first, columns) = contained(read).map_err(|fault| origin(path).error(None, None, fault))?;
    Table::of_columns(origin(path), first, columns)
}

fn origin(path: &Path) -> Origin {
    Origin::whole(path.display().to_string())
}

/// What `read` answers. The decoder is asked to panic on nothing; where it does all the same, that is an error of the file.
fn contained<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    caught.unwrap_or_else(|_| Err(Fault::expected("a Parquet file", "one that cannot be decoded")))
}

fn malformed(error: ParquetError) -> Fault {
    match error {
        ParquetError::NYI(what) => Fault::unsupported(what, "write the file anew, with pandas or DuckDB"),
        ParquetError::General(what) if what.starts_with("Disabled feature") => Fault::unsupported(
            format!("the packing of its pages ({})", what.rsplit(' ').next().unwrap_or_default()),
            "write the file with Snappy or gzip: df.to_parquet(path, compression=\"snappy\")",
        ),
        other => Fault::Inconsistent(other.to_string()),
    }
}

struct Opened {
    reader: SerializedFileReader<File>,
    rows: usize,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Fault> {
        let file = File::open(path).map_err(Fault::Io)?;
        let kind = file.metadata().map_err(Fault::Io)?;
        if !kind.is_file() {
            return Err(Fault::expected("a file", "a folder, a pipe or a device"));
        }
        let reader = SerializedFileReader::new(file).map_err(malformed)?;
        let groups = reader.metadata().row_groups();
        let rows: u128 = groups.iter().map(|group| group.num_rows().max(0) as u128).sum();
        let columns = reader.metadata().file_metadata().schema_descr().num_columns().max(1) as u128;
        let unpacked: u128 = groups.iter().map(|group| group.total_byte_size().max(0) as u128).sum();
        let (size, limit) =
            (unpacked.max(8 * rows * columns), u128::from(unpacked_limit(kind.len() as usize)));
        if size > limit {
            let advice = " (convert it to another format first if it is to be trusted)";
            return Err(Fault::TooLarge { what: "the unpacked size".into(), size, limit, advice });
        }
        Ok(Self { reader, rows: rows as usize })
    }

    /// The columns of the schema's first level, each with its cells in `rows`.
    fn columns(&self, rows: &Range<usize>, budget: &Budget) -> Result<Vec<(String, Cells)>, Fault> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let mut leaf = 0;
        let mut columns = Vec::new();
        for field in schema.root_schema().get_fields() {
            // A structure has several leaves, all under its name.
            let inside =
                |at: &usize| schema.column(*at).path().parts().first().is_some_and(|n| n == field.name());
            let leaves = (leaf..schema.num_columns()).take_while(inside).count();
            let is_plain = leaves == 1 && schema.column(leaf).path().parts().len() == 1;
            let mut cells = match is_plain {
                true => column::empty(&schema.column(leaf)),
                false => Cells::Unreadable { count: 0, what: "a column of lists or structures" },
            };
            match &mut cells {
                Cells::Unreadable { count, .. } => *count = rows.len(),
                cells => self.read_column(leaf, rows, cells, budget)?,
            }
            columns.push((field.name().to_owned(), cells));
            leaf += leaves;
        }
        Ok(columns)
    }

    fn read_column(
        &self,
        leaf: usize,
        rows: &Range<usize>,
        cells: &mut Cells,
        budget: &Budget,
    ) -> Result<(), Fault> {
        let mut first = 0;
        for (k, group) in self.reader.metadata().row_groups().iter().enumerate() {
            let count = group.num_rows().max(0) as usize;
            let [start, end] = [rows.start, rows.end].map(|at| at.saturating_sub(first).min(count));
            first += count;
            if start < end {
                budget.ask().map_err(Fault::Stopped)?;
                let group = self.reader.get_row_group(k).map_err(malformed)?;
                let reader = group.get_column_reader(leaf).map_err(malformed)?;
                let descriptor = group.metadata().column(leaf).column_descr();
                column::read(reader, descriptor, start..end, cells)?;
            }
        }
        if cells.len() != rows.len() {
            let found = format!("{} in column {leaf}", cells.len());
            return Err(Fault::expected(format!("{} rows", rows.len()), found));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
