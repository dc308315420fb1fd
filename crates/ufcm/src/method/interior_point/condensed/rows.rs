//! Sparse rows, one after the other, with products that read runs of neighbouring columns as they read dense data.

use crate::kernel::simd;

/// From so many neighbouring columns on, a row begins with a run that is read without its indices.
const RUN: usize = 8;

/// A matrix by rows; columns increase within a row.
#[derive(Debug, Clone)]
pub(super) struct SparseRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// How many entries at the beginning of each row stand in neighbouring columns; 0 where that is less than [`RUN`].
    runs: Vec<u32>,
}

impl Default for SparseRows {
    fn default() -> Self {
        Self::empty()
    }
}

impl SparseRows {
    pub(super) fn empty() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), runs: Vec::new() }
    }

    /// Appends a row, whose columns increase.
    pub(super) fn push(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        let start = self.columns.len();
        for (column, value) in entries {
            self.columns.push(column as u32);
            self.values.push(value);
        }
        let columns = &self.columns[start..];
        let first = columns.first().copied().unwrap_or(0);
        let run = columns.iter().zip(first..).take_while(|(column, next)| *column == next).count();
        self.runs.push(if run < RUN { 0 } else { run as u32 });
        self.starts.push(self.columns.len());
    }

    /// The rows of a matrix that is given by columns: (start of each column, row of each entry, value of each entry).
    pub(super) fn of_columns(count: usize, starts: &[usize], rows: &[usize], values: &[f64]) -> Self {
        let mut ends = vec![0usize; count + 1];
        rows.iter().for_each(|row| ends[row + 1] += 1);
        (0..count).for_each(|row| ends[row + 1] += ends[row]);
        let (mut at, mut columns, mut sorted) = (ends.clone(), vec![0; rows.len()], vec![0.0; rows.len()]);
        for column in 0..starts.len().saturating_sub(1) {
            for k in starts[column]..starts[column + 1] {
                let place = &mut at[rows[k]];
                (columns[*place], sorted[*place]) = (column, values[k]);
                *place += 1;
            }
        }
        let mut all = Self::empty();
        for row in 0..count {
            let range = ends[row]..ends[row + 1];
            all.push(columns[range.clone()].iter().copied().zip(sorted[range].iter().copied()));
        }
        all
    }

    /// The same matrix by columns, of which there are so many: the rows of its transpose.
    pub(super) fn transposed(&self, width: usize) -> Self {
        let rows: Vec<usize> = self.columns.iter().map(|column| *column as usize).collect();
        Self::of_columns(width, &self.starts, &rows, &self.values)
    }

    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    pub(super) fn entries(&self) -> usize {
        self.values.len()
    }

    pub(super) fn length(&self, row: usize) -> usize {
        self.starts[row + 1] - self.starts[row]
    }

    /// The columns and values of a row.
    pub(super) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    pub(super) fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(row).0.iter().map(|column| *column as usize)
    }

    /// The entries of a row.
    pub(super) fn pairs(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).map(|(column, value)| (*column as usize, *value))
    }

    /// Changes every entry: the function is given row, column and value.
    pub(super) fn scale(&mut self, factor: impl Fn(usize, usize) -> f64) {
        for row in 0..self.count() {
            for k in self.starts[row]..self.starts[row + 1] {
                self.values[k] *= factor(row, self.columns[k] as usize);
            }
        }
    }

    /// The product of a row with x.
    pub(super) fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        let run = self.runs[row] as usize;
        let mut sum = 0.0;
        if run > 0 {
            let first = columns[0] as usize;
            sum = simd::dot(&values[..run], &x[first..first + run]);
        }
        sum + gathered(&columns[run..], &values[run..], x)
    }

    /// out += factor times a row.
    pub(super) fn add(&self, row: usize, factor: f64, out: &mut [f64]) {
        if factor == 0.0 {
            return;
        }
        let (columns, values) = self.row(row);
        let run = self.runs[row] as usize;
        if run > 0 {
            let first = columns[0] as usize;
            simd::add_scaled(factor, &values[..run], &mut out[first..first + run]);
        }
        for (column, value) in columns[run..].iter().zip(&values[run..]) {
            out[*column as usize] += factor * value;
        }
    }

    /// out = A x
    pub(super) fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(row, out)| *out = self.dot(row, x));
    }

    /// out += A'l
    pub(super) fn add_transposed(&self, l: &[f64], out: &mut [f64]) {
        l.iter().enumerate().for_each(|(row, l)| self.add(row, *l, out));
    }
}

/// The product of sparse entries with x, in four sums: one would wait for each addition.
fn gathered(columns: &[u32], values: &[f64], x: &[f64]) -> f64 {
    let (places, rest) = columns.as_chunks::<4>();
    let (factors, last) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (places, factors) in places.iter().zip(factors) {
        for k in 0..4 {
            sums[k] += factors[k] * x[places[k] as usize];
        }
    }
    let last: f64 = rest.iter().zip(last).map(|(place, factor)| factor * x[*place as usize]).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
}
