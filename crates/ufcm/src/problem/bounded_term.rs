//! A constraint on what a composer makes of its rows, as it is told: one value, one bound, one multiplier.

use crate::composer::{Interval, Sublevel};
use crate::error::DataError;
use crate::oracle::Composer;
use std::fmt;
use std::sync::Arc;

/// h(g(x)) <= bound, however it is stated to the solver (decision 0046).
#[derive(Clone)]
pub struct BoundedTerm {
    stated: Stated,
    bound: f64,
}

/// How it is stated.
#[derive(Clone)]
enum Stated {
    /// As a set of all rows together.
    Set(Arc<dyn Composer>),
    /// As bounds on the rows, each at most bound / weight.
    Rows(Arc<dyn Composer>, f64),
    /// Likewise, from both sides.
    Sides(Arc<dyn Composer>, f64),
    /// As one smooth row, whose square root it is but for a factor.
    Root(f64),
}

/// The same constraint with another bound.
pub(super) enum Moved {
    /// Another composer over the same rows.
    Composer(Box<dyn Composer>),
    /// Rows that are lowered by so much.
    Lowered(f64),
}

impl fmt::Debug for BoundedTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedTerm").field("of", &self.kind()).field("bound", &self.bound).finish()
    }
}

impl BoundedTerm {
    /// A set of all rows together.
    pub(crate) fn set(composer: Arc<dyn Composer>, bound: f64) -> Self {
        Self { stated: Stated::Set(composer), bound }
    }

    /// Bounds on the rows.
    pub(crate) fn rows(composer: Arc<dyn Composer>, weight: f64, bound: f64) -> Self {
        Self { stated: Stated::Rows(composer, weight), bound }
    }

    /// Bounds on the rows from both sides.
    pub(crate) fn sides(composer: Arc<dyn Composer>, weight: f64, bound: f64) -> Self {
        Self { stated: Stated::Sides(composer, weight), bound }
    }

    /// One row, whose square root it is but for a factor.
    pub(crate) fn root(factor: f64, bound: f64) -> Self {
        Self { stated: Stated::Root(factor), bound }
    }

    /// What it bounds, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.stated {
            Stated::Set(composer) | Stated::Rows(composer, _) | Stated::Sides(composer, _) => composer.kind(),
            Stated::Root(_) => "norm",
        }
    }

    /// What it is at most.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Its value, where its rows have these ([`Problem::values_at`](super::Problem::values_at)).
    #[must_use]
    pub fn value(&self, rows: &[f64]) -> f64 {
        match &self.stated {
            Stated::Set(composer) | Stated::Rows(composer, _) | Stated::Sides(composer, _) => {
                composer.value(rows)
            }
            Stated::Root(factor) => (factor * rows.iter().sum::<f64>()).max(0.0).sqrt(),
        }
    }

    /// The multiplier of its bound, where its rows have these: what a larger bound by 1 is worth.
    #[must_use]
    pub fn multiplier(&self, rows: &[f64]) -> f64 {
        match &self.stated {
            Stated::Set(composer) => composer.sublevel_multiplier(self.bound, rows).unwrap_or(f64::NAN),
            Stated::Rows(_, weight) | Stated::Sides(_, weight) => {
                rows.iter().map(|l| l.abs()).sum::<f64>() / weight
            }
            Stated::Root(_) => rows.iter().sum(),
        }
    }

    /// The same with another bound; `None` where that is no change of the bounds of rows, nor of their composer.
    pub(super) fn moved(&self, bound: f64) -> Option<Result<(Self, Moved), DataError>> {
        let moved = match &self.stated {
            Stated::Root(_) => return None,
            Stated::Set(composer) => {
                Sublevel::shared(composer.clone(), bound).map(|set| Moved::Composer(Box::new(set)))
            }
            Stated::Rows(_, weight) => Ok(Moved::Lowered((bound - self.bound) / weight)),
            Stated::Sides(composer, weight) => {
                let sides = vec![bound / weight; composer.rows()];
                let lower = sides.iter().map(|side| -side).collect();
                Interval::new(lower, sides).map(|sides| Moved::Composer(Box::new(sides)))
            }
        };
        Some(moved.map(|moved| (Self { bound, ..self.clone() }, moved)))
    }
}
