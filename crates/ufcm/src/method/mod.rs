//! How it moves: one file or folder for each method.
//!
//! | file | method |
//! |---|---|
//! | `seam` | [`Method`]: what the loop of a run asks of every method |
//! | `adaptive` | the model step with a run-time test and restarts: needs no constants |
//! | `epoch` | when `adaptive` restarts |
//! | `primal_dual` | restarted primal-dual steps for many affine rows: a first-order LP and QP solver |
//! | `ufcm` | Algorithm 1 of the paper, the Universal Fast Composite Method |
//! | `restarted` | Algorithm 2, R-UFCM, with the per-execution constants of its remark |
//! | `doubling` | the schedule over L of remark rmk:tradeoff-lada-dist |
//! | `published` | these three as the loop sees them |
//! | `step_sizes` | their step sizes, and conditions a1 to c3 as predicates |
//! | [`baseline`] | special cases and rivals on the same oracles, to compare with |
//! | `tuning` | the numbers that methods are tuned by |

mod adaptive;
pub mod baseline;
mod doubling;
mod epoch;
mod primal_dual;
mod published;
mod restarted;
mod seam;
mod start;
pub mod step_sizes;
pub(crate) mod tuning;
mod ufcm;

pub use adaptive::{Adaptive, AdaptiveParameters, StepError};
pub use doubling::Doubling;
pub use primal_dual::{Aim, Displacement, Kkt, PrimalDual};
pub use published::Published;
pub use restarted::{Execution, RestartPlan, Restarted};
pub use seam::{Candidate, Change, Method, Residuals, Rung, Start, Step};
pub use ufcm::{Averages, SetupError, Ufcm, UfcmParameters};
