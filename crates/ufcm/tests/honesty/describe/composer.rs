//! Composers over the values of their rows.

use super::component::log_sum_exp;
use super::{Law, norm};

#[derive(Debug, Clone)]
pub enum Composer {
    Sum(Vec<f64>),
    Max,
    /// The mean of this share of the rows, the largest.
    Risk(f64),
    /// eta log sum exp(z / eta)
    SmoothMax(f64),
    /// sum of max(z / eta, 0)^2
    SquaredHinge(f64),
    /// weight times the sum of a law: l1, quadratic, Huber, quantile, power sum.
    Rowwise(Law, f64),
    L2(f64),
    Linf(f64),
    Nonpositive,
    Equal,
    Between(Vec<f64>, Vec<f64>),
    Scaled(f64, Box<Composer>),
    /// The set in which another one is at most this.
    AtMost(f64, Box<Composer>),
    /// Each part with its number of rows.
    Stacked(Vec<(usize, Composer)>),
}

impl Composer {
    /// What it adds to the objective; constraints count 0.
    pub fn value(&self, z: &[f64]) -> f64 {
        match self {
            Self::Sum(weights) => weights.iter().zip(z).map(|(w, z)| w * z).sum(),
            Self::Max => z.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Risk(alpha) => {
                let mut sorted = z.to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let worst = alpha * z.len() as f64;
                let share = |k: usize| (worst - k as f64).clamp(0.0, 1.0).min(worst) / worst;
                sorted.iter().enumerate().map(|(k, z)| share(k) * z).sum()
            }
            Self::SmoothMax(eta) => eta * log_sum_exp(&z.iter().map(|z| z / eta).collect::<Vec<_>>()),
            Self::SquaredHinge(eta) => z.iter().map(|z| (z / eta).max(0.0).powi(2)).sum(),
            Self::Rowwise(law, weight) => weight * z.iter().map(|&z| law.value(z)).sum::<f64>(),
            Self::L2(weight) => weight * norm(z.iter().copied()),
            Self::Linf(weight) => weight * z.iter().map(|z| z.abs()).fold(0.0, f64::max),
            Self::Nonpositive | Self::Equal | Self::Between(..) | Self::AtMost(..) => 0.0,
            Self::Scaled(factor, inner) => factor * inner.value(z),
            Self::Stacked(parts) => split(parts, z).map(|(part, z)| part.value(z)).sum(),
        }
    }

    /// By how much each row is violated.
    pub fn violations(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Self::Nonpositive => z.iter().map(|z| z.max(0.0)).collect(),
            Self::Equal => z.to_vec(),
            Self::Between(lower, upper) => {
                let bounds = lower.iter().zip(upper);
                z.iter().zip(bounds).map(|(z, (l, u))| (z - u).max(l - z).max(0.0)).collect()
            }
            Self::Scaled(_, inner) => inner.violations(z),
            Self::Stacked(parts) => split(parts, z).flat_map(|(part, z)| part.violations(z)).collect(),
            // The distance is at least the excess by the length of any subgradient: h(y) >= h(z) + <k, y - z>.
            Self::AtMost(level, inner) => {
                let excess = (inner.value(z) - level).max(0.0);
                vec![if excess > 0.0 { excess / norm(inner.subgradient(z).into_iter()) } else { 0.0 }]
            }
            _ => Vec::new(),
        }
    }

    /// By how much it is violated at most: as above, but for what is known by a point of the set alone.
    #[allow(dead_code, reason = "the adversary suite bounds no terms as a whole")]
    pub fn most_violated(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Self::AtMost(level, inner) => vec![inner.distance_at_most(z, *level)],
            Self::Stacked(parts) => split(parts, z).flat_map(|(part, z)| part.most_violated(z)).collect(),
            _ => self.violations(z),
        }
    }

    /// A subgradient.
    fn subgradient(&self, z: &[f64]) -> Vec<f64> {
        let largest = |of: &dyn Fn(f64) -> f64| {
            let best = (0..z.len()).fold(0, |best, j| if of(z[j]) > of(z[best]) { j } else { best });
            move |j: usize| if j == best { 1.0 } else { 0.0 }
        };
        match self {
            Self::Sum(weights) => weights.clone(),
            Self::Max => (0..z.len()).map(largest(&|z| z)).collect(),
            Self::Risk(alpha) => {
                let mut order: Vec<usize> = (0..z.len()).collect();
                order.sort_by(|a, b| z[*b].total_cmp(&z[*a]));
                let (worst, mut shares) = (alpha * z.len() as f64, vec![0.0; z.len()]);
                for (k, j) in order.into_iter().enumerate() {
                    shares[j] = (worst - k as f64).clamp(0.0, 1.0).min(worst) / worst;
                }
                shares
            }
            Self::SmoothMax(eta) => {
                let whole = self.value(z);
                z.iter().map(|z| ((z - whole) / eta).exp()).collect()
            }
            Self::SquaredHinge(eta) => z.iter().map(|z| 2.0 * z.max(0.0) / (eta * eta)).collect(),
            Self::Rowwise(law, weight) => z.iter().map(|z| weight * law.slope(*z)).collect(),
            Self::L2(weight) => {
                let length = norm(z.iter().copied());
                z.iter().map(|z| weight * z / length).collect()
            }
            Self::Linf(weight) => {
                let largest = largest(&f64::abs);
                (0..z.len()).map(|j| weight * largest(j) * z[j].signum()).collect()
            }
            Self::Scaled(factor, inner) => inner.subgradient(z).iter().map(|k| factor * k).collect(),
            other => unreachable!("{other:?} is a constraint"),
        }
    }

    /// How far a point of the set is from z, along a line on which the value falls: by the same in all rows, or towards 0.
    #[allow(dead_code, reason = "the adversary suite bounds no terms as a whole")]
    fn distance_at_most(&self, z: &[f64], level: f64) -> f64 {
        if self.value(z) <= level {
            return 0.0;
        }
        let inner = if let Self::Scaled(_, inner) = self { inner } else { self };
        let towards: Vec<f64> = match inner {
            Self::Sum(weights) => weights.iter().map(|w| -w).collect(),
            Self::Max | Self::Risk(_) | Self::SmoothMax(_) => vec![-1.0; z.len()],
            _ => z.iter().map(|z| -z).collect(),
        };
        let at = |t: f64| -> f64 {
            self.value(&z.iter().zip(&towards).map(|(z, d)| z + t * d).collect::<Vec<_>>()) - level
        };
        let (mut low, mut high) = (0.0, 1e-12);
        while at(high) > 0.0 && high < 1e12 {
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if at(middle) > 0.0 { low = middle } else { high = middle }
        }
        high * norm(towards.into_iter())
    }

    /// Whether it only constrains.
    pub fn is_constraint(&self) -> bool {
        matches!(self, Self::Nonpositive | Self::Equal | Self::Between(..) | Self::AtMost(..))
    }
}

/// The parts of a stack, each with its rows.
pub fn split<'a, T>(
    parts: &'a [(usize, Composer)],
    mut rows: &'a [T],
) -> impl Iterator<Item = (&'a Composer, &'a [T])> {
    parts.iter().map(move |(count, part)| {
        let (first, rest) = rows.split_at(*count);
        rows = rest;
        (part, first)
    })
}
