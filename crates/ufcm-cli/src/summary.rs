//! The JSON files: the summary of a run, and its certificate.

use crate::failure::Failure;
use crate::record::{Description, Multiplier, RunRecord};
use crate::sense::{Number, Step, Values};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use ufcm::certificate::{Certificate, Infeasibility};
use ufcm::report::{Fault, Status, Trouble};
use ufcm::settings::Settings;

/// What programs read; the names are fixed.
#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    status: Status,
    /// The status in half a sentence.
    meaning: String,
    #[serde(serialize_with = "number")]
    objective: f64,
    #[serde(serialize_with = "number")]
    lower_bound: f64,
    #[serde(serialize_with = "number")]
    upper_bound: f64,
    #[serde(serialize_with = "number")]
    gap_rel: f64,
    #[serde(serialize_with = "number")]
    violation: f64,
    gradient_evaluations: usize,
    value_evaluations: usize,
    hessian_evaluations: usize,
    inner_steps: usize,
    steps: usize,
    restarts: usize,
    seconds: f64,
    #[serde(serialize_with = "by_name")]
    multipliers: Vec<(String, Multiplier)>,
    premise: String,
    trouble: &'a Option<Trouble>,
    fault: &'a Option<Fault>,
    problem: &'a Description,
    notes: &'a [String],
    settings: &'a Settings,
    history: Vec<Step<'a>>,
}

/// The summary of a run.
pub(crate) fn summary(record: &RunRecord) -> Result<String, Failure> {
    let report = &record.report;
    let sense = record.description.sense;
    let values = Values::of(report, sense);
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        status: report.status,
        meaning: report.meaning(),
        objective: values.objective,
        lower_bound: values.lower_bound,
        upper_bound: values.upper_bound,
        gap_rel: report.gap_rel(),
        violation: report.violation,
        gradient_evaluations: report.counts.gradients,
        value_evaluations: report.counts.values,
        hessian_evaluations: report.counts.hessians,
        inner_steps: report.counts.newton_steps,
        steps: report.counts.steps,
        restarts: report.counts.restarts,
        seconds: report.seconds,
        multipliers: record.multipliers(),
        premise: record.premise(),
        trouble: &report.trouble,
        fault: &report.fault,
        problem: &record.description,
        notes: &record.notes,
        settings: &record.settings,
        history: report.history.iter().map(|record| Step(record, sense)).collect(),
    };
    Ok(serde_json::to_string_pretty(&summary)? + "\n")
}

/// What of a summary other commands read.
#[derive(Clone, Deserialize)]
pub(crate) struct Counted {
    pub(crate) gradient_evaluations: usize,
    pub(crate) inner_steps: usize,
}

fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*value).serialize(serializer)
}

fn by_name<S: Serializer>(multipliers: &[(String, Multiplier)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(multipliers.len()))?;
    multipliers.iter().try_for_each(|(name, multiplier)| map.serialize_entry(name, multiplier))?;
    map.end()
}

/// What a run proves, as a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "proves", rename_all = "lowercase")]
pub(crate) enum Proof {
    /// Bounds of the optimal value.
    Bounds(Certificate),
    /// That no point satisfies the constraints.
    Infeasibility(Infeasibility),
}

impl Proof {
    /// The proof of a run: of infeasibility where it found one, else of its bounds.
    pub(crate) fn of(record: &RunRecord) -> Option<Self> {
        let infeasible = record.report.infeasibility.clone().map(Self::Infeasibility);
        infeasible.or_else(|| record.report.certificate.clone().map(Self::Bounds))
    }

    pub(crate) fn text(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
