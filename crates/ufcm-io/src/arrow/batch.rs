//! The rows of a batch: which cells are there, and what they are.

use super::flat::{Flat, broken, long_of, taken};
use super::kind::{Column, Kind, Layout};
use crate::error::{Fault, quoted};
use crate::table::Cells;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;

/// A batch as it is in the file.
pub(super) struct Batch<'a> {
    pub(super) rows: usize,
    body: &'a [u8],
    nodes: Vec<[u8; 16]>,
    buffers: Vec<[u8; 16]>,
    views: Vec<[u8; 8]>,
    packed: bool,
    /// What all buffers may unfold to.
    limit: u64,
}

/// Texts by the numbers of their dictionaries.
pub(super) type Dictionaries = HashMap<i64, Vec<String>>;

impl<'a> Batch<'a> {
    /// A batch from its table and its body.
    pub(super) fn new(table: &Flat<'_>, body: &'a [u8], limit: u64) -> Result<Self, Fault> {
        let packed = match table.table(3)? {
            None => false,
            Some(packing) => match packing.byte(0)?.unwrap_or(0) {
                0 => true,
                _ => {
                    let advice = "write the file with LZ4 or plain: df.to_feather(path, compression=\"lz4\")";
                    return Err(Fault::unsupported("the packing of its columns (ZSTD)", advice));
                }
            },
        };
        let rows = usize::try_from(table.long(0)?.unwrap_or(0)).map_err(|_| broken())?;
        let (nodes, buffers, views) = (table.records(1)?, table.records(2)?, table.records(4)?);
        Ok(Self { rows, body, nodes, buffers, views, packed, limit })
    }

    /// Calls `take` with each column and its first node, buffer and view.
    pub(super) fn columns<'c>(
        &self,
        columns: &'c [Column],
        mut take: impl FnMut(usize, &'c Column, Layout) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut at = Layout::default();
        for (k, column) in columns.iter().enumerate() {
            take(k, column, at)?;
            at.nodes += column.layout.nodes;
            at.buffers += column.layout.buffers;
            for view in at.views..at.views + column.layout.views {
                let count = self.views.get(view).ok_or_else(broken)?;
                at.buffers += usize::try_from(i64::from_le_bytes(*count)).map_err(|_| broken())?;
            }
            at.views += column.layout.views;
        }
        Ok(())
    }

    /// A buffer, unfolded.
    fn buffer(&self, k: usize) -> Result<Cow<'a, [u8]>, Fault> {
        let record = self.buffers.get(k).ok_or_else(broken)?;
        let [start, length] = [long_of(record, 0)?, long_of(record, 1)?];
        let [start, length] = [start, length].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let end = start.checked_add(length).ok_or_else(broken)?;
        let bytes = self.body.get(start..end).ok_or_else(broken)?;
        if !self.packed || bytes.is_empty() {
            return Ok(Cow::Borrowed(bytes));
        }
        let whole = i64::from_le_bytes(taken(bytes, 0)?);
        let Ok(whole) = u64::try_from(whole) else { return Ok(Cow::Borrowed(&bytes[8..])) };
        if whole > self.limit {
            let advice = " (convert it to another format first if it is to be trusted)";
            let (size, limit) = (u128::from(whole), u128::from(self.limit));
            return Err(Fault::TooLarge { what: "the unpacked size".into(), size, limit, advice });
        }
        let mut unfolded = Vec::new();
        let mut reader = lz4_flex::frame::FrameDecoder::new(&bytes[8..]).take(whole);
        reader.read_to_end(&mut unfolded).map_err(|error| Fault::Inconsistent(error.to_string()))?;
        if unfolded.len() as u64 != whole {
            return Err(broken());
        }
        Ok(Cow::Owned(unfolded))
    }

    /// Whether each of these rows has a cell.
    fn present(&self, at: Layout, rows: &Range<usize>) -> Result<Vec<bool>, Fault> {
        let node = self.nodes.get(at.nodes).ok_or_else(broken)?;
        if long_of(node, 0)? != self.rows as i64 {
            return Err(broken());
        }
        let bits = self.buffer(at.buffers)?;
        if long_of(node, 1)? == 0 || bits.is_empty() {
            return Ok(vec![true; rows.len()]);
        }
        rows.clone().map(|row| bit(&bits, row)).collect()
    }

    /// Adds the cells of some rows.
    pub(super) fn read(
        &self,
        column: &Column,
        at: Layout,
        rows: Range<usize>,
        known: &Dictionaries,
        cells: &mut Cells,
    ) -> Result<(), Fault> {
        match (&column.kind, &mut *cells) {
            (_, Cells::Unreadable { .. }) => return Ok(()),
            (Kind::Null, Cells::Numbers(numbers)) => {
                numbers.extend(rows.map(|_| f64::NAN));
                return Ok(());
            }
            _ => {}
        }
        let present = self.present(at, &rows)?;
        match &column.kind {
            Kind::Text { .. } | Kind::TextView => {
                let texts = self.texts(column, at, &rows, &present)?;
                texts.iter().for_each(|text| cells.push(text.trim()));
            }
            Kind::Dictionary { id, index, .. } => {
                let texts = known.get(id).ok_or_else(broken)?;
                let numbers = self.numbers(index, at, &rows)?;
                for (number, present) in numbers.into_iter().zip(&present) {
                    let text = if *present { texts.get(number as usize).ok_or_else(broken)? } else { "" };
                    cells.push(text.trim());
                }
            }
            kind => {
                let numbers = self.numbers(kind, at, &rows)?.into_iter().zip(&present);
                if let Cells::Numbers(all) = cells {
                    all.extend(numbers.map(|(number, present)| if *present { number } else { f64::NAN }));
                }
            }
        }
        Ok(())
    }

    fn numbers(&self, kind: &Kind, at: Layout, rows: &Range<usize>) -> Result<Vec<f64>, Fault> {
        let data = self.buffer(at.buffers + 1)?;
        let number = |row: usize| -> Result<f64, Fault> {
            Ok(match kind {
                Kind::Bool => f64::from(u8::from(bit(&data, row)?)),
                Kind::Int { bits: 8, signed: true } => f64::from(i8::from_le_bytes(taken(&data, row)?)),
                Kind::Int { bits: 8, .. } => f64::from(u8::from_le_bytes(taken(&data, row)?)),
                Kind::Int { bits: 16, signed: true } => f64::from(i16::from_le_bytes(taken(&data, 2 * row)?)),
                Kind::Int { bits: 16, .. } => f64::from(u16::from_le_bytes(taken(&data, 2 * row)?)),
                Kind::Int { bits: 32, signed: true } => f64::from(i32::from_le_bytes(taken(&data, 4 * row)?)),
                Kind::Int { bits: 32, .. } => f64::from(u32::from_le_bytes(taken(&data, 4 * row)?)),
                Kind::Int { bits: 64, signed: true } => i64::from_le_bytes(taken(&data, 8 * row)?) as f64,
                Kind::Int { bits: 64, .. } => u64::from_le_bytes(taken(&data, 8 * row)?) as f64,
                Kind::Float(32) => f64::from(f32::from_le_bytes(taken(&data, 4 * row)?)),
                Kind::Float(64) => f64::from_le_bytes(taken(&data, 8 * row)?),
                Kind::Decimal { bits: 128, scale } => {
                    i128::from_le_bytes(taken(&data, 16 * row)?) as f64 / 10f64.powi(*scale)
                }
                _ => return Err(Fault::unsupported("a column of this type", "write it as numbers or texts")),
            })
        };
        rows.clone().map(number).collect()
    }

    /// The texts of some rows; empty ones where there is none.
    pub(super) fn texts(
        &self,
        column: &Column,
        at: Layout,
        rows: &Range<usize>,
        present: &[bool],
    ) -> Result<Vec<String>, Fault> {
        let place = |at: i64| usize::try_from(at).map_err(|_| broken());
        let second = self.buffer(at.buffers + 1)?;
        let mut others: HashMap<usize, Cow<'_, [u8]>> = HashMap::new();
        let mut texts = Vec::with_capacity(rows.len());
        for (row, present) in rows.clone().zip(present) {
            if !present {
                texts.push(String::new());
                continue;
            }
            let (which, start, length) = match &column.kind {
                Kind::Text { large } => {
                    let end_at = |row: usize| match large {
                        true => place(i64::from_le_bytes(taken(&second, 8 * row)?)),
                        false => place(i64::from(i32::from_le_bytes(taken(&second, 4 * row)?))),
                    };
                    let (start, end) = (end_at(row)?, end_at(row + 1)?);
                    (2, start, end.checked_sub(start).ok_or_else(broken)?)
                }
                // Its length, then the text itself where it is short, else its beginning, its buffer, and its place there.
                _ => {
                    let of = |k: usize| Ok::<_, Fault>(i32::from_le_bytes(taken(&second, 16 * row + 4 * k)?));
                    let length = place(i64::from(of(0)?))?;
                    match length <= 12 {
                        true => (1, 16 * row + 4, length),
                        false => (2 + place(i64::from(of(2)?))?, place(i64::from(of(3)?))?, length),
                    }
                }
            };
            if let std::collections::hash_map::Entry::Vacant(entry) = others.entry(which) {
                entry.insert(self.buffer(at.buffers + which)?);
            }
            let end = start.checked_add(length).ok_or_else(broken)?;
            let bytes = others[&which].get(start..end).ok_or_else(broken)?;
            let text = std::str::from_utf8(bytes).map_err(|_| {
                let found = quoted(&String::from_utf8_lossy(bytes));
                Fault::expected(format!("UTF-8 text in column {}", quoted(&column.name)), found)
            })?;
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// All texts of a dictionary.
    pub(super) fn dictionary(&self, column: &Column) -> Result<Vec<String>, Fault> {
        let (at, rows) = (Layout::default(), 0..self.rows);
        let present = self.present(at, &rows)?;
        self.texts(column, at, &rows, &present)
    }
}

fn bit(bytes: &[u8], k: usize) -> Result<bool, Fault> {
    bytes.get(k / 8).map(|byte| byte >> (k % 8) & 1 == 1).ok_or_else(broken)
}
