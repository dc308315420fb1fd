//! CSV with named columns: numbers, texts, selections of rows, and features with one-hot columns.

mod features;
mod missing;

pub use features::{Column, Features};

use crate::error::{Fault, ReadError, quoted};
use crate::source::Source;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    file: String,
    names: Vec<String>,
    missing: Vec<String>,
    /// All cells, row after row, one text.
    text: String,
    /// Where each cell ends in `text`.
    ends: Vec<usize>,
    /// The line of each row.
    lines: Vec<usize>,
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
        let mut table = Self {
            file: source.name().to_owned(),
            names: Vec::new(),
            missing: options.missing.clone(),
            text: String::new(),
            ends: Vec::new(),
            lines: Vec::new(),
        };
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| malformed(source, &error))? {
            let line = record.position().map_or(0, |position| position.line() as usize);
            source.ask(line)?;
            if table.names.is_empty() {
                table.names =
                    names(&record, options).map_err(|fault| source.error_at(Some(line), None, fault))?;
                if options.header {
                    continue;
                }
            }
            table.lines.push(line);
            for cell in &record {
                table.text.push_str(cell);
                table.ends.push(table.text.len());
            }
        }
        if table.names.is_empty() {
            return Err(source.error(None, Fault::expected("at least one line", "none")));
        }
        Ok(table)
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, the header not counted.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The line of the file in which a row stands.
    #[must_use]
    pub fn line(&self, row: usize) -> usize {
        self.lines[row]
    }

    /// The cells of a column.
    ///
    /// # Errors
    /// No column of that name.
    pub fn texts(&self, column: &str) -> Result<impl Iterator<Item = &str>, ReadError> {
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
        Ok(self.texts(column)?.enumerate().filter(|(_, cell)| same(cell)).map(|(row, _)| row).collect())
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        let k = row * self.names.len() + column;
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.text[start..self.ends[k]]
    }

    fn find(&self, name: &str) -> Result<usize, ReadError> {
        self.names.iter().position(|other| other == name).ok_or_else(|| {
            let known = format!("the table has {}", self.names[..self.names.len().min(20)].join(", "));
            self.error(None, None, Fault::Unknown { what: format!("column {}", quoted(name)), known })
        })
    }

    fn number(&self, row: usize, column: usize) -> Result<f64, ReadError> {
        let cell = self.present(row, column)?;
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error(Some(row), Some(column), Fault::expected("a finite number", quoted(cell)))),
        }
    }

    /// A cell that is not missing.
    fn present(&self, row: usize, column: usize) -> Result<&str, ReadError> {
        let cell = self.cell(row, column);
        if self.is_missing(cell) {
            let found = if cell.is_empty() {
                "a missing one".into()
            } else {
                format!("a missing one, {}", quoted(cell))
            };
            return Err(self.error(Some(row), Some(column), Fault::expected("a value", found)));
        }
        Ok(cell)
    }

    fn error(&self, row: Option<usize>, column: Option<usize>, fault: Fault) -> ReadError {
        let field = column.map(|column| format!("column {}", quoted(&self.names[column])));
        let place = crate::Place { file: self.file.clone(), line: row.map(|row| self.lines[row]), field };
        ReadError { place, fault: Box::new(fault) }
    }
}

/// The names of the columns, from the first line or from the options.
fn names(first: &csv::StringRecord, options: &Options) -> Result<Vec<String>, Fault> {
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
    Ok(names)
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
