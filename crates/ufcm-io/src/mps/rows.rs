//! ROWS, RHS and RANGES: what the rows are, and between which sides they lie.

use crate::error::{Fault, ReadError, quoted};
use crate::source::Line;
use std::collections::HashMap;

/// What a declared row is for.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Objective,
    /// An N row after the objective.
    Ignored,
    /// A row of A, by its index.
    Constraint(usize),
}

#[derive(Clone, Copy)]
enum Kind {
    Equal,
    Less,
    Greater,
}

struct Constraint {
    kind: Kind,
    rhs: Option<f64>,
    range: Option<f64>,
}

#[derive(Default)]
pub(super) struct Rows {
    index: HashMap<String, usize>,
    roles: Vec<Role>,
    constraints: Vec<Constraint>,
    names: Vec<String>,
    objective: Option<String>,
    objective_rhs: Option<f64>,
    ignored: usize,
}

impl Rows {
    pub(super) fn declare(&mut self, line: &Line<'_>, kind: &str, name: &str) -> Result<(), ReadError> {
        if self.index.insert(name.to_owned(), self.roles.len()).is_some() {
            return Err(line.error(Fault::Repeated { what: format!("row {}", quoted(name)) }));
        }
        let kind = match kind {
            "N" if self.objective.is_none() => {
                self.objective = Some(name.to_owned());
                self.roles.push(Role::Objective);
                return Ok(());
            }
            "N" => {
                self.ignored += 1;
                self.roles.push(Role::Ignored);
                return Ok(());
            }
            "E" => Kind::Equal,
            "L" => Kind::Less,
            "G" => Kind::Greater,
            _ => return Err(line.expected("type of row", "N, E, L or G", kind)),
        };
        self.roles.push(Role::Constraint(self.names.len()));
        self.names.push(name.to_owned());
        self.constraints.push(Constraint { kind, rhs: None, range: None });
        Ok(())
    }

    /// The number of a declared row, and its role.
    pub(super) fn find(&self, line: &Line<'_>, name: &str) -> Result<(usize, Role), ReadError> {
        match self.index.get(name) {
            Some(&row) => Ok((row, self.roles[row])),
            None => {
                let (what, known) = (format!("row {}", quoted(name)), "ROWS does not declare it".into());
                Err(line.error(Fault::Unknown { what, known }))
            }
        }
    }

    pub(super) fn set_rhs(&mut self, line: &Line<'_>, name: &str, value: f64) -> Result<(), ReadError> {
        let slot = match self.find(line, name)?.1 {
            Role::Objective => &mut self.objective_rhs,
            Role::Ignored => return Ok(()),
            Role::Constraint(row) => &mut self.constraints[row].rhs,
        };
        set_once(line, slot, value, || format!("the right-hand side of row {}", quoted(name)))
    }

    pub(super) fn set_range(&mut self, line: &Line<'_>, name: &str, value: f64) -> Result<(), ReadError> {
        match self.find(line, name)?.1 {
            Role::Constraint(row) => set_once(line, &mut self.constraints[row].range, value, || {
                format!("the range of row {}", quoted(name))
            }),
            // A range on a row that is no constraint constrains nothing.
            Role::Objective | Role::Ignored => Ok(()),
        }
    }

    pub(super) fn declared(&self) -> usize {
        self.roles.len()
    }

    /// How many N rows there are besides the objective.
    pub(super) fn ignored(&self) -> usize {
        self.ignored
    }

    pub(super) fn objective(&self) -> Option<&str> {
        self.objective.as_deref()
    }

    /// A right-hand side on the objective is minus its constant; + 0.0 turns -0 into 0.
    pub(super) fn constant(&self) -> f64 {
        -self.objective_rhs.unwrap_or(0.0) + 0.0
    }

    /// The lower and upper side of each constraint.
    pub(super) fn sides(&self) -> (Vec<f64>, Vec<f64>) {
        self.constraints.iter().map(Constraint::sides).unzip()
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}

impl Constraint {
    fn sides(&self) -> (f64, f64) {
        let b = self.rhs.unwrap_or(0.0);
        match (self.kind, self.range) {
            (Kind::Equal, None) => (b, b),
            (Kind::Equal, Some(range)) => (b + range.min(0.0), b + range.max(0.0)),
            (Kind::Less, range) => (range.map_or(f64::NEG_INFINITY, |range| b - range.abs()), b),
            (Kind::Greater, range) => (b, range.map_or(f64::INFINITY, |range| b + range.abs())),
        }
    }
}

fn set_once(
    line: &Line<'_>,
    slot: &mut Option<f64>,
    value: f64,
    what: impl FnOnce() -> String,
) -> Result<(), ReadError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(line.error(Fault::Repeated { what: what() })),
    }
}
