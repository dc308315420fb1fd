//! Affine functions of the variables of a conic program.

#[derive(Debug, Clone, Default)]
pub struct Expression {
    pub terms: Vec<(usize, f64)>,
    pub constant: f64,
}

impl Expression {
    pub fn constant(constant: f64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    pub fn variable(index: usize) -> Self {
        Self { terms: vec![(index, 1.0)], constant: 0.0 }
    }

    pub fn dense(slope: &[f64], constant: f64) -> Self {
        Self { terms: slope.iter().copied().enumerate().collect(), constant }
    }

    /// self + factor other
    pub fn plus(mut self, factor: f64, other: &Self) -> Self {
        self.terms.extend(other.terms.iter().map(|(i, v)| (*i, factor * v)));
        self.constant += factor * other.constant;
        self
    }

    pub fn shifted(mut self, constant: f64) -> Self {
        self.constant += constant;
        self
    }

    pub fn times(self, factor: f64) -> Self {
        Self::default().plus(factor, &self)
    }

    pub fn value(&self, z: &[f64]) -> f64 {
        self.constant + self.terms.iter().map(|(i, v)| v * z[*i]).sum::<f64>()
    }
}
