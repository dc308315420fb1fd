//! The numbers that methods are tuned by. Each names the decision record that chose it, or says that nothing was measured.

/// Steps without improvement after which a run gives up: rounding is then held to keep the tolerance out of reach.
/// Decision 0004.
pub(crate) const PATIENCE: usize = 500;
/// Minorants that a lower bound combines. Decision 0004.
pub(crate) const MINORANTS: usize = 20;
