//! What the iteration looks for. With the objective set aside it finds, in far fewer iterations, points near a given one that
//! satisfy the constraints, or directions near a given one along which they stay satisfied.
//!
//! ```text
//! Optimum       x+ = prox_{u, W}(x - W^-1 J'l)         l+ = prox_{h*, V}(...)
//! Feasibility   x+ = P_X(x - W^-1 J'l)                 the same on constraints, 0 elsewhere
//! Ray           x+ = P_X(t (x - W^-1 J'l)) / t         the projection onto the domain of h*, 0 elsewhere; A x for A x - b
//! ```
//!
//! with projections in the norms of W and V, and t so large that P_X(t x)/t projects onto the directions in which X is
//! unbounded. Multipliers of a Ray are in the polar of those in which the domain of h is: they price directions alone.

use super::{Point, PrimalDual};
use crate::oracle::{Composer, Mapping, OracleError, Regulariser, Weight};
use std::ops::Range;

/// Heavy enough beside any regulariser or conjugate that a prox only projects.
const HEAVY: f64 = 1e30;
/// t
const FAR: f64 = 1e20;

/// What the iteration looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// A solution.
    Optimum,
    /// A point of X that satisfies the constraints.
    Feasibility,
    /// A direction in which X and the constraints allow to go forever.
    Ray,
}

impl Aim {
    pub(super) fn prox(
        self,
        regulariser: &dyn Regulariser,
        weight: Weight<'_>,
        x: &mut [f64],
    ) -> Result<(), OracleError> {
        match self {
            Self::Optimum => regulariser.prox(weight, x),
            Self::Feasibility => regulariser.prox(weight.times(HEAVY), x),
            Self::Ray => {
                x.iter_mut().for_each(|x| *x *= FAR);
                regulariser.prox(weight.times(HEAVY), x)?;
                x.iter_mut().for_each(|x| *x /= FAR);
                Ok(())
            }
        }
    }

    pub(super) fn prox_conjugate(
        self,
        composer: &dyn Composer,
        terms: &[(Range<usize>, &dyn Composer)],
        weight: Weight<'_>,
        multipliers: &mut [f64],
    ) -> Result<(), OracleError> {
        let weight = if self == Self::Ray { weight.times(HEAVY) } else { weight };
        composer.prox_conjugate(weight, multipliers)?;
        if self != Self::Optimum {
            terms.iter().for_each(|(rows, _)| multipliers[rows.clone()].fill(0.0));
        }
        Ok(())
    }

    pub(super) fn values(
        self,
        mapping: &dyn Mapping,
        x: &[f64],
        values: &mut [f64],
    ) -> Result<(), OracleError> {
        if self == Self::Ray {
            mapping.apply(x, values);
            return Ok(());
        }
        mapping.values(x, values)
    }
}

impl PrimalDual<'_> {
    /// A second run on the same rows and constants with another aim, to be started by [`PrimalDual::restart_from`].
    #[must_use]
    pub fn aiming_at(&self, aim: Aim) -> Self {
        let mut scaling = self.scaling.clone();
        let curved = self.curved && aim == Aim::Optimum;
        if !curved {
            scaling.curvature = 0.0;
        }
        Self {
            problem: self.problem,
            mapping: self.mapping.fork(),
            terms: self.terms.clone(),
            pinned: self.pinned.clone(),
            curved,
            aim,
            scaling,
            relaxation: if curved { self.relaxation } else { 2.0 },
            at: self.at.clone(),
            next: self.next.clone(),
            anchor: self.anchor.clone(),
            ..*self
        }
    }

    /// Starts anew from `x` in X, or from a direction, with multipliers 0 and the primal weight `omega`.
    ///
    /// # Errors
    /// A row that cannot be evaluated there.
    pub fn restart_from(&mut self, x: &[f64], omega: f64) -> Result<(), OracleError> {
        let Point { x: start, l, .. } = &mut self.at;
        start.copy_from_slice(x);
        l.fill(0.0);
        self.omega = omega;
        self.iterations = 0;
        self.evaluate()?;
        self.begin_epoch();
        Ok(())
    }

    /// How far the last point is from satisfying the constraints, and that relative to the size of the rows.
    #[must_use]
    pub fn violation(&self) -> [f64; 2] {
        let distance = self.problem.composer().domain_distance(&self.next.values);
        [distance, distance / (1.0 + self.row_size)]
    }
}
