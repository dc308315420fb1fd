//! The history of a run, in bounded space however long it is.

use crate::report::Record;

/// Records kept at most; beyond, every other one is dropped and from then on only every second, fourth, ... step counts.
const CAPACITY: usize = 4096;

pub(super) struct History {
    records: Vec<Record>,
    /// Only steps that are multiples of this are kept.
    stride: usize,
}

impl History {
    pub(super) fn new() -> Self {
        Self { records: Vec::new(), stride: 1 }
    }

    pub(super) fn push(&mut self, record: Record) {
        if !record.counts.steps.is_multiple_of(self.stride) {
            return;
        }
        if self.records.len() == CAPACITY {
            self.stride *= 2;
            self.records.retain(|record| record.counts.steps.is_multiple_of(self.stride));
        }
        self.records.push(record);
    }

    /// All that is kept, and the last record whether it was due or not.
    pub(super) fn finish(mut self, last: Option<Record>) -> Vec<Record> {
        let kept = self.records.last().map(|record| record.counts.steps);
        self.records.extend(last.filter(|last| Some(last.counts.steps) != kept));
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Counts;

    #[test]
    fn long_runs_are_thinned_evenly_and_keep_their_end() {
        let mut history = History::new();
        let record =
            |steps: usize| Record { counts: Counts { steps, ..Counts::default() }, ..Record::default() };
        let steps = 3 * CAPACITY + 1;
        (1..=steps).for_each(|step| history.push(record(step)));
        let records = history.finish(Some(record(steps)));
        assert!(records.len() <= CAPACITY + 1 && records.len() > CAPACITY / 2);
        assert_eq!(records.last().map(|record| record.counts.steps), Some(steps));
        let gaps: Vec<usize> = records.windows(2).map(|w| w[1].counts.steps - w[0].counts.steps).collect();
        assert!(gaps[..gaps.len() - 1].iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
    }
}
