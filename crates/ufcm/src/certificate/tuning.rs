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
