//! Special cases and rivals of the published method, on the same oracles, to compare it with.
//!
//! | type | method | for |
//! |---|---|---|
//! | [`UniversalFastGradient`] | Nesterov's universal fast gradient method | sums: nothing but g_0 and u |
//! | [`AcgdS`] | accelerated constrained gradient descent with sliding (Zhang and Lan) | smooth constraints |
//! | [`PrimalDualBacktracking`] | accelerated primal-dual with backtracking (Hamedani and Aybat) | every composer |
//! | [`SwitchingSubgradient`] | Polyak's switching subgradient method | constraints, smooth or not |
//! | [`IdealGradient`] | FISTA with the true multipliers | comparison only: it needs the solution |
//!
//! Each counts what it asks of the oracles in the same units as [`Ufcm`](super::Ufcm): `gradients()` are evaluations of
//! all values and gradients, `values()` evaluations of all values alone. `step()` allocates nothing. [`Followed`] lets a run
//! take their steps, with bounds, limits and a report as for every method.

mod acgd_s;
mod form;
mod ideal_gradient;
mod primal_dual_backtracking;
mod rival;
mod switching_subgradient;
mod universal_fast_gradient;

pub use acgd_s::{AcgdS, AcgdSParameters};
pub use ideal_gradient::IdealGradient;
pub use primal_dual_backtracking::{PrimalDualBacktracking, PrimalDualParameters};
pub use rival::{Followed, Rival};
pub use switching_subgradient::SwitchingSubgradient;
pub use universal_fast_gradient::UniversalFastGradient;

use crate::oracle::OracleError;

/// Trials after which backtracking gives up: a constant has by then grown beyond all reason.
const TRIALS: usize = 200;

/// How far a difference of sums may be off, relative to the sum of the sizes of what was summed: without it rounding
/// fails the tests of backtracking near a solution, and step sizes collapse.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// No step size passed the test. That is not so for convex components with right gradients.
fn gave_up(method: &str) -> OracleError {
    let message =
        format!("{method}: no step size passes its test: is a component not convex, or a gradient wrong?");
    OracleError::failed(message)
}
