//! The whole trade-off between the objective and one bound, as a certified band.
//!
//! The optimal value p(c) is convex in the bound c of a constraint, and falls as the bound is loosened. Every solve gives a point above it, a
//! feasible x, and through its proof a line below it: the same multipliers prove L(c) = L(c_0) - l (c - c_0) for every c
//! (`certificate/plane.rs`). Chords of points lie above a convex function, the highest line below it: between them p(c) is known for every c, and
//! not at the solved ones alone. The next solve is where the band is widest. Decision 0044.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | what is told of a curve |
//! | `band` | points, lines, and where the band is widest |
//! | `follow` | the curve in the making |
//! | `solves` | solves with other bounds, and what they show |
//! | `guess` | answers guessed from those nearby |
//! | `walked` | answers of linear and quadratic programs along a path, without solves |
//! | `surface` | the same for the bounds of two constraints |

mod band;
mod follow;
mod guess;
mod solves;
mod surface;
mod tuning;
mod walked;

use crate::error::DataError;
use crate::oracle::OracleError;
use crate::problem::{BoundError, Problem};
use crate::report::{Control, Counts, Status};
use crate::settings::Settings;
use band::Band;
use serde::Serialize;
pub use surface::{Surface, SurfacePlane, SurfacePoint, SurfaceProgress};

/// What went wrong with a curve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TradeoffError {
    /// The constraint has no bound to vary.
    #[error(transparent)]
    Bound(#[from] BoundError),
    /// Settings that make no sense.
    #[error(transparent)]
    Settings(#[from] DataError),
    /// An oracle that failed outside the solves.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// A range that is none.
    #[error("the bounds go from {from} to {to}; they must be two different finite numbers")]
    Range {
        /// One end.
        from: f64,
        /// The other.
        to: f64,
    },
    /// A surface over one constraint.
    #[error("a surface needs two constraints; \"{name}\" is given twice")]
    Same {
        /// The constraint.
        name: String,
    },
    /// No point at all.
    #[error("no point satisfies the constraints, not even with {bounds}, the loosest ({meaning})")]
    Infeasible {
        /// The constraints and their loosest bounds.
        bounds: String,
        /// What the solve said.
        meaning: String,
    },
    /// A solve that ended without the bounds that a band is made of.
    #[error("with {bounds} the solve ended as {status}: {meaning}{advice}")]
    Solve {
        /// The constraints and their bounds.
        bounds: String,
        /// How the solve ended.
        status: Status,
        /// What that means.
        meaning: String,
        /// What to do, if that is known.
        advice: &'static str,
    },
}

/// How a curve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TradeoffStatus {
    /// The band is as narrow as was asked for, everywhere.
    Certified,
    /// A limit, or the user, ended it before; what there is of the band holds.
    Stopped(Status),
    /// A solve could not come closer, which the band's width shows.
    Stalled,
}

/// One place of a curve: a solve, or an answer that was guessed and proved itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TradeoffPoint {
    /// The bound.
    pub bound: f64,
    /// The optimal value with it is at least this ...
    #[serde(with = "crate::serde_infinity")]
    pub lower: f64,
    /// ... and at most this.
    #[serde(with = "crate::serde_infinity")]
    pub upper: f64,
    /// What the objective falls by, for each unit by which the bound is loosened: the slope of the line below.
    pub multiplier: f64,
    /// Gradients that it took.
    pub gradient_evaluations: usize,
    /// The best point.
    pub x: Vec<f64>,
}

/// Where a curve stands after a solve, for observers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TradeoffProgress<'a> {
    /// The solve.
    pub point: &'a TradeoffPoint,
    /// The largest relative width of the band, infinite before both ends are known.
    pub width: f64,
    /// What all solves have cost so far.
    pub counts: Counts,
}

/// The optimal value as a function of one bound, between proven sides.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Bounds;
/// use ufcm::settings::Settings;
///
/// // min (x - 4)^2 subject to x^2 <= c: the optimum is (sqrt(c) - 4)^2.
/// let objective = Quadratic::diagonal(vec![2.0])?.with_linear(vec![-8.0])?.with_constant(16.0)?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![2.0])?.at_most(1.0).named("size"))
///     .within(Bounds::new(-9.0, 9.0)?)
///     .build()?;
/// let curve = problem.tradeoff("size", 1.0, 9.0, 1e-3, &Settings::default())?;
/// for c in [1.0, 2.0, 5.5, 9.0f64] {
///     let (lower, upper) = curve.band(c);
///     let value = (c.sqrt() - 4.0).powi(2);
///     assert!(lower <= value && value <= upper && upper - lower <= 1e-3 * lower.max(1.0));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tradeoff {
    /// The constraint whose bound varies.
    pub constraint: String,
    /// The ends of the band: those asked for, less the bounds for which nothing is feasible.
    pub from: f64,
    /// The other end.
    pub to: f64,
    /// How it ended.
    pub status: TradeoffStatus,
    /// The largest width, relative to max(unit, |value|).
    pub width: f64,
    /// The width that was asked for.
    pub tol: f64,
    /// What widths are relative to at least.
    pub unit: f64,
    /// The places where the band was made, in the order of their bounds: most by a solve, others by an answer that was guessed and proved itself.
    pub points: Vec<TradeoffPoint>,
    /// How many of them took a solve.
    pub solves: usize,
    /// With all bounds tighter than this no point satisfies the constraints, which is proven.
    pub infeasible_beyond: Option<f64>,
    /// How far points of the upper side violate other constraints, at most: 0 where the upper side is proven.
    pub violation: f64,
    /// What the bounds take for granted, in words; one entry for each kind of premise.
    pub premises: Vec<String>,
    /// What all solves cost together.
    pub counts: Counts,
    /// What the first solve cost, which began from nothing.
    pub first: Counts,
    sign: f64,
    band: Band,
}

impl Tradeoff {
    /// The optimal value with the bound `c` is between these two. Both are infinite where no point satisfies the constraints; outside the
    /// range only what follows from it is known.
    #[must_use]
    pub fn band(&self, c: f64) -> (f64, f64) {
        let s = self.sign * c;
        if self.infeasible_beyond.is_some_and(|beyond| s < self.sign * beyond) {
            return (f64::INFINITY, f64::INFINITY);
        }
        (self.band.lower(s), self.band.upper(s))
    }

    /// The places where a side of the band bends, with both sides there: (c, lower, upper), in the order of c. Straight lines between them are the
    /// band.
    #[must_use]
    pub fn corners(&self) -> Vec<(f64, f64, f64)> {
        let ends = [self.from, self.to].map(|c| self.sign * c);
        let [from, to] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let mut corners: Vec<(f64, f64, f64)> = self
            .band
            .places(from, to)
            .into_iter()
            .map(|s| (self.sign * s, self.band.lower(s), self.band.upper(s)))
            .collect();
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        corners
    }
}

impl Problem {
    /// The optimal value for all bounds of the constraint `name` from `from` to `to`, known within `tol` relative to max(unit, |value|), where
    /// the unit is that of the first solve ([`Report::unit`](crate::report::Report::unit)), or more where the other end's value is larger, 1 at most. Limits of the settings hold for all solves
    /// together.
    ///
    /// # Errors
    /// A constraint that has no single bound, a range that is none, settings that make no sense, a problem that is infeasible with the loosest
    /// bound, or nothing that bounds the optimum from below.
    pub fn tradeoff(
        &self,
        name: &str,
        from: f64,
        to: f64,
        tol: f64,
        settings: &Settings,
    ) -> Result<Tradeoff, TradeoffError> {
        let (row, _) = self.bounded_row(name)?;
        let budget = crate::budget::Budget::unlimited();
        self.tradeoff_within(row, [from, to], tol, settings, &budget, &mut |_| Control::Continue)
    }
}
