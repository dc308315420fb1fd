//! A multiple of a component plus a constant.

use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_finite_scalar, check_nonnegative};
use crate::oracle::{
    Component, Convexity, Curvature, ErrorRates, Grounds, MinorantSums, OracleError, QuadraticForm,
    Smoothness,
};
use crate::ranks::{Link, Split};
use std::sync::Arc;

/// weight g(x) + constant.
#[derive(Debug, Clone)]
pub struct Rescaled<G> {
    component: G,
    weight: f64,
    constant: f64,
}

impl<G: Component> Rescaled<G> {
    pub(super) fn new(component: G, weight: f64, constant: f64) -> Result<Self, DataError> {
        let kind = component.kind();
        check_finite_scalar(kind, "weight", weight)?;
        check_finite_scalar(kind, "constant", constant)?;
        if !component.is_affine() {
            check_nonnegative(kind, "weight", weight)?;
        }
        Ok(Self { component, weight, constant })
    }

    fn transformed(&self, value: f64, gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        if let Some(gradient) = gradient
            && self.weight != 1.0
        {
            gradient.iter_mut().for_each(|g| *g *= self.weight);
        }
        // Where the parts of several ranks are added up, the constant is rank 0's.
        let elsewhere = self.component.link().is_some_and(|link| link.leaves_to_first());
        OracleError::check_value(self.weight * value + if elsewhere { 0.0 } else { self.constant })
    }
}

impl<G: Component> Component for Rescaled<G> {
    fn kind(&self) -> &'static str {
        self.component.kind()
    }

    fn grounds(&self) -> Grounds {
        self.component.grounds()
    }

    fn dimension(&self) -> usize {
        self.component.dimension()
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let value = self.component.evaluate(x, gradient.as_deref_mut())?;
        self.transformed(value, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.component.smoothness().map(|s| Smoothness { constant: self.weight.abs() * s.constant, ..s })
    }

    fn convexity(&self) -> Option<Convexity> {
        let scaled = |c: Convexity| Convexity { constant: self.weight * c.constant, ..c };
        self.component.convexity().map(scaled).filter(|c| c.constant > 0.0)
    }

    fn is_affine(&self) -> bool {
        self.component.is_affine()
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        sums.add_affine(weight, self.constant, None);
        self.component.add_own_minorant(weight * self.weight, sums)
    }

    fn lower_bound(&self) -> Option<f64> {
        // A negative weight would need an upper bound.
        let bound = self.component.lower_bound().filter(|_| self.weight >= 0.0)?;
        Some(self.weight * bound + self.constant)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.component.curvature().map(|_| self as &dyn Curvature)
    }

    fn quadratic(&self) -> Option<&dyn QuadraticForm> {
        self.component.quadratic().map(|_| self as &dyn QuadraticForm)
    }

    fn operations(&self) -> Option<u64> {
        self.component.operations()
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let component = self.component.restricted(variables)?;
        Some(Arc::new(Rescaled { component, weight: self.weight, constant: self.constant }))
    }

    fn is_restrictable(&self) -> bool {
        self.component.is_restrictable()
    }

    fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        let (value, rates) = self.component.judged(x)?;
        Some((self.weight * value + self.constant, rates))
    }

    fn split(&self) -> Split {
        match self.component.split() {
            Split::Sum if self.constant != 0.0 => Split::Never(
                "it is a sum plus a constant, of which the ranks would add as many; give the constant apart",
            ),
            split => split,
        }
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        out.extend([self.weight, self.constant]);
        self.component.add_parameters(out);
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.component.link()
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        if self.component.is_affine() {
            return Some(self.component.conic(form, x)?.times(self.weight).shifted(self.constant));
        }
        Some(form.scaled(self.weight, |form| self.component.conic(form, x))?.shifted(self.constant))
    }
}

impl<G: Component> QuadraticForm for Rescaled<G> {
    fn product(&self, x: &[f64], out: &mut [f64]) {
        if let Some(inner) = self.component.quadratic() {
            inner.product(x, out);
        }
    }

    fn finish(&self, x: &[f64], product: &mut [f64]) -> f64 {
        let value = self.component.quadratic().map_or(f64::NAN, |inner| inner.finish(x, product));
        product.iter_mut().for_each(|g| *g *= self.weight);
        self.weight * value + self.constant
    }

    fn needs_factorisation(&self) -> bool {
        self.component.quadratic().is_some_and(QuadraticForm::needs_factorisation)
    }
}

/// The inner component's knowledge, which the outer one only offers where it is there.
fn inner<'a, T: ?Sized>(knowledge: Option<&'a T>, what: &'static str) -> Result<&'a T, OracleError> {
    knowledge.ok_or(OracleError::Unsupported { oracle: "component", what })
}

impl<G: Component> Curvature for Rescaled<G> {
    fn is_piecewise_constant(&self) -> bool {
        self.component.curvature().is_some_and(Curvature::is_piecewise_constant)
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let curvature = inner(self.component.curvature(), "curvature")?;
        curvature.add_floor(x, radius, weight * self.weight, hessian, budget)
    }

    fn sparse_floor(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        self.component.curvature()?.sparse_floor(weight * self.weight)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        inner(self.component.curvature(), "curvature")?.add_diagonal(x, weight * self.weight, diagonal)
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        inner(self.component.curvature(), "curvature")?.add_hessian(x, weight * self.weight, hessian)
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let curvature = inner(self.component.curvature(), "curvature")?;
        curvature.add_hessian_within(x, weight * self.weight, hessian, budget)
    }

    fn terms(&self) -> usize {
        self.component.curvature().map_or(1, Curvature::terms)
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let curvature = inner(self.component.curvature(), "curvature")?;
        curvature.add_sampled_hessian(x, weight * self.weight, share, hessian, budget)
    }

    fn hessian_operations(&self) -> Option<u64> {
        self.component.curvature()?.hessian_operations()
    }

    fn has_products(&self) -> bool {
        self.component.curvature().is_some_and(Curvature::has_products)
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        inner(self.component.curvature(), "curvature")?.add_products(x, weight * self.weight, vectors, out)
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let curvature = self.component.curvature();
        curvature.is_some_and(|c| c.add_diagonal_bound(weight * self.weight, diagonal))
    }
}
