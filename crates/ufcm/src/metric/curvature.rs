//! The metric of the second derivatives: H + delta I with H = sum_j l_j ∇²g_j.

use crate::kernel::simd;
use crate::oracle::OracleError;
use crate::problem::Problem;

/// Steps of the power method for the largest eigenvalue: it only sets the scale of the damping.
const POWER_STEPS: usize = 20;

/// H, a symmetric positive semidefinite matrix, and delta > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvatureMetric {
    n: usize,
    /// All of H, by columns.
    hessian: Vec<f64>,
    delta: f64,
    /// About the largest eigenvalue of H.
    scale: f64,
    /// At least the largest eigenvalue of H.
    bound: f64,
}

impl CurvatureMetric {
    /// Whether all curved rows can tell their Hessians.
    #[must_use]
    pub fn is_available(problem: &Problem) -> bool {
        let mut curved = (0..problem.rows()).filter(|&row| !problem.is_affine(row)).peekable();
        let knows = |row: usize| problem.component(row).is_some_and(|g| g.curvature().is_some());
        curved.peek().is_some() && curved.all(knows)
    }

    /// Storage for `n` variables, with H = 0 and delta = 1.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { n, hessian: vec![0.0; n * n], delta: 1.0, scale: 1.0, bound: 0.0 }
    }

    /// Takes H at `x` with these multipliers, and `damping` times its largest eigenvalue for delta. False where H is 0 or
    /// not finite: there is no metric then.
    ///
    /// # Errors
    /// A component that failed.
    pub fn form(
        &mut self,
        problem: &Problem,
        x: &[f64],
        multipliers: &[f64],
        damping: f64,
    ) -> Result<bool, OracleError> {
        self.hessian.fill(0.0);
        for (row, &l) in multipliers.iter().enumerate().filter(|(_, l)| **l > 0.0) {
            if let Some(curvature) = problem.component(row).and_then(|g| g.curvature()) {
                curvature.add_hessian(x, l, &mut self.hessian).map_err(|error| error.in_row(row))?;
            }
        }
        self.mirror();
        self.bound = self.norm_bound();
        if !(self.bound > 0.0 && self.bound.is_finite()) {
            return Ok(false);
        }
        self.scale = self.largest_eigenvalue();
        self.delta = damping * self.scale;
        Ok(self.scale > 0.0 && self.delta > 0.0)
    }

    /// Oracles write the lower triangle.
    fn mirror(&mut self) {
        for j in 0..self.n {
            for i in j + 1..self.n {
                self.hessian[i * self.n + j] = self.hessian[j * self.n + i];
            }
        }
    }

    /// The smaller of the Frobenius norm and the largest row sum.
    fn norm_bound(&self) -> f64 {
        let frobenius = simd::dot(&self.hessian, &self.hessian).sqrt();
        let row_sum = |row: &[f64]| row.iter().map(|h| h.abs()).sum::<f64>();
        self.hessian.chunks_exact(self.n).map(row_sum).fold(0.0, f64::max).min(frobenius)
    }

    fn largest_eigenvalue(&self) -> f64 {
        // Any fixed vector without structure will do.
        let mut v: Vec<f64> = (0..self.n).map(|i| 1.0 + ((i as f64 + 1.0) * 12.9898).sin()).collect();
        let mut image = vec![0.0; self.n];
        let mut value = 0.0;
        for _ in 0..POWER_STEPS {
            let norm = simd::dot(&v, &v).sqrt();
            if norm == 0.0 {
                break;
            }
            v.iter_mut().for_each(|v| *v /= norm);
            simd::row_dots(&self.hessian, &v, &mut image);
            value = simd::dot(&v, &image);
            std::mem::swap(&mut v, &mut image);
        }
        value
    }

    /// delta.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// At least the largest eigenvalue of H.
    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// All of H, by columns.
    pub(crate) fn entries(&self) -> &[f64] {
        &self.hessian
    }

    /// `out = H v`
    pub(crate) fn apply(&self, v: &[f64], out: &mut [f64]) {
        simd::row_dots(&self.hessian, v, out);
    }

    /// <a, (H + delta I) b>
    pub(super) fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        let columns = self.hessian.chunks_exact(self.n);
        let curved: f64 = columns.zip(b).map(|(column, b)| b * simd::dot(column, a)).sum();
        curved + self.delta * simd::dot(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{Custom, Quadratic};
    use crate::matrix::Matrix;
    use crate::problem::IntoConstraint;

    #[test]
    fn hessians_add_up_with_the_multipliers() {
        let q = Quadratic::new(&Matrix::row_major(2, 2, vec![2.0, 1.0, 1.0, 3.0]).unwrap()).unwrap();
        let problem = Problem::minimise(q)
            .subject_to(Quadratic::diagonal(vec![0.0, 4.0]).unwrap().at_most(1.0))
            .build()
            .unwrap();
        assert!(CurvatureMetric::is_available(&problem));
        let mut metric = CurvatureMetric::new(2);
        assert!(metric.form(&problem, &[0.3, 0.4], &[1.0, 0.5], 0.1).unwrap());
        let mut image = [0.0; 2];
        metric.apply(&[1.0, 10.0], &mut image);
        assert_eq!(image, [12.0, 51.0]);
        let largest = 3.5 + 3.25f64.sqrt();
        assert!((metric.delta() - 0.1 * largest).abs() < 1e-6 && metric.bound() >= largest);
        let expected = 12.0 + 510.0 + metric.delta() * 101.0;
        assert!((metric.inner(&[1.0, 10.0], &[1.0, 10.0]) - expected).abs() < 1e-9);
        assert!(!metric.form(&problem, &[0.0, 0.0], &[0.0, 0.0], 0.1).unwrap(), "nothing is curved");
    }

    #[test]
    fn black_boxes_have_none() {
        let black_box = Custom::new(1, |x, _| Ok(x[0])).unwrap();
        assert!(!CurvatureMetric::is_available(&Problem::minimise(black_box).build().unwrap()));
    }
}
