//! Affine expressions of a program's variables.

/// sum of c_k y_k + constant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expression {
    pub(crate) terms: Vec<(usize, f64)>,
    pub(crate) constant: f64,
}

impl Expression {
    /// A number.
    #[must_use]
    pub fn constant(constant: f64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    /// A variable, by its index.
    pub(crate) fn variable(index: usize) -> Self {
        Self { terms: vec![(index, 1.0)], constant: 0.0 }
    }

    /// `factor` times this.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        if factor == 0.0 {
            return Self::default();
        }
        self.terms.iter_mut().for_each(|(_, c)| *c *= factor);
        self.constant *= factor;
        self
    }

    /// This plus a number.
    #[must_use]
    pub fn shifted(mut self, by: f64) -> Self {
        self.constant += by;
        self
    }

    /// This plus `factor` times another.
    #[must_use]
    pub fn plus(mut self, factor: f64, other: &Self) -> Self {
        self.add(factor, other);
        self
    }

    /// Adds `factor` times another.
    pub fn add(&mut self, factor: f64, other: &Self) {
        if factor != 0.0 {
            self.terms.extend(other.terms.iter().map(|(k, c)| (*k, factor * c)));
            self.constant += factor * other.constant;
        }
    }

    /// sum of a_i x_i over the entries that are given.
    #[must_use]
    pub fn combination(entries: impl IntoIterator<Item = (usize, f64)>, x: &[Self]) -> Self {
        let mut sum = Self::default();
        entries.into_iter().for_each(|(i, a)| sum.add(a, &x[i]));
        sum
    }

    /// The one variable that this is a multiple of, with its factor, if that is all it is.
    pub(crate) fn single(&self) -> Option<(usize, f64)> {
        match self.terms[..] {
            [term] if self.constant == 0.0 => Some(term),
            _ => None,
        }
    }
}
