//! What is wrong with a certificate.

use crate::oracle::OracleError;

/// Why a certificate was not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A vector of the wrong length.
    #[error("{what} has length {got}; expected {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// The length that was expected.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A NaN, or an infinity where only numbers make sense.
    #[error("{what} is not finite")]
    NotFinite {
        /// Which number or vector.
        what: &'static str,
    },
    /// No witnesses: nothing proves the lower bound.
    #[error("there is no witness to prove the bound")]
    Empty,
    /// A weight that is negative.
    #[error("the weight of witness {witness} is {weight}; it must be nonnegative")]
    Weight {
        /// The witness.
        witness: usize,
        /// Its weight.
        weight: f64,
    },
    /// Weights that do not make a convex combination.
    #[error("the weights sum to {sum}; they must sum to 1")]
    WeightSum {
        /// What they sum to.
        sum: f64,
    },
    /// Multipliers for which h* is infinite: they prove nothing.
    #[error("the multipliers of witness {witness} are outside the domain of h* on {part}")]
    OutsideDomain {
        /// The witness.
        witness: usize,
        /// The first row of the block that refuses them, by name.
        part: String,
    },
    /// A negative multiplier on a curved row: minus a convex function has no linear minorant.
    #[error("the multiplier of witness {witness} on the curved row {row} is {value}; it must be nonnegative")]
    Negative {
        /// The witness.
        witness: usize,
        /// The row, by name.
        row: String,
        /// The multiplier.
        value: f64,
    },
    /// A premise that does not hold for the problem.
    #[error("the premise does not hold: {0}")]
    Premise(&'static str),
    /// A point outside X: it is no answer, whatever its objective.
    #[error("x lies outside the domain")]
    OutsideX,
    /// A certificate whose own point is not where its premise says that a solution is.
    #[error(
        "the premise does not hold for the certificate's own point: x is {distance:e} from the centre, beyond the radius {radius:e}"
    )]
    OutsideRadius {
        /// |x - centre|
        distance: f64,
        /// The radius.
        radius: f64,
    },
    /// A lower bound that the certificate's own feasible point disproves.
    #[error(
        "the lower bound {lower:e} lies above the value {value:e} at the certificate's own feasible point: the premise is \
         false, or a component is not convex"
    )]
    AboveValue {
        /// The bound, as claimed or as recomputed.
        lower: f64,
        /// F(x), raised by its rounding.
        value: f64,
    },
    /// A claim that goes beyond what the data prove.
    #[error("{what} is claimed to be {claimed:e}, but {proven:e} is what the data prove")]
    Claim {
        /// Which number.
        what: &'static str,
        /// What is claimed.
        claimed: f64,
        /// What was found.
        proven: f64,
    },
    /// A ray along which the objective does not fall for ever.
    #[error("the ray proves nothing: {reason}")]
    NoRay {
        /// Why.
        reason: String,
    },
    /// A proof of infeasibility that leans on rows which are no constraints.
    #[error("{part} has multipliers, but its composer ({composer}) is no constraint")]
    NotConstraint {
        /// The first row of the block, by name.
        part: String,
        /// The composer's kind.
        composer: &'static str,
    },
    /// Multipliers that do not separate: the constraints may well hold somewhere.
    #[error("the multipliers prove nothing: their margin is {margin:e}, not positive")]
    NotSeparating {
        /// The margin found.
        margin: f64,
    },
    /// A proof of infeasibility that names constraints which are not those it uses, or are not needed.
    #[error("what is said of the constraints does not hold: {reason}")]
    Rows {
        /// What.
        reason: String,
    },
    /// An oracle that failed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// Checks a vector's length and that it holds numbers.
pub(super) fn check_vector(what: &'static str, expected: usize, v: &[f64]) -> Result<(), CertificateError> {
    if v.len() != expected {
        return Err(CertificateError::Length { what, expected, got: v.len() });
    }
    check_numbers(what, v)
}

/// Checks that there are only numbers.
pub(super) fn check_numbers(what: &'static str, v: &[f64]) -> Result<(), CertificateError> {
    if v.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(CertificateError::NotFinite { what }) }
}
