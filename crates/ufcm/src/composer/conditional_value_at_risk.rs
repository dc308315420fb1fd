//! h(z) = the mean of the worst share alpha of the rows. Its conjugate is the indicator of a capped simplex.

use super::fields::{WEIGHT, scaled};
use crate::catalogue::{Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, Position, check_positive};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, NewtonComposer, OracleError, Weight};
use crate::pool::Pool;
use crate::projection;

const KIND: &str = "conditional value at risk";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "conditional_value_at_risk",
        aliases: &[],
        formula: "max of <l, z> over 0 <= l_j <= 1/(alpha m), sum l_j = 1",
        about: "The mean of the worst share alpha of the rows.",
        fields: &[
            Field::new("alpha", FieldType::Number, "the share").bounds("above 0, at most 1").sample("0.4"),
            WEIGHT,
        ],
        example: r#">>> losses = [ufcm.quadratic([1.0], [c]) for c in (-2.0, -1.0, 3.0)]
>>> r = ufcm.Problem(minimize=ufcm.conditional_value_at_risk(losses, 0.5), domain=ufcm.box(-5, 5)).solve()
>>> r.status
'Certified'"#,
    },
    rows: RowsTaken::Any,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| scaled(values, ConditionalValueAtRisk::new(rows, values.number("alpha")?)?),
};

/// The mean of the largest rows, a share alpha of them: the conditional value at risk of a loss that takes each of the m
/// row values with the same probability.
///
/// ```text
/// h(z) = max { <l, z> : 0 <= l_j <= 1 / (alpha m), sum of l_j = 1 }
/// ```
///
/// It is the max where alpha m <= 1 and the mean where alpha = 1. Where alpha m is no whole number, the last of the largest
/// rows counts in part.
///
/// ```
/// use ufcm::composer::ConditionalValueAtRisk;
/// use ufcm::oracle::Composer;
///
/// let h = ConditionalValueAtRisk::new(4, 0.5)?;
/// assert_eq!(h.value(&[1.0, 4.0, -2.0, 2.0]), 3.0); // the mean of 4 and 2
/// assert_eq!(h.conjugate(&[0.25, 0.5, 0.0, 0.25]), 0.0);
/// assert_eq!(h.conjugate(&[0.0, 0.6, 0.0, 0.4]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalValueAtRisk {
    rows: usize,
    /// The largest multiplier, 1 / (alpha m), or 1 where that is more.
    cap: f64,
    /// Storage for a copy of z that a selection reorders.
    pool: Pool,
}

impl ConditionalValueAtRisk {
    /// The mean of the worst share `alpha` of `rows` rows.
    ///
    /// # Errors
    /// No rows at all, or an `alpha` that is not a number with 0 < alpha <= 1.
    pub fn new(rows: usize, alpha: f64) -> Result<Self, DataError> {
        if rows == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "rows" }));
        }
        check_positive(KIND, "alpha", alpha)?;
        if alpha > 1.0 {
            return Err(DataError::out_of_range(KIND, "alpha", Position::Scalar, alpha, "at most 1"));
        }
        // At least 1 / m, which rounding might miss.
        let cap = (1.0 / (alpha * rows as f64)).clamp(1.0 / rows as f64, 1.0);
        Ok(Self { rows, cap, pool: Pool::default() })
    }

    /// Whether there is one vector of multipliers only, (1/m, ..., 1/m): h is the mean.
    fn is_mean(&self) -> bool {
        self.cap * self.rows as f64 <= 1.0
    }

    /// The value from which on rows count, and the multiplier that rows of this very value share: the rows above it, which
    /// have `cap` each, leave it to them. h must not be the mean.
    fn split(&self, z: &[f64]) -> (f64, f64) {
        let full = ((1.0 / self.cap) as usize).min(z.len() - 1);
        let quantile = self.pool.with(z.len(), |copy| {
            copy.copy_from_slice(z);
            *copy.select_nth_unstable_by(full, |a, b| b.total_cmp(a)).1
        });
        let above = z.iter().filter(|z| **z > quantile).count() as f64;
        (quantile, (1.0 - above * self.cap).max(0.0))
    }
}

impl Composer for ConditionalValueAtRisk {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        if self.is_mean() {
            return z.iter().map(|z| z * self.cap).sum();
        }
        let (quantile, share) = self.split(z);
        z.iter().filter(|z| **z > quantile).map(|z| z * self.cap).sum::<f64>() + share * quantile
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let rounding = MEMBERSHIP * self.cap;
        let within = multipliers.iter().all(|l| (-rounding..=self.cap + rounding).contains(l));
        let sum: f64 = multipliers.iter().sum();
        if within && (sum - 1.0).abs() <= MEMBERSHIP { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        if self.is_mean() {
            multipliers.fill(self.cap);
        } else {
            projection::capped_simplex(weight, self.cap, multipliers);
        }
        Ok(())
    }

    /// The rows above the quantile have the multiplier `cap`, those at the quantile, in their order, what is left.
    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        if self.is_mean() {
            return multipliers.fill(self.cap);
        }
        let (quantile, mut share) = self.split(z);
        for (l, z) in multipliers.iter_mut().zip(z) {
            *l = match z {
                z if *z > quantile => self.cap,
                z if *z == quantile => share.min(self.cap),
                _ => 0.0,
            };
            if *z == quantile {
                share -= *l;
            }
        }
    }

    fn is_nondecreasing(&self, _row: usize) -> bool {
        true
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    /// Multipliers add up to 1 where h* is finite.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        Some(multipliers.iter().sum::<f64>().max(0.0))
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn smoothness(&self) -> f64 {
        if self.is_mean() { 0.0 } else { f64::INFINITY }
    }

    fn domain_distance(&self, _z: &[f64]) -> f64 {
        0.0
    }

    fn is_pinned(&self, _row: usize) -> bool {
        self.is_mean()
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        if self.is_mean() {
            return Some(Expression::combination((0..z.len()).map(|j| (j, self.cap)), z));
        }
        Some(form.sum_of_largest(self.cap.recip(), z).times(self.cap))
    }
}

impl NewtonComposer for ConditionalValueAtRisk {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        if !self.is_mean() {
            projection::capped_simplex_jacobian(weight, self.cap, point, out);
        }
        Ok(())
    }
}
