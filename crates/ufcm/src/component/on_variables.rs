//! g(x_S): a component of some of the variables.

use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_length};
use crate::oracle::{Component, Convexity, Curvature, Grounds, OracleError, Smoothness};
use crate::pool::Pool;
use crate::ranks::{Link, Split};
use std::sync::Arc;

const KIND: &str = "component on some variables";

/// A component that takes some of the variables, in the order in which they are listed.
///
/// ```
/// use ufcm::component::{ComponentExt, Quadratic};
/// use ufcm::oracle::Component;
///
/// // x_2^2 + x_0^2 / 2, of four variables.
/// let g = Quadratic::diagonal(vec![2.0, 1.0])?.on_variables(vec![2, 0], 4)?;
/// let mut gradient = [f64::NAN; 4];
/// assert_eq!(g.evaluate(&[3.0, 9.0, 1.0, 9.0], Some(&mut gradient))?, 5.5);
/// assert_eq!(gradient, [3.0, 0.0, 2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnVariables<G> {
    component: G,
    variables: Vec<usize>,
    n: usize,
    pool: Pool,
}

impl<G: Component> OnVariables<G> {
    /// `component` of the `variables` among `n`.
    pub(super) fn new(component: G, variables: Vec<usize>, n: usize) -> Result<Self, DataError> {
        check_length(KIND, "variables", component.dimension(), variables.len())?;
        let mut seen = vec![false; n];
        for &i in &variables {
            let Some(seen) = seen.get_mut(i) else {
                return Err(DataError::structure(
                    KIND,
                    format!("variable {i} is listed; there are {n}, counted from 0"),
                ));
            };
            if std::mem::replace(seen, true) {
                return Err(DataError::structure(KIND, format!("variable {i} is listed twice")));
            }
        }
        Ok(Self { component, variables, n, pool: Pool::default() })
    }

    /// Runs `work` with x_S and room for as many numbers more as are asked for, which are 0.
    fn with_own<T>(&self, x: &[f64], more: usize, work: impl FnOnce(&[f64], &mut [f64]) -> T) -> T {
        let own = self.variables.len();
        self.pool.with(own + more, |buffer| {
            let (point, rest) = buffer.split_at_mut(own);
            point.iter_mut().zip(&self.variables).for_each(|(own, i)| *own = x[*i]);
            rest.fill(0.0);
            work(point, rest)
        })
    }

    /// Adds a Hessian in the own variables to one in all; of both the lower triangle counts, columns after each other.
    fn add_square(&self, own: &[f64], hessian: &mut [f64]) {
        let size = self.variables.len();
        for (b, &j) in self.variables.iter().enumerate() {
            for (a, &i) in self.variables.iter().enumerate().skip(b) {
                hessian[i.min(j) * self.n + i.max(j)] += own[b * size + a];
            }
        }
    }
}

impl<G: Component> Component for OnVariables<G> {
    fn kind(&self) -> &'static str {
        self.component.kind()
    }

    fn grounds(&self) -> Grounds {
        self.component.grounds()
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        OracleError::check_point(self.n, x, gradient.as_deref())?;
        let Some(gradient) = gradient else {
            return self.with_own(x, 0, |x, _| self.component.evaluate(x, None));
        };
        self.with_own(x, self.variables.len(), |x, own| {
            let value = self.component.evaluate(x, Some(own))?;
            gradient.fill(0.0);
            self.variables.iter().zip(&*own).for_each(|(i, own)| gradient[*i] = *own);
            Ok(value)
        })
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.component.smoothness()
    }

    /// Only where it takes all variables.
    fn convexity(&self) -> Option<Convexity> {
        self.component.convexity().filter(|_| self.variables.len() == self.n)
    }

    fn is_affine(&self) -> bool {
        self.component.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.component.lower_bound()
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.component.curvature().map(|_| self as _)
    }

    fn operations(&self) -> Option<u64> {
        self.component.operations()
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        // What is left of its own variables, and where they are among the others.
        let place = |i: &usize| variables.iter().position(|other| other == i);
        let (own, places): (Vec<usize>, Vec<usize>) =
            self.variables.iter().enumerate().filter_map(|(k, i)| Some((k, place(i)?))).unzip();
        let component = self.component.restricted(&own)?;
        Some(Arc::new(OnVariables::new(component, places, variables.len()).ok()?))
    }

    fn split(&self) -> Split {
        self.component.split()
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        out.extend(self.variables.iter().map(|i| *i as f64));
        self.component.add_parameters(out);
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.component.link()
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let own: Vec<Expression> = self.variables.iter().map(|i| x[*i].clone()).collect();
        self.component.conic(form, &own)
    }
}

impl<G: Component> OnVariables<G> {
    fn own_curvature(&self) -> Result<&dyn Curvature, OracleError> {
        let unknown = OracleError::Unsupported { oracle: self.component.kind(), what: "second derivatives" };
        self.component.curvature().ok_or(unknown)
    }

    /// Adds what `write` makes of x_S and an empty Hessian in the own variables.
    fn add_written(
        &self,
        x: &[f64],
        hessian: &mut [f64],
        write: impl FnOnce(&dyn Curvature, &[f64], &mut [f64]) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        OracleError::check_point(self.n, x, None)?;
        OracleError::check_length("hessian", self.n * self.n, hessian.len())?;
        let (size, curvature) = (self.variables.len(), self.own_curvature()?);
        self.with_own(x, size * size, |x, own| {
            write(curvature, x, own)?;
            self.add_square(own, hessian);
            Ok(())
        })
    }
}

impl<G: Component> Curvature for OnVariables<G> {
    fn is_piecewise_constant(&self) -> bool {
        self.own_curvature().is_ok_and(Curvature::is_piecewise_constant)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("diagonal", self.n, diagonal.len())?;
        let curvature = self.own_curvature()?;
        self.with_own(x, self.variables.len(), |x, own| {
            curvature.add_diagonal(x, weight, own)?;
            self.variables.iter().zip(&*own).for_each(|(i, own)| diagonal[*i] += own);
            Ok(())
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_written(x, hessian, |curvature, x, own| curvature.add_hessian(x, weight, own))
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_written(x, hessian, |curvature, x, own| curvature.add_hessian_within(x, weight, own, budget))
    }

    fn terms(&self) -> usize {
        self.component.curvature().map_or(1, |curvature| curvature.terms())
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_written(x, hessian, |curvature, x, own| {
            curvature.add_sampled_hessian(x, weight, share, own, budget)
        })
    }

    fn hessian_operations(&self) -> Option<u64> {
        self.component.curvature()?.hessian_operations()
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let Some(curvature) = self.component.curvature() else { return false };
        let mut own = vec![0.0; self.variables.len()];
        let known = curvature.add_diagonal_bound(weight, &mut own);
        if known {
            self.variables.iter().zip(&own).for_each(|(i, own)| diagonal[*i] += own);
        }
        known
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_written(x, hessian, |curvature, x, own| curvature.add_floor(x, radius, weight, own, budget))
    }
}
