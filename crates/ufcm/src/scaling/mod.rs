//! Units. Statuses, tolerances and accuracy must not depend on whether a row is in grams or in tonnes (decision 0016): where the
//! sizes of rows, variables or the objective are far from 1, a run solves the same problem in other units,
//!
//! ```text
//! x = D x^,   g^_j(x^) = r_j g_j(D x^),   s F(D x^),        D, r, s positive powers of two
//! ```
//!
//! and everything that it reports is in the user's: `x = D x^`, `F = F^ / s`, `l_j = r_j l^_j / s`. Powers of two change no digit,
//! so a bound that is proven in one is proven in the other, and the verifier checks it on the user's problem. The rows of a block of the
//! objective have one factor r: s h(g) is then s h(g^ / r).
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the factors, and what they do to points and multipliers |
//! | `sizes` | how large the rows are in each variable |
//! | `choose` | factors that make the sizes 1 |
//! | `component`, `perspective` | components and composers in other units |
//! | `problem` | the problem in other units |
//! | `report` | what came of it, in the user's units |

mod choose;
mod component;
mod perspective;
mod problem;
mod report;
mod sizes;

pub(crate) use component::InUnits;
pub(crate) use report::{outward, record_outward, settings_inward};

use crate::certificate::ImpliedBounds;
use crate::composer;
use crate::pool::Pool;
use crate::problem::Problem;
use std::sync::Arc;

/// The factors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factors {
    /// D
    pub(crate) columns: Arc<[f64]>,
    /// r, of every row.
    pub(crate) rows: Vec<f64>,
    /// s
    pub(crate) objective: f64,
}

impl Factors {
    /// In the user's units: D x^.
    pub(crate) fn point(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&*self.columns).map(|(x, d)| d * x).collect()
    }

    /// In the run's units.
    pub(crate) fn point_inward(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&*self.columns).map(|(x, d)| x / d).collect()
    }

    /// In the user's units: r l^ / s.
    pub(crate) fn multipliers(&self, l: &[f64]) -> Vec<f64> {
        l.iter().zip(&self.rows).map(|(l, r)| l * (r / self.objective)).collect()
    }

    /// In the run's units.
    pub(crate) fn multipliers_inward(&self, l: &[f64]) -> Vec<f64> {
        l.iter().zip(&self.rows).map(|(l, r)| l * (self.objective / r)).collect()
    }

    /// In the user's units: g^ / r.
    pub(crate) fn row_values(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(&self.rows).map(|(g, r)| g / r).collect()
    }

    /// The one factor of all variables, if there is one.
    pub(crate) fn uniform(&self) -> Option<f64> {
        let first = *self.columns.first()?;
        self.columns.iter().all(|d| *d == first).then_some(first)
    }
}

/// What a problem in other units knows of the user's.
pub(crate) struct Units {
    pub(crate) factors: Factors,
    /// The user's composer.
    composer: Arc<composer::Stacked>,
    /// The bounds of the variables that constraints imply, found in the user's units.
    pub(crate) bounds: Option<ImpliedBounds>,
    pool: Pool,
}

impl Units {
    pub(crate) fn new(
        factors: Factors,
        composer: Arc<composer::Stacked>,
        bounds: Option<ImpliedBounds>,
    ) -> Self {
        let bounds = bounds.map(|bounds| ImpliedBounds {
            lower: factors.point_inward(&bounds.lower),
            upper: factors.point_inward(&bounds.upper),
            ..bounds
        });
        Self { factors, composer, bounds, pool: Pool::default() }
    }

    /// The violation in the user's units of rows with these values in the run's.
    pub(crate) fn violation(&self, values: &[f64]) -> f64 {
        use crate::oracle::Composer;
        self.pool.with(values.len(), |user| {
            user.iter_mut().zip(values).zip(&self.factors.rows).for_each(|((u, g), r)| *u = g / r);
            self.composer.domain_distance(user)
        })
    }
}

/// The problem in units in which its sizes are near 1; `None` where they are in the user's, or where a part of the problem cannot
/// be had in others.
/// `values` are those of its rows where its mapping is linearised; `uniform` asks for one unit for all variables.
pub(crate) fn equilibrated(problem: &Problem, values: &[f64], uniform: bool) -> Option<Problem> {
    let sizes = sizes::Sizes::of(problem, values)?;
    let factors = choose::factors(problem, &sizes, uniform)?;
    problem::in_units(problem, factors)
}
