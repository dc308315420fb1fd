//! Where a run stands, for callbacks.

use crate::arrays::array;
use numpy::PyArray1;
use pyo3::prelude::*;
use ufcm::report::Record;

/// The numbers of a step, in the order of `ufcm.Record`.
type Fields = (usize, f64, usize, usize, usize, f64, f64, f64, f64, bool, f64);

/// A record as a tuple.
pub(crate) fn record_fields(record: &Record) -> Fields {
    let counts = &record.counts;
    (
        counts.steps,
        record.seconds,
        counts.gradients,
        counts.values,
        counts.hessians,
        record.objective,
        record.lower_bound,
        record.violation,
        record.l,
        record.restarted,
        record.unit,
    )
}

/// Where a run stands after a step.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Progress {
    record: Record,
    x: Vec<f64>,
    multipliers: Vec<f64>,
    row_values: Vec<f64>,
}

impl Progress {
    pub(crate) fn of(progress: &ufcm::report::Progress<'_>) -> Self {
        Self {
            record: progress.record,
            x: progress.x.to_vec(),
            multipliers: progress.multipliers.to_vec(),
            row_values: progress.row_values.to_vec(),
        }
    }
}

#[pymethods]
impl Progress {
    /// The number of steps taken.
    #[getter]
    fn step(&self) -> usize {
        self.record.counts.steps
    }

    /// Seconds since the start.
    #[getter]
    fn seconds(&self) -> f64 {
        self.record.seconds
    }

    /// The objective at the best point so far, constraints left aside.
    #[getter]
    fn objective(&self) -> f64 {
        self.record.objective
    }

    /// The proven lower bound so far.
    #[getter]
    fn lower_bound(&self) -> f64 {
        self.record.lower_bound
    }

    /// Objective minus lower bound.
    #[getter]
    fn gap(&self) -> f64 {
        self.record.objective - self.record.lower_bound
    }

    /// The gap relative to max(unit, |objective|).
    #[getter]
    fn gap_rel(&self) -> f64 {
        self.record.gap_rel()
    }

    /// What the gap is relative to at least: 1, or less where the objective is small.
    #[getter]
    fn unit(&self) -> f64 {
        self.record.unit
    }

    /// The violation at the best point so far.
    #[getter]
    fn violation(&self) -> f64 {
        self.record.violation
    }

    /// Evaluations of all values and gradients so far.
    #[getter]
    fn gradient_evaluations(&self) -> usize {
        self.record.counts.gradients
    }

    /// Evaluations of all values so far.
    #[getter]
    fn value_evaluations(&self) -> usize {
        self.record.counts.values
    }

    /// Hessians so far.
    #[getter]
    fn hessian_evaluations(&self) -> usize {
        self.record.counts.hessians
    }

    /// Restarts so far.
    #[getter]
    fn restarts(&self) -> usize {
        self.record.counts.restarts
    }

    /// L, the inverse of the step size.
    #[getter]
    fn inverse_step(&self) -> f64 {
        self.record.l
    }

    /// Whether the step ended an epoch.
    #[getter]
    fn restarted(&self) -> bool {
        self.record.restarted
    }

    /// The best point so far.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.x)
    }

    /// The multipliers of the last step, over all rows; the first is that of the objective.
    #[getter]
    fn row_multipliers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.multipliers)
    }

    /// The values of all rows at the last step's point.
    #[getter]
    fn row_values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.row_values)
    }

    fn __repr__(&self) -> String {
        format!(
            "Progress(step={}, objective={:e}, lower_bound={:e}, violation={:e})",
            self.step(),
            self.objective(),
            self.lower_bound(),
            self.violation()
        )
    }
}
