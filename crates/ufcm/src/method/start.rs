//! Checks of the point and the multipliers that a method starts from.

use crate::error::{DataError, check_finite, check_length};
use crate::problem::Problem;

/// Checks a primal point: finite, of the right length, in X.
pub(super) fn check_x(kind: &'static str, problem: &Problem, x: &[f64]) -> Result<(), DataError> {
    check_length(kind, "x0", problem.dimension(), x.len())?;
    check_finite(kind, "x0", x)?;
    if !problem.regulariser().value(x).is_finite() {
        let u = problem.regulariser().kind();
        return Err(DataError::structure(kind, format!("x0 lies outside the domain of u ({u})")));
    }
    Ok(())
}

/// Checks multipliers over all rows: finite, of the right length, in the domain of h*.
pub(crate) fn check_multipliers(
    kind: &'static str,
    field: &'static str,
    problem: &Problem,
    multipliers: &[f64],
) -> Result<(), DataError> {
    check_length(kind, field, problem.rows(), multipliers.len())?;
    check_finite(kind, field, multipliers)?;
    if !problem.composer().conjugate(multipliers).is_finite() {
        let advice = "lies outside the domain of h*; Composer::multipliers_at gives a point inside";
        return Err(DataError::structure(kind, format!("{field} {advice}")));
    }
    Ok(())
}
