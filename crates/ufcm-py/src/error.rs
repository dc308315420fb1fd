//! What is wrong, as Python exceptions with the library's own messages.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use ufcm::error::DataError;

create_exception!(ufcm, Error, PyException, "What ufcm cannot do; bad data are ValueErrors and TypeErrors.");
create_exception!(ufcm, OracleError, Error, "A component that cannot be evaluated.");
create_exception!(
    ufcm,
    Unproven,
    Error,
    "A theorem that promises nothing: `name` is the condition that does not hold, `numbers` what it is about."
);
create_exception!(ufcm, CertificateError, Error, "A certificate that does not prove what it claims.");

/// The exception of a user's function that is behind an error: the very object, with its traceback.
pub(crate) fn raised_behind(error: &(dyn StdError + 'static)) -> Option<PyErr> {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    let raised: &PyErr = chain.find_map(|error| error.downcast_ref())?;
    Some(Python::attach(|py| raised.clone_ref(py)))
}

/// Data or a problem that cannot be.
pub(crate) fn bad_value(error: impl StdError + 'static) -> PyErr {
    raised_behind(&error).unwrap_or_else(|| PyValueError::new_err(error.to_string()))
}

/// An oracle that failed: the user's own exception where there was one.
pub(crate) fn oracle(error: &ufcm::oracle::OracleError) -> PyErr {
    raised_behind(error).unwrap_or_else(|| OracleError::new_err(error.to_string()))
}

/// A certificate that was refused.
pub(crate) fn certificate(error: &ufcm::certificate::CertificateError) -> PyErr {
    raised_behind(error).unwrap_or_else(|| CertificateError::new_err(error.to_string()))
}

/// What ended a run on another rank, or between ranks; a run of this one ends with it.
pub(crate) fn of_ranks(error: &(dyn std::error::Error + 'static)) -> Option<PyErr> {
    let mut part = Some(error);
    while let Some(source) = part {
        let told = matches!(source.downcast_ref(), Some(ufcm::oracle::OracleError::Told { .. }));
        if told || source.is::<ufcm::ranks::CommunicationError>() {
            return Some(Error::new_err(error.to_string()));
        }
        part = source.source();
    }
    None
}

/// A theorem that promises nothing.
pub(crate) fn unproven(py: Python<'_>, unproven: &ufcm::theory::Unproven) -> PyErr {
    let raised = Unproven::new_err(unproven.to_string());
    let numbers = unproven.numbers().into_iter().into_py_dict(py);
    let told = numbers.and_then(|numbers| {
        raised.value(py).setattr("name", unproven.name())?;
        raised.value(py).setattr("numbers", numbers)
    });
    told.err().unwrap_or(raised)
}

/// Data that made something, or the exception that says why they cannot.
pub(crate) trait OrBadValue<T> {
    /// The thing made.
    fn or_bad_value(self) -> PyResult<T>;
}

impl<T> OrBadValue<T> for Result<T, DataError> {
    fn or_bad_value(self) -> PyResult<T> {
        self.map_err(bad_value)
    }
}

/// Runs Rust code without the GIL; a panic, which would be a mistake of ours, becomes an exception that can be caught.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| guarded(work)).map_err(internal)
}

/// What Rust code answers, or the message of its panic.
pub(crate) fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(|| with_live_threads(work))).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}

/// A mistake of ours.
pub(crate) fn internal(message: String) -> PyErr {
    Error::new_err(format!("internal error, please report it: {message}"))
}

/// The process in which the module was loaded.
static LOADED_IN: LazyLock<u32> = LazyLock::new(std::process::id);

/// Notes the process, when the module is loaded.
pub(crate) fn note_process() {
    LazyLock::force(&LOADED_IN);
}

/// A forked child (`multiprocessing` makes such) inherits rayon's pool without its threads, and would wait for them for ever:
/// there, work gets a pool of its own.
fn with_live_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if *LOADED_IN == std::process::id() {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(work),
        // No thread can be had: work that needs none still gets done.
        Err(_) => work(),
    }
}
