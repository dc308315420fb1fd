//! What the iteration looks for: the optimum; or, with the objective left out and in far fewer iterations, a point or
//! multipliers near given ones that satisfy one side of the optimality conditions much better.
//!
//! ```text
//! Optimum       x+ = prox_{u, W}(x - W^-1 J'l)            l+ = prox_{h*, V}(...)
//! Feasibility   x+ = P_X(x - W^-1 J'l)                    the same on constraints, 0 elsewhere
//! Ray           x+ = P_X(t (x - W^-1 J'l)) / t            the projection onto the domain of h*, 0 on the objective
//! Multipliers   x+ = prox of u'(c; .) at x - W^-1 J'l     the projection onto the domain of h*
//! ```
//!
//! Projections are in the norms of W and V. Ray: x and l are directions, rows are A x instead of A x - b, and t is so large
//! that P_X(t x)/t projects onto the directions in which X is unbounded. Multipliers: x is dual to the slopes near a point c, rows
//! are J x, and u'(c; d), the directional derivative, is (u(c + d/t) - u(c)) t for a large t; J'l then tends to -∂u(c), which is
//! what a lower bound needs.

use super::{Point, PrimalDual, relaxation};
use crate::certificate::Linearisation;
use crate::halpern::Halpern;
use crate::linalg::norm_of;
use crate::method::tuning::aim::{AUXILIARY_ITERATIONS, FAR, HEAVY, NEAR};
use crate::oracle::{Composer, Mapping, OracleError, Regulariser, Weight};
use std::ops::Range;

/// What the iteration looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// A solution.
    Optimum,
    /// A point of X that satisfies the constraints.
    Feasibility,
    /// A direction in which X and the constraints allow to go forever, or multipliers that prove that there is no feasible
    /// point.
    Ray,
    /// Multipliers for which a given point, the centre, is stationary.
    Multipliers,
}

impl Aim {
    pub(super) fn prox(
        self,
        regulariser: &dyn Regulariser,
        weight: Weight<'_>,
        centre: &[f64],
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
            Self::Multipliers => {
                x.iter_mut().zip(centre).for_each(|(x, c)| *x = c + *x / NEAR);
                regulariser.prox(weight.times(NEAR), x)?;
                x.iter_mut().zip(centre).for_each(|(x, c)| *x = (*x - c) * NEAR);
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
        let weight = if self.is_homogeneous() { weight.times(HEAVY) } else { weight };
        composer.prox_conjugate(weight, multipliers)?;
        if matches!(self, Self::Feasibility | Self::Ray) {
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
        if self.is_homogeneous() {
            mapping.apply(x, values);
            return Ok(());
        }
        mapping.values(x, values)
    }

    /// Whether x and rows are directions, not points.
    pub(super) fn is_homogeneous(self) -> bool {
        matches!(self, Self::Ray | Self::Multipliers)
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
            batch: AUXILIARY_ITERATIONS,
            scaling,
            epoch: Halpern::new(relaxation(curved)),
            centre: self.centre.clone(),
            at: self.at.clone(),
            next: self.next.clone(),
            anchor: self.anchor.clone(),
            ..*self
        }
    }

    /// What the run looks for.
    #[must_use]
    pub fn aim(&self) -> Aim {
        self.aim
    }

    /// Starts anew from `x` and `multipliers`, 0 where they are not given, with the primal weight `omega`, the one in use where
    /// none is given.
    ///
    /// # Errors
    /// A row that cannot be evaluated there.
    pub fn restart_from(
        &mut self,
        x: Option<&[f64]>,
        multipliers: Option<&[f64]>,
        omega: Option<f64>,
    ) -> Result<(), OracleError> {
        let set = |to: &mut [f64], from: Option<&[f64]>| match from {
            Some(from) => to.copy_from_slice(from),
            None => to.fill(0.0),
        };
        set(&mut self.at.x, x);
        set(&mut self.at.l, multipliers);
        self.omega = omega.unwrap_or(self.omega);
        self.iterations = 0;
        self.evaluate()?;
        self.begin_epoch();
        Ok(())
    }

    /// Makes `x` the centre of [`Aim::Multipliers`]: rows are linearised there.
    ///
    /// # Errors
    /// A row that cannot be evaluated there.
    pub fn set_centre(&mut self, x: &[f64]) -> Result<(), OracleError> {
        self.centre.x.copy_from_slice(x);
        self.mapping.linearise(x, &mut self.centre.values)
    }

    /// The rows linearised at the centre, with l+: what a lower bound is made of.
    #[must_use]
    pub fn linearisation_at_centre(&self) -> Linearisation<'_> {
        Linearisation { y: &self.centre.x, values: &self.centre.values, ..self.linearisation() }
    }

    /// Whether a row of the objective is curved.
    #[must_use]
    pub fn is_curved(&self) -> bool {
        self.curved
    }

    /// How far J'l at this run's last point is from `slope`, J'l elsewhere for the same `multipliers` l, in units of
    /// [`Kkt::dual`](super::Kkt): what a curved objective adds to that error where one point takes the other's place. It costs
    /// a gradient there.
    ///
    /// # Errors
    /// A row that cannot be evaluated.
    pub fn slope_change(&mut self, multipliers: &[f64], slope: &[f64]) -> Result<f64, OracleError> {
        let Point { x, values, slope: here, .. } = &mut self.next;
        self.mapping.linearise(x, values)?;
        self.mapping.apply_transpose(multipliers, here);
        let change = norm_of(here.iter().zip(slope).map(|(here, there)| here - there));
        Ok(change / (1.0 + self.slope_size))
    }

    /// How far the last point is from satisfying the constraints, and that relative to the size of the rows.
    #[must_use]
    pub fn violation(&self) -> [f64; 2] {
        let distance = self.problem.violation_of(&self.next.values);
        [distance, distance / (1.0 + self.row_size)]
    }
}
