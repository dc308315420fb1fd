//! A component that shows as much of what it knows as it is told to.

use ufcm::oracle::{Component, Convexity, Curvature, OracleError, Smoothness};

/// What is shown beside values and gradients.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shows {
    pub hessian: bool,
    pub hints: bool,
    pub operations: bool,
    pub lower_bound: bool,
    pub smoothness: bool,
}

/// A component, and what it shows.
pub struct Shown<C> {
    pub of: C,
    pub shows: Shows,
}

impl<C: Component> Shown<C> {
    fn inner(&self) -> Result<&dyn Curvature, OracleError> {
        self.of.curvature().ok_or(OracleError::Unsupported { oracle: "test", what: "curvature" })
    }
}

impl<C: Component> Component for Shown<C> {
    fn kind(&self) -> &'static str {
        "a user's component"
    }

    fn dimension(&self) -> usize {
        self.of.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.of.evaluate(x, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.of.smoothness().filter(|_| self.shows.smoothness)
    }

    fn convexity(&self) -> Option<Convexity> {
        None
    }

    fn is_affine(&self) -> bool {
        self.of.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.of.lower_bound().filter(|_| self.shows.lower_bound)
    }

    fn operations(&self) -> Option<u64> {
        self.of.operations().filter(|_| self.shows.operations)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        (self.shows.hessian && self.of.curvature().is_some()).then_some(self)
    }
}

impl<C: Component> Curvature for Shown<C> {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        self.inner()?.add_diagonal(x, weight, diagonal)
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.inner()?.add_hessian(x, weight, hessian)
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        self.shows.hints && self.inner().is_ok_and(|inner| inner.add_diagonal_bound(weight, diagonal))
    }
}
