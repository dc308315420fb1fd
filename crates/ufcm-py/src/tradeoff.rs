//! Trade-off curves and surfaces: the optimal value for all bounds of one constraint, or of two.

use crate::error::{bad_value, raised_behind};
use crate::listen;
use crate::problem::Problem;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ufcm::budget::Budget;
use ufcm::report::{Control, Counts};
use ufcm::tradeoff::TradeoffStatus;

/// The band of a curve.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Tradeoff {
    curve: ufcm::tradeoff::Tradeoff,
}

/// (bound, lower, upper, multiplier, gradients, x)
type Point<'py> = (f64, f64, f64, f64, usize, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Tradeoff {
    /// (lower, upper) with the bound `c`.
    fn band(&self, c: f64) -> (f64, f64) {
        self.curve.band(c)
    }

    /// (c, lower, upper) where a side bends.
    fn corners(&self) -> Vec<(f64, f64, f64)> {
        self.curve.corners()
    }

    /// The solves.
    fn points<'py>(&self, py: Python<'py>) -> Vec<Point<'py>> {
        let point = |p: &ufcm::tradeoff::TradeoffPoint| {
            let x = PyArray1::from_slice(py, &p.x);
            (p.bound, p.lower, p.upper, p.multiplier, p.gradient_evaluations, x)
        };
        self.curve.points.iter().map(point).collect()
    }

    /// All that is a number or a word.
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (told, curve) = (PyDict::new(py), &self.curve);
        told.set_item("status", status(curve.status))?;
        told.set_item("ends", (curve.from, curve.to))?;
        told.set_item("infeasible_beyond", curve.infeasible_beyond)?;
        told.set_item("premises", curve.premises.clone())?;
        told.set_item("solves", curve.solves)?;
        for (name, value) in
            [("width", curve.width), ("tol", curve.tol), ("unit", curve.unit), ("violation", curve.violation)]
        {
            told.set_item(name, value)?;
        }
        tell_counts(&told, &curve.counts, &curve.first)?;
        Ok(told)
    }
}

fn status(status: TradeoffStatus) -> String {
    match status {
        TradeoffStatus::Certified => "Certified".to_owned(),
        TradeoffStatus::Stopped(status) => status.to_string(),
        TradeoffStatus::Stalled => "Stalled".to_owned(),
    }
}

fn tell_counts(told: &Bound<'_, PyDict>, counts: &Counts, first: &Counts) -> PyResult<()> {
    for (name, count) in [
        ("gradient_evaluations", counts.gradients),
        ("value_evaluations", counts.values),
        ("hessian_evaluations", counts.hessians),
        ("first_gradient_evaluations", first.gradients),
    ] {
        told.set_item(name, count)?;
    }
    Ok(())
}

/// Both sides of a surface.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Surface {
    surface: ufcm::tradeoff::Surface,
}

/// (bounds, lower, upper, multipliers, gradients, x)
type SurfacePoint<'py> = ([f64; 2], f64, f64, [f64; 2], usize, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Surface {
    /// (lower, upper) with the bounds `c`.
    fn band(&self, c: [f64; 2]) -> (f64, f64) {
        self.surface.band(c)
    }

    /// (at, value, slope) of each plane below.
    fn planes(&self) -> Vec<([f64; 2], f64, [f64; 2])> {
        self.surface.planes().iter().map(|plane| (plane.at, plane.value, plane.slope)).collect()
    }

    /// The solves.
    fn points<'py>(&self, py: Python<'py>) -> Vec<SurfacePoint<'py>> {
        let point = |p: &ufcm::tradeoff::SurfacePoint| {
            let x = PyArray1::from_slice(py, &p.x);
            (p.bounds, p.lower, p.upper, p.multipliers, p.gradient_evaluations, x)
        };
        self.surface.points.iter().map(point).collect()
    }

    /// All that is a number or a word.
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (told, surface) = (PyDict::new(py), &self.surface);
        told.set_item("status", status(surface.status))?;
        told.set_item("ranges", surface.ranges)?;
        told.set_item("premises", surface.premises.clone())?;
        for (name, value) in [
            ("width", surface.width),
            ("tol", surface.tol),
            ("unit", surface.unit),
            ("violation", surface.violation),
            ("undecided", surface.undecided),
        ] {
            told.set_item(name, value)?;
        }
        tell_counts(&told, &surface.counts, &surface.first)?;
        Ok(told)
    }
}

/// The surface of the bounds of two rows.
#[pyfunction]
pub(crate) fn surface(
    py: Python<'_>,
    problem: Py<Problem>,
    rows: [usize; 2],
    ends: [[f64; 2]; 2],
    tol: f64,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Surface> {
    let settings = crate::settings::settings(settings)?;
    let budget = Budget::unlimited();
    let (surface, raised) = listen::run(py, &budget.stop_flag(), None, move |_| {
        let problem = &problem.get().problem;
        problem.surface_within(rows, ends, tol, &settings, &budget, &mut |_| Control::Continue)
    })?;
    match (raised, surface) {
        (Some(raised), _) => Err(raised),
        (None, Ok(surface)) => Ok(Surface { surface }),
        (None, Err(error)) => Err(raised_behind(&error).unwrap_or_else(|| bad_value(error))),
    }
}

/// The curve of the bound of a row.
#[pyfunction]
pub(crate) fn tradeoff(
    py: Python<'_>,
    problem: Py<Problem>,
    row: usize,
    ends: [f64; 2],
    tol: f64,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Tradeoff> {
    let settings = crate::settings::settings(settings)?;
    let budget = Budget::unlimited();
    let (curve, raised) = listen::run(py, &budget.stop_flag(), None, move |_| {
        let problem = &problem.get().problem;
        problem.tradeoff_within(row, ends, tol, &settings, &budget, &mut |_| Control::Continue)
    })?;
    match (raised, curve) {
        (Some(raised), _) => Err(raised),
        (None, Ok(curve)) => Ok(Tradeoff { curve }),
        (None, Err(error)) => Err(raised_behind(&error).unwrap_or_else(|| bad_value(error))),
    }
}
