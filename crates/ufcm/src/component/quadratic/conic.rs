//! A quadratic as part of a conic program: in the cost as it is, elsewhere by the norm of a factor.

use super::form::Form;
use super::{Component, Quadratic};
use crate::conic::{self, Expression};
use faer::{MatRef, Side};

/// The largest Q that is factored, and the largest Hessian that is formed: more would take longer than other methods.
const LARGEST_FACTOR: usize = 500;
const LARGEST_HESSIAN: usize = 3000;

/// x'Q x / 2.
pub(super) fn half_squares_of(
    quadratic: &Quadratic,
    form: &mut conic::Form,
    x: &[Expression],
) -> Option<Expression> {
    let in_cost = form.cost_factor().is_some();
    match &quadratic.form {
        Form::Diagonal(d) => Some(form.half_squares(scaled_by_roots(d, x))),
        Form::Factored { factor, .. } if in_cost && factor.rows() > x.len() => {
            let mut hessian = vec![0.0; x.len() * x.len()];
            let budget = crate::budget::Budget::unlimited();
            quadratic.form.add_lower_triangle(1.0, &mut hessian, &quadratic.pool, &budget).ok()?;
            form.quadratic(lower_triangle(&hessian, x.len()), x)
        }
        Form::Factored { factor, diagonal, .. } => {
            let mut parts: Vec<_> = (0..factor.rows()).map(|i| factor.view_row(i).expression(x)).collect();
            parts.extend(diagonal.iter().flat_map(|d| scaled_by_roots(d, x)));
            Some(form.half_squares(parts))
        }
        Form::Dense(_) | Form::Sparse(_) if in_cost => {
            let mut entries = Vec::new();
            quadratic.form.for_each_pair(|i, j, value| entries.push((i, j, value)));
            form.quadratic(entries, x)
        }
        Form::Dense(_) | Form::Sparse(_) => {
            let parts = roots(&quadratic.form, x)?;
            Some(form.half_squares(parts))
        }
    }
}

/// A component whose second derivatives are the same everywhere, in the cost.
pub(in crate::component) fn conic_by_hessian(
    component: &dyn Component,
    form: &mut conic::Form,
    x: &[Expression],
) -> Option<Expression> {
    let n = x.len();
    (n <= LARGEST_HESSIAN).then_some(())?;
    let (zero, mut slope, mut hessian) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
    let constant = component.evaluate(&zero, Some(&mut slope)).ok()?;
    component.curvature()?.add_hessian(&zero, 1.0, &mut hessian).ok()?;
    form.quadratic(lower_triangle(&hessian, n), x)?;
    Some(Expression::combination(slope.into_iter().enumerate(), x).shifted(constant))
}

/// The entries of the lower triangle of a matrix stored by columns, those that are not 0.
fn lower_triangle(matrix: &[f64], n: usize) -> impl Iterator<Item = (usize, usize, f64)> {
    let column = move |j: usize| (j..n).map(move |i| (i, j, matrix[j * n + i]));
    (0..n).flat_map(column).filter(|(_, _, value)| *value != 0.0)
}

fn scaled_by_roots(d: &[f64], x: &[Expression]) -> Vec<Expression> {
    d.iter().zip(x).filter(|(d, _)| **d > 0.0).map(|(d, x)| x.clone().times(d.sqrt())).collect()
}

/// Expressions whose squares sum up to x'Q x, from the eigenvectors of Q: it may be singular.
fn roots(q: &Form, x: &[Expression]) -> Option<Vec<Expression>> {
    let n = q.order();
    (n <= LARGEST_FACTOR).then_some(())?;
    let mut dense = vec![0.0; n * n];
    q.for_each_pair(|i, j, value| dense[j * n + i] = value);
    let eigen = MatRef::from_column_major_slice(&dense, n, n).self_adjoint_eigen(Side::Lower).ok()?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let largest = (0..n).fold(0.0f64, |largest, k| largest.max(values[k]));
    let part = |k: usize| {
        let root = values[k].sqrt();
        Expression::combination((0..n).map(|i| (i, root * vectors[(i, k)])), x)
    };
    Some((0..n).filter(|k| values[*k] > f64::EPSILON * n as f64 * largest).map(part).collect())
}
