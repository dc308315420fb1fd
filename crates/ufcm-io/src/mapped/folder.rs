//! Sparse data as NumPy and SciPy hold them: a folder that ends in `.csr`, with an array in each file.
//!
//! | file | what |
//! |---|---|
//! | `indptr.npy` | where each row starts, and the number of entries: int32 or int64 |
//! | `indices.npy` | the columns of the entries, increasing in each row: int32 or uint32, mapped |
//! | `data.npy` | their values: float64, mapped |
//! | `shape.npy` | rows and columns |
//! | `labels.npy` | one label for each row; may be missing |

use super::container::Labelled;
use super::{Fault, Kind, Place, Plain, ReadError, numbers, open};
use crate::npy::Array;
use crate::npy::header::Header;
use std::path::Path;
use std::sync::Arc;
use ufcm::matrix::{Matrix, Shared};

/// Opens a folder; entries are checked once, in order.
///
/// # Errors
/// A file that is missing or no such array, or arrays that do not fit together: the file is named.
pub fn read(path: impl AsRef<Path>) -> Result<Labelled, ReadError> {
    let path = path.as_ref();
    let told = |name: &str, fault: Fault| {
        let place = Place { file: path.join(name).display().to_string(), line: None, field: None };
        ReadError { place, fault: Box::new(fault) }
    };
    let small = |name: &str| small(&path.join(name)).map_err(|fault| told(name, fault));
    let whole = |name: &str, array: Array| array.into_indices().map_err(|fault| told(name, fault));
    let shape = whole("shape.npy", small("shape.npy")?)?;
    let [rows, columns] = shape[..] else {
        return Err(told(
            "shape.npy",
            Fault::expected("rows and columns", format!("{} numbers", shape.len())),
        ));
    };
    let starts = whole("indptr.npy", small("indptr.npy")?)?;
    let indices =
        mapped::<u32>(&path.join("indices.npy"), &[Kind::Signed, Kind::Unsigned], "int32 or uint32");
    let indices = indices.map_err(|fault| told("indices.npy", fault))?;
    let values = mapped::<f64>(&path.join("data.npy"), &[Kind::Float], "float64");
    let values = values.map_err(|fault| told("data.npy", fault))?;
    let matrix = Matrix::csr_shared(rows, columns, starts, indices, values);
    let matrix = matrix.map_err(|error| told("", Fault::Data(error)))?;
    let labels = match path.join("labels.npy").exists() {
        true => Some(small("labels.npy")?.into_vector().map_err(|fault| told("labels.npy", fault))?),
        false => None,
    };
    Ok(Labelled { matrix, labels })
}

/// An array that is read.
fn small(path: &Path) -> Result<Array, Fault> {
    Array::parse(&open(path)?)
}

/// The numbers of a vector, where they are.
fn mapped<T: Plain>(path: &Path, kinds: &[Kind], wanted: &str) -> Result<Shared<T>, Fault> {
    let map = Arc::new(open(path)?);
    let (header, data) = Header::split(&map)?;
    let fits = kinds.contains(&header.kind) && header.size == size_of::<T>() && !header.big_endian;
    match header.shape[..] {
        [count] if fits => {
            let start = map.len() - data.len();
            numbers(map.clone(), start, count)
        }
        _ => Err(Fault::unsupported(
            "this array",
            format!("a vector of {wanted}, little-endian, can be mapped"),
        )),
    }
}
