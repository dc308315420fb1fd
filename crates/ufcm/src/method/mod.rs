//! How it moves: one file for each method.
//!
//! | file | method |
//! |---|---|
//! | `adaptive` | the model step with a run-time test and restarts: needs no constants |
//! | `primal_dual` | restarted primal-dual steps for many affine rows: a first-order LP and QP solver |
//! | `metric_choice`, `second_order`, `secant`, `quasi_newton`, `epoch` | which norm `adaptive` measures steps in, and when it restarts |
//! | `ufcm` | Algorithm 1 of the paper, the Universal Fast Composite Method |
//! | `restarted` | Algorithm 2, R-UFCM, with the per-execution constants of its remark |
//! | `doubling` | the schedule over L of remark rmk:tradeoff-lada-dist |
//! | `step_sizes` | their step sizes, and conditions a1 to c3 as predicates |
//! | [`baseline`] | special cases and rivals on the same oracles, to compare with |

mod adaptive;
pub mod baseline;
mod doubling;
mod epoch;
mod primal_dual;
mod restarted;
mod start;
pub mod step_sizes;
mod ufcm;

pub use adaptive::{Adaptive, AdaptiveParameters, AdaptiveStep, StepError};
pub use doubling::Doubling;
pub use primal_dual::{Aim, Displacement, Kkt, PrimalDual, PrimalDualStep};
pub use restarted::{Execution, RestartPlan, Restarted};
pub use ufcm::{Averages, SetupError, Ufcm, UfcmParameters};
