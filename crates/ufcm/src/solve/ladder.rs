//! What is tried when a run stalls: one table, climbed from the bottom.
//!
//! A run stalls when neither gap nor violation falls noticeably (without a bound: nor the objective); where a method measures
//! all optimality conditions, when their error does not. Steps since then are idle.

use super::tuning::{IMPROVEMENT, OBJECTIVE_IMPROVEMENT};
use crate::method::Rung;

/// When a rung is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Each time so many idle steps have passed.
    Every(usize),
    /// Once so many idle steps have passed, and then always.
    From(usize),
    /// Once the method's own patience is at its end.
    Patience,
}

/// A line of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) rung: Rung,
    pub(super) trigger: Trigger,
    /// What happens.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is checked against it"))]
    pub(super) action: &'static str,
    /// The decision record that chose it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is checked against it"))]
    pub(super) decision: &'static str,
}

/// The ladder. docs/architecture.md shows it, and a test holds the two together.
pub(super) const LADDER: [Entry; 5] = [
    Entry {
        rung: Rung::Slack,
        trigger: Trigger::Every(20),
        action: "the slack of the method's test falls tenfold, and starts anew once it is tiny",
        decision: "0004",
    },
    Entry {
        rung: Rung::OtherPoint,
        trigger: Trigger::Every(20),
        action: "the point of the proximal steps is evaluated beside their average, and kept if it is better",
        decision: "0004",
    },
    Entry {
        rung: Rung::Metrics,
        trigger: Trigger::Every(100),
        action: "all metrics are tried again, and sliding takes more steps at a time",
        decision: "0005",
    },
    Entry {
        rung: Rung::OtherMethod,
        trigger: Trigger::From(100),
        action: "another method goes on, where there is one for the problem",
        decision: "0006",
    },
    Entry {
        rung: Rung::GiveUp,
        trigger: Trigger::Patience,
        action: "the run ends: the tolerance is out of reach",
        decision: "0004",
    },
];

/// What may improve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Objective minus lower bound, +inf without one.
    pub(super) gap: f64,
    /// The violation as far as it exceeds its tolerance.
    pub(super) violation: f64,
    pub(super) objective: f64,
    /// The least error of the optimality conditions, where a method measures it; it then counts alone.
    pub(super) error: Option<f64>,
}

/// Where a run stands on the ladder.
pub(super) struct Ladder {
    /// Steps of the run when something last improved, and at the last two looks.
    improved: usize,
    looks: [usize; 2],
    mark: Standing,
}

impl Ladder {
    pub(super) fn new() -> Self {
        let nothing = f64::INFINITY;
        let mark = Standing { gap: nothing, violation: nothing, objective: nothing, error: None };
        Self { improved: 0, looks: [0; 2], mark }
    }

    /// Takes in what stands after so many steps.
    pub(super) fn note(&mut self, now: Standing, steps: usize) {
        let mark = self.mark;
        let improves = match now.error {
            Some(error) => error < IMPROVEMENT * mark.error.unwrap_or(f64::INFINITY),
            None => {
                let least_fall = OBJECTIVE_IMPROVEMENT * (1.0 + now.objective.abs());
                now.gap < IMPROVEMENT * mark.gap
                    || now.violation < IMPROVEMENT * mark.violation
                    || (now.gap == f64::INFINITY && now.objective < mark.objective - least_fall)
            }
        };
        self.looks = [self.looks[1], steps];
        if improves {
            (self.improved, self.looks) = (steps, [steps; 2]);
            let (gap, violation) = (now.gap.min(mark.gap), now.violation.min(mark.violation));
            self.mark = Standing { gap, violation, ..now };
        }
    }

    /// Another method starts at the bottom.
    pub(super) fn start_anew(&mut self, steps: usize) {
        *self = Self { improved: steps, looks: [steps; 2], ..Self::new() };
    }

    /// Steps without improvement.
    pub(super) fn idle(&self) -> usize {
        self.looks[1] - self.improved
    }

    /// The rungs that are due, from the bottom, for a method of so much patience.
    pub(super) fn due(&self, patience: usize) -> impl Iterator<Item = Rung> + use<> {
        let [before, now] = self.looks.map(|look| look - self.improved);
        let is_due = move |entry: &&Entry| match entry.trigger {
            Trigger::Every(steps) => now / steps > before / steps,
            Trigger::From(steps) => now >= steps,
            Trigger::Patience => now > patience,
        };
        LADDER.iter().filter(is_due).map(|entry| entry.rung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(gap: f64) -> Standing {
        Standing { gap, violation: 0.0, objective: 1.0, error: None }
    }

    /// Every rung, at the step at which a run that never improves meets it first.
    #[test]
    fn a_run_that_never_improves_climbs_every_rung_in_turn() {
        let mut ladder = Ladder::new();
        ladder.note(standing(1.0), 1);
        let mut met: Vec<(Rung, usize)> = Vec::new();
        for step in 2..=600 {
            ladder.note(standing(1.0), step);
            for rung in ladder.due(500) {
                if met.iter().all(|(known, _)| *known != rung) {
                    met.push((rung, step - 1));
                }
            }
        }
        let first = [20, 20, 100, 100, 501];
        let expected: Vec<(Rung, usize)> = LADDER.iter().map(|entry| entry.rung).zip(first).collect();
        assert_eq!(met, expected, "idle steps after which each rung is met");
        assert!(LADDER.iter().all(|entry| !entry.action.is_empty() && entry.decision.len() == 4));
    }

    /// The rows of the table of docs/architecture.md that begin with a rung.
    fn documented() -> Vec<&'static str> {
        let text = include_str!("../../../../docs/architecture.md");
        let (_, section) = text.split_once("## When a run stalls").expect("the section on stalls");
        let section = section.split("\n## ").next().unwrap_or_default();
        // The first two lines of a table are its titles and a rule.
        section.lines().filter(|line| line.starts_with('|')).skip(2).collect()
    }

    #[test]
    fn the_documentation_shows_the_ladder_as_it_is() {
        let rows = documented();
        assert_eq!(rows.len(), LADDER.len(), "docs/architecture.md: {rows:#?}");
        for (row, entry) in rows.iter().zip(LADDER) {
            let trigger = match entry.trigger {
                Trigger::Every(steps) => format!("every {steps} idle steps"),
                Trigger::From(steps) => format!("from {steps} idle steps on"),
                Trigger::Patience => "beyond the method's patience".to_owned(),
            };
            let Entry { rung, action, decision, .. } = entry;
            let cells = format!("| {rung:?} | {trigger} | {action} | [{decision}](decisions/{decision}-");
            assert!(row.starts_with(&cells), "docs/architecture.md has\n{row}\nand the ladder\n{cells}");
        }
    }

    #[test]
    fn improvement_and_another_method_start_at_the_bottom() {
        let mut ladder = Ladder::new();
        (1..=150).for_each(|step| ladder.note(standing(1.0), step));
        assert!(ladder.due(500).any(|rung| rung == Rung::OtherMethod));
        ladder.note(standing(0.5), 151);
        assert_eq!((ladder.idle(), ladder.due(500).count()), (0, 0));
        (152..=300).for_each(|step| ladder.note(standing(0.5), step));
        ladder.start_anew(300);
        assert_eq!(ladder.idle(), 0);
        ladder.note(standing(0.5), 301);
        assert_eq!(ladder.idle(), 0, "whatever comes first is an improvement");
    }

    #[test]
    fn batches_of_steps_meet_the_rungs_that_they_pass() {
        let mut ladder = Ladder::new();
        let error = |error| Standing { error: Some(error), ..standing(1.0) };
        ladder.note(error(1.0), 64);
        ladder.note(error(0.999), 128);
        let due: Vec<Rung> = ladder.due(1000).collect();
        assert_eq!(due, [Rung::Slack, Rung::OtherPoint]);
        ladder.note(error(0.5), 192);
        assert_eq!(ladder.idle(), 0);
    }
}
