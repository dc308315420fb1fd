//! What ranks must have in common, told as numbers that are compared before the first step.

use super::link::hash;
use super::{CommunicationError, Link};

/// Numbers below this are compared by their sums and the sums of their squares, exactly.
const RANGE: u64 = 1 << 20;

/// Named things, each as a number that differs where the things do (but for one case in a million).
#[derive(Debug, Default)]
pub(crate) struct Signature(Vec<(&'static str, u64)>);

impl Signature {
    pub(crate) fn add(&mut self, what: &'static str, words: impl IntoIterator<Item = u64>) {
        self.0.push((what, hash(words) % RANGE));
    }

    pub(crate) fn add_text(&mut self, what: &'static str, text: &str) {
        self.add(what, text.bytes().map(u64::from));
    }

    /// Compares with all ranks; the first thing that is not the same everywhere.
    pub(crate) fn difference(&self, link: &Link) -> Result<Option<&'static str>, CommunicationError> {
        let mut sums: Vec<f64> = self.0.iter().flat_map(|(_, h)| [*h as f64, (h * h) as f64]).collect();
        link.sum(&mut sums)?;
        let size = link.size() as f64;
        // Of numbers that are not all equal the mean of squares exceeds the square of the mean.
        let differs = |pair: &[f64]| size * pair[1] != pair[0] * pair[0];
        Ok(sums.chunks_exact(2).position(differs).map(|k| self.0[k].0))
    }
}

/// What must be the same for sums to have the same bits: the version, and the instructions that kernels choose by.
pub(crate) fn of_this_machine() -> String {
    #[cfg(target_arch = "x86_64")]
    let wide = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let wide = false;
    format!("{} {} {wide}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
}
