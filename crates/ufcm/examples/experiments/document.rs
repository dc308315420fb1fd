//! What an experiment found, as Markdown, CSV and SVG.

use super::Outcome;
use super::picture::{Count, Line, Mark, Panel, Scale, draw};
use super::sheet::{Point, Series, Sheet};
use std::fmt::Write;

/// The tables of an experiment, with its picture and the file of all numbers.
pub fn section(name: &str, sheets: &[Sheet]) -> String {
    let mut text = format!("![{name}](experiments/{name}.svg)\n\n");
    for sheet in sheets {
        let _ = writeln!(text, "{}", markdown(sheet));
    }
    let _ = writeln!(text, "All numbers: [experiments/{name}.csv](experiments/{name}.csv)");
    text
}

/// `document` with `section` between the marks of `name`; at the end where it has none.
pub fn replace(document: &str, name: &str, section: &str) -> Outcome<String> {
    let (begin, end) = (format!("<!-- {name} begins -->\n"), format!("<!-- {name} ends -->\n"));
    let Some((before, rest)) = document.split_once(&begin) else {
        return Ok(format!("{document}\n{begin}{section}{end}"));
    };
    let (_, after) = rest.split_once(&end).ok_or_else(|| format!("`{}` is missing", end.trim()))?;
    Ok(format!("{before}{begin}{section}{end}{after}"))
}

/// Rows are the values of what was swept, columns the series: observed / promised.
pub fn markdown(sheet: &Sheet) -> String {
    let mut text = format!("{}: {}, observed / promised\n\n| {} |", sheet.title, sheet.y, sheet.x.0);
    sheet.series.iter().for_each(|series| write!(text, " {} |", series.label).unwrap_or(()));
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(sheet.series.len()));
    for x in abscissae(sheet) {
        let _ = write!(text, "| {} |", short(x));
        for series in &sheet.series {
            let cell = series.points.iter().find(|point| point.x == x).map(cell).unwrap_or_default();
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    let exponents: Vec<[Option<f64>; 2]> =
        sheet.series.iter().map(|series| sheet.exponents(series)).collect();
    let mut row = |name: &str, values: Vec<Option<f64>>| {
        if values.iter().any(Option::is_some) {
            let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
            let cells: Vec<String> = values.into_iter().map(shown).collect();
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
    };
    row("exponent, observed", exponents.iter().map(|pair| pair[0]).collect());
    row("exponent, promised", exponents.iter().map(|pair| pair[1]).collect());
    row("order in the limit", sheet.series.iter().map(|series| series.order).collect());
    text + &unproven(sheet)
}

/// Why there is no promise where there is none: each reason once, with the series that it was first met in.
fn unproven(sheet: &Sheet) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for series in &sheet.series {
        let first = series.points.iter().find_map(|point| Some((point.x, point.promised.as_ref().err()?)));
        let Some((x, why)) = first else { continue };
        let place = format!("{}, {} = {}", series.label, sheet.x.0, short(x));
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, places)) => places.push(series.label.clone()),
            None => reasons.push((why, vec![place])),
        }
    }
    let told: Vec<String> =
        reasons.iter().map(|(why, places)| format!("{why} ({})", places.join("; "))).collect();
    if told.is_empty() { String::new() } else { format!("\nNo promise (–): {}.\n", told.join("; ")) }
}

fn abscissae(sheet: &Sheet) -> Vec<f64> {
    let mut all: Vec<f64> = sheet.series.iter().flat_map(|series| &series.points).map(|p| p.x).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if sheet.x.1 == Scale::Inverse {
        all.reverse();
    }
    all
}

fn cell(point: &Point) -> String {
    let observed = match point.observed {
        Count::Reached(count) => short(count),
        Count::MoreThan(limit) => format!("> {}", short(limit)),
    };
    let promised = point.promised.as_ref().map_or("–".to_owned(), |promised| short(promised.ceil()));
    format!("{observed} / {promised}")
}

/// A number as people write it: whole counts up to a million as they are.
fn short(value: f64) -> String {
    if value == value.round() && value.abs() < 1e6 {
        format!("{value:.0}")
    } else if (0.01..1e4).contains(&value.abs()) {
        let digits = format!("{value:.3}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.1e}")
    }
}

/// One line for each point.
pub fn csv(sheets: &[Sheet]) -> String {
    let mut text =
        String::from("table,counted,series,swept,value,unit,observed,reached,promised,no promise because\n");
    for sheet in sheets {
        for series in &sheet.series {
            for point in &series.points {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                let (promised, why) = match &point.promised {
                    Ok(promised) => (promised.to_string(), String::new()),
                    Err(why) => (String::new(), quoted(why)),
                };
                let reached = matches!(point.observed, Count::Reached(_));
                let _ = writeln!(
                    text,
                    "{},{},{},{},{},{},{},{reached},{promised},{why}",
                    quoted(&sheet.title),
                    quoted(sheet.y),
                    quoted(&series.label),
                    quoted(sheet.x.0),
                    point.x,
                    series.unit,
                    point.observed.value()
                );
            }
        }
    }
    text
}

/// A panel for each sheet.
pub fn picture(sheets: &[Sheet]) -> String {
    let panels: Vec<Panel> = sheets.iter().map(panel).collect();
    draw(&panels, "points: observed; triangles: given up there; dashed: promised")
}

fn panel(sheet: &Sheet) -> Panel {
    let mark = |point: &Point| Mark {
        x: point.x,
        observed: point.observed,
        promised: point.promised.as_ref().ok().copied(),
    };
    let line = |series: &Series| Line {
        label: series.label.clone(),
        marks: series.points.iter().map(mark).collect(),
    };
    Panel::new(sheet.title.clone(), sheet.x, sheet.y, sheet.series.iter().map(line).collect())
}
