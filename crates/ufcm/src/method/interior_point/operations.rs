//! How many operations a factorisation takes: what it depends on is the order of elimination, and that is cheap to find.
//!
//! Operations are counted at the speed of products with a matrix, which wait for memory. A factorisation in dense blocks does several
//! in the same time; one that goes entry by entry waits for each.

use super::condensed;
use super::program::Program;
use crate::budget::Budget;
use crate::linalg::BLOCKS_AT_ONCE;
use crate::method::tuning::interior_point::{
    BLOCKS_PAY, BY_ENTRY, BY_LONG_COLUMNS, IN_BLOCKS, LARGEST, SPARSE_ROOM, WORTHWHILE,
};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Operations of one factorisation, and by which engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factorisation {
    pub(super) count: f64,
    pub(super) is_condensed: bool,
    /// Whether the other engine would take too long.
    pub(super) is_only: bool,
    /// How the other engine factors.
    pub(super) factors: Factors,
}

/// How the engine factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factors {
    /// Dense blocks of columns with the same pattern at a time, with faer.
    InBlocks,
    /// Entry by entry, with QDLDL.
    ByEntry,
}

impl Factors {
    /// The engine's own name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::InBlocks => "faer",
            Self::ByEntry => "qdldl",
        }
    }
}

/// Operations of one factorisation by the cheaper engine; infinite where neither takes the program.
pub(super) fn of_factorisation(program: &Program, budget: &Budget) -> Factorisation {
    cheaper(program, condensed::operations(program, budget).unwrap_or(f64::INFINITY))
}

/// The same, where those of our own engine are known.
fn cheaper(program: &Program, condensed: f64) -> Factorisation {
    // Beyond that, the search for an order takes too long.
    let is_small = program.entries() <= SPARSE_ROOM;
    let none = (f64::INFINITY, Factors::InBlocks);
    let (sparse, factors) = if is_small { of_sparse_factorisation(program) } else { none };
    let is_condensed = condensed.is_finite() && condensed <= sparse && sparse >= WORTHWHILE;
    let count = if is_condensed { condensed } else { sparse };
    Factorisation { count, is_condensed, is_only: is_condensed && sparse > LARGEST, factors }
}

/// Operations of one factorisation of the system [P A'; A -D], and how it is done; infinite where no order is found.
pub(super) fn of_sparse_factorisation(program: &Program) -> (f64, Factors) {
    let (columns, rows) = (program.q.len(), program.b.len());
    let order = columns + rows;
    // The upper triangle, by columns: P, then A' above a diagonal.
    let mut lists: Vec<Vec<usize>> = (0..order).map(|k| vec![k]).collect();
    for (j, list) in lists.iter_mut().enumerate().take(columns) {
        list.extend(
            program.p.rowval[program.p.colptr[j]..program.p.colptr[j + 1]].iter().filter(|i| **i != j),
        );
    }
    for j in 0..columns {
        for row in &program.a.rowval[program.a.colptr[j]..program.a.colptr[j + 1]] {
            lists[columns + row].push(j);
        }
    }
    let (mut starts, mut indices) = (vec![0], Vec::new());
    for mut list in lists {
        list.sort_unstable();
        indices.extend(list);
        starts.push(indices.len());
    }
    let pattern = SymbolicSparseColMatRef::new_checked(order, order, &starts, None, &indices);
    let (mut permutation, mut inverse) = (vec![0usize; order], vec![0usize; order]);
    let mut scratch = MemBuffer::new(amd::order_scratch::<usize>(order, indices.len()));
    let stack = MemStack::new(&mut scratch);
    let counted = amd::order(&mut permutation, &mut inverse, pattern, amd::Control::default(), stack);
    let none = (f64::INFINITY, Factors::InBlocks);
    counted.map_or(none, |count| at_speed_of_products(2.0 * count.n_mult_subs_ldl, count.n_div))
}

/// Operations of products that take as long as so many of a factorisation whose factor has so many entries, and how it is done.
fn at_speed_of_products(operations: f64, entries: f64) -> (f64, Factors) {
    let columns_are_long = operations > 2.0 * IN_BLOCKS * entries;
    match columns_are_long {
        true if operations > BLOCKS_PAY => (operations / BLOCKS_AT_ONCE, Factors::InBlocks),
        true => (BY_LONG_COLUMNS * operations, Factors::ByEntry),
        false => (BY_ENTRY * operations, Factors::ByEntry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks are gathered and scattered: a factorisation of a few milliseconds is faster without them.
    #[test]
    fn small_factors_have_no_blocks() {
        let (_, factors) = at_speed_of_products(4e7, 2e5);
        assert_eq!(factors, Factors::ByEntry);
    }

    /// A dense factorisation of 1 000 columns has as many operations as a sparse one of a million entries with 333 each, and takes a
    /// fraction of the time.
    #[test]
    fn dense_blocks_are_cheaper_than_entries() {
        let operations = 2.0 * 1000f64.powi(3) / 3.0;
        let (dense, in_blocks) = at_speed_of_products(operations, 5e5);
        let (sparse, by_entry) = at_speed_of_products(operations, 5e7);
        assert!(dense < operations && sparse > operations);
        assert_eq!([in_blocks, by_entry], [Factors::InBlocks, Factors::ByEntry]);
    }
}
