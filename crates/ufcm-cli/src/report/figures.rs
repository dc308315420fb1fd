//! The charts of a run.

use super::chart::{Chart, Form, Series, Times};
use super::rows::{Ranking, Row, State};
use super::scale::Scale;
use super::tables::number;
use crate::course::{Course, Rows};
use crate::record::RunRecord;
use crate::sense::{proven_bound, shown};
use ufcm::report::{Record, Status};

/// Lines in a chart of rows at most, and strips.
const LINES: usize = 8;
const STRIPS: usize = 10;

/// The part of a tolerance below which a value is noise.
const NOISE: f64 = 1e-3;

/// The part of their size that values on an axis differ by at least: what is less is rounding, and is drawn as one line.
const FINEST: f64 = 1e-9;

/// The moments of a run, along both axes.
pub(super) struct Moments {
    pub(super) gradients: Vec<f64>,
    pub(super) seconds: Vec<f64>,
}

/// Restarts that are marked at most: more would hide what they mark.
const MARKS: usize = 120;

/// The restarts to mark.
pub(super) fn marks(course: &Course) -> Moments {
    let restarts = course.restarts();
    let few = restarts.len() <= MARKS;
    Moments::of(restarts.iter().filter(|_| few))
}

impl Moments {
    pub(super) fn of<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let (gradients, seconds) = records.map(|r| (r.counts.gradients as f64, r.seconds)).unzip();
        Self { gradients, seconds }
    }
}

/// The relative gap on a log scale.
pub(super) fn gap(record: &RunRecord, records: &[Record]) -> Chart {
    let values: Vec<f64> = records.iter().map(Record::gap_rel).collect();
    let tolerance = record.settings.eps_rel;
    let level = (tolerance > 0.0).then(|| (tolerance, format!("asked for: {tolerance:e}")));
    let scale = Scale::log(values.iter().copied().chain(level.iter().map(|level| level.0)));
    let below = values.iter().any(|gap| *gap <= 0.0);
    let unit = number(record.report.unit, 2);
    let violated =
        if below { " Below 0 where the point still violates the constraints a little." } else { "" };
    let caption =
        format!("Between the best objective and the proven bound, over max({unit}, |objective|).{violated}");
    Chart {
        id: "gap",
        title: "Relative gap".into(),
        caption,
        form: Form::Lines(scale),
        series: vec![Series { name: "relative gap".into(), values, colour: 0, faint: false }],
        levels: level.into_iter().collect(),
        band: false,
        times: Times::Steps,
    }
}

/// Objective and proven bound.
pub(super) fn bounds(record: &RunRecord, records: &[Record]) -> Chart {
    let sense = record.description.sense;
    let objectives: Vec<f64> = records.iter().map(|r| shown(r.objective, sense)).collect();
    let bounds: Vec<f64> = records.iter().map(|r| shown(r.lower_bound, sense)).collect();
    let ends = [objectives.last(), bounds.last()].into_iter().flatten().copied();
    let all = objectives.iter().chain(&bounds).copied();
    let scale = Scale::robust(all, [0.2, 0.95], ends).no_finer_than(FINEST);
    let outside = |v: &f64| scale.share(*v).is_some_and(|share| !(0.0..=1.0).contains(&share));
    let clipped = objectives.iter().chain(&bounds).any(outside);
    let mut caption = match record.report.status {
        Status::Infeasible => "There is no optimum for the two to meet at.",
        _ => "The optimum lies between the two where the point is feasible.",
    }
    .to_owned();
    if clipped {
        caption.push_str(" Values far off, early in the run, lie outside the picture.");
    }
    Chart {
        id: "bounds",
        title: format!("Objective and {}", proven_bound(sense)),
        caption,
        form: Form::Lines(scale),
        series: vec![
            Series { name: "objective".into(), values: objectives, colour: 0, faint: false },
            Series { name: proven_bound(sense).into(), values: bounds, colour: 1, faint: false },
        ],
        levels: Vec::new(),
        band: true,
        times: Times::Steps,
    }
}

/// The violation of constraints on a log scale.
pub(super) fn violation(record: &RunRecord, records: &[Record]) -> Chart {
    let tolerance = record.settings.eps_feas;
    let values: Vec<f64> = records.iter().map(|r| audible(r.violation, tolerance)).collect();
    Chart {
        id: "violation",
        title: "Violation".into(),
        caption: "Euclidean distance of the best point's rows from satisfying the constraints.".into(),
        form: Form::Lines(Scale::log(values.iter().copied().chain([tolerance]))),
        series: vec![Series { name: "violation".into(), values, colour: 3, faint: false }],
        levels: vec![(tolerance, format!("allowed: {tolerance:e}"))],
        band: false,
        times: Times::Steps,
    }
}

/// What is far below the tolerance is rounding: it is drawn as 0, and not as a curve.
fn audible(value: f64, tolerance: f64) -> f64 {
    if value.abs() < NOISE * tolerance { 0.0 } else { value }
}

/// The step sizes on a log scale; `None` for methods that have none.
pub(super) fn step_sizes(records: &[Record], marks: usize, restarts: usize) -> Option<Chart> {
    let size = |r: &Record| if r.l > 0.0 { 1.0 / r.l } else { f64::NAN };
    let values: Vec<f64> = records.iter().map(size).collect();
    let marked = match (marks, restarts) {
        (0, restarts) if restarts > 0 => format!("It restarted {restarts} times, too often to mark."),
        (_, 0) => "There was no restart.".to_owned(),
        (1, 1) => "The vertical line is a restart.".to_owned(),
        (marks, restarts) if marks == restarts => format!("The vertical lines are the {restarts} restarts."),
        // Batches of steps are marked once, however many restarts they held.
        (_, restarts) => format!("Vertical lines mark where it restarted, {restarts} times in all."),
    };
    let caption = format!("1/L, in the norm that the method chose. {marked}");
    let chart = Chart {
        id: "steps",
        title: "Step size".into(),
        caption,
        form: Form::Lines(Scale::log(values.iter().copied())),
        series: vec![Series { name: "step size".into(), values, colour: 2, faint: false }],
        levels: Vec::new(),
        band: false,
        times: Times::Steps,
    };
    (!chart.is_empty()).then_some(chart)
}

/// Multipliers, row values and activity over time, as far as the run has them.
pub(super) fn of_rows(record: &RunRecord, course: &Course, ranking: &Ranking) -> Vec<Chart> {
    let Some(moments) = course.rows().filter(|moments| !moments.is_empty()) else { return Vec::new() };
    let those =
        |wanted: fn(&Row) -> bool| -> Vec<&Row> { ranking.rows.iter().filter(|row| wanted(row)).collect() };
    let (free, bounded, others) =
        (those(|row| !row.is_pinned), those(|row| row.is_constraint), those(|row| !row.is_constraint));
    let mut charts = Vec::new();
    if !free.is_empty() {
        charts.push(multipliers(&moments, &free, ranking.free));
    }
    if !bounded.is_empty() {
        charts.push(constraints(&moments, &bounded, ranking.constraints, record.settings.eps_feas));
    }
    // Where no point is feasible, the objective alone has nothing to tell.
    if others.len() > usize::from(record.report.status == Status::Infeasible) {
        charts.push(components(&moments, &others, ranking.total - ranking.constraints));
    }
    charts.extend(activity(&moments, &free));
    charts
}

fn course_of(moments: &[&Rows], row: &Row, values: impl Fn(&Rows) -> &[f64], sign: f64) -> Vec<f64> {
    // + 0.0 turns -0 into 0.
    moments.iter().map(|at| values(at).get(row.index).map_or(f64::NAN, |v| sign * v + 0.0)).collect()
}

fn lines(rows: &[&Row], course: impl Fn(&Row) -> Vec<f64>) -> Vec<Series> {
    let series = |row: &&Row| Series {
        name: row.name.clone(),
        values: course(row),
        colour: row.colour,
        faint: row.state == State::Inactive,
    };
    rows.iter().take(LINES).map(series).collect()
}

fn robust(series: &[Series]) -> Scale {
    let all = series.iter().flat_map(|series| series.values.iter().copied());
    let ends = series.iter().filter_map(|series| series.values.last().copied());
    Scale::robust(all, [0.05, 0.95], ends)
}

fn shown_of(shown: usize, total: usize) -> String {
    if total > shown {
        format!(" {shown} of {total} are shown, those with the largest multipliers.")
    } else {
        String::new()
    }
}

fn multipliers(moments: &[&Rows], rows: &[&Row], total: usize) -> Chart {
    let series = lines(rows, |row| course_of(moments, row, |at| &at.multipliers, row.sign));
    let broken = if series.iter().any(|series| series.faint) { "; broken lines end in 0" } else { "" };
    Chart {
        id: "multipliers",
        title: "Multipliers".into(),
        caption: format!("Of the last step{broken}.{}", shown_of(series.len(), total)),
        form: Form::Lines(robust(&series)),
        series,
        levels: Vec::new(),
        band: false,
        times: Times::Rows,
    }
}

fn constraints(moments: &[&Rows], rows: &[&Row], total: usize, tolerance: f64) -> Chart {
    let caption = "At the last step's point, minus their bounds: they bind at 0 (intervals as they are).";
    let mut chart = components(moments, rows, total);
    let series = chart.series.iter_mut().flat_map(|series| &mut series.values);
    series.for_each(|value| *value = audible(*value, tolerance));
    chart.form = Form::Lines(robust(&chart.series));
    Chart {
        id: "constraints",
        title: "Constraints".into(),
        caption: chart.caption.replace(AT_LAST, caption),
        levels: vec![(0.0, String::new())],
        ..chart
    }
}

const AT_LAST: &str = "Values at the last step's point.";

fn components(moments: &[&Rows], rows: &[&Row], total: usize) -> Chart {
    let series = lines(rows, |row| course_of(moments, row, |at| &at.values, 1.0));
    let broken =
        if series.iter().any(|series| series.faint) { " Broken lines are inactive at the end." } else { "" };
    Chart {
        id: "components",
        title: "Components".into(),
        caption: format!("{AT_LAST}{broken}{}", shown_of(series.len(), total)),
        form: Form::Lines(robust(&series)),
        series,
        levels: Vec::new(),
        band: false,
        times: Times::Rows,
    }
}

/// `None` where no row has ever had a multiplier.
fn activity(moments: &[&Rows], rows: &[&Row]) -> Option<Chart> {
    let mut rows: Vec<&Row> = rows.iter().take(STRIPS).copied().collect();
    rows.sort_by_key(|row| row.index);
    let series: Vec<Series> = rows
        .iter()
        .map(|row| Series {
            name: row.name.clone(),
            values: course_of(moments, row, |at| &at.multipliers, row.sign),
            colour: row.colour,
            faint: false,
        })
        .collect();
    let sizes = series.iter().flat_map(|series| series.values.iter().map(|v| v.abs()));
    let largest = sizes.filter(|v| v.is_finite()).fold(0.0, f64::max);
    (largest > 0.0).then(|| Chart {
        id: "activity",
        title: "Which rows are active, and when".into(),
        caption:
            "Each strip is a row: the larger its multiplier beside the largest, the darker; empty where it plays no part."
                .into(),
        form: Form::Strips(largest),
        series,
        levels: Vec::new(),
        band: false,
        times: Times::Rows,
    })
}
