//! h(z) = 0 where lower <= z <= upper, infinite elsewhere. Its conjugate is the sum of upper_j l_j over positive
//! and lower_j l_j over negative multipliers; a side at infinity rules out multipliers of its sign.

use super::rowwise::{ConjugateTerm, Rowwise};
use crate::error::{DataError, DataProblem, Position, check_length};
use crate::oracle::ScalarTerm;

const KIND: &str = "interval";

/// Two-sided constraints on affine rows: every row between its bounds, either of which may be infinite.
///
/// A row without a lower bound is nondecreasing and may hold a curved component.
///
/// ```
/// use ufcm::composer::Interval;
/// use ufcm::oracle::Composer;
///
/// let h = Interval::new(vec![-1.0, f64::NEG_INFINITY], vec![1.0, 5.0])?;
/// assert_eq!(h.value(&[0.5, -1e9]), 0.0);
/// assert_eq!(h.domain_distance(&[4.0, 9.0]), 5.0);
/// assert_eq!(h.conjugate(&[-2.0, 3.0]), 17.0);
/// assert!(!h.is_nondecreasing(0) && h.is_nondecreasing(1));
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Interval {
    /// lower_j <= z_j <= upper_j; no rows are allowed.
    ///
    /// # Errors
    /// Lengths that differ, a NaN, a lower bound above its upper bound, a lower bound of +inf or an upper of -inf.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, DataError> {
        check_length(KIND, "upper", lower.len(), upper.len())?;
        check_bounds("lower", &lower, f64::INFINITY)?;
        check_bounds("upper", &upper, f64::NEG_INFINITY)?;
        match lower.iter().zip(&upper).position(|(l, u)| l > u) {
            None => Ok(Self { lower, upper }),
            Some(j) => Err(DataError::out_of_range(
                KIND,
                "upper",
                Position::Entry(j),
                upper[j],
                "at least the lower bound",
            )),
        }
    }
}

/// Checks that no bound is a NaN or the infinity that nothing can satisfy.
fn check_bounds(field: &'static str, bounds: &[f64], impossible: f64) -> Result<(), DataError> {
    match bounds.iter().position(|&b| b.is_nan() || b == impossible) {
        None => Ok(()),
        Some(j) => {
            let problem = DataProblem::NotFinite { field, position: Position::Entry(j), value: bounds[j] };
            Err(DataError::new(KIND, problem))
        }
    }
}

impl Rowwise for Interval {
    type Law = ConjugateTerm;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn rows(&self) -> usize {
        self.lower.len()
    }

    fn law(&self, row: usize) -> ConjugateTerm {
        let (lower, upper) = (self.lower[row], self.upper[row]);
        let or = |bound: f64, other: f64| if bound.is_finite() { bound } else { other };
        // On the side that is ruled out the slope of the other side continues, so that the law is convex as a whole.
        let above = or(upper, or(lower, 0.0));
        ConjugateTerm(ScalarTerm {
            above,
            below: -or(lower, above),
            ridge: 0.0,
            lower: if lower.is_finite() { f64::NEG_INFINITY } else { 0.0 },
            upper: if upper.is_finite() { f64::INFINITY } else { 0.0 },
        })
    }
}
