//! What a regulariser is made from, kept until the number of variables is known.

use super::Built;
use super::entry::RegulariserEntry;
use super::values::Values;
use crate::oracle::Regulariser;
use crate::regulariser::{Scaled, Translated};

/// A regulariser or domain with its values. Some are made only once the number of variables is known, and each problem has
/// its own: what is kept is what they are made from.
#[derive(Debug, Clone)]
pub struct Recipe {
    entry: &'static RegulariserEntry,
    values: Values,
    changes: Vec<Change>,
}

/// What is done to a regulariser after it was made.
#[derive(Debug, Clone)]
enum Change {
    Translate(Vec<f64>),
    Scale(f64, f64),
}

/// A regulariser or domain on variables of its own.
#[derive(Debug, Clone)]
pub struct Part {
    /// How many variables it has.
    pub variables: usize,
    /// What it is.
    pub recipe: Recipe,
}

impl Recipe {
    /// A kind with values for its fields.
    #[must_use]
    pub fn new(entry: &'static RegulariserEntry, values: Values) -> Self {
        Self { entry, values, changes: Vec::new() }
    }

    /// u(x - centre).
    #[must_use]
    pub fn translated(mut self, centre: Vec<f64>) -> Self {
        self.changes.push(Change::Translate(centre));
        self
    }

    /// factor u(argument x).
    #[must_use]
    pub fn scaled(mut self, factor: f64, argument: f64) -> Self {
        self.changes.push(Change::Scale(factor, argument));
        self
    }

    /// The regulariser for `n` variables; without `n`, for as many as its values speak of.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn build(&self, n: Option<usize>) -> Built<Box<dyn Regulariser>> {
        let mut made = self.entry.build(&mut self.values.clone(), n)?;
        for change in &self.changes {
            made = match change {
                Change::Translate(centre) => Box::new(Translated::new(made, centre.clone())?),
                Change::Scale(factor, argument) => Box::new(Scaled::new(made, *factor, *argument)?),
            };
        }
        Ok(made)
    }

    /// The number of variables, where the values fix it.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn dimension(&self) -> Built<Option<usize>> {
        let centre = self.changes.iter().find_map(|change| match change {
            Change::Translate(centre) => Some(centre.len()),
            Change::Scale(..) => None,
        });
        if self.entry.needs_dimension {
            return Ok(centre);
        }
        Ok(self.build(None)?.dimension())
    }
}
