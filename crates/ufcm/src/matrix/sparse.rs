//! Sparse storage: compressed rows, and compressed columns beside them where the matrix is wide.

use crate::error::{DataError, DataProblem, Position, check_length};

const OBJECT: &str = "sparse matrix";

/// From this many columns on, a gradient no longer fits in a core's cache: products with the transpose then run
/// through a copy by columns instead of scattering from rows (measured in benches/kernel.rs).
const WIDE: usize = 1 << 16;

/// Lines (rows or columns) of a sparse matrix, each with its indices in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compressed {
    /// The bound of the indices; the kernels rely on it.
    width: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Compressed {
    /// The number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.starts.len() - 1
    }

    /// What all indices are below.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The values of all lines.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The indices and values of one line.
    pub(crate) fn line(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Calls `visit(line, index, value)` for every entry.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for k in 0..self.lines() {
            let (indices, values) = self.line(k);
            indices.iter().zip(values).for_each(|(&i, &value)| visit(k, i as usize, value));
        }
    }

    /// The same entries by the other index: a counting sort, which leaves each line in increasing order.
    fn transposed(&self) -> Self {
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
        Self { width: self.lines(), starts, indices, values }
    }

    /// Checks the arrays of a user; `limit` bounds the indices, `position` tells (line, index) as (row, column).
    fn checked(
        lines: usize,
        limit: usize,
        starts: &[usize],
        indices: &[usize],
        values: Vec<f64>,
        position: impl Fn(usize, usize) -> Position,
    ) -> Result<Self, DataError> {
        if lines > u32::MAX as usize || limit > u32::MAX as usize {
            return Err(DataError::structure(OBJECT, "rows and columns must number below 2^32"));
        }
        check_length(OBJECT, "starts", lines.saturating_add(1), starts.len())?;
        check_length(OBJECT, "indices", values.len(), indices.len())?;
        if starts[0] != 0 || starts[lines] != values.len() {
            let message = format!("starts must run from 0 to the number of values, {}", values.len());
            return Err(DataError::structure(OBJECT, message));
        }
        if let Some(k) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(DataError::structure(OBJECT, format!("starts decreases after entry {k}")));
        }
        if let Some(k) = indices.iter().position(|&i| i >= limit) {
            let position = Position::Entry(k);
            let problem = DataProblem::Index { field: "indices", position, value: indices[k], limit };
            return Err(DataError::new(OBJECT, problem));
        }
        let indices = indices.iter().map(|&i| i as u32).collect();
        let lines = Self { width: limit, starts: starts.to_vec(), indices, values }.canonical();
        // After the sums of entries given twice, which may overflow.
        if let Some(k) = lines.values.iter().position(|v| !v.is_finite()) {
            let line = lines.starts.partition_point(|&s| s <= k) - 1;
            let position = position(line, lines.indices[k] as usize);
            let problem = DataProblem::NotFinite { field: "values", position, value: lines.values[k] };
            return Err(DataError::new(OBJECT, problem));
        }
        Ok(lines)
    }

    /// Sorts each line and adds up entries given twice.
    fn canonical(self) -> Self {
        let sorted = |k: usize| self.line(k).0.windows(2).all(|pair| pair[0] < pair[1]);
        if (0..self.lines()).all(sorted) {
            return self;
        }
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut line: Vec<(u32, f64)> = Vec::new();
        for k in 0..self.lines() {
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
        Self { width: self.width, starts, indices, values }
    }
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
        starts: &[usize],
        indices: &[usize],
        values: Vec<f64>,
    ) -> Result<Self, DataError> {
        let by_rows = Compressed::checked(rows, columns, starts, indices, values, Position::Cell)?;
        let by_columns = (columns >= WIDE).then(|| by_rows.transposed());
        Ok(Self { columns, by_rows, by_columns })
    }

    pub(super) fn from_columns(
        rows: usize,
        columns: usize,
        starts: &[usize],
        indices: &[usize],
        values: Vec<f64>,
    ) -> Result<Self, DataError> {
        let cell = |j, i| Position::Cell(i, j);
        let by_columns = Compressed::checked(columns, rows, starts, indices, values, cell)?;
        let by_rows = by_columns.transposed();
        Ok(Self { columns, by_rows, by_columns: (columns >= WIDE).then_some(by_columns) })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.by_rows.lines()
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn by_rows(&self) -> &Compressed {
        &self.by_rows
    }

    /// The copy by columns that wide matrices carry.
    pub(crate) fn by_columns(&self) -> Option<&Compressed> {
        self.by_columns.as_ref()
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
