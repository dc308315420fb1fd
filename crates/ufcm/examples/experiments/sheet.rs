//! What an experiment finds: counts along a sweep, next to what was promised.

pub use super::picture::{Count, Scale};
use super::planted::runs::slope;

/// One sweep: a table and a panel of the picture.
pub struct Sheet {
    pub title: String,
    /// What is swept, and how it is drawn and fitted.
    pub x: (&'static str, Scale),
    /// What is counted.
    pub y: &'static str,
    /// Exponents are fitted from this x on; `None` where no power law is expected.
    pub fitted_from: Option<f64>,
    pub series: Vec<Series>,
}

pub struct Series {
    pub label: String,
    /// The exponent that the theory gives in the limit, where it gives one.
    pub order: Option<f64>,
    /// What x is given in.
    pub unit: f64,
    pub points: Vec<Point>,
}

pub struct Point {
    pub x: f64,
    pub observed: Count,
    /// The count that suffices, or which condition of the theorem does not hold.
    pub promised: Result<f64, String>,
}

impl Sheet {
    /// A sweep over accuracies: exponents are those of 1/eps.
    pub fn over_accuracies(title: &str, y: &'static str, series: Vec<Series>) -> Self {
        // Relative to the start's, or as they are.
        let name = if series.iter().any(|series| series.unit != 1.0) { "eps/eps_0" } else { "eps" };
        Self { title: title.to_owned(), x: (name, Scale::Inverse), y, fitted_from: Some(0.0), series }
    }

    /// A sweep over what multiplies a parameter, which theorems speak of from 1 on.
    pub fn over_factors(title: &str, x: &'static str, y: &'static str, series: Vec<Series>) -> Self {
        Self { title: title.to_owned(), x: (x, Scale::Log), y, fitted_from: Some(1.0), series }
    }

    /// What was promised and not kept. (A count is whole: the promise is rounded up.)
    pub fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for series in &self.series {
            for point in &series.points {
                let Ok(promised) = &point.promised else { continue };
                let kept = match point.observed {
                    Count::Reached(count) => count <= promised.ceil(),
                    // Given up before the promise is due, nothing is broken.
                    Count::MoreThan(count) => count < promised.ceil(),
                };
                if !kept {
                    let (title, label, x, observed) = (&self.title, &series.label, point.x, point.observed);
                    broken.push(format!("{title}, {label}, {} = {x}: {observed:?} of {promised}", self.x.0));
                }
            }
        }
        broken
    }

    /// The exponents of observed and promised counts, by least squares on logarithms.
    pub fn exponents(&self, series: &Series) -> [Option<f64>; 2] {
        let Some(from) = self.fitted_from else { return [None, None] };
        let place = |x: f64| if self.x.1 == Scale::Inverse { -x.ln() } else { x.ln() };
        let fitted = |count: &dyn Fn(&Point) -> Option<f64>| {
            let within = series.points.iter().filter(|point| point.x >= from);
            let points: Vec<(f64, f64)> =
                within.filter_map(|point| Some((place(point.x), count(point)?.ln()))).collect();
            (points.len() >= 3).then(|| slope(&points))
        };
        let observed = fitted(&|point| match point.observed {
            Count::Reached(count) => Some(count),
            Count::MoreThan(_) => None,
        });
        [observed, fitted(&|point| point.promised.as_ref().ok().copied())]
    }
}

impl Series {
    pub fn new(label: impl Into<String>, points: Vec<Point>) -> Self {
        Self { label: label.into(), order: None, unit: 1.0, points }
    }

    /// With the exponent that the theory gives in the limit.
    pub fn of_order(self, order: f64) -> Self {
        Self { order: Some(order), ..self }
    }

    /// With x in this unit.
    pub fn in_units_of(self, unit: f64) -> Self {
        Self { unit, ..self }
    }
}
