//! u and X: regularisers and domains, one file each.
//!
//! A regulariser is asked for four things: its value, its prox, a generalised Jacobian of that prox, and the
//! minimum of a linear function plus itself (which makes lower bounds). The coordinatewise ones all come from one
//! scalar law, [`ScalarTerm`].

mod l1;
mod separable;

pub use l1::L1;
pub use separable::{PerCoordinate, ScalarTerm, Separable};
