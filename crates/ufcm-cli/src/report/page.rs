//! The page: one HTML file that needs nothing else.

use super::answer;
use super::chart::{Chart, SIZE, TimeAxis, Times};
use super::data::data;
use super::escape::text;
use super::figures::{self, Moments};
use super::rows::Ranking;
use super::scale::Scale;
use super::tables::{self, number};
use crate::course::Course;
use crate::record::RunRecord;
use crate::sense::{proven_bound, shown};
use std::fmt::Write;
use ufcm::problem::Problem;
use ufcm::report::Status;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing may be loaded, from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
/// Rows in the table at most.
const ROWS: usize = 60;

/// A run as an HTML page.
pub(crate) fn page(problem: &Problem, record: &RunRecord, course: &Course) -> String {
    let ranking = Ranking::new(problem, record, ROWS);
    let drawn = Drawn::new(record, course, &ranking);
    let name = text(&record.description.name);
    let mut page = String::new();
    let mut put = |part: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = page.write_fmt(part);
    };
    put(format_args!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{name} – {} – ufcm</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        record.report.status
    ));
    put(format_args!("{}", header(record, &name)));
    put(format_args!("<main>\n{}", tiles(record)));
    put(format_args!("{}", answer::section(record)));
    put(format_args!("{}", drawn.section(course)));
    put(format_args!("{}", rows_section(&ranking)));
    put(format_args!(
        "<section class=\"tables\"><div class=\"card\"><h2>Result</h2>{}</div><div class=\"card\"><h2>Problem</h2>{}</div>\
         <div class=\"card\"><h2>Settings</h2>{}</div></section>\n</main>\n",
        tables::result(record),
        tables::problem(record, ranking.has_objective),
        tables::settings(&record.settings)
    ));
    put(format_args!(
        "<footer>Written by ufcm {}. The page needs no network.</footer>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        drawn.data()
    ));
    page
}

/// How good a status is, for its colour.
fn tone(status: Status) -> &'static str {
    match status {
        Status::Certified => "good",
        Status::Solved => "fair",
        Status::IterationLimit | Status::TimeLimit | Status::Interrupted => "unfinished",
        _ => "bad",
    }
}

fn header(record: &RunRecord, name: &str) -> String {
    let status = record.report.status;
    format!(
        "<header><p class=\"kicker\">{}</p><h1>{name}</h1>\
         <p class=\"verdict\"><span class=\"badge {}\">{status}</span> {}</p>\
         <p class=\"premise\">Rests on: {}</p></header>\n",
        text(&kicker(record)),
        tone(status),
        text(&capitalised(&record.meaning())),
        text(&record.premise())
    )
}

/// What the page is, and when the run was made, where that is known.
fn kicker(record: &RunRecord) -> String {
    record.made.as_ref().map_or("Report".to_owned(), |made| format!("Report of {}", made.date))
}

fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

fn tiles(record: &RunRecord) -> String {
    let (report, sense) = (&record.report, record.description.sense);
    let infeasible = report.status == Status::Infeasible;
    let value = |v: f64, digits| if infeasible { "–".into() } else { number(v, digits) };
    let tiles = [
        ("objective", value(shown(report.objective, sense), 6)),
        (proven_bound(sense), value(shown(report.lower_bound, sense), 6)),
        ("relative gap", value(report.gap_rel(), 2)),
        ("violation", number(report.violation, 2)),
        ("gradients", report.counts.gradients.to_string()),
        ("time", tables::time(report.seconds)),
    ];
    let tile = |(name, value): &(&str, String)| {
        format!("<div class=\"tile\"><span>{name}</span><strong>{value}</strong></div>")
    };
    format!("<section class=\"tiles\">{}</section>\n", tiles.iter().map(tile).collect::<String>())
}

/// The charts, with the moments that they belong to.
struct Drawn {
    charts: Vec<Chart>,
    steps: Moments,
    rows: Moments,
    restarts: Moments,
    axes: [Scale; 2],
    thinned: Option<(usize, usize)>,
}

impl Drawn {
    fn new(record: &RunRecord, course: &Course, ranking: &Ranking) -> Self {
        let records = course.records();
        let restarts = figures::marks(course);
        // Where no point is feasible, there is nothing to be close to.
        let infeasible = record.report.status == Status::Infeasible;
        let gap = (!infeasible).then(|| figures::gap(record, &records));
        let mut charts: Vec<Chart> = gap.into_iter().chain([figures::bounds(record, &records)]).collect();
        if record.description.blocks.iter().any(|block| block.constraint) {
            charts.push(figures::violation(record, &records));
        }
        charts.extend(figures::of_rows(record, course, ranking));
        charts.extend(figures::step_sizes(&records, restarts.seconds.len(), record.report.counts.restarts));
        let rows = course.rows().unwrap_or_default();
        let steps = Moments::of(records.iter());
        let axes = [&steps.gradients, &steps.seconds].map(|at| Scale::from_zero(at.iter().copied()));
        let (seen, stride) = course.thinning();
        Self {
            charts,
            rows: Moments::of(rows.iter().map(|at| &at.record)),
            restarts,
            axes,
            steps,
            thinned: (stride > 1).then_some((seen, stride)),
        }
    }

    fn data(&self) -> String {
        data(&self.charts, &self.steps, &self.rows, self.axes)
    }

    fn section(&self, course: &Course) -> String {
        let mut section = String::from(
            "<section class=\"charts\">\
             <input type=\"radio\" name=\"axis\" id=\"by-gradients\" checked><input type=\"radio\" name=\"axis\" id=\"by-seconds\">\
             <div class=\"bar-of-charts\"><h2>Course</h2><div class=\"switch\" role=\"group\" aria-label=\"horizontal axis\">\
             <label for=\"by-gradients\">gradients</label><label for=\"by-seconds\">seconds</label></div></div>",
        );
        if let Some((seen, stride)) = self.thinned {
            let _ = write!(
                section,
                "<p class=\"hint\">The run was looked at {seen} times; one in {stride} is shown, besides its end.</p>"
            );
        }
        if course.rows().is_none() {
            section.push_str("<p class=\"hint\">The problem has too many rows to follow each over time.</p>");
        }
        section.push_str("<div class=\"grid-of-charts\">");
        self.charts.iter().for_each(|chart| section.push_str(&self.card(chart)));
        section + "</div></section>\n"
    }

    fn card(&self, chart: &Chart) -> String {
        let moments = match chart.times {
            Times::Steps => &self.steps,
            Times::Rows => &self.rows,
        };
        let axis = |label, at, marks, scale| TimeAxis { label, at, scale, marks };
        let by_gradients = axis("gradients", &moments.gradients, &self.restarts.gradients, self.axes[0]);
        let by_seconds = axis("seconds", &moments.seconds, &self.restarts.seconds, self.axes[1]);
        let [width, height] = SIZE;
        let title = text(&chart.title);
        let svg = |axis: &TimeAxis<'_>, class: &str| {
            format!(
                "<svg class=\"chart {class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" tabindex=\"0\" \
                 aria-label=\"{title} against {}\">{}</svg>",
                axis.label,
                chart.draw(axis, class)
            )
        };
        format!(
            "<figure class=\"card\" id=\"chart-{}\"><h3>{title}</h3>{}{}{}<figcaption>{}</figcaption></figure>",
            chart.id,
            legend(chart),
            svg(&by_gradients, "by-gradients"),
            svg(&by_seconds, "by-seconds"),
            text(&chart.caption)
        )
    }
}

/// The names of lines: of several, and of rows, which the title does not tell.
fn legend(chart: &Chart) -> String {
    let is_strips = matches!(chart.form, super::chart::Form::Strips(_));
    if is_strips || (chart.series.len() < 2 && chart.times == Times::Steps) {
        return String::new();
    }
    let entry = |(k, series): (usize, &super::chart::Series)| {
        let faint = if series.faint { " faint" } else { "" };
        format!(
            "<button type=\"button\" class=\"c{}{faint}\" data-series=\"{k}\" aria-pressed=\"true\" title=\"{name}\"><i></i>{name}</button>",
            series.colour,
            name = text(&series.name)
        )
    };
    let entries: String = chart.series.iter().enumerate().map(entry).collect();
    format!("<div class=\"legend\">{entries}</div>")
}

fn rows_section(ranking: &Ranking) -> String {
    let Ranking { rows, total, active, violated, .. } = ranking;
    let violated = if *violated > 0 { format!(", {violated} violated") } else { String::new() };
    let shown = if total > &rows.len() {
        format!("; the {} that matter most are shown", rows.len())
    } else {
        String::new()
    };
    let noun = if *total == 1 { "row" } else { "rows" };
    format!(
        "<section class=\"card\"><h2>Components and constraints</h2>\
         <p class=\"hint\">{total} {noun}, {active} active{violated}{shown}. Active: the multiplier is not negligible, so the row holds the optimum \
         where it is. A constraint's value is its component minus its bound; that of an interval is as it is.</p><div class=\"wide\">{}</div></section>\n",
        tables::rows(ranking)
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{course, solved};
    use super::page;
    use ufcm::report::{Fault, Status, Trouble};

    #[test]
    fn runs_of_any_length_have_a_page() {
        let (problem, record) = solved("bound");
        for steps in [0, 1, 2, 12, 5000] {
            let page = page(&problem, &record, &course(&record, steps));
            assert!(page.contains("<h1>bound</h1>") && page.contains("Certified"), "{steps}");
            // Charts of rows and of step sizes need a step.
            let charts = if steps == 0 { 3 } else { 8 };
            assert_eq!(page.matches("<figure").count(), charts, "{steps}");
            assert_eq!(page.contains("looked at 5000 times; one in 4 is shown"), steps == 5000, "{steps}");
            assert!(page.len() < 1_200_000, "{steps}: {}", page.len());
            for word in ["NaN", "\"inf\"", ">inf<"] {
                assert!(!page.contains(word), "{steps}: {word}");
            }
        }
    }

    #[test]
    fn every_status_and_number_has_its_words() {
        let (problem, mut record) = solved("bound");
        let statuses = [
            (Status::Solved, "badge fair"),
            (Status::Infeasible, "badge bad"),
            (Status::Unbounded, "badge bad"),
            (Status::IterationLimit, "badge unfinished"),
            (Status::TimeLimit, "badge unfinished"),
            (Status::Interrupted, "badge unfinished"),
            (Status::NumericalError, "badge bad"),
        ];
        record.report.trouble = Some(Trouble::Told("row <b> failed".into()));
        record.report.fault = Some(Fault { row: "<b>".into(), step: 7, point: vec![0.0] });
        record.report.objective = f64::NAN;
        record.report.lower_bound = f64::NEG_INFINITY;
        record.report.upper_bound = f64::INFINITY;
        record.report.violation = f64::INFINITY;
        record.report.x = vec![f64::NAN; 2];
        record.report.multipliers = Vec::new();
        for (status, class) in statuses {
            record.report.status = status;
            let page = page(&problem, &record, &course(&record, 3));
            assert!(page.contains(class) && page.contains(&status.to_string()), "{status}");
            assert!(page.contains("&lt;b&gt; in step 7") && !page.contains("<b>"), "{status}");
            assert!(!page.contains("NaN") && !page.contains(">inf<"), "{status}");
        }
    }

    #[test]
    fn names_are_escaped_wherever_they_stand() {
        let name = "</script><i onmouseover='x'>\"&";
        let (problem, record) = solved(name);
        let page = page(&problem, &record, &course(&record, 5));
        assert!(page.contains("&lt;/script&gt;&lt;i onmouseover=&#39;x&#39;&gt;&quot;&amp;"));
        assert!(!page.contains(name) && !page.contains("<i onmouse"));
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
