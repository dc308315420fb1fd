//! Softmax cross-entropy: sum over i of c_i (log sum over k of exp(a_i.x_k) - a_i.x_{y_i}) for labels y_i = 0, ..., K - 1.

mod curvature;
mod exponentials;

use crate::catalogue::{ComponentEntry, Field, FieldType, Kind, Section};
use crate::component::glm::fields::{MATRIX, REDUCTION, WEIGHTS, reduction, samples};
use crate::component::glm::{Coefficients, Facts, KeptSample, OPERATIONS_PER_LOSS, Reduction, check_samples};
use crate::error::{DataError, Position, check_length};
use crate::kernel::{self, SeveralFold, simd};
use crate::matrix::Matrix;
use crate::oracle::{Component, Curvature, Grounds, OracleError, Smoothness};
use crate::pool::Pool;
use crate::ranks::Split;
use exponentials::Exponentials;
use std::sync::{Arc, OnceLock};

const KIND: &str = "multinomial logistic loss";
/// Rows whose losses are worked out at a time: a tile of the pass over the data.
const CHUNK: usize = 64;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "multinomial_logistic",
        aliases: &[],
        formula: "mean of log sum_k exp(a_i.x_k) - a_i.x_{y_i}",
        about: "Softmax cross-entropy over K classes: the variables are K vectors of weights, one class after the other.",
        fields: &[
            MATRIX,
            Field::new("target", FieldType::Labels, "the classes")
                .symbol("y")
                .bounds("whole numbers from 0 to K - 1")
                .sample("[1, 0, 2]")
                .blamed_as(&["labels"]),
            Field::new("classes", FieldType::Count, "K").bounds("at least 2").sample("3"),
            WEIGHTS,
            REDUCTION,
        ],
        example: r#">>> f = ufcm.multinomial_logistic([[1.0, 0.5], [1.0, -2.0]], [0, 2], classes=3)
>>> f.n, round(f([0.0] * 6), 12)      # log 3
(6, 1.098612288668)"#,
    },
    build: |values| {
        let (matrix, labels) = samples(values, "target")?;
        let rows = matrix.rows();
        let mut loss = MultinomialLogistic::new(matrix, &labels, values.count("classes")?)?;
        loss = loss.reduced_by(reduction(values)?);
        if let Some(weights) = values.spread("weights", Some(rows))? {
            loss = loss.weighted(weights)?;
        }
        Ok(Arc::new(loss))
    },
};

/// The multinomial logistic loss over K classes, mean over the samples unless told otherwise.
///
/// The variables are K vectors of n weights, one for each class, **one class after the other**: entry k n + j is the weight
/// of feature j for class k. A class's scores are then products with a contiguous vector, and so is its part of the gradient.
///
/// # Smoothness
///
/// The Hessian is the sum over i of c_i (diag(p_i) - p_i p_i') ⊗ a_i a_i', with p_i the probabilities of the classes. Row k of
/// diag(p) - pp' has the absolute sum p_k (1 - p_k) + p_k sum over l != k of p_l = 2 p_k (1 - p_k) <= 1/2, so that matrix is at
/// most I/2 (Gershgorin), and the Hessian at most I ⊗ A'CA / 2: with a bound b of the eigenvalues of A'CA, C = diag(c), the
/// gradient is b/2-Lipschitz. Its diagonal is at most that of A'CA / 4 in each class, for p_k (1 - p_k) <= 1/4.
///
/// ```
/// use ufcm::component::MultinomialLogistic;
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
///
/// let data = Matrix::row_major(2, 1, vec![1.0, -1.0])?;
/// let loss = MultinomialLogistic::new(data, &[0.0, 2.0], 3)?; // 3 classes
/// assert_eq!(loss.dimension(), 3);
/// let mut gradient = [0.0; 3];
/// let value = loss.evaluate(&[0.0; 3], Some(&mut gradient))?;
/// assert!((value - 3f64.ln()).abs() < 1e-15);
/// assert!((gradient[0] + 0.5).abs() < 1e-15 && (gradient[2] - 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultinomialLogistic {
    data: Arc<Matrix>,
    labels: Vec<usize>,
    classes: usize,
    coefficients: Coefficients,
    pool: Pool,
    facts: OnceLock<Facts>,
    /// For Hessians from some of the samples.
    sample: KeptSample,
}

impl MultinomialLogistic {
    /// Mean of log sum_k exp(a_i.x_k) - a_i.x_{y_i} over the rows a_i of `data`; `labels` are whole numbers from 0 to
    /// `classes` - 1.
    ///
    /// # Errors
    /// Fewer than two classes, lengths that do not agree, empty data, or a label that names no class.
    pub fn new(data: impl Into<Arc<Matrix>>, labels: &[f64], classes: usize) -> Result<Self, DataError> {
        let data = data.into();
        check_samples(KIND, &data)?;
        if classes < 2 {
            let (position, expected) = (Position::Scalar, "at least 2");
            return Err(DataError::out_of_range(KIND, "classes", position, classes as f64, expected));
        }
        check_length(KIND, "labels", data.rows(), labels.len())?;
        let class = |(i, &label): (usize, &f64)| {
            let names_one = label >= 0.0 && label < classes as f64 && label.fract() == 0.0;
            let expected = "a whole number from 0 to one less than the number of classes";
            let error = || DataError::out_of_range(KIND, "labels", Position::Entry(i), label, expected);
            if names_one { Ok(label as usize) } else { Err(error()) }
        };
        let labels = labels.iter().enumerate().map(class).collect::<Result<_, _>>()?;
        let coefficients = Coefficients::new(data.rows(), Reduction::Mean);
        let (pool, facts, sample) = (Pool::default(), OnceLock::new(), KeptSample::default());
        Ok(Self { data, labels, classes, coefficients, pool, facts, sample })
    }

    /// Weights for the samples, finite and nonnegative.
    ///
    /// # Errors
    /// The wrong number of weights, one that is negative or not finite, or a mean over weights that are all zero.
    pub fn weighted(mut self, weights: Vec<f64>) -> Result<Self, DataError> {
        self.coefficients = self.coefficients.weighted(KIND, weights)?;
        self.facts = OnceLock::new();
        Ok(self)
    }

    /// Mean or sum over the samples.
    #[must_use]
    pub fn reduced_by(mut self, reduction: Reduction) -> Self {
        self.coefficients = self.coefficients.reduced_by(reduction);
        self.facts = OnceLock::new();
        self
    }

    /// The number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::new(&self.data, |i| self.coefficients.at(i), &self.pool))
    }

    fn check_point(&self, x: &[f64], gradient: Option<&[f64]>) -> Result<(), OracleError> {
        OracleError::check_point(self.dimension(), x, gradient)
    }

    /// The value if it is finite; else the first sample with a score beyond the range of f64.
    fn finite(&self, value: f64, x: &[f64]) -> Result<f64, OracleError> {
        if value.is_finite() {
            return Ok(value);
        }
        let n = self.data.columns();
        for term in 0..self.data.rows() {
            let scores = x.chunks_exact(n).map(|x| self.data.view_row(term).dot(x));
            if let Some(argument) = scores.into_iter().find(|t| !t.is_finite()) {
                return Err(OracleError::Overflow { term, argument });
            }
        }
        Err(OracleError::NotFinite { what: "value", index: None, value })
    }

    /// The probabilities of all classes at `x` for the rows of `data`, in a buffer: those of the first class for all rows, then those of the
    /// next.
    fn with_probabilities<T>(
        &self,
        data: &Matrix,
        x: &[f64],
        work: impl FnOnce(&[f64]) -> T,
    ) -> Result<T, OracleError> {
        self.check_point(x, None)?;
        let (n, rows) = (data.columns(), data.rows());
        self.pool.with(self.classes * rows, |p| {
            for (x, t) in x.chunks_exact(n).zip(p.chunks_exact_mut(rows)) {
                data.apply(x, t);
            }
            for first in (0..rows).step_by(CHUNK) {
                let range = first..(first + CHUNK).min(rows);
                let parts = (0..self.classes).map(|k| k * rows + range.start..k * rows + range.end);
                let sums = Exponentials::of(p, parts.clone());
                parts.for_each(|part| sums.normalise(&mut p[part]));
            }
            OracleError::check_finite("probabilities", p)?;
            Ok(work(p))
        })
    }
}

/// Sums losses and turns scores into derivatives.
impl SeveralFold for MultinomialLogistic {
    fn tile(&self, first: usize, rows: usize, t: &mut [f64], with_derivatives: bool) -> f64 {
        simd::vectorised(|| {
            let labels = &self.labels[first..first + rows];
            let mut own = [0.0; CHUNK];
            own.iter_mut().zip(labels).enumerate().for_each(|(i, (own, y))| *own = t[y * rows + i]);
            let parts = (0..self.classes).map(|k| k * rows..(k + 1) * rows);
            let sums = Exponentials::of(t, parts.clone());
            let loss = |(i, own): (usize, &f64)| self.coefficients.at(first + i) * sums.loss(i, *own);
            let sum = own[..rows].iter().enumerate().map(loss).sum();
            if with_derivatives {
                parts.for_each(|part| sums.normalise(&mut t[part]));
                self.derivatives(first, labels, t);
            }
            sum
        })
    }
}

impl Component for MultinomialLogistic {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> usize {
        self.classes * self.data.columns()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.check_point(x, gradient.as_deref())?;
        let value = kernel::evaluate_several(&self.data, x, gradient, self, &self.pool);
        self.finite(value, x)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 0.5 * self.facts().spread(1.0), exponent: 1.0 })
    }

    fn lower_bound(&self) -> Option<f64> {
        Some(0.0)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn split(&self) -> Split {
        self.coefficients.split()
    }

    fn operations(&self) -> Option<u64> {
        let (entries, rows) = (self.data.stored() as u64, self.data.rows() as u64);
        Some(self.classes as u64 * (4 * entries + OPERATIONS_PER_LOSS * rows))
    }
}

impl MultinomialLogistic {
    /// Turns the probabilities of a tile into the derivatives c_i (p_ik - 1 where k is the label).
    fn derivatives(&self, first: usize, labels: &[usize], t: &mut [f64]) {
        for (i, &y) in labels.iter().enumerate() {
            let c = self.coefficients.at(first + i);
            // p - 1 of the sample's own class is minus the sum of the others, which does not cancel.
            let mut missed = 0.0;
            for (k, r) in t[i..].iter_mut().step_by(labels.len()).enumerate() {
                *r *= c;
                missed += if k == y { 0.0 } else { *r };
            }
            t[y * labels.len() + i] = -missed;
        }
    }
}
