//! Data that were read and checked once, written so that they can be read where they are: files that end in `.ufcm`.
//!
//! A file is a head of 128 bytes and arrays, each at a multiple of 64 bytes, little-endian:
//!
//! | bytes | head |
//! |---|---|
//! | 0 | `UFCMDATA` |
//! | 8 | 16 numbers of 64 bits less two: version, kind (0 dense f64, 1 dense f32, 2 sparse), rows, columns, entries, whether labels follow, whether the entries by columns follow, a sum of these |
//!
//! Dense: the entries row after row. Sparse: where rows start (64 bits), columns (32 bits) and values (f64) of the entries; the same by columns where
//! the matrix is so wide that products with its transpose need them. Labels (f64) come last. What is in such a file was finite and in order when it was
//! written, so that opening it reads no more than its head.

use super::{Fault, Numbers, Place, ReadError, open};
use memmap2::Mmap;
use std::path::Path;
use std::sync::Arc;
use ufcm::matrix::{CompressedLines, Entries, Matrix, Shared};

const MAGIC: &[u8; 8] = b"UFCMDATA";
const VERSION: u64 = 1;
const HEAD: usize = 128;
const ALIGNMENT: usize = 64;

/// A matrix, and labels of its rows.
#[derive(Debug)]
pub struct Labelled {
    /// The matrix.
    pub matrix: Matrix,
    /// One label for each row, where the file has them.
    pub labels: Option<Vec<f64>>,
}

/// The bytes of a file that holds a matrix and labels of its rows.
#[must_use]
pub fn bytes(matrix: &Matrix, labels: Option<&[f64]>) -> Vec<u8> {
    let sparse = matrix.compressed();
    let (kind, twice) = match (matrix, &sparse) {
        (Matrix::Dense(dense), _) => (u64::from(matches!(dense.entries(), Entries::Single(_))), false),
        (_, Some((_, by_columns))) => (2, by_columns.is_some()),
        (_, None) => (2, false),
    };
    let sizes = [matrix.rows(), matrix.columns(), matrix.stored()].map(|size| size as u64);
    let flags = [u64::from(labels.is_some()), u64::from(twice)];
    let mut out = MAGIC.to_vec();
    let head: Vec<u64> = [VERSION, kind].into_iter().chain(sizes).chain(flags).collect();
    out.extend(head.iter().chain([&sum(&head)]).flat_map(|number| number.to_le_bytes()));
    out.resize(HEAD, 0);
    match (matrix, sparse) {
        (Matrix::Dense(dense), _) => match dense.entries() {
            Entries::Double(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
            Entries::Single(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
        },
        (_, Some((by_rows, by_columns))) => {
            for lines in [Some(by_rows), by_columns].into_iter().flatten() {
                array(&mut out, lines.starts.iter().flat_map(|&start| (start as u64).to_le_bytes()));
                array(&mut out, lines.indices.iter().flat_map(|index| index.to_le_bytes()));
                array(&mut out, lines.values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        _ => {}
    }
    if let Some(labels) = labels {
        array(&mut out, labels.iter().flat_map(|label| label.to_le_bytes()));
    }
    out
}

fn array(out: &mut Vec<u8>, bytes: impl IntoIterator<Item = u8>) {
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    out.extend(bytes);
}

fn sum(head: &[u64]) -> u64 {
    head.iter()
        .fold(0x7566_636d, |sum: u64, number| (sum ^ number).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

/// Opens a file that [`bytes`] made, without reading more than its head.
///
/// # Errors
/// A file that cannot be opened, is cut, or is none of these.
pub fn read(path: impl AsRef<Path>) -> Result<Labelled, ReadError> {
    let path = path.as_ref();
    labelled(path).map_err(|fault| {
        let place = Place { file: path.display().to_string(), line: None, field: None };
        ReadError { place, fault: Box::new(fault) }
    })
}

/// Arrays of a map, one after the other.
struct Arrays {
    map: Arc<Mmap>,
    at: usize,
}

impl Arrays {
    fn next<T: super::Plain>(&mut self, count: usize) -> Result<Shared<T>, Fault> {
        let start = self.at.next_multiple_of(ALIGNMENT);
        let end = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(start));
        let Some(end) = end.filter(|end| *end <= self.map.len()) else {
            return Err(Fault::expected(format!("an array of {count} numbers"), "the end of the file"));
        };
        self.at = end;
        Ok(Arc::new(Numbers { map: self.map.clone(), start, count, of: std::marker::PhantomData::<T> }))
    }

    fn lines(&mut self, lines: usize, stored: usize) -> Result<CompressedLines, Fault> {
        let starts = self.next::<u64>(lines.saturating_add(1))?;
        let starts = (*starts).as_ref().iter().map(|&start| start as usize).collect();
        Ok(CompressedLines { starts, indices: self.next(stored)?, values: self.next(stored)? })
    }
}

fn labelled(path: &Path) -> Result<Labelled, Fault> {
    let map = Arc::new(open(path)?);
    let Some(numbers) = map.get(..HEAD).and_then(|head| head.strip_prefix(MAGIC)) else {
        return Err(Fault::expected("a file of `ufcm convert` (UFCMDATA)", "other bytes"));
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    let head: Vec<u64> = numbers.chunks_exact(8).take(8).map(number).collect();
    let (told, check) = head.split_at(7);
    if check != [sum(told)] {
        return Err(Fault::expected("a head that is whole", "another sum of its numbers"));
    }
    if told[0] != VERSION {
        return Err(Fault::expected(format!("version {VERSION}"), format!("version {}", told[0])));
    }
    let (rows, columns, stored) = (told[2] as usize, told[3] as usize, told[4] as usize);
    let mut arrays = Arrays { map, at: HEAD };
    let matrix = match told[1] {
        0 => Matrix::row_major_unchecked(rows, columns, arrays.next::<f64>(stored)?),
        1 => Matrix::row_major_unchecked(rows, columns, arrays.next::<f32>(stored)?),
        _ => {
            let by_rows = arrays.lines(rows, stored)?;
            let by_columns = if told[6] == 1 { Some(arrays.lines(columns, stored)?) } else { None };
            Matrix::csr_unchecked(columns, by_rows, by_columns)
        }
    };
    let matrix = matrix.map_err(Fault::Data)?;
    let labels = if told[5] == 1 { Some((*arrays.next::<f64>(rows)?).as_ref().to_vec()) } else { None };
    if let Some(k) = labels.iter().flatten().position(|label| !label.is_finite()) {
        return Err(Fault::expected("a finite label", format!("that of row {k}")));
    }
    Ok(Labelled { matrix, labels })
}
