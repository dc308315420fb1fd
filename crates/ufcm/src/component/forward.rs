//! Shared and boxed components are components.

use crate::conic::{Expression, Form};
use crate::oracle::{
    Component, Convexity, Curvature, ErrorRates, Grounds, MinorantSums, OracleError, QuadraticForm,
    Smoothness,
};
use crate::ranks::{Link, Split};
use std::sync::Arc;

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: Component + ?Sized> Component for $pointer {
            fn kind(&self) -> &'static str {
                (**self).kind()
            }

            fn grounds(&self) -> Grounds {
                (**self).grounds()
            }

            fn dimension(&self) -> usize {
                (**self).dimension()
            }

            fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
                (**self).evaluate(x, gradient)
            }

            fn smoothness(&self) -> Option<Smoothness> {
                (**self).smoothness()
            }

            fn convexity(&self) -> Option<Convexity> {
                (**self).convexity()
            }

            fn is_affine(&self) -> bool {
                (**self).is_affine()
            }

            fn lower_bound(&self) -> Option<f64> {
                (**self).lower_bound()
            }

            fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
                (**self).add_own_minorant(weight, sums)
            }

            fn curvature(&self) -> Option<&dyn Curvature> {
                (**self).curvature()
            }

            fn quadratic(&self) -> Option<&dyn QuadraticForm> {
                (**self).quadratic()
            }

            fn operations(&self) -> Option<u64> {
                (**self).operations()
            }

            fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
                (**self).restricted(variables)
            }

            fn is_restrictable(&self) -> bool {
                (**self).is_restrictable()
            }

            fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
                (**self).judged(x)
            }

            fn split(&self) -> Split {
                (**self).split()
            }

            fn add_parameters(&self, out: &mut Vec<f64>) {
                (**self).add_parameters(out);
            }

            fn link(&self) -> Option<&Arc<Link>> {
                (**self).link()
            }

            fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
                (**self).conic(form, x)
            }
        }
    )*};
}

forward!(Arc<T>, Box<T>);
