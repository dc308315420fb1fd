//! What a run tells of itself while it goes on.

use super::{Observer, Run};
use crate::method::{Candidate, Step};
use crate::report::{Control, Progress, Record};

impl Run<'_> {
    /// Writes the step down and tells the observer.
    pub(super) fn tell(&mut self, at: Candidate<'_>, step: &Step, observer: Observer<'_>) -> Control {
        let record = self.record(step.l, step.restarted);
        self.history.push(record);
        self.last = Some(record);
        let (multipliers, row_values) = (at.multipliers, at.row_values);
        observer(&Progress { record, x: &self.best.x, multipliers, row_values, prelude: false })
    }

    pub(super) fn seconds(&self) -> f64 {
        self.began.0.elapsed().as_secs_f64()
    }

    fn record(&self, l: f64, restarted: bool) -> Record {
        Record {
            seconds: self.seconds(),
            objective: self.best.objective,
            lower_bound: self.bounds.lower(),
            violation: self.best.violation,
            unit: self.best.unit(self.problem),
            l,
            restarted,
            counts: self.counts,
        }
    }
}
