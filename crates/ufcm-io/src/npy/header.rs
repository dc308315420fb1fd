//! The header of a `.npy` file: a Python dictionary with the element type, the order and the shape.

use crate::error::{Fault, quoted};
use std::io::Read;

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
        let mut data = bytes;
        let header = Self::read(&mut data, bytes.len() as u64)?;
        Ok((header, data))
    }

    /// The header of an array of so many bytes; the data come next. Their length is as the header says.
    pub(crate) fn read(reader: &mut impl Read, length: u64) -> Result<Self, Fault> {
        if take(reader, MAGIC.len().min(length as usize))? != MAGIC {
            return Err(Fault::expected("a .npy file (\\x93NUMPY)", "other bytes"));
        }
        let version = take(reader, 2)?[0];
        let size = match version {
            1 => take(reader, 2)?,
            2 | 3 => take(reader, 4)?,
            other => return Err(Fault::expected(".npy version 1, 2 or 3", other.to_string())),
        };
        let text = size.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte));
        let before = (MAGIC.len() + 2 + size.len() + text) as u64;
        let text = String::from_utf8(take(reader, text)?);
        let header = Self::parse(&text.map_err(|_| Fault::expected("a header of text", "other bytes"))?)?;
        header.check_length(length.saturating_sub(before))?;
        Ok(header)
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

    pub(crate) fn check_numbers(&self) -> Result<(), Fault> {
        match self.kind {
            Kind::Bytes | Kind::Unicode => Err(Fault::unsupported("an array of text", "save numbers")),
            _ => Ok(()),
        }
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
    }

    /// The declared sizes must be those of the data: nothing is allocated on the header's word.
    fn check_length(&self, got: u64) -> Result<(), Fault> {
        let expected = self.count().and_then(|count| count.checked_mul(self.size));
        if expected.map(|bytes| bytes as u64) == Some(got) {
            return Ok(());
        }
        let expected = expected.map_or("too many".into(), |bytes| bytes.to_string());
        let of = format!("{expected} bytes of data for the shape {:?}", self.shape);
        Err(Fault::expected(of, got.to_string()))
    }
}

fn take(reader: &mut impl Read, count: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let read = reader.take(count as u64).read_to_end(&mut bytes).map_err(Fault::of_reading)?;
    if read == count { Ok(bytes) } else { Err(Fault::expected("a header", "the end of the file")) }
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
