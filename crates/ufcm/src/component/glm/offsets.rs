//! What is added to the products a_i.x before the loss: a margin, a baseline, the logarithm of an exposure.

use super::{Glm, Loss};
use crate::error::{DataError, check_finite, check_length};

impl<L: Loss> Glm<L> {
    /// loss(a_i.x + o_i, y_i), one offset for each sample.
    ///
    /// ```
    /// use ufcm::component::Logistic;
    /// use ufcm::matrix::Matrix;
    /// use ufcm::oracle::Component;
    ///
    /// let data = Matrix::row_major(1, 1, vec![2.0])?;
    /// let plain = Logistic::new(data.clone(), &[1.0])?;
    /// let moved = Logistic::new(data, &[1.0])?.with_offsets(vec![3.0])?;
    /// assert_eq!(moved.evaluate(&[0.5], None)?, plain.evaluate(&[2.0], None)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The wrong number of offsets, or one that is not finite.
    pub fn with_offsets(mut self, offsets: Vec<f64>) -> Result<Self, DataError> {
        check_length(L::KIND, "offset", self.data.rows(), offsets.len())?;
        check_finite(L::KIND, "offset", &offsets)?;
        self.offsets = Some(offsets.into());
        Ok(self)
    }

    /// a_i.x + o_i for all samples.
    pub(super) fn products(&self, x: &[f64], t: &mut [f64]) {
        self.data.apply(x, t);
        self.add_offsets(0, t);
    }

    /// Adds the offsets of the samples from `first` on.
    #[inline]
    pub(super) fn add_offsets(&self, first: usize, t: &mut [f64]) {
        if let Some(offsets) = &self.offsets {
            t.iter_mut().zip(&offsets[first..]).for_each(|(t, offset)| *t += offset);
        }
    }

    /// o_i.
    pub(super) fn offset(&self, i: usize) -> f64 {
        self.offsets.as_ref().map_or(0.0, |offsets| offsets[i])
    }
}
