//! Components: made from data or from Python functions, added up, evaluated.

use crate::arrays::{Vector, array, numbers};
use crate::block::Affine;
use crate::composed::Composed;
use crate::error::{self, OrBadValue, detached};
use crate::function::{Claims, Function};
use crate::kinds;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use ufcm::catalogue::{self, Rows};
use ufcm::component::{ComponentExt, Sum};
use ufcm::error::DataError;
use ufcm::oracle::{Component as Oracle, Convexity, Smoothness, guarded};
use ufcm::ranks::Split;

/// A convex function of n variables.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Component {
    pub(crate) oracle: Arc<dyn Oracle>,
}

fn made<G: Oracle + 'static>(component: Result<G, DataError>) -> PyResult<Component> {
    Ok(Component { oracle: Arc::new(component.or_bad_value()?) })
}

#[pymethods]
impl Component {
    /// A kind of the catalogue.
    #[staticmethod]
    fn of_kind(py: Python<'_>, kind: &str, values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entry = kinds::entry(kind, catalogue::component)?;
        let mut values = kinds::values(&entry.kind, values)?;
        let oracle = detached(py, move || entry.build(&mut values))?.or_bad_value()?;
        Ok(Self { oracle })
    }

    /// h(A x - b) with a composer h of the catalogue.
    #[staticmethod]
    fn composed(kind: &str, affine: &Affine, values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entry = kinds::entry(kind, catalogue::composer)?;
        let mut values = kinds::values(&entry.kind, values)?;
        let (composer, rows) =
            entry.compose(&mut values, Rows::Affine(affine.block.clone())).or_bad_value()?;
        match rows {
            Rows::Affine(block) => Ok(Self { oracle: Arc::new(Composed::new(block, composer)) }),
            Rows::Components(_) => {
                Err(PyTypeError::new_err(format!("{kind} of an affine block is no component")))
            }
        }
    }

    /// A Python function.
    #[staticmethod]
    fn function(
        n: usize,
        function: Py<PyAny>,
        jac: Option<Py<PyAny>>,
        hess: Option<Py<PyAny>>,
        smoothness: Option<(f64, f64)>,
        convexity: Option<(f64, f64)>,
        lower_bound: Option<f64>,
    ) -> PyResult<Self> {
        let claims = Claims {
            smoothness: smoothness.map(|(constant, exponent)| Smoothness { constant, exponent }),
            convexity: convexity.map(|(constant, exponent)| Convexity { constant, exponent }),
            lower_bound,
        };
        made(Function::new(n, function, jac, hess, claims))
    }

    /// weight times this plus a constant.
    fn rescaled(&self, weight: f64, constant: f64) -> PyResult<Self> {
        let scaled = self.oracle.clone().scaled(weight).or_bad_value()?;
        if constant == 0.0 { made(Ok(scaled)) } else { made(scaled.shifted(constant)) }
    }

    /// This rank's part of a component over all ranks: of their sum, or of their mean with so many samples here.
    #[staticmethod]
    fn per_rank(part: &Self, samples: Option<f64>) -> PyResult<Self> {
        let split = samples.map_or(Split::Sum, Split::Mean);
        made(part.oracle.clone().of_this_rank(split))
    }

    /// A component of some of `n` variables.
    #[staticmethod]
    fn on_variables(part: PyRef<'_, Self>, variables: Vec<usize>, n: usize) -> PyResult<Self> {
        made(part.oracle.clone().on_variables(variables, n))
    }

    /// The sum of components.
    #[staticmethod]
    fn sum(parts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        made(Sum::new(parts.iter().map(|part| part.oracle.clone()).collect()))
    }

    /// The number of variables.
    #[getter]
    fn dimension(&self) -> usize {
        self.oracle.dimension()
    }

    /// What it is, in words.
    #[getter]
    fn kind(&self) -> &'static str {
        self.oracle.kind()
    }

    /// Whether it is affine.
    #[getter]
    fn is_affine(&self) -> bool {
        self.oracle.is_affine()
    }

    /// (L, p) of Hölder smoothness on the whole space, if known.
    #[getter]
    fn smoothness(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        detached(py, || self.oracle.smoothness().map(|s| (s.constant, s.exponent)))
    }

    /// (mu, q) of uniform convexity, if known to be more than plain convexity.
    #[getter]
    fn convexity(&self) -> Option<(f64, f64)> {
        self.oracle.convexity().map(|c| (c.constant, c.exponent))
    }

    /// A number the component never goes below, if known.
    #[getter]
    fn lower_bound(&self) -> Option<f64> {
        self.oracle.lower_bound()
    }

    /// Whether it knows second derivatives.
    #[getter]
    fn has_hessian(&self) -> bool {
        self.oracle.curvature().is_some()
    }

    /// The value at `x`.
    fn value(&self, py: Python<'_>, x: Vector<'_>) -> PyResult<f64> {
        let x = numbers(&x);
        detached(py, || guarded(&*self.oracle, &x, None))?.map_err(|error| error::oracle(&error))
    }

    /// The value and the gradient at `x`.
    fn value_and_gradient<'py>(
        &self,
        py: Python<'py>,
        x: Vector<'_>,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
        let x = numbers(&x);
        let mut gradient = vec![0.0; self.oracle.dimension()];
        let value = detached(py, || guarded(&*self.oracle, &x, Some(&mut gradient)))?;
        Ok((value.map_err(|error| error::oracle(&error))?, array(py, &gradient)))
    }

    /// The Hessian at `x`, or `None`.
    fn hessian<'py>(&self, py: Python<'py>, x: Vector<'_>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (x, n) = (numbers(&x), self.oracle.dimension());
        let Some(curvature) = self.oracle.curvature() else { return Ok(None) };
        let mut hessian = vec![0.0; n * n];
        let done = detached(py, || curvature.add_hessian(&x, 1.0, &mut hessian))?;
        done.map_err(|error| error::oracle(&error))?;
        for j in 0..n {
            for i in j + 1..n {
                hessian[i * n + j] = hessian[j * n + i];
            }
        }
        Ok(Some(array(py, &hessian).reshape([n, n])?))
    }
}
