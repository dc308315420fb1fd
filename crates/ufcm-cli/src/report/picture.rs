//! The convergence of a run as one SVG file: the gap, and the bounds below it, against gradients.

use super::chart::{Chart, FRAME, SIZE, TimeAxis};
use super::escape::{shortened, text};
use super::figures::{self, Moments};
use super::scale::Scale;
use super::tables::number;
use crate::course::Course;
use crate::record::RunRecord;
use ufcm::report::Status;

const STYLE: &str = include_str!("picture.css");
/// The height of the title, and of each panel's own.
const TITLE: f64 = 62.0;
const HEADING: f64 = 22.0;
/// Characters of a title at most.
const LONGEST: usize = 50;

/// A run as an SVG picture.
pub(crate) fn picture(record: &RunRecord, course: &Course) -> String {
    let records = course.records();
    let moments = Moments::of(records.iter());
    let restarts = figures::marks(course);
    let scale = Scale::from_zero(moments.gradients.iter().copied());
    let axis = TimeAxis { label: "gradients", at: &moments.gradients, scale, marks: &restarts.gradients };
    let charts = [figures::gap(record, &records), figures::bounds(record, &records)];
    let panel_height = HEADING + SIZE[1];
    let height = TITLE + panel_height * charts.len() as f64;
    let panels =
        charts.iter().enumerate().map(|(k, chart)| panel(chart, &axis, TITLE + k as f64 * panel_height));
    let title = shortened(&record.description.name, LONGEST);
    let report = &record.report;
    let (gap, gradients) = (number(report.gap_rel(), 2), report.counts.gradients);
    let outcome = match report.status {
        Status::Infeasible => format!("{} after {gradients} gradients", report.status),
        status => format!("{status} after {gradients} gradients, relative gap {gap}"),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{left}\" y=\"26\">{title}</text>\n\
         <text class=\"outcome\" x=\"{left}\" y=\"44\">{outcome}</text>\n{panels}</svg>\n",
        width = SIZE[0],
        left = FRAME.left,
        title = text(&title),
        panels = panels.collect::<String>(),
    )
}

fn panel(chart: &Chart, axis: &TimeAxis<'_>, top: f64) -> String {
    let heading = text(&chart.title);
    let mut legend = String::new();
    if chart.series.len() > 1 {
        let mut right = FRAME.right;
        for series in chart.series.iter().rev() {
            let name = text(&series.name);
            let swatch = right - 6.6 * series.name.chars().count() as f64 - 8.0;
            legend.push_str(&format!(
                "<g class=\"series c{}\"><path d=\"M{} 10H{swatch}\"/></g><text class=\"legend\" x=\"{right}\" y=\"14\">{name}</text>",
                series.colour,
                swatch - 18.0
            ));
            right = swatch - 34.0;
        }
    }
    format!(
        "<g id=\"{}\" transform=\"translate(0 {top})\"><text class=\"heading\" x=\"{}\" y=\"14\">{heading}</text>{legend}\
         <g transform=\"translate(0 {HEADING})\">{}</g></g>\n",
        chart.id,
        FRAME.left,
        chart.draw(axis, "picture")
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{course, solved};
    use super::picture;

    /// The elements in order with their classes, repetitions counted; those of the grid, which come in turns, left out.
    fn structure(svg: &str) -> Vec<String> {
        let mut found: Vec<(String, usize)> = Vec::new();
        for element in svg.split('<').skip(1).filter(|element| !element.starts_with('/')) {
            let name = element.split([' ', '>', '/']).next().unwrap_or_default();
            let class = element.split_once("class=\"").and_then(|(_, rest)| rest.split_once('"'));
            let word =
                class.map_or(name.to_owned(), |(class, _)| format!("{name}.{}", class.replace(' ', ".")));
            if ["path.grid", "text.tick.x", "text.tick.y", "tspan.power"].contains(&word.as_str()) {
                continue;
            }
            match found.last_mut() {
                Some((last, count)) if *last == word => *count += 1,
                _ => found.push((word, 1)),
            }
        }
        let counted =
            |(word, count): (String, usize)| if count == 1 { word } else { format!("{word} x {count}") };
        found.into_iter().map(counted).collect()
    }

    #[test]
    fn the_picture_has_two_panels() {
        let (_, record) = solved("<bound> & more");
        let svg = picture(&record, &course(&record, 6));
        let expected = include_str!("picture-structure.txt");
        let structure = structure(&svg).join("\n") + "\n";
        assert_eq!(structure, expected, "report/picture-structure.txt says otherwise");
        assert!(svg.contains("<title>&lt;bound&gt; &amp; more</title>"), "{svg}");
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
    }

    #[test]
    fn empty_runs_have_a_picture() {
        let (_, mut record) = solved("bound");
        record.report.lower_bound = f64::NEG_INFINITY;
        let svg = picture(&record, &course(&record, 0));
        assert!(svg.contains("nothing to show") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
