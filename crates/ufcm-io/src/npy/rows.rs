//! Some rows of an array in a file: what stands before and between them is passed by, and nothing else is held.

use super::header::Header;
use super::{indices, number};
use crate::error::Fault;
use crate::packed::Bytes;
use std::io::{Read, SeekFrom};
use std::ops::Range;
use ufcm::budget::Budget;
use ufcm::error::{DataError, DataProblem, Position};
use ufcm::matrix::Matrix;

/// Numbers that are read at once.
const CHUNK: usize = 1 << 16;

/// An array of which parts are read, in their order.
pub(crate) struct Numbers<'a> {
    header: Header,
    reader: Box<dyn Bytes + 'a>,
    /// The elements before which the reader stands.
    at: usize,
    budget: &'a Budget,
}

impl<'a> Numbers<'a> {
    /// An array of so many bytes, from its header on.
    pub(crate) fn open(
        mut reader: Box<dyn Bytes + 'a>,
        length: u64,
        budget: &'a Budget,
    ) -> Result<Self, Fault> {
        let header = Header::read(&mut reader, length)?;
        header.check_numbers()?;
        Ok(Self { header, reader, at: 0, budget })
    }

    /// How many numbers a vector has.
    pub(crate) fn length(&self) -> Result<usize, Fault> {
        match self.header.shape[..] {
            [length] => Ok(length),
            _ => Err(Fault::expected("a vector", format!("an array of shape {:?}", self.header.shape))),
        }
    }

    /// The elements of this range, which does not begin before the end of the last one.
    pub(crate) fn part(&mut self, range: Range<usize>) -> Result<Vec<f64>, Fault> {
        let size = self.header.size;
        let passed = (range.start - self.at) * size;
        self.reader.seek(SeekFrom::Current(passed as i64)).map_err(Fault::of_reading)?;
        self.at = range.start;
        let (mut values, mut bytes) = (Vec::new(), Vec::new());
        while self.at < range.end {
            self.budget.ask().map_err(Fault::Stopped)?;
            let count = CHUNK.min(range.end - self.at);
            bytes.clear();
            let wanted = (count * size) as u64;
            let read =
                self.reader.by_ref().take(wanted).read_to_end(&mut bytes).map_err(Fault::of_reading)?;
            if (read as u64) < wanted {
                let expected = format!("{} numbers", self.header.count().unwrap_or(0));
                return Err(Fault::expected(expected, "the end of the array"));
            }
            for (k, element) in bytes.chunks_exact(size).enumerate() {
                values.push(number(&self.header, self.at + k, element)?);
            }
            self.at += count;
        }
        Ok(values)
    }

    /// As [`Numbers::part`], as indices.
    pub(crate) fn indices(&mut self, range: Range<usize>) -> Result<Vec<usize>, Fault> {
        let first = range.start;
        indices(self.part(range)?, first)
    }

    /// The rows that `own` takes of so many, and how many there are; a vector makes one column.
    pub(crate) fn matrix(
        mut self,
        own: impl FnOnce(usize) -> Range<usize>,
    ) -> Result<(Matrix, usize), Fault> {
        let (rows, columns) = match self.header.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => return Err(Fault::expected("a matrix", "a single number")),
        };
        let own = own(rows);
        let values = if self.header.fortran_order {
            let mut values = vec![0.0; own.len() * columns];
            for j in 0..columns {
                let column = self.part(j * rows + own.start..j * rows + own.end)?;
                column.into_iter().enumerate().for_each(|(i, value)| values[i * columns + j] = value);
            }
            values
        } else {
            self.part(own.start * columns..own.end * columns)?
        };
        let matrix = Matrix::row_major(own.len(), columns, values);
        Ok((matrix.map_err(|error| told(error, own.start))?, rows))
    }
}

/// What is wrong with a part that begins at row or entry `first`, told with the place in the whole.
pub(crate) fn told(mut error: DataError, first: usize) -> Fault {
    if let DataProblem::NotFinite { position, .. }
    | DataProblem::OutOfRange { position, .. }
    | DataProblem::Index { position, .. } = &mut error.problem
    {
        match position {
            Position::Cell(at, _) | Position::Entry(at) => *at += first,
            _ => {}
        }
    }
    Fault::Data(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::Array;
    use crate::npy::tests::npy;
    use std::io::Cursor;

    #[test]
    fn rows_are_those_of_the_whole_array() {
        let values: Vec<u8> = (0..35u8).map(|k| k.wrapping_mul(97)).collect();
        for (shape, order) in [("(7, 5)", "False"), ("(7, 5)", "True"), ("(35,)", "False"), ("(35,)", "True")]
        {
            for kind in ["'|u1'", "'|i1'"] {
                let bytes = npy(kind, order, shape, &values);
                let whole = Array::parse(&bytes).unwrap().into_matrix().unwrap();
                for own in [0..0, 0..3, 3..7, 6..7, 0..7] {
                    let budget = Budget::unlimited();
                    let reader = Box::new(Cursor::new(bytes.clone()));
                    let numbers = Numbers::open(reader, bytes.len() as u64, &budget).unwrap();
                    let (part, total) = numbers.matrix(|_| own.clone()).unwrap();
                    assert_eq!(total, whole.rows());
                    assert_eq!(part, whole.selected(&own.collect::<Vec<_>>()).unwrap());
                }
            }
        }
    }

    #[test]
    fn errors_tell_the_place_in_the_whole() {
        let values: Vec<u8> = [1.0, 2.0, f64::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
        let (bytes, budget) = (npy("'<f8'", "False", "(3, 1)", &values), Budget::unlimited());
        let open = |length: usize| {
            let reader = Box::new(Cursor::new(bytes[..length].to_vec()));
            Numbers::open(reader, bytes.len() as u64, &budget)
        };
        let error = open(bytes.len()).unwrap().matrix(|_| 1..3).unwrap_err().to_string();
        assert!(error.contains("[2, 0] is NaN"), "{error}");
        // A file that is shorter than it was when it was opened.
        let error = open(bytes.len() - 1).unwrap().matrix(|_| 2..3).unwrap_err().to_string();
        assert!(error.contains("expected 3 numbers, found the end of the array"), "{error}");
    }
}
