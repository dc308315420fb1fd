//! A component whose evaluations ask a budget, so that an audit of slow functions can be stopped.

use crate::budget::Budget;
use crate::oracle::{Component, Convexity, Curvature, Grounds, MinorantSums, OracleError, Smoothness};

/// A component under a budget. Second derivatives are asked for as they are.
pub(super) struct Limited<'a> {
    pub(super) component: &'a dyn Component,
    pub(super) budget: &'a Budget,
}

impl Component for Limited<'_> {
    fn kind(&self) -> &'static str {
        self.component.kind()
    }

    fn grounds(&self) -> Grounds {
        self.component.grounds()
    }

    fn dimension(&self) -> usize {
        self.component.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.budget.component()?;
        self.component.evaluate(x, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.component.smoothness()
    }

    fn convexity(&self) -> Option<Convexity> {
        self.component.convexity()
    }

    fn is_affine(&self) -> bool {
        self.component.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.component.lower_bound()
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        self.component.add_own_minorant(weight, sums)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.component.curvature()
    }

    fn operations(&self) -> Option<u64> {
        self.component.operations()
    }
}
