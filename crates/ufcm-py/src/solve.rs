//! Solving: settings in, a report out, Python functions called on the way.

use crate::arrays::{Vector, array, optional_numbers};
use crate::certificate::{Certificate, Infeasibility};
use crate::error::{bad_value, raised_behind};
use crate::listen;
use crate::problem::Problem;
use crate::progress::record_fields;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ufcm::budget::Budget;
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, MetricRule, Settings};

fn choice<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
    found.ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("settings: {what} is {word:?}; it must be one of {}", names.join(", ")))
    })
}

const METHODS: [(&str, MethodRule); 6] = [
    ("auto", MethodRule::Auto),
    ("adaptive", MethodRule::Adaptive),
    ("sliding", MethodRule::Sliding),
    ("primal-dual", MethodRule::PrimalDual),
    ("ufcm", MethodRule::Ufcm),
    ("restarted", MethodRule::Restarted),
];

const METRICS: [(&str, MetricRule); 7] = [
    ("auto", MetricRule::Auto),
    ("scalar", MetricRule::Scalar),
    ("hints", MetricRule::Hints),
    ("damped", MetricRule::Damped),
    ("curvature", MetricRule::Curvature),
    ("low-rank", MetricRule::LowRank),
    ("quasi-newton", MetricRule::QuasiNewton),
];

/// The report as a dictionary, and the exception that ended the run, if one did. Without a report there is only the
/// exception.
#[pyfunction]
#[pyo3(signature = (problem, *, eps_rel, eps_abs, eps_feas, x0, multipliers0, interior, method, metric, time_limit,
                    max_gradients, threads, radius, objective_floor, observer))]
#[expect(clippy::too_many_arguments, reason = "one for each setting")]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: Py<Problem>,
    eps_rel: f64,
    eps_abs: f64,
    eps_feas: f64,
    x0: Option<Vector<'_>>,
    multipliers0: Option<Vector<'_>>,
    interior: Option<Vector<'_>>,
    method: &str,
    metric: &str,
    time_limit: Option<f64>,
    max_gradients: Option<usize>,
    threads: Option<usize>,
    radius: Option<f64>,
    objective_floor: f64,
    observer: Option<Py<PyAny>>,
) -> PyResult<(Option<Bound<'py, PyDict>>, Option<PyErr>)> {
    let settings = Settings {
        eps_abs,
        eps_rel,
        eps_feas,
        max_gradients,
        time_limit,
        radius,
        x0: optional_numbers(x0.as_ref()),
        multipliers0: optional_numbers(multipliers0.as_ref()),
        interior: optional_numbers(interior.as_ref()),
        method: choice("method", method, &METHODS)?,
        metric: choice("metric", metric, &METRICS)?,
        threads,
        objective_floor,
    };
    let budget = Budget::unlimited();
    let (report, raised) = listen::run(py, &budget.stop_flag(), observer, move |observe| {
        problem.get().problem.solve_within(&settings, &budget, observe)
    })?;
    let mut report = match report {
        Ok(report) => report,
        Err(error) => {
            let exception = raised.or_else(|| raised_behind(&error)).ok_or_else(|| bad_value(error))?;
            return Ok((None, Some(exception)));
        }
    };
    let exception = raised.or_else(|| report.trouble.as_ref().and_then(|trouble| raised_behind(trouble)));
    let is_interrupt = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
    if exception.as_ref().is_some_and(is_interrupt) {
        // An interrupt is no error: the caller gets what there is.
        report = Report { status: Status::Interrupted, trouble: None, fault: None, ..report };
    }
    Ok((Some(tell(py, report)?), exception.filter(|error| !is_interrupt(error))))
}

/// A report as a dictionary.
fn tell(py: Python<'_>, report: Report) -> PyResult<Bound<'_, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("status", report.status.to_string())?;
    told.set_item("meaning", report.meaning())?;
    told.set_item("x", array(py, &report.x))?;
    told.set_item("objective", report.objective)?;
    told.set_item("lower_bound", report.lower_bound)?;
    told.set_item("upper_bound", report.upper_bound)?;
    told.set_item("violation", report.violation)?;
    told.set_item("row_multipliers", array(py, &report.multipliers))?;
    told.set_item("seconds", report.seconds)?;
    let counts = &report.counts;
    told.set_item("gradient_evaluations", counts.gradients)?;
    told.set_item("value_evaluations", counts.values)?;
    told.set_item("hessian_evaluations", counts.hessians)?;
    told.set_item("hessian_products", counts.hessian_products)?;
    told.set_item("inner_steps", counts.newton_steps)?;
    told.set_item("restarts", counts.restarts)?;
    told.set_item("steps", counts.steps)?;
    let prelude = report.prelude.as_ref();
    told.set_item("constants_gradients", prelude.map(|prelude| prelude.counts.gradients))?;
    told.set_item("promised_gradients", prelude.and_then(|prelude| prelude.promised))?;
    let history: Vec<_> = report.history.iter().map(record_fields).collect();
    told.set_item("history", history)?;
    told.set_item("trouble", report.trouble.map(|trouble| trouble.to_string()))?;
    told.set_item("fault", report.fault.map(|fault| (fault.row, fault.step, array(py, &fault.point))))?;
    let feasible = report.feasible.map(|moved| (array(py, &moved.x), moved.upper.objective));
    told.set_item("feasible", feasible)?;
    let certificate = report.certificate.map(|proof| Py::new(py, Certificate { proof })).transpose()?;
    told.set_item("certificate", certificate)?;
    let infeasibility = report.infeasibility.map(|proof| Py::new(py, Infeasibility { proof })).transpose()?;
    told.set_item("infeasibility", infeasibility)?;
    Ok(told)
}
