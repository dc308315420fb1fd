//! The numbers of a trade-off curve. Decision 0044.

/// The gap of each solve, as a part of the width that the band may have. Less takes more steps of each solve, more leaves less for the
/// distance between solves. Decision 0044.
pub(super) const SHARE: f64 = 0.5;

/// Solves after which a curve is given up: each that succeeds narrows the band where it is widest. Not measured.
pub(super) const MOST_SOLVES: usize = 400;

/// How far beyond the bounds that are proven infeasible the curve is tried to begin, as a part of the range; grows fourfold with each try. Not
/// measured.
pub(super) const FIRST_TRY: f64 = 1e-4;
pub(super) const TRIES: usize = 8;

/// The part of the range that may be left between bounds that are proven infeasible and where the curve begins. Not measured.
pub(super) const UNKNOWN: f64 = 0.02;

/// Places nearer than this part of the range are one place. Not measured.
pub(super) const SAME: f64 = 1e-9;

/// Solves after which a surface is given up. Not measured.
pub(super) const MOST_SOLVES_OF_SURFACES: usize = 2000;

/// The widest place of a surface is found within this factor. Closer takes more boxes, and saves few solves. Not measured.
pub(super) const NEARLY: f64 = 1.05;

/// How often the box of all bounds is halved at most in the search for the widest place. Not measured.
pub(super) const DEEPEST: usize = 24;

/// Where some bounds leave no feasible point, the edge of what is feasible is known within a few of these parts of the range. Not measured.
pub(super) const EDGE: usize = 32;

/// By how much more a range between two solves is taken to be too wide than it is, in the count of its parts: parts are not quite equal. Decision 0044.
pub(super) const SPARE: f64 = 1.05;
