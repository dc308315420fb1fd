//! The convex functions g_j.
//!
//! Each gives value and gradient in one pass over its data, and tells what it knows of its smoothness, convexity and
//! curvature. [`ComponentExt`] makes multiples, sums and shifts; [`Custom`] wraps a user's closure.

mod absent;
mod combine;
mod custom;
mod dealt;
mod declared;
mod distributed;
mod forward;
mod glm;
mod linear;
mod log_sum_exp;
mod multinomial_logistic;
mod on_variables;
mod quadratic;
mod rescaled;
mod sum;
mod tuning;

pub use absent::Absent;
pub use combine::ComponentExt;
pub use custom::Custom;
pub use declared::Declared;
pub(crate) use distributed::Distributed;
pub use glm::*;
pub use linear::Linear;
pub use log_sum_exp::LogSumExp;
pub use multinomial_logistic::MultinomialLogistic;
pub use on_variables::OnVariables;
pub use quadratic::Quadratic;
pub use rescaled::Rescaled;
pub use sum::Sum;

use crate::catalogue::ComponentEntry;

/// All kinds: the losses over data, and the others.
pub(crate) static CATALOGUE: &[&[ComponentEntry]] =
    &[LOSSES, &[multinomial_logistic::ENTRY, log_sum_exp::ENTRY, quadratic::ENTRY, linear::ENTRY]];
