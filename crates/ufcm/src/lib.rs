//! Convex problems made of unlike parts.
//!
//! ```text
//! minimise over x in X:   g_0(x) + h(g_1(x), ..., g_m(x)) + u(x)
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod audit;
pub mod component;
pub mod composer;
pub mod error;
mod guard;
pub mod jacobian;
mod kernel;
pub mod mapping;
pub mod matrix;
pub mod measure;
pub mod method;
pub mod oracle;
mod pool;
pub mod problem;
mod projection;
pub mod regulariser;
pub mod theory;
