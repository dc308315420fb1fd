//! The rows under a composer.

use super::Built;
use crate::component::ComponentExt;
use crate::error::DataError;
use crate::mapping::Affine;
use crate::oracle::{Component, Composer, Mapping};
use crate::problem::{Constraint, Term};
use std::sync::Arc;

/// The rows under a composer: components, or an affine block.
#[derive(Clone)]
pub enum Rows {
    /// One row each.
    Components(Vec<Arc<dyn Component>>),
    /// The rows of A x - b.
    Affine(Affine),
}

impl Rows {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Components(components) => components.len(),
            Self::Affine(affine) => affine.rows(),
        }
    }

    /// The number of variables; `None` where there are no rows.
    #[must_use]
    pub fn dimension(&self) -> Option<usize> {
        match self {
            Self::Components(components) => components.first().map(|component| component.dimension()),
            Self::Affine(affine) => Some(affine.dimension()),
        }
    }

    /// The term that a composer makes of them.
    #[must_use]
    pub fn under(self, composer: Box<dyn Composer>) -> Term {
        match self {
            Self::Components(components) => Term::boxed(composer, components),
            Self::Affine(affine) => Term::boxed_affine(composer, affine),
        }
    }

    /// The constraint that a composer makes of them.
    #[must_use]
    pub fn constrained_by(self, composer: Box<dyn Composer>) -> Constraint {
        match self {
            Self::Components(components) => Constraint::boxed(composer, components),
            Self::Affine(affine) => Constraint::boxed_affine(composer, affine),
        }
    }

    /// Each row minus its bound.
    ///
    /// # Errors
    /// A bound that is not finite, or another number of bounds than of rows.
    pub fn minus(self, bounds: &[f64]) -> Built<Self> {
        match self {
            Self::Affine(affine) => affine.minus(bounds).map(Self::Affine),
            Self::Components(components) => {
                let shifted = |(g, bound): (Arc<dyn Component>, &f64)| {
                    g.shifted(-bound).map(|g| Arc::new(g) as Arc<dyn Component>)
                };
                let rows: Result<Vec<_>, DataError> =
                    components.into_iter().zip(bounds).map(shifted).collect();
                rows.map(Self::Components)
            }
        }
    }
}
