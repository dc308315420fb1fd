//! Losses over data: g(x) = sum over i of c_i loss(a_i.x + o_i, y_i), with offsets o_i that are mostly 0, and with c_i = w_i / sum w (the mean) or w_i (the sum).
//!
//! All losses share one type, [`Glm`], and one pass over the data; each file beside this one holds a scalar loss and
//! how to make the component from it.

mod coefficients;
mod curvature;
mod exponential;
mod facts;
pub(super) mod fields;
mod huber;
mod labels;
mod least_squares;
mod logistic;
mod offsets;
mod poisson;
mod power;
mod sample;
mod smoothed_hinge;
mod squared_hinge;

pub use coefficients::Reduction;
pub(super) use coefficients::{Coefficients, check_samples};
pub use exponential::{ExponentialLoss, ExponentialSum};
pub use huber::{Huber, HuberLoss};
pub use least_squares::{LeastSquares, SquaredLoss};
pub use logistic::{Logistic, LogisticLoss};
pub use poisson::{Poisson, PoissonLoss};
pub use power::{Power, PowerLoss};
pub use smoothed_hinge::{SmoothedHinge, SmoothedHingeLoss};
pub use squared_hinge::{SquaredHinge, SquaredHingeLoss};

use crate::catalogue::ComponentEntry;
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_finite, check_length};
use crate::kernel::{self, RowFold, simd};
use crate::matrix::Matrix;
use crate::oracle::{Component, Convexity, Curvature, ErrorRates, Grounds, OracleError, Smoothness};
use crate::pool::Pool;
use crate::ranks::Split;
pub(super) use facts::{Facts, OPERATIONS_PER_LOSS};
pub(super) use sample::KeptSample;
use std::sync::{Arc, OnceLock};

/// All losses.
pub(super) static LOSSES: &[ComponentEntry] = &[
    logistic::ENTRY,
    squared_hinge::ENTRY,
    smoothed_hinge::ENTRY,
    least_squares::ENTRY,
    huber::ENTRY,
    power::ENTRY,
    poisson::ENTRY,
    exponential::ENTRY,
];

/// A convex function of one product t = a.x and one target y.
pub trait Loss: Clone + Send + Sync + 'static {
    /// The component's name in messages.
    const KIND: &'static str;

    /// What the targets are called in messages.
    const TARGETS: &'static str = "targets";

    /// loss(t, y).
    fn value(&self, t: f64, y: f64) -> f64;

    /// loss(t, y) and its derivative (a subgradient at a kink) in t.
    fn value_and_derivative(&self, t: f64, y: f64) -> (f64, f64);

    /// The second derivative in t (an element of the generalised one at a kink of the derivative), or the curvature of a
    /// quadratic that touches the loss at t and lies above it; `None` where the loss has none that is useful.
    fn second_derivative(&self, t: f64, y: f64) -> Option<f64>;

    /// (C, p) with |loss'(s) - loss'(t)| <= C |s - t|^p for all s, t and targets, if there is one.
    fn smoothness(&self) -> Option<Smoothness>;

    /// Its numbers, such as where it bends.
    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The infimum of the loss over t.
    fn infimum(&self, y: f64) -> f64;

    /// Whether the second derivative is nowhere less than at one of the ends of an interval, whatever the interval: it grows and
    /// then falls, or does one of both. Where it is not a derivative this is not so.
    const IS_LEAST_AT_ENDS: bool = false;

    /// Whether this is (t - y)^2 / 2.
    const IS_SQUARE: bool = false;

    /// Whether it is quadratic in t on each side of a few kinks of its derivative.
    const IS_PIECEWISE_QUADRATIC: bool = Self::IS_SQUARE;

    /// loss(t, y), as part of a conic program.
    fn conic(&self, form: &mut Form, t: &Expression, y: f64) -> Option<Expression>;
}

/// A loss over data. Made by [`Logistic::new`], [`LeastSquares::new`] and the like.
#[derive(Debug, Clone)]
pub struct Glm<L> {
    loss: L,
    data: Arc<Matrix>,
    targets: Vec<f64>,
    /// o_i; none are all 0.
    offsets: Option<Arc<[f64]>>,
    coefficients: Coefficients,
    pool: Pool,
    facts: OnceLock<Facts>,
    sample: KeptSample,
}

impl<L: Loss> Glm<L> {
    fn from_parts(
        loss: L,
        data: Arc<Matrix>,
        targets: Vec<f64>,
        reduction: Reduction,
    ) -> Result<Self, DataError> {
        check_samples(L::KIND, &data)?;
        check_length(L::KIND, L::TARGETS, data.rows(), targets.len())?;
        check_finite(L::KIND, L::TARGETS, &targets)?;
        let coefficients = Coefficients::new(data.rows(), reduction);
        Ok(Self {
            loss,
            data,
            targets,
            offsets: None,
            coefficients,
            pool: Pool::default(),
            facts: OnceLock::new(),
            sample: KeptSample::default(),
        })
    }

    /// Weights for the samples, finite and nonnegative.
    ///
    /// # Errors
    /// The wrong number of weights, one that is negative or not finite, or a mean over weights that are all zero.
    pub fn weighted(mut self, weights: Vec<f64>) -> Result<Self, DataError> {
        self.coefficients = self.coefficients.weighted(L::KIND, weights)?;
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

    /// c_i.
    #[inline]
    fn coefficient(&self, i: usize) -> f64 {
        self.coefficients.at(i)
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::new(&self.data, |i| self.coefficient(i), &self.pool))
    }

    fn check_point(&self, x: &[f64], gradient: Option<&[f64]>) -> Result<(), OracleError> {
        OracleError::check_point(self.data.columns(), x, gradient)
    }

    /// The sum of `term(t_k, y_k, c_k)` over the rows that start at `first`. Terms are written down before they are
    /// summed, so that the loop over them vectorises.
    #[inline(always)]
    fn fold_rows(&self, first: usize, t: &mut [f64], term: impl Fn(&mut f64, f64, f64) -> f64) -> f64 {
        const CHUNK: usize = 64;
        let scale = self.coefficients.scale();
        simd::vectorised(|| {
            let (mut values, mut sum) = ([0.0; CHUNK], 0.0);
            for (k, t) in t.chunks_mut(CHUNK).enumerate() {
                let rows = first + k * CHUNK..first + k * CHUNK + t.len();
                let (values, targets) = (&mut values[..t.len()], &self.targets[rows.clone()]);
                match self.coefficients.weights() {
                    None => {
                        for ((value, t), y) in values.iter_mut().zip(t).zip(targets) {
                            *value = term(t, *y, scale);
                        }
                    }
                    Some(weights) => {
                        for (((value, t), y), w) in values.iter_mut().zip(t).zip(targets).zip(&weights[rows])
                        {
                            *value = term(t, *y, w * scale);
                        }
                    }
                }
                sum += values.iter().sum::<f64>();
            }
            sum
        })
    }

    /// The value if it is finite; else the first sample that is to blame.
    fn finite(&self, value: f64, x: &[f64]) -> Result<f64, OracleError> {
        if value.is_finite() {
            return Ok(value);
        }
        self.pool.with(self.data.rows(), |t| {
            self.products(x, t);
            let guilty =
                |i: &usize| !(self.coefficient(*i) * self.loss.value(t[*i], self.targets[*i])).is_finite();
            Err(match (0..t.len()).find(guilty) {
                Some(term) => OracleError::Overflow { term, argument: t[term] },
                None => OracleError::NotFinite { what: "value", index: None, value },
            })
        })
    }

    /// c_i loss''(t_i), in a buffer.
    fn with_second_derivatives<T>(
        &self,
        x: &[f64],
        work: impl FnOnce(&mut [f64]) -> T,
    ) -> Result<T, OracleError> {
        self.check_point(x, None)?;
        self.pool.with(self.data.rows(), |t| {
            self.products(x, t);
            t.iter_mut().enumerate().try_for_each(|(i, t)| self.differentiate_twice(i, t))?;
            Ok(work(t))
        })
    }

    /// Turns t = a_i.x + o_i into c_i loss''(t).
    fn differentiate_twice(&self, i: usize, t: &mut f64) -> Result<(), OracleError> {
        let second = self.loss.second_derivative(*t, self.targets[i]);
        let weighted = self.coefficient(i) * second.unwrap_or(f64::NAN);
        if !weighted.is_finite() {
            return Err(OracleError::Overflow { term: i, argument: *t });
        }
        *t = weighted;
        Ok(())
    }
}

/// Sums losses and turns products into derivatives.
impl<L: Loss> RowFold for Glm<L> {
    type State = f64;

    fn start(&self) -> f64 {
        0.0
    }

    fn tile(&self, sum: &mut f64, first: usize, t: &mut [f64]) -> f64 {
        self.add_offsets(first, t);
        *sum += self.fold_rows(first, t, |t, y, c| {
            let (value, derivative) = self.loss.value_and_derivative(*t, y);
            *t = c * derivative;
            c * value
        });
        1.0
    }

    fn tile_value(&self, sum: &mut f64, first: usize, t: &mut [f64]) {
        self.add_offsets(first, t);
        *sum += self.fold_rows(first, t, |t, y, c| c * self.loss.value(*t, y));
    }

    fn merge(&self, sum: &mut f64, later: &f64) {
        *sum += later;
    }

    fn share(&self, _: &f64, _: &f64) -> f64 {
        1.0
    }
}

/// Sums losses, and counts which products have the sign of their label.
struct Judged<'a, L>(&'a Glm<L>);

impl<L: Loss> RowFold for Judged<'_, L> {
    type State = (f64, ErrorRates);

    fn start(&self) -> Self::State {
        (self.0.start(), ErrorRates::default())
    }

    fn tile(&self, (sum, rates): &mut Self::State, first: usize, t: &mut [f64]) -> f64 {
        for (k, t) in t.iter().enumerate() {
            rates.count(self.0.targets[first + k], t + self.0.offset(first + k));
        }
        self.0.tile(sum, first, t)
    }

    fn tile_value(&self, (sum, rates): &mut Self::State, first: usize, t: &mut [f64]) {
        for (k, t) in t.iter().enumerate() {
            rates.count(self.0.targets[first + k], t + self.0.offset(first + k));
        }
        self.0.tile_value(sum, first, t);
    }

    fn merge(&self, (sum, rates): &mut Self::State, (later, counted): &Self::State) {
        self.0.merge(sum, later);
        rates.add(counted);
    }

    fn share(&self, _: &Self::State, _: &Self::State) -> f64 {
        1.0
    }
}

impl<L: Loss> Component for Glm<L> {
    fn kind(&self) -> &'static str {
        L::KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> usize {
        self.data.columns()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.check_point(x, gradient.as_deref())?;
        let value = kernel::evaluate(&self.data, Some(x), gradient, self, &self.pool);
        self.finite(value, x)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        let loss = self.loss.smoothness()?;
        Some(Smoothness { constant: loss.constant * self.facts().spread(loss.exponent), ..loss })
    }

    /// Of squares over sparse data: those of coordinates, as in total variation, are as curved as they look.
    fn convexity(&self) -> Option<Convexity> {
        let sparse = 2 * self.data.stored() <= self.data.rows() * self.data.columns();
        let least = if L::IS_SQUARE && sparse { self.facts().least_eigenvalue() } else { 0.0 };
        (least > 0.0 && least.is_finite()).then_some(Convexity { constant: least, exponent: 1.0 })
    }

    fn lower_bound(&self) -> Option<f64> {
        let infimum = |i: usize| self.coefficient(i) * self.loss.infimum(self.targets[i]);
        Some((0..self.targets.len()).map(infimum).sum()).filter(|sum: &f64| sum.is_finite())
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.loss.second_derivative(0.0, self.targets[0]).map(|_| self as &dyn Curvature)
    }

    fn operations(&self) -> Option<u64> {
        Some(4 * self.data.stored() as u64 + OPERATIONS_PER_LOSS * self.data.rows() as u64)
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let data = Arc::new(self.data.with_columns(variables).ok()?);
        let (loss, targets, offsets) = (self.loss.clone(), self.targets.clone(), self.offsets.clone());
        let coefficients = self.coefficients.clone();
        let (pool, facts, sample) = Default::default();
        Some(Arc::new(Self { loss, data, targets, offsets, coefficients, pool, facts, sample }))
    }

    fn is_restrictable(&self) -> bool {
        true
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        out.extend(self.loss.parameters());
    }

    fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        if L::TARGETS != "labels" || x.len() != self.data.columns() {
            return None;
        }
        Some(kernel::evaluate(&self.data, Some(x), None, &Judged(self), &self.pool))
    }

    fn split(&self) -> Split {
        self.coefficients.split()
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        // In the cost, squares of many rows are one of few variables; unless the rows have fewer entries.
        let shorter = self.data.rows() > x.len() && x.len() * x.len() / 2 <= self.data.stored();
        if L::IS_SQUARE && form.cost_factor().is_some() && shorter {
            return super::quadratic::conic_by_hessian(self, form, x);
        }
        let mut sum = Expression::default();
        for (i, y) in self.targets.iter().enumerate() {
            let t = self.data.view_row(i).expression(x).shifted(self.offset(i));
            if form.is_full() {
                return None;
            }
            let c = self.coefficient(i);
            sum.add(1.0, &form.scaled(c, |form| self.loss.conic(form, &t, *y))?);
        }
        Some(sum)
    }
}
