//! Cells that are missing, and cells that are no numbers.

use super::{Cells, Piece, Places, Table};
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
        let lacks = |row: &usize| columns.iter().any(|column| self.lacks(*row, *column));
        Ok((0..self.rows()).filter(lacks).collect())
    }

    /// Whether a cell is missing; numbers are not turned into texts to find out.
    fn lacks(&self, row: usize, column: usize) -> bool {
        match &self.columns[column] {
            Cells::Numbers(numbers) if numbers[row].is_finite() => false,
            _ => self.is_missing(&self.cell(row, column)),
        }
    }

    /// The table of these rows alone, which are in order.
    #[must_use]
    pub fn keeping(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|cells| cells.keeping(rows)).collect();
        let mut pieces = Vec::new();
        for (k, piece) in self.pieces.iter().enumerate() {
            let end = self.pieces.get(k + 1).map_or(self.rows, |next| next.first);
            let before = rows.partition_point(|row| *row < piece.first);
            let own = &rows[before..rows.partition_point(|row| *row < end)];
            let places = match &piece.places {
                Places::Lines(lines) => {
                    Places::Lines(own.iter().map(|row| lines[row - piece.first]).collect())
                }
                Places::Rows(first) => {
                    Places::Numbers(own.iter().map(|row| first + row - piece.first).collect())
                }
                Places::Numbers(numbers) => {
                    Places::Numbers(own.iter().map(|row| numbers[row - piece.first]).collect())
                }
            };
            pieces.push(Piece { origin: piece.origin.clone(), first: before, places });
        }
        let (names, missing) = (self.names.clone(), self.missing.clone());
        Self { names, missing, columns, rows: rows.len(), pieces }
    }

    /// Whether more cells of a column are texts than numbers, those that are missing not counted.
    ///
    /// # Errors
    /// No column of that name.
    pub fn is_text(&self, column: &str) -> Result<bool, ReadError> {
        let column = self.find(column)?;
        if let Cells::Numbers(_) = &self.columns[column] {
            return Ok(false);
        }
        let (mut texts, mut numbers) = (0, 0);
        for cell in (0..self.rows()).map(|row| self.cell(row, column)).filter(|cell| !self.is_missing(cell)) {
            let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
            *if is_number { &mut numbers } else { &mut texts } += 1;
        }
        Ok(texts > numbers)
    }

    /// The different cells of a column in the order of their texts, without what is missing.
    ///
    /// # Errors
    /// No column of that name.
    pub fn values(&self, column: &str) -> Result<Vec<String>, ReadError> {
        let present = self.texts(column)?.filter(|cell| !self.is_missing(cell)).map(String::from);
        Ok(present.collect::<BTreeSet<String>>().into_iter().collect())
    }

    /// Whether a cell stands for a missing value.
    pub(super) fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|missing| missing == cell)
    }
}
