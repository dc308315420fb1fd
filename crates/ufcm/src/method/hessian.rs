//! Second derivatives for the metric of curvature: whether there are any, what they cost, and forming them.

use crate::jacobian::ProxJacobian;
use crate::metric::CurvatureMetric;
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;

/// Variables up to which a dense Hessian is thought of.
const LARGEST_HESSIAN: usize = 3000;

/// Forms the metric of curvature at `x`, and counts.
pub(super) fn former<'f>(
    problem: &'f Problem,
    x: &'f [f64],
    multipliers: &'f [f64],
    hessians: &'f mut usize,
) -> impl FnMut(f64) -> Result<Option<CurvatureMetric>, OracleError> + 'f {
    move |damping| {
        *hessians += 1;
        let mut metric = CurvatureMetric::new(x.len());
        Ok(metric.form(problem, x, multipliers, damping)?.then_some(metric))
    }
}

/// What a Hessian costs in gradients, by operations; `None` where a curved row has none, or n is too large for a dense one.
pub(super) fn cost(problem: &Problem) -> Option<f64> {
    let n = problem.dimension();
    if n > LARGEST_HESSIAN || !CurvatureMetric::is_available(problem) || !has_jacobians(problem) {
        return None;
    }
    let gradient = problem.mapping().operations()? as f64;
    let n = n as f64;
    // A gradient of a loss over data takes 4 operations for each entry, its part of a Hessian n/2 times as many as that
    // over 2; the factors n^3/3 more. Matrix products run some four times as fast as what memory limits.
    Some(1.0 + (n / 4.0 + n.powi(3) / 3.0 / gradient.max(1.0)) / 4.0)
}

/// Whether the proxes of u and h* have Jacobians, as Newton's method in the metric of curvature needs.
fn has_jacobians(problem: &Problem) -> bool {
    let (n, m, unit) = (problem.dimension(), problem.rows(), Weight::scalar(1.0));
    let (x, multipliers) = (vec![0.0; n], vec![0.0; m]);
    let mut jacobian = ProxJacobian::new();
    problem.regulariser().prox_jacobian(unit, &x, &mut jacobian.start(n)).is_ok()
        && problem.composer().prox_conjugate_jacobian(unit, &multipliers, &mut jacobian.start(m)).is_ok()
}
