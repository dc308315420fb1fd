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

/// Places nearer than this part of the range are one place. Not measured.
pub(super) const SAME: f64 = 1e-9;
