//! The JSON files: the summary of a run, and its certificate.

use crate::failure::Failure;
use crate::record::{Description, RunRecord};
use crate::sense::{Step, Values};
use serde::{Deserialize, Serialize};
use ufcm::certificate::{Certificate, Infeasibility, Unboundedness};
use ufcm::summary::Summary;

/// What programs read: the library's summary, with what the command knows besides.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    summary: Summary,
    problem: &'a Description,
    notes: &'a [String],
    history: Vec<Step<'a>>,
}

/// The summary of a run.
pub(crate) fn summary(record: &RunRecord) -> Result<String, Failure> {
    let (report, description) = (&record.report, &record.description);
    let Values { objective, lower_bound, upper_bound } = Values::of(report, description.sense);
    let summary = Summary {
        objective,
        lower_bound,
        upper_bound,
        ..Summary::new(report, &description.multipliers, &record.settings)
    };
    let history = report.history.iter().map(|record| Step(record, description.sense)).collect();
    let whole = Whole { summary, problem: description, notes: &record.notes, history };
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

/// What a run proves, as a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "proves", rename_all = "lowercase")]
pub(crate) enum Proof {
    /// Bounds of the optimal value.
    Bounds(Box<Certificate>),
    /// That no point satisfies the constraints.
    Infeasibility(Infeasibility),
    /// That the objective falls without bound.
    Unboundedness(Unboundedness),
}

impl Proof {
    /// The proof of a run: that there is no solution where it found one, else of its bounds.
    pub(crate) fn of(record: &RunRecord) -> Option<Self> {
        let infeasible = record.report.infeasibility.clone().map(Self::Infeasibility);
        let hopeless = infeasible.or(record.report.unboundedness.clone().map(Self::Unboundedness));
        hopeless.or_else(|| record.report.certificate.clone().map(|proof| Self::Bounds(Box::new(proof))))
    }

    pub(crate) fn text(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
