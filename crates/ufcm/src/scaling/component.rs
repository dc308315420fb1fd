//! A component in other units: x^ -> r g(D x^).

use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::oracle::{
    Component, Convexity, Curvature, Grounds, MinorantSums, OracleError, QuadraticForm, Smoothness,
};
use crate::pool::Pool;
use crate::ranks::Link;
use std::sync::Arc;

/// r g(D x).
pub(crate) struct InUnits {
    component: Arc<dyn Component>,
    factor: f64,
    columns: Arc<[f64]>,
    pool: Pool,
}

impl InUnits {
    pub(crate) fn new(component: Arc<dyn Component>, factor: f64, columns: &Arc<[f64]>) -> Self {
        Self { component, factor, columns: columns.clone(), pool: Pool::default() }
    }

    fn with_point<T>(&self, x: &[f64], work: impl FnOnce(&[f64]) -> T) -> T {
        self.pool.with(x.len(), |point| {
            point.iter_mut().zip(x).zip(&*self.columns).for_each(|((p, x), d)| *p = d * x);
            work(point)
        })
    }

    fn known(&self) -> Result<&dyn Curvature, OracleError> {
        let unsupported = OracleError::Unsupported { oracle: self.kind(), what: "curvature" };
        self.component.curvature().ok_or(unsupported)
    }

    /// Runs `work` on zeros in the place of `out`, and adds what it leaves there times `by`, entry by entry.
    fn adding<T>(
        &self,
        out: &mut [f64],
        by: impl Fn(usize) -> f64,
        work: impl FnOnce(&mut [f64]) -> Result<T, OracleError>,
    ) -> Result<T, OracleError> {
        self.pool.with(out.len(), |inner| {
            inner.fill(0.0);
            let done = work(inner)?;
            out.iter_mut().zip(inner).enumerate().for_each(|(k, (out, inner))| *out += by(k) * *inner);
            Ok(done)
        })
    }

    fn largest_column(&self) -> f64 {
        self.columns.iter().copied().fold(0.0, f64::max)
    }

    fn smallest_column(&self) -> f64 {
        self.columns.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

impl Component for InUnits {
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
        let value = self.with_point(x, |x| self.component.evaluate(x, gradient.as_deref_mut()))?;
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(&*self.columns).for_each(|(g, d)| *g *= self.factor * d);
        }
        OracleError::check_value(self.factor * value)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        let Smoothness { constant, exponent } = self.component.smoothness()?;
        let constant = self.factor * constant * self.largest_column().powf(1.0 + exponent);
        constant.is_finite().then_some(Smoothness { constant, exponent })
    }

    fn convexity(&self) -> Option<Convexity> {
        let Convexity { constant, exponent } = self.component.convexity()?;
        // With unlike units a certificate that uses it could not be had in the user's.
        let (smallest, largest) = (self.smallest_column(), self.largest_column());
        let constant = self.factor * constant * smallest.powf(1.0 + exponent);
        (constant > 0.0 && smallest == largest).then_some(Convexity { constant, exponent })
    }

    fn is_affine(&self) -> bool {
        self.component.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.component.lower_bound().map(|bound| self.factor * bound)
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        let n = self.columns.len();
        self.pool.with(2 * n, |inner| {
            inner.fill(0.0);
            let (slope, slope_sizes) = inner.split_at_mut(n);
            let mut own = MinorantSums { offset: 0.0, offset_size: 0.0, slope, slope_sizes };
            let known = self.component.add_own_minorant(weight * self.factor, &mut own);
            sums.offset += own.offset;
            sums.offset_size += own.offset_size;
            for (i, d) in self.columns.iter().enumerate() {
                sums.slope[i] += d * own.slope[i];
                sums.slope_sizes[i] += d * own.slope_sizes[i];
            }
            known
        })
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
        let columns = variables.iter().map(|&i| self.columns[i]).collect::<Vec<_>>().into();
        Some(Arc::new(Self::new(self.component.restricted(variables)?, self.factor, &columns)))
    }

    fn is_restrictable(&self) -> bool {
        self.component.is_restrictable()
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.component.link()
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let x: Vec<_> = x.iter().zip(&*self.columns).map(|(x, d)| x.clone().times(*d)).collect();
        form.scaled(self.factor, |form| self.component.conic(form, &x))
    }
}

impl QuadraticForm for InUnits {
    /// In the user's units.
    fn product(&self, x: &[f64], out: &mut [f64]) {
        if let Some(inner) = self.component.quadratic() {
            self.with_point(x, |x| inner.product(x, out));
        }
    }

    fn finish(&self, x: &[f64], product: &mut [f64]) -> f64 {
        let Some(inner) = self.component.quadratic() else { return f64::NAN };
        let value = self.with_point(x, |x| inner.finish(x, product));
        product.iter_mut().zip(&*self.columns).for_each(|(g, d)| *g *= self.factor * d);
        self.factor * value
    }

    fn needs_factorisation(&self) -> bool {
        self.component.quadratic().is_some_and(QuadraticForm::needs_factorisation)
    }
}

impl Curvature for InUnits {
    fn is_piecewise_constant(&self) -> bool {
        self.known().is_ok_and(Curvature::is_piecewise_constant)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        let curvature = self.known()?;
        let by = |i: usize| self.columns[i] * self.columns[i];
        self.with_point(x, |x| {
            self.adding(diagonal, by, |inner| curvature.add_diagonal(x, weight * self.factor, inner))
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, &Budget::unlimited())
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let (curvature, n) = (self.known()?, x.len());
        let by = |k: usize| self.columns[k % n] * self.columns[k / n];
        self.with_point(x, |x| {
            self.adding(hessian, by, |inner| {
                curvature.add_hessian_within(x, weight * self.factor, inner, budget)
            })
        })
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
        let (curvature, n) = (self.known()?, x.len());
        let by = |k: usize| self.columns[k % n] * self.columns[k / n];
        self.with_point(x, |x| {
            self.adding(hessian, by, |inner| {
                curvature.add_sampled_hessian(x, weight * self.factor, share, inner, budget)
            })
        })
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
        let (curvature, n) = (self.known()?, x.len());
        let by = |k: usize| self.columns[k % n];
        self.pool.with(vectors.len(), |scaled| {
            scaled.iter_mut().zip(vectors).enumerate().for_each(|(k, (s, v))| *s = by(k) * v);
            self.with_point(x, |x| {
                self.adding(out, by, |inner| curvature.add_products(x, weight * self.factor, scaled, inner))
            })
        })
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let by = |i: usize| self.columns[i] * self.columns[i];
        let Ok(curvature) = self.known() else { return false };
        let known =
            self.adding(diagonal, by, |inner| Ok(curvature.add_diagonal_bound(weight * self.factor, inner)));
        known.unwrap_or(false)
    }
}
