//! The seams of the solver: what a component, a mapping, a composer and a regulariser must tell.
//!
//! All four are object-safe: the solver is compiled once and serves every implementation, ours and a user's.
//! What an implementation does not know it says so (`None`, `false`, an [`OracleError::Unsupported`]), and the
//! solver falls back on what needs less.

mod component;
mod composer;
mod error;
mod gram;
mod grounds;
pub(crate) mod guard;
mod mapping;
mod minorant;
mod quadratic;
mod rates;
mod regulariser;
mod scalar_term;
mod weight;

pub use crate::linalg::RowView;
pub use component::{Component, Convexity, Curvature, Smoothness};
pub use composer::{Composer, NewtonComposer, SharedPart};
pub use error::{Cause, OracleError};
pub(crate) use gram::gram_of_rows;
pub use grounds::Grounds;
pub use guard::guarded;
pub use mapping::{LinearOperator, Mapping, MinorantSums};
pub(crate) use minorant::add_minorant;
pub use quadratic::{Between, QuadraticForm};
pub use rates::ErrorRates;
pub use regulariser::{EuclideanBall, NewtonRegulariser, Regulariser};
pub use scalar_term::ScalarTerm;
pub use weight::Weight;

/// How far outside its set a point may lie, relative to the set's scale, and still count as inside: the rounding
/// of a projection. Boxes are exact and do not use it.
pub const MEMBERSHIP: f64 = 1e-10;
