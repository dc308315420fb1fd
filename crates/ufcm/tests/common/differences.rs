//! An operator that is known by its products alone.

use ufcm::oracle::LinearOperator;

/// x -> (x_1 - x_0, x_2 - x_1, ...), by its products alone.
pub struct Differences(pub usize);

impl LinearOperator for Differences {
    fn kind(&self) -> &'static str {
        "differences"
    }
    fn rows(&self) -> usize {
        self.0 - 1
    }
    fn columns(&self) -> usize {
        self.0
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x.windows(2)).for_each(|(out, pair)| *out = pair[1] - pair[0]);
    }
    fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (j, l) in l.iter().enumerate() {
            out[j] -= l;
            out[j + 1] += l;
        }
    }
    fn operations(&self) -> Option<u64> {
        Some(2 * self.0 as u64)
    }
}
