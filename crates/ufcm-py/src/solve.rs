//! Solving: settings in, a report out, Python functions called on the way.

use crate::arrays::{Vector, array, optional_numbers};
use crate::certificate::{Certificate, Infeasibility};
use crate::error::{bad_value, detached};
use crate::problem::Problem;
use crate::progress::{Progress, record_fields};
use crate::raised::take_back;
use crate::watch::{INTERVAL, Watch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use ufcm::error::DataError;
use ufcm::report::{Control, Report};
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

/// A user's observer, and what it raised.
struct Observer<'a> {
    call: Option<&'a Py<PyAny>>,
    watch: Watch,
    /// Set by the thread that listens for Ctrl-C where the run is on another.
    stop: &'a AtomicBool,
    raised: Option<PyErr>,
}

impl Observer<'_> {
    fn observe(&mut self, progress: &ufcm::report::Progress<'_>) -> Control {
        // Users follow the steps of the method they asked for, not those that find its constants.
        let call = self.call.filter(|_| !progress.prelude);
        let wants_to_stop = call.map_or(Ok(false), |call| {
            Python::attach(|py| {
                let answer = call.bind(py).call1((Progress::of(progress),))?;
                // Only True stops: a callback that returns something else by accident does not.
                Ok(answer.extract::<bool>().unwrap_or(false))
            })
        });
        let wants_to_stop = wants_to_stop.and_then(|stop| self.watch.look().map(|()| stop));
        match wants_to_stop {
            Ok(false) if !self.stop.load(Ordering::Relaxed) => Control::Continue,
            Ok(_) => Control::Stop,
            Err(error) => {
                self.raised = Some(error);
                Control::Stop
            }
        }
    }
}

type Run = (Result<Report, DataError>, Option<PyErr>);

/// Runs the solver here; or, where it gets threads of its own, beside this one, which then listens for Ctrl-C: Python
/// hears signals on its main thread only.
fn run(problem: &ufcm::problem::Problem, settings: &Settings, call: Option<&Py<PyAny>>) -> Run {
    let stop = AtomicBool::new(false);
    let drive = || {
        let mut observer = Observer { call, watch: Watch::default(), stop: &stop, raised: None };
        let report = problem.solve_observed(settings, &mut |progress| observer.observe(progress));
        (report, observer.raised)
    };
    if settings.threads.is_none() {
        return drive();
    }
    std::thread::scope(|scope| {
        let (sender, receiver) = channel::<()>();
        let runner = scope.spawn(move || {
            // Dropped at the end, or in a panic, which wakes the listener at once.
            let _sender = sender;
            drive()
        });
        let mut heard = None;
        while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(INTERVAL) {
            if heard.is_none()
                && let Err(signal) = Python::attach(|py| py.check_signals())
            {
                heard = Some(signal);
                stop.store(true, Ordering::Relaxed);
            }
        }
        match runner.join() {
            Ok((report, raised)) => (report, raised.or(heard)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The report as a dictionary, and the exception that ended the run, if one did. Without a report there is only the
/// exception.
#[pyfunction]
#[pyo3(signature = (problem, *, eps_rel, eps_abs, eps_feas, x0, multipliers0, interior, method, metric, time_limit,
                    max_gradients, threads, radius, objective_floor, observer))]
#[expect(clippy::too_many_arguments, reason = "one for each setting")]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: &Problem,
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
    let (report, raised) = detached(py, || run(&problem.problem, &settings, observer.as_ref()))?;
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            let (text, exception) = take_back(&error.to_string());
            let exception = raised.or(exception).ok_or_else(|| bad_value(text))?;
            return Ok((None, Some(exception)));
        }
    };
    let (trouble, exception) = match report.trouble.as_ref().map(|trouble| take_back(&trouble.to_string())) {
        Some((text, exception)) => (Some(text), exception),
        None => (None, None),
    };
    let is_interrupt = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
    let exception = raised.or(exception);
    let interrupted = exception.as_ref().is_some_and(is_interrupt);
    let told = tell(py, report, trouble, interrupted)?;
    // An interrupt is no error: the caller gets what there is.
    Ok((Some(told), exception.filter(|error| !is_interrupt(error))))
}

/// A report as a dictionary.
fn tell(
    py: Python<'_>,
    report: Report,
    trouble: Option<String>,
    interrupted: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let told = PyDict::new(py);
    let status = if interrupted { "Interrupted".to_owned() } else { report.status.to_string() };
    told.set_item("status", status)?;
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
    told.set_item("trouble", trouble.filter(|_| !interrupted))?;
    let fault = report.fault.filter(|_| !interrupted);
    told.set_item("fault", fault.map(|fault| (fault.row, fault.step, array(py, &fault.point))))?;
    let feasible = report.feasible.map(|moved| (array(py, &moved.x), moved.upper.objective));
    told.set_item("feasible", feasible)?;
    let certificate = report.certificate.map(|proof| Py::new(py, Certificate { proof })).transpose()?;
    told.set_item("certificate", certificate)?;
    let infeasibility = report.infeasibility.map(|proof| Py::new(py, Infeasibility { proof })).transpose()?;
    told.set_item("infeasibility", infeasibility)?;
    Ok(told)
}
