//! A problem as a conic program, for interior points.
//!
//! ```text
//! minimise  1/2 y'P y + q.y   over y = (x, auxiliary variables)   with affine expressions of y in cones
//! ```
//!
//! Components, composers and regularisers that can be said so say it themselves: each is given expressions for its arguments
//! and answers with an expression that can be as small as its value, writing down what holds that expression
//! ([`Component::conic`](crate::oracle::Component::conic) and the like). So arguments in other units, moved, or a few of many,
//! take nothing but other expressions.
//!
//! | file | what it holds |
//! |---|---|
//! | `expression` | affine expressions |
//! | `form` | the program: variables, rows in cones, the cost |
//! | `shapes` | functions that many parts share: absolute values, squares, norms, exponentials |

mod expression;
mod form;
mod shapes;

pub use expression::Expression;
pub(crate) use form::Block;
pub use form::{Cone, Form};
