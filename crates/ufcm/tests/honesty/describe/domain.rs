//! u and X.

use super::{dot, norm};
use std::ops::Range;

#[derive(Debug, Clone)]
pub struct Domain {
    pub penalty: Penalty,
    pub set: Set,
}

/// The finite part of u.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "only the adversary suite weighs coordinates one by one")]
pub enum Penalty {
    None,
    L1(f64),
    Ridge(f64),
    ElasticNet {
        l1: f64,
        ridge: f64,
    },
    /// An elastic net with weights of its own for each coordinate; either list may be all 0.
    Weighted {
        l1: Vec<f64>,
        ridge: Vec<f64>,
    },
    /// weight times the sum of |x_g|
    Groups {
        groups: Vec<Range<usize>>,
        weight: f64,
    },
    L2(f64),
    Linf(f64),
    /// The largest |x_i| times the first weight, the next one times the second, and so on.
    Sorted(Vec<f64>),
}

#[derive(Debug, Clone)]
pub enum Set {
    Free,
    Box {
        lower: Vec<f64>,
        upper: Vec<f64>,
    },
    Ball {
        radius: f64,
        centre: Vec<f64>,
    },
    Simplex {
        total: f64,
    },
    Nonnegative,
    L1Ball {
        radius: f64,
    },
    /// |(x_1, ...)| <= x_0
    SecondOrderCone,
}

/// How u grows far away, X included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// X is bounded or u outgrows every linear function: every problem has a minimum, and a bound on it.
    Fast,
    /// As a norm: bounds rest on the level set of the start.
    Norm,
    /// Not in every direction: nothing can be proven.
    Flat,
}

impl Domain {
    pub fn growth(&self) -> Growth {
        match (&self.penalty, &self.set) {
            (Penalty::Ridge(_) | Penalty::ElasticNet { .. }, _) => Growth::Fast,
            (_, Set::Box { .. } | Set::Ball { .. } | Set::Simplex { .. } | Set::L1Ball { .. }) => {
                Growth::Fast
            }
            (Penalty::Weighted { ridge, .. }, _) if ridge.iter().all(|w| *w > 0.0) => Growth::Fast,
            (Penalty::None, _) => Growth::Flat,
            _ => Growth::Norm,
        }
    }

    pub fn value(&self, x: &[f64]) -> f64 {
        let l1 = || x.iter().map(|x| x.abs()).sum::<f64>();
        match &self.penalty {
            Penalty::None => 0.0,
            Penalty::L1(weight) => weight * l1(),
            Penalty::Ridge(weight) => 0.5 * weight * dot(x, x),
            Penalty::ElasticNet { l1: weight, ridge } => weight * l1() + 0.5 * ridge * dot(x, x),
            Penalty::Weighted { l1, ridge } => {
                let one = |((x, l1), ridge): ((&f64, &f64), &f64)| l1 * x.abs() + 0.5 * ridge * x * x;
                x.iter().zip(l1).zip(ridge).map(one).sum()
            }
            Penalty::Groups { groups, weight } => {
                weight * groups.iter().map(|group| norm(x[group.clone()].iter().copied())).sum::<f64>()
            }
            Penalty::Sorted(weights) => {
                let mut sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
                sizes.sort_by(|a, b| b.total_cmp(a));
                dot(weights, &sizes)
            }
            Penalty::L2(weight) => weight * norm(x.iter().copied()),
            Penalty::Linf(weight) => weight * x.iter().map(|x| x.abs()).fold(0.0, f64::max),
        }
    }

    /// By how much x is outside X.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let below_zero = || -x.iter().copied().fold(0.0, f64::min);
        match &self.set {
            Set::Free => 0.0,
            Set::Box { lower, upper } => {
                let bounds = lower.iter().zip(upper);
                x.iter().zip(bounds).map(|(x, (l, u))| (x - u).max(l - x)).fold(0.0, f64::max)
            }
            Set::Ball { radius, centre } => {
                (norm(x.iter().zip(centre).map(|(x, c)| x - c)) - radius).max(0.0)
            }
            Set::Simplex { total } => (x.iter().sum::<f64>() - total).abs().max(below_zero()),
            Set::Nonnegative => below_zero(),
            Set::L1Ball { radius } => (x.iter().map(|x| x.abs()).sum::<f64>() - radius).max(0.0),
            Set::SecondOrderCone => (norm(x[1..].iter().copied()) - x[0]).max(0.0),
        }
    }
}
