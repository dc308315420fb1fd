//! Cholesky's factorisation of sparse matrices, entry by entry, and the diagonals of their inverses: for proofs, which need no more than
//! that and factor each matrix once. Row k of the factor has entries on the paths of the elimination tree that lead from the entries of
//! column k of the matrix towards k; column i of its inverse has them on the path from i to the root.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// No column.
const NONE: usize = usize::MAX;

/// A symmetric matrix in an order of elimination that keeps its factor sparse.
pub(crate) struct SparseSymmetric {
    /// The variable that is eliminated first, second, ...
    order: Vec<usize>,
    /// The upper triangle with its diagonal, by columns in that order.
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// The elimination tree: the column that each column of the factor is first needed for.
    parent: Vec<usize>,
    /// Entries below the diagonal in each column of the factor.
    counts: Vec<usize>,
}

/// L with L L' = the matrix.
pub(crate) struct SparseFactor<'a> {
    of: &'a SparseSymmetric,
    diagonal: Vec<f64>,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl SparseSymmetric {
    /// A matrix of `n` columns from the entries of one of its triangles, in any order; entries that are told several times are added up.
    /// `None` where no order of elimination is found.
    pub(crate) fn new(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let (starts, rows, _) = by_columns(n, entries.iter().copied());
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let (mut order, mut place) = (vec![0usize; n], vec![0usize; n]);
        let mut scratch = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
        let stack = MemStack::new(&mut scratch);
        amd::order(&mut order, &mut place, pattern, amd::Control::default(), stack).ok()?;
        order.iter().enumerate().for_each(|(k, i)| place[*i] = k);
        let (starts, rows, values) =
            by_columns(n, entries.iter().map(|(i, j, v)| (place[*i], place[*j], *v)));
        let mut matrix = Self { order, starts, rows, values, parent: vec![NONE; n], counts: vec![0; n] };
        matrix.find_tree();
        matrix.count();
        Some(matrix)
    }

    /// The diagonal, by variables.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.order.len()];
        for k in 0..self.order.len() {
            let own = self.column(k).find(|(row, _)| *row == k).map_or(0.0, |(_, value)| value);
            diagonal[self.order[k]] = own;
        }
        diagonal
    }

    /// Operations of a factorisation, and of the diagonal of the inverse after that.
    pub(crate) fn operations(&self) -> [f64; 2] {
        let mut below = vec![1.0; self.order.len()];
        let mut sums = [0.0, 0.0];
        for (k, parent) in self.parent.iter().enumerate() {
            let entries = self.counts[k] as f64 + 1.0;
            sums[0] += entries * entries;
            // Every path from below leads through it.
            sums[1] += 2.0 * entries * below[k];
            if *parent != NONE {
                below[*parent] += below[k];
            }
        }
        sums
    }

    /// The factor of the matrix with the entries entry(i, j, value) instead; nothing where that is not positive definite.
    pub(crate) fn factor(&self, entry: impl Fn(usize, usize, f64) -> f64) -> Option<SparseFactor<'_>> {
        let n = self.order.len();
        let mut starts = vec![0; n + 1];
        (0..n).for_each(|k| starts[k + 1] = starts[k] + self.counts[k]);
        let (mut rows, mut values) = (vec![0; starts[n]], vec![0.0; starts[n]]);
        let (mut filled, mut diagonal) = (starts.clone(), vec![0.0; n]);
        let (mut line, mut path, mut marks) = (vec![0.0; n], Vec::new(), vec![NONE; n]);
        for k in 0..n {
            for (row, value) in self.column(k) {
                line[row] = entry(self.order[row], self.order[k], value);
            }
            let mut square = line[k];
            line[k] = 0.0;
            self.row_of_factor(k, &mut marks, &mut path);
            // Columns before the ones that need them.
            for &i in path.iter().rev() {
                let l = line[i] / diagonal[i];
                line[i] = 0.0;
                for p in starts[i]..filled[i] {
                    line[rows[p]] -= values[p] * l;
                }
                square -= l * l;
                (rows[filled[i]], values[filled[i]]) = (k, l);
                filled[i] += 1;
            }
            // Written so that a NaN is refused.
            if !(square > 0.0 && square.is_finite()) {
                return None;
            }
            diagonal[k] = square.sqrt();
        }
        Some(SparseFactor { of: self, diagonal, starts, rows, values })
    }

    fn column(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[k]..self.starts[k + 1];
        range.map(|p| (self.rows[p], self.values[p]))
    }

    fn find_tree(&mut self) {
        let n = self.order.len();
        let mut ancestor = vec![NONE; n];
        for k in 0..n {
            for p in self.starts[k]..self.starts[k + 1] {
                let mut i = self.rows[p];
                while i != NONE && i < k {
                    let next = std::mem::replace(&mut ancestor[i], k);
                    if next == NONE {
                        self.parent[i] = k;
                    }
                    i = next;
                }
            }
        }
    }

    fn count(&mut self) {
        let (mut marks, mut path) = (vec![NONE; self.order.len()], Vec::new());
        for k in 0..self.order.len() {
            self.row_of_factor(k, &mut marks, &mut path);
            path.iter().for_each(|i| self.counts[*i] += 1);
        }
    }

    /// The columns in which row k of the factor has entries left of the diagonal, each after those that need it.
    fn row_of_factor(&self, k: usize, marks: &mut [usize], path: &mut Vec<usize>) {
        path.clear();
        marks[k] = k;
        let mut ways = Vec::new();
        for p in self.starts[k]..self.starts[k + 1] {
            let mut i = self.rows[p];
            ways.clear();
            while marks[i] != k {
                ways.push(i);
                marks[i] = k;
                i = self.parent[i];
            }
            path.extend(ways.iter().rev());
        }
    }
}

impl SparseFactor<'_> {
    /// The diagonal of the inverse of the matrix, by variables: the squared lengths of the columns of L^-1.
    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.diagonal.len();
        let (mut line, mut inverse) = (vec![0.0; n], vec![0.0; n]);
        for first in 0..n {
            line[first] = 1.0;
            let (mut k, mut square) = (first, 0.0);
            while k != NONE {
                let x = line[k] / self.diagonal[k];
                line[k] = 0.0;
                square += x * x;
                for p in self.starts[k]..self.starts[k + 1] {
                    line[self.rows[p]] -= self.values[p] * x;
                }
                k = self.of.parent[k];
            }
            inverse[self.of.order[first]] = square;
        }
        inverse
    }
}

/// The upper triangle by columns, with one entry for each place and all of the diagonal.
fn by_columns(
    n: usize,
    entries: impl Iterator<Item = (usize, usize, f64)>,
) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let mut columns: Vec<Vec<(usize, f64)>> = (0..n).map(|k| vec![(k, 0.0)]).collect();
    entries.for_each(|(i, j, value)| columns[i.max(j)].push((i.min(j), value)));
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::<f64>::new());
    for mut column in columns {
        // Stable, so that sums are added in the order in which they were told.
        column.sort_by_key(|(row, _)| *row);
        let mut last = NONE;
        for (row, value) in column {
            match values.last_mut() {
                Some(sum) if last == row => *sum += value,
                _ => {
                    rows.push(row);
                    values.push(value);
                    last = row;
                }
            }
        }
        starts.push(rows.len());
    }
    (starts, rows, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use faer::linalg::solvers::Solve;
    use faer::{Mat, Side};

    /// Rows of three entries in random places, a diagonal, and everything in one triangle.
    fn matrix(n: usize, random: &mut Random) -> Vec<(usize, usize, f64)> {
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 0.1 + random.uniform())).collect();
        for _ in 0..n {
            let row: Vec<(usize, f64)> = (0..3)
                .map(|_| ((random.uniform() * n as f64) as usize % n, 2.0 * random.uniform() - 1.0))
                .collect();
            for (i, a) in &row {
                for (j, b) in row.iter().filter(|(j, _)| j <= i) {
                    entries.push((*i, *j, a * b));
                }
            }
        }
        entries
    }

    #[test]
    fn inverses_are_those_of_dense_matrices() {
        let mut random = Random::new(5);
        for n in [1, 2, 7, 60] {
            let entries = matrix(n, &mut random);
            let sparse = SparseSymmetric::new(n, &entries).unwrap();
            let factor = sparse.factor(|_, _, v| v).expect("positive definite");
            let mut dense = Mat::<f64>::zeros(n, n);
            for (i, j, v) in &entries {
                dense[(*i, *j)] += v;
                if i != j {
                    dense[(*j, *i)] += v;
                }
            }
            let inverse = dense.llt(Side::Lower).unwrap().solve(Mat::<f64>::identity(n, n));
            for (i, own) in factor.inverse_diagonal().iter().enumerate() {
                let expected = inverse[(i, i)];
                assert!((own - expected).abs() <= 1e-9 * expected, "n = {n}: {own} and {expected}");
            }
            for (i, own) in sparse.diagonal().iter().enumerate() {
                assert!((own - dense[(i, i)]).abs() <= 1e-15 * own.abs());
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let sparse = SparseSymmetric::new(2, &[(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)]).unwrap();
        assert!(sparse.factor(|_, _, v| v).is_none());
        assert!(sparse.factor(|i, j, v| if i == j { 3.0 } else { v }).is_some());
        assert!(sparse.factor(|_, _, _| f64::NAN).is_none());
        let without_diagonal = SparseSymmetric::new(2, &[(0, 0, 1.0)]).unwrap();
        assert!(without_diagonal.factor(|_, _, v| v).is_none());
    }

    #[test]
    fn a_chain_costs_no_more_than_its_length_squared() {
        let n = 100usize;
        let chain: Vec<_> = (0..n)
            .flat_map(|i| [Some((i, i, 2.5)), (i > 0).then_some((i, i.wrapping_sub(1), -1.0))])
            .flatten()
            .collect();
        let sparse = SparseSymmetric::new(n, &chain).unwrap();
        let [factor, inverse] = sparse.operations();
        assert!(factor <= 10.0 * n as f64 && inverse <= 10.0 * (n * n) as f64, "{factor}, {inverse}");
    }
}
