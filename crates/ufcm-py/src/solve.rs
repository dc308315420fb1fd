//! Solving: settings in, a report out, Python functions called on the way.

use crate::error::{bad_value, detached};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::raised::take_back;
use crate::summary::tell;
use crate::watch::{INTERVAL, Watch};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use ufcm::error::DataError;
use ufcm::report::{Control, Report, Status};
use ufcm::settings::Settings;

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
#[pyo3(signature = (problem, settings, observer))]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: &Problem,
    settings: &Bound<'py, PyDict>,
    observer: Option<Py<PyAny>>,
) -> PyResult<(Option<Bound<'py, PyDict>>, Option<PyErr>)> {
    let settings = crate::settings::settings(settings)?;
    let (report, raised) = detached(py, || run(&problem.problem, &settings, observer.as_ref()))?;
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            let (text, exception) = take_back(&error.to_string());
            let exception = raised.or(exception).ok_or_else(|| bad_value(text))?;
            return Ok((None, Some(exception)));
        }
    };
    let (trouble, exception) = match report.trouble.as_deref().map(take_back) {
        Some((text, exception)) => (Some(text), exception),
        None => (None, None),
    };
    let is_interrupt = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
    let exception = raised.or(exception);
    let interrupted = exception.as_ref().is_some_and(is_interrupt);
    let status = if interrupted { Status::Interrupted } else { report.status };
    let fault = report.fault.filter(|_| !interrupted);
    let report = Report { status, trouble: trouble.filter(|_| !interrupted), fault, ..report };
    let told = tell(py, report, &settings)?;
    // An interrupt is no error: the caller gets what there is.
    Ok((Some(told), exception.filter(|error| !is_interrupt(error))))
}
