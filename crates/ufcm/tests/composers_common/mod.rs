//! Every composer next to its twin: h written naively, with a prox by bisection that shares no code with the library
//! and never looks at a conjugate.

use ufcm::composer::{
    ConditionalValueAtRisk, Equality, Huber, Interval, L1Norm, L2Norm, LinfNorm, LogSumExp, Max,
    NegativeEntropy, NegativeLog, Nonpositive, PowerSum, Quadratic, Quantile, Reciprocal, Scaled,
    SquaredHinge, Stacked, WeightedSum,
};
use ufcm::oracle::Composer;

const INF: f64 = f64::INFINITY;

/// A deterministic stream of numbers (splitmix64).
pub struct Stream(pub u64);

impl Stream {
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.within(low.ln(), high.ln()).exp()
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.unit() * from.len() as f64) as usize]
    }

    /// A vector of size about `scale`; some entries are `kinks`, some repeat the entry before.
    pub fn point(&mut self, rows: usize, scale: f64, kinks: &[f64]) -> Vec<f64> {
        let mut point: Vec<f64> = Vec::new();
        for j in 0..rows {
            let draw = self.unit();
            point.push(match j {
                _ if draw < 0.15 && !kinks.is_empty() => self.pick(kinks),
                1.. if draw < 0.25 => point[j - 1],
                _ => scale * self.within(-1.0, 1.0),
            });
        }
        point
    }
}

/// One convex function of one row: its value, its slope (right derivative inside the domain, infinite outside), its
/// domain.
pub struct ScalarTwin {
    value: Box<dyn Fn(f64) -> f64>,
    slope: Box<dyn Fn(f64) -> f64>,
    domain: (f64, f64),
}

pub enum Twin {
    Rows(Vec<ScalarTwin>),
    Max,
    LogSumExp(f64),
    L2(f64),
    Linf(f64),
    /// The mean of the worst share.
    Risk(f64),
    Stack(Vec<(usize, Twin)>),
    Scale(f64, Box<Twin>),
}

/// Where the increasing function `f` changes sign on [low, high], to the last bit.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
}

impl Twin {
    pub fn value(&self, z: &[f64]) -> f64 {
        match self {
            Self::Rows(rows) => rows.iter().zip(z).map(|(row, &z)| row.value_at(z)).sum(),
            Self::Max => z.iter().copied().fold(-INF, f64::max),
            Self::LogSumExp(eta) => {
                let top = Self::Max.value(z);
                top + eta * z.iter().map(|z| ((z - top) / eta).exp()).sum::<f64>().ln()
            }
            Self::L2(weight) => weight * z.iter().map(|z| z * z).sum::<f64>().sqrt(),
            Self::Linf(weight) => weight * z.iter().map(|z| z.abs()).fold(0.0, f64::max),
            Self::Risk(alpha) => {
                let mut sorted = z.to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let (worst, mut left) = (alpha * z.len() as f64, alpha * z.len() as f64);
                let count = |z: f64| {
                    let share = left.clamp(0.0, 1.0);
                    left -= 1.0;
                    share * z
                };
                if worst <= 1.0 { sorted[0] } else { sorted.into_iter().map(count).sum::<f64>() / worst }
            }
            Self::Stack(parts) => split(parts).map(|(twin, range)| twin.value(&z[range])).sum(),
            Self::Scale(c, twin) => c * twin.value(z),
        }
    }

    /// argmin over z of h(z) + sum of w_j/2 (z_j - v_j)^2.
    pub fn prox(&self, w: &[f64], v: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(rows) => rows.iter().zip(w).zip(v).map(|((row, &w), &v)| row.prox(w, v)).collect(),
            Self::Max => {
                // z_j = min(v_j, t), where the forces w_j (v_j - t)+ add up to 1.
                let top = Self::Max.value(v);
                let lightest = w.iter().copied().fold(INF, f64::min);
                let t = bisect(top - 1.0 / lightest, top, |t| {
                    1.0 - w.iter().zip(v).map(|(w, v)| w * (v - t).max(0.0)).sum::<f64>()
                });
                v.iter().map(|v| v.min(t)).collect()
            }
            Self::LogSumExp(eta) => soft_max_prox(*eta, w, v),
            Self::L2(weight) => {
                // z_j = v_j w_j r / (w_j r + weight), where r = |z|; zero where |W v| <= weight.
                let pull = |r: f64| {
                    w.iter().zip(v).map(|(w, v)| (w * v / (w * r + weight)).powi(2)).sum::<f64>().sqrt()
                };
                let r = if pull(0.0) <= 1.0 { 0.0 } else { bisect(0.0, norm(v), |r| 1.0 - pull(r)) };
                w.iter().zip(v).map(|(w, v)| v * (w * r / (w * r + weight))).collect()
            }
            Self::Linf(weight) => {
                let excess = |t: f64| w.iter().zip(v).map(|(w, v)| w * (v.abs() - t).max(0.0)).sum::<f64>();
                let top = v.iter().map(|v| v.abs()).fold(0.0, f64::max);
                let t = if excess(0.0) <= *weight { 0.0 } else { bisect(0.0, top, |t| weight - excess(t)) };
                v.iter().map(|v| v.clamp(-t, t)).collect()
            }
            Self::Risk(alpha) => {
                // z_j = v_j - p_j / w_j, where the forces p_j = min(w_j (v_j - t)+, cap) add up to 1.
                let cap = (1.0 / (alpha * v.len() as f64)).min(1.0);
                let force = |w: f64, v: f64, t: f64| (w * (v - t).max(0.0)).min(cap);
                let low = w.iter().zip(v).map(|(w, v)| v - cap / w).fold(INF, f64::min);
                let t = bisect(low, Self::Max.value(v), |t| {
                    1.0 - w.iter().zip(v).map(|(w, v)| force(*w, *v, t)).sum::<f64>()
                });
                let t = if *alpha == 1.0 { -INF } else { t };
                w.iter().zip(v).map(|(w, v)| v.min(t).max(v - cap / w)).collect()
            }
            Self::Stack(parts) => {
                split(parts).flat_map(|(twin, range)| twin.prox(&w[range.clone()], &v[range])).collect()
            }
            Self::Scale(c, twin) => twin.prox(&w.iter().map(|w| w / c).collect::<Vec<_>>(), v),
        }
    }

    /// The point of the domain of h nearest to `z`.
    pub fn nearest_in_domain(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(rows) => {
                rows.iter().zip(z).map(|(row, z)| z.clamp(row.domain.0, row.domain.1)).collect()
            }
            Self::Stack(parts) => {
                split(parts).flat_map(|(twin, range)| twin.nearest_in_domain(&z[range])).collect()
            }
            Self::Scale(_, twin) => twin.nearest_in_domain(z),
            _ => z.to_vec(),
        }
    }
}

/// Each part with its rows.
fn split(parts: &[(usize, Twin)]) -> impl Iterator<Item = (&Twin, std::ops::Range<usize>)> {
    let mut start = 0;
    parts.iter().map(move |(rows, twin)| {
        start += rows;
        (twin, start - rows..start)
    })
}

pub fn norm(v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 { 0.0 } else { largest * v.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
}

/// z_j = v_j - p_j / w_j with p_j = exp((z_j - s) / eta), that is eta log p_j + p_j / w_j = v_j - s, where s makes the
/// p_j add up to 1.
fn soft_max_prox(eta: f64, w: &[f64], v: &[f64]) -> Vec<f64> {
    let share = |w: f64, v: f64, s: f64| bisect(1e-30, 1.0, |p| eta * p.ln() + p / w - (v - s));
    let low = w.iter().zip(v).map(|(w, v)| v - 1.0 / w).fold(-INF, f64::max);
    let high = Twin::Max.value(v) + eta * (v.len() as f64).ln();
    let margin = 1e-12 * (low.abs() + high.abs());
    let s = bisect(low - margin, high + margin, |s| {
        1.0 - w.iter().zip(v).map(|(&w, &v)| share(w, v, s)).sum::<f64>()
    });
    w.iter().zip(v).map(|(&w, &v)| v - share(w, v, s) / w).collect()
}

impl ScalarTwin {
    fn new(
        value: impl Fn(f64) -> f64 + 'static,
        slope: impl Fn(f64) -> f64 + 'static,
        domain: (f64, f64),
    ) -> Self {
        Self { value: Box::new(value), slope: Box::new(slope), domain }
    }

    fn constraint(low: f64, high: f64) -> Self {
        Self::new(|_| 0.0, |_| 0.0, (low, high))
    }

    fn value_at(&self, z: f64) -> f64 {
        if z < self.domain.0 || z > self.domain.1 { INF } else { (self.value)(z) }
    }

    /// Where slope(z) + w (z - v) changes sign within the domain.
    fn prox(&self, w: f64, v: f64) -> f64 {
        let force = |z: f64| (self.slope)(z) + w * (z - v);
        let reach = (self.slope)(v).abs() / w + (self.slope)(0.0).abs() / w + v.abs();
        let low = (-4.0 * reach).clamp(self.domain.0, self.domain.1);
        let high = (4.0 * reach).clamp(self.domain.0, self.domain.1);
        // Split at 0, so that tiny roots are found to the last bit.
        if low < 0.0 && high > 0.0 {
            if force(0.0) < 0.0 {
                return bisect(0.0, high, force);
            }
            if force(-f64::MIN_POSITIVE) <= 0.0 {
                return 0.0;
            }
            return bisect(low, 0.0, force);
        }
        bisect(low, high, force)
    }
}

pub struct Case {
    pub name: String,
    pub composer: Box<dyn Composer>,
    pub twin: Twin,
    /// Values of a row at which something happens.
    pub kinks: Vec<f64>,
}

fn rows(count: usize, row: impl Fn(usize) -> ScalarTwin) -> Twin {
    Twin::Rows((0..count).map(row).collect())
}

fn case(name: &str, composer: impl Composer + 'static, twin: Twin, kinks: &[f64]) -> Case {
    let name = format!("{name} of {} rows", composer.rows());
    Case { name, composer: Box::new(composer), twin, kinks: kinks.to_vec() }
}

/// Entry j of a pattern, over and over.
fn cycle(pattern: &[f64], rows: usize) -> Vec<f64> {
    pattern.iter().copied().cycle().take(rows).collect()
}

pub fn power_case(m: usize, p: f64, weight: f64) -> Case {
    let twin = rows(m, |_| {
        let slope = move |z: f64| {
            if z == 0.0 && p > 1.0 { 0.0 } else { weight * p * z.abs().powf(p - 1.0) * z.signum() }
        };
        ScalarTwin::new(move |z| weight * z.abs().powf(p), slope, (-INF, INF))
    });
    case(&format!("power sum p = {p}"), PowerSum::new(m, p, weight).unwrap(), twin, &[0.0])
}

fn equality_case(m: usize) -> Case {
    case("equality", Equality::new(m), rows(m, |_| ScalarTwin::constraint(0.0, 0.0)), &[0.0])
}

fn interval_case(m: usize) -> Case {
    let (lower, upper) = (cycle(&[-1.0, -INF, 0.5, -INF, 2.0], m), cycle(&[1.0, 0.25, INF, INF, 2.0], m));
    let bounds = (lower.clone(), upper.clone());
    let twin = rows(m, |j| ScalarTwin::constraint(bounds.0[j], bounds.1[j]));
    case("interval", Interval::new(lower, upper).unwrap(), twin, &[-1.0, 0.25, 0.5, 1.0, 2.0])
}

fn quadratic_case(m: usize) -> Case {
    let weights = cycle(&[1.0, 4.0, 0.0, 1e-3], m);
    let twin = rows(m, |j| {
        let w = [1.0, 4.0, 0.0, 1e-3][j % 4];
        ScalarTwin::new(move |z| w / 2.0 * z * z, move |z| w * z, (-INF, INF))
    });
    case("quadratic", Quadratic::new(weights).unwrap(), twin, &[0.0])
}

fn l1_case(m: usize) -> Case {
    let weights = cycle(&[0.5, 2.0, 1.0], m);
    let twin = rows(m, |j| {
        let w = [0.5, 2.0, 1.0][j % 3];
        ScalarTwin::new(move |z| w * z.abs(), move |z| if z >= 0.0 { w } else { -w }, (-INF, INF))
    });
    case("l1 norm", L1Norm::new(weights).unwrap(), twin, &[0.0, 0.5, 2.0])
}

fn sum_case(m: usize) -> Case {
    let weights = cycle(&[1.0, -2.0, 0.0, 1e3], m);
    let twin = rows(m, |j| {
        let w = [1.0, -2.0, 0.0, 1e3][j % 4];
        ScalarTwin::new(move |z| w * z, move |_| w, (-INF, INF))
    });
    case("weighted sum", WeightedSum::new(weights).unwrap(), twin, &[1.0, -2.0, 0.0])
}

fn hinge_case(m: usize, eta: f64) -> Case {
    let twin = rows(m, |_| {
        ScalarTwin::new(
            move |z| (z / eta).max(0.0).powi(2),
            move |z| 2.0 * z.max(0.0) / (eta * eta),
            (-INF, INF),
        )
    });
    case(&format!("squared hinge {eta}"), SquaredHinge::new(m, eta).unwrap(), twin, &[0.0])
}

fn huber_case(m: usize, delta: f64, w: f64) -> Case {
    let twin = rows(m, |_| {
        let value = move |z: f64| {
            w * if z.abs() <= delta { z * z / 2.0 } else { delta * z.abs() - delta * delta / 2.0 }
        };
        ScalarTwin::new(value, move |z| w * z.clamp(-delta, delta), (-INF, INF))
    });
    case(&format!("huber {delta}"), Huber::new(m, delta, w).unwrap(), twin, &[0.0, delta, -delta, w * delta])
}

fn quantile_case(m: usize, q: f64, w: f64) -> Case {
    let twin = rows(m, |_| {
        let slope = move |z: f64| if z >= 0.0 { w * (1.0 - q) } else { -w * q };
        ScalarTwin::new(move |z| w * ((1.0 - q) * z.max(0.0) + q * (-z).max(0.0)), slope, (-INF, INF))
    });
    case(&format!("quantile {q}"), Quantile::new(m, q, w).unwrap(), twin, &[0.0, w * q])
}

fn negative_log_case(m: usize) -> Case {
    let weights = cycle(&[1.0, 0.2, 3.0], m);
    let twin = rows(m, |j| {
        let w = [1.0, 0.2, 3.0][j % 3];
        // Left of the domain any slope will do that is steep enough to reach the root.
        let slope = move |z: f64| if z <= 0.0 { -1e4 } else { -w / z };
        ScalarTwin::new(move |z| -w * z.ln(), slope, (1e-100, INF))
    });
    case("negative log", NegativeLog::new(weights).unwrap(), twin, &[1.0, 0.2])
}

fn negative_entropy_case(m: usize) -> Case {
    let weights = cycle(&[1.0, 0.2, 3.0], m);
    let twin = rows(m, |j| {
        let w = [1.0, 0.2, 3.0][j % 3];
        let value = move |z: f64| if z == 0.0 { 0.0 } else { w * z * z.ln() };
        let slope = move |z: f64| if z <= 0.0 { -1e4 } else { w * (z.ln() + 1.0) };
        ScalarTwin::new(value, slope, (0.0, INF))
    });
    case("negative entropy", NegativeEntropy::new(weights).unwrap(), twin, &[0.0, 1.0])
}

fn reciprocal_case(m: usize) -> Case {
    let weights = cycle(&[1.0, 0.2, 3.0], m);
    let twin = rows(m, |j| {
        let w = [1.0, 0.2, 3.0][j % 3];
        let slope = move |z: f64| if z <= 0.0 { -1e8 } else { -w / (z * z) };
        ScalarTwin::new(move |z| w / z, slope, (1e-100, INF))
    });
    case("reciprocal", Reciprocal::new(weights).unwrap(), twin, &[1.0, 0.2])
}

fn risk_case(m: usize, alpha: f64) -> Case {
    let composer = ConditionalValueAtRisk::new(m, alpha).unwrap();
    case(&format!("conditional value at risk {alpha}"), composer, Twin::Risk(alpha), &[0.0, 1.0])
}

pub fn soft_case(m: usize, eta: f64) -> Case {
    case(&format!("log-sum-exp {eta}"), LogSumExp::new(m, eta).unwrap(), Twin::LogSumExp(eta), &[0.0, 1.0])
}

fn scaled(c: f64, inner: Case) -> Case {
    let composer = Scaled::new(c, inner.composer).unwrap();
    let kinks = inner.kinks.iter().map(|k| c * k).chain(inner.kinks.iter().copied()).collect();
    let twin = Twin::Scale(c, Box::new(inner.twin));
    Case { name: format!("{c} times {}", inner.name), composer: Box::new(composer), twin, kinks }
}

fn stacked(parts: Vec<Case>) -> Case {
    let name = parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(" on ");
    let kinks = parts.iter().flat_map(|part| part.kinks.clone()).collect();
    let (composers, twins) = parts
        .into_iter()
        .map(|part| (part.composer.rows(), part))
        .map(|(m, part)| (part.composer, (m, part.twin)))
        .unzip();
    Case { name, composer: Box::new(Stacked::new(composers)), twin: Twin::Stack(twins), kinks }
}

/// All composers over `m` rows.
pub fn zoo(m: usize) -> Vec<Case> {
    vec![
        sum_case(m),
        case("max", Max::new(m).unwrap(), Twin::Max, &[0.0, 1.0]),
        case("nonpositive", Nonpositive::new(m), rows(m, |_| ScalarTwin::constraint(-INF, 0.0)), &[0.0]),
        risk_case(m, 0.35),
        risk_case(m, 0.8),
        risk_case(m, 1e-3),
        risk_case(m, 1.0),
        equality_case(m),
        interval_case(m),
        soft_case(m, 1.0),
        soft_case(m, 1e-3),
        soft_case(m, 50.0),
        hinge_case(m, 0.5),
        hinge_case(m, 10.0),
        l1_case(m),
        case("l2 norm", L2Norm::new(m, 1.5).unwrap(), Twin::L2(1.5), &[0.0]),
        case("linf norm", LinfNorm::new(m, 1.5).unwrap(), Twin::Linf(1.5), &[0.0, 1.5]),
        huber_case(m, 0.5, 2.0),
        huber_case(m, 100.0, 1e-2),
        quantile_case(m, 0.9, 1.0),
        quantile_case(m, 0.25, 3.0),
        power_case(m, 1.0, 2.0),
        power_case(m, 1.001, 2.0),
        power_case(m, 1.5, 0.5),
        power_case(m, 1.9, 3.0),
        power_case(m, 2.0, 3.0),
        quadratic_case(m),
        negative_log_case(m),
        negative_entropy_case(m),
        reciprocal_case(m),
        scaled(0.1, l1_case(m)),
        scaled(7.0, soft_case(m, 0.3)),
        scaled(0.2, risk_case(m, 0.6)),
        scaled(2.0, interval_case(m)),
        scaled(3.0, case("l2 norm", L2Norm::new(m, 0.5).unwrap(), Twin::L2(0.5), &[0.0])),
        stacked(vec![
            sum_case(1),
            case("max", Max::new(m).unwrap(), Twin::Max, &[0.0]),
            interval_case(m),
            equality_case(2),
        ]),
        scaled(
            0.5,
            stacked(vec![soft_case(m, 0.2), scaled(4.0, huber_case(2, 1.0, 1.0)), hinge_case(1, 1.0)]),
        ),
    ]
}
