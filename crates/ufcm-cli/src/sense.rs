//! Programs that are to be maximised: they are solved as the minimisation of minus their objective, and shown as they are.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use ufcm::report::{Record, Report};
use ufcm_io::Sense;

/// The values of a run in the sense of its problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Values {
    pub(crate) objective: f64,
    pub(crate) lower_bound: f64,
    pub(crate) upper_bound: f64,
}

impl Values {
    /// The values that a run of the minimisation came to.
    pub(crate) fn of(report: &Report, sense: Sense) -> Self {
        let Report { objective, lower_bound, upper_bound, .. } = *report;
        match sense {
            Sense::Minimise => Self { objective, lower_bound, upper_bound },
            Sense::Maximise => Self {
                objective: negated(objective),
                lower_bound: negated(upper_bound),
                upper_bound: negated(lower_bound),
            },
        }
    }
}

/// A value of the minimisation in the sense of its problem.
pub(crate) fn shown(value: f64, sense: Sense) -> f64 {
    if sense == Sense::Maximise { negated(value) } else { value }
}

/// What the bound that a run proves is called.
pub(crate) fn proven_bound(sense: Sense) -> &'static str {
    if sense == Sense::Maximise { "upper bound" } else { "lower bound" }
}

/// + 0.0 turns -0 into 0.
fn negated(value: f64) -> f64 {
    -value + 0.0
}

/// A record of a run, in the sense of its problem.
pub(crate) struct Step<'a>(pub(crate) &'a Record, pub(crate) Sense);

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record, sense) = self;
        if *sense == Sense::Minimise {
            return record.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seconds", &record.seconds)?;
        map.serialize_entry("objective", &Number(negated(record.objective)))?;
        map.serialize_entry("upper_bound", &Number(negated(record.lower_bound)))?;
        map.serialize_entry("violation", &Number(record.violation))?;
        map.serialize_entry("l", &record.l)?;
        map.serialize_entry("restarted", &record.restarted)?;
        map.serialize_entry("counts", &record.counts)?;
        map.end()
    }
}

/// JSON has no infinities: they are words.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}
