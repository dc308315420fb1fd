//! How the rows of a planted instance combine.

use super::RowKind;
use crate::oracle::Component;
use crate::problem::Term;
use std::sync::Arc;

/// How the rows combine: the composers of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Composition {
    /// The sum of all rows.
    Sum,
    /// Row 0 is the objective, the others are at most 0.
    Constraints,
    /// The largest row.
    Max,
    /// eta log sum exp(g_j/eta).
    LogSumExp(f64),
    /// Squares of positive parts, with this eta.
    SquaredHinge(f64),
}

impl Composition {
    /// Those of docs/theory.md.
    pub const ALL: [Self; 5] =
        [Self::Sum, Self::Constraints, Self::Max, Self::LogSumExp(0.5), Self::SquaredHinge(1.0)];

    /// As the tables of docs/theory.md call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Constraints => "constraints",
            Self::Max => "max",
            Self::LogSumExp(_) => "log-sum-exp",
            Self::SquaredHinge(_) => "squared hinge",
        }
    }

    /// The rows as one term; constraints are none.
    pub(super) fn term(self, rows: Vec<Arc<dyn Component>>) -> Option<Term> {
        match self {
            Self::Constraints => None,
            Self::Sum => Some(Term::sum(rows)),
            Self::Max => Some(Term::max(rows)),
            Self::LogSumExp(eta) => Some(Term::smooth_max(rows, eta)),
            Self::SquaredHinge(eta) => Some(Term::squared_hinge(rows, eta)),
        }
    }

    /// Values of the rows at x* that make lambda* a subgradient of h there.
    pub(super) fn values_at_saddle(self, kinds: &[RowKind]) -> Vec<f64> {
        let by_activity = |active: f64, inactive: f64| {
            move |kind: &RowKind| if kind.multiplier > 0.0 { active } else { inactive }
        };
        match self {
            Self::Sum => kinds.iter().map(|_| 1.0).collect(),
            Self::Constraints => kinds.iter().map(by_activity(0.0, -0.5)).collect(),
            Self::Max => kinds.iter().map(by_activity(1.0, 0.5)).collect(),
            Self::LogSumExp(eta) => kinds.iter().map(|kind| eta * kind.multiplier.ln()).collect(),
            Self::SquaredHinge(eta) => kinds
                .iter()
                .map(|kind| if kind.multiplier > 0.0 { 0.5 * kind.multiplier * eta * eta } else { -0.5 })
                .collect(),
        }
    }

    /// Multipliers that go well with it, for `m` rows: some are 0 where the composer allows it.
    #[must_use]
    pub fn multipliers(self, m: usize) -> Vec<f64> {
        match self {
            Self::Sum => vec![1.0; m],
            Self::Constraints => (0..m)
                .map(|j| match j {
                    0 => 1.0,
                    j if j % 2 == 1 => 0.5 + 0.2 * j as f64,
                    _ => 0.0,
                })
                .collect(),
            Self::Max => {
                let total: usize = (1..m).sum();
                (0..m).map(|j| if j + 1 < m { (j + 1) as f64 / total as f64 } else { 0.0 }).collect()
            }
            Self::LogSumExp(_) => {
                let total: usize = (1..=m).sum();
                (0..m).map(|j| (j + 1) as f64 / total as f64).collect()
            }
            Self::SquaredHinge(_) => {
                (0..m).map(|j| if j % 2 == 0 { 0.4 + 0.1 * j as f64 } else { 0.0 }).collect()
            }
        }
    }
}
