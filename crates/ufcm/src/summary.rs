//! What is told of a run: the model behind the command's JSON and Python's result. Its field names are fixed.

use crate::certificate::{Certificate, Infeasibility, Unboundedness};
use crate::constants::Constants;
use crate::report::{Counts, Fault, Report, Status};
use crate::settings::Settings;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// The outcome of a run as programs read it.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Ball;
/// use ufcm::settings::Settings;
/// use ufcm::summary::Summary;
///
/// let problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 2.0])?).within(Ball::new(1.0)).build()?;
/// let settings = Settings::default();
/// let summary = Summary::new(&problem.solve(&settings)?, &[], &settings);
/// let json = serde_json::to_value(&summary)?;
/// assert_eq!(json["status"], "Certified");
/// assert!(json["gradient_evaluations"].as_u64() > Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The library's version.
    pub version: &'static str,
    /// How the run ended.
    pub status: Status,
    /// What that means here, in half a sentence.
    pub meaning: String,
    /// The objective at the best point, constraints left aside.
    #[serde(with = "crate::serde_infinity")]
    pub objective: f64,
    /// The proven lower bound, or -inf.
    #[serde(with = "crate::serde_infinity")]
    pub lower_bound: f64,
    /// The proven upper bound, or inf.
    #[serde(with = "crate::serde_infinity")]
    pub upper_bound: f64,
    /// The gap relative to max(unit, |objective|).
    #[serde(with = "crate::serde_infinity")]
    pub gap_rel: f64,
    /// How far the best point is from satisfying the constraints.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// The largest violation of a row relative to the size of its terms.
    pub violation_relative: Option<f64>,
    /// What the violation may be worth in the objective: multipliers times violations.
    #[serde(with = "crate::serde_infinity")]
    pub violation_worth: f64,
    /// What the gap is relative to at least.
    pub unit: f64,
    /// The methods that took the steps, one after the other.
    pub methods: Vec<String>,
    /// Why each of these was chosen; empty where a method was asked for by name.
    pub chosen: Vec<String>,
    /// What the run cost; each counter stands for itself.
    #[serde(flatten)]
    pub counts: Counts,
    /// Gradients that finding the constants of a published method took besides; `None` with other methods.
    pub constants_gradients: Option<usize>,
    /// Gradients that the theorem of a published method promises to suffice.
    pub promised_gradients: Option<usize>,
    /// The constants of a published method, given or found: with these the run can be repeated.
    pub constants: Option<Constants>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The multipliers by name.
    #[serde(serialize_with = "by_name")]
    pub multipliers: Vec<(String, Multiplier)>,
    /// What the bounds take for granted, in words.
    pub premise: String,
    /// The proof that no point satisfies the constraints.
    pub infeasibility: Option<Infeasibility>,
    /// The proof that the objective falls without bound.
    pub unboundedness: Option<Unboundedness>,
    /// What went wrong.
    pub trouble: Option<String>,
    /// Which row failed, when and where.
    pub fault: Option<Fault>,
    /// What was asked for.
    pub settings: Settings,
}

/// Rows whose multipliers are told under one name.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroup {
    /// The name.
    pub name: String,
    /// The rows.
    pub rows: Range<usize>,
    /// -1 where the rows stand negated in the problem, else 1.
    pub sign: f64,
}

/// The multiplier of a constraint or term.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Multiplier {
    /// Of one row.
    One(f64),
    /// Of each row of a block.
    Many(Vec<f64>),
}

impl Summary {
    /// The summary of a report, with multipliers under the names of `groups`.
    #[must_use]
    pub fn new(report: &Report, groups: &[RowGroup], settings: &Settings) -> Self {
        let prelude = report.prelude.as_ref();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            status: report.status,
            meaning: report.meaning(),
            objective: report.objective,
            lower_bound: report.lower_bound,
            upper_bound: report.upper_bound,
            gap_rel: report.gap_rel(),
            violation: report.violation,
            violation_relative: report.violation_relative,
            violation_worth: report.violation_worth,
            unit: report.unit,
            methods: report.methods.clone(),
            chosen: report.chosen.clone(),
            counts: report.counts,
            constants_gradients: prelude.map(|prelude| prelude.counts.gradients),
            promised_gradients: prelude.and_then(|prelude| prelude.promised),
            constants: report.constants.clone(),
            seconds: report.seconds,
            multipliers: report.multipliers_of(groups),
            premise: report.premise(),
            infeasibility: report.infeasibility.clone(),
            unboundedness: report.unboundedness.clone(),
            trouble: report.trouble.as_ref().map(ToString::to_string),
            fault: report.fault.clone(),
            settings: settings.clone(),
        }
    }
}

impl Report {
    /// The multipliers under the names of groups of rows.
    #[must_use]
    pub fn multipliers_of(&self, groups: &[RowGroup]) -> Vec<(String, Multiplier)> {
        let of_group = |group: &RowGroup| {
            let values = self.multipliers.get(group.rows.clone()).unwrap_or_default();
            // + 0.0 turns -0 into 0.
            let values: Vec<f64> = values.iter().map(|l| group.sign * l + 0.0).collect();
            let value = if let [one] = values[..] { Multiplier::One(one) } else { Multiplier::Many(values) };
            (group.name.clone(), value)
        };
        groups.iter().map(of_group).collect()
    }

    /// All that the bounds take for granted, in words: where solutions are, and which parts are not convex by construction.
    #[must_use]
    pub fn premise(&self) -> String {
        let proof = self.infeasibility.as_ref().map(Infeasibility::rests_on);
        let proof = proof.or(self.unboundedness.as_ref().map(Unboundedness::rests_on));
        let bounds = self
            .certificate
            .as_ref()
            .filter(|proof| proof.lower > f64::NEG_INFINITY || !proof.grounds.is_empty());
        proof.or(bounds.map(Certificate::rests_on)).unwrap_or_else(|| "nothing is proven".to_owned())
    }
}

fn by_name<S: Serializer>(multipliers: &[(String, Multiplier)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(multipliers.len()))?;
    multipliers.iter().try_for_each(|(name, multiplier)| map.serialize_entry(name, multiplier))?;
    map.end()
}
