//! Values for the fields of a kind.

use super::entry::Kind;
use super::field::{Field, FieldType, Preset};
use super::recipe::Part;
use super::value::Value;
use crate::error::{DataError, DataProblem, check_length};
use crate::matrix::Matrix;
use crate::regulariser::PerCoordinate;
use std::ops::Range;
use std::sync::Arc;

/// Values for the fields of a kind, from which its constructor takes what it needs.
///
/// What is large (matrices, vectors, lists) is moved out, so that building copies nothing; a clone builds again.
#[derive(Debug, Clone)]
pub struct Values {
    kind: &'static Kind,
    given: Vec<(&'static str, Value)>,
}

impl Values {
    pub(super) fn new(kind: &'static Kind) -> Self {
        Self { kind, given: Vec::new() }
    }

    /// Gives a field its value, under any of its spellings.
    ///
    /// # Errors
    /// A field that the kind does not have, one that was given before, or a value of the wrong type.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), DataError> {
        let Some(field) = self.kind.field(name) else {
            let known: Vec<&str> = self.kind.fields.iter().map(|field| field.name).collect();
            return Err(self.wrong(format!("there is no field `{name}`; it takes {}", known.join(", "))));
        };
        if !value.fits(field.of) {
            let expected = match field.of {
                FieldType::Choice(words) => {
                    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ")
                }
                of => of.words().to_owned(),
            };
            return Err(self.wrong(format!("{name} is {}; it must be {expected}", value.words())));
        }
        if self.has(field.name) {
            return Err(self.wrong(format!("`{name}` is given twice")));
        }
        self.given.push((field.name, value));
        Ok(())
    }

    /// Whether there is such a field, given or not.
    #[must_use]
    pub fn takes(&self, field: &str) -> bool {
        self.preset(field).is_some()
    }

    /// Whether a field was given.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// An error about these values as a whole.
    #[must_use]
    pub fn wrong(&self, message: impl Into<String>) -> DataError {
        DataError::structure(self.kind.name, message)
    }

    /// Checks the length of a field.
    ///
    /// # Errors
    /// It is not as expected.
    pub fn check_length(&self, field: &'static str, expected: usize, got: usize) -> Result<(), DataError> {
        check_length(self.kind.name, field, expected, got)
    }

    fn missing(&self, field: &'static str) -> DataError {
        DataError::new(self.kind.name, DataProblem::Missing { field })
    }

    fn get(&self, field: &str) -> Option<&Value> {
        self.given.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        let place = self.given.iter().position(|(name, _)| *name == field)?;
        Some(self.given.swap_remove(place).1)
    }

    fn preset(&self, field: &str) -> Option<Preset> {
        self.kind.fields.iter().find(|known| known.name == field).map(|known| known.preset)
    }
}

/// Where a kind is to speak of some of the variables.
impl Values {
    /// Keeps what is said of some coordinates: weights of the others become 0, and their bounds infinite.
    ///
    /// # Errors
    /// A kind that does not act coordinate by coordinate, or another number of values than of coordinates.
    pub fn keep_coordinates(&mut self, kept: &[bool]) -> Result<(), DataError> {
        let fields: Vec<&'static Field> =
            self.kind.fields.iter().filter(|field| field.of == FieldType::PerCoordinate).collect();
        if fields.is_empty() {
            let message = "it takes all variables: only kinds that act on each by itself (l1, ridge, elastic_net, positive_part, l1_box, box) take some";
            return Err(self.wrong(message));
        }
        for field in fields {
            let mut values = match (self.take(field.name), field.preset) {
                (Some(Value::Vector(vector)), _) => vector,
                (Some(Value::Number(number)), _) | (None, Preset::Number(number)) => vec![number; kept.len()],
                _ => return Err(self.missing(field.name)),
            };
            self.check_length(field.name, kept.len(), values.len())?;
            let idle = match field.name {
                "lower" => f64::NEG_INFINITY,
                "upper" => f64::INFINITY,
                _ => 0.0,
            };
            values.iter_mut().zip(kept).filter(|(_, kept)| !**kept).for_each(|(value, _)| *value = idle);
            self.given.push((field.name, Value::Vector(values)));
        }
        Ok(())
    }
}

/// Where ranks have samples of their own.
impl Values {
    /// The number of samples: rows of the matrix.
    #[must_use]
    pub fn samples(&self) -> Option<usize> {
        match self.get("matrix") {
            Some(Value::Matrix(matrix)) => Some(matrix.rows()),
            _ => None,
        }
    }

    /// Keeps these samples, with their labels and weights, and checks their numbers.
    ///
    /// # Errors
    /// A number that is not finite, by its row among those that are kept.
    pub fn keep_samples(&mut self, rows: Range<usize>) -> Result<(), DataError> {
        let all = self.samples();
        for (_, value) in &mut self.given {
            match value {
                Value::Matrix(matrix) if Some(matrix.rows()) == all => {
                    let part = matrix.row_range(rows.clone());
                    part.check()?;
                    *matrix = Arc::new(part);
                }
                Value::Vector(vector) if Some(vector.len()) == all => *vector = vector[rows.clone()].to_vec(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the samples that are given for those of this rank, `own` of `total` over all ranks: of what is given for all samples, such as weights, its part
    /// is kept. Where the rank has none, one sample of zeros stands in, so that a component can be made that tells what it is.
    ///
    /// # Errors
    /// A number that is not finite, by its row on this rank.
    pub fn keep_own(&mut self, own: Range<usize>, total: usize) -> Result<(), DataError> {
        let (here, absent) = (self.samples(), own.is_empty());
        for (_, value) in &mut self.given {
            match value {
                Value::Matrix(matrix) if Some(matrix.rows()) == here => match absent {
                    true => {
                        *matrix =
                            Arc::new(Matrix::row_major(1, matrix.columns(), vec![0.0; matrix.columns()])?)
                    }
                    false => matrix.check()?,
                },
                Value::Vector(vector) if absent && (vector.is_empty() || vector.len() == total) => {
                    *vector = vec![1.0]
                }
                Value::Vector(vector) if vector.len() == total => *vector = vector[own.clone()].to_vec(),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What constructors ask for. A field that must be given and was not is an error, as is one of another type, which
/// [`Values::set`] has refused before.
impl Values {
    /// A number.
    ///
    /// # Errors
    /// It is missing.
    pub fn number(&self, field: &'static str) -> Result<f64, DataError> {
        match (self.get(field), self.preset(field)) {
            (Some(Value::Number(number)), _) => Ok(*number),
            (None, Some(Preset::Number(number))) => Ok(number),
            _ => Err(self.missing(field)),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is missing.
    pub fn count(&self, field: &'static str) -> Result<usize, DataError> {
        match self.get(field) {
            Some(Value::Count(count)) => Ok(*count),
            _ => Err(self.missing(field)),
        }
    }

    /// True or false.
    ///
    /// # Errors
    /// It is missing.
    pub fn flag(&self, field: &'static str) -> Result<bool, DataError> {
        match (self.get(field), self.preset(field)) {
            (Some(Value::Flag(flag)), _) => Ok(*flag),
            (None, Some(Preset::Flag(flag))) => Ok(flag),
            _ => Err(self.missing(field)),
        }
    }

    /// A word.
    ///
    /// # Errors
    /// It is missing.
    pub fn word(&self, field: &'static str) -> Result<&str, DataError> {
        match (self.get(field), self.preset(field)) {
            (Some(Value::Word(word)), _) => Ok(word),
            (None, Some(Preset::Word(word))) => Ok(word),
            _ => Err(self.missing(field)),
        }
    }

    /// A matrix.
    ///
    /// # Errors
    /// It is missing.
    pub fn matrix(&mut self, field: &'static str) -> Result<Arc<Matrix>, DataError> {
        self.optional_matrix(field).ok_or_else(|| self.missing(field))
    }

    /// A matrix, if it was given as one.
    pub fn optional_matrix(&mut self, field: &'static str) -> Option<Arc<Matrix>> {
        match self.get(field)? {
            Value::Matrix(_) => match self.take(field) {
                Some(Value::Matrix(matrix)) => Some(matrix),
                _ => None,
            },
            _ => None,
        }
    }

    /// A vector.
    ///
    /// # Errors
    /// It is missing.
    pub fn vector(&mut self, field: &'static str) -> Result<Vec<f64>, DataError> {
        self.optional_vector(field).ok_or_else(|| self.missing(field))
    }

    /// A vector, if it was given as one.
    pub fn optional_vector(&mut self, field: &'static str) -> Option<Vec<f64>> {
        match self.get(field)? {
            Value::Vector(_) => match self.take(field) {
                Some(Value::Vector(vector)) => Some(vector),
                _ => None,
            },
            _ => None,
        }
    }

    /// A vector, or as many equal numbers as `length` says; `None` where it was left out, and may be.
    ///
    /// # Errors
    /// It is missing, or it is one number and the length is not known.
    pub fn spread(
        &mut self,
        field: &'static str,
        length: Option<usize>,
    ) -> Result<Option<Vec<f64>>, DataError> {
        match (self.take(field), length) {
            (Some(Value::Vector(vector)), _) => Ok(Some(vector)),
            (Some(Value::Number(number)), Some(length)) => Ok(Some(vec![number; length])),
            (Some(Value::Number(number)), None) => {
                let message = format!("{field} is {number}, and for how many variables is not known");
                Err(self.wrong(message))
            }
            _ if self.preset(field) == Some(Preset::Required) => Err(self.missing(field)),
            _ => Ok(None),
        }
    }

    /// A vector, or as many equal numbers as `length` says; `fill` of them where it was left out, and may be.
    ///
    /// # Errors
    /// It is missing.
    pub fn spread_or(
        &mut self,
        field: &'static str,
        length: usize,
        fill: f64,
    ) -> Result<Vec<f64>, DataError> {
        Ok(self.spread(field, Some(length))?.unwrap_or_else(|| vec![fill; length]))
    }

    /// One number for all coordinates, or one for each.
    ///
    /// # Errors
    /// It is missing.
    pub fn per_coordinate(&mut self, field: &'static str) -> Result<PerCoordinate, DataError> {
        match (self.take(field), self.preset(field)) {
            (Some(Value::Vector(vector)), _) => Ok(vector.into()),
            (Some(Value::Number(number)), _) => Ok(number.into()),
            (None, Some(Preset::Number(number))) => Ok(number.into()),
            _ => Err(self.missing(field)),
        }
    }

    /// Lists of indices.
    ///
    /// # Errors
    /// They are missing.
    pub fn groups(&mut self, field: &'static str) -> Result<Vec<Vec<usize>>, DataError> {
        match self.take(field) {
            Some(Value::Groups(groups)) => Ok(groups),
            _ => Err(self.missing(field)),
        }
    }

    /// Regularisers and domains on variables of their own.
    ///
    /// # Errors
    /// They are missing.
    pub fn parts(&mut self, field: &'static str) -> Result<Vec<Part>, DataError> {
        match self.take(field) {
            Some(Value::Parts(parts)) => Ok(parts),
            _ => Err(self.missing(field)),
        }
    }
}
