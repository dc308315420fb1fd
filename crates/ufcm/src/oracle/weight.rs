//! The weights of proximal terms.

use super::OracleError;

/// The weight of a proximal term: 1/2 |x - v|_W^2 with W a multiple of the identity, or a positive diagonal.
///
/// This is the paper's convention (eq:prox-def): a weight *multiplies* the quadratic, so a large weight stays close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight<'a> {
    scale: f64,
    diagonal: Option<&'a [f64]>,
    /// What is added to every entry of a diagonal.
    shift: f64,
}

impl<'a> Weight<'a> {
    /// W = `scale` I.
    #[must_use]
    pub fn scalar(scale: f64) -> Self {
        Self { scale, diagonal: None, shift: 0.0 }
    }

    /// W = `scale` diag(`diagonal`).
    #[must_use]
    pub fn diagonal(scale: f64, diagonal: &'a [f64]) -> Self {
        Self { scale, diagonal: Some(diagonal), shift: 0.0 }
    }

    /// Entry i of the diagonal of W.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize) -> f64 {
        match self.diagonal {
            None => self.scale,
            Some(d) => self.scale * d[i] + self.shift,
        }
    }

    /// tau, where W = tau I.
    #[must_use]
    pub fn as_scalar(&self) -> Option<f64> {
        self.diagonal.is_none().then_some(self.scale)
    }

    /// c W.
    #[must_use]
    pub fn times(&self, c: f64) -> Self {
        Self { scale: c * self.scale, shift: c * self.shift, ..*self }
    }

    /// W + c I.
    #[must_use]
    pub fn plus(&self, c: f64) -> Self {
        match self.diagonal {
            None => Self::scalar(self.scale + c),
            Some(_) => Self { shift: self.shift + c, ..*self },
        }
    }

    /// The part of W that belongs to a range of indices.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        Self { diagonal: self.diagonal.map(|d| &d[range]), ..*self }
    }

    /// An error where the diagonal does not hold one entry for each of `n` variables.
    pub(crate) fn check_length(&self, n: usize) -> Result<(), OracleError> {
        self.diagonal.map_or(Ok(()), |d| OracleError::check_length("the metric's diagonal", n, d.len()))
    }

    /// An error for oracles that have no prox in a diagonal metric; tau otherwise.
    pub(crate) fn require_scalar(&self, oracle: &'static str) -> Result<f64, OracleError> {
        self.as_scalar().ok_or(OracleError::Unsupported { oracle, what: "a prox in a diagonal metric" })
    }
}
