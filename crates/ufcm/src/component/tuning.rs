//! The numbers of components that ranks share.

/// Operations for each variable from which on a component is worth giving away: its n numbers go around instead. Not measured; decision 0040.
pub(super) const DEALT_OPERATIONS: u64 = 64;

/// Components for each rank from which on they are many. Not measured; decision 0040.
pub(super) const DEALT_EACH: usize = 2;
