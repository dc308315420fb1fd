//! J' on some of the rows and variables, as a system to solve.

use super::least_change::Products;
use crate::oracle::Mapping;

/// B = J' on the rows in use and the variables that are free.
pub(super) struct Transposed<'a> {
    pub(super) mapping: &'a dyn Mapping,
    pub(super) free: &'a [bool],
    pub(super) used: &'a [bool],
}

impl Products for Transposed<'_> {
    fn apply(&self, d: &[f64], out: &mut [f64]) {
        self.mapping.apply_transpose(d, out);
        out.iter_mut().zip(self.free).filter(|(_, free)| !**free).for_each(|(out, _)| *out = 0.0);
    }

    fn apply_transpose(&self, r: &[f64], out: &mut [f64]) {
        self.mapping.apply(r, out);
        out.iter_mut().zip(self.used).filter(|(_, used)| !**used).for_each(|(out, _)| *out = 0.0);
    }
}
