//! Tables of FlatBuffers, in which Arrow keeps what its columns are. Every place that a file names is checked.

use crate::error::Fault;

/// A table: numbers, texts and other tables under the numbers of their fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flat<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where its fields are listed, and how long that list is.
    list: usize,
    length: usize,
}

pub(super) fn broken() -> Fault {
    Fault::Inconsistent("its description of columns is damaged".into())
}

/// Some bytes from a place on.
pub(super) fn taken<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Fault> {
    let end = at.checked_add(N).ok_or_else(broken)?;
    bytes.get(at..end).and_then(|bytes| bytes.try_into().ok()).ok_or_else(broken)
}

fn length(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    Ok(u32::from_le_bytes(taken(bytes, at)?) as usize)
}

impl<'a> Flat<'a> {
    /// The table that a message begins with.
    pub(super) fn root(bytes: &'a [u8]) -> Result<Self, Fault> {
        Self::at(bytes, length(bytes, 0)?)
    }

    fn at(bytes: &'a [u8], at: usize) -> Result<Self, Fault> {
        let back = i32::from_le_bytes(taken(bytes, at)?);
        let list = i64::try_from(at).map_err(|_| broken())? - i64::from(back);
        let list = usize::try_from(list).map_err(|_| broken())?;
        let length = usize::from(u16::from_le_bytes(taken(bytes, list)?));
        Ok(Self { bytes, at, list, length })
    }

    /// Where a field is, if it is given.
    fn place(&self, field: usize) -> Result<Option<usize>, Fault> {
        let entry = 4 + 2 * field;
        if entry + 2 > self.length {
            return Ok(None);
        }
        let offset = u16::from_le_bytes(taken(self.bytes, self.list + entry)?);
        Ok((offset != 0).then_some(self.at + usize::from(offset)))
    }

    fn number<const N: usize>(&self, field: usize) -> Result<Option<[u8; N]>, Fault> {
        self.place(field)?.map(|at| taken(self.bytes, at)).transpose()
    }

    pub(super) fn byte(&self, field: usize) -> Result<Option<u8>, Fault> {
        Ok(self.number::<1>(field)?.map(|[byte]| byte))
    }

    pub(super) fn short(&self, field: usize) -> Result<Option<i16>, Fault> {
        Ok(self.number(field)?.map(i16::from_le_bytes))
    }

    pub(super) fn int(&self, field: usize) -> Result<Option<i32>, Fault> {
        Ok(self.number(field)?.map(i32::from_le_bytes))
    }

    pub(super) fn long(&self, field: usize) -> Result<Option<i64>, Fault> {
        Ok(self.number(field)?.map(i64::from_le_bytes))
    }

    /// What a field points at.
    fn target(&self, field: usize) -> Result<Option<usize>, Fault> {
        let Some(at) = self.place(field)? else { return Ok(None) };
        at.checked_add(length(self.bytes, at)?).map(Some).ok_or_else(broken)
    }

    pub(super) fn table(&self, field: usize) -> Result<Option<Self>, Fault> {
        self.target(field)?.map(|at| Self::at(self.bytes, at)).transpose()
    }

    pub(super) fn text(&self, field: usize) -> Result<&'a str, Fault> {
        let Some(at) = self.target(field)? else { return Ok("") };
        let (start, count) = (at + 4, length(self.bytes, at)?);
        let bytes = start.checked_add(count).and_then(|end| self.bytes.get(start..end)).ok_or_else(broken)?;
        std::str::from_utf8(bytes).map_err(|_| broken())
    }

    /// The tables of a list.
    pub(super) fn tables(&self, field: usize) -> Result<Vec<Self>, Fault> {
        let Some(at) = self.target(field)? else { return Ok(Vec::new()) };
        let count = length(self.bytes, at)?;
        if count > self.bytes.len() {
            return Err(broken());
        }
        let table = |k: usize| {
            let place = at + 4 + 4 * k;
            Self::at(self.bytes, place.checked_add(length(self.bytes, place)?).ok_or_else(broken)?)
        };
        (0..count).map(table).collect()
    }

    /// The records of a list, each of N bytes.
    pub(super) fn records<const N: usize>(&self, field: usize) -> Result<Vec<[u8; N]>, Fault> {
        let Some(at) = self.target(field)? else { return Ok(Vec::new()) };
        let count = length(self.bytes, at)?;
        if count > self.bytes.len() {
            return Err(broken());
        }
        (0..count).map(|k| taken(self.bytes, at + 4 + N * k)).collect()
    }
}

/// The k-th of the 8-byte integers of a record.
pub(super) fn long_of(record: &[u8], k: usize) -> Result<i64, Fault> {
    taken(record, 8 * k).map(i64::from_le_bytes)
}
