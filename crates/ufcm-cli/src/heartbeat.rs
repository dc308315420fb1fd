//! One line on a terminal that never stays silent: where a step, or reading a file, takes long, it tells what is going on.
//!
//! A thread of its own draws it, since the thread that solves is busy. The thread looks at the budget, in which the solver
//! notes what it does; it decides nothing.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use ufcm::budget::{Budget, Pulse};

/// How often the line is drawn.
const REDRAW: Duration = Duration::from_millis(200);
/// How long something may take before the line tells what it is.
const SILENCE: Duration = Duration::from_millis(600);

/// The line of a run.
pub(crate) struct Heartbeat {
    shown: Arc<Mutex<Shown>>,
    budget: Budget,
    /// Dropped to end the thread.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shown {
    /// What the last step told.
    line: String,
    since: Instant,
    /// What had been done by then.
    before: Pulse,
    /// Whether something stands on the screen.
    drawn: bool,
}

impl Heartbeat {
    /// The line of the run that `budget` goes with, if there is a terminal to draw it on.
    pub(crate) fn on_terminal(budget: &Budget) -> Option<Self> {
        let both = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        both.then(|| Self::start(budget.clone()))
    }

    fn start(budget: Budget) -> Self {
        let (before, watched) = (budget.pulse(), budget.clone());
        let shown = Shown { line: String::new(), since: Instant::now(), before, drawn: false };
        let shown = Arc::new(Mutex::new(shown));
        let (alive, ended) = channel::<()>();
        let (board, drawn_until) = (shown.clone(), ended);
        let thread = std::thread::spawn(move || {
            let mut last = String::new();
            while let Err(RecvTimeoutError::Timeout) = drawn_until.recv_timeout(REDRAW) {
                let mut shown = lock(&board);
                let pulse = watched.pulse();
                let text = text(&shown, &pulse);
                if !text.is_empty() && (text != last || !shown.drawn) {
                    // A terminal that is gone is no reason to stop.
                    let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
                    shown.drawn = true;
                    last = text;
                }
                if shown.line.is_empty() && shown.before.activity != pulse.activity {
                    (shown.before, shown.since) = (pulse, Instant::now());
                }
            }
        });
        Self { shown, budget, alive: Some(alive), thread: Some(thread) }
    }

    /// Takes in what a step tells.
    pub(crate) fn show(&self, line: String) {
        let mut shown = lock(&self.shown);
        shown.line = line;
        (shown.before, shown.since) = (self.budget.pulse(), Instant::now());
    }

    /// Takes the line off the screen, for something else to be written there.
    pub(crate) fn clear(&self) {
        let mut shown = lock(&self.shown);
        if std::mem::take(&mut shown.drawn) {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
        shown.line.clear();
        shown.since = Instant::now();
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.clear();
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    // A panic elsewhere leaves a whole line.
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line, and what is going on where that takes long.
fn text(shown: &Shown, pulse: &Pulse) -> String {
    let silent = shown.since.elapsed();
    if silent < SILENCE {
        return shown.line.clone();
    }
    let seconds = silent.as_secs_f64();
    let inner = match pulse.inner_steps - shown.before.inner_steps.min(pulse.inner_steps) {
        0 => String::new(),
        steps => format!(", {steps} inner steps"),
    };
    let separator = if shown.line.is_empty() { "" } else { "; " };
    format!("{}{separator}{}{inner} for {seconds:.0} s", shown.line, pulse.activity.words())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ufcm::budget::Activity;

    #[test]
    fn what_takes_long_is_told() {
        let pulse = Pulse { gradients: 3, components: 9, inner_steps: 5, activity: Activity::Modelling };
        let mut shown = Shown {
            line: "gap 1e-3".into(),
            since: Instant::now(),
            before: Pulse { inner_steps: 2, ..pulse },
            drawn: false,
        };
        assert_eq!(text(&shown, &pulse), "gap 1e-3", "a short step is as it was told");
        shown.since = Instant::now().checked_sub(Duration::from_secs(3)).expect("a clock that runs");
        assert_eq!(text(&shown, &pulse), "gap 1e-3; solving a model step, 3 inner steps for 3 s");
        shown.line.clear();
        let reading = Pulse { inner_steps: 2, activity: Activity::Reading, ..pulse };
        assert_eq!(text(&shown, &reading), "reading data for 3 s");
    }
}
