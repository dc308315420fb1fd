//! The JSON files: the summary of a run, and its certificate.

use crate::answer::{AtBound, Classifier, Held};
use crate::failure::Failure;
use crate::record::{Description, RunRecord};
use crate::sense::{Step, Values};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ufcm::certificate::{Certificate, Infeasibility, Unboundedness};
use ufcm::summary::Summary;

/// What programs read: the library's summary, with what the command knows besides.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    summary: Summary,
    problem: &'a Description,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<&'a [f64]>,
    constraints: Vec<Value>,
    classifiers: Vec<Value>,
    /// Variables at ends of their boxes.
    at_bounds: Vec<Value>,
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
        meaning: record.meaning(),
        premise: record.premise(),
        ..Summary::new(report, &description.multipliers, &record.settings)
    };
    let history = report.history.iter().map(|record| Step(record, description.sense)).collect();
    let answer = record.answer.as_ref();
    let whole = Whole {
        summary,
        problem: description,
        notes: &record.notes,
        x: answer.map(|_| &report.x[..]),
        constraints: answer.map_or(Vec::new(), |answer| answer.constraints.iter().map(constraint).collect()),
        classifiers: answer.map_or(Vec::new(), |answer| answer.classifiers.iter().map(classifier).collect()),
        at_bounds: answer.map_or(Vec::new(), |answer| answer.at_bounds.iter().map(at_bound).collect()),
        history,
    };
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

/// A number, or the word for it where JSON has none.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

fn constraint(held: &Held) -> Value {
    let sides = held.sides;
    json!({
        "name": held.name,
        "value": number(held.value),
        "lower": sides.map(|sides| number(sides.lower)),
        "upper": sides.map(|sides| number(sides.upper)),
        "slack": held.slack().map(number),
        "multiplier": held.multiplier,
        "active": held.active,
        "violated": held.violated,
    })
}

fn at_bound(at: &AtBound) -> Value {
    json!({
        "name": at.name,
        "side": if at.is_lower { "lower" } else { "upper" },
        "bound": at.bound,
        "reduced_cost": number(at.reduced_cost),
    })
}

fn classifier(one: &Classifier) -> Value {
    let rates = one.rates;
    json!({
        "name": one.name,
        "loss": number(one.loss),
        "error": rates.error(),
        "positives": rates.positives,
        "negatives": rates.negatives,
        "true_positive_rate": rates.true_positive_rate(),
        "false_positive_rate": rates.false_positive_rate(),
    })
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
