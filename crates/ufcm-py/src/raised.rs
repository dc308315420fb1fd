//! Exceptions of Python functions on their way through the solver.
//!
//! The solver knows errors as texts. An exception raised in a user's function is put aside here, and the text carries
//! its number between two marks; whoever meets such a text takes the exception back out, traceback and all.

use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ufcm::oracle::OracleError;

/// Exceptions kept at most: the solver may try elsewhere after a failure, and then nobody asks for the exception.
const KEPT: usize = 64;
/// Marks from the private use area, which no message has.
const OPEN: char = '\u{e0f0}';
const CLOSE: char = '\u{e0f1}';

struct Aside {
    next: u64,
    raised: VecDeque<(u64, PyErr)>,
}

static ASIDE: Mutex<Aside> = Mutex::new(Aside { next: 0, raised: VecDeque::new() });

fn aside() -> MutexGuard<'static, Aside> {
    // A panic elsewhere leaves the list whole.
    ASIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts an exception aside; the oracle's error that stands for it.
pub(crate) fn put_aside(error: PyErr) -> OracleError {
    let text = error.to_string();
    let mut aside = aside();
    let number = aside.next;
    aside.next += 1;
    aside.raised.push_back((number, error));
    if aside.raised.len() > KEPT {
        aside.raised.pop_front();
    }
    OracleError::failed(format!("{text}{OPEN}{number}{CLOSE}"))
}

/// A text without its mark, and the exception that the mark stood for.
pub(crate) fn take_back(text: &str) -> (String, Option<PyErr>) {
    let Some((before, rest)) = text.split_once(OPEN) else { return (text.to_owned(), None) };
    let Some((number, after)) = rest.split_once(CLOSE) else { return (text.to_owned(), None) };
    let mut aside = aside();
    let place = aside.raised.iter().position(|(other, _)| other.to_string() == number);
    let error = place.and_then(|place| aside.raised.remove(place)).map(|(_, error)| error);
    (format!("{before}{after}"), error)
}
