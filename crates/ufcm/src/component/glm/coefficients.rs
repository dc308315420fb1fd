//! What each sample of a loss over data counts: c_i = w_i / sum w (the mean) or w_i (the sum).

use crate::error::{DataError, DataProblem, Position, check_all_nonnegative, check_length};
use crate::matrix::Matrix;
use crate::ranks::Split;

/// How the losses of the samples are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The weighted mean: weights are divided by their sum.
    Mean,
    /// The weighted sum.
    Sum,
}

/// c_i for all samples.
#[derive(Debug, Clone)]
pub(in crate::component) struct Coefficients {
    rows: usize,
    /// w_i; all ones where `None`.
    weights: Option<Vec<f64>>,
    reduction: Reduction,
    /// What w_i is multiplied by: 1 or 1 / sum w.
    scale: f64,
}

/// Checks that there are samples, and that they have features.
pub(in crate::component) fn check_samples(object: &'static str, data: &Matrix) -> Result<(), DataError> {
    for (field, size) in [("data rows", data.rows()), ("data columns", data.columns())] {
        if size == 0 {
            return Err(DataError::new(object, DataProblem::Empty { field }));
        }
    }
    Ok(())
}

impl Coefficients {
    /// All weights are 1.
    pub(in crate::component) fn new(rows: usize, reduction: Reduction) -> Self {
        Self { rows, weights: None, reduction, scale: 1.0 }.rescaled()
    }

    /// Weights for the samples; an error of `object` where they are of the wrong number, negative or not finite, or have no
    /// sum to divide by.
    pub(in crate::component) fn weighted(
        mut self,
        object: &'static str,
        weights: Vec<f64>,
    ) -> Result<Self, DataError> {
        check_length(object, "weights", self.rows, weights.len())?;
        check_all_nonnegative(object, "weights", &weights)?;
        let total: f64 = weights.iter().sum();
        // A subnormal sum has no reciprocal.
        if !total.is_normal() {
            let (position, field) = (Position::Scalar, "the sum of weights");
            let expected = "positive and neither tiny nor infinite";
            return Err(DataError::out_of_range(object, field, position, total, expected));
        }
        self.weights = Some(weights);
        Ok(self.rescaled())
    }

    pub(in crate::component) fn reduced_by(mut self, reduction: Reduction) -> Self {
        self.reduction = reduction;
        self.rescaled()
    }

    fn rescaled(mut self) -> Self {
        self.scale = match (self.reduction, &self.weights) {
            (Reduction::Sum, _) => 1.0,
            (Reduction::Mean, None) => 1.0 / self.rows as f64,
            (Reduction::Mean, Some(weights)) => 1.0 / weights.iter().sum::<f64>(),
        };
        self
    }

    /// How several ranks' samples are put together.
    pub(in crate::component) fn split(&self) -> Split {
        match (self.reduction, &self.weights) {
            (Reduction::Sum, _) => Split::Sum,
            (Reduction::Mean, None) => Split::Mean(self.rows as f64),
            (Reduction::Mean, Some(weights)) => Split::Mean(weights.iter().sum()),
        }
    }

    /// c_i.
    #[inline]
    pub(in crate::component) fn at(&self, i: usize) -> f64 {
        match &self.weights {
            None => self.scale,
            Some(weights) => weights[i] * self.scale,
        }
    }

    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }
}
