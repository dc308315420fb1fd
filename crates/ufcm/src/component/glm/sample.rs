//! Some samples that stand for all: what a Hessian from a share of the data is summed over.

use crate::matrix::Matrix;
use crate::random::Random;
use std::sync::{Arc, Mutex, PoisonError};

/// Of data of more entries than this (256 MB)...
const LARGE: usize = 1 << 25;
/// ... no more than one row in so many is copied: such data may be larger than memory.
const LEAST_OF_LARGE: usize = 16;

/// The data of some samples.
#[derive(Debug)]
pub(in crate::component) struct Sample {
    /// One in so many.
    one_in: usize,
    /// Which they are, in order.
    pub(in crate::component) rows: Vec<usize>,
    /// How many samples each stands for.
    pub(in crate::component) stands_for: Vec<f64>,
    /// Their rows of the data.
    pub(in crate::component) data: Matrix,
}

/// The last sample that was asked for: Hessians are mostly formed from the same one.
#[derive(Debug, Default)]
pub(in crate::component) struct KeptSample(Mutex<Option<Arc<Sample>>>);

impl Clone for KeptSample {
    /// A copy of a loss draws for itself: its data may come to be another.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl KeptSample {
    /// A sample of about this share of the rows, of large data no more than a sixteenth; `None` where that is all of them.
    pub(in crate::component) fn of(&self, data: &Matrix, share: f64) -> Option<Arc<Sample>> {
        let one_in = (1.0 / share) as usize;
        if one_in < 2 {
            return None;
        }
        let one_in = if data.stored() > LARGE { one_in.max(LEAST_OF_LARGE) } else { one_in };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sample) = kept.as_ref().filter(|sample| sample.one_in == one_in) {
            return Some(sample.clone());
        }
        let sample = Arc::new(draw(data, one_in)?);
        *kept = Some(sample.clone());
        Some(sample)
    }
}

/// One row of every `one_in` in a row, at random: rows that are sorted by anything are all represented. The seed is fixed.
fn draw(data: &Matrix, one_in: usize) -> Option<Sample> {
    let mut random = Random::new(data.rows() as u64);
    let firsts = (0..data.rows()).step_by(one_in);
    let lengths: Vec<usize> = firsts.clone().map(|first| one_in.min(data.rows() - first)).collect();
    let rows: Vec<usize> =
        firsts.zip(&lengths).map(|(first, length)| first + random.below(*length)).collect();
    let stands_for = lengths.iter().map(|length| *length as f64).collect();
    Some(Sample { one_in, data: data.selected(&rows).ok()?, rows, stands_for })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stretch_of_rows_has_one_that_stands_for_it() {
        let data = Matrix::row_major(11, 1, (0..11).map(f64::from).collect()).unwrap();
        let kept = KeptSample::default();
        assert!(kept.of(&data, 0.7).is_none(), "all of them");
        let sample = kept.of(&data, 0.25).unwrap();
        assert_eq!(sample.stands_for, [4.0, 4.0, 3.0]);
        assert!(sample.rows.iter().enumerate().all(|(k, row)| row / 4 == k), "{:?}", sample.rows);
        let mut drawn = Vec::new();
        sample.data.for_each(|_, _, value| drawn.push(value as usize));
        assert_eq!(drawn, sample.rows);
        assert!(Arc::ptr_eq(&sample, &kept.of(&data, 0.25).unwrap()), "the same every time");
    }
}
