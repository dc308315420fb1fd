//! Sparse storage: compressed rows, and compressed columns beside them where the matrix is wide.

use super::entries::part;
use crate::error::{DataError, DataProblem, Position, check_length, first_not_finite};
use std::ops::Range;
use std::sync::Arc;

const OBJECT: &str = "sparse matrix";

/// From this many columns on, a gradient no longer fits in a core's cache: products with the transpose then run
/// through a copy by columns instead of scattering from rows (measured in benches/kernel.rs).
const WIDE: usize = 1 << 16;

/// Numbers that a matrix reads where their owner keeps them; a `Vec` behind an `Arc` is one. The owner must not change
/// them while the matrix lives: they are checked once.
pub type Shared<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// Lines (rows or columns) of a sparse matrix: line k holds `indices[starts[k]..starts[k + 1]]` with their `values`.
pub struct CompressedLines {
    /// Where each line starts, and at the end the number of entries.
    pub starts: Vec<usize>,
    /// The indices, increasing in each line.
    pub indices: Shared<u32>,
    /// The values.
    pub values: Shared<f64>,
}

/// A look at [`CompressedLines`] that a matrix keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinesView<'a> {
    /// Where each line starts, and at the end the number of entries.
    pub starts: &'a [usize],
    /// The indices, increasing in each line.
    pub indices: &'a [u32],
    /// The values.
    pub values: &'a [f64],
}

/// Lines (rows or columns) of a sparse matrix, each with its indices in increasing order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lines<'a> {
    width: usize,
    starts: &'a [usize],
    indices: &'a [u32],
    values: &'a [f64],
}

impl<'a> Lines<'a> {
    /// The number of lines.
    pub(crate) fn count(self) -> usize {
        self.starts.len() - 1
    }

    /// What all indices are below.
    pub(crate) fn width(self) -> usize {
        self.width
    }

    pub(crate) fn view(self) -> LinesView<'a> {
        LinesView { starts: self.starts, indices: self.indices, values: self.values }
    }

    /// The number of entries in all lines.
    pub(crate) fn stored(self) -> usize {
        self.values.len()
    }

    /// The indices and values of one line.
    pub(crate) fn line(self, k: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Calls `visit(line, index, value)` for every entry.
    pub(crate) fn for_each(self, mut visit: impl FnMut(usize, usize, f64)) {
        for k in 0..self.count() {
            let (indices, values) = self.line(k);
            indices.iter().zip(values).for_each(|(&i, &value)| visit(k, i as usize, value));
        }
    }

    /// The same entries by the other index: a counting sort, which leaves each line in increasing order.
    fn transposed(self) -> Compressed {
        let lines = self.width;
        let mut starts = vec![0; lines + 1];
        self.indices.iter().for_each(|&i| starts[i as usize + 1] += 1);
        for k in 0..lines {
            starts[k + 1] += starts[k];
        }
        let (mut next, mut indices, mut values) =
            (starts.clone(), vec![0; self.indices.len()], vec![0.0; self.values.len()]);
        self.for_each(|k, i, value| {
            indices[next[i]] = k as u32;
            values[next[i]] = value;
            next[i] += 1;
        });
        Compressed { width: self.count(), starts, indices: Arc::new(indices), values: Arc::new(values) }
    }

    fn are_sorted(self) -> bool {
        (0..self.count()).all(|k| self.line(k).0.windows(2).all(|pair| pair[0] < pair[1]))
    }

    /// The same matrix with each line sorted and entries given twice added up.
    fn sorted(self) -> Compressed {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut line: Vec<(u32, f64)> = Vec::new();
        for k in 0..self.count() {
            let (i, v) = self.line(k);
            line.clear();
            line.extend(i.iter().copied().zip(v.iter().copied()));
            line.sort_by_key(|entry| entry.0);
            let first = indices.len();
            for &(i, v) in &line {
                if indices.len() > first && indices[indices.len() - 1] == i {
                    *values.last_mut().expect("one value for each index") += v;
                } else {
                    indices.push(i);
                    values.push(v);
                }
            }
            starts.push(indices.len());
        }
        Compressed { width: self.width, starts, indices: Arc::new(indices), values: Arc::new(values) }
    }
}

/// What [`Lines`] look at.
#[derive(Clone)]
struct Compressed {
    width: usize,
    starts: Vec<usize>,
    indices: Shared<u32>,
    values: Shared<f64>,
}

impl std::fmt::Debug for Compressed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lines().fmt(f)
    }
}

impl PartialEq for Compressed {
    fn eq(&self, other: &Self) -> bool {
        self.lines() == other.lines()
    }
}

impl Compressed {
    fn lines(&self) -> Lines<'_> {
        let (indices, values) = ((*self.indices).as_ref(), (*self.values).as_ref());
        Lines { width: self.width, starts: &self.starts, indices, values }
    }

    /// Some lines in a row, without a copy of their entries.
    fn line_range(&self, lines: Range<usize>) -> Self {
        let first = self.starts[lines.start];
        let entries = first..self.starts[lines.end];
        Self {
            width: self.width,
            starts: self.starts[lines.start..=lines.end].iter().map(|start| start - first).collect(),
            indices: part(&self.indices, entries.clone()),
            values: part(&self.values, entries),
        }
    }

    /// Arrays that fit together, as far as their lengths tell.
    fn fitting(lines: usize, limit: usize, arrays: CompressedLines) -> Result<Self, DataError> {
        let CompressedLines { starts, indices, values } = arrays;
        check_count(lines)?;
        check_count(limit)?;
        let stored = (*values).as_ref().len();
        check_length(OBJECT, "starts", lines.saturating_add(1), starts.len())?;
        check_length(OBJECT, "indices", stored, (*indices).as_ref().len())?;
        if starts[0] != 0 || starts[lines] != stored {
            let message = format!("starts must run from 0 to the number of values, {stored}");
            return Err(DataError::structure(OBJECT, message));
        }
        if let Some(k) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(DataError::structure(OBJECT, format!("starts decreases after entry {k}")));
        }
        Ok(Self { width: limit, starts, indices, values })
    }

    /// Checks the arrays of a user; `limit` bounds the indices, `position` tells (line, index) as (row, column).
    fn checked(
        lines: usize,
        limit: usize,
        starts: Vec<usize>,
        indices: Shared<u32>,
        values: Shared<f64>,
        position: impl Fn(usize, usize) -> Position,
    ) -> Result<Self, DataError> {
        let mut checked = Self::fitting(lines, limit, CompressedLines { starts, indices, values })?;
        check_indices((*checked.indices).as_ref().iter().map(|&i| i as usize), limit)?;
        if !checked.lines().are_sorted() {
            checked = checked.lines().sorted();
        }
        // After the sums of entries given twice, which may overflow.
        let lines = checked.lines();
        if let Some(k) = first_not_finite(lines.values) {
            let line = lines.starts.partition_point(|&s| s <= k) - 1;
            let position = position(line, lines.indices[k] as usize);
            let problem = DataProblem::NotFinite { field: "values", position, value: lines.values[k] };
            return Err(DataError::new(OBJECT, problem));
        }
        Ok(checked)
    }
}

fn check_count(count: usize) -> Result<(), DataError> {
    if count <= u32::MAX as usize {
        return Ok(());
    }
    Err(DataError::structure(OBJECT, "rows and columns must number below 2^32"))
}

fn check_indices(mut indices: impl Iterator<Item = usize> + Clone, limit: usize) -> Result<(), DataError> {
    let Some(k) = indices.clone().position(|i| i >= limit) else { return Ok(()) };
    let value = indices.nth(k).expect("an index was found there");
    let problem = DataProblem::Index { field: "indices", position: Position::Entry(k), value, limit };
    Err(DataError::new(OBJECT, problem))
}

/// Indices below `limit` in half the space.
pub(super) fn narrow(indices: &[usize], limit: usize) -> Result<Shared<u32>, DataError> {
    check_count(limit)?;
    check_indices(indices.iter().copied(), limit)?;
    Ok(Arc::new(indices.iter().map(|&i| i as u32).collect::<Vec<_>>()))
}

/// A sparse matrix; see [`Matrix::csr`](super::Matrix::csr).
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    columns: usize,
    by_rows: Compressed,
    by_columns: Option<Compressed>,
}

impl Sparse {
    pub(super) fn from_rows(
        rows: usize,
        columns: usize,
        starts: Vec<usize>,
        indices: Shared<u32>,
        values: Shared<f64>,
    ) -> Result<Self, DataError> {
        let by_rows = Compressed::checked(rows, columns, starts, indices, values, Position::Cell)?;
        let by_columns = (columns >= WIDE).then(|| by_rows.lines().transposed());
        Ok(Self { columns, by_rows, by_columns })
    }

    pub(super) fn unchecked(
        columns: usize,
        by_rows: CompressedLines,
        by_columns: Option<CompressedLines>,
    ) -> Result<Self, DataError> {
        let rows = by_rows.starts.len().saturating_sub(1);
        let by_rows = Compressed::fitting(rows, columns, by_rows)?;
        let by_columns = match by_columns {
            Some(lines) => Some(Compressed::fitting(columns, rows, lines)?),
            None => (columns >= WIDE).then(|| by_rows.lines().transposed()),
        };
        Ok(Self { columns, by_rows, by_columns })
    }

    pub(super) fn from_columns(
        rows: usize,
        columns: usize,
        starts: Vec<usize>,
        indices: Shared<u32>,
        values: Shared<f64>,
    ) -> Result<Self, DataError> {
        let cell = |j, i| Position::Cell(i, j);
        let by_columns = Compressed::checked(columns, rows, starts, indices, values, cell)?;
        let by_rows = by_columns.lines().transposed();
        Ok(Self { columns, by_rows, by_columns: (columns >= WIDE).then_some(by_columns) })
    }

    /// The columns of these indices, in increasing order. The copy by columns, where there is one, saves looking at the others.
    pub(super) fn with_columns(&self, columns: &[usize]) -> Result<Self, DataError> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        if let Some(lines) = self.by_columns() {
            for &j in columns {
                let (at, entries) = lines.line(j);
                indices.extend_from_slice(at);
                values.extend_from_slice(entries);
                starts.push(values.len());
            }
            return Self::from_columns(
                self.rows(),
                columns.len(),
                starts,
                Arc::new(indices),
                Arc::new(values),
            );
        }
        let mut place = vec![u32::MAX; self.columns];
        columns.iter().enumerate().for_each(|(k, &j)| place[j] = k as u32);
        let end = columns.last().map_or(0, |j| j + 1) as u32;
        for i in 0..self.rows() {
            let (at, entries) = self.by_rows().line(i);
            // What stands behind the last column that is wanted is not looked at.
            let at = &at[..at.partition_point(|j| *j < end)];
            for (&j, &value) in at.iter().zip(entries) {
                if place[j as usize] != u32::MAX {
                    indices.push(place[j as usize]);
                    values.push(value);
                }
            }
            starts.push(values.len());
        }
        Self::from_rows(self.rows(), columns.len(), starts, Arc::new(indices), Arc::new(values))
    }

    /// Some rows in a row; entries by rows are shared.
    pub(super) fn row_range(&self, rows: Range<usize>) -> Self {
        let by_rows = self.by_rows.line_range(rows);
        let by_columns = self.by_columns.is_some().then(|| by_rows.lines().transposed());
        Self { columns: self.columns, by_rows, by_columns }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.by_rows.lines().count()
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn by_rows(&self) -> Lines<'_> {
        self.by_rows.lines()
    }

    /// The copy by columns that wide matrices carry.
    pub(crate) fn by_columns(&self) -> Option<Lines<'_>> {
        self.by_columns.as_ref().map(Compressed::lines)
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::Matrix;

    #[test]
    fn rows_and_columns_tell_the_same_matrix() {
        // [[1 0 2] [0 3 0]] with column 2 given unsorted and in two parts
        let by_rows = Matrix::csr(2, 3, &[0, 3, 4], &[2, 0, 2, 1], vec![1.5, 1.0, 0.5, 3.0]).unwrap();
        let by_columns = Matrix::csc(2, 3, &[0, 1, 2, 3], &[0, 1, 0], vec![1.0, 3.0, 2.0]).unwrap();
        assert_eq!(by_rows, by_columns);
        let mut row = [9.0; 3];
        by_rows.copy_row(0, &mut row);
        assert_eq!(row, [1.0, 0.0, 2.0]);
    }

    #[test]
    fn bad_arrays_are_refused_by_name() {
        let csr = |starts: &[usize], indices: &[usize], values: &[f64]| {
            Matrix::csr(2, 3, starts, indices, values.to_vec()).unwrap_err().to_string()
        };
        assert!(csr(&[0, 1], &[0], &[1.0]).contains("starts has length 2; expected 3"));
        assert!(csr(&[0, 1, 2], &[0], &[1.0, 2.0]).contains("indices has length 1; expected 2"));
        assert!(csr(&[0, 2, 1], &[0], &[1.0]).contains("decreases after entry 1"));
        assert!(csr(&[0, 1, 1], &[3], &[1.0]).contains("indices[0] is 3; it must be below 3"));
        assert!(csr(&[0, 1, 2], &[0, 1], &[1.0, f64::NAN]).contains("values[1, 1] is NaN"));
        assert!(csr(&[1, 1, 1], &[0], &[1.0]).contains("starts must run from 0"));
        let csc = Matrix::csc(2, 3, &[0, 1, 1, 1], &[1], vec![f64::INFINITY]).unwrap_err();
        assert!(csc.to_string().contains("values[1, 0] is inf"));
    }
}
