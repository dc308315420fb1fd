//! Convex problems made of unlike parts.
//!
//! ```text
//! minimise over x in X:   g_0(x) + h(g_1(x), ..., g_m(x)) + u(x)
//! ```
//!
//! [`component`]s g_j are convex functions with value and gradient; a [`composer`] h says how they combine (a sum, a max,
//! constraints, ...); a [`regulariser`] u holds what is left, the set X included. A [`problem::Problem`] puts them
//! together and checks everything once.
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
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod audit;
pub mod budget;
pub mod catalogue;
pub mod certificate;
pub mod component;
pub mod composer;
pub mod error;
mod halpern;
pub mod jacobian;
mod kernel;
mod linalg;
pub mod mapping;
pub mod matrix;
pub mod method;
pub mod metric;
mod named;
pub mod oracle;
mod pool;
pub mod problem;
mod projection;
mod random;
pub mod regulariser;
pub mod report;
mod serde_infinity;
pub mod settings;
mod solve;
pub mod subproblem;
pub mod summary;
pub mod theory;

/// The README's examples, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
