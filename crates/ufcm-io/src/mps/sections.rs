//! All sections of a file, gathered line by line and put together.

use super::Section;
use super::bounds::Bounds;
use super::columns::Columns;
use super::layout::Card;
use super::quadratic::Quadratic;
use super::rows::Rows;
use crate::error::{Fault, ReadError, quoted};
use crate::program::{Program, Sense};
use crate::source::{Line, Source};

/// The set that is read of a section that may hold several: the first.
#[derive(Default)]
struct Set {
    name: Option<String>,
    has_others: bool,
}

impl Set {
    fn takes(&mut self, name: &str) -> bool {
        let taken = self.name.get_or_insert_with(|| name.to_owned()) == name;
        self.has_others |= !taken;
        taken
    }
}

#[derive(Default)]
pub(super) struct Sections {
    relax_integers: bool,
    name: String,
    sense: Sense,
    rows: Rows,
    columns: Columns,
    bounds: Bounds,
    quadratic: Quadratic,
    rhs_set: Set,
    range_set: Set,
    bound_set: Set,
}

impl Sections {
    pub(super) fn new(relax_integers: bool) -> Self {
        Self { relax_integers, ..Self::default() }
    }

    pub(super) fn set_name(&mut self, name: &str) {
        self.name = name.to_owned();
    }

    pub(super) fn set_sense(&mut self, line: &Line<'_>, word: &str) -> Result<(), ReadError> {
        self.sense = match word.to_ascii_uppercase().as_str() {
            "MIN" | "MINIMIZE" | "MINIMISE" => Sense::Minimise,
            "MAX" | "MAXIMIZE" | "MAXIMISE" => Sense::Maximise,
            _ => return Err(line.expected("OBJSENSE", Section::Sense.shape(), word)),
        };
        Ok(())
    }

    /// Opens the quadratic part; `row`, where the header names one, must be the objective.
    pub(super) fn open_quadratic(
        &mut self,
        line: &Line<'_>,
        whole: bool,
        row: Option<&str>,
    ) -> Result<(), ReadError> {
        match row {
            Some(row) if self.rows.objective() != Some(row) => {
                let what = format!("a quadratic part of row {}", quoted(row));
                Err(line.error(Fault::unsupported(what, "constraints must be linear here")))
            }
            _ => self.quadratic.open(line, whole),
        }
    }

    pub(super) fn add(
        &mut self,
        line: &Line<'_>,
        section: Section,
        card: &Card<'_>,
    ) -> Result<(), ReadError> {
        match section {
            Section::Rows => self.rows.declare(line, card.kind, card.first),
            Section::Columns => self.columns.add(line, card, &self.rows, self.relax_integers),
            Section::Rhs if self.rhs_set.takes(card.first) => card
                .numbers(line)
                .try_for_each(|pair| pair.and_then(|(row, b)| self.rows.set_rhs(line, row, b))),
            Section::Ranges if self.range_set.takes(card.first) => card
                .numbers(line)
                .try_for_each(|pair| pair.and_then(|(row, r)| self.rows.set_range(line, row, r))),
            Section::Bounds if self.bound_set.takes(card.first) => {
                let (name, value) = card.pairs[0];
                let column = self.columns.find(line, name)?;
                self.bounds.set(line, card.kind, (column, name), value, self.relax_integers)
            }
            Section::Quadratic => {
                let first = self.columns.find(line, card.first)?;
                card.numbers(line).try_for_each(|pair| {
                    let (name, value) = pair?;
                    let second = self.columns.find(line, name)?;
                    self.quadratic.add(line, (first, second), value, self.columns.names())
                })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn finish(self, source: &Source) -> Result<Program, ReadError> {
        if self.columns.names().is_empty() {
            return Err(source.error(None, Fault::expected("at least one column", "none")));
        }
        let sides = self.bounds.finish(source, self.columns.names())?;
        let quadratic = self.quadratic.finish(source, self.columns.names())?;
        let relaxed = self.columns.relaxed() + sides.relaxed;
        let mut notes = Vec::new();
        let mut note = |said: bool, text: String| notes.extend(said.then_some(text));
        note(self.sense == Sense::Maximise, "the objective is to be maximised".into());
        note(self.rows.objective().is_none(), "there is no objective (no row of type N): it is 0".into());
        note(self.rows.ignored() > 0, format!("{} N rows after the first are left out", self.rows.ignored()));
        note(
            sides.opened > 0,
            format!(
                "{} variables have a negative upper and no lower bound: their lower bound is -inf",
                sides.opened
            ),
        );
        note(relaxed > 0, format!("{relaxed} marks of integer variables are ignored (relaxation)"));
        let sets = [("RHS", &self.rhs_set), ("RANGES", &self.range_set), ("BOUNDS", &self.bound_set)];
        for (section, set) in sets {
            let name = set.name.as_deref().unwrap_or_default();
            note(
                set.has_others,
                format!("{section} has several sets; the first, {}, is taken", quoted(name)),
            );
        }
        let ((row_lower, row_upper), constant) = (self.rows.sides(), self.rows.constant());
        let (variables, linear, matrix) = self
            .columns
            .finish(row_lower.len())
            .map_err(|error| source.error(Some("COLUMNS"), Fault::Data(error)))?;
        Ok(Program {
            name: self.name,
            sense: self.sense,
            variables,
            rows: self.rows.into_names(),
            linear,
            constant,
            quadratic,
            matrix,
            row_lower,
            row_upper,
            quadratic_rows: Vec::new(),
            cones: Vec::new(),
            lower: sides.lower,
            upper: sides.upper,
            notes,
        })
    }
}
