//! The cells of a column: texts as they stand in a file, or numbers where the file holds numbers.

use std::borrow::Cow;

/// The cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cells {
    /// All of them after each other, and where each ends.
    Texts { text: String, ends: Vec<usize> },
    /// Numbers; NaN where there is none.
    Numbers(Vec<f64>),
    /// So many cells of something that cannot be read: what it is.
    Unreadable { count: usize, what: &'static str },
}

impl Cells {
    pub(crate) fn texts() -> Self {
        Self::Texts { text: String::new(), ends: Vec::new() }
    }

    /// Adds a text to a column of texts.
    pub(crate) fn push(&mut self, cell: &str) {
        if let Self::Texts { text, ends } = self {
            text.push_str(cell);
            ends.push(text.len());
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Texts { ends, .. } => ends.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Unreadable { count, .. } => *count,
        }
    }

    /// A cell as text; an empty one where it is missing.
    pub(crate) fn text(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Texts { text, ends } => {
                let start = if row == 0 { 0 } else { ends[row - 1] };
                Cow::Borrowed(&text[start..ends[row]])
            }
            Self::Numbers(numbers) if numbers[row].is_nan() => Cow::Borrowed(""),
            Self::Numbers(numbers) => Cow::Owned(numbers[row].to_string()),
            Self::Unreadable { .. } => Cow::Borrowed(""),
        }
    }

    /// Some of the cells.
    pub(crate) fn keeping(&self, rows: &[usize]) -> Self {
        match self {
            Self::Texts { .. } => {
                let mut kept = Self::texts();
                rows.iter().for_each(|row| kept.push(&self.text(*row)));
                kept
            }
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|row| numbers[*row]).collect()),
            Self::Unreadable { what, .. } => Self::Unreadable { count: rows.len(), what },
        }
    }

    /// Adds the cells of another column. Where one holds numbers and the other texts, all become texts.
    pub(crate) fn append(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Numbers(own), Self::Numbers(more)) => own.extend(more),
            (Self::Unreadable { count, .. }, more) => *count += more.len(),
            (own, Self::Unreadable { count: more, what }) => {
                *own = Self::Unreadable { count: own.len() + more, what };
            }
            (Self::Texts { .. }, more) => (0..more.len()).for_each(|row| self.push(&more.text(row))),
            (Self::Numbers(_), more) => {
                let mut texts = Self::texts();
                (0..self.len()).for_each(|row| texts.push(&self.text(row)));
                *self = texts;
                self.append(more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_parts_are_joined() {
        let mut numbers = Cells::Numbers(vec![1.0, f64::NAN]);
        numbers.append(Cells::Numbers(vec![0.1]));
        assert_eq!((0..3).map(|row| numbers.text(row)).collect::<Vec<_>>(), ["1", "", "0.1"]);
        let mut texts = Cells::texts();
        texts.push("x");
        numbers.append(texts.clone());
        assert_eq!((0..4).map(|row| numbers.text(row)).collect::<Vec<_>>(), ["1", "", "0.1", "x"]);
        texts.append(Cells::Unreadable { count: 2, what: "lists" });
        assert_eq!(texts, Cells::Unreadable { count: 3, what: "lists" });
    }
}
