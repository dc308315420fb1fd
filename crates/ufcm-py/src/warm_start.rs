//! What a solve leaves for the next one.

use crate::arrays::array;
use crate::error::bad_value;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A point, multipliers by the names of their rows, and the norm of the last steps.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct WarmStart {
    pub(crate) start: ufcm::warm_start::WarmStart,
}

#[pymethods]
impl WarmStart {
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.start.x)
    }

    /// Each with the name of its row.
    #[getter]
    fn multipliers(&self) -> Vec<(String, f64)> {
        self.start.multipliers.clone()
    }

    /// As JSON, without the norm.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.start).map_err(bad_value)
    }

    /// From its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { start: serde_json::from_str(text).map_err(bad_value)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)).into_pyobject(py)
    }
}
