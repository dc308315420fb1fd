//! Panels as SVG: observed counts as points, promised ones as dashed lines, both on log scales, with a legend below each panel.

#![allow(dead_code)] // each user takes what it needs

mod axis;

use axis::Axis;
pub use axis::Scale;
use std::fmt::Write;

/// A count that was observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Count {
    /// It took so many.
    Reached(f64),
    /// It was given up after so many.
    MoreThan(f64),
}

impl Count {
    pub fn value(self) -> f64 {
        match self {
            Self::Reached(value) | Self::MoreThan(value) => value,
        }
    }

    /// Whether this one was reached with fewer, or was reached at all.
    pub fn is_less_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Reached(count), Self::Reached(other)) => count < other,
            (Self::Reached(_), Self::MoreThan(_)) => true,
            (Self::MoreThan(_), _) => false,
        }
    }
}

/// What is drawn at one abscissa.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    pub x: f64,
    pub observed: Count,
    pub promised: Option<f64>,
}

pub struct Line {
    pub label: String,
    pub marks: Vec<Mark>,
}

pub struct Panel {
    title: String,
    x: Axis,
    y: Axis,
    lines: Vec<Line>,
}

impl Panel {
    /// With axes that show everything; counts are on a log scale.
    pub fn new(title: String, x: (&str, Scale), y: &str, lines: Vec<Line>) -> Self {
        let marks = || lines.iter().flat_map(|line| &line.marks);
        let counts = marks().flat_map(|mark| [Some(mark.observed.value()), mark.promised]).flatten();
        let (x, y) = (Axis::over(x.0, x.1, marks().map(|mark| mark.x)), Axis::over(y, Scale::Log, counts));
        Self { title, x, y, lines }
    }
}

const COLOURS: [&str; 10] = [
    "#1b6ca8", "#d1495b", "#3a7d44", "#8e5ea2", "#c77d0a", "#3aa6a0", "#6b6b6b", "#b8578f", "#7a5c2e",
    "#2f4b7c",
];
const WIDTH: f64 = 400.0;
/// Of a panel without its legend.
const HEIGHT: f64 = 300.0;
const LEGEND_LINE: f64 = 16.0;
/// The width of a letter of the legend, roughly.
const LETTER: f64 = 6.0;
/// The edges of the part of a panel that is drawn in.
const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = HEIGHT - 48.0;

/// The panels in rows of up to three, with a note below.
pub fn draw(panels: &[Panel], note: &str) -> String {
    let legends: Vec<Legend> = panels.iter().map(Legend::new).collect();
    let columns = if panels.len() == 4 { 2 } else { panels.len().clamp(1, 3) };
    // Panels of one row have the same height, whatever their legends.
    let heights: Vec<f64> = legends
        .chunks(columns)
        .map(|row| HEIGHT + LEGEND_LINE * row.iter().map(|legend| legend.lines).max().unwrap_or(0) as f64)
        .collect();
    let (width, height) = (WIDTH * columns as f64, heights.iter().sum::<f64>() + 34.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (k, (panel, legend)) in panels.iter().zip(&legends).enumerate() {
        let (x, y) = ((k % columns) as f64 * WIDTH, heights[..k / columns].iter().sum::<f64>());
        let body = frame(panel) + &lines(panel) + &legend.svg;
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">{body}</g>");
    }
    let (x, y) = (width / 2.0, height - 12.0);
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{note}</text></svg>");
    svg
}

fn at_x(panel: &Panel, value: f64) -> f64 {
    LEFT + panel.x.share(value) * (RIGHT - LEFT)
}

fn at_y(panel: &Panel, value: f64) -> f64 {
    BOTTOM - panel.y.share(value) * (BOTTOM - TOP)
}

/// Title, grid, ticks and the names of the axes.
fn frame(panel: &Panel) -> String {
    let middle = 0.5 * (LEFT + RIGHT);
    let mut body = format!(
        "<text x=\"{middle}\" y=\"18\" text-anchor=\"middle\" font-size=\"13\">{}</text>",
        panel.title
    );
    for (value, label) in panel.x.ticks() {
        let x = at_x(panel, value);
        let _ = write!(body, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" {GRID}/>");
        let y = BOTTOM + 15.0;
        let _ = write!(body, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>");
    }
    for (value, label) in panel.y.ticks() {
        let y = at_y(panel, value);
        let _ = write!(body, "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\" {GRID}/>");
        let (x, y) = (LEFT - 5.0, y + 4.0);
        let _ = write!(body, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
    }
    let y = BOTTOM + 32.0;
    let _ = write!(body, "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", panel.x.label());
    let centre = 0.5 * (TOP + BOTTOM);
    let turned = format!("transform=\"translate(14 {centre}) rotate(-90)\" text-anchor=\"middle\"");
    let _ = write!(body, "<text {turned}>{}</text>", panel.y.label());
    body
}

const GRID: &str = "stroke=\"#e4e4e4\"";

fn lines(panel: &Panel) -> String {
    let mut body = String::new();
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        let style = format!("fill=\"none\" stroke=\"{colour}\"");
        let place = |x: f64, y: f64| format!("{:.1},{:.1}", at_x(panel, x), at_y(panel, y));
        let promised = line.marks.iter().filter_map(|mark| Some(place(mark.x, mark.promised?)));
        let promised = promised.collect::<Vec<_>>().join(" ");
        let _ = write!(body, "<polyline points=\"{promised}\" {style} stroke-dasharray=\"5 4\"/>");
        let observed = line.marks.iter().map(|mark| place(mark.x, mark.observed.value()));
        let observed = observed.collect::<Vec<_>>().join(" ");
        let _ = write!(body, "<polyline points=\"{observed}\" {style} stroke-width=\"1.4\"/>");
        for mark in &line.marks {
            let (x, y) = (at_x(panel, mark.x), at_y(panel, mark.observed.value()));
            body += &match mark.observed {
                Count::Reached(_) => {
                    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.8\" fill=\"{colour}\"/>")
                }
                // An open triangle that points to where the count would be.
                Count::MoreThan(_) => format!(
                    "<path d=\"M{:.1},{y:.1} l4,0 l-4,-7 l-4,7 z\" fill=\"white\" stroke=\"{colour}\"/>",
                    x
                ),
            };
        }
    }
    body
}

/// Names of lines with their colours, as many in a line as fit.
struct Legend {
    svg: String,
    lines: usize,
}

impl Legend {
    fn new(panel: &Panel) -> Self {
        let (mut svg, mut x, mut row) = (String::new(), LEFT, 0);
        for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
            let width = 24.0 + LETTER * line.label.chars().count() as f64;
            if x + width > RIGHT && x > LEFT {
                (x, row) = (LEFT, row + 1);
            }
            let y = BOTTOM + 50.0 + LEGEND_LINE * row as f64;
            let _ = write!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{colour}\"/>", x + 4.0, y - 4.0);
            let _ = write!(svg, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 11.0, line.label);
            x += width;
        }
        Self { svg, lines: row + 1 }
    }
}
