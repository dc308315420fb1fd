//! A curve as one SVG file: the band, and the bounds that were solved at.

use super::axis::{Axis, LEFT, PANEL, TOP, escaped, grid};
use super::told::Told;
use std::fmt::Write;

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
