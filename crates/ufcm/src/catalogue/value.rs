//! A value for a field.

use super::field::FieldType;
use super::recipe::Part;
use crate::matrix::Matrix;
use std::sync::Arc;

/// A value for a field, as a reader hands it over.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Value {
    /// A matrix.
    Matrix(Arc<Matrix>),
    /// A vector.
    Vector(Vec<f64>),
    /// A number; it also stands for a vector of equal numbers where the field allows it.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// True or false.
    Flag(bool),
    /// A word.
    Word(String),
    /// Lists of indices.
    Groups(Vec<Vec<usize>>),
    /// Regularisers and domains on variables of their own.
    Parts(Vec<Part>),
}

impl Value {
    /// What it is, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Matrix(_) => "a matrix".into(),
            Self::Vector(_) => "a vector".into(),
            Self::Number(number) => number.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Word(word) => format!("{word:?}"),
            Self::Groups(_) => "lists of indices".into(),
            Self::Parts(_) => "a list of kinds".into(),
        }
    }

    /// Whether a field of this type takes it.
    #[must_use]
    pub fn fits(&self, of: FieldType) -> bool {
        match self {
            Self::Matrix(_) => matches!(of, FieldType::Matrix | FieldType::MatrixOrDiagonal),
            Self::Vector(_) => matches!(
                of,
                FieldType::MatrixOrDiagonal
                    | FieldType::Labels
                    | FieldType::Vector
                    | FieldType::Spread
                    | FieldType::PerCoordinate
            ),
            Self::Number(_) => matches!(
                of,
                FieldType::Number | FieldType::Labels | FieldType::Spread | FieldType::PerCoordinate
            ),
            Self::Count(_) => of == FieldType::Count,
            Self::Flag(_) => of == FieldType::Flag,
            Self::Word(word) => {
                matches!(of, FieldType::Choice(choices) if choices.contains(&word.as_str()))
            }
            Self::Groups(_) => of == FieldType::Groups,
            Self::Parts(_) => of == FieldType::Parts,
        }
    }
}
