//! h(z) = h_1(z_1) + h_2(z_2) + ... over consecutive blocks of rows.

use crate::conic::{Expression, Form};
use std::ops::Range;
use std::sync::Arc;

use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, NewtonComposer, OracleError, SharedPart, Weight};

const KIND: &str = "stacked";

/// Composers side by side: each takes the rows after those of the one before it.
///
/// ```
/// use ufcm::composer::{Max, Nonpositive, Stacked};
/// use ufcm::oracle::Composer;
///
/// // max(z_0, z_1) subject to z_2 <= 0.
/// let h = Stacked::new(vec![Box::new(Max::new(2)?), Box::new(Nonpositive::new(1))]);
/// assert_eq!(h.rows(), 3);
/// assert_eq!(h.value(&[1.0, 4.0, -2.0]), 4.0);
/// assert_eq!(h.domain_distance(&[1.0, 4.0, 2.0]), 2.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
pub struct Stacked {
    parts: Vec<Part>,
    rows: usize,
}

struct Part {
    range: Range<usize>,
    composer: Arc<dyn Composer>,
}

impl Stacked {
    /// The composers in the order of their rows; none at all make the composer of no rows, 0.
    #[must_use]
    pub fn new(composers: Vec<Box<dyn Composer>>) -> Self {
        let mut rows = 0;
        let mut place = |composer: Box<dyn Composer>| {
            let start = rows;
            rows += composer.rows();
            Part { range: start..rows, composer: composer.into() }
        };
        let parts = composers.into_iter().map(&mut place).collect();
        Self { parts, rows }
    }

    /// The same with another composer for the rows from `first` on.
    pub(crate) fn with_part(&self, first: usize, composer: Arc<dyn Composer>) -> Self {
        let replaced = |part: &Part| {
            let composer = if part.range.start == first { composer.clone() } else { part.composer.clone() };
            Part { range: part.range.clone(), composer }
        };
        Self { parts: self.parts.iter().map(replaced).collect(), rows: self.rows }
    }

    /// The composers with their rows; stacks among them are taken apart.
    pub fn parts(&self) -> impl Iterator<Item = (Range<usize>, &dyn Composer)> {
        self.flat().into_iter()
    }

    /// The composers as they were given, with their rows.
    pub(crate) fn shared_parts(&self) -> impl Iterator<Item = (Range<usize>, Arc<dyn Composer>)> {
        self.parts.iter().map(|part| (part.range.clone(), part.composer.clone()))
    }

    fn flat(&self) -> Vec<(Range<usize>, &dyn Composer)> {
        let mut flat = Vec::with_capacity(self.parts.len());
        for Part { range, composer } in &self.parts {
            match composer.stack() {
                Some(stack) => {
                    flat.extend(stack.into_iter().map(|(inner, composer)| {
                        (range.start + inner.start..range.start + inner.end, composer)
                    }))
                }
                None => flat.push((range.clone(), &**composer)),
            }
        }
        flat
    }
}

impl Composer for Stacked {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::weakest(self.parts.iter().map(|part| part.composer.grounds()))
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.composer.value(&z[part.range.clone()])).sum()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.composer.conjugate(&multipliers[part.range.clone()])).sum()
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        let magnitude = |part: &Part| part.composer.conjugate_magnitude(&multipliers[part.range.clone()]);
        self.parts.iter().map(magnitude).sum()
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        self.parts.iter().try_for_each(|Part { range, composer }| {
            composer.prox_conjugate(weight.slice(range.clone()), &mut multipliers[range.clone()])
        })
    }

    fn has_diagonal_prox(&self) -> bool {
        self.parts.iter().all(|part| part.composer.has_diagonal_prox())
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        for Part { range, composer } in &self.parts {
            composer.multipliers_at(&z[range.clone()], &mut multipliers[range.clone()]);
        }
    }

    fn smoothness(&self) -> f64 {
        self.parts.iter().map(|part| part.composer.smoothness()).fold(0.0, f64::max)
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        let holder = self.parts.iter().find(|part| part.range.contains(&row));
        holder.is_some_and(|part| part.composer.is_nondecreasing(row - part.range.start))
    }

    fn is_pinned(&self, row: usize) -> bool {
        let holder = self.parts.iter().find(|part| part.range.contains(&row));
        holder.is_some_and(|part| part.composer.is_pinned(row - part.range.start))
    }

    fn stack(&self) -> Option<Vec<(Range<usize>, &dyn Composer)>> {
        Some(self.flat())
    }

    fn shared_stack(&self) -> Option<Vec<SharedPart>> {
        Some(self.shared_parts().collect())
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        let distances = self.parts.iter().map(|part| part.composer.domain_distance(&z[part.range.clone()]));
        distances.fold(0.0, f64::hypot)
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        self.parts.iter().all(|part| part.composer.newton().is_some()).then_some(self as _)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for Part { range, composer } in &self.parts {
            sum.add(1.0, &composer.conic(form, &z[range.clone()])?);
        }
        Some(sum)
    }
}

impl NewtonComposer for Stacked {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        self.parts.iter().try_for_each(|Part { range, composer }| {
            let (weight, point) = (weight.slice(range.clone()), &point[range.clone()]);
            composer.prox_conjugate_jacobian(weight, point, &mut out.block(range.clone()))
        })
    }
}
