//! h: how the rows combine, one file each.
//!
//! A composer works through its conjugate: multipliers live in the domain of h*, and the prox of h* moves them.
//! Composers that are nondecreasing take curved components; the others take affine rows only.

mod max;

pub use max::Max;
