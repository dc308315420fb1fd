//! All rows at once: scalar components, affine blocks, and stacks of these.
//!
//! A mapping owns the Jacobian of its current linearisation. Rows of scalar components keep it as a dense matrix, one
//! gradient for each row; affine blocks are their own Jacobian and keep nothing.

mod affine;
mod operator;
mod rows;
mod stacked;

pub use affine::Affine;
pub use rows::Rows;
pub(crate) use rows::read_operations;
pub use stacked::Stacked;
