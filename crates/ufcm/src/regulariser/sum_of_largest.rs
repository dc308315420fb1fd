//! u(x) = w times the sum of the k largest entries of x.

use super::fields::WEIGHT;
use super::{SLOPE_ROUNDING, check_fit, min_linear_at_zero};
use crate::catalogue::{Field, FieldType, Kind, Preset, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, check_nonnegative};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;
use crate::projection::{capped_threshold, identity_jacobian};

const KIND: &str = "sum of largest";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "sum_of_largest",
        aliases: &[],
        formula: "w times the sum of the k largest x_i",
        about: "The sum of the k largest entries, with their signs.",
        fields: &[
            Field::new("count", FieldType::Count, "k").bounds("at least 1").sample("2"),
            WEIGHT.preset(Preset::Number(1.0)),
        ],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(SumOfLargest::new(values.count("count")?, values.number("weight")?)?)),
};

/// The sum of the k largest entries, times a weight; of all entries where there are no more than k.
///
/// Slopes whose sum is -k w up to rounding (1e-12 of it) count as such in [`Regulariser::min_linear`].
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::SumOfLargest;
///
/// let u = SumOfLargest::new(2, 1.0)?;
/// assert_eq!(u.value(&[1.0, -2.0, 3.0]), 4.0);
/// let mut x = [1.5, 0.0, 5.0, 1.5];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 0.0, 4.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SumOfLargest {
    count: usize,
    weight: f64,
    pool: Pool,
}

impl SumOfLargest {
    /// weight times the sum of the `count` largest entries.
    ///
    /// # Errors
    /// A count of 0; a weight that is negative, NaN or infinite.
    pub fn new(count: usize, weight: f64) -> Result<Self, DataError> {
        if count == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "count" }));
        }
        check_nonnegative(KIND, "weight", weight)?;
        Ok(Self { count, weight, pool: Pool::default() })
    }

    /// The level θ to which the prox draws entries.
    ///
    /// By Moreau x = v - W^-1 p, with p the projection of W v onto {0 <= p <= w, sum p = k w} in |.|_{W^-1}:
    /// p_i = clip(w_i (v_i - θ), 0, w). So x_i = v_i below θ, v_i - w / w_i above θ + w / w_i, and θ between.
    fn level(&self, weight: Weight<'_>, v: &[f64]) -> f64 {
        if self.weight == 0.0 {
            return f64::INFINITY;
        }
        if self.count >= v.len() {
            return f64::NEG_INFINITY;
        }
        let entries = v.iter().enumerate().map(|(i, &v)| (v, self.weight / weight.at(i)));
        capped_threshold(entries, self.count as f64)
    }
}

impl Regulariser for SumOfLargest {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn value(&self, x: &[f64]) -> f64 {
        if self.count >= x.len() {
            return self.weight * x.iter().sum::<f64>();
        }
        // The selection reorders a copy.
        let sum: f64 = self.pool.with(x.len(), |copy| {
            copy.copy_from_slice(x);
            let (largest, least, _) = copy.select_nth_unstable_by(self.count - 1, |a, b| b.total_cmp(a));
            largest.iter().sum::<f64>() + *least
        });
        self.weight * sum
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        let level = self.level(weight, x);
        for (i, x) in x.iter_mut().enumerate() {
            *x = x.min(level).max(*x - self.weight / weight.at(i));
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let total = self.weight * self.count.min(slope.len()) as f64;
        let rounding = SLOPE_ROUNDING * total;
        let inside = slope.iter().all(|&s| -s >= 0.0 && -s <= self.weight * (1.0 + SLOPE_ROUNDING));
        min_linear_at_zero(inside && (slope.iter().sum::<f64>() + total).abs() <= rounding, minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        if self.count >= x.len() {
            return Some(Expression::combination((0..x.len()).map(|i| (i, self.weight)), x));
        }
        Some(form.sum_of_largest(self.count as f64, x).times(self.weight))
    }
}

impl NewtonRegulariser for SumOfLargest {
    /// The entries drawn to the level move together: 1 1' / (sum of their w_i); the others move alone.
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        identity_jacobian(weight, out);
        let level = self.level(weight, point);
        let levelled = |i: usize| point[i] > level && point[i] - self.weight / weight.at(i) < level;
        let mut total = 0.0;
        for (i, d) in out.diagonal().iter_mut().enumerate() {
            if levelled(i) {
                *d = 0.0;
                total += weight.at(i);
            }
        }
        if total > 0.0 {
            out.rank_one(1.0 / total, 0, (0..point.len()).map(|i| if levelled(i) { 1.0 } else { 0.0 }));
        }
        Ok(())
    }
}
