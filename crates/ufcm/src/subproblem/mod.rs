//! The model step: the components linearised, h and u exact, one proximal term.
//!
//! ```text
//! min over w  max over l   <l, J w + b> - h*(l) + u(w) + 1/2 |w - z|_W^2
//! ```

mod dual_gradient;
mod gram;
mod interior;
mod iterate;
mod model;
mod restriction;
mod semismooth;
mod sigma;
mod sliding;
mod solver;
pub(crate) mod tuning;
mod working_set;

pub(crate) use interior::Interior;
pub use sliding::Depth;
pub(crate) use solver::is_cheaper_by_sliding;
pub use solver::{Accuracy, Outcome, Solver};

use crate::budget::Budget;
use crate::oracle::{Composer, Mapping, Regulariser, Weight};

/// The data of one model step.
#[derive(Clone, Copy)]
pub struct Subproblem<'a> {
    /// Holds J, the Jacobian of its current linearisation.
    pub mapping: &'a dyn Mapping,
    /// b = g(y) - J y.
    pub offset: &'a [f64],
    /// z, the centre of the proximal term.
    pub centre: &'a [f64],
    /// W, its weight.
    pub weight: Weight<'a>,
    /// h.
    pub composer: &'a dyn Composer,
    /// u with X.
    pub regulariser: &'a dyn Regulariser,
    /// Asked in every loop.
    pub budget: &'a Budget,
}
