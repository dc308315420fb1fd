//! u and X: regularisers and domains, one file each.
//!
//! A regulariser is asked for four things: its value, its prox, a generalised Jacobian of that prox, and the
//! minimum of a linear function plus itself (which makes lower bounds). The coordinatewise ones all come from one
//! scalar law, [`ScalarTerm`].
//!
//! | u | types |
//! |---|---|
//! | coordinatewise | [`Zero`], [`L1`], [`Ridge`], [`ElasticNet`], [`L1Box`] |
//! | norms and the like | [`L2Norm`], [`GroupL2`], [`LinfNorm`], [`TotalVariation`], [`SumOfLargest`], [`SortedL1`] |
//! | sets, coordinatewise | [`Bounds`], [`Nonnegative`], [`LinfBall`] |
//! | sets | [`Ball`], [`L1Ball`], [`Simplex`], [`Halfspace`], [`Hyperplane`], [`AffineSet`], [`SecondOrderCone`] |
//! | made from others | [`SeparableSum`], [`Combined`], [`InBall`], [`NormInBall`], [`Ridged`], [`Translated`], [`Scaled`] |
//!
//! A vector of the wrong length is an error of the prox; it lies outside every X (value +inf) and yields no lower
//! bound (minimum -inf).

use crate::catalogue::RegulariserEntry;
use crate::oracle::{OracleError, Regulariser, Weight};

mod affine_set;
mod ball;
mod bounds;
mod combined;
mod elastic_net;
mod fields;
mod group_l2;
mod halfspace;
mod hyperplane;
mod in_ball;
mod joined;
mod l1;
mod l1_ball;
mod l1_box;
mod l2_norm;
mod linf_ball;
mod linf_norm;
mod nonnegative;
mod norm_in_ball;
mod ridge;
mod ridged;
mod scaled;
mod second_order_cone;
mod separable;
mod separable_sum;
mod simplex;
mod sorted_l1;
mod sum_of_largest;
mod total_variation;
mod translated;
mod zero;

pub use crate::oracle::ScalarTerm;
pub use affine_set::AffineSet;
pub use ball::Ball;
pub use bounds::Bounds;
pub use combined::Combined;
pub use elastic_net::ElasticNet;
pub use group_l2::GroupL2;
pub use halfspace::Halfspace;
pub use hyperplane::Hyperplane;
pub use in_ball::InBall;
pub use joined::{Apart, joined};
pub use l1::L1;
pub use l1_ball::L1Ball;
pub use l1_box::L1Box;
pub use l2_norm::L2Norm;
pub use linf_ball::LinfBall;
pub use linf_norm::LinfNorm;
pub use nonnegative::Nonnegative;
pub use norm_in_ball::NormInBall;
pub use ridge::Ridge;
pub use ridged::Ridged;
pub use scaled::Scaled;
pub use second_order_cone::SecondOrderCone;
pub use separable::{PerCoordinate, Separable};
pub use separable_sum::SeparableSum;
pub use simplex::Simplex;
pub use sorted_l1::SortedL1;
pub use sum_of_largest::SumOfLargest;
pub use total_variation::TotalVariation;
pub use translated::Translated;
pub use zero::Zero;

/// All kinds: regularisers, then domains.
pub(crate) static CATALOGUE: &[RegulariserEntry] = &[
    zero::ENTRY,
    l1::ENTRY,
    l1::POSITIVE_PART,
    ridge::ENTRY,
    elastic_net::ENTRY,
    l1_box::ENTRY,
    l2_norm::ENTRY,
    group_l2::ENTRY,
    linf_norm::ENTRY,
    total_variation::ENTRY,
    sum_of_largest::ENTRY,
    sorted_l1::ENTRY,
    bounds::ENTRY,
    nonnegative::ENTRY,
    linf_ball::ENTRY,
    ball::ENTRY,
    l1_ball::ENTRY,
    simplex::ENTRY,
    halfspace::ENTRY,
    hyperplane::ENTRY,
    affine_set::ENTRY,
    second_order_cone::ENTRY,
    separable_sum::ENTRY,
];

/// How far outside the domain of u* a slope may lie, relative to its size, and still count as inside: the rounding
/// of the sums by which it is tested. Tests that take no sums are exact.
///
/// Beyond it the minimum of <slope, x> + u(x) is -inf, and is said to be: a lower bound must not be too high.
const SLOPE_ROUNDING: f64 = 1e-12;

impl<R: Regulariser + 'static> From<R> for Box<dyn Regulariser> {
    fn from(regulariser: R) -> Self {
        Box::new(regulariser)
    }
}

/// Whether `u` takes vectors of length `n`.
fn fits(u: &dyn Regulariser, n: usize) -> bool {
    u.dimension().is_none_or(|expected| expected == n)
}

/// An error where `u` does not take vectors of length `n`, or the metric does not belong to them.
fn check_fit(u: &dyn Regulariser, weight: Weight<'_>, n: usize) -> Result<(), OracleError> {
    OracleError::check_length("x", u.dimension().unwrap_or(n), n)?;
    weight.check_length(n)
}

/// 0 inside a set, +inf outside.
fn indicator(inside: bool) -> f64 {
    if inside { 0.0 } else { f64::INFINITY }
}

/// The minimum of <slope, x> + u(x) for a positively homogeneous u: 0, attained at 0, for slopes in the domain of
/// u*; -inf for others.
fn min_linear_at_zero(in_domain: bool, minimiser: Option<&mut [f64]>) -> f64 {
    if let Some(minimiser) = minimiser {
        minimiser.fill(0.0);
    }
    if in_domain { 0.0 } else { f64::NEG_INFINITY }
}
