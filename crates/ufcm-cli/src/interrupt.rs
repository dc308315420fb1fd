//! Ctrl-C: the first raises the stop flag of the run, the second ends the program.

use crate::failure::{Exit, Failure};
use std::io::Write;
use ufcm::budget::StopFlag;

/// Listens from now on.
pub(crate) fn listen(flag: StopFlag) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if flag.raise() {
            std::process::exit(Exit::Stopped as i32);
        }
        let _ = writeln!(std::io::stderr(), "\nstopping; once more to quit without results");
    })?;
    Ok(())
}
