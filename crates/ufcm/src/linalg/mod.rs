//! Linear algebra that no crate does for us: sums that cannot overflow, views of rows, small systems, largest eigenvalues, sparse factors for proofs.

mod eigenvalue;
pub(crate) mod lu;
mod row_view;
mod sparse;
mod vector;

pub(crate) use eigenvalue::largest_eigenvalue;
pub use row_view::RowView;
pub(crate) use sparse::SparseSymmetric;
pub(crate) use vector::{dot, norm, norm_of};

/// Operations in dense blocks that take as long as one of a product, which waits for memory. Decision 0020.
pub(crate) const BLOCKS_AT_ONCE: f64 = 5.0;
