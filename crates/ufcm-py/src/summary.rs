//! Reports for Python: the library's summary as a dictionary, with arrays and proofs beside it.

use crate::arrays::array;
use crate::certificate::{Certificate, Infeasibility, Unboundedness};
use crate::error::bad_value;
use crate::progress::record_fields;
use crate::warm_start::WarmStart;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use ufcm::report::{Report, TraceRecord};
use ufcm::settings::Settings;
use ufcm::summary::Summary;

/// A report as a dictionary.
pub(crate) fn tell<'py>(
    py: Python<'py>,
    report: Report,
    settings: &Settings,
) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    // Vectors of the user's are not told again.
    let settings = Settings {
        x0: None,
        multipliers0: None,
        interior: None,
        warm: None,
        saddle: None,
        ..settings.clone()
    };
    let (gap_told, start) = (report.gap_told(), report.warm_start());
    told.set_item("gap_told", gap_told)?;
    let summary = serde_json::to_value(Summary::new(&report, &[], &settings)).map_err(bad_value)?;
    for (name, value) in summary.as_object().into_iter().flatten() {
        // Python knows which rows belong to a constraint, and has their multipliers as arrays.
        if name != "multipliers" {
            told.set_item(name, plain(py, value)?)?;
        }
    }
    told.set_item("x", array(py, &report.x))?;
    told.set_item("row_multipliers", array(py, &report.multipliers))?;
    let history: Vec<_> = report.history.iter().map(record_fields).collect();
    told.set_item("history", history)?;
    let trace: Vec<_> = report.trace.iter().map(trace_fields).collect();
    told.set_item("trace", trace)?;
    told.set_item("fault", report.fault.map(|fault| (fault.row, fault.step, array(py, &fault.point))))?;
    let feasible = report.feasible.map(|moved| (array(py, &moved.x), moved.upper.objective));
    told.set_item("feasible", feasible)?;
    let certificate = report.certificate.map(|proof| Py::new(py, Certificate { proof })).transpose()?;
    told.set_item("certificate", certificate)?;
    let infeasibility = report.infeasibility.map(|proof| Py::new(py, Infeasibility { proof })).transpose()?;
    told.set_item("infeasibility", infeasibility)?;
    let unboundedness = report.unboundedness.map(|proof| Py::new(py, Unboundedness { proof })).transpose()?;
    told.set_item("unboundedness", unboundedness)?;
    told.set_item("warm_start", Py::new(py, WarmStart { start })?)?;
    Ok(told)
}

type TraceFields = (usize, usize, usize, usize, f64, f64, f64, f64, Option<f64>, Option<f64>);

/// The fields of Python's `Iteration`, in its order.
fn trace_fields(record: &TraceRecord) -> TraceFields {
    let TraceRecord { execution, t, gradients, inner_steps, jacobian_norm, l_ada, .. } = *record;
    let TraceRecord { objective, violation, gap, measure, .. } = *record;
    (execution, t, gradients, inner_steps, jacobian_norm, l_ada, objective, violation, gap, measure)
}

/// A value of JSON as Python has it; the words for infinities and NaN are numbers again.
fn plain<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => number.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(word) if matches!(word.as_str(), "inf" | "-inf" | "NaN") => {
            word.parse::<f64>().unwrap_or(f64::NAN).into_pyobject(py)?.into_any()
        }
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| plain(py, item)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Value::Object(fields) => {
            let told = PyDict::new(py);
            fields.iter().try_for_each(|(name, value)| told.set_item(name, plain(py, value)?))?;
            told.into_any()
        }
    })
}
