//! The methods, which take the steps of a run: one file or folder each.
//!
//! | file | method |
//! |---|---|
//! | `seam` | [`Method`]: what the loop of a run asks of every method |
//! | `adaptive` | the model step with a run-time test and restarts: needs no constants |
//! | `epoch` | when `adaptive` restarts |
//! | `primal_dual` | restarted primal-dual steps for many affine rows: a first-order LP and QP solver |
//! | `newton` | model steps in the metric of second derivatives from samples |
//! | `working_set` | `newton` on the few variables that matter, for sparse answers |
//! | `interior_point` | interior points, by Clarabel's engine, while factorisations are cheap |
//! | `ufcm` | Algorithm 1 of the paper, the Universal Fast Composite Method |
//! | `restarted` | Algorithm 2, R-UFCM, with the per-execution constants of its remark |
//! | `doubling` | the schedule over L of remark rmk:tradeoff-lada-dist |
//! | `published` | these three as the loop sees them |
//! | `step_sizes` | their step sizes, and conditions a1 to c3 as predicates |
//! | `growing` | the step sizes of ACGD-S for a strongly convex objective |
//! | [`baseline`] | special cases and rivals on the same oracles, to compare with |
//! | `tuning` | the numbers that methods are tuned by |
//!
//! [`Problem::solve`](crate::problem::Problem::solve) chooses and makes a method by itself. A method can also be stepped by hand,
//! as here the published one, which asks for the constant L_ADA of the solution:
//!
//! ```
//! use ufcm::component::Quadratic;
//! use ufcm::method::{Ufcm, UfcmParameters};
//! use ufcm::problem::{IntoConstraint, Problem};
//! use ufcm::regulariser::Bounds;
//! use ufcm::theory::promise::Balance;
//!
//! // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2, -1 <= x <= 1
//! let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
//! let problem = Problem::minimise(objective)
//!     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5).named("energy"))
//!     .within(Bounds::new(-1.0, 1.0)?)
//!     .build()?;
//!
//! let l_ada = 2.1; // L_0 + (lambda* + r) L_1
//! let parameters = UfcmParameters { l_ada, balance: Balance::without_distances(l_ada) };
//! let mut method = Ufcm::new(&problem, &[0.0, 0.0], &[1.0, 0.0], parameters)?;
//! for _ in 0..200 { method.step()?; }
//! assert!((method.average_x()[0] - 1.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
pub mod baseline;
mod doubling;
mod epoch;
mod growing;
mod interior_point;
mod newton;
mod nu_average;
mod primal_dual;
mod published;
mod restarted;
mod seam;
mod spectral_norm;
mod start;
pub mod step_sizes;
mod tracer;
pub(crate) mod tuning;
mod ufcm;
mod working_set;

pub use adaptive::{Adaptive, AdaptiveParameters, StepError};
pub use doubling::Doubling;
pub use growing::Growing;
pub use interior_point::InteriorPoint;
pub(crate) use interior_point::{Least, Leave, Path, PhaseOne, Prepared};
pub use newton::Newton;
pub use primal_dual::{Aim, Displacement, Kkt, PrimalDual};
pub use published::Published;
pub use restarted::{Execution, RestartPlan, Restarted};
pub use seam::{Candidate, Change, Method, Residuals, Rung, Start, Step};
pub(crate) use start::check_multipliers;
pub(crate) use tracer::{Trace, Tracer};
pub use ufcm::{Averages, SetupError, Ufcm, UfcmParameters};
pub use working_set::WorkingSet;
