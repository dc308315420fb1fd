//! Archives of NumPy arrays (`.npz`), compressed or not, and the sparse matrices SciPy keeps in them.

pub(crate) mod rows;

use crate::error::{Fault, ReadError, quoted};
use crate::npy::{Array, parse_text};
use crate::source::{Source, check_dimensions, read_at_most, unpacked_limit, unpacks_too_far};
use std::collections::BTreeMap;
use std::io::Cursor;
use ufcm::matrix::Matrix;
use zip::ZipArchive;

/// The arrays of an archive, unpacked.
///
/// All together they may unfold to [`UNPACKED_RATIO`](crate::UNPACKED_RATIO) times the size of the archive, or to
/// [`UNPACKED_FLOOR`](crate::UNPACKED_FLOOR); both what the archive declares and what it turns out to hold count.
///
/// ```
/// use ufcm_io::{Source, npz::Archive};
/// # use std::io::Write;
/// # let mut npz = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
/// # for (name, shape, data) in [("A.npy", "(1, 2)", &[3, 4][..]), ("b.npy", "(1,)  ", &[5])] {
/// #     npz.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
/// #     let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}}}");
/// #     npz.write_all(b"\x93NUMPY\x01\x00\x39\x00").unwrap();
/// #     npz.write_all(header.as_bytes()).unwrap();
/// #     npz.write_all(data).unwrap();
/// # }
/// # let bytes = npz.finish().unwrap().into_inner();
///
/// // bytes as np.savez("problem.npz", A=..., b=...) writes them
/// let archive = Archive::read(Source::from_bytes("problem.npz", bytes)?)?;
/// let (a, b) = (archive.matrix("A")?, archive.vector("b")?);
/// assert_eq!((a.rows(), a.columns()), (1, 2));
/// assert_eq!(b, [5.0]);
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Archive {
    source: Source,
    /// The `.npy` files, by the names of the arrays.
    members: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// Unpacks an archive; files in it other than `.npy` are passed over.
    ///
    /// # Errors
    /// A file that is no zip archive or damaged, or that unfolds to too much.
    pub fn read(source: Source) -> Result<Self, ReadError> {
        unpack(&source).map(|members| Self { source, members })
    }

    /// The names of the arrays.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    /// An array.
    ///
    /// # Errors
    /// No array of that name, or one that cannot be read; see [`npy::read`](crate::npy::read).
    pub fn array(&self, name: &str) -> Result<Array, ReadError> {
        self.with(name, Array::parse)
    }

    /// An array that is a single number.
    ///
    /// # Errors
    /// As [`Archive::array`], or another shape.
    pub fn scalar(&self, name: &str) -> Result<f64, ReadError> {
        self.with(name, |bytes| Array::parse(bytes)?.scalar())
    }

    /// An array that is a vector.
    ///
    /// # Errors
    /// As [`Archive::array`], or another shape.
    pub fn vector(&self, name: &str) -> Result<Vec<f64>, ReadError> {
        self.with(name, |bytes| Array::parse(bytes)?.into_vector())
    }

    /// An array that is a vector of indices.
    ///
    /// # Errors
    /// As [`Archive::vector`], or a number that is no index.
    pub fn indices(&self, name: &str) -> Result<Vec<usize>, ReadError> {
        self.with(name, |bytes| Array::parse(bytes)?.into_indices())
    }

    /// An array that is a dense matrix; a vector makes one column.
    ///
    /// # Errors
    /// As [`Archive::array`], or another shape, or a number that is not finite.
    pub fn matrix(&self, name: &str) -> Result<Matrix, ReadError> {
        self.with(name, |bytes| Array::parse(bytes)?.into_matrix())
    }

    /// The matrix of an archive that `scipy.sparse.save_npz` wrote, in the formats csr and csc.
    ///
    /// # Errors
    /// Arrays that are missing or do not fit together, or another format.
    pub fn sparse(&self) -> Result<Matrix, ReadError> {
        let by_rows = self.with("format", |bytes| layout(&parse_text(bytes)?))?;
        let make = if by_rows { Matrix::csr } else { Matrix::csc };
        let shape = self.indices("shape")?;
        let (rows, columns) = dimensions(&shape).map_err(|fault| self.error("shape", fault))?;
        let bytes = self.members.values().map(Vec::len).sum();
        check_dimensions(bytes, rows, columns).map_err(|fault| self.error("shape", fault))?;
        let (starts, indices) = (self.indices("indptr")?, self.indices("indices")?);
        let matrix = make(rows, columns, &starts, &indices, self.vector("data")?);
        matrix.map_err(|error| self.source.error(None, Fault::Data(error)))
    }

    fn with<T>(&self, name: &str, parse: impl FnOnce(&[u8]) -> Result<T, Fault>) -> Result<T, ReadError> {
        let Some(bytes) = self.members.get(name) else {
            let names = self.names().map(str::to_owned).collect();
            return Err(self.source.error(None, unknown(name, names)));
        };
        parse(bytes).map_err(|fault| self.error(name, fault))
    }

    fn error(&self, array: &str, fault: Fault) -> ReadError {
        self.source.error(Some(&format!("array {}", quoted(array))), fault)
    }
}

type Members = BTreeMap<String, Vec<u8>>;

fn unpack(source: &Source) -> Result<Members, ReadError> {
    let broken = |error| source.error(None, damaged(&error));
    let mut archive = ZipArchive::new(Cursor::new(source.bytes())).map_err(broken)?;
    let limit = unpacked_limit(source.bytes().len());
    let (mut left, mut members) = (limit, Members::new());
    for k in 0..archive.len() {
        let file = archive.by_index(k).map_err(broken)?;
        let file_name = file.name().map_err(broken)?;
        let Some(name) = file_name.strip_suffix(".npy").map(str::to_owned) else { continue };
        let at = |fault| source.error(Some(&format!("array {}", quoted(&name))), fault);
        if file.size() > left {
            return Err(at(unpacks_too_far((limit - left).saturating_add(file.size()), limit)));
        }
        let data = read_at_most(file, left, source.budget()).map_err(at)?;
        left -= data.len() as u64;
        if members.insert(name.clone(), data).is_some() {
            return Err(source.error(None, Fault::Repeated { what: format!("array {}", quoted(&name)) }));
        }
    }
    Ok(members)
}

/// Whether a format of SciPy is by rows, rather than by columns.
fn layout(format: &str) -> Result<bool, Fault> {
    match format {
        "csr" => Ok(true),
        "csc" => Ok(false),
        _ => Err(Fault::unsupported(format!("the sparse format {}", quoted(format)), "save A.tocsr()")),
    }
}

/// Rows and columns.
fn dimensions(shape: &[usize]) -> Result<(usize, usize), Fault> {
    match shape[..] {
        [rows, columns] => Ok((rows, columns)),
        _ => Err(Fault::expected("two sizes", shape.len().to_string())),
    }
}

/// There is no array of this name among these.
fn unknown(name: &str, mut names: Vec<String>) -> Fault {
    names.sort();
    names.truncate(20);
    let known = format!("the archive holds {}", quoted(&names.join(", ")));
    Fault::Unknown { what: format!("array {}", quoted(name)), known }
}

fn damaged(error: &zip::result::ZipError) -> Fault {
    Fault::expected("a .npz archive", format!("a damaged or other file ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::tests::npy;
    use std::io::Write;
    use zip::CompressionMethod::{Deflated, Stored};
    use zip::write::{SimpleFileOptions, ZipWriter};

    fn archive(members: &[(&str, Vec<u8>)]) -> Result<Archive, ReadError> {
        Archive::read(Source::from_bytes("a.npz", zipped(members, Deflated)).unwrap())
    }

    fn zipped(members: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer
                .start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method))
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn bytes(values: &[u8]) -> Vec<u8> {
        npy("'|u1'", "False", &format!("({},)", values.len()), values)
    }

    fn sparse(format: &[u8], shape: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("format", npy("'|S3'", "False", "()", format)),
            ("shape", bytes(shape)),
            ("indptr", bytes(&[0, 2, 3])),
            ("indices", bytes(&[0, 2, 1])),
            ("data", bytes(&[7, 8, 9])),
        ]
    }

    #[test]
    fn arrays_are_read_compressed_or_not() {
        let members = [("A", npy("'|u1'", "False", "(1, 2)", &[3, 4])), ("b", bytes(&[5]))];
        for method in [Deflated, Stored] {
            let source = Source::from_bytes("a.npz", zipped(&members, method)).unwrap();
            let archive = Archive::read(source).unwrap();
            assert_eq!(archive.names().collect::<Vec<_>>(), ["A", "b"]);
            assert_eq!(archive.matrix("A").unwrap(), Matrix::row_major(1, 2, vec![3.0, 4.0]).unwrap());
            assert_eq!((archive.scalar("b").unwrap(), archive.vector("b").unwrap()), (5.0, vec![5.0]));
            let error = archive.array("c").unwrap_err().to_string();
            assert_eq!(error, "a.npz: array `c` is unknown; the archive holds `A, b`");
            let error = archive.vector("A").unwrap_err().to_string();
            assert_eq!(error, "a.npz, array `A`: expected a vector, found an array of shape [1, 2]");
        }
    }

    #[test]
    fn sparse_matrices_of_scipy() {
        let by_rows = archive(&sparse(b"csr", &[2, 3])).unwrap().sparse().unwrap();
        assert_eq!(by_rows, Matrix::csr(2, 3, &[0, 2, 3], &[0, 2, 1], vec![7.0, 8.0, 9.0]).unwrap());
        let by_columns = archive(&sparse(b"csc", &[3, 2])).unwrap().sparse().unwrap();
        assert_eq!(by_columns, Matrix::csc(3, 2, &[0, 2, 3], &[0, 2, 1], vec![7.0, 8.0, 9.0]).unwrap());
        let error = archive(&sparse(b"bsr", &[2, 3])).unwrap().sparse().unwrap_err().to_string();
        assert!(error.contains("the sparse format `bsr` is not supported; save A.tocsr()"), "{error}");
        let error = archive(&sparse(b"csr", &[2, 2])).unwrap().sparse().unwrap_err().to_string();
        assert!(error.contains("indices[1] is 2; it must be below 2"), "{error}");
        let mut wide = sparse(b"csr", &[2, 3]);
        wide[1].1 = npy("'<u4'", "False", "(2,)", &[2, 0, 0, 0, 0, 0, 0, 0xf0]);
        let error = archive(&wide).unwrap().sparse().unwrap_err().to_string();
        assert!(error.contains("the number of columns is 4026531840; for a file of this length"), "{error}");
    }

    #[test]
    fn rows_are_those_of_the_whole_matrix() {
        let path = std::env::temp_dir().join(format!("ufcm-io-npz-{}.npz", std::process::id()));
        let budget = ufcm::budget::Budget::unlimited();
        let sparse = |format: &[u8], shape: &[u8], indices: &[u8]| {
            vec![
                ("format", npy("'|S3'", "False", "()", format)),
                ("shape", bytes(shape)),
                ("indptr", bytes(&[0, 2, 2, 5, 6])),
                ("indices", bytes(indices)),
                ("data", bytes(&[7, 8, 9, 1, 0, 3])),
                ("A", npy("'|u1'", "False", "(4, 2)", &[1, 2, 3, 4, 5, 6, 7, 8])),
                ("F", npy("'|u1'", "True", "(4, 2)", &[1, 2, 3, 4, 5, 6, 7, 8])),
                ("y", bytes(&[1, 0, 1, 1])),
            ]
        };
        // One entry is given twice, one is 0, one row has its entries in another order.
        let by_rows = sparse(b"csr", &[4, 3], &[0, 2, 2, 0, 0, 1]);
        let by_columns = sparse(b"csc", &[3, 4], &[0, 2, 2, 0, 0, 1]);
        for (members, method) in [&by_rows, &by_columns]
            .into_iter()
            .zip([Stored, Deflated])
            .chain([&by_rows, &by_columns].into_iter().zip([Deflated, Stored]))
        {
            let packed = zipped(members, method);
            std::fs::write(&path, &packed).unwrap();
            let whole = Archive::read(Source::from_bytes("a.npz", packed).unwrap()).unwrap();
            let part = rows::InFile::open(&path, &budget).unwrap();
            assert_eq!(part.vector("y").unwrap(), whole.vector("y").unwrap());
            for own in [0..0, 0..1, 1..3, 2..3, 0..3] {
                let rows: Vec<usize> = own.clone().collect();
                let sparse = whole.sparse().unwrap();
                let read = part.sparse(|_| own.clone()).unwrap();
                assert_eq!(read, (sparse.selected(&rows).unwrap(), sparse.rows()), "{method:?} {own:?}");
                for name in ["A", "F"] {
                    let read = part.matrix(name, |_| own.clone()).unwrap();
                    assert_eq!(read, (whole.matrix(name).unwrap().selected(&rows).unwrap(), 4));
                }
            }
            let error = part.matrix("b", |_| 0..1).unwrap_err().to_string();
            assert!(
                error.contains("array `b` is unknown; the archive holds `A, F, data, format,"),
                "{error}"
            );
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn rows_of_a_wrong_matrix_are_refused() {
        let path = std::env::temp_dir().join(format!("ufcm-io-npz-wrong-{}.npz", std::process::id()));
        let budget = ufcm::budget::Budget::unlimited();
        for (changed, array, rows, message) in [
            ("indptr", vec![0, 3, 2], 0..2, "array `indptr`: expected numbers that increase from 0 to 3"),
            ("indptr", vec![1, 2, 3], 0..1, "array `indptr`: expected numbers that increase from 0 to 3"),
            ("indptr", vec![0, 2, 4], 1..2, "array `indptr`: expected numbers that increase from 0 to 3"),
            ("indptr", vec![0, 9, 3], 0..1, "array `indptr`: expected numbers that increase from 0 to 3"),
            ("indptr", vec![0, 3], 0..1, "array `indptr`: expected 3 numbers, found 2"),
            ("indices", vec![0, 2, 7], 1..2, "indices[2] is 7; it must be below 3"),
            ("data", vec![1, 2], 0..1, "array `data`: expected 3 numbers, found 2"),
            ("shape", vec![2], 0..1, "array `shape`: expected two sizes, found 1"),
        ] {
            let mut members = sparse(b"csr", &[2, 3]);
            members.iter_mut().find(|(name, _)| *name == changed).unwrap().1 = bytes(&array);
            std::fs::write(&path, zipped(&members, Stored)).unwrap();
            let read = rows::InFile::open(&path, &budget).and_then(|file| file.sparse(|_| rows));
            let error = read.unwrap_err().to_string();
            assert!(error.contains(message), "{changed} {array:?}: {error}");
        }
        std::fs::write(&path, zipped(&sparse(b"bsr", &[2, 3]), Stored)).unwrap();
        let error =
            rows::InFile::open(&path, &budget).and_then(|file| file.sparse(|rows| 0..rows)).unwrap_err();
        assert!(error.to_string().contains("the sparse format `bsr` is not supported"), "{error}");
        let zeros = zipped(&[("a", vec![0; 40 << 20]), ("b", vec![0; 40 << 20])], Deflated);
        std::fs::write(&path, zeros).unwrap();
        let error = rows::InFile::open(&path, &budget).err().unwrap().to_string();
        assert!(error.contains("the unpacked size is 83886080"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        let zeros = vec![0; 40 << 20];
        let error = archive(&[("a", zeros.clone()), ("b", zeros)]).unwrap_err().to_string();
        assert!(error.contains("array `b`: the unpacked size is 83886080"), "{error}");
        let mut damaged = zipped(&[("a", bytes(&[1, 2, 3]))], Stored);
        let error = Archive::read(Source::from_bytes("a.npz", damaged[..40].to_vec()).unwrap()).unwrap_err();
        assert!(error.to_string().contains("expected a .npz archive"), "{error}");
        let last = damaged.windows(3).position(|window| window == [1, 2, 3]).unwrap();
        damaged[last] = 9;
        let error = Archive::read(Source::from_bytes("a.npz", damaged).unwrap()).unwrap_err().to_string();
        assert!(error.starts_with("a.npz, array `a`: ") && error.contains("checksum"), "{error}");
    }
}
