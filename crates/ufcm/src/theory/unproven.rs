//! Which condition of a theorem does not hold.

/// Why a theorem promises nothing: the first of its conditions that does not hold, with the numbers.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unproven {
    /// eps <= 1 (thm:heterogeneous-composite-convergence, thm:fully-heteogeneous-component-guarantees).
    #[error("eps <= 1 does not hold: eps = {eps:e}")]
    EpsAboveOne {
        /// The accuracy.
        eps: f64,
    },
    /// eps <= 24 L_ADA D_x^2 (the same theorems). It never holds where all rows are affine: L_ADA is 0.
    #[error(
        "eps <= 24 L_ADA D_x^2 does not hold: eps = {eps:e}, L_ADA = {l_ada:e}{}, D_x = {d_x:e}",
        if *l_ada == 0.0 { " (all rows are affine)" } else { "" }
    )]
    AlreadyThere {
        /// The accuracy.
        eps: f64,
        /// L_ADA.
        l_ada: f64,
        /// D_x.
        d_x: f64,
    },
    /// mu_ADA <= 96 L_ADA (thm:fully-heteogeneous-component-guarantees).
    #[error("mu_ADA <= 96 L_ADA does not hold: mu_ADA = {mu_ada:e}, L_ADA = {l_ada:e}")]
    ConvexityAboveSmoothness {
        /// mu_ADA.
        mu_ada: f64,
        /// L_ADA.
        l_ada: f64,
    },
    /// r <= D_lambda^(k) for all executions: what the proofs use of r = D_lambda sqrt(eps) (docs/errata.md).
    #[error("r <= D_lambda^(K-1) does not hold: r = {r:e}, D_lambda^(K-1) = {d_lambda:e}")]
    RadiusAboveDistance {
        /// r.
        r: f64,
        /// The least D_lambda of an execution.
        d_lambda: f64,
    },
    /// K >= log2((Q + eps)/eps) (thm:fully-heteogeneous-component-guarantees).
    #[error("K >= log2((Q + eps)/eps) does not hold: K = {executions}, Q = {gap:e}, eps = {eps:e}")]
    TooFewExecutions {
        /// K.
        executions: usize,
        /// Q at the start.
        gap: f64,
        /// The accuracy.
        eps: f64,
    },
    /// The proven bound of Q after N steps is above eps: these C and Delta ask for more steps than the allowed errors of rows with p < 1
    /// leave room for (eq:Q-bound-Holder; docs/errata.md).
    #[error("the bound of Q after N = {steps:e} steps is {bound:e}, above eps = {eps:e}")]
    ErrorsAddUp {
        /// ceil(N).
        steps: f64,
        /// The bound.
        bound: f64,
        /// The accuracy.
        eps: f64,
    },
}

impl Unproven {
    /// Which condition it is, in one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::EpsAboveOne { .. } => "EpsAboveOne",
            Self::AlreadyThere { .. } => "AlreadyThere",
            Self::ConvexityAboveSmoothness { .. } => "ConvexityAboveSmoothness",
            Self::RadiusAboveDistance { .. } => "RadiusAboveDistance",
            Self::TooFewExecutions { .. } => "TooFewExecutions",
            Self::ErrorsAddUp { .. } => "ErrorsAddUp",
        }
    }

    /// The numbers that the condition is about, by name.
    #[must_use]
    pub fn numbers(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::EpsAboveOne { eps } => vec![("eps", eps)],
            Self::AlreadyThere { eps, l_ada, d_x } => vec![("eps", eps), ("l_ada", l_ada), ("d_x", d_x)],
            Self::ConvexityAboveSmoothness { mu_ada, l_ada } => vec![("mu_ada", mu_ada), ("l_ada", l_ada)],
            Self::RadiusAboveDistance { r, d_lambda } => vec![("r", r), ("d_lambda", d_lambda)],
            Self::TooFewExecutions { executions, gap, eps } => {
                vec![("executions", executions as f64), ("gap", gap), ("eps", eps)]
            }
            Self::ErrorsAddUp { steps, bound, eps } => {
                vec![("steps", steps), ("bound", bound), ("eps", eps)]
            }
        }
    }
}
