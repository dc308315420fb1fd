//! The numbers by which model steps are solved. Each names the decision record that chose it, or says that nothing was
//! measured.

/// Sliding.
pub(crate) mod sliding {
    /// Rounds of the power method where rows cannot be had.
    /// Not measured.
    pub(crate) const POWER_ROUNDS: usize = 20;
    /// What a norm from the power method is multiplied with, and what one that proves too small becomes of what was shown.
    /// Not measured.
    pub(crate) const SAFETY: f64 = 1.1;
    /// The least sum of a row or column, relative to the largest: those without entries need some weight.
    /// Not measured.
    pub(crate) const LEAST_SUM: f64 = 1e-8;
    /// How far omega may go from 1, in the units of the model.
    /// Not measured.
    pub(crate) const OMEGA: (f64, f64) = (1e-9, 1e9);
}

/// The metric of multipliers.
pub(crate) mod sigma {
    /// Rows up to which Sigma comes from the Gram matrix; beyond, from the norms of the rows alone.
    /// Decision 0007.
    pub(crate) const GRAM_ROWS: usize = 1024;
    /// Sigma is this multiple of a bound of J S J', S <= W^-1 the Jacobian of the prox of u: a gradient step then lowers the envelope for certain.
    /// Not measured.
    pub(crate) const MARGIN: f64 = 2.0;
}

/// Which solver takes a model step.
pub(crate) mod solver {
    /// Rows up to which no working set is worth its rounds.
    /// Not measured.
    pub(crate) const FEW_ROWS: usize = 256;
    /// Gradient steps, or those of sliding, allowed for each Newton step.
    /// Not measured.
    pub(crate) const GRADIENT_STEPS: usize = 100;
    /// Sliding takes about so many steps where Newton's method takes one.
    /// Decision 0007.
    pub(crate) const SLIDING_STEPS: f64 = 256.0;
    /// The most steps that sliding takes at a time: after that a new centre brings more than more of them. Where a run stalls all
    /// the same, it takes so many times as many.
    /// Decision 0007.
    pub(crate) const SLIDING_LIMIT: usize = 1000;
    /// Decision 0007.
    pub(crate) const DEEPER: usize = 4;
    /// Rows of an operator up to which a product for each of them is no matter.
    /// Decision 0007.
    pub(crate) const FEW_PRODUCTS: usize = 32;
    /// A residual above this part of the offsets means that a model step that was to be solved exactly was not.
    /// Not measured.
    pub(crate) const UNSOLVED: f64 = 1e-7;
}

/// Model steps in which u has no say.
pub(crate) mod interior {
    /// Solves, each with the rounding of the one before taken into account.
    /// Not measured.
    pub(crate) const REFINEMENTS: usize = 3;
    /// What is left of a diagonal entry of G where only rounding is.
    /// Not measured.
    pub(crate) const SPENT: f64 = 1e-14;
    /// What the prox of u may move a point by where it leaves it alone, relative to 1 and the size of its entries.
    /// Not measured.
    pub(crate) const MOVED: f64 = 4.0 * f64::EPSILON;
}

/// Newton's method.
pub(crate) mod semismooth {
    /// The damping against rank deficiency alone; where full steps fail it grows, and the step turns towards a gradient step.
    /// Not measured.
    pub(crate) const LEAST_DAMPING: f64 = 1e-13;
    /// The damping far from the solution, which falls with the square of the residual: where J S J' vanishes in some direction, as at the
    /// corners of X, undamped multipliers would be carried so far out that nothing is left of w but rounding.
    /// Not measured.
    pub(crate) const FAR_DAMPING: f64 = 1e-5;
    /// In a stretch of so many steps the residual should fall to this part of what it was before.
    /// Not measured.
    pub(crate) const STRETCH: usize = 5;
    /// Not measured.
    pub(crate) const PROGRESS: f64 = 0.9;
    /// The share of the certain decrease that a step must reach.
    /// Not measured.
    pub(crate) const SUFFICIENT: f64 = 0.1;
    /// The rounding of an envelope, in units of the size of its terms.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 8.0 * f64::EPSILON;
}

/// The working set.
pub(crate) mod working_set {
    /// The most rows a Newton system may have.
    /// Not measured.
    pub(crate) const LIMIT: usize = super::sigma::GRAM_ROWS;
    /// The most rows that may have to move together.
    /// Not measured.
    pub(crate) const COUPLED: usize = 256;
    /// While frozen rows are unhappy, W is solved to this share of their residual.
    /// Not measured.
    pub(crate) const LOOSE: f64 = 0.1;
    /// How many rows may join in a round: the first number, and the share of n that the second tells. More rows than
    /// variables make Newton systems singular, so W should not overshoot the active set by much.
    /// Not measured.
    pub(crate) const JOINING: (usize, usize) = (8, 16);
    /// The most rounds in one solve.
    /// Not measured.
    pub(crate) const ROUNDS: usize = 100;
}

/// The gradient method.
pub(crate) mod dual_gradient {
    /// Steps without the residual halving after which rounding, or a hopeless condition, is taken to be the reason.
    /// Not measured.
    pub(crate) const PATIENCE: usize = 2000;
}

/// Frozen rows.
pub(crate) mod restriction {
    /// The weight of frozen rows.
    /// Not measured.
    pub(crate) const FROZEN: f64 = 1e100;
}
