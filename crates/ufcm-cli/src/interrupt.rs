//! Signals: Ctrl-C (SIGINT), SIGTERM and SIGHUP.
//!
//! While a run goes, the first raises its stop flag, and everything is still written; the second of any ends the program.
//! Where no run goes (files are read, a proof is verified) the first ends it. The exit code is then 128 plus the signal's
//! number, as shells have it.

use crate::failure::Failure;
use crate::output;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use ufcm::budget::StopFlag;

/// What the first signal stops; without a flag it ends the program.
static RUN: Mutex<Option<StopFlag>> = Mutex::new(None);

/// From now on the first signal raises `flag`.
pub(crate) fn stop_with(flag: StopFlag) {
    *RUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag);
}

/// What follows from a signal of this number.
fn heard(number: i32) {
    let flag = RUN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if flag.is_none_or(|flag| flag.raise()) {
        let _none_is_made = output::abandon();
        std::process::exit(128 + number);
    }
    // On a thread of its own: where nobody reads standard error, the second signal must be heard all the same.
    let tell = || writeln!(std::io::stderr(), "\nstopping; once more to quit without results");
    let _ = std::thread::Builder::new().spawn(tell);
}

/// Listens from now on. All threads that are to work must start later: signals are blocked in them, and wait for one thread.
#[cfg(unix)]
pub(crate) fn listen() -> Result<(), Failure> {
    use nix::sys::signal::{SigSet, Signal};
    let mut awaited = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
    // `nohup` asks for a run that goes on when the terminal is closed.
    if !is_ignored(Signal::SIGHUP as u32) {
        awaited.add(Signal::SIGHUP);
    }
    let mut blocked = awaited;
    // A file beyond the limit of `ulimit -f` is an error that is told, no reason to die.
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block()?;
    let listen = move || {
        while let Ok(signal) = awaited.wait() {
            heard(signal as i32);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen)?;
    Ok(())
}

/// Whether whoever started the program had it ignore this signal; where the system does not tell, it did not.
#[cfg(unix)]
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// Listens from now on: elsewhere there is Ctrl-C alone.
#[cfg(not(unix))]
pub(crate) fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| heard(2))?;
    Ok(())
}
