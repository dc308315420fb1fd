//! Cells that are missing, and cells that are no numbers.

use super::Table;
use crate::error::ReadError;
use std::collections::BTreeSet;

impl Table {
    /// The rows in which a cell of one of these columns is missing.
    ///
    /// # Errors
    /// No column of a name.
    pub fn incomplete<'c>(
        &self,
        columns: impl IntoIterator<Item = &'c str>,
    ) -> Result<Vec<usize>, ReadError> {
        let columns = columns.into_iter().map(|name| self.find(name)).collect::<Result<Vec<_>, _>>()?;
        let lacks = |row: &usize| columns.iter().any(|column| self.is_missing(self.cell(*row, *column)));
        Ok((0..self.rows()).filter(lacks).collect())
    }

    /// The table of these rows alone.
    #[must_use]
    pub fn keeping(&self, rows: &[usize]) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for &row in rows {
            for column in 0..self.names.len() {
                text.push_str(self.cell(row, column));
                ends.push(text.len());
            }
        }
        let lines = rows.iter().map(|row| self.lines[*row]).collect();
        let (file, names, missing) = (self.file.clone(), self.names.clone(), self.missing.clone());
        Self { file, names, missing, text, ends, lines }
    }

    /// Whether more cells of a column are texts than numbers, those that are missing not counted.
    ///
    /// # Errors
    /// No column of that name.
    pub fn is_text(&self, column: &str) -> Result<bool, ReadError> {
        let (mut texts, mut numbers) = (0, 0);
        for cell in self.texts(column)?.filter(|cell| !self.is_missing(cell)) {
            let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
            *if is_number { &mut numbers } else { &mut texts } += 1;
        }
        Ok(texts > numbers)
    }

    /// The different cells of a column in the order of their texts, without what is missing.
    ///
    /// # Errors
    /// No column of that name.
    pub fn values(&self, column: &str) -> Result<Vec<&str>, ReadError> {
        let present = self.texts(column)?.filter(|cell| !self.is_missing(cell));
        Ok(present.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Whether a cell stands for a missing value.
    pub(super) fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|missing| missing == cell)
    }
}
