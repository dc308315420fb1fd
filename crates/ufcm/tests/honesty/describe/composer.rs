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
            Self::Nonpositive | Self::Equal | Self::Between(..) => 0.0,
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
            _ => Vec::new(),
        }
    }

    /// Whether it only constrains.
    pub fn is_constraint(&self) -> bool {
        matches!(self, Self::Nonpositive | Self::Equal | Self::Between(..))
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
