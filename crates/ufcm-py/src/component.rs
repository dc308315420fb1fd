//! Components: made from data or from Python functions, added up, evaluated.

use crate::arrays::{Vector, array, numbers, optional_numbers};
use crate::block::{Affine, composed};
use crate::error::{self, OrBadValue, detached};
use crate::function::{Claims, Function};
use crate::matrix::Matrix;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use ufcm::component::{
    ComponentExt, ExponentialSum, Glm, Huber, LeastSquares, Linear, LogSumExp, Logistic, Loss, Poisson,
    Power, Quadratic, Reduction, SmoothedHinge, SquaredHinge, Sum,
};
use ufcm::error::DataError;
use ufcm::oracle::{Component as Oracle, Convexity, Smoothness, guarded};

/// A convex function of n variables.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Component {
    pub(crate) oracle: Arc<dyn Oracle>,
}

fn made<G: Oracle + 'static>(component: Result<G, DataError>) -> PyResult<Component> {
    Ok(Component { oracle: Arc::new(component.or_bad_value()?) })
}

/// A loss over data, as the user weighs its samples.
fn weighed<L: Loss + 'static>(
    loss: Result<Glm<L>, DataError>,
    weights: Option<&Vector<'_>>,
    reduction: &str,
) -> PyResult<Component> {
    let reduction = match reduction {
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        _ => {
            let message = format!("reduction is {reduction:?}; it must be \"mean\" or \"sum\"");
            return Err(PyValueError::new_err(message));
        }
    };
    let loss = loss.or_bad_value()?.reduced_by(reduction);
    match optional_numbers(weights) {
        None => made(Ok(loss)),
        Some(weights) => made(loss.weighted(weights)),
    }
}

#[pymethods]
impl Component {
    /// A loss over data by its name. `parameter` is delta of the Huber loss, p of the power loss, gamma of the smoothed hinge.
    #[staticmethod]
    fn loss(
        kind: &str,
        matrix: &Matrix,
        targets: Vector<'_>,
        parameter: f64,
        weights: Option<Vector<'_>>,
        reduction: &str,
    ) -> PyResult<Self> {
        let (data, targets, weights) = (matrix.data.clone(), numbers(&targets), weights.as_ref());
        match kind {
            "logistic" => weighed(Logistic::new(data, &targets), weights, reduction),
            "least_squares" => weighed(LeastSquares::new(data, targets), weights, reduction),
            "huber" => weighed(Huber::new(data, targets, parameter), weights, reduction),
            "poisson" => weighed(Poisson::new(data, targets), weights, reduction),
            "power" => weighed(Power::new(data, targets, parameter), weights, reduction),
            "squared_hinge_loss" => weighed(SquaredHinge::new(data, &targets), weights, reduction),
            "smoothed_hinge" => weighed(SmoothedHinge::new(data, &targets, parameter), weights, reduction),
            "exponential_sum" => weighed(ExponentialSum::new(data, targets), weights, reduction),
            _ => Err(PyValueError::new_err(format!("there is no loss {kind:?}"))),
        }
    }

    /// log sum exp(A x + b).
    #[staticmethod]
    fn log_sum_exp(matrix: &Matrix, offsets: Vector<'_>) -> PyResult<Self> {
        made(LogSumExp::new(matrix.data.clone(), numbers(&offsets)))
    }

    /// x'Qx/2 + c.x + constant with Q a matrix, a diagonal, or F'F and a diagonal or none.
    #[staticmethod]
    fn quadratic(
        py: Python<'_>,
        matrix: Option<&Matrix>,
        diagonal: Option<Vector<'_>>,
        factor: Option<&Matrix>,
        linear: Option<Vector<'_>>,
        constant: f64,
        trusted: bool,
    ) -> PyResult<Self> {
        let (diagonal, linear) = (optional_numbers(diagonal.as_ref()), optional_numbers(linear.as_ref()));
        let (matrix, factor) = (matrix.map(|q| q.data.clone()), factor.map(|f| f.data.clone()));
        let form = detached(py, || match (matrix, factor, diagonal) {
            (Some(q), None, None) => Some(if trusted { Quadratic::trusted(&q) } else { Quadratic::new(&q) }),
            (None, Some(factor), diagonal) => Some(Quadratic::factored((*factor).clone(), diagonal)),
            (None, None, Some(diagonal)) => Some(Quadratic::diagonal(diagonal)),
            _ => None,
        })?;
        let form = form.ok_or_else(|| {
            PyValueError::new_err(
                "quadratic: give Q (a matrix, or a vector for a diagonal one) or factor, not both",
            )
        })?;
        let mut form = form.or_bad_value()?;
        if let Some(linear) = linear {
            form = form.with_linear(linear).or_bad_value()?;
        }
        made(form.with_constant(constant))
    }

    /// c.x + constant.
    #[staticmethod]
    fn linear(slope: Vector<'_>, constant: f64) -> PyResult<Self> {
        made(Linear::new(numbers(&slope), constant))
    }

    /// h(A x - b) with a composer h by its name in the Python package.
    #[staticmethod]
    fn composed(
        kind: &str,
        affine: &Affine,
        parameter: f64,
        weights: Option<Vector<'_>>,
        weight: f64,
    ) -> PyResult<Self> {
        Ok(Self { oracle: Arc::new(composed(kind, affine, parameter, weights.as_ref(), weight)?) })
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
