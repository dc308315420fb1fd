//! Settings from Python: the library's serde model reads them, so that a setting is spelled there alone.

use crate::arrays::{Vector, numbers};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use ufcm::settings::Settings;

/// The settings of a dictionary; an error names the setting.
pub(crate) fn settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let entry = |(name, value): (Bound<'_, PyAny>, _)| Ok((name.extract::<String>()?, Given(value)));
    let entries: Vec<(String, Given<'_>)> = given.iter().map(entry).collect::<PyResult<_>>()?;
    let read = |entries: &[(String, Given<'_>)]| {
        let entries = entries.iter().map(|(name, value)| (name.as_str(), value.clone()));
        Settings::deserialize(MapDeserializer::new(entries))
    };
    read(&entries).map_err(|_| {
        // Each alone, for the name of the one that is wrong.
        let wrong = entries.iter().find_map(|entry| {
            read(std::slice::from_ref(entry)).err().map(|error| (entry.0.as_str(), error.to_string()))
        });
        let (name, message) = wrong.unwrap_or_default();
        PyValueError::new_err(match message.starts_with(name) {
            true => format!("settings: {message}"),
            false => format!("settings: {name}: {message}"),
        })
    })
}

/// A value of a setting, as Python has it.
#[derive(Clone)]
struct Given<'py>(Bound<'py, PyAny>);

impl<'de> Deserializer<'de> for Given<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Self(value) = self;
        let wrong = |error: PyErr| Error::custom(error);
        if value.is_none() {
            return visitor.visit_none();
        }
        if value.is_instance_of::<PyBool>() {
            return visitor.visit_bool(value.extract().map_err(wrong)?);
        }
        if value.is_instance_of::<PyString>() {
            return visitor.visit_string(value.extract().map_err(wrong)?);
        }
        if value.is_instance_of::<PyInt>() {
            return visitor.visit_i64(value.extract().map_err(wrong)?);
        }
        if let Ok(group) = value.cast::<PyDict>() {
            let entry = |(name, value): (Bound<'_, PyAny>, _)| Ok((name.extract::<String>()?, Given(value)));
            let entries: Vec<_> = group.iter().map(entry).collect::<PyResult<_>>().map_err(wrong)?;
            return visitor.visit_map(MapDeserializer::new(entries.into_iter()));
        }
        if let Ok(list) = value.cast::<PyList>() {
            return visitor.visit_seq(SeqDeserializer::new(list.iter().map(Given)));
        }
        if let Ok(vector) = value.extract::<Vector<'_>>() {
            return visitor.visit_seq(SeqDeserializer::new(numbers(&vector).into_iter()));
        }
        visitor.visit_f64(value.extract().map_err(wrong)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Given<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
