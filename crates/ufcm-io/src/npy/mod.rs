//! NumPy arrays (`.npy`): numbers in at most two dimensions. Pickled objects are never read.

pub(crate) mod header;
pub(crate) mod rows;
mod write;

pub use write::{matrix_bytes, vector_bytes};

use crate::error::{Fault, ReadError};
use crate::source::Source;
use header::{Header, Kind};
use ufcm::matrix::Matrix;

/// Beyond this integers are not all numbers of double precision.
const EXACT: u64 = 1 << 53;

/// An array of numbers, whatever their type in the file.
///
/// ```
/// use ufcm_io::{Source, npy};
///
/// let mut bytes = b"\x93NUMPY\x01\x00\x38\x00{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2)}".to_vec();
/// bytes.extend([1, 2, 3, 4]);
/// let array = npy::read(&Source::from_bytes("a.npy", bytes)?)?;
/// assert_eq!((array.shape(), array.values()), (&[2, 2][..], &[1.0, 3.0, 2.0, 4.0][..]));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// Reads one array.
///
/// # Errors
/// A file that is cut or no `.npy` file, an element type other than floats, integers and booleans, more than two
/// dimensions, or an integer that double precision does not hold.
pub fn read(source: &Source) -> Result<Array, ReadError> {
    Array::parse(source.bytes()).map_err(|fault| source.error(None, fault))
}

impl Array {
    /// No size for a scalar, one for a vector, two for a matrix.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers, row after row; they may be infinite or NaN.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of an array that holds just one.
    ///
    /// # Errors
    /// An array with more or no elements.
    pub fn scalar(&self) -> Result<f64, Fault> {
        match self.values[..] {
            [value] => Ok(value),
            _ => Err(Fault::expected("a single number", self.described())),
        }
    }

    /// The numbers of a vector.
    ///
    /// # Errors
    /// A scalar, or a matrix.
    pub fn into_vector(self) -> Result<Vec<f64>, Fault> {
        match self.shape[..] {
            [_] => Ok(self.values),
            _ => Err(Fault::expected("a vector", self.described())),
        }
    }

    /// A matrix; a vector makes one column.
    ///
    /// # Errors
    /// A scalar, or a number that is not finite.
    pub fn into_matrix(self) -> Result<Matrix, Fault> {
        let (rows, columns) = match self.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => return Err(Fault::expected("a matrix", self.described())),
        };
        Matrix::row_major(rows, columns, self.values).map_err(Fault::Data)
    }

    /// The numbers of a vector as indices.
    ///
    /// # Errors
    /// An array that is no vector, or a number that is no index.
    pub fn into_indices(self) -> Result<Vec<usize>, Fault> {
        indices(self.into_vector()?, 0)
    }

    fn described(&self) -> String {
        format!("an array of shape {:?}", self.shape)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let (header, data) = Header::split(bytes)?;
        header.check_numbers()?;
        let elements = data.chunks_exact(header.size).enumerate();
        let values = elements.map(|(k, element)| number(&header, k, element)).collect::<Result<_, _>>()?;
        Ok(Self { values: by_rows(&header, values), shape: header.shape })
    }
}

/// Numbers as indices; the first of them is entry `first` of its array.
pub(crate) fn indices(values: Vec<f64>, first: usize) -> Result<Vec<usize>, Fault> {
    let index = |(k, value): (usize, f64)| {
        if value >= 0.0 && value.fract() == 0.0 && value <= EXACT as f64 {
            return Ok(value as usize);
        }
        Err(Fault::expected(format!("an index in entry {}", first + k), value.to_string()))
    };
    values.into_iter().enumerate().map(index).collect()
}

/// The text of a scalar array of text.
pub(crate) fn parse_text(bytes: &[u8]) -> Result<String, Fault> {
    let (header, data) = Header::split(bytes)?;
    let text = match header.kind {
        _ if header.count() != Some(1) => None,
        Kind::Bytes => Some(String::from_utf8_lossy(data).into_owned()),
        Kind::Unicode => Some(data.chunks_exact(4).map(|c| character(&header, c)).collect()),
        _ => None,
    };
    let text = text.ok_or_else(|| Fault::expected("a text", "another array"))?;
    Ok(text.trim_end_matches('\0').to_owned())
}

fn character(header: &Header, element: &[u8]) -> char {
    u32::try_from(integer(header, element))
        .ok()
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The bits of an element of at most 8 bytes.
fn integer(header: &Header, element: &[u8]) -> u64 {
    let join = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
    if header.big_endian { element.iter().fold(0, join) } else { element.iter().rev().fold(0, join) }
}

fn number(header: &Header, index: usize, element: &[u8]) -> Result<f64, Fault> {
    let bits = integer(header, element);
    let exact = |negative: bool, size: u64| {
        if size > EXACT {
            let sign = if negative { "-" } else { "" };
            let expected = format!("an integer within 2^53 in entry {index}");
            return Err(Fault::expected(expected, format!("{sign}{size}")));
        }
        Ok(if negative { -(size as f64) } else { size as f64 })
    };
    match (header.kind, header.size) {
        (Kind::Float, 4) => Ok(f64::from(f32::from_bits(bits as u32))),
        (Kind::Float, _) => Ok(f64::from_bits(bits)),
        (Kind::Signed, size) => {
            // The sign bit moves to the top and back, which fills the bits above with it.
            let unused = 64 - 8 * size as u32;
            let signed = (bits << unused) as i64 >> unused;
            exact(signed < 0, signed.unsigned_abs())
        }
        _ => exact(false, bits),
    }
}

/// The values row after row.
fn by_rows(header: &Header, values: Vec<f64>) -> Vec<f64> {
    let [rows, columns] = header.shape[..] else { return values };
    if !header.fortran_order {
        return values;
    }
    (0..values.len()).map(|k| values[(k % columns) * rows + k / columns]).collect()
}

#[cfg(test)]
pub(crate) mod tests;
