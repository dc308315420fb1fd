//! Standard output that does not panic: a reader that has gone away is no error, a full disk is one.

use crate::failure::Failure;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Where lines for the user go.
pub(crate) struct Console {
    /// `None` where nobody listens.
    out: Option<Box<dyn Write + Send>>,
    failed: Option<std::io::Error>,
}

impl Console {
    pub(crate) fn stdout() -> Self {
        Self { out: Some(Box::new(std::io::stdout())), failed: None }
    }

    /// For what must be seen although standard output is kept for something else, or full.
    pub(crate) fn stderr() -> Self {
        Self { out: Some(Box::new(std::io::stderr())), failed: None }
    }

    /// Whether something could not be shown, and that was an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// From here on nothing is shown.
    pub(crate) fn silence(&mut self) {
        self.out = None;
    }

    /// Writes a line, at once: long runs are followed while they go.
    pub(crate) fn line(&mut self, line: Arguments<'_>) {
        self.write(format!("{line}\n").as_bytes());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let Some(out) = &mut self.out else { return };
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.out = None;
            // `ufcm solve ... | head` has seen enough; the files are still written.
            self.failed = (error.kind() != ErrorKind::BrokenPipe).then_some(error);
        }
    }

    /// What could not be shown, if that was an error.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), |error| Err(Failure::new(format!("standard output: {error}"))))
    }
}

/// Writes a line to a console.
macro_rules! say {
    ($console:expr) => { $console.line(format_args!("")) };
    ($console:expr, $($part:tt)*) => { $console.line(format_args!($($part)*)) };
}
pub(crate) use say;

/// Tells what went wrong, on standard error; if that is closed too, nobody is told.
pub(crate) fn complain(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}
