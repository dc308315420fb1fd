//! Columns of a table as a matrix.

use super::Table;
use crate::error::{Fault, ReadError, quoted};
use std::collections::{BTreeMap, BTreeSet};
use ufcm::matrix::Matrix;

/// A matrix with at least this share of its entries stored is dense: its products are then as fast, and simpler.
pub(crate) const DENSE_SHARE: usize = 4;

/// A column of a table, and how it enters a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// As it is.
    Number(String),
    /// As one column of 0 and 1 for each of its values in the whole table, in the order of their texts.
    OneHot(String),
}

impl Column {
    /// A column of numbers.
    pub fn number(name: impl Into<String>) -> Self {
        Self::Number(name.into())
    }

    /// A column of categories.
    pub fn one_hot(name: impl Into<String>) -> Self {
        Self::OneHot(name.into())
    }

    /// The name of a column of categories.
    pub(crate) fn category(&self) -> Option<&str> {
        if let Self::OneHot(name) = self { Some(name) } else { None }
    }
}

/// A matrix made of columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// One row for each of the selected rows; sparse where that saves three quarters or more.
    pub matrix: Matrix,
    /// The name of each of its columns: `age`, `sex=Female`.
    pub names: Vec<String>,
    /// The column of the table that each is from, and the category for which it is 1.
    pub sources: Vec<(String, Option<String>)>,
}

/// A column with its place in the matrix.
enum Placed {
    Number { column: usize, at: usize },
    OneHot { column: usize, levels: BTreeMap<String, usize> },
}

impl Table {
    /// The matrix of `columns` in `rows`. Selections of rows of one table have the same columns, since categories
    /// come from the whole table.
    ///
    /// # Errors
    /// No column of a name, no row of a number, a value that is missing or no number.
    pub fn features(&self, columns: &[Column], rows: &[usize]) -> Result<Features, ReadError> {
        self.features_with(columns, rows, &BTreeMap::new())
    }

    /// As [`Table::features`], with the values that columns of categories have, by the name of the column, where the table has some of its rows alone.
    ///
    /// # Errors
    /// As [`Table::features`], and a value that is none of them.
    pub fn features_with(
        &self,
        columns: &[Column],
        rows: &[usize],
        levels: &BTreeMap<String, Vec<String>>,
    ) -> Result<Features, ReadError> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.rows()) {
            let fault = Fault::expected(format!("a row below {}", self.rows()), row.to_string());
            return Err(self.error(None, None, fault));
        }
        let (mut names, mut sources) = (Vec::new(), Vec::new());
        let placed = columns
            .iter()
            .map(|column| self.place(column, levels, &mut names, &mut sources))
            .collect::<Result<Vec<_>, _>>()?;
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &row in rows {
            for column in &placed {
                let (at, value) = self.feature(column, row)?;
                if value != 0.0 {
                    indices.push(at);
                    values.push(value);
                }
            }
            starts.push(indices.len());
        }
        let dense = rows
            .len()
            .checked_mul(names.len())
            .filter(|&all| all <= DENSE_SHARE.saturating_mul(values.len()));
        let matrix = match dense {
            None => Matrix::csr(rows.len(), names.len(), &starts, &indices, values),
            Some(all) => {
                let mut full = vec![0.0; all];
                for (i, range) in starts.windows(2).enumerate() {
                    (range[0]..range[1]).for_each(|k| full[i * names.len() + indices[k]] = values[k]);
                }
                Matrix::row_major(rows.len(), names.len(), full)
            }
        };
        let matrix = matrix.map_err(|error| self.error(None, None, Fault::Data(error)))?;
        Ok(Features { matrix, names, sources })
    }

    /// The values of a column, in the order of their texts.
    ///
    /// # Errors
    /// No column of that name, or a cell that is missing.
    pub fn levels(&self, column: &str) -> Result<Vec<String>, ReadError> {
        let column = self.find(column)?;
        let mut levels = BTreeSet::new();
        for row in 0..self.rows() {
            let cell = self.present(row, column)?;
            if !levels.contains(cell.as_ref()) {
                levels.insert(cell.into_owned());
            }
        }
        Ok(levels.into_iter().collect())
    }

    fn place(
        &self,
        column: &Column,
        given: &BTreeMap<String, Vec<String>>,
        names: &mut Vec<String>,
        sources: &mut Vec<(String, Option<String>)>,
    ) -> Result<Placed, ReadError> {
        match column {
            Column::Number(name) => {
                names.push(name.clone());
                sources.push((name.clone(), None));
                Ok(Placed::Number { column: self.find(name)?, at: names.len() - 1 })
            }
            Column::OneHot(name) => {
                let column = self.find(name)?;
                let own = given.get(name).map_or_else(|| self.levels(name), |levels| Ok(levels.clone()))?;
                let mut levels = BTreeMap::new();
                for level in own {
                    names.push(format!("{name}={level}"));
                    sources.push((name.clone(), Some(level.clone())));
                    levels.insert(level, names.len() - 1);
                }
                Ok(Placed::OneHot { column, levels })
            }
        }
    }

    /// Where a row has an entry of a column, and which.
    fn feature(&self, column: &Placed, row: usize) -> Result<(usize, f64), ReadError> {
        match column {
            Placed::Number { column, at } => Ok((*at, self.number(row, *column)?)),
            Placed::OneHot { column, levels } => {
                let cell = self.present(row, *column)?;
                let at = levels.get(cell.as_ref()).copied();
                let unknown = || Fault::expected("a value that the column was said to have", quoted(&cell));
                at.map(|at| (at, 1.0)).ok_or_else(|| self.error(Some(row), Some(*column), unknown()))
            }
        }
    }
}
