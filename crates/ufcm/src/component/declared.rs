//! A component with smoothness and convexity on the user's word.

use crate::conic::{Expression, Form};
use crate::error::{DataError, Position, check_finite_scalar, check_nonnegative};
use crate::oracle::{
    Component, Convexity, Curvature, ErrorRates, Grounds, MinorantSums, OracleError, Smoothness,
};
use crate::ranks::{Link, Split};
use std::sync::Arc;

/// A component g with (L, p) or (mu, q) that the user declares in the place of its own.
///
/// The theory's constants are made of them ([`Plan`](crate::theory::Plan)). Lower bounds use strong convexity, so one that is declared makes them rest on
/// the user's word; smoothness is in no proof.
///
/// ```
/// use ufcm::component::{ComponentExt, Linear};
/// use ufcm::oracle::{Component, Smoothness};
///
/// let g = Linear::new(vec![1.0, 2.0], 0.0)?.declaring(Some(Smoothness { constant: 3.0, exponent: 0.5 }), None)?;
/// assert_eq!(g.smoothness(), Some(Smoothness { constant: 3.0, exponent: 0.5 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Declared<G> {
    component: G,
    smoothness: Option<Smoothness>,
    convexity: Option<Convexity>,
    split: Option<Split>,
}

impl<G: Component> Declared<G> {
    /// `component` with what is declared of it; its own knowledge stays where nothing is.
    pub(super) fn new(
        component: G,
        smoothness: Option<Smoothness>,
        convexity: Option<Convexity>,
    ) -> Result<Self, DataError> {
        let kind = component.kind();
        let outside = |field, value, expected| {
            Err(DataError::out_of_range(kind, field, Position::Scalar, value, expected))
        };
        if let Some(Smoothness { constant, exponent }) = smoothness {
            check_nonnegative(kind, "smoothness", constant)?;
            if !(0.0..=1.0).contains(&exponent) {
                return outside("smoothness", exponent, "between 0 and 1, as an exponent");
            }
        }
        if let Some(Convexity { constant, exponent }) = convexity {
            check_nonnegative(kind, "convexity", constant)?;
            check_finite_scalar(kind, "convexity", exponent)?;
            if exponent < 1.0 {
                return outside("convexity", exponent, "at least 1, as an exponent");
            }
        }
        Ok(Self { component, smoothness, convexity, split: None })
    }

    /// `component` as a part that each rank has, to be made one as `split` says.
    pub(super) fn of_this_rank(component: G, split: Split) -> Result<Self, DataError> {
        if let Split::Mean(weight) = split {
            check_nonnegative(component.kind(), "weight", weight)?;
        }
        Ok(Self { component, smoothness: None, convexity: None, split: Some(split) })
    }
}

impl<G: Component> Component for Declared<G> {
    fn kind(&self) -> &'static str {
        self.component.kind()
    }

    fn grounds(&self) -> Grounds {
        let declared = if self.convexity.is_some() { Grounds::Trusted } else { Grounds::Construction };
        self.component.grounds().weaker(declared)
    }

    fn dimension(&self) -> usize {
        self.component.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.component.evaluate(x, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.smoothness.or_else(|| self.component.smoothness())
    }

    fn convexity(&self) -> Option<Convexity> {
        self.convexity.or_else(|| self.component.convexity()).filter(|c| c.constant > 0.0)
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

    fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        self.component.judged(x)
    }

    fn split(&self) -> Split {
        self.split.unwrap_or_else(|| self.component.split())
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        out.extend(self.smoothness.iter().flat_map(|s| [s.constant, s.exponent]));
        out.extend(self.convexity.iter().flat_map(|c| [c.constant, c.exponent]));
        self.component.add_parameters(out);
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.component.link()
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        self.component.conic(form, x)
    }
}
