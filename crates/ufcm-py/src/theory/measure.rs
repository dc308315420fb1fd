//! The gap function and (eps, r)-optimality.

use crate::arrays::{Vector, array, numbers};
use crate::error::{bad_value, detached, oracle};
use crate::problem::Problem;
use numpy::PyArray1;
use pyo3::prelude::*;
use ufcm::theory::measure::{self, DualPoint, MeasureError, SaddlePoint};

/// An array of Python's own.
type Told<'py> = Bound<'py, PyArray1<f64>>;

fn failed(error: MeasureError) -> PyErr {
    match error {
        MeasureError::Oracle(error) => oracle(&error),
        other => bad_value(other),
    }
}

/// (nu, row after row, and -g*(nu)) with nu = ∇g(x).
#[pyfunction]
pub(crate) fn dual_point<'py>(
    py: Python<'py>,
    problem: &Problem,
    x: Vector<'py>,
    multipliers: Vector<'py>,
) -> PyResult<(Told<'py>, Told<'py>)> {
    let (x, multipliers) = (numbers(&x), numbers(&multipliers));
    let point = detached(py, || DualPoint::at(&problem.problem, &x, &multipliers))?;
    let point = point.map_err(|error| oracle(&error))?;
    Ok((array(py, &point.jacobian), array(py, &point.offsets)))
}

/// L(x; lambda, nu), with nu row after row.
#[pyfunction]
pub(crate) fn lagrangian(
    py: Python<'_>,
    problem: &Problem,
    x: Vector<'_>,
    dual: (Vector<'_>, Vector<'_>, Vector<'_>),
) -> PyResult<f64> {
    let (multipliers, jacobian, offsets) = dual;
    let (multipliers, jacobian, offsets) = (numbers(&multipliers), numbers(&jacobian), numbers(&offsets));
    let (x, dual) = (numbers(&x), DualPoint { multipliers, jacobian, offsets });
    detached(py, || measure::lagrangian(&problem.problem, &x, &dual))
}

/// p* of a saddle point.
#[pyfunction]
pub(crate) fn saddle_value(
    py: Python<'_>,
    problem: &Problem,
    x: Vector<'_>,
    multipliers: Vector<'_>,
) -> PyResult<f64> {
    let (x, multipliers) = (numbers(&x), numbers(&multipliers));
    let saddle = detached(py, || SaddlePoint::new(&problem.problem, x, multipliers))?;
    Ok(saddle.map_err(failed)?.value)
}

/// (suboptimality, infeasibility, g_hat, lambda_hat) of `x`, for a saddle point (x*, lambda*, p*).
#[pyfunction]
pub(crate) fn optimality<'py>(
    py: Python<'py>,
    problem: &Problem,
    x: Vector<'py>,
    saddle: (Vector<'py>, Vector<'py>, f64),
    r: f64,
) -> PyResult<(f64, f64, Told<'py>, Told<'py>)> {
    let (best, multipliers, value) = saddle;
    let saddle = SaddlePoint { x: numbers(&best), multipliers: numbers(&multipliers), value };
    let x = numbers(&x);
    let measured = detached(py, || measure::optimality(&problem.problem, &x, &saddle, r))?;
    let measured = measured.map_err(failed)?;
    let (g_hat, multipliers) = (array(py, &measured.g_hat), array(py, &measured.multipliers));
    Ok((measured.suboptimality, measured.infeasibility, g_hat, multipliers))
}
