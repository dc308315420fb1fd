//! Sums of components.

use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, check_length};
use crate::kernel::simd;
use crate::oracle::{Component, Convexity, Curvature, Grounds, MinorantSums, OracleError, Smoothness};
use crate::pool::Pool;
use crate::ranks::{Link, Split};
use std::sync::Arc;

/// A sum of components as one component (one row, one multiplier). Where each part should keep a multiplier of its
/// own, use the composer [`WeightedSum`](crate::composer) instead.
#[derive(Clone)]
pub struct Sum {
    parts: Vec<Arc<dyn Component>>,
    pool: Pool,
}

impl std::fmt::Debug for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.parts.iter().map(|part| part.kind())).finish()
    }
}

impl Sum {
    /// The sum of `parts`.
    ///
    /// # Errors
    /// No parts, or different numbers of variables.
    pub fn new(parts: Vec<Arc<dyn Component>>) -> Result<Self, DataError> {
        const KIND: &str = "sum";
        let Some(first) = parts.first() else {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "parts" }));
        };
        for part in &parts {
            check_length(KIND, "x", first.dimension(), part.dimension())?;
        }
        Ok(Self { parts, pool: Pool::default() })
    }
}

impl Component for Sum {
    fn kind(&self) -> &'static str {
        "sum"
    }

    fn grounds(&self) -> Grounds {
        Grounds::weakest(self.parts.iter().map(|part| part.grounds()))
    }

    fn dimension(&self) -> usize {
        self.parts[0].dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let Some(gradient) = gradient else {
            let value: Result<f64, OracleError> = self.own_parts().map(|part| part.evaluate(x, None)).sum();
            return OracleError::check_value(value?);
        };
        let mut parts = self.own_parts();
        let Some(first) = parts.next() else {
            gradient.fill(0.0);
            return Ok(0.0);
        };
        let mut value = first.evaluate(x, Some(gradient))?;
        self.pool.with(gradient.len(), |buffer| {
            for part in parts {
                value += part.evaluate(x, Some(buffer))?;
                simd::add_scaled(1.0, buffer, gradient);
            }
            OracleError::check_value(value)
        })
    }

    /// Known where all parts share the exponent; affine parts fit any.
    fn smoothness(&self) -> Option<Smoothness> {
        let mut total = Smoothness { constant: 0.0, exponent: 1.0 };
        for part in &self.parts {
            let part = part.smoothness()?;
            if part.constant > 0.0 {
                if total.constant > 0.0 && total.exponent != part.exponent {
                    return None;
                }
                total = Smoothness { constant: total.constant + part.constant, exponent: part.exponent };
            }
        }
        Some(total)
    }

    /// The convexity of the parts with the smallest exponent, added up.
    fn convexity(&self) -> Option<Convexity> {
        let known = || self.parts.iter().filter_map(|part| part.convexity());
        let exponent = known().map(|c| c.exponent).reduce(f64::min)?;
        let constant = known().filter(|c| c.exponent == exponent).map(|c| c.constant).sum();
        Some(Convexity { constant, exponent })
    }

    fn is_affine(&self) -> bool {
        self.parts.iter().all(|part| part.is_affine())
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        self.parts.iter().all(|part| part.add_own_minorant(weight, sums))
    }

    fn lower_bound(&self) -> Option<f64> {
        self.parts.iter().map(|part| part.lower_bound()).sum()
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        let all = self.parts.iter().all(|part| part.is_affine() || part.curvature().is_some());
        all.then_some(self as &dyn Curvature)
    }

    fn operations(&self) -> Option<u64> {
        self.parts.iter().map(|part| part.operations()).sum()
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let parts = self.parts.iter().map(|part| part.restricted(variables)).collect::<Option<_>>()?;
        Some(Arc::new(Self::new(parts).ok()?))
    }

    fn is_restrictable(&self) -> bool {
        self.parts.iter().all(|part| part.is_restrictable())
    }

    /// Means with one weight, and what is whole: the shares of the ranks add up to 1. Or sums alone.
    fn split(&self) -> Split {
        let unlike =
            Split::Never("its parts are means over unlike samples; make each a component of its own");
        self.parts
            .iter()
            .map(|part| part.split())
            .reduce(|all, part| match (all, part) {
                (Split::Never(why), _) | (_, Split::Never(why)) => Split::Never(why),
                (Split::Mean(weight), Split::Whole) | (Split::Whole, Split::Mean(weight)) => {
                    Split::Mean(weight)
                }
                (all, part) if all == part => all,
                _ => unlike,
            })
            .unwrap_or(Split::Whole)
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        let zero = vec![0.0; self.dimension()];
        for part in &self.parts {
            part.add_parameters(out);
            if part.split() == Split::Whole && part.link().is_none() {
                out.push(part.evaluate(&zero, None).unwrap_or(f64::NAN));
            }
        }
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.parts.iter().find_map(|part| part.link())
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for part in &self.parts {
            sum.add(1.0, &part.conic(form, x)?);
        }
        Some(sum)
    }
}

impl Sum {
    fn curved(&self) -> impl Iterator<Item = &dyn Curvature> {
        self.own_parts().filter_map(|part| part.curvature())
    }

    /// All parts; where those of several ranks are added up, what every rank has is rank 0's.
    fn own_parts(&self) -> impl Iterator<Item = &Arc<dyn Component>> {
        let elsewhere = self.link().is_some_and(|link| link.leaves_to_first());
        self.parts.iter().filter(move |part| !elsewhere || part.link().is_some())
    }
}

impl Curvature for Sum {
    fn is_piecewise_constant(&self) -> bool {
        self.curved().all(Curvature::is_piecewise_constant)
    }

    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_point(self.dimension(), x, None)?;
        OracleError::check_length("diagonal", self.dimension(), diagonal.len())?;
        self.curved().try_for_each(|part| part.add_diagonal(x, weight, diagonal))
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.curved().try_for_each(|part| part.add_floor(x, radius, weight, hessian, budget))
    }

    fn sparse_floor(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        let mut entries = Vec::new();
        for part in self.curved() {
            entries.extend(part.sparse_floor(weight)?);
        }
        Some(entries)
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_point(self.dimension(), x, None)?;
        OracleError::check_length("hessian", self.dimension() * self.dimension(), hessian.len())?;
        self.curved().try_for_each(|part| part.add_hessian(x, weight, hessian))
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.curved().try_for_each(|part| part.add_hessian_within(x, weight, hessian, budget))
    }

    fn terms(&self) -> usize {
        self.curved().map(Curvature::terms).sum::<usize>().max(1)
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.curved().try_for_each(|part| part.add_sampled_hessian(x, weight, share, hessian, budget))
    }

    fn hessian_operations(&self) -> Option<u64> {
        self.curved().map(Curvature::hessian_operations).sum()
    }

    fn has_products(&self) -> bool {
        self.curved().all(Curvature::has_products)
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        OracleError::check_point(self.dimension(), x, None)?;
        OracleError::check_products(self.dimension(), vectors, out)?;
        self.curved().try_for_each(|part| part.add_products(x, weight, vectors, out))
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        // Ask before adding: a part that has no bound must not leave the others' half of the sum behind.
        self.pool.with(diagonal.len(), |buffer| {
            buffer.fill(0.0);
            let all = self.curved().all(|part| part.add_diagonal_bound(weight, buffer));
            if all {
                simd::add_scaled(1.0, buffer, diagonal);
            }
            all
        })
    }
}
