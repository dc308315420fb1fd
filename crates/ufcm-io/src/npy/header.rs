//! The header of a `.npy` file: a Python dictionary with the element type, the order and the shape.

use crate::error::{Fault, quoted};

const MAGIC: &[u8] = b"\x93NUMPY";

/// What an array's elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
    /// Bytes of text, padded with zeros.
    Bytes,
    /// UTF-32 text, padded with zeros.
    Unicode,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// Bytes of one element.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// The header, and the data after it, whose length is as the header says.
    pub(crate) fn split(bytes: &[u8]) -> Result<(Self, &[u8]), Fault> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| Fault::expected("a .npy file (\\x93NUMPY)", "other bytes"))?;
        let (version, rest) = take(rest, 2)?;
        let (length, rest) = match version[0] {
            1 => take(rest, 2).map(|(l, rest)| (usize::from(u16::from_le_bytes([l[0], l[1]])), rest))?,
            2 | 3 => take(rest, 4)
                .map(|(l, rest)| (u32::from_le_bytes([l[0], l[1], l[2], l[3]]) as usize, rest))?,
            other => return Err(Fault::expected(".npy version 1, 2 or 3", other.to_string())),
        };
        let (text, data) = take(rest, length)?;
        let text =
            std::str::from_utf8(text).map_err(|_| Fault::expected("a header of text", "other bytes"))?;
        let header = Self::parse(text)?;
        header.check_length(data.len())?;
        Ok((header, data))
    }

    fn parse(text: &str) -> Result<Self, Fault> {
        let (big_endian, kind, size) = element_type(entry(text, "descr")?)?;
        let order = entry(text, "fortran_order")?;
        let fortran_order = match (order.starts_with("True"), order.starts_with("False")) {
            (true, _) => true,
            (_, true) => false,
            _ => return Err(Fault::expected("True or False for `fortran_order`", quoted(order))),
        };
        Ok(Self { kind, size, big_endian, fortran_order, shape: shape(entry(text, "shape")?)? })
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
    }

    /// The declared sizes must be those of the data: nothing is allocated on the header's word.
    fn check_length(&self, got: usize) -> Result<(), Fault> {
        let expected = self.count().and_then(|count| count.checked_mul(self.size));
        if expected == Some(got) {
            return Ok(());
        }
        let expected = expected.map_or("too many".into(), |bytes| bytes.to_string());
        let of = format!("{expected} bytes of data for the shape {:?}", self.shape);
        Err(Fault::expected(of, got.to_string()))
    }
}

fn take(bytes: &[u8], count: usize) -> Result<(&[u8], &[u8]), Fault> {
    bytes.split_at_checked(count).ok_or_else(|| Fault::expected("a header", "the end of the file"))
}

/// What follows `'key':`.
fn entry<'a>(text: &'a str, key: &str) -> Result<&'a str, Fault> {
    let missing = || Fault::expected(format!("`{key}` in the header"), quoted(text.trim()));
    let (_, after) = text.split_once(&format!("'{key}'")).ok_or_else(missing)?;
    Ok(after.trim_start().strip_prefix(':').ok_or_else(missing)?.trim_start())
}

/// Byte order, kind and size from e.g. `'<f8'`.
fn element_type(entry: &str) -> Result<(bool, Kind, usize), Fault> {
    if entry.starts_with('[') {
        return Err(Fault::unsupported(
            "a structured element type",
            "save each field as an array of its own",
        ));
    }
    let name = entry.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(name, _)| name);
    let name = name.ok_or_else(|| Fault::expected("an element type such as '<f8'", quoted(entry)))?;
    let unsupported = || {
        let instead = "save numbers as f4, f8, i1 to i8, u1 to u8 or b1";
        Fault::unsupported(format!("the element type {}", quoted(name)), instead)
    };
    let (order, rest) = name.split_at_checked(1).ok_or_else(unsupported)?;
    let (kind, size) = rest.split_at_checked(1).ok_or_else(unsupported)?;
    if kind == "O" {
        let what = format!("the element type {} (Python objects)", quoted(name));
        return Err(Fault::unsupported(what, "pickles are never read; save numbers"));
    }
    let size: usize = size.parse().map_err(|_| unsupported())?;
    let kind = match (kind, size) {
        ("f", 4 | 8) => Kind::Float,
        ("i", 1 | 2 | 4 | 8) => Kind::Signed,
        ("u", 1 | 2 | 4 | 8) => Kind::Unsigned,
        ("b", 1) => Kind::Bool,
        ("S", _) => Kind::Bytes,
        ("U", _) => Kind::Unicode,
        _ => return Err(unsupported()),
    };
    let size = if kind == Kind::Unicode { size.checked_mul(4).ok_or_else(unsupported)? } else { size };
    match order {
        "<" | "|" | "=" => Ok((false, kind, size)),
        ">" => Ok((true, kind, size)),
        _ => Err(unsupported()),
    }
}

/// The sizes in e.g. `(3, 4)`.
fn shape(entry: &str) -> Result<Vec<usize>, Fault> {
    let bad = || Fault::expected("a shape such as (3, 4)", quoted(entry));
    let inner = entry.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(bad)?.0;
    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape: Vec<usize> = sizes.map(|size| size.parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
    if shape.len() > 2 {
        let what = format!("an array of {} dimensions", shape.len());
        return Err(Fault::unsupported(what, "it must have at most two"));
    }
    Ok(shape)
}
