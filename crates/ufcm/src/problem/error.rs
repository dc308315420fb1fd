//! Why a problem cannot be built.

use crate::error::DataError;

/// What is wrong with a problem as a whole. Each message names the part and says what would be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// No variables.
    #[error("the problem has no variables")]
    NoVariables,
    /// Nothing to minimise and nothing to satisfy.
    #[error("the problem is empty: it has no objective, no term, no constraint and no regulariser")]
    Empty,
    /// A part with another number of variables.
    #[error("{part} has {got} variables; the problem has {expected}")]
    Dimension {
        /// Which part.
        part: String,
        /// The problem's number of variables.
        expected: usize,
        /// The part's.
        got: usize,
    },
    /// A composer for another number of rows.
    #[error("{part}: the composer `{composer}` takes {expected} rows; there are {got}")]
    Rows {
        /// Which term.
        part: String,
        /// The composer's kind.
        composer: &'static str,
        /// The composer's number of rows.
        expected: usize,
        /// The term's.
        got: usize,
    },
    /// A composer that may fall as a curved row rises: h(g(x)) need not be convex.
    #[error(
        "{part}: the composer `{composer}` is not nondecreasing in this row, and the row's component ({component}) \
         is curved: their composition need not be convex. A curved component goes under a sum with nonnegative \
         weights, max, constraints g <= c, log-sum-exp or squared hinge; under `{composer}` the row must be affine"
    )]
    NotMonotone {
        /// Which row, by name.
        part: String,
        /// The composer's kind.
        composer: &'static str,
        /// The component's kind.
        component: &'static str,
    },
    /// Data of a part that cannot be.
    #[error("{part}: {source}")]
    Data {
        /// Which part.
        part: String,
        /// What is wrong with it.
        source: DataError,
    },
    /// A regulariser and a domain for which no joint prox is known.
    #[error(
        "there is no joint prox for the regulariser `{regulariser}` and the domain `{domain}`: state one of them as \
         a term or a constraint instead (a norm of x as an affine block with A = I, a ball as a quadratic constraint)"
    )]
    NoJointProx {
        /// The regulariser's kind.
        regulariser: &'static str,
        /// The domain's kind.
        domain: &'static str,
    },
}
