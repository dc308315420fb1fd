//! Tables with named columns, from CSV and [Parquet](crate::parquet): numbers, texts, selections of rows, and features with one-hot columns.

mod cells;
mod features;
mod missing;

pub(crate) use cells::Cells;
pub(crate) use features::DENSE_SHARE;
pub use features::{Column, Features};

use crate::error::{Fault, ReadError, quoted};
use crate::origin::Origin;
use crate::source::Source;
use std::borrow::Cow;

/// The longest name of a column, in bytes: one-hot columns repeat it.
const LONGEST_NAME: usize = 128;

/// How to read a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What stands between cells; a comma unless told.
    pub delimiter: u8,
    /// Whether the first line names the columns; it does unless told.
    pub header: bool,
    /// The names of the columns of a file without a header; c1, c2, ... unless told.
    pub names: Option<Vec<String>>,
    /// Texts that stand for a missing value: empty, `NA`, `NaN`, `nan` and `null` unless told.
    pub missing: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let missing = ["", "NA", "NaN", "nan", "null"].map(String::from).to_vec();
        Self { delimiter: b',', header: true, names: None, missing }
    }
}

/// A table of texts with named columns; blanks around the cells are dropped.
///
/// ```
/// use ufcm_io::Source;
/// use ufcm_io::table::{Column, Options, Table};
///
/// let text = "age,sex,label\n39,Male,1\n50,Female,0\n28,Female,1\n";
/// let table = Table::read(&Source::from_bytes("people.csv", text.into())?, &Options::default())?;
/// let women = table.rows_where("sex", "Female")?;
/// assert_eq!(women, [1, 2]);
/// let features = table.features(&[Column::number("age"), Column::one_hot("sex")], &women)?;
/// assert_eq!(features.names, ["age", "sex=Female", "sex=Male"]);
/// assert_eq!(table.numbers("label")?, [1.0, 0.0, 1.0]);
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    missing: Vec<String>,
    columns: Vec<Cells>,
    rows: usize,
    /// The files that the rows come from, one after the other.
    pieces: Vec<Piece>,
}

/// The rows of a table that come from one file.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    origin: Origin,
    /// Its first row in the table.
    first: usize,
    places: Places,
}

/// Where the rows of a piece are in their file.
#[derive(Debug, Clone, PartialEq)]
enum Places {
    /// The line of each.
    Lines(Vec<usize>),
    /// The number of the first, where rows have no lines.
    Rows(usize),
    /// The number of each, where some were left out.
    Numbers(Vec<usize>),
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// Rows of different lengths, names that are missing or given twice, text that is not UTF-8.
    pub fn read(source: &Source, options: &Options) -> Result<Self, ReadError> {
        let text = source.text()?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(options.delimiter)
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut names = options.names.clone().filter(|_| !options.header);
        let (mut lines, mut columns) = (Vec::new(), Vec::new());
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| malformed(source, &error))? {
            let line = record.position().map_or(0, |position| position.line() as usize);
            source.ask(line)?;
            if columns.is_empty() {
                let first = first_names(&record, options);
                names = Some(first.map_err(|fault| source.error_at(Some(line), None, fault))?);
                columns = vec![Cells::texts(); record.len()];
                if options.header {
                    continue;
                }
            }
            lines.push(line);
            columns.iter_mut().zip(&record).for_each(|(column, cell)| column.push(cell));
        }
        let Some(names) = names else {
            return Err(source.error(None, Fault::expected("at least one line", "none")));
        };
        columns.resize(names.len(), Cells::texts());
        let (missing, rows) = (options.missing.clone(), lines.len());
        let piece = Piece { origin: source.origin().clone(), first: 0, places: Places::Lines(lines) };
        Ok(Self { names, missing, columns, rows, pieces: vec![piece] })
    }

    /// A table of columns that were read otherwise, from row `first` of a file on.
    pub(crate) fn of_columns(
        origin: Origin,
        first: usize,
        columns: Vec<(String, Cells)>,
    ) -> Result<Self, ReadError> {
        let (names, columns): (Vec<String>, Vec<Cells>) = columns.into_iter().unzip();
        check_names(&names).map_err(|fault| origin.error(None, None, fault))?;
        let rows = columns.first().map_or(0, Cells::len);
        let pieces = vec![Piece { origin, first: 0, places: Places::Rows(first) }];
        Ok(Self { names, missing: Options::default().missing, columns, rows, pieces })
    }

    /// Adds the rows of a table with the same columns.
    ///
    /// # Errors
    /// Other columns, by the file that has them.
    pub fn append(&mut self, other: Self) -> Result<(), ReadError> {
        if other.names != self.names {
            let differs = self.names.iter().zip(&other.names).position(|(own, other)| own != other);
            let at = differs.unwrap_or(self.names.len().min(other.names.len()));
            let told = |names: &[String]| names.get(at).map_or("none".to_owned(), |name| quoted(name));
            let expected = format!("the columns of {}: column {} {}", self.file(), at + 1, told(&self.names));
            return Err(other.pieces[0].origin.error(
                None,
                None,
                Fault::expected(expected, told(&other.names)),
            ));
        }
        self.columns.iter_mut().zip(other.columns).for_each(|(own, more)| own.append(more));
        self.pieces.extend(other.pieces.into_iter().map(|p| Piece { first: p.first + self.rows, ..p }));
        self.rows += other.rows;
        Ok(())
    }

    fn file(&self) -> &str {
        self.pieces[0].origin.name()
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, the header not counted.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Where in its file a row stands, in words.
    #[must_use]
    pub fn place_of(&self, row: usize) -> String {
        let (piece, own) = self.piece(row);
        match &piece.places {
            Places::Lines(lines) => format!("line {}", lines[own]),
            Places::Rows(first) => format!("row {} (counted from 0)", first + own),
            Places::Numbers(numbers) => format!("row {} (counted from 0)", numbers[own]),
        }
    }

    /// The piece that a row is from, and which of its rows it is.
    fn piece(&self, row: usize) -> (&Piece, usize) {
        let after = self.pieces.partition_point(|piece| piece.first <= row);
        let piece = &self.pieces[after - 1];
        (piece, row - piece.first)
    }

    /// The cells of a column.
    ///
    /// # Errors
    /// No column of that name.
    pub fn texts(&self, column: &str) -> Result<impl Iterator<Item = Cow<'_, str>>, ReadError> {
        let column = self.find(column)?;
        Ok((0..self.rows()).map(move |row| self.cell(row, column)))
    }

    /// A column of numbers.
    ///
    /// # Errors
    /// No column of that name, or a cell that is missing or no finite number.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, ReadError> {
        let column = self.find(column)?;
        (0..self.rows()).map(|row| self.number(row, column)).collect()
    }

    /// The rows whose cell in `column` is `value`: the same text, or the same number (`1` and `1.0`).
    ///
    /// # Errors
    /// No column of that name.
    pub fn rows_where(&self, column: &str, value: &str) -> Result<Vec<usize>, ReadError> {
        let number: Option<f64> = value.parse().ok();
        let same = |cell: &str| cell == value || number.is_some_and(|x| cell.parse() == Ok(x));
        Ok(self
            .texts(column)?
            .enumerate()
            .filter(|(_, cell)| same(cell.as_ref()))
            .map(|(row, _)| row)
            .collect())
    }

    fn cell(&self, row: usize, column: usize) -> Cow<'_, str> {
        self.columns[column].text(row)
    }

    fn find(&self, name: &str) -> Result<usize, ReadError> {
        let Some(column) = self.names.iter().position(|other| other == name) else {
            let known = format!("the table has {}", self.names[..self.names.len().min(20)].join(", "));
            return Err(self.error(
                None,
                None,
                Fault::Unknown { what: format!("column {}", quoted(name)), known },
            ));
        };
        match &self.columns[column] {
            Cells::Unreadable { what, .. } => Err(self.error(
                None,
                Some(column),
                Fault::unsupported(*what, "leave the column out with `ignore`"),
            )),
            _ => Ok(column),
        }
    }

    fn number(&self, row: usize, column: usize) -> Result<f64, ReadError> {
        if let Cells::Numbers(numbers) = &self.columns[column]
            && numbers[row].is_finite()
        {
            return Ok(numbers[row]);
        }
        let cell = self.present(row, column)?;
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error(Some(row), Some(column), Fault::expected("a finite number", quoted(&cell)))),
        }
    }

    /// A cell that is not missing.
    fn present(&self, row: usize, column: usize) -> Result<Cow<'_, str>, ReadError> {
        let cell = self.cell(row, column);
        if self.is_missing(&cell) {
            let found = if cell.is_empty() {
                "a missing one".into()
            } else {
                format!("a missing one, {}", quoted(&cell))
            };
            return Err(self.error(Some(row), Some(column), Fault::expected("a value", found)));
        }
        Ok(cell)
    }

    fn error(&self, row: Option<usize>, column: Option<usize>, fault: Fault) -> ReadError {
        let column = column.map(|column| format!("column {}", quoted(&self.names[column])));
        let Some(row) = row else { return self.pieces[0].origin.error(None, column, fault) };
        let (piece, own) = self.piece(row);
        if let Places::Lines(lines) = &piece.places {
            return piece.origin.error(Some(lines[own]), column, fault);
        }
        let row = self.place_of(row);
        let place = column.map_or_else(|| row.clone(), |column| format!("{row}, {column}"));
        piece.origin.error(None, Some(place), fault)
    }
}

/// The names of the columns, from the first line or from the options.
fn first_names(first: &csv::StringRecord, options: &Options) -> Result<Vec<String>, Fault> {
    let names: Vec<String> = match &options.names {
        _ if options.header => first.iter().map(str::to_owned).collect(),
        Some(names) if names.len() != first.len() => {
            return Err(Fault::expected(
                format!("{} columns, as many as names", names.len()),
                first.len().to_string(),
            ));
        }
        Some(names) => names.clone(),
        None => (1..=first.len()).map(|k| format!("c{k}")).collect(),
    };
    check_names(&names)?;
    Ok(names)
}

/// Names that are there, not too long, and different.
fn check_names(names: &[String]) -> Result<(), Fault> {
    let mut seen = std::collections::HashSet::new();
    for (k, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Fault::expected(format!("a name for column {}", k + 1), "nothing"));
        }
        if name.len() > LONGEST_NAME {
            let expected = format!("a name of at most {LONGEST_NAME} bytes for column {}", k + 1);
            return Err(Fault::expected(expected, name.len().to_string()));
        }
        if !seen.insert(name) {
            return Err(Fault::Repeated { what: format!("column {}", quoted(name)) });
        }
    }
    Ok(())
}

fn malformed(source: &Source, error: &csv::Error) -> ReadError {
    let line = error.position().map(|position| position.line() as usize);
    let fault = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Fault::expected(format!("{expected_len} cells"), len.to_string())
        }
        _ => Fault::Inconsistent(error.to_string()),
    };
    source.error_at(line, None, fault)
}

#[cfg(test)]
mod tests;
