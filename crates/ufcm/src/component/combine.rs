//! What every component can be made into: multiples, sums, one with a constant added or with declared constants.

use super::{Declared, OnVariables, Rescaled, Sum};
use crate::error::DataError;
use crate::oracle::{Component, Convexity, Smoothness};
use crate::ranks::Split;
use std::sync::Arc;

/// What every component can be made into.
///
/// ```
/// use ufcm::component::{ComponentExt, Linear};
/// use ufcm::oracle::Component;
///
/// let f = Linear::new(vec![1.0], 0.0)?;
/// let g = Linear::new(vec![0.0], 5.0)?;
/// let sum = f.scaled(2.0)?.plus(g)?.shifted(-0.5)?; // 2 f + g - 0.5
/// assert_eq!(sum.evaluate(&[3.0], None)?, 10.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ComponentExt: Component + Sized + 'static {
    /// `weight` times this component.
    ///
    /// # Errors
    /// A weight that is not finite, or negative for a component that is not affine.
    fn scaled(self, weight: f64) -> Result<Rescaled<Self>, DataError> {
        Rescaled::new(self, weight, 0.0)
    }

    /// This component plus a constant.
    ///
    /// # Errors
    /// A constant that is not finite.
    fn shifted(self, constant: f64) -> Result<Rescaled<Self>, DataError> {
        Rescaled::new(self, 1.0, constant)
    }

    /// This component with (L, p) or (mu, q) on the user's word, in the place of its own.
    ///
    /// # Errors
    /// Constants or exponents out of their range.
    fn declaring(
        self,
        smoothness: Option<Smoothness>,
        convexity: Option<Convexity>,
    ) -> Result<Declared<Self>, DataError> {
        Declared::new(self, smoothness, convexity)
    }

    /// This component as the part that this rank has of one over all ranks: a function of your own over samples of your own.
    ///
    /// # Errors
    /// A weight that is negative or not finite.
    fn of_this_rank(self, split: Split) -> Result<Declared<Self>, DataError> {
        Declared::of_this_rank(self, split)
    }

    /// This component of some of `n` variables: g(x_S), in the order in which `variables` lists S.
    ///
    /// # Errors
    /// Another number of variables than it takes, one that is listed twice, or one that is not below `n`.
    fn on_variables(self, variables: Vec<usize>, n: usize) -> Result<OnVariables<Self>, DataError> {
        OnVariables::new(self, variables, n)
    }

    /// The sum of this component and another.
    ///
    /// # Errors
    /// Different numbers of variables.
    fn plus(self, other: impl Component + 'static) -> Result<Sum, DataError> {
        Sum::new(vec![Arc::new(self), Arc::new(other)])
    }
}

impl<T: Component + 'static> ComponentExt for T {}
