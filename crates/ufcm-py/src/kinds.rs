//! The catalogue of kinds for Python, and values for its fields.

use crate::arrays::{Vector, numbers};
use crate::error::OrBadValue;
use crate::matrix::Matrix;
use crate::regulariser::Regulariser;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ufcm::catalogue::{Field, FieldType, Kind, Part, Value, Values, kinds};

/// All kinds with their fields, as JSON: the Python functions are made from it.
#[pyfunction]
pub(crate) fn catalogue() -> PyResult<String> {
    let kinds: Vec<&Kind> = kinds().collect();
    serde_json::to_string(&kinds).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The entry of a name.
pub(crate) fn entry<T>(name: &str, find: impl Fn(&str) -> Option<&'static T>) -> PyResult<&'static T> {
    find(name).ok_or_else(|| PyValueError::new_err(format!("there is no kind {name:?}")))
}

/// Values for the fields of a kind, by any of their spellings; `None` leaves a field out.
pub(crate) fn values(kind: &'static Kind, given: &Bound<'_, PyDict>) -> PyResult<Values> {
    let mut values = kind.values();
    for (name, given) in given.iter().filter(|(_, given)| !given.is_none()) {
        let name: String = name.extract()?;
        let field = kind.field(&name).ok_or_else(|| {
            PyTypeError::new_err(format!("{} got an unexpected argument '{name}'", kind.name))
        })?;
        values.set(&name, value(field, &given)?).or_bad_value()?;
    }
    Ok(values)
}

/// A value by the type of its field.
fn value(field: &Field, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let vector = || Ok(Value::Vector(numbers(&given.extract::<Vector<'_>>()?)));
    match field.of {
        FieldType::Matrix => Ok(Value::Matrix(given.extract::<PyRef<'_, Matrix>>()?.data.clone())),
        FieldType::MatrixOrDiagonal => match given.extract::<PyRef<'_, Matrix>>() {
            Ok(matrix) => Ok(Value::Matrix(matrix.data.clone())),
            Err(_) => vector(),
        },
        FieldType::Labels | FieldType::Spread | FieldType::PerCoordinate => match given.extract() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => vector(),
        },
        FieldType::Vector => vector(),
        FieldType::Number => given.extract().map(Value::Number),
        FieldType::Count => given.extract().map(Value::Count),
        FieldType::Flag => given.extract().map(Value::Flag),
        FieldType::Choice(_) => given.extract().map(Value::Word),
        FieldType::Groups => given.extract().map(Value::Groups),
        FieldType::Parts => {
            let parts: Vec<(usize, PyRef<'_, Regulariser>)> = given.extract()?;
            let part = |(variables, part): &(usize, PyRef<'_, Regulariser>)| Part {
                variables: *variables,
                recipe: part.recipe.clone(),
            };
            Ok(Value::Parts(parts.iter().map(part).collect()))
        }
        of => Err(PyTypeError::new_err(format!("{}: {} cannot come from Python", field.name, of.words()))),
    }
}
