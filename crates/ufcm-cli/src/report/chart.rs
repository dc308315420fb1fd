//! A chart as SVG text: lines or strips over one axis, with levels and marks.

use super::escape::{shortened, text};
use super::scale::{Label, Scale, Tick};
use std::fmt::Write;

/// The size of a chart, in its own units.
pub(super) const SIZE: [f64; 2] = [560.0, 300.0];
/// Where the plot begins and ends in it: left, right, top, bottom.
pub(super) const FRAME: Frame = Frame { left: 72.0, right: 536.0, top: 14.0, bottom: 256.0 };
/// Up to so many points of a line are shown as dots.
const DOTS: usize = 60;
/// Characters of a name above its strip, and its height.
const STRIP_NAME: usize = 70;
const STRIP_HEADING: f64 = 14.0;

#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Frame {
    fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }
}

/// What is drawn.
pub(super) struct Chart {
    /// A word, unique on the page.
    pub(super) id: &'static str,
    pub(super) title: String,
    /// A sentence.
    pub(super) caption: String,
    pub(super) form: Form,
    pub(super) series: Vec<Series>,
    /// Horizontal lines with a word.
    pub(super) levels: Vec<(f64, String)>,
    /// Whether to fill between the first two series.
    pub(super) band: bool,
    /// Which points in time the values belong to.
    pub(super) times: Times,
}

/// How values are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Lines(Scale),
    /// Each series a strip, darker where its size is nearer to the largest.
    Strips(f64),
}

/// The two sets of moments that a run is followed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Times {
    Steps,
    Rows,
}

/// A line or a strip.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    /// Which colour of the palette.
    pub(super) colour: usize,
    /// Drawn thinner and broken: what no longer matters at the end.
    pub(super) faint: bool,
}

/// An axis over time.
pub(super) struct TimeAxis<'a> {
    pub(super) label: &'static str,
    /// One for each value of the series.
    pub(super) at: &'a [f64],
    pub(super) scale: Scale,
    /// Where the method restarted.
    pub(super) marks: &'a [f64],
}

impl Chart {
    /// Whether there is anything to see.
    pub(super) fn is_empty(&self) -> bool {
        !self.series.iter().any(|series| series.values.iter().any(|v| v.is_finite()))
    }

    /// The chart as the content of an SVG element; `key` sets its clip path apart from others.
    pub(super) fn draw(&self, axis: &TimeAxis<'_>, key: &str) -> String {
        let mut svg = String::new();
        let Frame { left, right, top, bottom } = FRAME;
        let (width, height) = (right - left, bottom - top);
        let clip = format!("clip-{}-{key}", self.id);
        // Half a line beyond the frame, so that lines along it are seen whole.
        put(
            &mut svg,
            format_args!(
                "<clipPath id=\"{clip}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
                left - 4.0,
                top - 4.0,
                width + 8.0,
                height + 8.0
            ),
        );
        self.grid(&mut svg, axis);
        put(&mut svg, format_args!("<g clip-path=\"url(#{clip})\">"));
        for mark in axis.marks.iter().filter_map(|mark| axis.scale.share(*mark)) {
            let x = FRAME.x(mark);
            put(&mut svg, format_args!("<path class=\"restart\" d=\"M{x:.1} {top}V{bottom}\"/>"));
        }
        match self.form {
            Form::Lines(scale) => self.lines(&mut svg, axis, &scale),
            Form::Strips(largest) => self.strips(&mut svg, axis, largest),
        }
        svg.push_str("</g>");
        if self.is_empty() {
            let (x, y) = (FRAME.x(0.5), FRAME.y(0.5));
            put(&mut svg, format_args!("<text class=\"nothing\" x=\"{x}\" y=\"{y}\">nothing to show</text>"));
        }
        svg
    }

    fn grid(&self, svg: &mut String, axis: &TimeAxis<'_>) {
        let Frame { left, right, top, bottom } = FRAME;
        for Tick { share, label } in axis.scale.ticks(6) {
            let x = FRAME.x(share);
            put(svg, format_args!("<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>"));
            let y = bottom + 16.0;
            put(svg, format_args!("<text class=\"tick x\" x=\"{x:.1}\" y=\"{y}\">{}</text>", words(&label)));
        }
        let (x, y) = (FRAME.x(0.5), bottom + 34.0);
        put(svg, format_args!("<text class=\"axis\" x=\"{x}\" y=\"{y}\">{}</text>", axis.label));
        if let Form::Lines(scale) = self.form {
            for Tick { share, label } in scale.ticks(6) {
                let y = FRAME.y(share);
                put(svg, format_args!("<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>"));
                let (x, y) = (left - 8.0, y + 4.0);
                put(
                    svg,
                    format_args!("<text class=\"tick y\" x=\"{x}\" y=\"{y:.1}\">{}</text>", words(&label)),
                );
            }
        }
        put(svg, format_args!("<path class=\"base\" d=\"M{left} {top}V{bottom}H{right}\"/>"));
    }

    fn lines(&self, svg: &mut String, axis: &TimeAxis<'_>, scale: &Scale) {
        for (value, word) in &self.levels {
            let Some(share) = scale.share(*value).filter(|share| (0.0..=1.0).contains(share)) else {
                continue;
            };
            let (y, x) = (FRAME.y(share), FRAME.left + 6.0);
            // Above the line, or below it where that is the top.
            let label = if share > 0.9 { y + 14.0 } else { y - 5.0 };
            put(svg, format_args!("<path class=\"level\" d=\"M{} {y:.1}H{}\"/>", FRAME.left, FRAME.right));
            put(
                svg,
                format_args!("<text class=\"level\" x=\"{x}\" y=\"{:.1}\">{}</text>", label, text(word)),
            );
        }
        let lines: Vec<Vec<Option<[f64; 2]>>> =
            self.series.iter().map(|series| places(series, axis, scale)).collect();
        if let (true, [upper, lower, ..]) = (self.band, &lines[..]) {
            put(svg, format_args!("<path class=\"band\" d=\"{}\"/>", band(upper, lower)));
        }
        // The first series on top.
        for (k, (series, line)) in self.series.iter().zip(&lines).enumerate().rev() {
            let faint = if series.faint { " faint" } else { "" };
            let colour = series.colour;
            put(svg, format_args!("<g class=\"series c{colour}{faint}\" data-series=\"{k}\">"));
            put(svg, format_args!("<path d=\"{}\"/>", path(line)));
            if line.len() <= DOTS {
                for [x, y] in line.iter().flatten() {
                    put(svg, format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\"/>"));
                }
            }
            svg.push_str("</g>");
        }
    }

    fn strips(&self, svg: &mut String, axis: &TimeAxis<'_>, largest: f64) {
        for (k, series) in self.series.iter().enumerate() {
            let [top, pitch] = self.strip(k);
            // The name, and the strip below it.
            let (y, height) = (top + STRIP_HEADING, (pitch - STRIP_HEADING - 3.0).clamp(2.0, 18.0));
            put(svg, format_args!("<g class=\"strip c{}\" data-series=\"{k}\">", series.colour));
            for (from, to, level) in runs(&series.values, axis, largest) {
                let (x, width) = (FRAME.x(from), (FRAME.x(to) - FRAME.x(from)).max(0.5));
                put(
                    svg,
                    format_args!(
                        "<rect class=\"w{level}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
                    ),
                );
            }
            let (x, y) = (FRAME.left + 4.0, y - 4.0);
            let name = text(&shortened(&series.name, STRIP_NAME));
            put(svg, format_args!("</g><text class=\"strip-name\" x=\"{x}\" y=\"{y:.1}\">{name}</text>"));
        }
    }

    /// The top of a strip, and its height.
    fn strip(&self, k: usize) -> [f64; 2] {
        let pitch = (FRAME.bottom - FRAME.top) / self.series.len().max(1) as f64;
        [FRAME.top + k as f64 * pitch, pitch]
    }
}

fn put(svg: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = svg.write_fmt(part);
}

fn words(label: &Label) -> String {
    match label {
        Label::Plain(word) => text(word),
        Label::Power(power) => {
            format!("10<tspan class=\"power\" dy=\"-5\">{}</tspan>", power.to_string().replace('-', "−"))
        }
    }
}

fn places(series: &Series, axis: &TimeAxis<'_>, scale: &Scale) -> Vec<Option<[f64; 2]>> {
    let place =
        |(at, value): (&f64, &f64)| Some([FRAME.x(axis.scale.share(*at)?), FRAME.y(scale.share(*value)?)]);
    axis.at.iter().zip(&series.values).map(place).collect()
}

/// A line that breaks where there is no value.
fn path(line: &[Option<[f64; 2]>]) -> String {
    let mut path = String::new();
    let mut pen_is_down = false;
    for place in line {
        if let Some([x, y]) = place {
            put(&mut path, format_args!("{}{x:.1} {y:.1}", if pen_is_down { 'L' } else { 'M' }));
        }
        pen_is_down = place.is_some();
    }
    path
}

/// What lies between two lines, as one shape for each stretch where both have values.
fn band(upper: &[Option<[f64; 2]>], lower: &[Option<[f64; 2]>]) -> String {
    let mut shape = String::new();
    let pairs: Vec<Option<([f64; 2], [f64; 2])>> =
        upper.iter().zip(lower).map(|(upper, lower)| upper.zip(*lower)).collect();
    for stretch in pairs.split(Option::is_none).filter(|stretch| stretch.len() > 1) {
        let there = stretch.iter().flatten().map(|pair| Some(pair.0));
        let back = stretch.iter().flatten().rev().map(|pair| Some(pair.1));
        shape.push_str(&path(&there.chain(back).collect::<Vec<_>>()));
        shape.push('Z');
    }
    shape
}

/// Stretches of about the same weight, as shares of the axis, with their level from 1 to 5; what weighs nothing is left out.
fn runs(values: &[f64], axis: &TimeAxis<'_>, largest: f64) -> Vec<(f64, f64, u8)> {
    let level = |value: f64| {
        let share = value.abs() / largest;
        // Small weights are weights too.
        let levels = [1e-6, 1e-3, 1e-2, 0.1, 0.5];
        levels.iter().take_while(|least| share.is_finite() && share >= **least).count() as u8
    };
    let mut runs: Vec<(f64, f64, u8)> = Vec::new();
    for (k, value) in values.iter().enumerate().take(axis.at.len()) {
        // A value holds from the step that found it until the next; the last has no length of its own.
        let until = axis.at.get(k + 1).unwrap_or(&axis.at[k]);
        let (Some(from), Some(to)) = (axis.scale.share(axis.at[k]), axis.scale.share(*until)) else {
            continue;
        };
        match runs.last_mut() {
            Some(last) if last.2 == level(*value) => last.1 = to,
            _ => runs.push((from, to, level(*value))),
        }
    }
    runs.retain(|run| run.2 > 0);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis<'a>(at: &'a [f64], marks: &'a [f64]) -> TimeAxis<'a> {
        TimeAxis { label: "gradients", at, scale: Scale::from_zero(at.iter().copied()), marks }
    }

    fn chart(values: Vec<f64>) -> Chart {
        let scale = Scale::log(values.iter().copied());
        Chart {
            id: "gap",
            title: "Gap".into(),
            caption: String::new(),
            form: Form::Lines(scale),
            series: vec![Series { name: "gap".into(), values, colour: 0, faint: false }],
            levels: vec![(1e-2, "asked <for>".into())],
            band: false,
            times: Times::Steps,
        }
    }

    #[test]
    fn lines_break_where_there_is_no_value() {
        let at = [1.0, 2.0, 3.0, 4.0];
        let svg = chart(vec![1.0, f64::INFINITY, 1e-1, 1e-2]).draw(&axis(&at, &[3.0]), "a");
        assert!(svg.contains("<path d=\"M188.0 14.0M420.0 135.0L536.0 256.0\"/>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("class=\"restart\"").count(), 1);
        assert!(
            svg.contains("asked &lt;for&gt;")
                && svg.contains("10<tspan class=\"power\" dy=\"-5\">−2</tspan>"),
            "{svg}"
        );
    }

    #[test]
    fn empty_charts_say_so() {
        for (values, at) in [(vec![], vec![]), (vec![f64::NAN], vec![0.0])] {
            let svg = chart(values).draw(&axis(&at, &[]), "a");
            assert!(svg.contains("nothing to show") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        let one = chart(vec![0.5]).draw(&axis(&[1.0], &[]), "a");
        assert!(one.contains("<circle") && !one.contains("nothing to show"), "{one}");
    }

    #[test]
    fn bands_lie_between_what_both_have() {
        let line = |ys: [Option<f64>; 3]| -> Vec<Option<[f64; 2]>> {
            ys.iter().enumerate().map(|(k, y)| y.map(|y| [k as f64, y])).collect()
        };
        let shape = band(&line([Some(1.0), Some(2.0), Some(3.0)]), &line([None, Some(5.0), Some(6.0)]));
        assert_eq!(shape, "M1.0 2.0L2.0 3.0L2.0 6.0L1.0 5.0Z");
    }

    #[test]
    fn strips_join_what_weighs_the_same() {
        let at = [0.0, 1.0, 2.0, 3.0, 4.0];
        let found = runs(&[0.0, 1.0, 0.9, 1e-3, f64::NAN], &axis(&at, &[]), 1.0);
        assert_eq!(found, [(0.25, 0.75, 5), (0.75, 1.0, 2)]);
    }
}
