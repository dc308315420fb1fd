//! What is shown while it runs: a table of steps, or one line that changes.

use crate::console::{Console, say};
use crate::heartbeat::Heartbeat;
use crate::number::{counted, scientific};
use crate::sense::{proven_bound, shown};
use std::time::{Duration, Instant};
use ufcm::report::Record;
use ufcm_io::Sense;

/// How a run is followed.
pub(crate) enum Progress<'c> {
    Silent,
    Table(Table<'c>),
    /// One line that changes, whose bar is full once the relative gap and the violation are these.
    Live([f64; 2]),
}

impl Progress<'_> {
    pub(crate) fn step(&mut self, record: &Record, heartbeat: Option<&Heartbeat>) {
        match self {
            Self::Silent => {}
            Self::Table(table) => {
                if table.is_due(record)
                    && let Some(heartbeat) = heartbeat
                {
                    heartbeat.clear();
                }
                table.step(record);
            }
            Self::Live(target) => {
                if let Some(heartbeat) = heartbeat {
                    heartbeat.show(line(record, *target));
                }
            }
        }
    }

    /// After the last step.
    pub(crate) fn end(&mut self, heartbeat: Option<&Heartbeat>) {
        if let Some(heartbeat) = heartbeat {
            heartbeat.clear();
        }
        if let Self::Table(table) = self {
            table.end();
        }
    }
}

/// A row at least so often, in a run of slow steps.
const ROW_INTERVAL: Duration = Duration::from_secs(5);

/// A table of steps: all at first, then every tenth, hundredth, ...
pub(crate) struct Table<'c> {
    console: &'c mut Console,
    sense: Sense,
    last: Instant,
    waiting: Option<Record>,
}

impl<'c> Table<'c> {
    pub(crate) fn new(console: &'c mut Console, sense: Sense) -> Self {
        say!(
            console,
            "  step  gradients       objective     {}  rel. gap violation    1/step   time (s)",
            proven_bound(sense)
        );
        Self { console, sense, last: Instant::now(), waiting: None }
    }

    /// Whether the step gets a row.
    fn is_due(&self, record: &Record) -> bool {
        let step = record.counts.steps;
        // 1 to 20 all, to 200 every tenth, to 2000 every hundredth, ...
        let stride = 10usize.pow((step.saturating_sub(1) / 20).checked_ilog10().map_or(0, |power| power + 1));
        step.is_multiple_of(stride) || self.last.elapsed() > ROW_INTERVAL
    }

    fn step(&mut self, record: &Record) {
        if self.is_due(record) {
            self.row(record);
        } else {
            self.waiting = Some(*record);
        }
    }

    fn row(&mut self, record: &Record) {
        say!(self.console, "{}", row(record, self.sense));
        self.last = Instant::now();
        self.waiting = None;
    }

    fn end(&mut self) {
        if let Some(record) = self.waiting.take() {
            self.row(&record);
        }
    }
}

fn row(record: &Record, sense: Sense) -> String {
    let Record { objective, lower_bound, violation, l, seconds, counts, restarted, .. } = record;
    let mark = if *restarted { 'r' } else { ' ' };
    format!(
        "{:6}{mark} {:9} {:>15} {:>15} {:>9} {:>9} {:>9} {seconds:>10.3}",
        counts.steps,
        counts.gradients,
        scientific(shown(*objective, sense), 7),
        scientific(shown(*lower_bound, sense), 7),
        scientific(gap(record).unwrap_or(f64::INFINITY), 2),
        scientific(*violation, 2),
        scientific(*l, 2),
    )
}

/// The relative gap, if there is a bound.
fn gap(record: &Record) -> Option<f64> {
    let gap = record.gap_rel();
    gap.is_finite().then_some(gap)
}

/// The characters of the bar.
const BAR: usize = 24;

fn line(record: &Record, target: [f64; 2]) -> String {
    let Record { violation, seconds, counts, .. } = record;
    let shown = gap(record).map_or("unknown".into(), |gap| scientific(gap.max(0.0), 0));
    format!(
        "[{}] gap {shown:<7} {}, {}, violation {}, {seconds:.1} s",
        bar(gap(record), *violation, target),
        counted(counts.gradients, "gradient"),
        counted(counts.restarts, "restart"),
        scientific(*violation, 0),
    )
}

/// How far the gap has come from 1 to its target, or the violation to its own, whichever is less far, on a log scale.
fn bar(gap: Option<f64>, violation: f64, [target, allowed]: [f64; 2]) -> String {
    let way = |value: f64, target: f64| (value.clamp(target, 1.0).ln() / target.ln()).clamp(0.0, 1.0);
    let share = gap.map_or(0.0, |gap| way(gap, target)).min(way(violation, allowed));
    let full = (share * BAR as f64) as usize;
    format!("{}{}", "#".repeat(full), ".".repeat(BAR - full))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ufcm::report::Counts;

    #[test]
    fn the_bar_is_logarithmic() {
        let filled = |gap| bar(gap, 0.0, [1e-6, 1e-6]).matches('#').count();
        assert_eq!([filled(None), filled(Some(5.0)), filled(Some(1.0))], [0, 0, 0]);
        assert_eq!([filled(Some(1.01e-3)), filled(Some(1e-6)), filled(Some(0.0))], [11, BAR, BAR]);
        assert_eq!(filled(Some(-1e-9)), BAR);
        let violated = |violation| bar(Some(0.0), violation, [1e-6, 1e-6]).matches('#').count();
        assert_eq!([violated(1e-6), violated(1.01e-3), violated(f64::INFINITY)], [BAR, 11, 0]);
    }

    #[test]
    fn the_line_fits_and_says_what_is_unknown() {
        let counts = Counts { gradients: 17, restarts: 2, steps: 15, ..Counts::default() };
        let record = Record {
            objective: 1.0,
            lower_bound: 0.99,
            violation: 1e-4,
            seconds: 1.25,
            counts,
            ..Record::default()
        };
        assert_eq!(
            line(&record, [1e-6, 1e-6]),
            "[########................] gap 1e-02   17 gradients, 2 restarts, violation 1e-04, 1.2 s"
        );
        let record = Record { lower_bound: f64::NEG_INFINITY, ..record };
        assert!(
            line(&record, [1e-6, 1e-6]).contains("gap unknown")
                && row(&record, Sense::Minimise).contains(" - ")
        );
    }

    #[test]
    fn rows_get_rarer_and_the_last_is_kept() {
        let record = |steps| Record { counts: Counts { steps, ..Counts::default() }, ..Record::default() };
        let mut console = Console::stdout();
        console.silence();
        let mut table = Table::new(&mut console, Sense::Minimise);
        let shown: Vec<usize> = (1..=3001)
            .filter(|&step| {
                table.step(&record(step));
                table.waiting.is_none()
            })
            .collect();
        assert_eq!(shown[..20], (1..=20).collect::<Vec<_>>());
        assert_eq!(shown[20..23], [30, 40, 50]);
        assert!(shown.contains(&200) && !shown.contains(&210) && shown.contains(&300), "{shown:?}");
        assert!(shown.contains(&2000) && !shown.contains(&2100) && shown.contains(&3000), "{shown:?}");
        assert!(table.waiting.is_some());
    }
}
