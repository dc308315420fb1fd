//! The paper's constants and what its theorems promise, before a run.
//!
//! Everything the theory knows of a problem enters through two numbers: the Approximate Dualized Aggregate smoothness
//! L_ADA and convexity mu_ADA ([`constants`]). The promises ([`promise`]) are functions of these, of the distances D_x
//! and D_lambda to a saddle point, and of a bound M of the Jacobian's norm. A [`Plan`] has them all for a problem that was
//! solved. [`measure`] has the gap function and (eps, r)-optimality, [`planted`] instances on which all of it can be checked.

pub mod constants;
pub mod measure;
mod orders;
mod plan;
pub mod planted;
pub mod promise;
mod root;
mod unproven;

pub use constants::{Aggregate, RowConstants};
pub use plan::{Plan, PlanError, Target};
pub(crate) use plan::{Start, default_radius};
pub use promise::Promise;
pub use unproven::Unproven;
