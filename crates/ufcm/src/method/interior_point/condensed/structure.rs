//! Which columns and rows of a program can be eliminated without filling anything, and what is left as a dense core.
//!
//! The Newton system is [P A'; A -W^-1]. Inequality rows are eliminated first and leave K = P + G'WG. Then blocks of a few columns go,
//! that no inequality row ties to another block: the auxiliary variables of hinges, absolute values and largest sums. An equation
//! that defines such a column ("t = a.x - b") goes with its block, and leaves a multiple of a a'. Columns that stand in equations
//! and bounds alone go one by one. The core is what remains: columns, and rows that tie columns of several blocks.

use super::rows::SparseRows;
use crate::method::tuning::condensed::{LARGEST_BLOCK, LARGEST_CORE, LONG, MOST_LONG, MOST_ROWS};

/// Columns that are eliminated together, with the rows that only they and the core stand in. Without columns: a row of the core.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Block {
    pub(super) columns: Vec<usize>,
    /// Inequalities of these columns alone, ...
    pub(super) inner: Vec<usize>,
    /// ... and with columns of the core.
    pub(super) links: Vec<usize>,
    /// Equations that define columns of the block.
    pub(super) own: Vec<usize>,
}

/// What is eliminated, and what is left.
#[derive(Debug, Clone, Default)]
pub(super) struct Structure {
    pub(super) blocks: Vec<Block>,
    /// Columns that stand in rows that stay, and beside them in bounds alone; with their bounds.
    pub(super) single: Vec<(usize, Vec<usize>)>,
    /// The columns of the core.
    pub(super) core: Vec<usize>,
    /// The rows that stay, ...
    pub(super) rows: Vec<usize>,
    /// ... and those that are a border of the whole.
    pub(super) border: Vec<usize>,
    /// For each column its place in the core.
    pub(super) place: Vec<Option<usize>>,
}

/// Where a column goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    Block(usize),
    Single,
    Core,
}

/// The pattern of a program.
pub(super) struct Pattern<'a> {
    p: &'a SparseRows,
    a: &'a SparseRows,
    /// A by columns.
    by_columns: &'a SparseRows,
    equations: usize,
    /// A few rows that are much longer than the others.
    long: Vec<usize>,
}

impl<'a> Pattern<'a> {
    pub(super) fn new(
        p: &'a SparseRows,
        a: &'a SparseRows,
        by_columns: &'a SparseRows,
        equations: usize,
    ) -> Self {
        let ties: Vec<usize> = (0..a.count()).filter(|row| a.length(*row) > 1).collect();
        let all: usize = ties.iter().map(|row| a.length(*row)).sum();
        let least = LONG.0.max(LONG.1 * all / ties.len().max(1));
        let mut long: Vec<usize> = ties.into_iter().filter(|row| a.length(*row) > least).collect();
        if long.len() > MOST_LONG {
            long.clear();
        }
        Self { p, a, by_columns, equations, long }
    }

    /// Whether a row says something of one column alone.
    fn is_bound(&self, row: usize) -> bool {
        row >= self.equations && self.a.length(row) <= 1
    }

    fn has_bound(&self, column: usize) -> bool {
        self.by_columns.columns(column).any(|row| self.is_bound(row))
    }

    fn is_diagonal(&self, column: usize) -> bool {
        self.p.columns(column).all(|other| other == column)
    }

    fn has_curvature(&self, column: usize) -> bool {
        self.p.pairs(column).any(|(other, v)| other == column && v > 0.0)
    }

    /// The rows of a column that tie it to others.
    fn ties(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.by_columns.columns(column).filter(|row| !self.is_bound(*row) && !self.long.contains(row))
    }

    /// Auxiliary columns are eliminated, with the equations that define them.
    pub(super) fn by_blocks(&self) -> Option<Structure> {
        let mut search = Search::new(self);
        search.border.clone_from(&self.long);
        let mut order: Vec<usize> = (0..self.p.count()).collect();
        let degree = |column: &usize| self.by_columns.length(*column) + self.p.length(*column);
        order.sort_by_key(|column| (degree(column), *column));
        order.into_iter().for_each(|column| search.place(column));
        search.finish()
    }

    /// All rows that tie columns stay, and columns that have bounds or curvature of their own are eliminated: for programs with fewer
    /// rows than columns.
    pub(super) fn by_rows(&self) -> Option<Structure> {
        let mut search = Search::new(self);
        for row in 0..self.a.count() {
            search.stays[row] = !self.is_bound(row);
        }
        for column in 0..self.p.count() {
            let single = self.is_diagonal(column) && (self.has_bound(column) || self.has_curvature(column));
            search.goes[column] = if single { Goes::Single } else { Goes::Core };
        }
        search.finish()
    }
}

struct Search<'a> {
    pattern: &'a Pattern<'a>,
    goes: Vec<Goes>,
    /// The block whose columns stand in a row, ...
    owner: Vec<Option<usize>>,
    /// ... and whether a row stays.
    stays: Vec<bool>,
    border: Vec<usize>,
    /// The columns of every block, and how many rows tie them; none where a block was merged into another.
    blocks: Vec<(Vec<usize>, usize)>,
}

impl<'a> Search<'a> {
    fn new(pattern: &'a Pattern<'a>) -> Self {
        let (n, m) = (pattern.p.count(), pattern.a.count());
        let (goes, owner, stays) = (vec![Goes::Core; n], vec![None; m], vec![false; m]);
        Self { pattern, goes, owner, stays, border: Vec::new(), blocks: Vec::new() }
    }

    /// Puts a column into a block if that stays small, else among the single ones or into the core.
    fn place(&mut self, column: usize) {
        if let Some(touched) = self.blocks_to_join(column) {
            return self.join(column, &touched);
        }
        let pattern = self.pattern;
        let equations_only = pattern.ties(column).all(|row| row < pattern.equations);
        let unowned = pattern.ties(column).all(|row| self.owner[row].is_none());
        let definite = pattern.has_bound(column) || pattern.has_curvature(column);
        if equations_only && unowned && definite && pattern.is_diagonal(column) {
            self.goes[column] = Goes::Single;
            pattern.ties(column).for_each(|row| self.stays[row] = true);
        }
    }

    /// The blocks that a column would make one; nothing where the result would be too large, or not definite.
    fn blocks_to_join(&self, column: usize) -> Option<Vec<usize>> {
        let pattern = self.pattern;
        let is_soft = |row: usize| row >= pattern.equations && !pattern.long.contains(&row);
        let definite = pattern.has_curvature(column) || pattern.by_columns.columns(column).any(is_soft);
        if !pattern.is_diagonal(column) || !definite {
            return None;
        }
        let (mut touched, mut columns, mut rows, mut defines) = (Vec::new(), 1, 0, 0);
        for row in pattern.ties(column) {
            match self.owner[row] {
                _ if self.stays[row] => return None,
                Some(block) if touched.contains(&block) => {}
                Some(block) => {
                    touched.push(block);
                    columns += self.blocks[block].0.len();
                    rows += self.blocks[block].1;
                }
                None => {
                    rows += 1;
                    defines += usize::from(row < pattern.equations);
                }
            }
            // With one equation for each column at most, those of a block are independent.
            if columns > LARGEST_BLOCK || rows > MOST_ROWS || defines > 1 {
                return None;
            }
        }
        Some(touched)
    }

    fn join(&mut self, column: usize, touched: &[usize]) {
        let into = touched.iter().copied().min().unwrap_or(self.blocks.len());
        if into == self.blocks.len() {
            self.blocks.push((Vec::new(), 0));
        }
        let (mut columns, mut rows) = (vec![column], 0);
        for block in touched {
            let (more, tied) = std::mem::take(&mut self.blocks[*block]);
            columns.extend(more);
            rows += tied;
        }
        rows += self.pattern.ties(column).filter(|row| self.owner[*row].is_none()).count();
        for column in &columns {
            self.goes[*column] = Goes::Block(into);
            self.pattern.ties(*column).for_each(|row| self.owner[row] = Some(into));
        }
        columns.sort_unstable();
        self.blocks[into] = (columns, rows);
    }

    /// The sets; nothing where the core is too large or some column of it is held by nothing.
    fn finish(self) -> Option<Structure> {
        let Self { pattern, goes, owner, stays, border, blocks } = self;
        let mut found = Structure { place: vec![None; goes.len()], ..Structure::default() };
        let mut is_held = vec![false; goes.len()];
        found.blocks = blocks.into_iter().map(|(columns, _)| Block { columns, ..Block::default() }).collect();
        for row in 0..pattern.a.count() {
            let is_equation = row < pattern.equations;
            if border.contains(&row) {
                continue;
            }
            if stays[row] || (is_equation && owner[row].is_none()) {
                found.rows.push(row);
                continue;
            }
            pattern.a.columns(row).for_each(|column| is_held[column] = true);
            let in_core = pattern.a.columns(row).any(|column| goes[column] == Goes::Core);
            let block = pattern.a.columns(row).find_map(|column| match goes[column] {
                Goes::Block(block) => Some(block),
                _ => None,
            });
            match block {
                Some(block) if is_equation => found.blocks[block].own.push(row),
                Some(block) if in_core => found.blocks[block].links.push(row),
                Some(block) => found.blocks[block].inner.push(row),
                None if in_core || pattern.a.length(row) == 0 => {
                    found.blocks.push(Block { links: vec![row], ..Block::default() });
                }
                // A bound of a single column.
                None => {}
            }
        }
        for (column, goes) in goes.iter().enumerate() {
            if *goes == Goes::Core {
                found.place[column] = Some(found.core.len());
                found.core.push(column);
                if !is_held[column] && pattern.p.length(column) == 0 {
                    return None;
                }
            } else if *goes == Goes::Single {
                let bounds = pattern.by_columns.columns(column).filter(|row| pattern.is_bound(*row));
                found.single.push((column, bounds.collect()));
            }
        }
        found.blocks.retain(|block| !block.columns.is_empty() || !block.links.is_empty());
        found.border = border;
        let small = found.core.len() <= LARGEST_CORE && found.rows.len() <= LARGEST_CORE;
        small.then_some(found)
    }
}

impl Structure {
    /// Operations of one factorisation: those in dense blocks, and those that go entry by entry.
    pub(super) fn operations(&self, pattern: &Pattern<'_>, dense: impl Fn(usize, usize) -> bool) -> [f64; 2] {
        let (n, m) = (self.core.len() as f64, self.rows.len() as f64);
        let mut operations = [n * n * n / 3.0 + m * m * m / 3.0, 0.0];
        let mut count = |length: usize, width: usize| {
            if dense(length, width) {
                operations[0] += (width * width) as f64;
            } else {
                operations[1] += (length * length) as f64;
            }
        };
        let in_core =
            |row: usize| pattern.a.columns(row).filter(|column| self.place[*column].is_some()).count();
        for row in self.blocks.iter().flat_map(|block| block.links.iter().chain(&block.own)) {
            count(in_core(*row), self.core.len());
        }
        for (column, bounds) in &self.single {
            count(pattern.by_columns.length(*column) - bounds.len(), self.rows.len());
        }
        // The rows that stay, through the factor of the core.
        let tied = self.rows.iter().filter(|row| in_core(**row) > 0).count() as f64;
        operations[0] += n * n * tied + n * tied * tied;
        operations[1] += (self.border.len() * pattern.a.entries()) as f64;
        operations
    }
}
