//! The numbers by which lower bounds are combined. Each names the decision record that chose it, or says that nothing was
//! measured.

/// Combining minorants.
pub(crate) mod lower_model {
    /// Proximal steps in one call.
    /// Not measured.
    pub(crate) const PROXIMAL_STEPS: usize = 12;
    /// The first is this part of what would cross the gap.
    /// Not measured.
    pub(crate) const FIRST: f64 = 0.1;
    /// How much longer each is than the one before.
    /// Not measured.
    pub(crate) const GROWTH: f64 = 5.0;
    /// Newton steps in one of them.
    /// Not measured.
    pub(crate) const NEWTON_STEPS: usize = 40;
    /// The combination is good enough once it misses this part of the gap.
    /// Not measured.
    pub(crate) const ENOUGH: f64 = 0.01;
    /// A step that gains less than this part of what is missed is the last.
    /// Not measured.
    pub(crate) const STALLED: f64 = 1e-2;
}

/// Rounds over the rows in which bounds of the variables are propagated. Decision 0022.
pub(crate) const IMPLIED_ROUNDS: usize = 12;
/// The share of a variable's interval, or of its bound, that a new bound must cut off. Decision 0022.
pub(crate) const IMPLIED_GAIN: f64 = 1e-2;
/// How far a bound that follows from rows is moved outwards, relative to its size: more than rounding. Decision 0022.
pub(crate) const IMPLIED_INFLATION: f64 = 1e-9;
/// X is asked for tighter bounds where one of its own is as large as this, or missing. Decision 0022.
pub(crate) const WIDE: f64 = 1e5;

/// Entries of second derivatives, and operations of forming them, up to which a curved row is asked whether it bounds its variables: a
/// millisecond or so. Decision 0022.
pub(crate) const IMPLIED_BALL: usize = 1_000_000;

/// Bounds from curvature.
pub(crate) mod curved {
    /// Variables up to which second derivatives are formed for a bound. Decision 0022.
    pub(crate) const MOST_VARIABLES: usize = 3000;
    /// Operations of a factorisation that goes entry by entry, up to which sparse ones are not made dense: a twentieth of a second.
    /// Decision 0032.
    pub(crate) const MOST_ENTRYWISE: f64 = 5e7;
    /// The radius in which curvature is asked for, in units of how far the minimum of the model is. Decision 0022.
    pub(crate) const AROUND: f64 = 32.0;
    /// How much smaller each mu is that is tried, beginning with the least diagonal entry, ... Decision 0022.
    pub(crate) const SHRINK: f64 = 0.125;
    /// ... and the share of that entry at which it is given up. Decision 0022.
    pub(crate) const LEAST: f64 = 1e-10;
    /// What rounding may do to the least eigenvalue, in units of the trace: sums of 400 000 terms in any order. Decision 0022.
    pub(crate) const PROVEN: f64 = 1e-10;
}

/// Bounds from what components say of themselves.
pub(crate) mod mixed {
    /// The least and the largest share of it that is tried; each is twice the one before. Decision 0027.
    pub(crate) const SHARES: (f64, f64) = (1e-15, 0.1);
}

/// Bounds from answers that are the only ones.
pub(crate) mod enclosed {
    /// A variable whose slope is at most this part of what cancels in it counts as held by none. Decision 0024.
    pub(crate) const LOOSE: f64 = 1e-7;
    /// How far loose variables are first taken to go, in units of the largest variable, or 1. Decision 0024.
    pub(crate) const REACHES: [f64; 4] = [1e-2, 1.0, 1e2, 1e4];
    /// The moves that count, in units of that. Decision 0024.
    pub(crate) const FINE: f64 = 1e-6;
    /// The least that counts of a multiplier's room. Decision 0024.
    pub(crate) const FINEST: f64 = 1e-12;
    /// Loose variables at most: the inverse of their matrix takes a second. Not measured.
    pub(crate) const MOST_LOOSE: usize = 1500;
    /// More of them, where their matrix is so sparse that its factor and the diagonal of its inverse take no more operations than this.
    /// Decision 0032.
    pub(crate) const MOST_ENTRYWISE: f64 = 2e7;
    /// A dense factorisation and inverse take n^3 operations, so many at once as one that goes entry by entry takes. Decision 0032.
    pub(crate) const DENSE_AT_ONCE: f64 = 20.0;
    /// Operations on rows that may be spent: some seconds. Not measured.
    pub(crate) const MOST_OPERATIONS: usize = 2_000_000_000;
    /// The largest share by which an inverse may be off. It is charged with a factor of 2. Not measured.
    pub(crate) const EXACT: f64 = 0.5;
}

/// Quadratics that are convex together.
pub(crate) mod together {
    /// Operations of all factorisations of sums: about a second. Not measured.
    pub(crate) const MOST_OPERATIONS: f64 = 2e10;
}
