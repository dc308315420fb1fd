//! Matrix Market: `coordinate` and `array`; `real`, `integer` and `pattern`; `general`, `symmetric` and
//! `skew-symmetric`.

mod write;

pub use write::text;

use crate::error::{Fault, ReadError, quoted};
use crate::scan::Lines;
use crate::source::{Line, Source, check_dimensions};
use crate::sparse;
use std::ops::Range;
use ufcm::matrix::Matrix;

/// Bytes of the shortest line of an array, `1` and its end.
const SHORTEST_VALUE: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

/// Reads a matrix: sparse from `coordinate`, dense from `array`. Entries given twice are added; symmetric matrices come
/// with their lower triangle in the file and both in the result.
///
/// ```
/// use ufcm_io::{Source, matrix_market};
///
/// let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n";
/// let matrix = matrix_market::read(&Source::from_bytes("a.mtx", text.into())?)?;
/// assert_eq!(matrix.stored(), 3);
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// The first line that is wrong, a size that the file cannot hold, or complex entries.
pub fn read(source: &Source) -> Result<Matrix, ReadError> {
    read_rows(source.scan(), |rows| 0..rows).map(|(matrix, _)| matrix)
}

/// The rows that `own` takes of so many, and how many there are. The others are read and checked, and not kept.
pub(crate) fn read_rows(
    mut lines: Lines<'_>,
    own: impl FnOnce(usize) -> Range<usize>,
) -> Result<(Matrix, usize), ReadError> {
    let cut = |what: &str, lines: &Lines<'_>| lines.error(Fault::expected(what, "the end of the file"));
    if !lines.advance()? {
        return Err(cut("the line %%MatrixMarket", &lines));
    }
    let banner = Banner::parse(&lines.line())?;
    if !to_content(&mut lines)? {
        return Err(cut("the line of sizes", &lines));
    }
    if banner.coordinate { coordinate(&banner, lines, own) } else { array(&banner, lines, own) }
}

/// Goes to the next line that is neither empty nor a comment, unless there is none.
fn to_content(lines: &mut Lines<'_>) -> Result<bool, ReadError> {
    while lines.advance()? {
        let text = lines.line().text;
        if !text.starts_with('%') && !text.trim().is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Banner {
    fn parse(line: &Line<'_>) -> Result<Self, ReadError> {
        let lower = line.text.to_ascii_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
            let shape = "`%%MatrixMarket matrix format field symmetry`";
            return Err(line.error(Fault::expected(shape, quoted(line.text))));
        };
        let refuse = |what: &str| {
            let instead = "real, integer and pattern matrices are read: general, symmetric or skew-symmetric";
            line.error(Fault::unsupported(quoted(what), instead))
        };
        let pattern = match field {
            "real" | "double" | "integer" => false,
            "pattern" if format == "coordinate" => true,
            _ => return Err(refuse(field)),
        };
        let coordinate = match format {
            "coordinate" => true,
            "array" => false,
            _ => return Err(line.expected("format", "coordinate or array", format)),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            _ => return Err(refuse(symmetry)),
        };
        Ok(Self { coordinate, pattern, symmetry })
    }

    /// Rows and columns, which are equal in a symmetric matrix.
    fn sizes(&self, line: &Line<'_>, rows: &str, columns: &str) -> Result<(usize, usize), ReadError> {
        let (rows, columns) = (line.count("rows", rows)?, line.count("columns", columns)?);
        if self.symmetry != Symmetry::General && rows != columns {
            let found = format!("{rows} x {columns}");
            return Err(line.error(Fault::expected("a square matrix, since it is symmetric", found)));
        }
        Ok((rows, columns))
    }

    /// Whether the file holds entry (i, j), rather than leaving it to the symmetry.
    fn holds(&self, i: usize, j: usize) -> bool {
        match self.symmetry {
            Symmetry::General => true,
            Symmetry::Symmetric => i >= j,
            Symmetry::Skew => i > j,
        }
    }

    /// The entry opposite to one off the diagonal.
    fn mirrored(&self, value: f64) -> Option<f64> {
        match self.symmetry {
            Symmetry::General => None,
            Symmetry::Symmetric => Some(value),
            Symmetry::Skew => Some(-value),
        }
    }
}

fn coordinate(
    banner: &Banner,
    mut lines: Lines<'_>,
    own: impl FnOnce(usize) -> Range<usize>,
) -> Result<(Matrix, usize), ReadError> {
    let size = lines.line();
    let words: Vec<&str> = size.words().collect();
    let [rows, columns, count] = words[..] else {
        return Err(size.error(Fault::expected("`rows columns entries`", quoted(size.text))));
    };
    let (rows, columns) = banner.sizes(&size, rows, columns)?;
    let count = size.count("entries", count)?;
    check_dimensions(size.length, rows, columns).map_err(|fault| size.error(fault))?;
    let own = own(rows);
    let (mut entries, mut seen) = (Vec::new(), 0);
    let mut keep = |i: usize, j: usize, value: f64| {
        if own.contains(&i) {
            entries.push((i - own.start, j, value));
        }
    };
    while to_content(&mut lines)? {
        seen += 1;
        let (i, j, value) = entry(&lines.line(), banner, rows, columns)?;
        if value == 0.0 {
            continue;
        }
        keep(i, j, value);
        if let Some(mirror) = banner.mirrored(value).filter(|_| i != j) {
            keep(j, i, mirror);
        }
    }
    check_count(&lines, count, seen)?;
    let matrix = sparse::from_entries(own.len(), columns, &entries);
    Ok((matrix.map_err(|error| lines.error(Fault::Data(error)))?, rows))
}

fn entry(
    line: &Line<'_>,
    banner: &Banner,
    rows: usize,
    columns: usize,
) -> Result<(usize, usize, f64), ReadError> {
    let mut words = line.words();
    let mut index = |field: &str, limit: usize| {
        let index = line.count(field, words.next().unwrap_or_default())?;
        if (1..=limit).contains(&index) {
            return Ok(index - 1);
        }
        Err(line.expected(field, &format!("an index from 1 to {limit}"), &index.to_string()))
    };
    let (i, j) = (index("row", rows)?, index("column", columns)?);
    let value = if banner.pattern { 1.0 } else { line.number("value", words.next().unwrap_or_default())? };
    if let Some(more) = words.next() {
        return Err(line.error(Fault::expected("the end of the line", quoted(more))));
    }
    if !banner.holds(i, j) {
        let expected = "an entry of the lower triangle, since the matrix is symmetric";
        return Err(line.error(Fault::expected(expected, format!("({}, {})", i + 1, j + 1))));
    }
    Ok((i, j, value))
}

fn array(
    banner: &Banner,
    mut lines: Lines<'_>,
    own: impl FnOnce(usize) -> Range<usize>,
) -> Result<(Matrix, usize), ReadError> {
    let size = lines.line();
    let words: Vec<&str> = size.words().collect();
    let [rows, columns] = words[..] else {
        return Err(size.error(Fault::expected("`rows columns`", quoted(size.text))));
    };
    let (rows, columns) = banner.sizes(&size, rows, columns)?;
    // A symmetric matrix has up to twice as many entries as the file.
    let (entries, limit) = (rows as u128 * columns as u128, (size.length / SHORTEST_VALUE) as u128 * 2);
    if entries > limit || rows.max(columns) as u128 > limit {
        let what = "the number of entries".into();
        return Err(size.error(Fault::TooLarge { what, size: entries, limit, advice: "" }));
    }
    let own = own(rows);
    let mut values = vec![0.0; own.len() * columns];
    let mut keep = |i: usize, j: usize, value: f64| {
        if own.contains(&i) {
            values[(i - own.start) * columns + j] = value;
        }
    };
    let (mut count, mut seen) = (0, 0);
    for (i, j) in
        (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).filter(|&(i, j)| banner.holds(i, j))
    {
        count += 1;
        if seen + 1 < count || !to_content(&mut lines)? {
            continue;
        }
        seen += 1;
        let line = lines.line();
        let value = line.number("value", line.text.trim())?;
        keep(i, j, value);
        if let Some(mirror) = banner.mirrored(value).filter(|_| i != j) {
            keep(j, i, mirror);
        }
    }
    while to_content(&mut lines)? {
        seen += 1;
    }
    check_count(&lines, count, seen)?;
    let matrix = Matrix::row_major(own.len(), columns, values);
    Ok((matrix.map_err(|error| lines.error(Fault::Data(error)))?, rows))
}

fn check_count(lines: &Lines<'_>, expected: usize, got: usize) -> Result<(), ReadError> {
    if expected == got {
        return Ok(());
    }
    Err(lines.error(Fault::expected(format!("{expected} entries"), got.to_string())))
}

#[cfg(test)]
mod tests;
