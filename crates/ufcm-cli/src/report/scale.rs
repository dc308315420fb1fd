//! Axes: where a value lies between the ends, and where the ticks are.

use serde::Serialize;

/// Beyond this, differences overflow.
const HUGE: f64 = 1e300;
/// What part of a log axis lies below its least positive tick, where values of 0 and below are drawn.
const FLOOR: f64 = 0.07;
/// The step between ticks, beside their size, below which labels would be too long.
const CLOSE: f64 = 1e-6;
/// Decades that a log axis spans at most: what lies below is rounding.
const DECADES: f64 = 24.0;

/// How values map to places.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Scale {
    Linear {
        low: f64,
        high: f64,
    },
    /// The ends are powers of ten; `floor` is the share below them, for values that have no logarithm.
    Log {
        low: f64,
        high: f64,
        floor: f64,
    },
}

/// A place on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) share: f64,
    pub(super) label: Label,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Label {
    Plain(String),
    /// A power of ten.
    Power(i32),
}

impl Scale {
    /// From 0 to the largest value.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let high = values.filter(|v| v.is_finite()).fold(0.0f64, f64::max).min(HUGE);
        Self::Linear { low: 0.0, high: if high > 0.0 { high } else { 1.0 } }
    }

    /// Covers what is finite but for outliers: values further below the `quantiles` (above them) than these are apart.
    /// What is in `kept` is always covered.
    pub(super) fn robust(
        values: impl Iterator<Item = f64>,
        quantiles: [f64; 2],
        kept: impl Iterator<Item = f64>,
    ) -> Self {
        let clamped = |v: f64| v.clamp(-HUGE, HUGE);
        let mut sorted: Vec<f64> = values.filter(|v| v.is_finite()).map(clamped).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self::Linear { low: 0.0, high: 1.0 };
        };
        let at = |quantile: f64| sorted[(quantile * (sorted.len() - 1) as f64).round() as usize];
        let [below, above] = quantiles.map(at);
        let spread = above - below;
        let (lowest, highest) = if spread > 0.0 { (below - spread, above + spread) } else { (least, most) };
        let inner = sorted.iter().copied().filter(|v| (lowest..=highest).contains(v));
        let covered = inner.chain(kept.filter(|v| v.is_finite()).map(clamped));
        let (low, high) = covered.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        // Room above and below; where all is the same, some of its own size.
        let room = if high > low { 0.05 * (high - low) } else { (0.1 * low.abs()).max(1e-6) };
        Self::Linear { low: low - room, high: high + room }
    }

    /// A linear axis of at least this part of the size of its values.
    pub(super) fn no_finer_than(self, part: f64) -> Self {
        let Self::Linear { low, high } = self else { return self };
        let (middle, least) = (0.5 * low + 0.5 * high, 0.5 * part * low.abs().max(high.abs()));
        if 0.5 * high - 0.5 * low >= least {
            return self;
        }
        Self::Linear { low: middle - least, high: middle + least }
    }

    /// Whole decades that cover what is positive, with a floor for what is not.
    pub(super) fn log(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high, mut floor) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for value in values.filter(|v| v.is_finite()) {
            if value > 0.0 {
                low = low.min(value.log10());
                high = high.max(value.log10());
            } else {
                floor = FLOOR;
            }
        }
        if low > high {
            return Self::Log { low: -1.0, high: 0.0, floor };
        }
        let (mut low, high) = (low.floor(), high.ceil());
        if high - low > DECADES {
            (low, floor) = (high - DECADES, FLOOR);
        }
        // Less than two decades would make much of little.
        Self::Log { low: low.min(high - 2.0), high, floor }
    }

    /// Where a value lies: 0 at the low end, 1 at the high one; outside where it exceeds them. `None` for what has no place.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        match *self {
            _ if !value.is_finite() => None,
            Self::Linear { low, high } => {
                Some(((value.clamp(-HUGE, HUGE) - low) / (high - low)).clamp(-1.0, 2.0))
            }
            Self::Log { floor, .. } if value <= 0.0 => (floor > 0.0).then_some(0.0),
            Self::Log { low, high, floor } => {
                let share = (value.log10() - low) / (high - low);
                Some((floor + (1.0 - floor) * share).clamp(0.0, 2.0))
            }
        }
    }

    /// About `count` ticks.
    pub(super) fn ticks(&self, count: usize) -> Vec<Tick> {
        match *self {
            Self::Linear { low, high } => linear_ticks(self, low, high, count),
            Self::Log { low, high, floor } => {
                let stride = ((high - low) / count as f64).ceil().max(1.0);
                let decades = (0..=((high - low) / stride) as i32).map(|k| high - f64::from(k) * stride);
                let tick = |power: f64| {
                    let share = floor + (1.0 - floor) * (power - low) / (high - low);
                    Tick { share, label: Label::Power(power as i32) }
                };
                let zero = Tick { share: 0.0, label: Label::Plain("≤ 0".into()) };
                decades.map(tick).chain((floor > 0.0).then_some(zero)).collect()
            }
        }
    }
}

fn linear_ticks(scale: &Scale, low: f64, high: f64, count: usize) -> Vec<Tick> {
    let rough = (high - low) / count as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let Some(step) = step.filter(|step| step.is_normal()) else { return Vec::new() };
    let first = (low / step - 1e-9).ceil();
    // More ticks than asked for come of rounding alone; a step that is lost in the size of the ends would never arrive.
    let values = (0..=2 * count).map(|k| (first + k as f64) * step).take_while(|v| *v <= high + 1e-9 * step);
    let size = low.abs().max(high.abs());
    let label = |k: usize, value: f64| {
        let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
        Label::Plain(match k {
            _ if step > CLOSE * size => tick_label(value, step, size),
            // Too close together for labels of their own: how far they are from the first.
            0 => tick_label(value, CLOSE * size, size),
            k => format!("+{}", minus(&format!("{:.1e}", k as f64 * step).replace(".0e", "e"))),
        })
    };
    let tick = |(k, value)| Some(Tick { share: scale.share(value)?, label: label(k, value) });
    values.enumerate().filter_map(tick).collect()
}

/// With the digits that tell ticks apart.
fn tick_label(value: f64, step: f64, size: f64) -> String {
    let digits = -(step.log10() + 1e-9).floor();
    if (1e-4..1e6).contains(&size) && digits <= 8.0 {
        return minus(&format!("{value:.0$}", digits.max(0.0) as usize));
    }
    if value == 0.0 {
        return "0".into();
    }
    let significant = (value.abs().log10().floor() + digits).clamp(0.0, 12.0);
    minus(&format!("{value:.0$e}", significant as usize))
}

/// With a proper minus sign.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        let word = |tick: Tick| match tick.label {
            Label::Plain(word) => word,
            Label::Power(power) => format!("10^{power}"),
        };
        scale.ticks(5).into_iter().map(word).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_told_apart() {
        assert_eq!(labels(&Scale::Linear { low: 0.0, high: 10.0 }), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(&Scale::Linear { low: -0.1, high: 0.1 }),
            ["−0.10", "−0.05", "0.00", "0.05", "0.10"]
        );
        assert_eq!(labels(&Scale::Linear { low: 0.061_53, high: 0.061_54 })[1], "0.061532");
        assert_eq!(labels(&Scale::Linear { low: 0.0, high: 3e7 }), ["0", "1e7", "2e7", "3e7"]);
        assert_eq!(labels(&Scale::Linear { low: 0.0, high: 2e-7 })[1], "5e−8");
        assert!(!labels(&Scale::Linear { low: -HUGE, high: HUGE }).is_empty());
        let hair = Scale::Linear { low: 445.0 - 1e-10, high: 445.0 + 1e-10 };
        assert_eq!(labels(&hair)[..2], ["445.0000", "+5e−11"]);
        // Where values differ by rounding alone, the axis does not make curves of it.
        let Scale::Linear { low, high } = hair.no_finer_than(1e-9) else { panic!("a linear axis") };
        assert!((high - low - 445e-9).abs() < 1e-12 && low < 445.0 - 1e-10, "{low} {high}");
        assert_eq!(
            Scale::Linear { low: 1.0, high: 2.0 }.no_finer_than(1e-9),
            Scale::Linear { low: 1.0, high: 2.0 }
        );
        // Steps smaller than rounding.
        let close = Scale::Linear { low: 1.0, high: 1.0 + f64::EPSILON };
        assert!(labels(&close).len() <= 11);
    }

    #[test]
    fn log_axes_span_decades_and_have_a_place_for_zero() {
        let scale = Scale::log([3e-7, 0.2].into_iter());
        assert_eq!(scale, Scale::Log { low: -7.0, high: 0.0, floor: 0.0 });
        assert_eq!(labels(&scale), ["10^0", "10^-2", "10^-4", "10^-6"]);
        assert_eq!(scale.share(0.0), None);
        let scale = Scale::log([-1e-7, 1e-3, f64::INFINITY, f64::NAN].into_iter());
        assert_eq!(scale.share(-1e-7), Some(0.0));
        assert!(scale.share(1e-3).unwrap() >= FLOOR);
        assert_eq!(labels(&scale).last().unwrap(), "≤ 0");
        assert_eq!(Scale::log(std::iter::empty()), Scale::Log { low: -1.0, high: 0.0, floor: 0.0 });
        assert!(matches!(Scale::log([1e-300, 1.0].into_iter()), Scale::Log { low: -24.0, floor: FLOOR, .. }));
    }

    #[test]
    fn outliers_do_not_flatten_the_rest() {
        let values = || (0..100).map(|i| if i < 3 { -1e9 } else { 1.0 / f64::from(i) });
        let Scale::Linear { low, high } = Scale::robust(values(), [0.1, 0.95], std::iter::empty()) else {
            panic!("it is linear")
        };
        assert!(low > -1.0 && high < 1.0, "{low} {high}");
        let with_end = Scale::robust(values(), [0.1, 0.95], std::iter::once(-7.0));
        assert!(with_end.share(-7.0).unwrap() >= 0.0);
        for constant in [0.0, 5.0, -1e-30, 1e308] {
            let scale = Scale::robust(std::iter::repeat_n(constant, 4), [0.1, 0.9], std::iter::empty());
            assert!((0.0..=1.0).contains(&scale.share(constant).unwrap()), "{constant}: {scale:?}");
        }
        let none = Scale::robust([f64::NAN, f64::INFINITY].into_iter(), [0.1, 0.9], std::iter::empty());
        assert_eq!(none, Scale::Linear { low: 0.0, high: 1.0 });
        let extreme = Scale::robust([f64::MAX, -f64::MAX].into_iter(), [0.1, 0.9], std::iter::empty());
        assert!(extreme.share(0.0).unwrap().is_finite());
    }
}
