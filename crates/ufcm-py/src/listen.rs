//! Ctrl-C: long work is done on a thread of its own, while Python's main thread listens for signals.
//!
//! Python runs the handlers of signals on its main thread alone, and only when it is asked to. So whoever
//! calls from the main thread waits here, asks now and then, and raises the stop flag of the work when a
//! handler raises an exception. Calls from other threads hear of no signals anyway, and are worked on where
//! they are.

use crate::error::{detached, guarded, internal};
use crate::progress::Progress;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use ufcm::budget::StopFlag;
use ufcm::report::Control;

/// How often Python is asked for signals.
const INTERVAL: Duration = Duration::from_millis(50);
/// The stack of a thread that works, in bytes: as much as main threads usually have, since users' functions
/// run on it.
const STACK: usize = 8 << 20;

/// What work tells of its steps.
pub(crate) type Observe<'a> = &'a mut (dyn FnMut(&ufcm::report::Progress<'_>) -> Control + Send);

/// Does `work`, which looks at `stop`, and calls `callback` after each of its steps on the thread that
/// called. Answers with what came of it, and with the first exception of the callback or of a signal handler,
/// which raised `stop`.
pub(crate) fn run<T, W>(
    py: Python<'_>,
    stop: &StopFlag,
    callback: Option<Py<PyAny>>,
    work: W,
) -> PyResult<(T, Option<PyErr>)>
where
    T: Send + 'static,
    W: FnOnce(Observe<'_>) -> T + Send + 'static,
{
    let mut listener = Listener { stop, callback, raised: None };
    let outcome = if is_main_thread(py)? { listener.beside(py, work) } else { listener.here(py, work) };
    Ok((outcome?, listener.raised))
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

/// What the thread that works tells the one that listens.
enum Word<T> {
    /// A step was taken; an answer is awaited.
    Step(Progress),
    /// The work is done; or it panicked, with this message.
    Done(Result<T, String>),
}

/// The thread that called.
struct Listener<'a> {
    stop: &'a StopFlag,
    callback: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Listener<'_> {
    /// Does the work on this thread.
    fn here<T: Send>(&mut self, py: Python<'_>, work: impl FnOnce(Observe<'_>) -> T + Send) -> PyResult<T> {
        detached(py, || {
            work(&mut |progress| {
                // Users follow the steps of the method they asked for, not those that find its constants.
                if self.callback.is_none() || progress.prelude {
                    return Control::Continue;
                }
                Python::attach(|py| self.step(py, Progress::of(progress)))
            })
        })
    }

    /// Does the work on another thread, and listens on this one.
    fn beside<T, W>(&mut self, py: Python<'_>, work: W) -> PyResult<T>
    where
        T: Send + 'static,
        W: FnOnce(Observe<'_>) -> T + Send + 'static,
    {
        let (words, heard) = channel();
        let (answers, answer) = channel();
        let (has_callback, steps) = (self.callback.is_some(), words.clone());
        let job = move || {
            let outcome = guarded(move || {
                work(&mut move |progress| {
                    if !has_callback || progress.prelude {
                        return Control::Continue;
                    }
                    let told = steps.send(Word::Step(Progress::of(progress)));
                    told.ok().and_then(|()| answer.recv().ok()).unwrap_or(Control::Stop)
                })
            });
            // The other side waits for it.
            let _ = words.send(Word::Done(outcome));
        };
        // Context variables (NumPy's errstate, decimal's contexts) are to be as they are here.
        let context = py.import("contextvars")?.call_method0("copy_context")?.unbind();
        let builder = std::thread::Builder::new().name("ufcm".to_owned()).stack_size(STACK);
        let worker = builder.spawn(move || in_context(&context, job));
        let worker = worker.map_err(|error| PyOSError::new_err(format!("no thread can be had: {error}")))?;
        let (outcome, ended) = py.detach(move || (self.listen(&heard, &answers), worker.join()));
        match (outcome, ended) {
            (Some(outcome), _) => outcome.map_err(internal),
            (None, Ok(Err(error))) => Err(error),
            (None, _) => Err(internal("a thread ended without an answer".to_owned())),
        }
    }

    /// Waits for the end of the work. Meanwhile steps are told to the callback, and signals to their
    /// handlers.
    fn listen<T>(
        &mut self,
        heard: &Receiver<Word<T>>,
        answers: &Sender<Control>,
    ) -> Option<Result<T, String>> {
        loop {
            match heard.recv_timeout(INTERVAL) {
                Ok(Word::Step(progress)) => {
                    let wanted = Python::attach(|py| self.step(py, progress));
                    // Who asked waits for the answer.
                    let _ = answers.send(wanted);
                }
                Ok(Word::Done(outcome)) => return Some(outcome),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| self.look(py)),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Calls the callback; what it wants.
    fn step(&mut self, py: Python<'_>, progress: Progress) -> Control {
        let answer = match &self.callback {
            // Only True stops: a callback that returns something else by accident does not.
            Some(callback) => {
                callback.bind(py).call1((progress,)).map(|answer| answer.extract::<bool>().unwrap_or(false))
            }
            None => Ok(false),
        };
        let wants_to_stop = answer.unwrap_or_else(|error| {
            self.note(error);
            true
        });
        // Steps may come so fast that no wait for one ever lasts long enough to ask for signals.
        self.look(py);
        if wants_to_stop || self.stop.is_raised() { Control::Stop } else { Control::Continue }
    }

    /// Has Python run the handlers of the signals that have come.
    fn look(&mut self, py: Python<'_>) {
        if let Err(error) = py.check_signals() {
            self.note(error);
        }
    }

    fn note(&mut self, error: PyErr) {
        self.stop.raise();
        self.raised.get_or_insert(error);
    }
}

/// Runs `job` with these context variables and without the GIL. Python knows the thread from the first to the
/// last call of a user's function, so that what functions keep in `threading.local` lasts as long.
fn in_context(context: &Py<PyAny>, job: impl FnOnce() + Send + 'static) -> PyResult<()> {
    Python::attach(|py| {
        let job = Mutex::new(Some(job));
        let call = PyCFunction::new_closure(py, None, None, move |arguments, _| {
            if let Some(job) = job.lock().unwrap_or_else(PoisonError::into_inner).take() {
                arguments.py().detach(job);
            }
        })?;
        context.call_method1(py, "run", (call,)).map(drop)
    })
}
