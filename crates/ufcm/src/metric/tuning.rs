//! The numbers by which metrics are chosen, formed and solved in. Each names the decision record that chose it, or says that nothing was
//! measured.

/// The diagonal from secants.
pub(crate) mod secant {
    /// Entries of the diagonal below this share of the largest are raised to it.
    /// Not measured.
    pub(crate) const FLOOR: f64 = 1e-8;
    /// What of a change of slopes may be rounding, relative to their size.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 1e-10;
}

/// Low rank from products.
pub(crate) mod sketch {
    /// Directions shorter than this part of what the product gave are rounding: the space is exhausted.
    /// Not measured.
    pub(crate) const EXHAUSTED: f64 = 1e-10;
}

/// Which second derivatives are thought of.
pub(crate) mod second_order {
    /// Variables up to which a dense Hessian is thought of.
    /// Decision 0008.
    pub(crate) const LARGEST_HESSIAN: usize = 3000;
    /// Variables up to which a quasi-Newton matrix is: its factors cost n^3/3 operations in every other step.
    /// Decision 0008.
    pub(crate) const LARGEST_QUASI_NEWTON: usize = 1000;
    /// Products that a sketch takes.
    /// Decision 0008.
    pub(crate) const RANK: usize = 20;
    /// A Hessian is worth as much as this many sketches: it holds the small eigenvalues too.
    /// Decision 0008.
    pub(crate) const HESSIAN_WORTH: f64 = 10.0;
    /// Operations of a user's function that does not tell its own, in units of n^2: those of a loss over as many samples as
    /// variables. Decision 0019.
    pub(crate) const UNKNOWN_OPERATIONS: f64 = 4.0;
    /// Samples for each variable that stand for all of them in a Hessian. Decision 0028.
    pub(crate) const SAMPLES: f64 = 60.0;
    /// ... but no more than cost so many reads of the data, unless that leaves less than these for each variable. Decision 0035.
    pub(crate) const MUCH: f64 = 12.0;
    /// Decision 0035.
    pub(crate) const FEW_SAMPLES: f64 = 10.0;
    /// Reads of the data that a Hessian may always cost: more samples are taken where they are cheap. Decision 0028.
    pub(crate) const AT_ONCE: f64 = 1.0;
    /// Reads of the data that a Hessian with its factors may cost. Not measured.
    pub(crate) const MOST_READS: f64 = 30.0;
    /// Reads that its factors alone may cost where a model step must not take more than one factorisation: adaptive steps take some thirty
    /// reads more, and Newton's method forms three or four Hessians. Decision 0034.
    pub(crate) const INSIDE_FACTORS: f64 = 6.0;
    /// Factorisations of a model step, about, and the reads of the data that they may cost: beyond, adaptive steps take less time. Decision
    /// 0028.
    pub(crate) const MODEL_FACTORS: f64 = 10.0;
    /// Decision 0028.
    pub(crate) const MOST_MODEL: f64 = 5.0;
    /// Operations of a product of matrices in the time of one that memory limits. Decision 0020.
    pub(crate) const PRODUCT_SPEED: f64 = 5.0;
}

/// Nyström's approximation.
pub(crate) mod nystrom {
    /// Pairs of which less than this share is new are left out: what is left of them is error.
    /// Not measured.
    pub(crate) const NEW: f64 = 1e-6;
}

/// The BFGS matrix.
pub(crate) mod quasi_newton {
    /// Pairs whose <s, y> is below this part of |s| |y| tell of rounding, not of curvature.
    /// Not measured.
    pub(crate) const FLAT: f64 = 1e-8;
    /// Pairs before the matrix is worth anything.
    /// Decision 0008.
    pub(crate) const ENOUGH: usize = 5;
}

/// The prox of u in the metric of curvature.
pub(crate) mod prox {
    /// Newton steps for one prox.
    /// Not measured.
    pub(crate) const STEPS: usize = 300;
    /// The residual that is left to rounding, relative to the sizes of the point and of the terms of the gradient over rho.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 1e-15;
    /// The least part of the way to the Newton point that is tried.
    /// Not measured.
    pub(crate) const LEAST_SHARE: f64 = 1e-9;
    /// The share of the certain decrease that a step must reach.
    /// Not measured.
    pub(crate) const SUFFICIENT: f64 = 0.1;
}

/// Its linear systems.
pub(crate) mod prox_system {
    /// Curvatures of u below this part of rho are rounding.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 1e-9;
}

/// Their factors.
pub(crate) mod factors {
    /// Diagonals that differ by less, relative to their size, need no other factors: step sizes round.
    /// Not measured.
    pub(crate) const SAME: f64 = 1e-12;
    /// The order up to which a matrix is factored at once, and the columns of a strip beyond: some tenths of a second each. Not
    /// measured.
    pub(crate) const UNDIVIDED: usize = 1024;
    /// Not measured.
    pub(crate) const STRIP: usize = 256;
}

/// Damping.
pub(crate) mod curvature {
    /// Steps of the power method for the largest eigenvalue, and for that of a matrix beyond this order: it only sets the scale of the damping.
    /// Not measured.
    pub(crate) const POWER_STEPS: usize = 20;
    /// Decision 0034.
    pub(crate) const FEW_POWER_STEPS: usize = 6;
    /// Decision 0034.
    pub(crate) const LARGE_ORDER: usize = 300;
}

/// Diagonals.
pub(crate) mod metric {
    /// Entries of a diagonal metric below this share of the largest are raised to it.
    /// Not measured.
    pub(crate) const FLOOR: f64 = 1e-8;
    /// The same for a damped diagonal.
    /// Decision 0008.
    pub(crate) const DAMPED_FLOOR: f64 = 1e-4;
}

/// Which metric is used when.
pub(crate) mod choice {
    /// Gradients of a stretch, twice the differences that a diagonal from secants needs.
    /// Decision 0005.
    pub(crate) const STRETCH: usize = 20;
    /// Where the logarithm of the residual falls by this much per gradient, there is no reason to look for another diagonal.
    /// Not measured.
    pub(crate) const GOOD_RATE: f64 = 0.25;
    /// Gradients for which a quasi-Newton matrix is used before it takes in what they have told.
    /// Decision 0008.
    pub(crate) const REFRESH: usize = 2;
    /// Gradients of a run before its first Hessian at least, and those of them that must tell of progress: the first step mostly
    /// looks for L.
    /// Decision 0005.
    pub(crate) const FIRST_STRETCH: (usize, usize) = (5, 2);
    /// Where the logarithm of the residual falls by this much per gradient, the Hessian is as good as new.
    /// Not measured.
    pub(crate) const FRESH_RATE: f64 = 0.8;
    /// Under second derivatives of where the steps go L is about 1. Beyond this they are of no use, and so they are where
    /// model steps cannot be solved.
    /// Decision 0005.
    pub(crate) const MISLEADING: f64 = 1e3;
    /// The fall of the logarithm of the residual that a run may have before it: what is left to gain from a faster metric.
    /// Not measured.
    pub(crate) const AHEAD: f64 = 18.0;
    /// Hessians that are formed before a slow run speaks against them.
    /// Not measured.
    pub(crate) const TRIALS: usize = 3;
    /// Hessians that a run takes.
    /// Not measured.
    pub(crate) const HESSIANS: f64 = 4.0;
}

/// Second derivatives of a warm start.
pub(crate) mod warm {
    /// Their damping, relative to the largest eigenvalue.
    /// Decision 0018.
    pub(crate) const DAMPING: f64 = 1e-8;
    /// Gradients that a Hessian may cost to be formed at a warm start, or after a step that shows that it has changed.
    /// Decision 0018.
    pub(crate) const AFFORDABLE: f64 = 20.0;
    /// How far the curvature along a step may be from what the metric says, relative to that.
    /// Decision 0018.
    pub(crate) const MATCH: f64 = 0.02;
    /// Hessians that a warm start forms beyond the usual rules.
    /// Decision 0018.
    pub(crate) const RENEWALS: usize = 3;
    /// L beyond which the metric of a warm start is like any other.
    /// Decision 0018.
    pub(crate) const DISTRUST: f64 = 4.0;
}
