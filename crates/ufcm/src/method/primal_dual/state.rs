//! Where the method stands.

use super::{Displacement, Kkt, Point, PrimalDual};
use crate::certificate::Linearisation;

impl PrimalDual<'_> {
    /// The optimality conditions at the last measurement.
    #[must_use]
    pub fn kkt(&self) -> &Kkt {
        &self.kkt
    }

    /// x+, in X.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.next.x
    }

    /// g(x+).
    #[must_use]
    pub fn row_values(&self) -> &[f64] {
        &self.next.values
    }

    /// l+, in the domain of h*.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.next.l
    }

    /// Differences of iterates, which tend to a ray where there is no solution: the last step, and all since the anchor.
    #[must_use]
    pub fn displacements(&self) -> [Displacement<'_>; 2] {
        let Point { x, l, .. } = &self.next;
        [&self.at, &self.anchor].map(|from| Displacement { x: [x, &from.x], l: [l, &from.l] })
    }

    /// The primal weight: how much heavier steps in x are than steps in l.
    #[must_use]
    pub fn omega(&self) -> f64 {
        self.omega
    }

    /// The scales of the two proximal terms.
    #[must_use]
    pub fn scales(&self) -> [f64; 2] {
        self.scales
    }

    /// The rows linearised at x+, with l+: what a lower bound is made of.
    #[must_use]
    pub fn linearisation(&self) -> Linearisation<'_> {
        Linearisation {
            mapping: &*self.mapping,
            composer: self.problem.composer(),
            y: &self.next.x,
            values: &self.next.values,
            multipliers: &self.next.l,
        }
    }
}
