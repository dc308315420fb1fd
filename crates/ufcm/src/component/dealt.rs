//! A component that every rank has whole, of which one rank works out the values for all: where there are many, each rank has some to do.

use super::tuning::{DEALT_EACH, DEALT_OPERATIONS};
use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::oracle::guard::guarded;
use crate::oracle::{
    Component, Convexity, Curvature, Grounds, MinorantSums, OracleError, QuadraticForm, Smoothness,
};
use crate::ranks::{Link, Split};
use std::sync::Arc;

/// A component and the rank that evaluates it where all rows are added up over ranks; by itself it is what it was.
pub(crate) struct Dealt {
    whole: Arc<dyn Component>,
    owner: usize,
    link: Arc<Link>,
}

/// Which rank evaluates each of some components with these operations: each goes, the dearest first, to the rank that has least to do.
pub(crate) fn owners(operations: &[u64], size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_key(|&k| (std::cmp::Reverse(operations[k]), k));
    let (mut work, mut owners) = (vec![0u64; size], vec![0; operations.len()]);
    for k in order {
        let least = (0..size).min_by_key(|&rank| (work[rank], rank)).unwrap_or(0);
        work[least] = work[least].saturating_add(operations[k]);
        owners[k] = least;
    }
    owners
}

/// The components of a problem, of which each rank has all: where there are many that take long, each is given to one rank. All ranks come to the same
/// answer, since they have the same components.
pub(crate) fn deal(components: &mut [Arc<dyn Component>], link: &Arc<Link>) {
    let is_dear = |g: &Arc<dyn Component>| {
        let least = DEALT_OPERATIONS.saturating_mul(g.dimension() as u64);
        g.split() == Split::Whole && g.link().is_none() && g.operations().is_some_and(|count| count >= least)
    };
    let dear: Vec<usize> = (0..components.len()).filter(|&k| is_dear(&components[k])).collect();
    let operations: Vec<u64> = dear.iter().filter_map(|&k| components[k].operations()).collect();
    if link.size() == 1 || dear.len() < DEALT_EACH * link.size() {
        return;
    }
    for (k, owner) in dear.into_iter().zip(owners(&operations, link.size())) {
        components[k] = Arc::new(Dealt { whole: components[k].clone(), owner, link: link.clone() });
    }
}

impl Dealt {
    /// Whether this rank leaves it to another, which all ranks will hear from.
    fn is_elsewhere(&self) -> bool {
        self.link.is_deferred() && self.link.rank() != self.owner
    }

    /// What this rank adds of its second derivatives.
    fn add(&self, add: impl FnOnce(&dyn Curvature) -> Result<(), OracleError>) -> Result<(), OracleError> {
        match self.whole.curvature() {
            _ if self.is_elsewhere() => Ok(()),
            Some(curvature) => add(curvature),
            None => Err(OracleError::Unsupported { oracle: self.whole.kind(), what: "curvature" }),
        }
    }
}

impl Component for Dealt {
    fn kind(&self) -> &'static str {
        self.whole.kind()
    }

    fn grounds(&self) -> Grounds {
        self.whole.grounds()
    }

    fn dimension(&self) -> usize {
        self.whole.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        if self.is_elsewhere() {
            OracleError::check_point(self.dimension(), x, gradient.as_deref())?;
            gradient.into_iter().for_each(|gradient| gradient.fill(0.0));
            return Ok(0.0);
        }
        self.whole.evaluate(x, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.whole.smoothness()
    }

    fn convexity(&self) -> Option<Convexity> {
        self.whole.convexity()
    }

    fn is_affine(&self) -> bool {
        self.whole.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.whole.lower_bound()
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        self.whole.add_own_minorant(weight, sums)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.whole.curvature().map(|_| self as &dyn Curvature)
    }

    fn quadratic(&self) -> Option<&dyn QuadraticForm> {
        self.whole.quadratic()
    }

    fn operations(&self) -> Option<u64> {
        self.whole.operations()
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let whole = self.whole.restricted(variables)?;
        Some(Arc::new(Self { whole, owner: self.owner, link: self.link.clone() }))
    }

    /// Values and slopes at 0 besides, so that ranks that do not have the same component are found out: none of them is asked for it twice.
    fn add_parameters(&self, out: &mut Vec<f64>) {
        self.whole.add_parameters(out);
        let mut gradient = vec![0.0; self.dimension()];
        let value = guarded(&*self.whole, &vec![0.0; self.dimension()], Some(&mut gradient));
        out.push(value.unwrap_or(f64::NAN));
        out.extend(gradient);
    }

    fn link(&self) -> Option<&Arc<Link>> {
        Some(&self.link)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        self.whole.conic(form, x)
    }
}

impl Curvature for Dealt {
    fn is_piecewise_constant(&self) -> bool {
        self.whole.curvature().is_some_and(Curvature::is_piecewise_constant)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        self.add(|whole| whole.add_diagonal(x, weight, diagonal))
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add(|whole| whole.add_hessian(x, weight, hessian))
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add(|whole| whole.add_hessian_within(x, weight, hessian, budget))
    }

    fn terms(&self) -> usize {
        self.whole.curvature().map_or(1, Curvature::terms)
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add(|whole| whole.add_sampled_hessian(x, weight, share, hessian, budget))
    }

    fn hessian_operations(&self) -> Option<u64> {
        self.whole.curvature().and_then(Curvature::hessian_operations)
    }

    fn has_products(&self) -> bool {
        self.whole.curvature().is_some_and(Curvature::has_products)
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        self.add(|whole| whole.add_products(x, weight, vectors, out))
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        self.whole.curvature().is_some_and(|whole| whole.add_diagonal_bound(weight, diagonal))
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add(|whole| whole.add_floor(x, radius, weight, hessian, budget))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_about_as_much_to_do() {
        assert_eq!(owners(&[5, 1, 1, 1, 1, 1], 2), [0, 1, 1, 1, 1, 1]);
        assert_eq!(owners(&[3, 3, 3, 3], 2), [0, 1, 0, 1]);
        assert_eq!(owners(&[], 3), [0; 0]);
    }
}
