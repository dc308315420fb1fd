//! One pass over the data for value and gradient.
//!
//! A loss over data costs what reading the data costs. So the rows are taken in small tiles: the products a_i.x
//! of a tile, the loss and its derivative for each, and the gradient update while the tile is still in cache. Tiles
//! are grouped into fixed blocks, each with a gradient of its own; blocks run on any number of threads and are added
//! in order, so the result has the same bits for any number of threads.
//!
//! | file | what |
//! |---|---|
//! | `pass` | the fused pass over any matrix, with a [`RowFold`] for what happens between product and update |
//! | `several` | the same with several products for each row, as a softmax needs them |
//! | `product` | plain products A x and A'r |
//! | `gram` | A'WA, for Hessians; products of rows |
//! | `symmetric` | products with a symmetric matrix, reading each entry once |
//! | `blocks` | fixed blocks |
//! | `bodies` | innermost loops that the compiler vectorises by itself |
//! | `math` | exp and log(1 + e) that vectorise |
//! | `simd` | the innermost loops, the only unsafe code |
//! | `sums` | sums and maxima over the entries of vectors |

mod blocks;
mod bodies;
mod gram;
pub(crate) mod math;
mod pass;
mod product;
mod several;
pub(crate) mod simd;
pub(crate) mod sums;
mod symmetric;

pub(crate) use gram::{add_gram, products_of_rows};
pub(crate) use pass::{RowFold, evaluate, weighted_squares};
pub(crate) use product::transpose_product;
pub(crate) use several::{SeveralFold, evaluate_several};
pub(crate) use symmetric::{Symmetric, asymmetry, mirror_lower};
