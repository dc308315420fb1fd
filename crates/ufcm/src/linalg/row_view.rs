//! One row of a matrix, dense or sparse.

use super::dot;
use crate::conic::Expression;

/// A row of the Jacobian of a mapping as it is stored.
///
/// ```
/// use ufcm::oracle::RowView;
///
/// let row = RowView::Sparse { columns: &[0, 2], values: &[1.0, -3.0] };
/// let mut sums = [0.0; 3];
/// row.for_each(|i, a| sums[i] += a.abs());
/// assert_eq!((row.dot(&[1.0, 5.0, 1.0]), sums), (-2.0, [1.0, 0.0, 3.0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowView<'a> {
    /// All entries.
    Dense(&'a [f64]),
    /// All entries, in single precision.
    Single(&'a [f32]),
    /// The entries that are not 0.
    Sparse {
        /// Their columns, increasing.
        columns: &'a [u32],
        /// Their values.
        values: &'a [f64],
    },
}

impl RowView<'_> {
    /// Calls `visit(i, a_i)` for every stored entry.
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(row) => row.iter().enumerate().for_each(|(i, &a)| visit(i, a)),
            Self::Single(row) => row.iter().enumerate().for_each(|(i, &a)| visit(i, f64::from(a))),
            Self::Sparse { columns, values } => {
                columns.iter().zip(*values).for_each(|(&i, &a)| visit(i as usize, a));
            }
        }
    }

    /// <row, x> of expressions.
    pub(crate) fn expression(&self, x: &[Expression]) -> Expression {
        let mut sum = Expression::default();
        // A factor of 0 adds nothing.
        self.for_each(|i, a| sum.add(a, &x[i]));
        sum
    }

    /// <row, x>
    #[must_use]
    pub fn dot(&self, x: &[f64]) -> f64 {
        match self {
            Self::Dense(row) => dot(row, x),
            Self::Single(row) => row.iter().zip(x).map(|(a, x)| f64::from(*a) * x).sum(),
            Self::Sparse { columns, values } => {
                columns.iter().zip(*values).map(|(&i, a)| a * x[i as usize]).sum()
            }
        }
    }
}
