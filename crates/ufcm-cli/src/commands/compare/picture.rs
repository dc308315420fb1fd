//! The errors of several methods against gradients and against inner steps, both axes logarithmic: one SVG file.

use super::{Point, Run};
use std::fmt::Write;

const PANEL: (f64, f64) = (430.0, 300.0);
const MARGIN: (f64, f64) = (66.0, 58.0);
const LEGEND: f64 = 120.0;
const COLOURS: [&str; 10] = [
    "#0b62a4", "#d1495b", "#2e8540", "#8f5aa8", "#b8860b", "#008b8b", "#555555", "#e07a1f", "#6b8e23",
    "#c71585",
];
/// Errors below this are drawn here.
const LEAST: f64 = 1e-12;

/// Decades that hold all of `values`.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0, 1);
    }
    let (low, high) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (low, high.max(low + 1))
}

struct Panel {
    title: &'static str,
    of: fn(&Point) -> usize,
}

const PANELS: [Panel; 2] = [
    Panel { title: "gradients", of: |point| point.gradients },
    Panel { title: "inner steps", of: |point| point.inner_steps },
];

/// The picture.
pub(super) fn draw(name: &str, runs: &[Run]) -> String {
    let (width, height) = (2.0 * (PANEL.0 + MARGIN.0) + LEGEND, PANEL.1 + 2.0 * MARGIN.1);
    let errors = || runs.iter().flat_map(|run| run.points.iter().map(|point| point.error.max(LEAST)));
    let rows = decades(errors().filter(|error| error.is_finite()));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"24\" font-size=\"15\">{}: error against work</text>\n",
        MARGIN.0,
        escaped(name)
    );
    for (k, panel) in PANELS.iter().enumerate() {
        let left = MARGIN.0 + k as f64 * (PANEL.0 + MARGIN.0);
        svg.push_str(&drawn(panel, runs, left, rows));
    }
    let left = 2.0 * (PANEL.0 + MARGIN.0) + 12.0;
    for (k, run) in runs.iter().enumerate() {
        let y = MARGIN.1 + 18.0 * k as f64 + 8.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {y}h18\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            colour(k),
            left + 24.0,
            y + 4.0,
            run.method.name()
        );
    }
    svg + "</svg>\n"
}

fn colour(k: usize) -> &'static str {
    COLOURS[k % COLOURS.len()]
}

fn drawn(panel: &Panel, runs: &[Run], left: f64, rows: (i32, i32)) -> String {
    let works = || runs.iter().flat_map(|run| run.points.iter().map(|point| (panel.of)(point).max(1) as f64));
    let columns = decades(works());
    let share =
        |value: f64, (low, high): (i32, i32)| (value.log10() - f64::from(low)) / f64::from(high - low);
    let x = |work: f64| left + PANEL.0 * share(work, columns);
    let y = |error: f64| MARGIN.1 + PANEL.1 * (1.0 - share(error, rows));
    let (top, bottom, right) = (MARGIN.1, MARGIN.1 + PANEL.1, left + PANEL.0);
    let mut svg = String::new();
    for decade in columns.0..=columns.1 {
        let at = x(10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">1e{decade}</text>",
            bottom + 16.0
        );
    }
    for decade in rows.0..=rows.1 {
        let at = y(10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">1e{decade}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        left + 0.5 * PANEL.0,
        bottom + 34.0,
        panel.title
    );
    for (k, run) in runs.iter().enumerate() {
        let mut path = String::new();
        let mut last = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (i, point) in run.points.iter().enumerate().filter(|(_, point)| point.error.is_finite()) {
            let at = (x((panel.of)(point).max(1) as f64), y(point.error.max(LEAST)));
            // Points that fall on each other are drawn once.
            if i + 1 == run.points.len() || (at.0 - last.0).abs() + (at.1 - last.1).abs() >= 0.7 {
                let _ = write!(path, "{}{:.1} {:.1}", if path.is_empty() { 'M' } else { 'L' }, at.0, at.1);
                last = at;
            }
        }
        if !path.is_empty() {
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>",
                colour(k)
            );
        }
    }
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
