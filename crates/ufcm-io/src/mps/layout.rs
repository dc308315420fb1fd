//! Where the fields of a line stand: in fixed columns, or between blanks.

use super::Section;
use crate::error::{Fault, ReadError, quoted};
use crate::source::Line;

/// How the fields of an MPS file are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Fixed if every line of data keeps to the fixed columns with its mandatory fields there, free otherwise.
    #[default]
    Detect,
    /// Columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61; names may hold blanks.
    Fixed,
    /// Fields between blanks; names may not hold blanks.
    Free,
}

/// The fields of one line: `kind first (name, value) (name, value)`, any of which may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card<'a> {
    pub(super) kind: &'a str,
    pub(super) first: &'a str,
    pub(super) pairs: [(&'a str, &'a str); 2],
}

/// The fixed columns, counted from 0.
const COLUMNS: [(usize, usize); 6] = [(1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61)];

impl<'a> Card<'a> {
    pub(super) fn fixed(line: &Line<'a>) -> Result<Self, ReadError> {
        match fixed_fields(line.text) {
            Some([kind, first, a, x, b, y]) => Ok(Self { kind, first, pairs: [(a, x), (b, y)] }),
            None => {
                let expected = "ASCII fields in columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61 alone";
                Err(line.error(Fault::expected(expected, quoted(line.text))))
            }
        }
    }

    pub(super) fn free(line: &Line<'a>, section: Section) -> Result<Self, ReadError> {
        let words: Vec<&str> = line.words().collect();
        let card = |kind, first, pairs: &[&'a str]| {
            let word = |k: usize| pairs.get(k).copied().unwrap_or_default();
            Self { kind, first, pairs: [(word(0), word(1)), (word(2), word(3))] }
        };
        match (section, words.as_slice()) {
            (Section::Rows, [kind, name]) => Ok(card(kind, name, &[])),
            // The name of the set may be left out.
            (Section::Rhs | Section::Ranges, rest) if matches!(rest.len(), 2 | 4) => Ok(card("", "", rest)),
            (Section::Bounds, [kind, column, value]) if takes_value(kind) => {
                Ok(card(kind, "", &[column, value]))
            }
            (Section::Bounds, [kind, column]) if !takes_value(kind) => Ok(card(kind, "", &[column])),
            (Section::Bounds, [kind, set, rest @ ..]) if matches!(rest.len(), 1 | 2) => {
                Ok(card(kind, set, rest))
            }
            (Section::Columns | Section::Rhs | Section::Ranges | Section::Quadratic, [first, rest @ ..])
                if matches!(rest.len(), 2 | 4) =>
            {
                Ok(card("", first, rest))
            }
            _ => Err(line.error(Fault::expected(section.shape(), quoted(line.text.trim())))),
        }
    }
}

impl<'a> Card<'a> {
    /// The pairs that are there: the first always, so that what it lacks is found missing.
    pub(super) fn given(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let [first, second] = self.pairs;
        std::iter::once(first).chain((second != ("", "")).then_some(second))
    }

    /// The pairs, with their values as numbers.
    pub(super) fn numbers(&self, line: &Line<'a>) -> impl Iterator<Item = Result<(&'a str, f64), ReadError>> {
        let line = *line;
        self.given().map(move |(name, value)| Ok((name, line.number("value", value)?)))
    }
}

/// Whether a bound of this kind comes with a number.
pub(super) fn takes_value(kind: &str) -> bool {
    !matches!(kind, "FR" | "MI" | "PL" | "BV")
}

/// The fields in the fixed columns, unless something stands between them.
fn fixed_fields(text: &str) -> Option<[&str; 6]> {
    let text = text.trim_end();
    if !text.is_ascii() || text.contains('\t') {
        return None;
    }
    let covered = |k: usize| COLUMNS.iter().any(|&(start, end)| (start..end).contains(&k));
    if text.bytes().enumerate().any(|(k, byte)| byte != b' ' && !covered(k)) {
        return None;
    }
    let field = |(start, end): (usize, usize)| text.get(start.min(text.len())..end.min(text.len()));
    Some(COLUMNS.map(|columns| field(columns).unwrap_or_default().trim()))
}

/// Whether a line of data keeps to the fixed columns and has there what its section demands.
pub(super) fn is_fixed(text: &str, section: Section) -> bool {
    let Some([kind, first, a, x, ..]) = fixed_fields(text) else { return false };
    match section {
        Section::Rows => !kind.is_empty() && !first.is_empty() && a.is_empty(),
        Section::Columns | Section::Quadratic => {
            let complete = !a.is_empty() && (!x.is_empty() || a == super::MARKER);
            kind.is_empty() && !first.is_empty() && complete
        }
        Section::Rhs | Section::Ranges => kind.is_empty() && !a.is_empty() && !x.is_empty(),
        Section::Bounds => !kind.is_empty() && !a.is_empty(),
        Section::Sense | Section::Name | Section::End => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_columns_keep_blanks_in_names() {
        let text = "    DEDO3 11  OB1PNW20        .02466   DEDO3 1R           -1.";
        assert_eq!(fixed_fields(text), Some(["", "DEDO3 11", "OB1PNW20", ".02466", "DEDO3 1R", "-1."]));
        assert!(is_fixed(text, Section::Columns));
        assert!(!is_fixed(" x cost 1 need 2", Section::Columns));
        assert!(!is_fixed("    x c 1", Section::Columns));
        assert!(!is_fixed("    é         OB1PNW20        .02466", Section::Columns));
    }
}
