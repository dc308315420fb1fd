//! Panics are caught and counted; their messages are kept instead of printed.

use std::sync::Mutex;

/// The last message. The solver may panic on a thread of its own, so this is for all threads: with two problems at a time a
/// message may be told of the other one.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Keeps messages of panics from now on; `catch_unwind` is told of them as before.
pub fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST.lock() {
            *last = info.to_string().replace('\n', " ");
        }
    }));
}

/// Prints messages again.
pub fn let_panics_speak() {
    drop(std::panic::take_hook());
}

pub fn last_panic() -> String {
    LAST.lock().map_or_else(|_| String::new(), |last| last.clone())
}
