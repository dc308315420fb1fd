//! A curve as one SVG file: the band, and the bounds that were solved at.

use super::told::Told;
use std::fmt::Write;

const PANEL: (f64, f64) = (560.0, 340.0);
const LEFT: f64 = 84.0;
const TOP: f64 = 58.0;

/// Values from `low` to `high`, on an axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        match low < high {
            true => Self { low, high },
            false if low == high => Self { low: low - 0.5, high: high + 0.5 },
            false => Self { low: 0.0, high: 1.0 },
        }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers, some five of them, and how many digits they take behind the point.
    fn ticks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil();
        let ticks = (0..12).map(|k| (first + f64::from(k)) * step).take_while(|tick| *tick <= self.high);
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        (ticks.collect(), digits)
    }
}

/// The picture.
pub(super) fn draw(told: &Told<'_>) -> String {
    let corners = told.corners();
    let columns = Axis::of(corners.iter().map(|(c, ..)| *c));
    let rows = Axis::of(corners.iter().flat_map(|(_, lower, upper)| [*lower, *upper]));
    let x = |c: f64| LEFT + PANEL.0 * columns.share(c);
    let y = |value: f64| TOP + PANEL.1 * (1.0 - rows.share(value));
    let (width, height) = (LEFT + PANEL.0 + 24.0, TOP + PANEL.1 + 54.0);
    let name = escaped(&told.description.name);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{name}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{name}</text>\n\
         <text x=\"{LEFT}\" y=\"42\" fill=\"#555\">the optimal value is proven to lie in the band, for every bound; dots were solved</text>\n"
    );
    grid(&mut svg, &columns, &rows);
    let finite: Vec<_> = corners.iter().filter(|(_, l, u)| l.is_finite() && u.is_finite()).collect();
    let upper = finite.iter().map(|(c, _, upper)| format!("{:.2} {:.2}", x(*c), y(*upper)));
    let lower = finite.iter().rev().map(|(c, lower, _)| format!("{:.2} {:.2}", x(*c), y(*lower)));
    let outline: Vec<String> = upper.chain(lower).collect();
    if !outline.is_empty() {
        let _ = writeln!(
            svg,
            "<path d=\"M{}Z\" fill=\"#0b62a4\" fill-opacity=\"0.25\" stroke=\"#0b62a4\" stroke-width=\"1.2\"/>",
            outline.join("L")
        );
    }
    for (c, _, upper, _) in told.points().iter().filter(|(_, _, upper, _)| upper.is_finite()) {
        let _ =
            writeln!(svg, "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"3\" fill=\"#d1495b\"/>", x(*c), y(*upper));
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">bound of {}</text>",
        LEFT + 0.5 * PANEL.0,
        TOP + PANEL.1 + 38.0,
        escaped(&told.row.name)
    );
    svg + "</svg>\n"
}

fn grid(svg: &mut String, columns: &Axis, rows: &Axis) {
    let (bottom, right) = (TOP + PANEL.1, LEFT + PANEL.0);
    let (ticks, digits) = columns.ticks();
    for tick in ticks {
        let at = LEFT + PANEL.0 * columns.share(tick);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.2} {TOP}V{bottom}\" stroke=\"#ddd\"/><text x=\"{at:.2}\" y=\"{}\" text-anchor=\"middle\">{tick:.digits$}</text>",
            bottom + 16.0
        );
    }
    let (ticks, digits) = rows.ticks();
    for tick in ticks {
        let at = TOP + PANEL.1 * (1.0 - rows.share(tick));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.2}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{tick:.digits$}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
