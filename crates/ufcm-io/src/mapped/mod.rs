//! Data sets that stay where they are: files that the system reads as they are needed, and forgets when memory is short.
//!
//! A mapped file is neither copied nor unpacked, so that it may be larger than memory. The matrix made of it has the same bits as
//! one that was read, and so has everything that is computed from it. It is checked for NaN once, in order, when it is opened.
//!
//! This module holds the unsafe code of the crate. The reason for it: a mapped file is memory that other programs can change. Numbers
//! that change make wrong answers, never a wrong access, since every pattern of bits is a number. Who shortens a file while it is mapped ends
//! the program with SIGBUS, as for every program that maps files.
#![allow(unsafe_code)]

pub mod container;
pub mod folder;

use crate::error::{Fault, Place, ReadError};
use crate::npy::header::{Header, Kind};
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use ufcm::matrix::{Matrix, Number, Shared};

/// What mapped arrays must be.
const WANTED: &str =
    "mapped arrays are float64 or float32, little-endian, row after row: save np.ascontiguousarray(A)";

/// A matrix in a `.npy` file of float64 or float32, read where it is.
///
/// # Errors
/// A file that cannot be opened, is packed or no `.npy` file, numbers of another type or order, or one that is not finite.
pub fn npy(path: impl AsRef<Path>) -> Result<Matrix, ReadError> {
    let path = path.as_ref();
    let checked = |matrix: Matrix| matrix.check().map(|()| matrix).map_err(Fault::Data);
    matrix(path).and_then(checked).map_err(|fault| told(path, fault))
}

/// As [`npy`], without a look at the numbers: of a file that several ranks share each reads its rows alone, and has
/// [`Matrix::check`] look at those.
///
/// # Errors
/// As [`npy`], but for numbers that are not finite.
pub fn npy_unchecked(path: impl AsRef<Path>) -> Result<Matrix, ReadError> {
    let path = path.as_ref();
    matrix(path).map_err(|fault| told(path, fault))
}

fn told(path: &Path, fault: Fault) -> ReadError {
    let place = Place { file: path.display().to_string(), line: None, field: None };
    ReadError { place, fault: Box::new(fault) }
}

fn matrix(path: &Path) -> Result<Matrix, Fault> {
    let map = Arc::new(open(path)?);
    let (header, data) = Header::split(&map)?;
    let start = map.len() - data.len();
    let (rows, columns) = match header.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(Fault::expected("a matrix", "a single number")),
    };
    let by_columns = header.fortran_order && rows > 1 && columns > 1;
    match (header.kind, header.size) {
        (Kind::Float, _) if header.big_endian || by_columns => {
            let what = if by_columns { "an array in Fortran order" } else { "a big-endian array" };
            Err(Fault::unsupported(what, WANTED))
        }
        (Kind::Float, 4) => dense::<f32>(rows, columns, map, start),
        (Kind::Float, _) => dense::<f64>(rows, columns, map, start),
        _ => Err(Fault::unsupported("an array of another type", WANTED)),
    }
}

fn dense<T: Number + Plain>(
    rows: usize,
    columns: usize,
    map: Arc<Mmap>,
    start: usize,
) -> Result<Matrix, Fault> {
    let values = numbers::<T>(map, start, rows * columns)?;
    Matrix::row_major_unchecked(rows, columns, values).map_err(Fault::Data)
}

/// Maps a file, and says that it will be read in order.
fn open(path: &Path) -> Result<Mmap, Fault> {
    let file = File::open(path).map_err(Fault::Io)?;
    if !file.metadata().map_err(Fault::Io)?.is_file() {
        return Err(Fault::expected("a file", "a folder, a pipe or a device, which cannot be mapped"));
    }
    // SAFETY: nothing is written through the map, and what others may do to the file is told above.
    let map = unsafe { Mmap::map(&file) }.map_err(Fault::Io)?;
    // Advice may be refused; the bytes are the same.
    #[cfg(unix)]
    drop(map.advise(memmap2::Advice::Sequential));
    Ok(map)
}

/// `count` numbers of a map from byte `start` on.
fn numbers<T: Plain>(map: Arc<Mmap>, start: usize, count: usize) -> Result<Shared<T>, Fault> {
    let numbers = Numbers { map, start, count, of: std::marker::PhantomData::<T> };
    match numbers.as_ref().len() == count {
        true => Ok(Arc::new(numbers)),
        false => {
            Err(Fault::unsupported("numbers that are not aligned", "save the array with NumPy 1.14 or newer"))
        }
    }
}

/// Numbers in a map.
pub(crate) struct Numbers<T> {
    map: Arc<Mmap>,
    start: usize,
    count: usize,
    of: std::marker::PhantomData<T>,
}

/// Numbers of which every pattern of bits is one.
pub(crate) trait Plain: Copy + Send + Sync + 'static {}

impl Plain for f64 {}
impl Plain for f32 {}
impl Plain for u64 {}
impl Plain for u32 {}

impl<T: Plain> AsRef<[T]> for Numbers<T> {
    fn as_ref(&self) -> &[T] {
        let bytes = &self.map[self.start..self.start + self.count * size_of::<T>()];
        // SAFETY: every pattern of bits is a T, as `Plain` says of the four types that have it.
        let (before, numbers, _) = unsafe { bytes.align_to::<T>() };
        if before.is_empty() { numbers } else { &[] }
    }
}
