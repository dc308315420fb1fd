//! A surface: the optimal value for all bounds of two constraints.

use super::told::{in_sense, shown, shown_width};
use super::{Asked, Draws, Files, exit, failed, later_solve, lies_in, map, tell_check};
use crate::answer::short;
use crate::console::{Console, say};
use crate::constraints::ConstraintRow;
use crate::failure::{Exit, Failure, Outcome};
use crate::number::scientific;
use crate::record::Description;
use serde_json::{Value, json};
use ufcm::report::Control;
use ufcm::tradeoff::{Surface, TradeoffStatus};

/// Bounds along each side of the grid that is written.
const GRID: usize = 41;

/// A surface in the numbers and the sense of its file.
pub(super) struct Told<'a> {
    pub(super) surface: &'a Surface,
    pub(super) rows: [&'a ConstraintRow; 2],
    pub(super) description: &'a Description,
}

pub(super) fn surface(
    asked: Asked<'_>,
    rows: [&ConstraintRow; 2],
    console: &mut Console,
) -> Outcome<(Files, Exit)> {
    let surface = follow(&asked, rows, console)?;
    let Asked { options, loaded, budget, heartbeat } = asked;
    drop(heartbeat);
    let told = Told { surface: &surface, rows, description: &loaded.description };
    told.conclude(console);
    let (mut random, mut outside, mut gradients) = (Draws(1), 0, 0);
    for _ in 0..options.check {
        let bounds = surface.ranges.map(|[from, to]| from + random.share() * (to - from));
        let moved = |k: usize, problem: &ufcm::problem::Problem| {
            problem.with_bound_of(rows[k].row, bounds[k]).map_err(|error| Failure::new(error.to_string()))
        };
        let report = later_solve(&moved(1, &moved(0, &loaded.problem)?)?, options, budget)?;
        gradients += report.counts.gradients;
        outside += usize::from(!lies_in(&report, surface.band(bounds)));
    }
    tell_check(options, outside, gradients as f64 / options.check.max(1) as f64, console);
    let files = Files { csv: told.csv(), plot: map::draw(&told), json: told.json()? };
    Ok((files, exit(surface.status, outside)))
}

fn follow(asked: &Asked<'_>, rows: [&ConstraintRow; 2], console: &mut Console) -> Outcome<Surface> {
    let Asked { options, loaded, budget, heartbeat } = asked;
    let ends = [0, 1].map(|k| [rows[k].sign * options.from[k], rows[k].sign * options.to[k]]);
    let heads = ["solve", "bound", "bound", "lower", "upper", "gradients", "width"];
    let [solve, first, second, lower, upper, gradients, width] = heads;
    say!(console, "{solve:>5}{first:>14}{second:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}");
    let (mut solves, sense) = (0, loaded.description.sense);
    let numbers = rows.map(|row| row.row);
    let settings = options.settings();
    let surface = loaded.problem.surface_within(numbers, ends, options.tol, &settings, budget, &mut |now| {
        solves += 1;
        heartbeat.as_ref().inspect(|heartbeat| heartbeat.clear());
        let (lower, upper) = in_sense(now.point.lower, now.point.upper, sense);
        let [lower, upper] = [lower, upper].map(shown);
        let [first, second] = [0, 1].map(|k| scientific(rows[k].sign * now.point.bounds[k], 4));
        let (gradients, width) = (now.point.gradient_evaluations, shown_width(now.width));
        say!(console, "{solves:>5}{first:>14}{second:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}");
        Control::Continue
    });
    heartbeat.as_ref().inspect(|heartbeat| heartbeat.clear());
    surface.map_err(failed)
}

impl Told<'_> {
    /// The ends of a bound, the smaller first.
    pub(super) fn ends(&self, k: usize) -> [f64; 2] {
        let [a, b] = self.surface.ranges[k].map(|c| self.rows[k].sign * c + 0.0);
        [a.min(b), a.max(b)]
    }

    /// Both sides with these bounds, in the numbers of the file.
    pub(super) fn band(&self, bounds: [f64; 2]) -> (f64, f64) {
        let (lower, upper) = self.surface.band([0, 1].map(|k| self.rows[k].sign * bounds[k]));
        in_sense(lower, upper, self.description.sense)
    }

    /// The k-th of `count` bounds of a constraint.
    pub(super) fn at(&self, k: usize, i: usize, count: usize) -> f64 {
        let [from, to] = self.ends(k);
        if i + 1 == count { to } else { from + (to - from) * i as f64 / (count - 1) as f64 }
    }

    /// Where solves were, with whether anything is feasible there.
    pub(super) fn places(&self) -> impl Iterator<Item = ([f64; 2], bool)> {
        let place = |k: usize, bounds: [f64; 2]| self.rows[k].sign * bounds[k] + 0.0;
        self.surface
            .points
            .iter()
            .map(move |point| ([0, 1].map(|k| place(k, point.bounds)), point.upper.is_finite()))
    }

    fn status(&self) -> String {
        let Surface { status, width, tol, unit, .. } = self.surface;
        let size = format!("relative to max({}, |value|)", short(*unit));
        let width = shown_width(*width);
        match status {
            TradeoffStatus::Certified => {
                format!("Certified: the surface is within {width} everywhere, {size}")
            }
            TradeoffStatus::Stopped(why) => {
                format!("{why}: {}; the surface is within {width}, {size}", why.meaning())
            }
            TradeoffStatus::Stalled => {
                format!("Stalled: solves come no closer than {width}, {size}; {tol:e} was asked for")
            }
        }
    }

    fn conclude(&self, console: &mut Console) {
        let surface = self.surface;
        say!(console);
        say!(console, "status       {}", self.status());
        for (k, title) in ["bounds", ""].into_iter().enumerate() {
            let [from, to] = self.ends(k);
            say!(console, "{title:<12} of `{}` from {} to {}", self.rows[k].name, short(from), short(to));
        }
        if surface.undecided > 0.0 {
            let share = 100.0 * surface.undecided;
            say!(
                console,
                "feasible     not with all pairs of bounds; along the edge {share:.1} % of them are not decided"
            );
        }
        if surface.violation > 0.0 {
            let violation = scientific(surface.violation, 2);
            say!(
                console,
                "violation    the upper side is that of points which violate other constraints by up to {violation}"
            );
        }
        surface.premises.iter().for_each(|premise| say!(console, "rests on     {premise}"));
        let (solves, counts) = (surface.points.len(), &surface.counts);
        let work =
            format!("{} gradients, {} values, {} Hessians", counts.gradients, counts.values, counts.hessians);
        let first = surface.first.gradients;
        say!(console, "work         {solves} solves: {work}; the first solve took {first}");
    }

    fn csv(&self) -> String {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let [first, second] = [0, 1].map(|k| quoted(&self.rows[k].name));
        let mut text = format!("{first},{second},lower,upper\n");
        for i in 0..GRID {
            for j in 0..GRID {
                let bounds = [self.at(0, i, GRID), self.at(1, j, GRID)];
                let (lower, upper) = self.band(bounds);
                text.push_str(&format!("{},{},{lower},{upper}\n", bounds[0], bounds[1]));
            }
        }
        text
    }

    fn json(&self) -> Result<String, Failure> {
        let (surface, sense) = (self.surface, self.description.sense);
        let number = |value: f64| if value.is_finite() { json!(value) } else { json!(value.to_string()) };
        let pair = |c: [f64; 2]| [0, 1].map(|k| self.rows[k].sign * c[k] + 0.0);
        let points: Vec<Value> = surface
            .points
            .iter()
            .map(|point| {
                let (lower, upper) = in_sense(point.lower, point.upper, sense);
                json!({
                    "bounds": pair(point.bounds),
                    "lower": number(lower),
                    "upper": number(upper),
                    "multipliers": point.multipliers,
                    "gradient_evaluations": point.gradient_evaluations,
                    "x": point.x,
                })
            })
            .collect();
        let turned = if sense == ufcm_io::Sense::Maximise { -1.0 } else { 1.0 };
        let plane = |plane: &ufcm::tradeoff::SurfacePlane| {
            let slope = pair(plane.slope).map(|slope| turned * slope + 0.0);
            json!({ "at": pair(plane.at), "value": turned * plane.value, "slope": slope })
        };
        let status = match surface.status {
            TradeoffStatus::Certified => "Certified".to_owned(),
            TradeoffStatus::Stopped(status) => status.to_string(),
            TradeoffStatus::Stalled => "Stalled".to_owned(),
        };
        let corners = surface.above();
        let whole = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "status": status,
            "meaning": self.status(),
            "constraints": self.rows.map(|row| &row.name),
            "ranges": [self.ends(0), self.ends(1)],
            "tol": surface.tol,
            "unit": surface.unit,
            "width": number(surface.width),
            "undecided": surface.undecided,
            "violation": surface.violation,
            "premises": surface.premises,
            "solves": surface.points.len(),
            "gradient_evaluations": surface.counts.gradients,
            "value_evaluations": surface.counts.values,
            "hessian_evaluations": surface.counts.hessians,
            "first_gradient_evaluations": surface.first.gradients,
            "planes": surface.planes().iter().map(plane).collect::<Vec<_>>(),
            "reached": corners.iter().map(|(c, value)| json!([pair(*c), turned * value])).collect::<Vec<_>>(),
            "points": points,
            "problem": self.description,
        });
        Ok(serde_json::to_string_pretty(&whole)? + "\n")
    }
}
