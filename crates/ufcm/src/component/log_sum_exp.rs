//! log of sum over i of exp(a_i.x + b_i).

use super::glm::fields::{MATRIX, OFFSETS, samples};
use crate::budget::Budget;
use crate::catalogue::{ComponentEntry, Kind, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, check_finite, check_length};
use crate::kernel::{self, RowFold, simd};
use crate::matrix::Matrix;
use crate::oracle::{Component, Curvature, Grounds, OracleError, Smoothness};
use crate::pool::Pool;
use std::sync::{Arc, OnceLock};

const KIND: &str = "log-sum-exp";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "log_sum_exp",
        aliases: &[],
        formula: "log sum exp(a_i.x + b_i)",
        about: "The log-sum-exp of affine functions: a smooth maximum.",
        fields: &[MATRIX, OFFSETS],
        example: r#">>> ufcm.log_sum_exp([[1.0], [-1.0]])([1e4])    # nothing overflows
10000.0"#,
    },
    build: |values| {
        let (matrix, offsets) = samples(values, "offset")?;
        Ok(Arc::new(LogSumExp::new(matrix, offsets)?))
    },
};

/// The log-sum-exp of affine functions: a smooth max, and the log form of a posynomial.
///
/// ```
/// use ufcm::component::LogSumExp;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let g = LogSumExp::new(Matrix::row_major(2, 1, vec![1.0, -1.0])?, vec![0.0, 0.0])?;
/// assert!((g.evaluate(&[0.0], None)? - 2f64.ln()).abs() < 1e-15);
/// assert_eq!(g.evaluate(&[1e4], None)?, 1e4); // no overflow
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LogSumExp {
    data: Arc<Matrix>,
    offsets: Vec<f64>,
    pool: Pool,
    facts: OnceLock<Facts>,
}

/// Bounds over all points, found at first need.
#[derive(Debug, Clone)]
struct Facts {
    /// Of the largest eigenvalue of the Hessian.
    eigenvalue: f64,
    /// Of the diagonal of the Hessian.
    diagonal: Vec<f64>,
}

impl LogSumExp {
    /// log sum exp(a_i.x + b_i) over the rows a_i of `data`.
    ///
    /// # Errors
    /// Lengths that do not agree, empty data, or an offset that is not finite.
    pub fn new(data: impl Into<Arc<Matrix>>, offsets: Vec<f64>) -> Result<Self, DataError> {
        let data = data.into();
        for (field, size) in [("data rows", data.rows()), ("data columns", data.columns())] {
            if size == 0 {
                return Err(DataError::new(KIND, DataProblem::Empty { field }));
            }
        }
        check_length(KIND, "offsets", data.rows(), offsets.len())?;
        check_finite(KIND, "offsets", &offsets)?;
        Ok(Self { data, offsets, pool: Pool::default(), facts: OnceLock::new() })
    }

    /// The Hessian is the covariance of the rows under weights p. A variance over an interval of half-width d is at
    /// most d^2 (the diagonal), and the covariance is at most the second moment about any fixed centre (the norm).
    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let (n, rows) = (self.data.columns(), self.data.rows());
            let (mut low, mut high) = (vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]);
            let mut stored = vec![0usize; n];
            self.data.for_each(|_, j, a| {
                low[j] = low[j].min(a);
                high[j] = high[j].max(a);
                stored[j] += 1;
            });
            for j in (0..n).filter(|&j| stored[j] < rows) {
                low[j] = low[j].min(0.0);
                high[j] = high[j].max(0.0);
            }
            let centre: Vec<f64> = low.iter().zip(&high).map(|(l, h)| l.midpoint(*h)).collect();
            // |a_i - centre|^2 = |centre|^2 + sum over stored entries of (a - c)^2 - c^2
            let base: f64 = centre.iter().map(|c| c * c).sum();
            let mut distance = vec![base; rows];
            self.data.for_each(|i, j, a| distance[i] += a * (a - 2.0 * centre[j]));
            let farthest = distance.iter().copied().fold(0.0, f64::max);
            let diagonal = low.iter().zip(&high).map(|(l, h)| (0.5 * (h - l)).powi(2)).collect::<Vec<_>>();
            let trace: f64 = diagonal.iter().sum();
            // A hair more, for the rounding of the differences.
            Facts { eigenvalue: farthest.min(trace) + 1e-14 * base, diagonal }
        })
    }

    fn check_point(&self, x: &[f64], gradient: Option<&[f64]>) -> Result<(), OracleError> {
        OracleError::check_point(self.data.columns(), x, gradient)
    }

    /// Turns products into the weights p_i (which sum to 1), in place; returns the value.
    fn softmax(&self, t: &mut [f64]) -> Result<f64, OracleError> {
        let mut state = self.start();
        self.tile(&mut state, 0, t);
        t.iter_mut().for_each(|p| *p /= state.sum());
        OracleError::check_value(state.value())
    }
}

/// The terms t_i + b_i so far: the largest, and the sum of exp(t_i + b_i - largest) over the others. Nothing
/// overflows, and the largest term, which is exp(0), does not drown the small ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    largest: f64,
    others: f64,
}

impl Terms {
    fn value(&self) -> f64 {
        self.largest + self.others.ln_1p()
    }

    fn sum(&self) -> f64 {
        1.0 + self.others
    }

    /// exp(from - to), with nothing (from = -inf) staying nothing.
    fn shift(from: f64, to: f64) -> f64 {
        if from == f64::NEG_INFINITY { 0.0 } else { (from - to).exp() }
    }
}

impl RowFold for LogSumExp {
    type State = Terms;

    fn start(&self) -> Terms {
        Terms { largest: f64::NEG_INFINITY, others: 0.0 }
    }

    fn tile(&self, state: &mut Terms, first: usize, t: &mut [f64]) -> f64 {
        let (mut largest, mut top) = (state.largest, None);
        for (k, t) in t.iter_mut().enumerate() {
            *t += self.offsets[first + k];
            if *t > largest {
                (largest, top) = (*t, Some(k));
            }
        }
        let rescale = if top.is_some() { Terms::shift(state.largest, largest) } else { 1.0 };
        let mut others = if top.is_some() { state.sum() * rescale } else { state.others };
        for (k, t) in t.iter_mut().enumerate() {
            *t = (*t - largest).exp();
            if top != Some(k) {
                others += *t;
            }
        }
        *state = Terms { largest, others };
        rescale
    }

    fn merge(&self, state: &mut Terms, later: &Terms) {
        let (high, low) = if later.largest > state.largest { (later, &*state) } else { (&*state, later) };
        let others = high.others + low.sum() * Terms::shift(low.largest, high.largest);
        *state = Terms { largest: high.largest, others };
    }

    fn share(&self, total: &Terms, block: &Terms) -> f64 {
        Terms::shift(block.largest, total.largest)
    }
}

impl Component for LogSumExp {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> usize {
        self.data.columns()
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.check_point(x, gradient.as_deref())?;
        let terms = kernel::evaluate(&self.data, Some(x), gradient.as_deref_mut(), self, &self.pool);
        if let Some(gradient) = gradient {
            gradient.iter_mut().for_each(|g| *g /= terms.sum());
        }
        OracleError::check_value(terms.value())
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: self.facts().eigenvalue, exponent: 1.0 })
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn operations(&self) -> Option<u64> {
        Some(4 * self.data.stored() as u64 + 20 * self.data.rows() as u64)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut rows = Vec::with_capacity(self.offsets.len());
        for (i, b) in self.offsets.iter().enumerate() {
            rows.push(self.data.view_row(i).expression(x).shifted(*b));
        }
        Some(form.log_sum_exp(&rows))
    }
}

impl Curvature for LogSumExp {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        self.check_point(x, None)?;
        OracleError::check_length("diagonal", self.dimension(), diagonal.len())?;
        self.pool.with(self.data.rows(), |p| {
            self.data.apply(x, p);
            self.softmax(p)?;
            self.pool.with(2 * diagonal.len(), |buffer| {
                let (squares, mean) = buffer.split_at_mut(diagonal.len());
                kernel::weighted_squares(&self.data, p, squares, &self.pool);
                kernel::transpose_product(&self.data, p, mean, &self.pool);
                for ((d, square), mean) in diagonal.iter_mut().zip(squares).zip(mean) {
                    *d += weight * (*square - *mean * *mean).max(0.0);
                }
            });
            Ok(())
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, &Budget::unlimited())
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        let n = self.dimension();
        budget.component()?;
        self.check_point(x, None)?;
        OracleError::check_length("hessian", n * n, hessian.len())?;
        self.pool.with(self.data.rows(), |p| {
            self.data.apply(x, p);
            self.softmax(p)?;
            self.pool.with(n, |mean| {
                kernel::transpose_product(&self.data, p, mean, &self.pool);
                p.iter_mut().for_each(|p| *p *= weight);
                kernel::add_gram(&self.data, p, hessian, &self.pool, budget)?;
                for j in 0..n {
                    for i in j..n {
                        hessian[j * n + i] -= weight * mean[i] * mean[j];
                    }
                }
                Ok(())
            })
        })
    }

    fn has_products(&self) -> bool {
        true
    }

    /// A'(diag(p) - p p') A v
    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        let (n, rows) = (self.dimension(), self.data.rows());
        self.check_point(x, None)?;
        OracleError::check_products(n, vectors, out)?;
        self.pool.with(rows, |p| {
            self.data.apply(x, p);
            self.softmax(p)?;
            self.pool.with(rows + n, |buffer| {
                let (image, product) = buffer.split_at_mut(rows);
                for (v, out) in vectors.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
                    self.data.apply(v, image);
                    let mean = simd::dot(p, image);
                    image.iter_mut().zip(&*p).for_each(|(t, p)| *t = p * (*t - mean));
                    kernel::transpose_product(&self.data, image, product, &self.pool);
                    simd::add_scaled(weight, product, out);
                }
            });
            Ok(())
        })
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        diagonal.iter_mut().zip(&self.facts().diagonal).for_each(|(d, bound)| *d += weight * bound);
        true
    }
}
