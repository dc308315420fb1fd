//! A component that is a Python function.

use crate::arrays::{array, write};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyTuple};
use ufcm::error::DataError;
use ufcm::oracle::{Component, Convexity, Curvature, Grounds, OracleError, Smoothness};

/// Where the gradient comes from.
enum Gradient {
    /// fun(x) is (value, gradient).
    Together,
    /// Another function's answer.
    Apart(Py<PyAny>),
}

/// What the user says of the function.
#[derive(Default)]
pub(crate) struct Claims {
    pub(crate) smoothness: Option<Smoothness>,
    pub(crate) convexity: Option<Convexity>,
    pub(crate) lower_bound: Option<f64>,
}

/// fun, and what else the user gave with it. It is called with the GIL held: by `solve` and `check` on the thread that works
/// (listen.rs), else on the thread that called. What it raises is the cause of the error, as a `PyErr`.
pub(crate) struct Function {
    n: usize,
    function: Py<PyAny>,
    gradient: Gradient,
    hessian: Option<Py<PyAny>>,
    claims: Claims,
}

impl Function {
    pub(crate) fn new(
        n: usize,
        function: Py<PyAny>,
        gradient: Option<Py<PyAny>>,
        hessian: Option<Py<PyAny>>,
        claims: Claims,
    ) -> Result<Self, DataError> {
        // The library's own checks of n and of the claims.
        let mut checked = ufcm::component::Custom::new(n, |_, _| Ok(0.0))?;
        if let Some(smoothness) = claims.smoothness {
            checked = checked.with_smoothness(smoothness)?;
        }
        if let Some(convexity) = claims.convexity {
            checked = checked.with_convexity(convexity)?;
        }
        if let Some(bound) = claims.lower_bound {
            checked.with_lower_bound(bound)?;
        }
        let gradient = gradient.map_or(Gradient::Together, Gradient::Apart);
        Ok(Self { n, function, gradient, hessian, claims })
    }

    fn call(&self, py: Python<'_>, x: &[f64], gradient: Option<&mut [f64]>) -> PyResult<f64> {
        let point = array(py, x);
        match &self.gradient {
            Gradient::Together => {
                let answer = self.function.bind(py).call1((point,))?;
                let (value, slope) = pair(&answer)?;
                if let Some(gradient) = gradient {
                    write(&slope, "gradient", &[self.n], gradient)?;
                }
                number(&value)
            }
            Gradient::Apart(jac) => {
                let value = number(&self.function.bind(py).call1((&point,))?)?;
                if let Some(gradient) = gradient {
                    write(&jac.bind(py).call1((point,))?, "gradient", &[self.n], gradient)?;
                }
                Ok(value)
            }
        }
    }

    /// The Hessian at `x`, row after row.
    fn hessian_at(&self, x: &[f64]) -> Result<Vec<f64>, OracleError> {
        let what = "a Hessian";
        let hessian = self.hessian.as_ref().ok_or(OracleError::Unsupported { oracle: self.kind(), what })?;
        let mut matrix = vec![0.0; self.n * self.n];
        let written = Python::attach(|py| {
            let answer = hessian.bind(py).call1((array(py, x),))?;
            write(&answer, "Hessian", &[self.n, self.n], &mut matrix)
        });
        written.map_err(OracleError::failed)?;
        match matrix.iter().position(|entry| !entry.is_finite()) {
            None => Ok(matrix),
            Some(k) => Err(OracleError::NotFinite { what: "hessian", index: Some(k), value: matrix[k] }),
        }
    }
}

/// The two parts of a function's answer.
fn pair<'py>(answer: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    if let Ok(pair) = answer.cast::<PyTuple>()
        && pair.len() == 2
    {
        return Ok((pair.get_item(0)?, pair.get_item(1)?));
    }
    if let Ok(pair) = answer.cast::<PyList>()
        && pair.len() == 2
    {
        return Ok((pair.get_item(0)?, pair.get_item(1)?));
    }
    let kind = answer.get_type();
    Err(PyTypeError::new_err(format!(
        "the function returned {kind}; expected (value, gradient). If it returns the value alone, give the gradient \
         as jac=, or use ufcm.jax.component or ufcm.torch.component"
    )))
}

/// A number, also in an array of one entry.
fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(float.value());
    }
    if let Ok(number) = value.extract() {
        return Ok(number);
    }
    let item = value.call_method0("item").and_then(|item| item.extract());
    item.map_err(|_: PyErr| {
        let kind = value.get_type();
        PyValueError::new_err(format!("the function's value is {kind}; expected a number"))
    })
}

impl Component for Function {
    fn kind(&self) -> &'static str {
        "Python function"
    }

    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    fn dimension(&self) -> usize {
        self.n
    }

    // Whether the numbers are finite is looked at by whoever calls, as for every component.
    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        if x.len() != self.n {
            return Err(OracleError::Length { what: "x", expected: self.n, got: x.len() });
        }
        Python::attach(|py| self.call(py, x, gradient)).map_err(OracleError::failed)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.claims.smoothness
    }

    fn convexity(&self) -> Option<Convexity> {
        self.claims.convexity
    }

    fn lower_bound(&self) -> Option<f64> {
        self.claims.lower_bound
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.hessian.is_some().then_some(self as &dyn Curvature)
    }
}

impl Curvature for Function {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        let matrix = self.hessian_at(x)?;
        diagonal.iter_mut().enumerate().for_each(|(i, d)| *d += weight * matrix[i * self.n + i]);
        Ok(())
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        let matrix = self.hessian_at(x)?;
        for j in 0..self.n {
            for i in j..self.n {
                hessian[j * self.n + i] += weight * matrix[j * self.n + i];
            }
        }
        Ok(())
    }
}
