//! Solving: settings in, a report out, Python functions called on the way.

use crate::arrays::{Vector, numbers};
use crate::error::{bad_value, of_ranks, raised_behind};
use crate::listen;
use crate::problem::Problem;
use crate::summary::tell;
use crate::warm_start::WarmStart;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ufcm::budget::Budget;
use ufcm::report::Status;
use ufcm::theory::measure::SaddlePoint;

/// The report as a dictionary, and the exception that ended the run, if one did. Without a report there is only the
/// exception.
#[pyfunction]
#[pyo3(signature = (problem, settings, observer, warm = None, saddle = None))]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: Py<Problem>,
    settings: &Bound<'py, PyDict>,
    observer: Option<Py<PyAny>>,
    warm: Option<Py<WarmStart>>,
    saddle: Option<(Vector<'py>, Vector<'py>)>,
) -> PyResult<(Option<Bound<'py, PyDict>>, Option<PyErr>)> {
    let mut settings = crate::settings::settings(settings)?;
    settings.warm = warm.map(|warm| warm.get().start.clone());
    if let Some((x, multipliers)) = saddle {
        let (x, multipliers) = (numbers(&x), numbers(&multipliers));
        let saddle = SaddlePoint::new(&problem.get().problem, x, multipliers);
        settings.saddle = Some(saddle.map_err(bad_value)?);
    }
    let (asked, budget) = (settings.clone(), Budget::unlimited());
    let (report, raised) = listen::run(py, &budget.stop_flag(), observer, move |observe| {
        problem.get().problem.solve_within(&asked, &budget, observe)
    })?;
    let mut report = match report {
        Ok(report) => report,
        Err(error) => {
            let exception = raised.or_else(|| raised_behind(&error)).ok_or_else(|| bad_value(error))?;
            return Ok((None, Some(exception)));
        }
    };
    let trouble = report.trouble.as_ref();
    let exception = raised.or_else(|| raised_behind(trouble?).or_else(|| of_ranks(trouble?)));
    let is_interrupt = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
    if exception.as_ref().is_some_and(is_interrupt) {
        // An interrupt is no error: the caller gets what there is.
        report.status = Status::Interrupted;
        (report.trouble, report.fault) = (None, None);
    }
    Ok((Some(tell(py, report, &settings)?), exception.filter(|error| !is_interrupt(error))))
}
