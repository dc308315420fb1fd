//! The numbers behind the charts, for the script that shows them under the pointer.

use super::chart::{Chart, FRAME, Form, Frame, SIZE, Times};
use super::escape::script;
use super::figures::Moments;
use super::scale::Scale;
use serde::Serialize;

#[derive(Serialize)]
struct Data<'a> {
    frame: Frame,
    width: f64,
    steps: Along<'a>,
    rows: Along<'a>,
    /// The ends of the two axes.
    gradients: Scale,
    seconds: Scale,
    charts: Vec<ChartData<'a>>,
}

#[derive(Serialize)]
struct Along<'a> {
    gradients: &'a [f64],
    seconds: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct ChartData<'a> {
    id: &'a str,
    times: Times,
    /// `null` for strips.
    scale: Option<Scale>,
    series: Vec<SeriesData<'a>>,
}

#[derive(Serialize)]
struct SeriesData<'a> {
    name: &'a str,
    colour: usize,
    /// `null` where there is none.
    values: Vec<Option<f64>>,
}

/// The numbers as JSON that may stand in a script element.
pub(super) fn data(charts: &[Chart], steps: &Moments, rows: &Moments, axes: [Scale; 2]) -> String {
    let along = |moments: &'_ Moments| rounded(&moments.seconds, 5);
    let chart = |chart: &'_ Chart| -> Vec<Vec<Option<f64>>> {
        chart.series.iter().map(|series| rounded(&series.values, 9)).collect()
    };
    let data = Data {
        frame: FRAME,
        width: SIZE[0],
        steps: Along { gradients: &steps.gradients, seconds: along(steps) },
        rows: Along { gradients: &rows.gradients, seconds: along(rows) },
        gradients: axes[0],
        seconds: axes[1],
        charts: charts
            .iter()
            .map(|c| ChartData {
                id: c.id,
                times: c.times,
                scale: match c.form {
                    Form::Lines(scale) => Some(scale),
                    Form::Strips(_) => None,
                },
                series: c
                    .series
                    .iter()
                    .zip(chart(c))
                    .map(|(s, values)| SeriesData { name: &s.name, colour: s.colour, values })
                    .collect(),
            })
            .collect(),
    };
    // Maps with keys of text and finite numbers are always JSON.
    script(&serde_json::to_string(&data).unwrap_or_default())
}

/// Numbers with so many digits after the first: more would only make the page longer. JSON has no others.
fn rounded(values: &[f64], digits: usize) -> Vec<Option<f64>> {
    let round = |v: &f64| format!("{v:.digits$e}").parse().ok().filter(|v: &f64| v.is_finite());
    values.iter().map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn what_json_lacks_is_null() {
        let values = rounded(&[1.0 / 3.0, f64::NAN, f64::NEG_INFINITY, -0.0, 5e-324], 3);
        assert_eq!(serde_json::to_string(&values).unwrap(), "[0.3333,null,null,-0.0,5e-324]");
    }
}
