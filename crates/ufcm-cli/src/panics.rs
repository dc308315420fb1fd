//! Panics, which ought not to happen: one sentence instead of a trace, and whoever can saves what there is.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Characters of a panic's message that are told.
const LONGEST: usize = 300;

/// The first panic that nobody has told of yet. It may have been on another thread than the one that catches it.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

fn first() -> MutexGuard<'static, Option<String>> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on panics print nothing by themselves, unless RUST_BACKTRACE asks for a trace.
pub(crate) fn keep_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        first().get_or_insert_with(|| sentence(info));
        if Backtrace::capture().status() == BacktraceStatus::Captured {
            usual(info);
        }
    }));
}

fn sentence(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map_or(String::new(), |at| {
        // Of Rust's own files the name is enough.
        let file = at.file().rsplit_once("/library/").map_or(at.file(), |(_, file)| file);
        format!(" ({file}:{})", at.line())
    });
    told(info.payload(), &place)
}

fn told(payload: &(dyn Any + Send), place: &str) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let words: Vec<&str> = message.split_whitespace().collect();
    let message: String = words.join(" ").chars().take(LONGEST).collect();
    format!("internal error: {message}{place}; this is a mistake in ufcm, please report it with the problem")
}

/// What `work` comes to, or a sentence that tells of its panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves half-done is not looked at, but for what the caller keeps on purpose.
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|payload| first().take().unwrap_or_else(|| told(payload.as_ref(), "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_sentences() {
        assert_eq!(caught(|| 3), Ok(3));
        // The hook of the command is not set here: it would silence other tests.
        let sentence = caught(|| assert_eq!(1 + 1, 3, "sums\nare {}", "wrong")).unwrap_err();
        let start = "internal error: assertion `left == right` failed: sums are wrong";
        assert!(sentence.starts_with(start), "{sentence}");
        assert!(sentence.contains("please report") && !sentence.contains('\n'), "{sentence}");
        let sentence = caught(|| std::panic::panic_any(7)).unwrap_err();
        assert!(sentence.starts_with("internal error: no message;"), "{sentence}");
    }
}
