//! COLUMNS: the variables, with their entries in the objective and in A.

use super::MARKER;
use super::layout::Card;
use super::rows::{Role, Rows};
use crate::error::{Fault, ReadError, quoted};
use crate::source::Line;
use std::collections::HashMap;
use ufcm::error::DataError;
use ufcm::matrix::Matrix;

#[derive(Default)]
pub(super) struct Columns {
    index: HashMap<String, usize>,
    names: Vec<String>,
    linear: Vec<f64>,
    /// Where in `indices` and `values` each column begins.
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
    /// For each declared row the number of columns there were when it last got an entry.
    filled: Vec<usize>,
    /// Whether the columns that come are integer.
    integer: bool,
    relaxed: usize,
}

impl Columns {
    pub(super) fn add(
        &mut self,
        line: &Line<'_>,
        card: &Card<'_>,
        rows: &Rows,
        relax: bool,
    ) -> Result<(), ReadError> {
        if card.pairs[0].0 == MARKER {
            return self.mark(line, card);
        }
        if self.names.last().is_none_or(|last| last != card.first) {
            self.begin(line, card.first, relax)?;
        }
        self.filled.resize(rows.declared(), 0);
        for pair in card.numbers(line) {
            let (row, value) = pair?;
            let (declared, role) = rows.find(line, row)?;
            if std::mem::replace(&mut self.filled[declared], self.names.len()) == self.names.len() {
                let what = format!("the entry of column {} in row {}", quoted(card.first), quoted(row));
                return Err(line.error(Fault::Repeated { what }));
            }
            match role {
                Role::Objective => self.linear[self.names.len() - 1] = value,
                Role::Constraint(row) if value != 0.0 => {
                    self.indices.push(row);
                    self.values.push(value);
                }
                Role::Constraint(_) | Role::Ignored => {}
            }
        }
        Ok(())
    }

    fn mark(&mut self, line: &Line<'_>, card: &Card<'_>) -> Result<(), ReadError> {
        // Fixed files have it in the fifth field, free ones in the third.
        let [(_, third), (fifth, _)] = card.pairs;
        self.integer = match if third.is_empty() { fifth } else { third } {
            "'INTORG'" => true,
            "'INTEND'" => false,
            other => return Err(line.expected("marker", "'INTORG' or 'INTEND'", other)),
        };
        Ok(())
    }

    fn begin(&mut self, line: &Line<'_>, name: &str, relax: bool) -> Result<(), ReadError> {
        if self.integer && !relax {
            return Err(line.error(integer(name)));
        }
        self.relaxed += usize::from(self.integer);
        if self.index.insert(name.to_owned(), self.names.len()).is_some() {
            let message =
                format!("column {} was closed before: its lines must follow each other", quoted(name));
            return Err(line.error(Fault::Inconsistent(message)));
        }
        self.names.push(name.to_owned());
        self.linear.push(0.0);
        self.starts.push(self.indices.len());
        Ok(())
    }

    pub(super) fn find(&self, line: &Line<'_>, name: &str) -> Result<usize, ReadError> {
        self.index.get(name).copied().ok_or_else(|| {
            let (what, known) = (format!("column {}", quoted(name)), "COLUMNS does not declare it".into());
            line.error(Fault::Unknown { what, known })
        })
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many integer variables were taken as real ones.
    pub(super) fn relaxed(&self) -> usize {
        self.relaxed
    }

    /// The names, the objective's linear part, and A with its number of rows.
    pub(super) fn finish(mut self, rows: usize) -> Result<(Vec<String>, Vec<f64>, Matrix), DataError> {
        self.starts.push(self.indices.len());
        let matrix = Matrix::csc(rows, self.names.len(), &self.starts, &self.indices, self.values)?;
        Ok((self.names, self.linear, matrix))
    }
}

/// The refusal of an integer variable.
pub(super) fn integer(name: &str) -> Fault {
    let what = format!("the integer variable {}", quoted(name));
    Fault::unsupported(what, "ask for the relaxation (the option --relax-integers) to take it as a real one")
}
