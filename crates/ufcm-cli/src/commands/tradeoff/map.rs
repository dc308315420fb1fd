//! A surface as one SVG file: a map of values with lines of equal value, and the pairs of bounds that were solved at.

use super::axis::{Axis, LEFT, PANEL, TOP, escaped, grid};
use super::surface::Told;
use std::fmt::Write;

/// Cells along each side of the map.
const CELLS: usize = 56;
/// Lines of equal value, about.
const LEVELS: usize = 8;

/// The value in the middle of each cell; `None` where nothing is feasible, or nothing is known.
struct Field {
    values: Vec<Option<f64>>,
}

impl Field {
    fn of(told: &Told<'_>) -> Self {
        let places = (0..=CELLS).flat_map(|i| (0..=CELLS).map(move |j| (i, j)));
        let value = |(i, j): (usize, usize)| {
            let (lower, upper) = told.band([told.at(0, i, CELLS + 1), told.at(1, j, CELLS + 1)]);
            (lower.is_finite() && upper.is_finite()).then_some(0.5 * (lower + upper))
        };
        Self { values: places.map(value).collect() }
    }

    fn at(&self, i: usize, j: usize) -> Option<f64> {
        self.values[i * (CELLS + 1) + j]
    }
}

/// The picture.
pub(super) fn draw(told: &Told<'_>) -> String {
    let field = Field::of(told);
    let heights = Axis::of(field.values.iter().flatten().copied());
    let [columns, rows] = [0, 1].map(|k| Axis::of(told.ends(k).into_iter()));
    let (width, height) = (LEFT + PANEL.0 + 110.0, TOP + PANEL.1 + 54.0);
    let name = escaped(&told.description.name);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{name}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{name}</text>\n\
         <text x=\"{LEFT}\" y=\"42\" fill=\"#555\">the optimal value, proven within {:.1e} for every pair of bounds; dots were solved</text>\n",
        told.surface.width
    );
    let (right, bottom) = (LEFT + PANEL.0, TOP + PANEL.1);
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"#eee\"/>",
        PANEL.0, PANEL.1
    );
    cells(&mut svg, &field, &heights);
    grid(&mut svg, &columns, &rows);
    let (levels, digits) = levels(&heights);
    levels.iter().for_each(|level| contour(&mut svg, &field, *level));
    for ([a, b], feasible) in told.places() {
        let (x, y) = (LEFT + PANEL.0 * columns.share(a), bottom - PANEL.1 * rows.share(b));
        let fill = if feasible { "#d1495b" } else { "none" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2.4\" fill=\"{fill}\" stroke=\"#d1495b\"/>"
        );
    }
    scale(&mut svg, &heights, &levels, digits);
    let [across, along] = told.rows.map(|row| escaped(&row.name));
    let (middle, below) = (0.5 * (LEFT + right), bottom + 38.0);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">bound of {across}</text>");
    let (x, y) = (20.0, 0.5 * (TOP + bottom));
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">bound of {along}</text>"
    );
    svg + "</svg>\n"
}

/// From pale to deep blue.
fn colour(share: f64) -> String {
    let ends = [[247.0, 251.0, 255.0], [8.0, 81.0, 156.0]];
    let part = |k: usize| (ends[0][k] + share.clamp(0.0, 1.0) * (ends[1][k] - ends[0][k])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2))
}

fn cells(svg: &mut String, field: &Field, heights: &Axis) {
    let (wide, high) = (PANEL.0 / CELLS as f64, PANEL.1 / CELLS as f64);
    for i in 0..CELLS {
        for j in 0..CELLS {
            let corners = [field.at(i, j), field.at(i + 1, j), field.at(i, j + 1), field.at(i + 1, j + 1)];
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            let fill = colour(heights.share(0.25 * (a + b + c + d)));
            let (x, y) = (LEFT + wide * i as f64, TOP + PANEL.1 - high * (j + 1) as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\"/>",
                wide + 0.4,
                high + 0.4
            );
        }
    }
}

/// Round values, and their digits behind the point.
fn levels(heights: &Axis) -> (Vec<f64>, usize) {
    let (mut levels, digits) = heights.ticks();
    levels.truncate(LEVELS);
    (levels, digits)
}

/// The line on which the value is `level`, in pieces: one across each half of a cell.
fn contour(svg: &mut String, field: &Field, level: f64) {
    let place = |(i, j): (usize, usize)| {
        (LEFT + PANEL.0 * i as f64 / CELLS as f64, TOP + PANEL.1 * (1.0 - j as f64 / CELLS as f64))
    };
    let mut path = String::new();
    for i in 0..CELLS {
        for j in 0..CELLS {
            for triangle in [[(i, j), (i + 1, j), (i, j + 1)], [(i + 1, j), (i + 1, j + 1), (i, j + 1)]] {
                let mut ends = Vec::with_capacity(2);
                for k in 0..3 {
                    let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
                    let (Some(a), Some(b)) = (field.at(p.0, p.1), field.at(q.0, q.1)) else { continue };
                    if (a < level) != (b < level) {
                        let (t, p, q) = ((level - a) / (b - a), place(p), place(q));
                        ends.push((p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1)));
                    }
                }
                if let [p, q] = ends[..] {
                    let _ = write!(path, "M{:.2} {:.2}L{:.2} {:.2}", p.0, p.1, q.0, q.1);
                }
            }
        }
    }
    if !path.is_empty() {
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"#222\" stroke-width=\"0.8\"/>");
    }
}

/// What the colours stand for, with the values of the lines.
fn scale(svg: &mut String, heights: &Axis, levels: &[f64], digits: usize) {
    let (x, steps) = (LEFT + PANEL.0 + 18.0, 48);
    let high = PANEL.1 / f64::from(steps);
    for step in 0..steps {
        let share = (f64::from(step) + 0.5) / f64::from(steps);
        let y = TOP + PANEL.1 - high * f64::from(step + 1);
        let fill = colour(share);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"14\" height=\"{:.2}\" fill=\"{fill}\"/>",
            high + 0.4
        );
    }
    for level in levels {
        let y = TOP + PANEL.1 * (1.0 - heights.share(*level));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.2} {y:.2}h14\" stroke=\"#222\" stroke-width=\"0.8\"/><text x=\"{:.2}\" y=\"{:.2}\">{level:.digits$}</text>",
            x + 20.0,
            y + 4.0
        );
    }
}
