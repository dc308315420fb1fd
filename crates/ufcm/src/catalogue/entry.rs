//! What is said of a kind, and how it is made.

use super::Built;
use super::field::Field;
use super::rows::Rows;
use super::values::Values;
use crate::oracle::{Component, Composer, Regulariser};
use crate::problem::Term;
use serde::Serialize;
use std::sync::Arc;

/// A kind in words: all that readers, tables and stubs need.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kind {
    /// Where it belongs.
    pub section: Section,
    /// Its name in problem files and in Python. No other kind has it.
    pub name: &'static str,
    /// Names that it had before, or has elsewhere; no other kind of its section has them.
    pub aliases: &'static [Alias],
    /// What it computes.
    pub formula: &'static str,
    /// What it is, in one sentence or two.
    pub about: &'static str,
    /// Its fields, in the order in which Python takes them.
    pub fields: &'static [Field],
    /// An example for Python's documentation, which is run as a test; may be empty.
    pub example: &'static str,
}

/// Where a kind belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// A convex function g_j.
    Component,
    /// How rows combine, h.
    Composer,
    /// A regulariser u.
    Regulariser,
    /// A domain X.
    Domain,
    /// A block of affine rows.
    Affine,
}

impl Section {
    /// Its name in the plural, for titles.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Component => "components",
            Self::Composer => "composers",
            Self::Regulariser => "regularisers",
            Self::Domain => "domains",
            Self::Affine => "affine blocks",
        }
    }
}

/// Another name of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// Where it comes from.
    pub note: &'static str,
}

impl Alias {
    /// A name that problem files had until version 0.1.
    #[must_use]
    pub const fn of_problem_files(name: &'static str) -> Self {
        Self { name, note: "the name in problem files up to 0.1" }
    }
}

impl Kind {
    /// Whether this is its name, or another that it had.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias.name == name)
    }

    /// The field of this name, symbol or alias.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.spellings().any(|spelling| spelling == name))
    }

    /// The fields that an error of the constructor may speak of when it says `name`.
    pub fn blamed<'n>(&self, name: &'n str) -> impl Iterator<Item = &'static Field> + use<'n> {
        let is_meant = move |field: &&Field| {
            field.blamed_as.contains(&name) || field.spellings().any(|spelling| spelling == name)
        };
        self.fields.iter().filter(is_meant)
    }

    /// Room for values of its fields.
    #[must_use]
    pub fn values(&'static self) -> Values {
        Values::new(self)
    }
}

/// A kind of component.
#[derive(Debug)]
pub struct ComponentEntry {
    /// What it is.
    pub kind: Kind,
    pub(crate) build: fn(&mut Values) -> Built<Arc<dyn Component>>,
}

impl ComponentEntry {
    /// The component.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn build(&self, values: &mut Values) -> Built<Arc<dyn Component>> {
        (self.build)(values)
    }
}

/// Which rows a composer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsTaken {
    /// Components, curved ones too, or an affine block: the composer is nondecreasing.
    Any,
    /// Affine rows alone.
    Affine,
    /// Components alone.
    Components,
}

/// How `h(g(x)) <= bound` is stated to the solver ([`ComposerEntry::constraint`]). All but the last are the same set in words that the solver knows more about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// As bounds on the rows, each at most the bound.
    EachRow,
    /// As bounds on affine rows from both sides.
    BothSides,
    /// As a bound on the square of a Euclidean norm of affine rows: one smooth row.
    Norm,
    /// As a bound on a weighted sum of half squares of affine rows: one smooth row.
    Squares,
    /// As that, of whole squares.
    WholeSquares,
    /// As the sublevel set of the composer, [`Sublevel`](crate::composer::Sublevel).
    Whole,
}

/// A kind of composer.
#[derive(Debug)]
pub struct ComposerEntry {
    /// What it is.
    pub kind: Kind,
    /// Which rows it takes.
    pub rows: RowsTaken,
    /// How a bound on it is stated.
    pub bound: Bound,
    /// What becomes of the rows before they are composed; `None` where they stay as they are.
    pub(crate) prepare: Option<fn(&mut Values, Rows) -> Built<Rows>>,
    /// The composer of so many rows.
    pub(crate) build: fn(&mut Values, usize) -> Built<Box<dyn Composer>>,
}

impl ComposerEntry {
    /// The composer over its rows, as a term of the objective.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn term(&self, values: &mut Values, rows: Rows) -> Built<Term> {
        let (composer, rows) = self.compose(values, rows)?;
        Ok(rows.under(composer))
    }

    /// The composer, and the rows as it takes them.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn compose(&self, values: &mut Values, rows: Rows) -> Built<(Box<dyn Composer>, Rows)> {
        let rows = match self.prepare {
            None => rows,
            Some(prepare) => prepare(values, rows)?,
        };
        Ok(((self.build)(values, rows.count())?, rows))
    }
}

/// The constructor of a regulariser, for a number of variables if it is known.
type BuildRegulariser = fn(&mut Values, Option<usize>) -> Built<Box<dyn Regulariser>>;

/// A kind of regulariser or domain.
#[derive(Debug)]
pub struct RegulariserEntry {
    /// What it is.
    pub kind: Kind,
    /// Whether its constructor asks for the number of variables, which its values do not tell.
    pub needs_dimension: bool,
    pub(crate) build: BuildRegulariser,
}

impl RegulariserEntry {
    /// The regulariser for `n` variables; without `n`, for as many as its values speak of.
    ///
    /// # Errors
    /// A value that cannot be, by its field.
    pub fn build(&self, values: &mut Values, n: Option<usize>) -> Built<Box<dyn Regulariser>> {
        let made = (self.build)(values, n)?;
        made.check()?;
        Ok(made)
    }
}
