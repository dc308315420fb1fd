//! What is told of a curve: on the screen, as CSV and as JSON.

use crate::answer::short;
use crate::console::{Console, say};
use crate::constraints::ConstraintRow;
use crate::failure::Failure;
use crate::number::{counted, scientific};
use crate::record::Description;
use serde_json::{Value, json};
use ufcm::report::Counts;
use ufcm::tradeoff::{Tradeoff, TradeoffStatus};
use ufcm_io::Sense;

/// A curve in the numbers and the sense of its file.
pub(super) struct Told<'a> {
    pub(super) curve: &'a Tradeoff,
    pub(super) row: &'a ConstraintRow,
    pub(super) description: &'a Description,
}

/// Bounds of a minimum as bounds of what the file asks for.
pub(super) fn in_sense(lower: f64, upper: f64, sense: Sense) -> (f64, f64) {
    if sense == Sense::Maximise { (-upper + 0.0, -lower + 0.0) } else { (lower, upper) }
}

pub(super) fn shown(value: f64) -> String {
    if value.is_finite() { scientific(value, 6) } else { "none".into() }
}

pub(super) fn shown_width(width: f64) -> String {
    if width.is_finite() { scientific(width, 1) } else { "-".into() }
}

impl Told<'_> {
    /// The corners of the band: (bound, lower, upper).
    pub(super) fn corners(&self) -> Vec<(f64, f64, f64)> {
        let sense = self.description.sense;
        let mut corners: Vec<(f64, f64, f64)> = self
            .curve
            .corners()
            .into_iter()
            .map(|(c, lower, upper)| {
                let (lower, upper) = in_sense(lower, upper, sense);
                (self.row.sign * c + 0.0, lower, upper)
            })
            .collect();
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        corners.dedup_by(|a, b| a.0 == b.0);
        corners
    }

    /// The ends of the band, the smaller first.
    pub(super) fn ends(&self) -> [f64; 2] {
        let [a, b] = [self.curve.from, self.curve.to].map(|c| self.row.sign * c + 0.0);
        [a.min(b), a.max(b)]
    }

    /// The bounds solved at: (bound, lower, upper, multiplier).
    pub(super) fn points(&self) -> Vec<(f64, f64, f64, f64)> {
        let point = |point: &ufcm::tradeoff::TradeoffPoint| {
            let (lower, upper) = in_sense(point.lower, point.upper, self.description.sense);
            (self.row.sign * point.bound + 0.0, lower, upper, point.multiplier)
        };
        let mut points: Vec<_> = self.curve.points.iter().map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The status in words.
    fn status(&self) -> String {
        let Tradeoff { status, width, tol, unit, .. } = self.curve;
        let size = format!("relative to max({}, |value|)", short(*unit));
        match status {
            TradeoffStatus::Certified => {
                format!("Certified: the band is within {width:.1e} everywhere, {size}")
            }
            TradeoffStatus::Stopped(why) => {
                format!("{why}: {}; the band is within {}, {size}", why.meaning(), shown_width(*width))
            }
            TradeoffStatus::Stalled => format!(
                "Stalled: solves come no closer than {}, {size}; {tol:e} was asked for",
                shown_width(*width)
            ),
        }
    }

    pub(super) fn conclude(&self, console: &mut Console) {
        let curve = self.curve;
        say!(console);
        say!(console, "status       {}", self.status());
        let [from, to] = self.ends();
        say!(console, "bounds       from {} to {}", short(from), short(to));
        if let Some(beyond) = curve.infeasible_beyond {
            let side = self.side();
            let beyond = self.row.sign * beyond;
            say!(console, "infeasible   with bounds {side} {}, which is proven", scientific(beyond, 6));
        }
        if curve.violation > 0.0 {
            let violation = scientific(curve.violation, 2);
            say!(
                console,
                "violation    the upper side is that of points which violate other constraints by up to {violation}"
            );
        }
        let named = |premise: &String| self.description.in_file_names(premise);
        curve.premises.iter().for_each(|premise| say!(console, "rests on     {}", named(premise)));
        let (points, solves, counts) = (curve.points.len(), curve.solves, &curve.counts);
        let work = [(counts.gradients, "gradient"), (counts.values, "value"), (counts.hessians, "Hessian")];
        let work = work.map(|(number, what)| counted(number, what)).join(", ");
        let made = match points.saturating_sub(solves) {
            0 => counted(solves, "solve"),
            _ => format!("{}, {solves} of them by a solve", counted(points, "place")),
        };
        say!(console, "work         {made}: {work}; the first solve took {}", curve.first.gradients);
    }

    /// On which side of a bound nothing is feasible.
    fn side(&self) -> &'static str {
        let [from, _] = self.ends();
        let beyond = self.curve.infeasible_beyond.map_or(from, |beyond| self.row.sign * beyond);
        if beyond <= from { "below" } else { "above" }
    }

    pub(super) fn csv(&self) -> String {
        let mut text = "bound,lower,upper\n".to_owned();
        for (bound, lower, upper) in self.corners() {
            text.push_str(&format!("{bound},{lower},{upper}\n"));
        }
        text
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        let curve = self.curve;
        let [from, to] = self.ends();
        let status = match curve.status {
            TradeoffStatus::Certified => "Certified".to_owned(),
            TradeoffStatus::Stopped(status) => status.to_string(),
            TradeoffStatus::Stalled => "Stalled".to_owned(),
        };
        let number = |value: f64| if value.is_finite() { json!(value) } else { json!(value.to_string()) };
        let points: Vec<Value> = curve
            .points
            .iter()
            .map(|point| {
                let (lower, upper) = in_sense(point.lower, point.upper, self.description.sense);
                json!({
                    "bound": self.row.sign * point.bound + 0.0,
                    "lower": number(lower),
                    "upper": number(upper),
                    // As the answer of a solve has it: that of a row with a lower side is not positive.
                    "multiplier": self.row.sign * point.multiplier + 0.0,
                    "gradient_evaluations": point.gradient_evaluations,
                    "x": point.x,
                })
            })
            .collect();
        let band: Vec<Value> = self
            .corners()
            .iter()
            .map(|(c, lower, upper)| json!([c, number(*lower), number(*upper)]))
            .collect();
        let Counts { gradients, values, hessians, .. } = curve.counts;
        let whole = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "status": status,
            "meaning": self.status(),
            "constraint": self.row.name,
            "from": from,
            "to": to,
            "tol": curve.tol,
            "unit": curve.unit,
            "width": number(curve.width),
            "infeasible_beyond": curve.infeasible_beyond.map(|beyond| self.row.sign * beyond),
            "violation": curve.violation,
            "premises": curve.premises,
            "solves": curve.solves,
            "gradient_evaluations": gradients,
            "value_evaluations": values,
            "hessian_evaluations": hessians,
            "first_gradient_evaluations": curve.first.gradients,
            "band": band,
            "points": points,
            "problem": self.description,
        });
        Ok(serde_json::to_string_pretty(&whole)? + "\n")
    }
}
