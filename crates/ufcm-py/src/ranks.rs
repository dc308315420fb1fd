//! Ranks that exchange numbers through an object of Python's.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;
use ufcm::ranks::{CommunicationError, Communicator};

/// What the components of a problem that several ranks have share.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Link {
    pub(crate) link: Arc<ufcm::ranks::Link>,
}

#[pymethods]
impl Link {
    /// `communicator` has `rank`, `size`, and `sum(array)`, which replaces the numbers of an array by their sums.
    #[new]
    fn new(communicator: Bound<'_, PyAny>) -> PyResult<Self> {
        let py = communicator.py();
        let number = |name| communicator.getattr(name)?.extract::<usize>();
        let (rank, size) = (number(intern!(py, "rank"))?, number(intern!(py, "size"))?);
        let of_python = OfPython { rank, size, object: communicator.unbind() };
        Ok(Self { link: ufcm::ranks::Link::new(of_python) })
    }

    /// (sums over all ranks, their bytes, seconds in them) so far.
    #[getter]
    fn traffic(&self) -> (u64, u64, f64) {
        let traffic = self.link.traffic();
        (traffic.reductions, traffic.bytes, traffic.seconds)
    }
}

struct OfPython {
    rank: usize,
    size: usize,
    object: Py<PyAny>,
}

impl Communicator for OfPython {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError> {
        let summed = Python::attach(|py| {
            let array = PyArray1::from_slice(py, numbers);
            self.object.bind(py).call_method1(intern!(py, "sum"), (&array,))?;
            numbers.copy_from_slice(array.readonly().as_slice()?);
            Ok(())
        });
        summed.map_err(|error: PyErr| CommunicationError(error.to_string()))
    }
}
