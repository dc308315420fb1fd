//! Some rows of the matrix in an archive. Members that are not packed are read from where the rows begin; of packed ones what comes before is unpacked and not kept.

use super::{damaged, dimensions, layout, unknown};
use crate::error::{Fault, ReadError, quoted};
use crate::npy::indices;
use crate::npy::parse_text;
use crate::npy::rows::{Numbers, told};
use crate::origin::Origin;
use crate::packed::{Bytes, Forward};
use crate::source::{check_dimensions, read_at_most, unpacked_limit, unpacks_too_far};
use crate::sparse;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use ufcm::budget::Budget;
use ufcm::matrix::Matrix;
use zip::{CompressionMethod, ZipArchive};

/// Entries of a matrix by columns that are looked at together.
const CHUNK: usize = 1 << 16;
/// What the name of a format may have.
const LONGEST_NAME: u64 = 1 << 12;

/// An archive that stays in its file.
pub(crate) struct InFile<'a> {
    origin: Origin,
    path: &'a Path,
    budget: &'a Budget,
    /// The unpacked bytes of all arrays, as the archive declares them.
    bytes: u64,
}

type Zip = ZipArchive<File>;

impl<'a> InFile<'a> {
    pub(crate) fn open(path: &'a Path, budget: &'a Budget) -> Result<Self, ReadError> {
        let origin = Origin::whole(path.display().to_string());
        let mut opened = Self { origin, path, budget, bytes: 0 };
        let mut zip = opened.zip()?;
        let packed = std::fs::metadata(path).map_err(|error| opened.error(None, Fault::Io(error)))?.len();
        let limit = unpacked_limit(usize::try_from(packed).unwrap_or(usize::MAX));
        for k in 0..zip.len() {
            let file = zip.by_index_raw(k).map_err(|error| opened.error(None, damaged(&error)))?;
            opened.bytes = opened.bytes.saturating_add(file.size());
        }
        if opened.bytes > limit {
            return Err(opened.error(None, unpacks_too_far(opened.bytes, limit)));
        }
        Ok(opened)
    }

    /// The rows that `own` takes of a dense matrix, and how many there are.
    pub(crate) fn matrix(
        &self,
        name: &str,
        own: impl FnOnce(usize) -> Range<usize>,
    ) -> Result<(Matrix, usize), ReadError> {
        let mut zip = self.zip()?;
        self.numbers(&mut zip, name)?.matrix(own).map_err(|fault| self.error(Some(name), fault))
    }

    /// All of a vector.
    pub(crate) fn vector(&self, name: &str) -> Result<Vec<f64>, ReadError> {
        let mut zip = self.zip()?;
        let mut numbers = self.numbers(&mut zip, name)?;
        numbers
            .length()
            .and_then(|length| numbers.part(0..length))
            .map_err(|fault| self.error(Some(name), fault))
    }

    /// The rows that `own` takes of the matrix that `scipy.sparse.save_npz` wrote, and how many there are.
    pub(crate) fn sparse(
        &self,
        own: impl FnOnce(usize) -> Range<usize>,
    ) -> Result<(Matrix, usize), ReadError> {
        let at = |name: &'static str| move |fault| (name, fault);
        let told = |(name, fault)| self.error(Some(name), fault);
        let by_rows = layout(&self.text("format")?).map_err(at("format")).map_err(told)?;
        let shape = indices(self.vector("shape")?, 0).map_err(at("shape")).map_err(told)?;
        let (rows, columns) = dimensions(&shape).map_err(at("shape")).map_err(told)?;
        let bytes = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        check_dimensions(bytes, rows, columns).map_err(at("shape")).map_err(told)?;
        let mut zips = [self.zip()?, self.zip()?, self.zip()?];
        let [starts, places, values] = &mut zips;
        let mut members = Members {
            starts: self.numbers(starts, "indptr")?,
            indices: self.numbers(places, "indices")?,
            values: self.numbers(values, "data")?,
        };
        let (own, lines) = (own(rows), if by_rows { rows } else { columns });
        let stored = members.check(lines).map_err(told)?;
        let matrix = match by_rows {
            true => members.of_rows(own, columns, rows, stored),
            false => members.of_columns(&own, columns, rows, stored),
        };
        Ok((matrix.map_err(told)?, rows))
    }

    fn zip(&self) -> Result<Zip, ReadError> {
        let file = File::open(self.path).map_err(|error| self.error(None, Fault::Io(error)))?;
        ZipArchive::new(file).map_err(|error| self.error(None, damaged(&error)))
    }

    /// The bytes of a member, and how many they are.
    fn member<'z>(&'z self, zip: &'z mut Zip, name: &str) -> Result<(Box<dyn Bytes + 'z>, u64), ReadError> {
        let broken = |error| self.error(Some(name), damaged(&error));
        let Some(index) = zip.index_for_name(&format!("{name}.npy")) else {
            let names =
                zip.file_names().filter_map(|name| name.ok()?.strip_suffix(".npy").map(str::to_owned));
            return Err(self.error(None, unknown(name, names.collect())));
        };
        let file = zip.by_index_raw(index).map_err(broken)?;
        let (length, stored) = (file.size(), file.compression() == CompressionMethod::Stored);
        drop(file);
        Ok(match stored {
            true => (Box::new(zip.by_index_seek(index).map_err(broken)?), length),
            false => (Box::new(Forward::new(zip.by_index(index).map_err(broken)?, self.budget)), length),
        })
    }

    fn numbers<'z>(&'z self, zip: &'z mut Zip, name: &str) -> Result<Numbers<'z>, ReadError> {
        let (bytes, length) = self.member(zip, name)?;
        Numbers::open(bytes, length, self.budget).map_err(|fault| self.error(Some(name), fault))
    }

    fn text(&self, name: &str) -> Result<String, ReadError> {
        let mut zip = self.zip()?;
        let (bytes, _) = self.member(&mut zip, name)?;
        let bytes = read_at_most(bytes, LONGEST_NAME, self.budget);
        bytes.and_then(|bytes| parse_text(&bytes)).map_err(|fault| self.error(Some(name), fault))
    }

    fn error(&self, array: Option<&str>, fault: Fault) -> ReadError {
        self.origin.error(None, array.map(|array| format!("array {}", quoted(array))), fault)
    }
}

/// What is wrong, and with which array.
type Told = (&'static str, Fault);

/// The arrays of a sparse matrix.
struct Members<'z> {
    starts: Numbers<'z>,
    indices: Numbers<'z>,
    values: Numbers<'z>,
}

impl Members<'_> {
    /// Whether the arrays fit together; the number of entries.
    fn check(&self, lines: usize) -> Result<usize, Told> {
        let starts = self.starts.length().map_err(|fault| ("indptr", fault))?;
        if starts != lines + 1 {
            let fault = Fault::expected(format!("{} numbers", lines + 1), starts.to_string());
            return Err(("indptr", fault));
        }
        let stored = self.indices.length().map_err(|fault| ("indices", fault))?;
        let values = self.values.length().map_err(|fault| ("data", fault))?;
        match stored == values {
            true => Ok(stored),
            false => Err(("data", Fault::expected(format!("{stored} numbers"), values.to_string()))),
        }
    }

    /// Where these lines start, and where the last of them ends.
    fn starts(&mut self, lines: Range<usize>, of: usize, stored: usize) -> Result<Vec<usize>, Told> {
        let starts = self.starts.indices(lines.start..lines.end + 1).map_err(|fault| ("indptr", fault))?;
        let first = lines.start > 0 || starts[0] == 0;
        let last = starts[lines.len()] == stored || lines.end < of && starts[lines.len()] < stored + 1;
        if first && last && starts.is_sorted() {
            return Ok(starts);
        }
        let expected = format!("numbers that increase from 0 to {stored}");
        Err(("indptr", Fault::expected(expected, format!("others, at {} or after it", lines.start))))
    }

    /// These rows of a matrix by rows.
    fn of_rows(
        &mut self,
        own: Range<usize>,
        columns: usize,
        rows: usize,
        stored: usize,
    ) -> Result<Matrix, Told> {
        let starts = self.starts(own.clone(), rows, stored)?;
        let part = starts[0]..starts[own.len()];
        let places = self.indices.indices(part.clone()).map_err(|fault| ("indices", fault))?;
        let values = self.values.part(part.clone()).map_err(|fault| ("data", fault))?;
        let starts: Vec<usize> = starts.iter().map(|start| start - part.start).collect();
        let matrix = Matrix::csr(own.len(), columns, &starts, &places, values);
        matrix.map_err(|error| ("data", told(error, part.start)))
    }

    /// These rows of a matrix by columns: every entry is looked at.
    fn of_columns(
        &mut self,
        own: &Range<usize>,
        columns: usize,
        rows: usize,
        stored: usize,
    ) -> Result<Matrix, Told> {
        let starts = self.starts(0..columns, columns, stored)?;
        let (mut entries, mut column) = (Vec::new(), 0);
        for first in (0..stored).step_by(CHUNK) {
            let part = first..stored.min(first + CHUNK);
            let places = self.indices.indices(part.clone()).map_err(|fault| ("indices", fault))?;
            let values = self.values.part(part.clone()).map_err(|fault| ("data", fault))?;
            for (k, (row, value)) in part.zip(places.into_iter().zip(values)) {
                while starts[column + 1] <= k {
                    column += 1;
                }
                if row >= rows {
                    let expected = format!("an index below {rows} in entry {k}");
                    return Err(("indices", Fault::expected(expected, row.to_string())));
                }
                if own.contains(&row) {
                    entries.push((row - own.start, column, value));
                }
            }
        }
        sparse::from_entries(own.len(), columns, &entries).map_err(|error| ("data", Fault::Data(error)))
    }
}
