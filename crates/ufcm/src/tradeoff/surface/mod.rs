//! The trade-off between the objective and the bounds of two constraints: a surface between proven sides.
//!
//! The optimal value is convex in both bounds together, and falls as either is loosened. Every solve gives a point above it and, through its proof, a
//! plane below it (decision 0044).
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | what is told of a surface |
//! | `upper` | the upper side at a place: the least mix of points |
//! | `sides` | both sides, and where they are farthest apart |
//! | `follow` | the solves |

mod follow;
mod sides;
mod upper;

use super::{TradeoffError, TradeoffStatus};
use crate::problem::Problem;
use crate::report::{Control, Counts};
use crate::settings::Settings;
use serde::Serialize;
use sides::Sides;

/// One solve of a surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurfacePoint {
    /// The two bounds.
    pub bounds: [f64; 2],
    /// The optimal value with them is at least this ...
    #[serde(with = "crate::serde_infinity")]
    pub lower: f64,
    /// ... and at most this; both are infinite where nothing is feasible.
    #[serde(with = "crate::serde_infinity")]
    pub upper: f64,
    /// What the objective falls by, for each unit by which a bound is loosened.
    pub multipliers: [f64; 2],
    /// Gradients that the solve took.
    pub gradient_evaluations: usize,
    /// The best point; empty where nothing is feasible.
    pub x: Vec<f64>,
}

/// Where a surface stands after a solve, for observers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceProgress<'a> {
    /// The solve.
    pub point: &'a SurfacePoint,
    /// The largest relative width before this solve, infinite before both ends are known.
    pub width: f64,
    /// What all solves have cost so far.
    pub counts: Counts,
}

/// The optimal value as a function of the bounds of two constraints, between proven sides.
///
/// ```
/// use ufcm::component::{Linear, Quadratic};
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Bounds;
/// use ufcm::settings::Settings;
///
/// // min -x - y subject to x^2 <= a, y^2 <= b: the optimum is -sqrt(a) - sqrt(b).
/// let problem = Problem::minimise(Linear::new(vec![-1.0, -1.0], 0.0)?)
///     .subject_to(Quadratic::diagonal(vec![2.0, 0.0])?.at_most(1.0).named("a"))
///     .subject_to(Quadratic::diagonal(vec![0.0, 2.0])?.at_most(1.0).named("b"))
///     .within(Bounds::new(-9.0, 9.0)?)
///     .build()?;
/// let surface = problem.surface([("a", 1.0, 4.0), ("b", 1.0, 9.0)], 1e-2, &Settings::default())?;
/// for [a, b] in [[1.0, 1.0], [2.0, 5.0], [4.0, 3.3f64]] {
///     let (lower, upper) = surface.band([a, b]);
///     let value = -a.sqrt() - b.sqrt();
///     assert!(lower <= value && value <= upper && upper - lower <= 1e-2 * lower.abs());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Surface {
    /// The constraints whose bounds vary.
    pub constraints: [String; 2],
    /// From where to where, the smaller end first.
    pub ranges: [[f64; 2]; 2],
    /// How it ended.
    pub status: TradeoffStatus,
    /// The largest width, relative to max(unit, |value|), wherever the upper side is finite; but for what is `undecided`.
    pub width: f64,
    /// The width that was asked for.
    pub tol: f64,
    /// What widths are relative to at least.
    pub unit: f64,
    /// The solves, in their order.
    pub points: Vec<SurfacePoint>,
    /// The part of all pairs of bounds that is neither known to be feasible nor known not to be: a strip along the edge. 0 where all pairs are feasible.
    pub undecided: f64,
    /// How far points of the upper side violate other constraints, at most: 0 where the upper side is proven.
    pub violation: f64,
    /// What the bounds take for granted, in words; one entry for each kind of premise.
    pub premises: Vec<String>,
    /// What all solves cost together.
    pub counts: Counts,
    /// What the first solve cost, which began from nothing.
    pub first: Counts,
    signs: [f64; 2],
    sides: Sides,
}

/// The optimal value is at least `value + <slope, c - at>` for all bounds c of the surface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SurfacePlane {
    /// Where the plane was proven.
    pub at: [f64; 2],
    /// Its height there.
    pub value: f64,
    /// How it rises with the bounds.
    pub slope: [f64; 2],
}

impl Surface {
    /// The optimal value with the bounds `c` is between these two. Both are infinite where it is proven that no point satisfies the constraints.
    /// The upper one alone is infinite where none is known.
    #[must_use]
    pub fn band(&self, c: [f64; 2]) -> (f64, f64) {
        let s = [0, 1].map(|k| self.signs[k] * c[k]);
        if self.sides.is_hopeless(s) {
            return (f64::INFINITY, f64::INFINITY);
        }
        (self.sides.lower(s), self.sides.upper(s))
    }

    /// The planes below that hold for all bounds of the surface.
    #[must_use]
    pub fn planes(&self) -> Vec<SurfacePlane> {
        let (tight, loose) = (self.sides.tight, self.sides.loose);
        let whole = self
            .sides
            .planes
            .iter()
            .filter(|plane| [0, 1].iter().all(|&k| plane.from[k] <= tight[k] && loose[k] <= plane.to[k]));
        let in_bounds = |s: [f64; 2]| [0, 1].map(|k| self.signs[k] * s[k] + 0.0);
        whole
            .map(|plane| SurfacePlane {
                at: in_bounds(plane.at),
                value: plane.value,
                slope: in_bounds(plane.slope),
            })
            .collect()
    }

    /// The corners of the upper side: bounds, and values that a point reaches with them. Mixes of them lie above the optimal value, too.
    #[must_use]
    pub fn above(&self) -> Vec<([f64; 2], f64)> {
        let one = |k: &super::solves::Above<2>| ([0, 1].map(|i| self.signs[i] * k.s[i] + 0.0), k.value);
        self.sides.above.iter().map(one).collect()
    }
}

impl Problem {
    /// The optimal value for all bounds of two constraints, each with its name and the ends of its bounds, known within `tol` relative to max(unit,
    /// |value|), as [`Problem::tradeoff`] has it for one.
    ///
    /// # Errors
    /// As there.
    pub fn surface(
        &self,
        constraints: [(&str, f64, f64); 2],
        tol: f64,
        settings: &Settings,
    ) -> Result<Surface, TradeoffError> {
        let [(a, ..), (b, ..)] = constraints;
        let rows = [self.bounded_row(a)?.0, self.bounded_row(b)?.0];
        let ends = constraints.map(|(_, from, to)| [from, to]);
        let budget = crate::budget::Budget::unlimited();
        self.surface_within(rows, ends, tol, settings, &budget, &mut |_| Control::Continue)
    }
}
