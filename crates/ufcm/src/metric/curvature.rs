//! The metric of the second derivatives: H + delta I, with H = sum_j l_j ∇²g_j or what is known of it.

use super::dense::Dense;
use super::low_rank::LowRank;
use super::second_order::Kind;
use super::sketch;
use crate::kernel::simd;
use crate::metric::tuning::curvature::{FEW_POWER_STEPS, LARGE_ORDER, POWER_STEPS};
use crate::oracle::{Curvature, OracleError};
use crate::problem::Problem;
use std::sync::Arc;

/// H, a symmetric positive semidefinite matrix, and delta > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvatureMetric {
    matrix: Arc<CurvatureMatrix>,
    delta: f64,
    /// delta relative to the largest eigenvalue of H.
    damping: f64,
    /// Where H comes from.
    kind: Kind,
    /// At least the largest eigenvalue of H.
    bound: f64,
}

/// H in one of its forms: the model step needs products with it, and solutions on a set of free variables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CurvatureMatrix {
    Dense(Dense),
    LowRank(LowRank),
}

impl CurvatureMatrix {
    pub(crate) fn order(&self) -> usize {
        match self {
            Self::Dense(dense) => dense.order(),
            Self::LowRank(low_rank) => low_rank.order(),
        }
    }

    /// `out = H v`
    fn apply(&self, v: &[f64], out: &mut [f64]) {
        match self {
            Self::Dense(dense) => dense.apply(v, out),
            Self::LowRank(low_rank) => low_rank.apply(v, out),
        }
    }

    fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Dense(dense) => dense.inner(a, b),
            Self::LowRank(low_rank) => low_rank.inner(a, b),
        }
    }

    fn bound(&self) -> f64 {
        match self {
            Self::Dense(dense) => dense.bound(),
            Self::LowRank(low_rank) => low_rank.bound(),
        }
    }

    fn largest_eigenvalue(&self) -> f64 {
        let n = self.order();
        // Any fixed vector without structure will do.
        let mut v: Vec<f64> = (0..n).map(|i| 1.0 + ((i as f64 + 1.0) * 12.9898).sin()).collect();
        let mut image = vec![0.0; n];
        let mut value = 0.0;
        for _ in 0..if n > LARGE_ORDER { FEW_POWER_STEPS } else { POWER_STEPS } {
            let norm = simd::dot(&v, &v).sqrt();
            if norm == 0.0 {
                break;
            }
            v.iter_mut().for_each(|v| *v /= norm);
            self.apply(&v, &mut image);
            value = simd::dot(&v, &image);
            std::mem::swap(&mut v, &mut image);
        }
        value
    }
}

impl CurvatureMetric {
    /// Whether all curved rows can tell their Hessians.
    #[must_use]
    pub fn is_available(problem: &Problem) -> bool {
        all_curved(problem, |_| true)
    }

    /// Whether all curved rows can tell products with their Hessians.
    #[must_use]
    pub fn has_products(problem: &Problem) -> bool {
        all_curved(problem, |curvature| curvature.has_products())
    }

    /// H of this kind, and `damping` times its largest eigenvalue for delta. `None` where H is 0 or not finite: there is no
    /// metric then.
    pub(crate) fn damped(kind: Kind, matrix: CurvatureMatrix, damping: f64) -> Option<Self> {
        let bound = matrix.bound();
        if !(bound > 0.0 && bound.is_finite()) {
            return None;
        }
        let delta = damping * matrix.largest_eigenvalue();
        (delta > 0.0).then(|| Self { matrix: Arc::new(matrix), delta, damping, kind, bound })
    }

    /// The same H with this damping.
    pub(crate) fn with_damping(&self, damping: f64) -> Self {
        Self { delta: self.delta * (damping / self.damping), damping, ..self.clone() }
    }

    /// s D H D, in units in which points are D^-1 x and values s F; damped as this is. `None` as in
    /// [`CurvatureMetric::damped`].
    pub(crate) fn in_units(&self, s: f64, columns: impl Fn(usize) -> f64) -> Option<Self> {
        let matrix = match &*self.matrix {
            CurvatureMatrix::Dense(dense) => CurvatureMatrix::Dense(dense.in_units(s, columns)),
            CurvatureMatrix::LowRank(low_rank) => CurvatureMatrix::LowRank(low_rank.in_units(s, columns)),
        };
        Self::damped(self.kind, matrix, self.damping)
    }

    /// H = sum_j l_j ∇²g_j(x), dense; `None` as where it is 0 or not finite.
    ///
    /// # Errors
    /// A component that failed.
    pub fn dense(
        problem: &Problem,
        x: &[f64],
        multipliers: &[f64],
        damping: f64,
    ) -> Result<Option<Self>, OracleError> {
        Self::sampled(problem, x, multipliers, 1.0, damping)
    }

    /// As [`CurvatureMetric::dense`], from this share of the data.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn sampled(
        problem: &Problem,
        x: &[f64],
        multipliers: &[f64],
        share: f64,
        damping: f64,
    ) -> Result<Option<Self>, OracleError> {
        let hessian = Dense::hessian(problem, x, multipliers, share)?;
        Ok(Self::damped(Kind::Hessian, CurvatureMatrix::Dense(hessian), damping))
    }

    /// A diagonal plus at most `rank` rank-one terms that stand for the H of [`CurvatureMetric::dense`], from as many
    /// products with it; `None` as there.
    ///
    /// # Errors
    /// A component that failed.
    pub fn sketched(
        problem: &Problem,
        x: &[f64],
        multipliers: &[f64],
        rank: usize,
        damping: f64,
    ) -> Result<Option<Self>, OracleError> {
        let sketch = sketch::low_rank(problem, x, multipliers, rank)?;
        Ok(sketch.and_then(|sketch| Self::damped(Kind::Sketch, CurvatureMatrix::LowRank(sketch), damping)))
    }

    /// delta.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// delta relative to the largest eigenvalue of H.
    pub(crate) fn damping(&self) -> f64 {
        self.damping
    }

    /// Where H comes from.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// At least the largest eigenvalue of H.
    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// Whether H is that of the other, whatever the damping.
    pub(super) fn has_matrix_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.matrix, &other.matrix)
    }

    /// H.
    pub(crate) fn matrix(&self) -> &CurvatureMatrix {
        &self.matrix
    }

    /// `out = H v`
    pub(crate) fn apply(&self, v: &[f64], out: &mut [f64]) {
        self.matrix.apply(v, out);
    }

    /// <a, (H + delta I) b>
    pub(super) fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        self.matrix.inner(a, b) + self.delta * simd::dot(a, b)
    }
}

/// Whether there are curved rows, and all of them know of their curvature what is asked for.
fn all_curved(problem: &Problem, knows: impl Fn(&dyn Curvature) -> bool) -> bool {
    let mut curved = (0..problem.rows()).filter(|&row| !problem.is_affine(row)).peekable();
    let of_row = |row: usize| problem.component(row).and_then(|g| g.curvature()).is_some_and(&knows);
    curved.peek().is_some() && curved.all(of_row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{Custom, Quadratic};
    use crate::matrix::Matrix;
    use crate::problem::IntoConstraint;

    fn problem() -> Problem {
        let q = Quadratic::new(&Matrix::row_major(2, 2, vec![2.0, 1.0, 1.0, 3.0]).unwrap()).unwrap();
        Problem::minimise(q)
            .subject_to(Quadratic::diagonal(vec![0.0, 4.0]).unwrap().at_most(1.0))
            .build()
            .unwrap()
    }

    #[test]
    fn hessians_add_up_with_the_multipliers() {
        let problem = problem();
        assert!(CurvatureMetric::is_available(&problem) && CurvatureMetric::has_products(&problem));
        let metric = CurvatureMetric::dense(&problem, &[0.3, 0.4], &[1.0, 0.5], 0.1).unwrap().unwrap();
        let mut image = [0.0; 2];
        metric.apply(&[1.0, 10.0], &mut image);
        assert_eq!(image, [12.0, 51.0]);
        let largest = 3.5 + 3.25f64.sqrt();
        assert!((metric.delta() - 0.1 * largest).abs() < 1e-6 && metric.bound() >= largest);
        let expected = 12.0 + 510.0 + metric.delta() * 101.0;
        assert!((metric.inner(&[1.0, 10.0], &[1.0, 10.0]) - expected).abs() < 1e-9);
        let none = CurvatureMetric::dense(&problem, &[0.0, 0.0], &[0.0, 0.0], 0.1).unwrap();
        assert_eq!(none, None, "nothing is curved");
    }

    #[test]
    fn a_sketch_of_full_rank_is_the_hessian_and_one_of_less_keeps_the_diagonal_in_sight() {
        let (problem, x, l) = (problem(), [0.3, 0.4], [1.0, 0.5]);
        let product = |metric: &CurvatureMetric, v: [f64; 2]| {
            let mut image = [0.0; 2];
            metric.apply(&v, &mut image);
            image
        };
        let whole = CurvatureMetric::sketched(&problem, &x, &l, 5, 0.1).unwrap().unwrap();
        let [a, b] = product(&whole, [1.0, 10.0]);
        assert!((a - 12.0).abs() < 1e-6 && (b - 51.0).abs() < 1e-6, "{a} {b}");
        let part = CurvatureMetric::sketched(&problem, &x, &l, 1, 0.1).unwrap().unwrap();
        let (first, second) = (product(&part, [1.0, 0.0])[0], product(&part, [0.0, 1.0])[1]);
        assert!(
            first >= 2.0 - 1e-12 && second >= 5.0 - 1e-12,
            "what is left of the diagonal is damped upwards"
        );
        assert_eq!(CurvatureMetric::sketched(&problem, &x, &[0.0, 0.0], 5, 0.1).unwrap(), None);
    }

    #[test]
    fn black_boxes_have_none() {
        let black_box = Custom::new(1, |x, _| Ok(x[0])).unwrap();
        assert!(!CurvatureMetric::is_available(&Problem::minimise(black_box).build().unwrap()));
    }
}
