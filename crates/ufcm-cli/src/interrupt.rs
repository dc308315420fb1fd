//! Ctrl-C: the first asks the run to stop at its next step, the second ends the program.

use crate::failure::{Exit, Failure};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user has asked to stop.
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Stopped as i32);
            }
            let _ =
                writeln!(std::io::stderr(), "\nstopping at the next step; once more to quit without results");
        })?;
        Ok(Self(flag))
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
