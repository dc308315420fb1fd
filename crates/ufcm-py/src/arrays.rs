//! Vectors to and from NumPy.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// A vector of float64 as Python hands it over; any stride.
pub(crate) type Vector<'py> = PyReadonlyArray1<'py, f64>;

/// Its numbers.
pub(crate) fn numbers(vector: &Vector<'_>) -> Vec<f64> {
    match vector.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => vector.as_array().iter().copied().collect(),
    }
}

/// A fresh array.
pub(crate) fn array<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// The answer of a user's function, written to `out`; an error where it is no vector of that length.
pub(crate) fn write(answer: &Bound<'_, PyAny>, what: &str, shape: &[usize], out: &mut [f64]) -> PyResult<()> {
    use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
    use pyo3::exceptions::{PyTypeError, PyValueError};
    let converted;
    let array: PyReadonlyArrayDyn<'_, f64> = match answer.extract() {
        Ok(array) => array,
        Err(_) => {
            // A list, a JAX or PyTorch array, another dtype.
            let numpy = answer.py().import("numpy")?;
            converted = numpy.call_method1("asarray", (answer, "float64")).map_err(|error| {
                let kind = answer.get_type();
                PyTypeError::new_err(format!("the function's {what} is {kind}, no array of numbers: {error}"))
            })?;
            converted.extract()?
        }
    };
    if array.shape() != shape {
        let (got, expected) = (array.shape(), shape);
        return Err(PyValueError::new_err(format!(
            "the function's {what} has shape {got:?}; expected {expected:?}"
        )));
    }
    // as_slice() would also hand over an array in Fortran order, as it lies in memory.
    if array.is_c_contiguous()
        && let Ok(slice) = array.as_slice()
    {
        out.copy_from_slice(slice);
        return Ok(());
    }
    // In the order of indices, whatever the order in memory.
    out.iter_mut().zip(array.as_array().iter()).for_each(|(out, value)| *out = *value);
    Ok(())
}
