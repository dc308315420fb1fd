//! What a run may spend, and who may stop it.
//!
//! One [`Budget`] goes with a run from the first file that is read to the last line that is written. Whoever is about to do
//! something that takes long asks it first: mappings before every component, methods before every gradient, inner loops
//! before every round. What does not ask cannot be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Why a run may not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The time is over.
    #[error("the limit on time was reached")]
    Deadline,
    /// No further gradient may be taken.
    #[error("the limit on gradients was reached")]
    Gradients,
    /// Someone raised the flag.
    #[error("stopped on request")]
    Request,
}

/// What a run is doing, for whoever watches it from another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Activity {
    /// Data are read and problems built.
    Reading,
    /// A point of departure is found and a method set up.
    Starting,
    /// Components are evaluated.
    Evaluating,
    /// A model step is solved.
    Modelling,
    /// Second derivatives are formed and factored.
    Curving,
    /// Bounds and proofs are made.
    Proving,
}

impl Activity {
    const ALL: [Self; 6] =
        [Self::Reading, Self::Starting, Self::Evaluating, Self::Modelling, Self::Curving, Self::Proving];

    /// The activity in words, as a progress line shows it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Reading => "reading data",
            Self::Starting => "starting",
            Self::Evaluating => "evaluating components",
            Self::Modelling => "solving a model step",
            Self::Curving => "forming second derivatives",
            Self::Proving => "proving bounds",
        }
    }
}

/// Raised to stop a run: from a signal handler, another thread, a callback.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop; answers whether that was asked before.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether the run was asked to stop.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What ranks that run together have agreed on: 0 to go on, or why to stop.
#[derive(Debug, Default)]
pub(crate) struct Agreed(AtomicU8);

impl Agreed {
    /// Stops all that ask; the first reason stays.
    pub(crate) fn stop(&self, why: Stop) {
        let word = if why == Stop::Deadline { 1 } else { 2 };
        let _ = self.0.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn ask(&self) -> Result<(), Stop> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            1 => Err(Stop::Deadline),
            _ => Err(Stop::Request),
        }
    }
}

/// What has been done so far.
#[derive(Debug, Default)]
struct Done {
    gradients: AtomicUsize,
    components: AtomicUsize,
    inner_steps: AtomicUsize,
    /// Operations of the components that were evaluated: what was read of the data, in units of their sizes.
    read: AtomicU64,
    /// Operations of the Newton systems of model steps.
    systems: AtomicU64,
    activity: AtomicU8,
}

/// A reading of what a run has done, from whatever thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pulse {
    /// Gradients of all rows.
    pub gradients: usize,
    /// Evaluations of single components.
    pub components: usize,
    /// Rounds of inner loops.
    pub inner_steps: usize,
    /// What is being done.
    pub activity: Activity,
}

/// What may be spent, and who may stop it. Cheap to clone; clones share what has been spent.
///
/// ```
/// use ufcm::budget::{Budget, Stop};
///
/// let budget = Budget::unlimited().with_gradients(2);
/// assert_eq!([budget.gradient(), budget.gradient()], [Ok(()), Ok(())]);
/// assert_eq!(budget.gradient(), Err(Stop::Gradients));
/// budget.stop_flag().raise();
/// assert_eq!(budget.ask(), Err(Stop::Request));
/// ```
#[derive(Debug, Clone)]
pub struct Budget {
    started: Instant,
    deadline: Option<Instant>,
    most_gradients: usize,
    most_inner_steps: usize,
    stop: StopFlag,
    done: Arc<Done>,
    /// Where ranks run together nobody looks at a clock or a flag of its own, so that all stop at the same question.
    agreed: Option<Arc<Agreed>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// Without limits; the clock starts here.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            started: Instant::now(),
            deadline: None,
            most_gradients: usize::MAX,
            most_inner_steps: usize::MAX,
            stop: StopFlag::new(),
            done: Arc::new(Done::default()),
            agreed: None,
        }
    }

    /// Ends so many seconds after its start, or earlier where it did before.
    #[must_use]
    pub fn with_time(mut self, seconds: f64) -> Self {
        // A limit beyond what clocks can tell is none.
        let end = Duration::try_from_secs_f64(seconds).ok().and_then(|time| self.started.checked_add(time));
        self.deadline = match (self.deadline, end) {
            (Some(before), Some(end)) => Some(before.min(end)),
            (before, end) => before.or(end),
        };
        self
    }

    /// Allows so many gradients beyond those already taken, or fewer where it did before.
    #[must_use]
    pub fn with_gradients(mut self, gradients: usize) -> Self {
        self.most_gradients = self.most_gradients.min(self.gradients().saturating_add(gradients));
        self
    }

    /// Allows so many rounds of inner loops beyond those already gone.
    #[must_use]
    pub(crate) fn with_inner_steps(mut self, rounds: usize) -> Self {
        self.most_inner_steps = self.most_inner_steps.min(self.pulse().inner_steps.saturating_add(rounds));
        self
    }

    /// Stops when `flag` is raised.
    #[must_use]
    pub fn with_stop_flag(mut self, flag: StopFlag) -> Self {
        self.stop = flag;
        self
    }

    /// The flag that stops the run.
    #[must_use]
    pub fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }

    /// The same budget, which stops for time or on request where ranks have agreed on it, and not else.
    pub(crate) fn agreeing(mut self, agreed: Arc<Agreed>) -> Self {
        self.agreed = Some(agreed);
        self
    }

    /// Whether ranks agree on its end.
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed.is_some()
    }

    /// A part of the budget, of so many gradients at most: what is spent of it is spent of the whole.
    #[must_use]
    pub fn part(&self, gradients: usize) -> Self {
        self.clone().with_gradients(gradients)
    }

    /// A budget with the same limit of time and the same flag, whose gradients are not those of the run: for work on parts of a problem.
    pub(crate) fn beside(&self) -> Self {
        let (most_gradients, most_inner_steps) = (usize::MAX, usize::MAX);
        Self { most_gradients, most_inner_steps, done: Arc::new(Done::default()), ..self.clone() }
    }

    /// Whether work may go on.
    ///
    /// # Errors
    /// Why it may not.
    pub fn ask(&self) -> Result<(), Stop> {
        if let Some(agreed) = &self.agreed {
            return agreed.ask();
        }
        if self.stop.is_raised() {
            return Err(Stop::Request);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Deadline),
            _ => Ok(()),
        }
    }

    /// Whether another gradient of all rows may be taken; if so, it counts as taken.
    ///
    /// # Errors
    /// Why it may not.
    pub fn gradient(&self) -> Result<(), Stop> {
        self.ask()?;
        if self.gradients() >= self.most_gradients {
            return Err(Stop::Gradients);
        }
        self.done.gradients.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Whether a component may be evaluated.
    ///
    /// # Errors
    /// Why it may not.
    pub fn component(&self) -> Result<(), Stop> {
        self.done.components.fetch_add(1, Ordering::Relaxed);
        self.ask()
    }

    /// Whether an inner loop may go another round.
    ///
    /// # Errors
    /// Why it may not.
    pub fn inner_step(&self) -> Result<(), Stop> {
        if self.done.inner_steps.fetch_add(1, Ordering::Relaxed) >= self.most_inner_steps {
            return Err(Stop::Gradients);
        }
        self.ask()
    }

    /// Notes that a component of so many operations was evaluated, whose data were read once.
    pub(crate) fn note_read(&self, operations: u64) {
        self.done.read.fetch_add(operations, Ordering::Relaxed);
    }

    /// Operations of all evaluations so far.
    pub(crate) fn read(&self) -> u64 {
        self.done.read.load(Ordering::Relaxed)
    }

    /// Notes that a Newton system of so many operations was formed and solved.
    pub(crate) fn note_system(&self, operations: u64) {
        self.done.systems.fetch_add(operations, Ordering::Relaxed);
    }

    /// Operations of all Newton systems so far.
    pub(crate) fn systems(&self) -> u64 {
        self.done.systems.load(Ordering::Relaxed)
    }

    /// Notes what is being done.
    pub fn doing(&self, activity: Activity) {
        self.done.activity.store(activity as u8, Ordering::Relaxed);
    }

    /// The gradients taken so far.
    #[must_use]
    pub fn gradients(&self) -> usize {
        self.done.gradients.load(Ordering::Relaxed)
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// What has been done so far.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        let read = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let activity = usize::from(self.done.activity.load(Ordering::Relaxed));
        Pulse {
            gradients: read(&self.done.gradients),
            components: read(&self.done.components),
            inner_steps: read(&self.done.inner_steps),
            activity: Activity::ALL.get(activity).copied().unwrap_or(Activity::Reading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_spent_of_the_whole_and_never_exceed_it() {
        let whole = Budget::unlimited().with_gradients(5);
        let part = whole.part(2);
        assert_eq!((0..3).map(|_| part.gradient().is_ok()).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!((whole.gradients(), whole.gradient()), (2, Ok(())));
        let large = whole.part(100);
        assert_eq!((0..3).map(|_| large.gradient().is_ok()).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn limits_of_time_only_get_tighter_and_absurd_ones_are_none() {
        let budget = Budget::unlimited().with_time(0.0).with_time(100.0);
        assert_eq!(budget.ask(), Err(Stop::Deadline));
        assert_eq!(Budget::unlimited().with_time(f64::MAX).ask(), Ok(()));
    }

    #[test]
    fn the_pulse_tells_what_is_done() {
        let budget = Budget::unlimited();
        let watcher = budget.clone();
        assert_eq!((budget.gradient(), budget.component(), budget.inner_step()), (Ok(()), Ok(()), Ok(())));
        for activity in Activity::ALL {
            budget.doing(activity);
            assert_eq!(watcher.pulse(), Pulse { gradients: 1, components: 1, inner_steps: 1, activity });
        }
    }
}
