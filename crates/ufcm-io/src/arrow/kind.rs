//! What the columns of an Arrow file are, and which parts of a batch belong to each.

use super::flat::Flat;
use crate::error::Fault;

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// What to skip where the kind is not read: nodes and buffers of a batch.
    pub(super) layout: Layout,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Bool,
    Int {
        bits: usize,
        signed: bool,
    },
    /// Of so many bits.
    Float(usize),
    /// A whole number of so many bits, with so many digits behind the point.
    Decimal {
        bits: usize,
        scale: i32,
    },
    /// Whether ends have 8 bytes, or 4.
    Text {
        large: bool,
    },
    TextView,
    /// The number of a text in a dictionary.
    Dictionary {
        id: i64,
        index: Box<Kind>,
        texts: Box<Column>,
    },
    Null,
    Unreadable(&'static str),
}

/// How many nodes and buffers of a batch a column takes; views take more buffers, as many as a list of the batch says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Layout {
    pub(super) nodes: usize,
    pub(super) buffers: usize,
    pub(super) views: usize,
}

impl Column {
    /// Whether its cells are texts.
    pub(super) fn holds_texts(&self) -> bool {
        matches!(self.kind, Kind::Text { .. } | Kind::TextView)
    }
}

/// Levels of lists in lists that are looked at.
const DEEPEST: usize = 32;

/// The column that a field of the schema describes.
pub(super) fn column(field: &Flat<'_>) -> Result<Column, Fault> {
    let name = field.text(0)?.to_owned();
    let (kind, layout) = plain(field, 0)?;
    let Some(dictionary) = field.table(4)? else { return Ok(Column { name, kind, layout }) };
    let index = match dictionary.table(1)? {
        Some(index) => integer(&index)?,
        None => Kind::Int { bits: 32, signed: true },
    };
    let texts = Box::new(Column { name: name.clone(), kind, layout });
    let id = dictionary.long(0)?.unwrap_or(0);
    let layout = Layout { nodes: 1, buffers: 2, views: 0 };
    Ok(Column { name, kind: Kind::Dictionary { id, index: Box::new(index), texts }, layout })
}

fn integer(table: &Flat<'_>) -> Result<Kind, Fault> {
    let bits = usize::try_from(table.int(0)?.unwrap_or(0)).unwrap_or(0);
    Ok(Kind::Int { bits, signed: table.byte(1)?.unwrap_or(0) != 0 })
}

fn plain(field: &Flat<'_>, depth: usize) -> Result<(Kind, Layout), Fault> {
    if depth > DEEPEST {
        return Err(Fault::unsupported("lists in lists, very deep", "flatten the columns first"));
    }
    let one = |kind, buffers| (kind, Layout { nodes: 1, buffers, views: 0 });
    let Some(table) = field.table(3)? else { return Ok(one(Kind::Unreadable("a column of this type"), 2)) };
    let time = Kind::Unreadable("a column of dates or times");
    let bytes = Kind::Unreadable("a column of bytes");
    let nested = Kind::Unreadable("a column of lists or structures");
    Ok(match field.byte(2)?.unwrap_or(0) {
        1 => one(Kind::Null, 0),
        2 => one(integer(&table)?, 2),
        3 => one(Kind::Float(16 << table.short(0)?.unwrap_or(0).clamp(0, 2)), 2),
        5 => one(Kind::Text { large: false }, 3),
        20 => one(Kind::Text { large: true }, 3),
        6 => one(Kind::Bool, 2),
        7 => {
            let bits = usize::try_from(table.int(2)?.unwrap_or(128)).unwrap_or(0);
            one(Kind::Decimal { bits, scale: table.int(1)?.unwrap_or(0) }, 2)
        }
        8..=11 | 18 => one(time, 2),
        15 => one(bytes, 2),
        4 | 19 => one(bytes, 3),
        24 => (Kind::TextView, Layout { nodes: 1, buffers: 2, views: 1 }),
        23 => (bytes, Layout { nodes: 1, buffers: 2, views: 1 }),
        // Ends, or ends and lengths, or nothing but which rows there are; then what is inside.
        other => {
            let mut layout = match other {
                12 | 17 | 21 => Layout { nodes: 1, buffers: 2, views: 0 },
                25 | 26 => Layout { nodes: 1, buffers: 3, views: 0 },
                13 | 16 => Layout { nodes: 1, buffers: 1, views: 0 },
                22 => Layout { nodes: 1, buffers: 0, views: 0 },
                // A union has a number of its part for each row, and a dense one also a place in it.
                14 => {
                    Layout { nodes: 1, buffers: 1 + usize::from(table.short(0)?.unwrap_or(0) == 1), views: 0 }
                }
                _ => return Err(Fault::unsupported("a column of a type that is not known", "leave it out")),
            };
            for child in field.tables(5)? {
                let dictionary = child.table(4)?.is_some();
                let inside = match dictionary {
                    true => Layout { nodes: 1, buffers: 2, views: 0 },
                    false => plain(&child, depth + 1)?.1,
                };
                layout.nodes += inside.nodes;
                layout.buffers += inside.buffers;
                layout.views += inside.views;
            }
            (nested, layout)
        }
    })
}
