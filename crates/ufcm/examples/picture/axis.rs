//! Scales, ranges and ticks.

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Log,
    /// 1/x on a log scale: accuracies.
    Inverse,
}

/// An axis with its name and the range that it shows.
#[derive(Debug, Clone)]
pub struct Axis {
    name: String,
    scale: Scale,
    /// On the scale: logarithms where it is logarithmic.
    range: (f64, f64),
}

impl Axis {
    /// An axis that shows all these values; those that have no place on the scale are left out.
    pub fn over(name: &str, scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let places = values.map(|value| place(scale, value)).filter(|place| place.is_finite());
        let (low, high) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // Room for marks at the edges, and for a single value.
        let margin = 0.04 * (high - low).max(0.5);
        Self { name: name.to_owned(), scale, range: (low - margin, high + margin) }
    }

    /// The name as it is shown: a/b is b/a on an inverse scale.
    pub fn label(&self) -> String {
        match (self.scale, self.name.split_once('/')) {
            (Scale::Inverse, Some((above, below))) => format!("{below}/{above}"),
            (Scale::Inverse, None) => format!("1/{}", self.name),
            _ => self.name.clone(),
        }
    }

    /// 0 at the beginning, 1 at the end.
    pub fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        ((place(self.scale, value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Values and how they are shown.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        if self.scale == Scale::Linear {
            let step = round_step((high - low) / 6.0);
            let first = (low / step).ceil() as i64;
            let last = (high / step).floor() as i64;
            return (first..=last)
                .map(|k| (k as f64 * step, format!("{:.3}", k as f64 * step)))
                .map(trimmed)
                .collect();
        }
        // All powers of ten, every second or third where they are many; and 2 and 5 between them where they are few.
        let decades = high - low;
        let every = (decades / 7.0).ceil().max(1.0) as i32;
        let digits: &[f64] = if decades <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks = Vec::new();
        for power in low.floor() as i32..=high.ceil() as i32 {
            for digit in digits {
                let at = f64::from(power) + digit.log10();
                if power % every == 0 && (low..=high).contains(&at) {
                    let value = 10f64.powf(at);
                    let value = if self.scale == Scale::Inverse { 1.0 / value } else { value };
                    ticks.push((value, shown(*digit, power)));
                }
            }
        }
        ticks
    }
}

fn place(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => value.log10(),
        Scale::Inverse => -value.log10(),
    }
}

/// 1, 2 or 5 times a power of ten, about `wanted`.
fn round_step(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= wanted).unwrap_or(power)
}

fn trimmed((value, label): (f64, String)) -> (f64, String) {
    (value, label.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// Small numbers as they are, others as powers of ten.
fn shown(digit: f64, power: i32) -> String {
    if (0..4).contains(&power) {
        return format!("{}", digit * 10f64.powi(power));
    }
    if (-2..0).contains(&power) {
        return format!("{:.*}", power.unsigned_abs() as usize, digit * 10f64.powi(power));
    }
    let lead = if digit == 1.0 { String::new() } else { format!("{digit}·") };
    let raised = |c: char| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c.to_digit(10).unwrap_or(0) as usize],
    };
    format!("{lead}10{}", power.to_string().chars().map(raised).collect::<String>())
}
