//! The numbers of the walk. Decision 0044.

/// Changes of the active rows after which their system is factored anew. Not measured.
pub(super) const MOST_BORDERS: usize = 40;

/// Rounds of iterative refinement, and what they may leave of the equations, relative to what is added up in them. Not measured.
pub(super) const ROUNDS: usize = 2;
pub(super) const SOLVED: f64 = 1e-9;

/// Changes of the active rows after which the walk ends. Not measured.
pub(super) const MOST_CHANGES: usize = 2000;

/// Operations of the largest factorisation, at the speed of products, with which a walk is tried. Not measured.
pub(super) const LARGEST: f64 = 1e7;

/// By which part of its size each row is moved and priced, at random, so that no two rows meet at once. Not measured.
pub(super) const PERTURBATION: f64 = 1e-6;

/// The tolerance of the engine's run before the walk, far below the perturbation. Not measured.
pub(super) const TOLERANCE: f64 = 1e-12;

/// Rates and shares below this part of what they are made of are rounding. Not measured.
pub(super) const ROUNDING: f64 = 1e-9;

/// What is left of an equation beside those before it, as a part of its length, where it says nothing new. Not measured.
pub(super) const DEPENDENT: f64 = 1e-9;

/// Operations that the search for such equations may take. Not measured.
pub(super) const MOST_OPERATIONS: f64 = 1e9;

/// By which part of its size a row may be violated by rounding. Not measured.
pub(super) const HOLDS: f64 = 1e-12;

/// By how much the first active rows may violate what they must satisfy, as a part of its size. Not measured.
pub(super) const AMISS: f64 = 1e-7;
