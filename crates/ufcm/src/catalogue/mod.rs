//! The catalogue of kinds: every component, composer, regulariser and domain is described once, beside its code.
//!
//! Problem files and the Python package are two readers of this catalogue, the tables of the manual, the Python stubs and
//! `ufcm kinds` are written from it. An entry has a name, the names it had before, its fields, its formula, one line
//! that says what it is, and a constructor that takes [`Values`] for the fields and answers with the library's object, or
//! with a [`DataError`] that names the field.
//!
//! ```
//! use ufcm::catalogue::{self, Value};
//! use ufcm::matrix::Matrix;
//!
//! let entry = catalogue::component("huber").ok_or("there is such a kind")?;
//! let mut values = entry.kind.values();
//! values.set("matrix", Value::Matrix(Matrix::row_major(1, 1, vec![1.0])?.into()))?;
//! values.set("target", Value::Vector(vec![0.0]))?;
//! values.set("delta", Value::Number(1.0))?;
//! let loss = entry.build(&mut values)?;
//! assert_eq!(loss.evaluate(&[3.0], None)?, 2.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod entry;
mod field;
mod recipe;
mod rows;
mod value;
mod values;

pub use entry::{Alias, Bound, ComponentEntry, ComposerEntry, Kind, RegulariserEntry, RowsTaken, Section};
pub use field::{Call, Field, FieldType, Preset};
pub use recipe::{Part, Recipe};
pub use rows::Rows;
pub use value::Value;
pub use values::Values;

use crate::error::DataError;
use crate::{component, composer, regulariser};

/// All components.
pub fn components() -> impl Iterator<Item = &'static ComponentEntry> {
    component::CATALOGUE.iter().copied().flatten()
}

/// All composers.
pub fn composers() -> impl Iterator<Item = &'static ComposerEntry> {
    composer::CATALOGUE.iter()
}

/// All regularisers, then all domains.
pub fn regularisers() -> impl Iterator<Item = &'static RegulariserEntry> {
    regulariser::CATALOGUE.iter()
}

/// All kinds, section by section.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    let components = components().map(|entry| &entry.kind);
    let composers = composers().map(|entry| &entry.kind);
    components.chain(composers).chain(regularisers().map(|entry| &entry.kind))
}

/// The component of this name, or that had it before.
#[must_use]
pub fn component(name: &str) -> Option<&'static ComponentEntry> {
    components().find(|entry| entry.kind.is_called(name))
}

/// The composer of this name, or that had it before.
#[must_use]
pub fn composer(name: &str) -> Option<&'static ComposerEntry> {
    composers().find(|entry| entry.kind.is_called(name))
}

/// The regulariser or domain of this name, or that had it before.
#[must_use]
pub fn regulariser(name: &str) -> Option<&'static RegulariserEntry> {
    regularisers().find(|entry| entry.kind.is_called(name))
}

/// What every component may have in a problem file besides its own fields: it is then weight g(x) + constant.
pub const COMPONENT_FIELDS: &[Field] = &[
    Field::new("weight", FieldType::Number, "times the component").preset(Preset::Number(1.0)),
    Field::new("constant", FieldType::Number, "added to it").preset(Preset::Number(0.0)),
];

/// What every regulariser and domain may have in a problem file besides its own fields: factor u(argument (x - centre)),
/// with the centre taken off first.
pub const REGULARISER_FIELDS: &[Field] = &[
    Field::new("centre", FieldType::Spread, "u(x - centre)").aliases(&["center"]).absent("0"),
    Field::new("factor", FieldType::Number, "times u").preset(Preset::Number(1.0)),
    Field::new("argument", FieldType::Number, "u(argument x)").preset(Preset::Number(1.0)),
];

/// An affine block, A x - b.
pub static AFFINE: Kind = Kind {
    section: Section::Affine,
    name: "affine",
    aliases: &[],
    formula: "A x - b",
    about: "A block of affine rows.",
    fields: &[
        Field::new("matrix", FieldType::Matrix, "the rows").symbol("A").blamed_as(&["A"]),
        Field::new("offset", FieldType::Labels, "one for each row").symbol("b").blamed_as(&["b"]).absent("0"),
    ],
    example: "",
};

/// A constructor's answer.
pub type Built<T> = Result<T, DataError>;
