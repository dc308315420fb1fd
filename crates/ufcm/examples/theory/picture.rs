//! Log-log panels as SVG: observed counts as points, promised ones as dashed lines.

use std::fmt::Write;
use ufcm::theory::planted::runs::Run;

pub struct Panel {
    pub title: String,
    pub series: Vec<Series>,
}

impl Panel {
    pub fn new(title: String) -> Self {
        Self { title, series: Vec::new() }
    }
}

pub struct Series {
    pub label: String,
    /// (log10 1/eps, log10 observed, log10 promised)
    pub points: Vec<(f64, f64, f64)>,
}

impl Series {
    pub fn new(label: String, runs: &[Run]) -> Self {
        let point = |run: &Run| (-run.eps.log10(), (run.hit as f64).log10(), run.promised.gradients.log10());
        Self { label, points: runs.iter().map(point).collect() }
    }
}

const COLOURS: [&str; 4] = ["#1b6ca8", "#d1495b", "#3a7d44", "#8e5ea2"];
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 280.0;
const COLUMNS: usize = 3;

/// The panels in rows of three.
pub fn draw(panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (WIDTH * COLUMNS as f64, HEIGHT * rows as f64 + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (k, panel) in panels.iter().enumerate() {
        let (x, y) = ((k % COLUMNS) as f64 * WIDTH, (k / COLUMNS) as f64 * HEIGHT);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">{}</g>", panel_body(panel));
    }
    let note =
        "gradients to (eps, r)-optimality against 1/eps; points: observed, dashed: promised by the theorems";
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{note}</text></svg>",
        width / 2.0,
        height - 14.0
    );
    svg
}

fn panel_body(panel: &Panel) -> String {
    let all = || panel.series.iter().flat_map(|series| &series.points);
    let x_range = (
        all().map(|p| p.0).fold(f64::INFINITY, f64::min).floor(),
        all().map(|p| p.0).fold(0.0, f64::max).ceil(),
    );
    let y_range = (0.0, all().map(|p| p.2.max(p.1)).fold(0.0, f64::max).ceil());
    let (left, right, top, bottom) = (44.0, WIDTH - 14.0, 30.0, HEIGHT - 34.0);
    let at_x = |v: f64| left + (v - x_range.0) / (x_range.1 - x_range.0) * (right - left);
    let at_y = |v: f64| bottom - (v - y_range.0) / (y_range.1 - y_range.0) * (bottom - top);
    let mut body = format!(
        "<text x=\"{}\" y=\"18\" text-anchor=\"middle\" font-size=\"13\">{}</text>",
        WIDTH / 2.0,
        panel.title
    );
    let ticks = |range: (f64, f64)| (range.0 as i32)..=(range.1 as i32);
    for k in ticks(x_range) {
        let x = at_x(f64::from(k));
        let _ = write!(body, "<line x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"#e4e4e4\"/>");
        let _ = write!(
            body,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 15.0,
            power_of_ten(k)
        );
    }
    for k in ticks(y_range) {
        let y = at_y(f64::from(k));
        let _ = write!(body, "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#e4e4e4\"/>");
        let _ = write!(
            body,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            left - 5.0,
            y + 4.0,
            power_of_ten(k)
        );
    }
    for (k, (series, colour)) in panel.series.iter().zip(COLOURS).enumerate() {
        let line = |value: &dyn Fn(&(f64, f64, f64)) -> f64| {
            let points = series.points.iter().map(|p| format!("{:.1},{:.1}", at_x(p.0), at_y(value(p))));
            points.collect::<Vec<_>>().join(" ")
        };
        let style = format!("fill=\"none\" stroke=\"{colour}\"");
        let _ = write!(body, "<polyline points=\"{}\" {style} stroke-dasharray=\"4 4\"/>", line(&|p| p.2));
        let _ = write!(body, "<polyline points=\"{}\" {style} stroke-width=\"1.6\"/>", line(&|p| p.1));
        for p in &series.points {
            let _ = write!(
                body,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{colour}\"/>",
                at_x(p.0),
                at_y(p.1)
            );
        }
        let y = bottom - 10.0 - 15.0 * (panel.series.len() - 1 - k) as f64;
        let _ =
            write!(body, "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{colour}\"/>", right - 62.0, y - 4.0);
        let _ = write!(body, "<text x=\"{}\" y=\"{y}\">{}</text>", right - 54.0, series.label);
    }
    body
}

fn power_of_ten(k: i32) -> String {
    format!("10<tspan dy=\"-4\" font-size=\"8\">{k}</tspan>")
}
