//! What is kept of a run while it goes, in bounded space: reports and pictures are drawn from this.

use ufcm::report::{Progress, Record, Report};

/// Steps kept at most, the first and the last among them.
pub(crate) const STEPS: usize = 1998;
/// Moments at which all rows are kept, at most and at least.
const MOMENTS: (usize, usize) = (998, 40);
/// Numbers kept of rows, about: 32 MB.
const NUMBERS: usize = 4_000_000;

/// The course of a run.
pub(crate) struct Course {
    steps: Thinned<Record>,
    restarts: Thinned<Record>,
    rows: Option<Thinned<Rows>>,
    end: Option<Record>,
}

/// All rows after a step.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) record: Record,
    pub(crate) multipliers: Vec<f64>,
    /// The rows at the step's point.
    pub(crate) values: Vec<f64>,
}

impl Course {
    /// For a problem of so many rows. Where they are too many to keep even a few moments of all, none is kept.
    pub(crate) fn new(rows: usize) -> Self {
        let moments = NUMBERS / (2 * rows.max(1));
        let followed = (moments >= MOMENTS.1).then(|| Thinned::new(moments.min(MOMENTS.0)));
        Self { steps: Thinned::new(STEPS), restarts: Thinned::new(STEPS), rows: followed, end: None }
    }

    /// Takes in a step.
    pub(crate) fn step(&mut self, now: &Progress<'_>) {
        self.steps.push(now.record);
        if now.record.restarted {
            self.restarts.push(now.record);
        }
        if let Some(rows) = &mut self.rows {
            let (multipliers, values) = (now.multipliers.to_vec(), now.row_values.to_vec());
            rows.push(Rows { record: now.record, multipliers, values });
        }
    }

    /// Takes in how it ended: the last point may be better than that of the last step, or a bound void.
    pub(crate) fn end(&mut self, report: &Report) {
        let last = self.steps.last;
        let end = Record {
            seconds: report.seconds,
            objective: report.objective,
            lower_bound: report.lower_bound,
            violation: report.violation,
            unit: report.unit,
            l: last.map_or(f64::NAN, |last| last.l),
            restarted: false,
            counts: report.counts,
        };
        let told = |r: &Record| [r.objective, r.lower_bound, r.violation].map(f64::to_bits);
        self.end = last.is_none_or(|last| told(&last) != told(&end)).then_some(end);
    }

    /// The steps that are kept, then the end where it differs from the last of them.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.steps.iter().copied().chain(self.end).collect()
    }

    /// The steps that ended an epoch.
    pub(crate) fn restarts(&self) -> Vec<Record> {
        self.restarts.iter().copied().collect()
    }

    /// All rows at the moments that are kept; `None` where the problem has too many.
    pub(crate) fn rows(&self) -> Option<Vec<&Rows>> {
        self.rows.as_ref().map(|rows| rows.iter().collect())
    }

    /// How many steps (or batches of them) were seen, and how far apart those that are kept are.
    pub(crate) fn thinning(&self) -> (usize, usize) {
        (self.steps.seen, self.steps.stride)
    }
}

/// At most so many of what is pushed, evenly, and always the last.
pub(crate) struct Thinned<T> {
    kept: Vec<T>,
    last: Option<T>,
    /// An even number.
    capacity: usize,
    /// Every how many-th is kept, from the first on.
    stride: usize,
    seen: usize,
}

impl<T: Clone> Thinned<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(2).next_multiple_of(2);
        Self { kept: Vec::new(), last: None, capacity, stride: 1, seen: 0 }
    }

    pub(crate) fn push(&mut self, item: T) {
        if self.seen.is_multiple_of(self.stride) {
            if self.kept.len() == self.capacity {
                self.stride *= 2;
                let mut position = 0;
                self.kept.retain(|_| {
                    position += 1;
                    position % 2 == 1
                });
            }
            // An even capacity: the one at hand is due at the doubled stride too.
            self.kept.push(item.clone());
        }
        self.last = Some(item);
        self.seen += 1;
    }

    /// What is kept, and the last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let is_kept = self.seen == 0 || (self.seen - 1).is_multiple_of(self.stride);
        self.kept.iter().chain(self.last.as_ref().filter(|_| !is_kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ufcm::report::Counts;

    #[test]
    fn thinning_is_even_bounded_and_keeps_both_ends() {
        for pushed in [0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 1001] {
            let mut thinned = Thinned::new(8);
            (0..pushed).for_each(|i| thinned.push(i));
            let kept: Vec<usize> = thinned.iter().copied().collect();
            assert!(kept.len() <= 9 && kept.len() >= pushed.min(4), "{pushed}: {kept:?}");
            assert_eq!(kept.first().copied(), (pushed > 0).then_some(0));
            assert_eq!(kept.last().copied(), pushed.checked_sub(1), "{pushed}");
            let gaps: Vec<usize> = kept.windows(2).map(|w| w[1] - w[0]).collect();
            let inner = &gaps[..gaps.len().saturating_sub(1)];
            assert!(inner.iter().all(|gap| *gap == thinned.stride), "{pushed}: {kept:?}");
        }
    }

    #[test]
    fn restarts_survive_thinning() {
        let mut course = Course::new(1);
        for steps in 1..=10_000 {
            let counts = Counts { steps, ..Counts::default() };
            // Odd steps are dropped first.
            let record = Record { counts, restarted: steps % 1001 == 2, ..Record::default() };
            course.step(&Progress {
                record,
                x: &[],
                multipliers: &[1.0],
                row_values: &[0.0],
                prelude: false,
            });
        }
        assert_eq!(course.restarts().len(), 10);
        assert!(course.records().len() <= 2000);
        assert_eq!(course.thinning(), (10_000, 8));
    }

    #[test]
    fn memory_is_bounded_by_the_rows() {
        let moments = |rows: usize| Course::new(rows).rows.map(|rows| rows.capacity);
        assert_eq!(moments(3), Some(998));
        assert_eq!(moments(20_000), Some(100));
        assert_eq!(moments(1_000_000), None);
    }
}
