//! Data matrices from NumPy and SciPy.

use crate::arrays::{Vector, numbers};
use crate::error::{OrBadValue, detached};
use crate::lent::Lent;
use numpy::{
    Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::fmt::Display;
use std::sync::Arc;
use ufcm::matrix::{Entries, Matrix as Data, Shared};

/// A matrix of float64 (or dense of float32), checked once; components that are made from the same one share it.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Matrix {
    pub(crate) data: Arc<Data>,
}

impl Matrix {
    fn new(data: Data) -> Self {
        Self { data: Arc::new(data) }
    }
}

#[pymethods]
impl Matrix {
    /// A dense matrix from an array of float64 or float32 in C order, whose numbers are read where they are, if they can be.
    #[staticmethod]
    fn lent(py: Python<'_>, array: &Bound<'_, PyUntypedArray>) -> PyResult<Self> {
        let &[rows, columns] = array.shape() else {
            return Err(PyValueError::new_err("expected an array of two dimensions"));
        };
        let flat = array.call_method1("reshape", (-1,))?;
        let data = if let Ok(flat) = flat.cast::<PyArray1<f32>>() {
            let values = borrowed(flat, false)?;
            detached(py, || Data::row_major_shared(rows, columns, values))?
        } else {
            let values = borrowed(flat.cast::<PyArray1<f64>>()?, false)?;
            detached(py, || Data::row_major_shared(rows, columns, values))?
        };
        data.or_bad_value().map(Self::new)
    }

    /// A dense matrix from a 2-D array in C order, in Fortran order, or with gaps.
    #[staticmethod]
    fn dense(py: Python<'_>, array: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let (rows, columns) = (array.shape()[0], array.shape()[1]);
        // as_slice() would hand over an array in Fortran order as it lies in memory: transposed.
        let data = if array.is_c_contiguous() {
            let values = array.to_vec()?;
            detached(py, || Data::row_major(rows, columns, values))?
        } else if array.is_fortran_contiguous() {
            Data::column_major(rows, columns, array.as_slice()?)
        } else {
            let values = array.as_array().iter().copied().collect();
            detached(py, || Data::row_major(rows, columns, values))?
        };
        data.or_bad_value().map(Self::new)
    }

    /// A sparse matrix from the arrays of scipy.sparse: by rows, or by columns. They are borrowed where they can be.
    #[staticmethod]
    #[pyo3(signature = (shape, starts, indices, values, by_columns=false, copy=false))]
    fn sparse(
        py: Python<'_>,
        shape: (usize, usize),
        starts: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        values: &Bound<'_, PyArray1<f64>>,
        by_columns: bool,
        copy: bool,
    ) -> PyResult<Self> {
        let (starts, indices) = (whole_numbers(starts, "indptr")?, borrowed_indices(indices, copy)?);
        let values = borrowed(values, copy)?;
        let ((rows, columns), make) = (shape, if by_columns { Data::csc_shared } else { Data::csr_shared });
        detached(py, || make(rows, columns, starts, indices, values))?.or_bad_value().map(Self::new)
    }

    /// (rows, columns)
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.data.rows(), self.data.columns())
    }

    /// Whether only some entries are stored.
    #[getter]
    fn is_sparse(&self) -> bool {
        matches!(*self.data, Data::Sparse(_))
    }

    /// The number of entries that are stored.
    #[getter]
    fn stored(&self) -> usize {
        self.data.stored()
    }

    /// The entries: an array, or (indptr, indices, data) by rows where the matrix is sparse.
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &*self.data {
            Data::Dense(dense) => {
                let shape = [dense.rows(), dense.columns()];
                Ok(match dense.entries() {
                    Entries::Double(values) => PyArray1::from_slice(py, values).reshape(shape)?.into_any(),
                    Entries::Single(values) => PyArray1::from_slice(py, values).reshape(shape)?.into_any(),
                })
            }
            Data::Sparse(_) => {
                let stored = self.data.stored();
                let mut starts = vec![0i64; self.data.rows() + 1];
                let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
                self.data.for_each(|i, j, value| {
                    starts[i + 1] += 1;
                    indices.push(j as i64);
                    values.push(value);
                });
                for i in 0..self.data.rows() {
                    starts[i + 1] += starts[i];
                }
                let parts = (
                    PyArray1::from_vec(py, starts),
                    PyArray1::from_vec(py, indices),
                    PyArray1::from_vec(py, values),
                );
                Ok(parts.into_pyobject(py)?.into_any())
            }
        }
    }

    /// A x.
    fn apply<'py>(&self, py: Python<'py>, x: Vector<'_>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = numbers(&x);
        if x.len() != self.data.columns() {
            let (got, expected) = (x.len(), self.data.columns());
            return Err(PyValueError::new_err(format!("x has length {got}; expected {expected}")));
        }
        let mut out = vec![0.0; self.data.rows()];
        detached(py, || self.data.apply(&x, &mut out))?;
        Ok(PyArray1::from_vec(py, out))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class = py.get_type::<Self>();
        let entries = self.entries(py)?;
        match &*self.data {
            Data::Dense(_) => (class.getattr("lent")?, (entries,)).into_pyobject(py),
            Data::Sparse(_) => {
                let (starts, indices, values): (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>) =
                    entries.extract()?;
                (class.getattr("sparse")?, (self.shape(), starts, indices, values)).into_pyobject(py)
            }
        }
    }
}

/// The numbers of an array: lent by NumPy, or copied where they cannot be or are not to be.
fn borrowed<T: Element + Copy + Sync + 'static>(
    array: &Bound<'_, PyArray1<T>>,
    copy: bool,
) -> PyResult<Shared<T>> {
    let lent = if copy { None } else { Lent::new(array)? };
    Ok(match lent {
        Some(lent) => Arc::new(lent),
        None => Arc::new(array.readonly().as_array().to_vec()),
    })
}

/// As [`borrowed`], for SciPy's indices; those of 64 bits are converted.
fn borrowed_indices(array: &Bound<'_, PyAny>, copy: bool) -> PyResult<Shared<u32>> {
    let name = "indices";
    let Ok(narrow) = array.extract::<PyReadonlyArray1<'_, i32>>() else {
        return Ok(Arc::new(whole_numbers::<u32>(array, name)?));
    };
    match narrow.as_array().iter().enumerate().find(|(_, i)| **i < 0) {
        Some((k, value)) => Err(no_index(name, k, value)),
        None => borrowed(array.call_method1("view", ("uint32",))?.cast()?, copy),
    }
}

/// Whole numbers of either width that SciPy uses.
fn whole_numbers<U: TryFrom<i32> + TryFrom<i64>>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<U>> {
    fn converted<T: Element + Copy + TryInto<U> + Display, U>(
        array: &PyReadonlyArray1<'_, T>,
        name: &str,
    ) -> PyResult<Vec<U>> {
        let convert = |(k, &value): (usize, &T)| value.try_into().map_err(|_| no_index(name, k, value));
        array.as_array().iter().enumerate().map(convert).collect()
    }
    if let Ok(array) = array.extract::<PyReadonlyArray1<'_, i32>>() {
        return converted(&array, name);
    }
    if let Ok(array) = array.extract::<PyReadonlyArray1<'_, i64>>() {
        return converted(&array, name);
    }
    Err(PyTypeError::new_err(format!("sparse matrix: {name} must be an array of int32 or int64")))
}

fn no_index(name: &str, k: usize, value: impl Display) -> PyErr {
    PyValueError::new_err(format!(
        "sparse matrix: {name}[{k}] is {value}; it must not be negative, and below 2^32"
    ))
}
