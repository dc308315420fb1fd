//! LIBSVM and svmlight: `label [qid:query] index:value ... # comment`, with indices from 1 in increasing order.

use crate::error::{Fault, ReadError, quoted};
use crate::source::{Line, Source};
use ufcm::matrix::Matrix;

/// Labelled rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// One row for each line; index k of the file is column k - 1.
    pub matrix: Matrix,
    /// The label of each row.
    pub labels: Vec<f64>,
    /// The query of each row, if the file tells it.
    pub queries: Option<Vec<usize>>,
}

/// Reads labelled rows.
///
/// The matrix has `columns` columns, so that training and test data fit together; without it, as many as the largest
/// index.
///
/// ```
/// use ufcm_io::{Source, libsvm};
///
/// let data = libsvm::read(&Source::from_bytes("a.svm", b"+1 1:0.5 3:2\n-1 2:1 # a comment\n".to_vec())?, None)?;
/// assert_eq!(data.labels, [1.0, -1.0]);
/// assert_eq!((data.matrix.rows(), data.matrix.columns()), (2, 3));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// The first line that is wrong, or an index that is larger than `columns` or than a file of this length can honestly
/// have.
pub fn read(source: &Source, columns: Option<usize>) -> Result<Labelled, ReadError> {
    let mut rows = Rows { starts: vec![0], ..Rows::default() };
    for line in source.lines()? {
        source.ask(line.number)?;
        let text = line.text.split('#').next().unwrap_or_default();
        if !text.trim().is_empty() {
            rows.add(&line, text, columns)?;
        }
    }
    rows.finish(source, columns)
}

impl Labelled {
    /// The text of a LIBSVM file. Numbers are written so that the same ones are read again.
    ///
    /// ```
    /// use ufcm_io::{Source, libsvm};
    ///
    /// let text = "1 1:0.5 3:2\n-1 2:1\n";
    /// assert_eq!(libsvm::read(&Source::from_bytes("a.svm", text.into())?, None)?.text(), "1 1:0.5 3:2\n-1 2:1\n");
    /// # Ok::<(), ufcm_io::ReadError>(())
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let query = |row: usize| self.queries.as_ref().map_or(String::new(), |q| format!(" qid:{}", q[row]));
        let mut lines: Vec<String> =
            self.labels.iter().enumerate().map(|(row, label)| format!("{label}{}", query(row))).collect();
        self.matrix.for_each(|i, j, value| {
            if value != 0.0 {
                lines[i].push_str(&format!(" {}:{value}", j + 1));
            }
        });
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[derive(Default)]
struct Rows {
    labels: Vec<f64>,
    queries: Vec<usize>,
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
    largest: usize,
}

impl Rows {
    fn add(&mut self, line: &Line<'_>, text: &str, columns: Option<usize>) -> Result<(), ReadError> {
        let mut words = text.split_whitespace().peekable();
        let label = line.number("label", words.next().unwrap_or_default())?;
        let query = words.peek().and_then(|word| word.strip_prefix("qid:"));
        if let Some(query) = query {
            self.queries.push(line.count("qid", query)?);
            words.next();
        }
        if !self.queries.is_empty() && self.queries.len() != self.labels.len() + 1 {
            return Err(line.error_in("qid", Fault::expected("a qid on every line or on none", "both")));
        }
        self.labels.push(label);
        let mut last = 0;
        for word in words {
            last = self.add_entry(line, word, last, columns)?;
        }
        self.largest = self.largest.max(last);
        self.starts.push(self.indices.len());
        Ok(())
    }

    fn add_entry(
        &mut self,
        line: &Line<'_>,
        word: &str,
        last: usize,
        columns: Option<usize>,
    ) -> Result<usize, ReadError> {
        let Some((index, value)) = word.split_once(':') else {
            return Err(line.error(Fault::expected("`index:value`", quoted(word))));
        };
        let (index, value) = (line.count("index", index)?, line.number("value", value)?);
        if index <= last {
            let expected = format!("an index above {last} (they count from 1 and increase)");
            return Err(line.expected("index", &expected, &index.to_string()));
        }
        match columns {
            Some(columns) if index > columns => {
                let expected = format!("an index of at most {columns}");
                return Err(line.expected("index", &expected, &index.to_string()));
            }
            Some(_) => {}
            None => line.check_columns("index", index)?,
        }
        if value != 0.0 {
            self.indices.push(index - 1);
            self.values.push(value);
        }
        Ok(index)
    }

    fn finish(self, source: &Source, columns: Option<usize>) -> Result<Labelled, ReadError> {
        let (rows, columns) = (self.labels.len(), columns.unwrap_or(self.largest));
        let matrix = Matrix::csr(rows, columns, &self.starts, &self.indices, self.values)
            .map_err(|error| source.error(None, Fault::Data(error)))?;
        let queries = (!self.queries.is_empty()).then_some(self.queries);
        Ok(Labelled { matrix, labels: self.labels, queries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, columns: Option<usize>) -> Result<Labelled, ReadError> {
        read(&Source::from_bytes("a.svm", text.into()).unwrap(), columns)
    }

    #[test]
    fn labels_queries_comments_and_empty_rows() {
        let data =
            parse("# head\n+1 qid:3 1:1 4:-2.5e0 # c:1\n\n0.5 qid:4\n-1 qid:4 2:0 3:1\n", None).unwrap();
        assert_eq!(data.labels, [1.0, 0.5, -1.0]);
        assert_eq!(data.queries, Some(vec![3, 4, 4]));
        assert_eq!(data.matrix, Matrix::csr(3, 4, &[0, 2, 2, 3], &[0, 3, 2], vec![1.0, -2.5, 1.0]).unwrap());
        assert_eq!(parse("1 1:1\n", Some(7)).unwrap().matrix.columns(), 7);
        assert_eq!(parse("", None).unwrap().matrix.rows(), 0);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("x 1:1", "line 1, label: expected a number, found `x`"),
            ("1,2 1:1", "line 1, label: expected a number, found `1,2`"),
            (
                "1 1:1\n1 0:1",
                "line 2, index: expected an index above 0 (they count from 1 and increase), found `0`",
            ),
            ("1 2:1 2:1", "line 1, index: expected an index above 2"),
            ("1 -1:1", "line 1, index: expected a nonnegative integer, found `-1`"),
            ("1 1:x", "line 1, value: expected a number, found `x`"),
            ("1 1:nan", "line 1, value: expected a number, found `nan`"),
            ("1 1", "line 1: expected `index:value`, found `1`"),
            ("1 9:1", "line 1, index: expected an index of at most 8, found `9`"),
            ("1 qid:1 1:1\n1 1:1", "line 2, qid: expected a qid on every line or on none, found both"),
            ("1 1:1\n1 qid:1 1:1", "line 2, qid: expected a qid on every line or on none, found both"),
            ("1 qid:a", "line 1, qid: expected a nonnegative integer, found `a`"),
        ];
        for (text, message) in cases {
            let error = parse(text, Some(8)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a.svm, {message}")), "{text}: {error}");
        }
        let error = parse("1 4000000000:1", None).unwrap_err().to_string();
        assert!(error.contains("line 1, index: the number of columns is 4000000000; for a file"), "{error}");
    }
}
