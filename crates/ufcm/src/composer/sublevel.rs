//! h(z) = 0 where inner(z) <= level, infinite elsewhere: the sublevel set of another composer. Its conjugate is the support function of that set,
//! the least of t (level + inner*(l / t)) over t >= 0, and t is the multiplier of inner(z) <= level.

use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, Position, check_finite_scalar};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm;
use crate::oracle::{Composer, Grounds, NewtonComposer, OracleError, Weight};
use crate::pool::Pool;
use crate::projection;
use std::sync::Arc;

const KIND: &str = "bound on a composition";
/// Rows up to which each is asked how far it can be: the square of their number counts.
const MOST_ROWS: usize = 1000;

/// A constraint on what a composer makes of its rows: inner(z) <= level. So any term of the objective is a constraint as well
/// (decision 0046).
///
/// The rows have multipliers of their own, one for each; [`Sublevel::multiplier`] is that of the constraint as a whole.
///
/// ```
/// use ufcm::composer::{ConditionalValueAtRisk, Sublevel};
/// use ufcm::oracle::{Composer, Weight};
///
/// // The mean of the worst two of four losses may be 3 at most.
/// let h = Sublevel::new(Box::new(ConditionalValueAtRisk::new(4, 0.5)?), 3.0)?;
/// assert_eq!(h.value(&[1.0, 4.0, -2.0, 2.0]), 0.0);
/// assert_eq!(h.value(&[1.0, 4.0, -2.0, 2.1]), f64::INFINITY);
/// // The largest <l, z> over such z, and the multiplier of the bound.
/// assert_eq!(h.conjugate(&[1.0, 1.0, 0.0, 0.0]), 6.0);
/// assert_eq!(h.multiplier(&[1.0, 1.0, 0.0, 0.0]), 2.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
pub struct Sublevel {
    inner: Arc<dyn Composer>,
    level: f64,
    /// Storage for points of the search for t.
    pool: Pool,
}

impl Sublevel {
    /// inner(z) <= level.
    ///
    /// # Errors
    /// A `level` that is not finite, or not above the least value of `inner`; an `inner` that is itself a constraint, or that does not know
    /// [`Composer::sublevel_multiplier`].
    pub fn new(inner: Box<dyn Composer>, level: f64) -> Result<Self, DataError> {
        Self::shared(inner.into(), level)
    }

    /// As [`Sublevel::new`], of a composer that others have, too.
    pub(crate) fn shared(inner: Arc<dyn Composer>, level: f64) -> Result<Self, DataError> {
        check_finite_scalar(KIND, "level", level)?;
        let zero = vec![0.0; inner.rows()];
        if inner.is_constraint() || inner.sublevel_multiplier(1.0, &zero).is_none() {
            return Err(DataError::structure(KIND, format!("{} cannot be bounded", inner.kind())));
        }
        // The least value of inner is -inner*(0): at it the set has no interior, and below it no point.
        let least = -inner.conjugate(&zero);
        if level <= least {
            let expected = "above the least value of what it bounds";
            let problem = DataProblem::OutOfRange {
                field: "level",
                position: Position::Scalar,
                value: level,
                expected,
            };
            return Err(DataError::new(KIND, problem));
        }
        Ok(Self { inner, level, pool: Pool::default() })
    }

    /// The multiplier of the constraint as a whole where those of its rows are `multipliers`: what a larger level by 1 is worth.
    #[must_use]
    pub fn multiplier(&self, multipliers: &[f64]) -> f64 {
        self.inner.sublevel_multiplier(self.level, multipliers).unwrap_or(0.0)
    }

    /// t times what `of` makes of l / t and t, where t is that of the multipliers.
    fn support(&self, multipliers: &[f64], of: impl FnOnce(&[f64]) -> f64) -> f64 {
        let t = self.multiplier(multipliers);
        if multipliers.iter().all(|l| *l == 0.0) {
            return 0.0;
        }
        if !(t > 0.0 && t.is_finite()) {
            return f64::INFINITY;
        }
        self.pool.with(multipliers.len(), |quotient| {
            quotient.iter_mut().zip(multipliers).for_each(|(quotient, l)| *quotient = l / t);
            t * of(quotient)
        })
    }

    /// The t with inner(z) = level, where z = W (v - t k) and t k is the prox of (t inner)* at `v`; `None` where W v is in the set. `k` and `z` take
    /// those of that t.
    ///
    /// inner(z) falls as t grows, from inner(W v) at t = 0.
    fn root(
        &self,
        weight: Weight<'_>,
        v: &[f64],
        k: &mut [f64],
        z: &mut [f64],
    ) -> Result<Option<f64>, OracleError> {
        z.iter_mut().zip(v).enumerate().for_each(|(j, (z, v))| *z = weight.at(j) * v);
        let outside = self.inner.value(z) - self.level;
        if outside <= 0.0 {
            return Ok(None);
        }
        // Where the tangent there reaches the level.
        self.inner.multipliers_at(z, k);
        let slope: f64 = k.iter().enumerate().map(|(j, k)| k * (weight.at(j) * k)).sum();
        let guess = outside / slope;
        let guess = if guess > 0.0 && guess.is_finite() { guess } else { 1.0 };
        let t = projection::falling_root(outside, guess, |t| self.excess(weight, t, v, k, z))?;
        self.excess(weight, t, v, k, z)?;
        Ok(Some(t))
    }

    /// inner(z) - level at t.
    fn excess(
        &self,
        weight: Weight<'_>,
        t: f64,
        v: &[f64],
        k: &mut [f64],
        z: &mut [f64],
    ) -> Result<f64, OracleError> {
        k.iter_mut().zip(v).for_each(|(k, v)| *k = v / t);
        self.inner.prox_conjugate(weight.times(t), k)?;
        for (j, ((z, v), k)) in z.iter_mut().zip(v).zip(&*k).enumerate() {
            let left = v - t * k;
            // What is left of a number that was divided by t and multiplied again is rounding.
            *z = if left.abs() <= 4.0 * f64::EPSILON * v.abs() { 0.0 } else { weight.at(j) * left };
        }
        Ok(self.inner.value(z) - self.level)
    }
}

/// Narrows intervals of the rows of z with inner(z) <= level, as [`Composer::narrow`] does: how far a row can be from 0 is the support function of that
/// set, and t (level + inner*(l / t)) is not below it for any t.
pub(crate) fn narrow_below(inner: &dyn Composer, level: f64, intervals: &mut [[f64; 2]]) {
    if intervals.len() > MOST_ROWS {
        return;
    }
    let mut direction = vec![0.0; intervals.len()];
    let rounding = (intervals.len() + 64) as f64 * f64::EPSILON;
    for (row, [low, high]) in intervals.iter_mut().enumerate() {
        let mut farthest = |sign: f64| {
            direction[row] = sign;
            let t = inner.sublevel_multiplier(level, &direction).filter(|t| *t > 0.0 && t.is_finite());
            let most = t.map_or(f64::INFINITY, |t| {
                direction[row] = sign / t;
                let size = level.abs() + inner.conjugate_magnitude(&direction);
                t * (level + inner.conjugate(&direction) + rounding * size)
            });
            direction[row] = 0.0;
            if most.is_nan() { f64::INFINITY } else { most }
        };
        (*low, *high) = (low.max(-farthest(-1.0)), high.min(farthest(1.0)));
    }
}

impl Composer for Sublevel {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        self.inner.grounds()
    }

    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        if self.inner.value(z) <= self.level { 0.0 } else { f64::INFINITY }
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.support(multipliers, |quotient| self.level + self.inner.conjugate(quotient))
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        // The rounding of t counts as well.
        self.support(multipliers, |quotient| {
            2.0 * self.level.abs() + self.inner.conjugate_magnitude(quotient)
        })
    }

    /// 0 where W v is in the set. Else the prox of (t inner)*, with the t that brings inner to the level: z = W (v - l) is the projection of W v in the
    /// metric W^-1 (Moreau).
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        let rows = multipliers.len();
        self.pool.with(2 * rows, |buffers| {
            let (k, z) = buffers.split_at_mut(rows);
            match self.root(weight, multipliers, k, z)? {
                None => multipliers.fill(0.0),
                Some(t) => multipliers.iter_mut().zip(&*k).for_each(|(l, k)| *l = t * k),
            }
            Ok(())
        })
    }

    fn has_diagonal_prox(&self) -> bool {
        self.inner.has_diagonal_prox()
    }

    /// 0, which is a subgradient everywhere on the set.
    fn multipliers_at(&self, _z: &[f64], multipliers: &mut [f64]) {
        multipliers.fill(0.0);
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        self.inner.is_nondecreasing(row)
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn level_of(&self) -> Option<(Arc<dyn Composer>, f64)> {
        Some((self.inner.clone(), self.level))
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        let rows = z.len();
        self.pool.with(3 * rows, |buffers| {
            let (k, rest) = buffers.split_at_mut(rows);
            let (nearest, moved) = rest.split_at_mut(rows);
            match self.root(Weight::scalar(1.0), z, k, nearest) {
                Ok(None) => 0.0,
                Ok(Some(t)) => {
                    moved.iter_mut().zip(&*k).for_each(|(moved, k)| *moved = t * k);
                    // Outside, however little.
                    norm(moved).max(f64::MIN_POSITIVE)
                }
                Err(_) => f64::INFINITY,
            }
        })
    }

    fn narrow(&self, intervals: &mut [[f64; 2]]) {
        narrow_below(&*self.inner, self.level, intervals);
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        self.inner.newton().map(|_| self as _)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let value = form.in_cost(None, |form| self.inner.conic(form, z))?;
        form.nonnegative(value.times(-1.0).shifted(self.level));
        Some(Expression::default())
    }
}

impl NewtonComposer for Sublevel {
    /// With S_t that of the prox of (t inner)* at fixed t, dl/dt = u = k - S_t W k, and inner(z) = level keeps dt = <W u, dv> / <W k, u>: so
    /// S = S_t + u u' / <W k, u>.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let rows = point.len();
        self.pool.with(2 * rows, |buffers| {
            let (k, z) = buffers.split_at_mut(rows);
            let Some(t) = self.root(weight, point, k, z)? else { return Ok(()) };
            let mark = out.mark();
            out.with_vector(point.iter().map(|v| v / t), |point, out| {
                out.scaled(t, |out| self.inner.prox_conjugate_jacobian(weight.times(t), point, out))
            })?;
            // The size of k does not matter; near 1, squares neither overflow nor vanish.
            let size = k.iter().fold(0.0f64, |largest, k| largest.max(k.abs()));
            if size == 0.0 {
                return Ok(());
            }
            k.iter_mut().for_each(|k| *k /= size);
            k.iter_mut().enumerate().for_each(|(j, k)| *k *= weight.at(j));
            out.apply_since(mark, k, z);
            let (mut along, mut square) = (0.0, 0.0);
            for (j, (z, k)) in z.iter_mut().zip(&*k).enumerate() {
                let u = k / weight.at(j) - *z;
                along += k * u;
                square += u * (weight.at(j) * u);
                *z = u;
            }
            // Never less in exact numbers.
            let along = along.max(square);
            if along > 0.0 && along.recip().is_finite() {
                out.rank_one(along.recip(), 0, z.iter().copied());
            }
            Ok(())
        })
    }
}
