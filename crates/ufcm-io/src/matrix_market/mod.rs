//! Matrix Market: `coordinate` and `array`; `real`, `integer` and `pattern`; `general`, `symmetric` and
//! `skew-symmetric`.

mod write;

pub use write::text;

use crate::error::{Fault, ReadError, quoted};
use crate::source::{Line, Source, check_dimensions};
use crate::sparse;
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
    let mut lines = source.lines()?;
    let cut = |what: &str| source.error(None, Fault::expected(what, "the end of the file"));
    let banner = Banner::parse(&lines.next().ok_or_else(|| cut("the line %%MatrixMarket"))?)?;
    let mut lines = lines.filter(|line| !line.text.starts_with('%') && !line.text.trim().is_empty());
    let size = lines.next().ok_or_else(|| cut("the line of sizes"))?;
    if banner.coordinate {
        coordinate(source, &banner, &size, lines)
    } else {
        array(source, &banner, &size, lines)
    }
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

fn coordinate<'a>(
    source: &Source,
    banner: &Banner,
    size: &Line<'_>,
    lines: impl Iterator<Item = Line<'a>>,
) -> Result<Matrix, ReadError> {
    let words: Vec<&str> = size.words().collect();
    let [rows, columns, count] = words[..] else {
        return Err(size.error(Fault::expected("`rows columns entries`", quoted(size.text))));
    };
    let (rows, columns) = banner.sizes(size, rows, columns)?;
    let count = size.count("entries", count)?;
    check_dimensions(source.bytes().len(), rows, columns).map_err(|fault| size.error(fault))?;
    let (mut entries, mut seen) = (Vec::new(), 0);
    for line in lines {
        source.ask(line.number)?;
        seen += 1;
        let (i, j, value) = entry(&line, banner, rows, columns)?;
        if value == 0.0 {
            continue;
        }
        entries.push((i, j, value));
        if i != j {
            entries.extend(banner.mirrored(value).map(|value| (j, i, value)));
        }
    }
    check_count(source, count, seen)?;
    sparse::from_entries(rows, columns, &entries).map_err(|error| source.error(None, Fault::Data(error)))
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

fn array<'a>(
    source: &Source,
    banner: &Banner,
    size: &Line<'_>,
    mut lines: impl Iterator<Item = Line<'a>>,
) -> Result<Matrix, ReadError> {
    let words: Vec<&str> = size.words().collect();
    let [rows, columns] = words[..] else {
        return Err(size.error(Fault::expected("`rows columns`", quoted(size.text))));
    };
    let (rows, columns) = banner.sizes(size, rows, columns)?;
    // A symmetric matrix has up to twice as many entries as the file.
    let (entries, limit) =
        (rows as u128 * columns as u128, (source.bytes().len() / SHORTEST_VALUE * 2) as u128);
    if entries > limit || rows.max(columns) as u128 > limit {
        let what = "the number of entries".into();
        return Err(size.error(Fault::TooLarge { what, size: entries, limit, advice: "" }));
    }
    let mut values = vec![0.0; rows * columns];
    let (mut count, mut seen) = (0, 0);
    for (i, j) in
        (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).filter(|&(i, j)| banner.holds(i, j))
    {
        count += 1;
        let Some(line) = lines.next() else { continue };
        source.ask(line.number)?;
        seen += 1;
        let value = line.number("value", line.text.trim())?;
        values[i * columns + j] = value;
        if let Some(mirror) = banner.mirrored(value).filter(|_| i != j) {
            values[j * columns + i] = mirror;
        }
    }
    check_count(source, count, seen + lines.count())?;
    Matrix::row_major(rows, columns, values).map_err(|error| source.error(None, Fault::Data(error)))
}

fn check_count(source: &Source, expected: usize, got: usize) -> Result<(), ReadError> {
    if expected == got {
        return Ok(());
    }
    Err(source.error(None, Fault::expected(format!("{expected} entries"), got.to_string())))
}

#[cfg(test)]
mod tests;
