//! Axes of the pictures of curves and surfaces.

use std::fmt::Write;

pub(super) const PANEL: (f64, f64) = (560.0, 340.0);
pub(super) const LEFT: f64 = 84.0;
pub(super) const TOP: f64 = 58.0;

/// Values from `low` to `high`, on an axis.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Axis {
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        match low < high {
            true => Self { low, high },
            false if low == high => Self { low: low - 0.5, high: high + 0.5 },
            false => Self { low: 0.0, high: 1.0 },
        }
    }

    pub(super) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers, some five of them, and how many digits they take behind the point.
    pub(super) fn ticks(&self) -> (Vec<f64>, usize) {
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

/// Lines and numbers.
pub(super) fn grid(svg: &mut String, columns: &Axis, rows: &Axis) {
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

/// Text in SVG.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
