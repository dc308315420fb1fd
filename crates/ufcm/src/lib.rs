//! Convex problems made of unlike parts, solved with a proven gap.
//!
//! ```text
//! minimise over x in X:   g_0(x) + h(g_1(x), ..., g_m(x)) + u(x)
//! ```
//!
//! [`component`]s g_j are convex functions with value and gradient; a [`composer`] h says how they combine (a sum, a max,
//! constraints, ...); a [`regulariser`] u holds what is left, the set X included. A [`problem::Problem`] puts them
//! together and checks everything once. [`Problem::solve`](problem::Problem::solve) needs no constants:
//!
//! ```
//! use ufcm::component::Quadratic;
//! use ufcm::problem::{IntoConstraint, Problem};
//! use ufcm::regulariser::Bounds;
//! use ufcm::report::Status;
//! use ufcm::settings::Settings;
//!
//! // min |x|^2/2 - 2 x_0 subject to |x|^2/2 <= 1/2, -5 <= x <= 5: the answer is (1, 0), the value -3/2.
//! let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
//! let problem = Problem::minimise(objective)
//!     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5).named("energy"))
//!     .within(Bounds::new(-5.0, 5.0)?)
//!     .build()?;
//!
//! let report = problem.solve(&Settings::default())?;
//! assert_eq!(report.status, Status::Certified);
//! assert!((report.x[0] - 1.0).abs() < 1e-3 && (report.objective + 1.5).abs() < 1e-5);
//! assert!(report.lower_bound <= -1.5 && report.upper_bound >= -1.5);
//!
//! // The proof is data, and can be checked without the solver.
//! let verified = report.certificate.expect("a certificate").verify(&problem)?;
//! assert!(verified.gap() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The modules
//!
//! | to ... | look in |
//! |---|---|
//! | state a problem | [`problem`], [`component`], [`composer`], [`regulariser`], [`matrix`], [`mapping`] |
//! | solve it, and read the answer | [`settings`], [`budget`], [`report`], [`certificate`] |
//! | write a component, composer or regulariser of your own | [`oracle`]; [`audit`] looks for mistakes in it |
//! | write a method of your own | [`method::Method`], [`Problem::solve_by`](problem::Problem::solve_by); docs/add-a-method.md shows one |
//! | run the published method or a rival | [`method`] (it opens with an example), [`method::baseline`] |
//! | know what the paper promises | [`theory`] |
//! | use the pieces of the default solver | [`subproblem`], [`metric`], [`jacobian`] |
//! | handle bad data | [`error`] |
//!
//! docs/architecture.md follows one solve through these modules; docs/method.md has the mathematics.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod audit;
pub mod budget;
pub mod catalogue;
pub mod certificate;
pub mod component;
pub mod composer;
mod cone;
pub mod conic;
mod constants;
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
pub mod ranks;
pub mod regulariser;
pub mod report;
mod scaling;
mod serde_infinity;
pub mod settings;
mod solve;
pub mod subproblem;
pub mod summary;
pub mod theory;
pub mod tradeoff;
pub mod warm_start;

/// The README's examples, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The method of the page on methods, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-method.md")]
struct AddAMethod;
