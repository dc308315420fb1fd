//! Writing arrays of doubles.

/// The bytes of a `.npy` file that holds a vector of doubles.
///
/// ```
/// use ufcm_io::{Source, npy};
///
/// let bytes = npy::vector_bytes(&[1.5, -2.0]);
/// let array = npy::read(&Source::from_bytes("x.npy", bytes)?)?;
/// assert_eq!((array.shape(), array.values()), (&[2][..], &[1.5, -2.0][..]));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[must_use]
pub fn vector_bytes(values: &[f64]) -> Vec<u8> {
    bytes(&format!("({},)", values.len()), values.iter().copied())
}

/// The bytes of a `.npy` file that holds a matrix of doubles, whose `values` come row after row.
#[must_use]
pub fn matrix_bytes(rows: usize, columns: usize, values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    bytes(&format!("({rows}, {columns})"), values)
}

fn bytes(shape: &str, values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    /// The data start at a multiple of this.
    const ALIGNMENT: usize = 64;
    /// The magic text, the version and the length of the header.
    const BEFORE: usize = 10;
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let end = (BEFORE + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.push_str(&" ".repeat(end - BEFORE - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.into_iter().flat_map(f64::to_le_bytes));
    bytes
}
