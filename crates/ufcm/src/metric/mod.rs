//! The norm in which steps are measured. The theory holds in any Euclidean norm; the number of steps depends on which.

pub(crate) mod choice;
mod curvature;
mod dense;
mod factors;
mod low_rank;
mod nystrom;
mod prox;
mod prox_system;
mod quasi_newton;
mod secant;
pub(crate) mod second_order;
mod sketch;
pub(crate) mod tuning;

pub(crate) use curvature::CurvatureMatrix;
pub use curvature::CurvatureMetric;
pub(crate) use dense::Dense;
pub(crate) use low_rank::LowRank;
pub(crate) use prox::{CurvedRegulariser, CurvedSolver};

use crate::kernel::{simd, sums};
use crate::metric::tuning::metric::{DAMPED_FLOOR, FLOOR};
use crate::oracle::Weight;
use crate::problem::Problem;
use std::sync::Arc;

/// |v|^2 = sum of v_i^2, or of d_i v_i^2, or v'(H + delta I)v.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// The plain Euclidean norm: always available.
    Scalar,
    /// A positive diagonal: for variables of different scales.
    Diagonal(Vec<f64>),
    /// Second derivatives, damped: for variables that are correlated.
    Curvature(Arc<CurvatureMetric>),
}

impl Metric {
    /// The diagonal that the components' own bounds of their curvature suggest (column norms of the data, the diagonal of
    /// Q), each curved row counting once; the plain norm where a row knows of none, or u has no prox in such a metric.
    #[must_use]
    pub fn from_hints(problem: &Problem) -> Self {
        let mut diagonal = vec![0.0; problem.dimension()];
        let mut curved = (0..problem.rows()).filter(|&row| !problem.is_affine(row));
        let known = curved.all(|row| {
            let curvature = problem.component(row).and_then(|component| component.curvature());
            curvature.is_some_and(|curvature| curvature.add_diagonal_bound(1.0, &mut diagonal))
        });
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        if known && largest > 0.0 && largest.is_finite() && problem.regulariser().has_diagonal_prox() {
            diagonal.iter_mut().for_each(|d| *d = d.max(FLOOR * largest));
            Self::Diagonal(diagonal)
        } else {
            Self::Scalar
        }
    }

    /// The geometric mean of each entry of [`Metric::from_hints`] and the largest: half-way, in logarithms, between those
    /// scales and the plain norm. For sparse data, where rare columns have small scales that a few samples decide.
    #[must_use]
    pub fn from_damped_hints(problem: &Problem) -> Self {
        match Self::from_hints(problem) {
            Self::Diagonal(mut diagonal) => {
                damp(&mut diagonal);
                Self::Diagonal(diagonal)
            }
            plain => plain,
        }
    }

    /// `scale` times the metric, or of its diagonal part where there is more to it, as the weight of a proximal term.
    #[must_use]
    pub fn weight(&self, scale: f64) -> Weight<'_> {
        match self {
            Self::Scalar => Weight::scalar(scale),
            Self::Diagonal(d) => Weight::diagonal(scale, d),
            Self::Curvature(metric) => Weight::scalar(scale * metric.delta()),
        }
    }

    /// The metric of curvature, if this is one.
    pub(crate) fn as_curvature(&self) -> Option<&Arc<CurvatureMetric>> {
        match self {
            Self::Curvature(metric) => Some(metric),
            _ => None,
        }
    }

    /// <a, b> in the metric.
    #[must_use]
    pub fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Scalar => a.iter().zip(b).map(|(a, b)| a * b).sum(),
            Self::Diagonal(d) => a.iter().zip(b).zip(d).map(|((a, b), d)| d * a * b).sum(),
            Self::Curvature(metric) => metric.inner(a, b),
        }
    }

    /// `out` = the gradient of `scale`/2 |v|^2.
    pub fn gradient(&self, scale: f64, v: &[f64], out: &mut [f64]) {
        match self {
            Self::Curvature(metric) => metric.apply(v, out),
            _ => out.fill(0.0),
        }
        let weight = self.weight(scale);
        for (i, (out, v)) in out.iter_mut().zip(v).enumerate() {
            *out = scale * *out + weight.at(i) * v;
        }
    }
}

/// d_i <- sqrt(d_i max d), floored: at least d_i, so that what d bounds this does too. False where no entry is positive.
fn damp(diagonal: &mut [f64]) -> bool {
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return false;
    }
    diagonal.iter_mut().for_each(|d| *d = (*d * largest).sqrt().max(DAMPED_FLOOR * largest));
    true
}

/// At least the largest absolute eigenvalue of a symmetric matrix: the smaller of its Frobenius norm and its largest row sum.
fn norm_bound(matrix: &[f64], order: usize) -> f64 {
    let frobenius = simd::dot(matrix, matrix).sqrt();
    matrix.chunks_exact(order.max(1)).map(sums::absolute_sum).fold(0.0, f64::max).min(frobenius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{Custom, Linear, Quadratic};
    use crate::problem::IntoConstraint;
    use crate::regulariser::AffineSet;

    #[test]
    fn hints_come_from_curved_rows_and_are_floored() {
        let g = Quadratic::diagonal(vec![4.0, 1.0, 0.0]).unwrap();
        let problem = Problem::minimise(g)
            .subject_to(Linear::new(vec![9.0, 9.0, 9.0], 0.0).unwrap().at_most(1.0))
            .build()
            .unwrap();
        assert_eq!(Metric::from_hints(&problem), Metric::Diagonal(vec![4.0, 1.0, 4.0 * FLOOR]));
        assert_eq!(Metric::from_damped_hints(&problem), Metric::Diagonal(vec![4.0, 2.0, 4.0 * DAMPED_FLOOR]));
    }

    #[test]
    fn without_hints_or_a_diagonal_prox_the_norm_is_plain() {
        let black_box = Custom::new(1, |x, g| {
            if let Some(g) = g {
                g[0] = 2.0 * x[0];
            }
            Ok(x[0] * x[0])
        });
        let problem = Problem::minimise(black_box.unwrap()).build().unwrap();
        assert_eq!(Metric::from_hints(&problem), Metric::Scalar);
        let set = AffineSet::new(vec![vec![1.0, 1.0]], vec![1.0]).unwrap();
        let problem =
            Problem::minimise(Quadratic::diagonal(vec![4.0, 1.0]).unwrap()).within(set).build().unwrap();
        assert_eq!(Metric::from_hints(&problem), Metric::Scalar);
    }
}
