//! Fixed blocks: how rows are split, decided by sizes alone, never by the number of threads.

use rayon::prelude::*;
use std::ops::Range;

/// Entries below which a block is not worth a thread of its own.
const ENTRIES_PER_BLOCK: usize = 1 << 15;
/// More blocks than threads of any machine we expect to meet helps nobody.
pub(crate) const MOST: usize = 64;

/// A split of 0..len into consecutive ranges of nearly equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks {
    len: usize,
    count: usize,
}

impl Blocks {
    /// Blocks of `rows` rows that hold `entries` numbers and each need `private` numbers of their own; the private
    /// ones stay below an eighth of the data, so that adding them up costs little.
    pub(crate) fn new(rows: usize, entries: usize, private: usize) -> Self {
        let affordable = entries / (8 * private.max(1));
        let count = (entries / ENTRIES_PER_BLOCK).min(affordable).min(rows).clamp(1, MOST);
        Self { len: rows, count }
    }

    /// The number of blocks, at least one.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The rows of block `k`.
    pub(crate) fn range(&self, k: usize) -> Range<usize> {
        // In u128 the product cannot overflow.
        let bound = |k: usize| (self.len as u128 * k as u128 / self.count as u128) as usize;
        bound(k)..bound(k + 1)
    }

    /// Runs `work(rows of block k, state k, its part of the slice)` for all blocks of a slice of the blocks' length.
    pub(crate) fn for_each_part<S: Send>(
        &self,
        states: &mut [S],
        slice: &mut [f64],
        work: impl Fn(Range<usize>, &mut S, &mut [f64]) + Sync,
    ) {
        split(*self, 0..self.count, states, slice, &work);
    }
}

/// Halves the blocks until one is left: a divide and conquer that allocates nothing.
fn split<S: Send>(
    blocks: Blocks,
    range: Range<usize>,
    states: &mut [S],
    slice: &mut [f64],
    work: &(impl Fn(Range<usize>, &mut S, &mut [f64]) + Sync),
) {
    if range.len() <= 1 {
        return work(blocks.range(range.start), &mut states[0], slice);
    }
    let middle = range.start.midpoint(range.end);
    let (left, right) = states.split_at_mut(middle - range.start);
    let cut = blocks.range(middle).start - blocks.range(range.start).start;
    let (low, high) = slice.split_at_mut(cut);
    rayon::join(
        || split(blocks, range.start..middle, left, low, work),
        || split(blocks, middle..range.end, right, high, work),
    );
}

/// Runs `work(k, state k)` for all states, on the threads of the current pool.
pub(crate) fn for_each<S: Send>(states: &mut [S], work: impl Fn(usize, &mut S) + Sync) {
    if states.len() == 1 || rayon::current_num_threads() == 1 {
        states.iter_mut().enumerate().for_each(|(k, state)| work(k, state));
    } else {
        states.par_iter_mut().enumerate().for_each(|(k, state)| work(k, state));
    }
}

/// Runs `work(k, state k, chunk k)` for all states, with chunks of `len` numbers from `private`.
pub(crate) fn for_each_with<S: Send>(
    states: &mut [S],
    private: &mut [f64],
    len: usize,
    work: impl Fn(usize, &mut S, &mut [f64]) + Sync,
) {
    if states.len() == 1 || rayon::current_num_threads() == 1 {
        let chunks = private.chunks_exact_mut(len);
        states.iter_mut().zip(chunks).enumerate().for_each(|(k, (state, chunk))| work(k, state, chunk));
    } else {
        let chunks = private.par_chunks_exact_mut(len);
        states.par_iter_mut().zip(chunks).enumerate().for_each(|(k, (state, chunk))| work(k, state, chunk));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_all_rows_once() {
        for (rows, entries, private) in [(0, 0, 5), (1, 1 << 20, 8), (1000, 1 << 20, 10), (12345, 1 << 24, 3)]
        {
            let blocks = Blocks::new(rows, entries, private);
            let mut next = 0;
            for k in 0..blocks.count() {
                assert_eq!(blocks.range(k).start, next);
                next = blocks.range(k).end;
            }
            assert_eq!(next, rows);
        }
        assert_eq!(Blocks::new(20_000, 20_000_000, 1000).count(), MOST);
        assert_eq!(Blocks::new(1000, 100_000, 100_000).count(), 1, "no private copies larger than the data");
    }
}
