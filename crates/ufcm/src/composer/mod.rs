//! h: how the rows combine, one file each.
//!
//! A composer works through its conjugate: multipliers live in the domain of h*, and the prox of h* moves them.
//! Composers that are nondecreasing take curved components; the others take affine rows only. Those that act on
//! each row by itself share one mechanism, `rowwise`.
//!
//! Two conventions hold for all of them. [`value`](crate::oracle::Composer::value) is exact about the domain of h:
//! it is finite exactly where [`domain_distance`](crate::oracle::Composer::domain_distance) is 0. The
//! [`conjugate`](crate::oracle::Composer::conjugate) forgives multipliers that left their domain by rounding, up to
//! [`MEMBERSHIP`](crate::oracle::MEMBERSHIP) times the size of the domain; a bound at 0 is exact, since averages of
//! nonnegative multipliers are nonnegative. Sums and norms of no rows are 0 and allowed; the max, the
//! log-sum-exp and the conditional value at risk of nothing are refused.

mod conditional_value_at_risk;
mod cones;
mod equality;
mod fields;
mod huber;
mod interval;
mod l1_norm;
mod l2_norm;
mod linf_norm;
mod log_sum_exp;
mod max;
mod negative_entropy;
mod negative_log;
mod nonpositive;
mod penalty;
mod power_sum;
mod quadratic;
mod quantile;
mod reciprocal;
mod rowwise;
mod scaled;
mod squared_hinge;
mod stacked;
mod sublevel;
mod weighted_sum;

pub use conditional_value_at_risk::ConditionalValueAtRisk;
pub use cones::Cones;
pub use equality::Equality;
pub use huber::Huber;
pub use interval::Interval;
pub use l1_norm::L1Norm;
pub use l2_norm::L2Norm;
pub use linf_norm::LinfNorm;
pub use log_sum_exp::LogSumExp;
pub use max::Max;
pub use negative_entropy::NegativeEntropy;
pub use negative_log::NegativeLog;
pub use nonpositive::Nonpositive;
pub use penalty::Penalty;
pub use power_sum::PowerSum;
pub use quadratic::Quadratic;
pub use quantile::Quantile;
pub use reciprocal::Reciprocal;
pub use scaled::Scaled;
pub use squared_hinge::SquaredHinge;
pub use stacked::Stacked;
pub use sublevel::Sublevel;
pub use weighted_sum::WeightedSum;

pub(crate) use fields::row_weights;
pub(crate) use sublevel::narrow_below;

use crate::catalogue::ComposerEntry;
use crate::error::{DataError, Position, check_positive};

/// All kinds.
pub(crate) static CATALOGUE: &[ComposerEntry] = &[
    weighted_sum::ENTRY,
    max::ENTRY,
    log_sum_exp::ENTRY,
    squared_hinge::ENTRY,
    penalty::ENTRY,
    l1_norm::ENTRY,
    l2_norm::ENTRY,
    linf_norm::ENTRY,
    power_sum::ENTRY,
    quantile::ENTRY,
    conditional_value_at_risk::ENTRY,
    huber::ENTRY,
    quadratic::ENTRY,
    quadratic::WHOLE,
    negative_log::ENTRY,
    negative_entropy::ENTRY,
    reciprocal::ENTRY,
];

/// What a scale (a weight, a smoothing parameter, a width) may be: within this, its square, its inverse and its
/// products with others neither overflow nor vanish.
const SCALES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Checks that one number is positive and within [`SCALES`].
fn check_scale(object: &'static str, field: &'static str, value: f64) -> Result<(), DataError> {
    check_positive(object, field, value)?;
    if SCALES.contains(&value) {
        return Ok(());
    }
    Err(DataError::out_of_range(object, field, Position::Scalar, value, "between 1e-100 and 1e100"))
}
